/* Parts merged in any order and tree are the whole: its partial's bytes, its
 * results' bits, its errors. */
#include "config.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/round.h"
#include "tests/unit/cpu/harness.h"
#include "tests/unit/engine/partial_runs.h"
#include <cmocka.h> /* last: it defines fail() */

/* Sorted by key, as the results of a merge are. */
static const char *const ops[] = {"all", "any",  "argmax", "argmin", "count", "count_nonzero",
				  "dot", "l1",   "l2",     "linf",   "max",   "mean",
				  "min", "prod", "std",    "sum",    "sumsq", "var"};
#define OP_NAMES (sizeof(ops) / sizeof(ops[0]))
#define MOST_PARTS 1000u

static struct engine *engine;
static struct limits limits;

/* Beyond the harness's kinds of data. */
enum {
	KIND_NEGATIVE_ZEROS = DATA_KINDS,
	KIND_CANCELS,   /* the second half takes away the first */
	KIND_INFINITE,  /* now and then +inf */
	KIND_ALL_NAN,   /* nothing else */
	KIND_FACTORS,   /* 1, -1, 2, 3: products that stay short */
	KIND_EXTREMITY, /* the ends of the type's range */
	KINDS
};

static void put(enum dtype dtype, void *at, double value)
{
	int64_t integer = (int64_t)value;

	if (dtype_is_float(dtype))
		round_f64(value, dtype, at);
	else
		memcpy(at, &integer, dtype_size(dtype));
}

static double value_of(enum dtype dtype, int kind, uint64_t r)
{
	static const double factors[] = {1, -1, 2, 3};
	bool is_float = dtype_is_float(dtype);

	switch (kind) {
	case KIND_NEGATIVE_ZEROS:
		return -0.0;
	case KIND_INFINITE:
		return is_float && r % 13 == 0 ? INFINITY : (double)(r % 5);
	case KIND_ALL_NAN:
		return is_float ? NAN : 0;
	case KIND_FACTORS:
		return r % 16 != 0 || dtype == DTYPE_BOOL       ? 1
		       : dtype_class(dtype) == DTYPE_CLASS_UINT ? 3
								: factors[r / 16 % 4];
	default: /* KIND_EXTREMITY, of floats */
		return (r % 2 == 0 ? 1 : -1) * (dtype == DTYPE_FLOAT16   ? 65504
						: dtype == DTYPE_FLOAT64 ? 0x1.fffffffffffffp1023
									 : 0x1.fep127);
	}
}

static unsigned char *make_data(enum dtype dtype, uint64_t count, int kind, uint64_t seed)
{
	size_t size = dtype_size(dtype);
	unsigned char *data;

	if (kind < DATA_KINDS)
		return harness_data(dtype, count, (enum harness_data)kind, seed);
	data = harness_data(dtype, count, DATA_WIDE, seed);
	for (uint64_t i = 0; i < count; i++) {
		unsigned char *at = data + i * size;
		uint64_t r = harness_random(&seed);

		if (kind == KIND_CANCELS && dtype_is_float(dtype) && i >= count / 2 && i > 0) {
			memcpy(at, data + (count - 1 - i) * size, size);
			at[size - 1] ^= 0x80;
		} else if (kind == KIND_EXTREMITY && !dtype_is_float(dtype)) {
			memset(at, r % 2 == 0 ? 0xff : 0, size);
			at[size - 1] ^= r % 4 < 2 ? 0x80 : 0;
		} else if (kind != KIND_CANCELS) {
			put(dtype, at, value_of(dtype, kind, r));
		}
		if (dtype == DTYPE_BOOL)
			*at &= 1;
	}
	return data;
}

struct setting {
	struct job job;
	struct array_desc desc;
	unsigned char *x, *y;
	unsigned parts;
	struct partial_finish choice;
};

/* Operations of a random mask that go together. */
static void choose_ops(struct setting *s, uint64_t *state)
{
	char list[512] = "";
	uint64_t mask = harness_random(state) & harness_random(state);
	bool dot = false;

	mask |= (uint64_t)1 << harness_random(state) % OP_NAMES;
	for (unsigned i = 0; i < OP_NAMES; i++) {
		bool is_dot = strcmp(ops[i], "dot") == 0;

		if ((mask >> i & 1) == 0 ||
		    (strcmp(ops[i], "prod") == 0 && dtype_is_float(s->desc.dtype)) ||
		    (is_dot && harness_random(state) % 4 != 0))
			continue;
		dot = dot || is_dot;
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
			 list[0] != '\0' ? "," : "", ops[i]);
	}
	if (list[0] == '\0')
		snprintf(list, sizeof(list), "sum");
	s->job = runs_job(list, DETERMINISM_EXACT);
	s->job.nan = (enum nan_rule)(harness_random(state) % 3);
	if (dot && s->job.op_count > 1 && s->job.nan == NAN_OMIT)
		s->job.nan = NAN_PROPAGATE;
	s->job.overflow = (enum overflow_rule)(harness_random(state) % 3);
}

static void choose_end(struct setting *s, uint64_t *state)
{
	for (unsigned i = 0; i < s->job.op_count; i++) {
		if (op_needs_ddof(s->job.ops[i].spec.op)) {
			s->choice.given_ddof = true;
			s->choice.ddof = s->job.ddof = harness_random(state) % 3;
		}
		if (op_takes_out_dtype(s->job.ops[i].spec.op) && harness_random(state) % 3 == 0) {
			struct job_op *op = &s->job.ops[i];

			op->has_out_dtype = true;
			op->out_dtype = (enum dtype)(harness_random(state) % DTYPE_COUNT);
			if (op->out_dtype == DTYPE_BOOL ||
			    dtype_is_float(op_result_dtype(op->spec.op, s->desc.dtype)))
				op->out_dtype = DTYPE_FLOAT16;
			memcpy(s->choice.out[s->choice.out_count].key, op->spec.key, OP_KEY_SIZE);
			s->choice.out[s->choice.out_count++].dtype = op->out_dtype;
		}
	}
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The parts' states, written and read again. false: a part found a NaN. */
static bool reduce_parts(const struct setting *s, struct partial **out, uint64_t *state)
{
	size_t size = dtype_size(s->desc.dtype);
	uint64_t *cuts = calloc(s->parts + 1, sizeof(*cuts));
	bool good = true;

	assert_non_null(cuts);
	for (unsigned i = 1; i < s->parts; i++)
		cuts[i] = harness_random(state) % (s->desc.shape[0] + 1);
	cuts[s->parts] = s->desc.shape[0];
	qsort(cuts, s->parts + 1, sizeof(*cuts), compare_u64);
	for (unsigned i = 0; i < s->parts; i++) {
		struct array_desc desc = s->desc;
		struct job job = s->job;
		struct task *task;
		struct bytes bytes;

		desc.shape[0] = cuts[i + 1] - cuts[i];
		job.partial = true;
		job.index_base = cuts[i];
		for (unsigned k = 0; k < job.op_count; k++)
			job.ops[k].has_out_dtype = false;
		task = runs_reduce(engine, &job, &desc, s->x + cuts[i] * size,
				   s->y != NULL ? s->y + cuts[i] * size : NULL,
				   i % 2 == 0 ? 0 : harness_random(state));
		out[i] = NULL;
		if (task->error.status != STATUS_OK) {
			assert_int_equal(task->error.status, STATUS_NAN_FOUND);
			good = false;
		} else {
			assert_non_null(task->result->partial);
			bytes = runs_encode(task->result->partial);
			out[i] = runs_decode(&bytes);
			free(bytes.data);
		}
		task_destroy(task);
	}
	free(cuts);
	return good;
}

/* Two at random become one, until one is left. */
static struct partial *merge_all(struct partial **parts, unsigned count, uint64_t *state)
{
	while (count > 1) {
		unsigned a = (unsigned)(harness_random(state) % count);
		unsigned b = (unsigned)(harness_random(state) % (count - 1));

		b += b >= a;
		assert_int_equal(partial_merge(parts[a], parts[b], NULL), STATUS_OK);
		partial_destroy(parts[b]);
		if (harness_random(state) % 8 == 0) { /* by way of its bytes */
			struct bytes bytes = runs_encode(parts[a]);

			partial_destroy(parts[a]);
			parts[a] = runs_decode(&bytes);
			free(bytes.data);
		}
		parts[b] = parts[--count];
		if (a == count)
			parts[b == count ? a : b] = parts[count];
	}
	return parts[0];
}

static void check_bytes(const struct partial *merged, const struct partial *whole)
{
	struct bytes a = runs_encode(merged), b = runs_encode(whole);

	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	free(a.data);
	free(b.data);
}

/* The results of a merge are those of one job over everything, which asks for
 * no partial; and those of one that does, which has nulls for errors. */
static void check_results(struct setting *s, const struct partial *merged)
{
	for (int partial = 0; partial <= 1; partial++) {
		struct task *task;
		struct result *result = NULL;
		struct error err = {0};

		s->job.partial = s->choice.partial = partial != 0;
		task = runs_reduce(engine, &s->job, &s->desc, s->x, s->y, 0);
		partial_finish(merged, &s->choice, &limits, &result, &err);
		assert_true(runs_same(&task->error, task->result, &err, result));
		if (result != NULL) {
			assert_string_equal(result->backend, "merge");
			assert_int_equal(result->determinism, DETERMINISM_EXACT);
		}
		if (partial != 0)
			assert_int_equal(err.status == STATUS_EMPTY_INPUT ||
						 err.status == STATUS_INTEGER_OVERFLOW,
					 0);
		result_destroy(result);
		task_destroy(task);
	}
}

static void check(enum dtype dtype, int kind, uint64_t length, unsigned parts, uint64_t seed)
{
	static struct partial *states[MOST_PARTS];
	struct setting s = {.desc = {.dtype = dtype, .ndim = 1, .shape = {length}}, .parts = parts};
	struct task *whole;
	struct job job;
	uint64_t state = seed;

	choose_ops(&s, &state);
	choose_end(&s, &state);
	s.x = make_data(dtype, length, kind, seed);
	for (unsigned i = 0; i < s.job.op_count; i++)
		if (s.job.ops[i].spec.op == OP_DOT)
			s.y = make_data(dtype, length, kind, seed + 1);
	job = s.job;
	job.partial = true;
	for (unsigned k = 0; k < job.op_count; k++)
		job.ops[k].has_out_dtype = false;
	whole = runs_reduce(engine, &job, &s.desc, s.x, s.y, 0);
	if (!reduce_parts(&s, states, &state)) {
		assert_int_equal(whole->error.status, STATUS_NAN_FOUND);
		for (unsigned i = 0; i < parts; i++)
			partial_destroy(states[i]);
	} else {
		struct partial *merged = merge_all(states, parts, &state);

		assert_int_equal(whole->error.status, STATUS_OK);
		check_bytes(merged, whole->result->partial);
		check_results(&s, merged);
		partial_destroy(merged);
	}
	task_destroy(whole);
	free(s.x);
	free(s.y);
}

static void parts_are_the_whole(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
		for (int kind = 0; kind < KINDS; kind++)
			for (uint64_t i = 0; i < 30; i++) {
				uint64_t seed = ((uint64_t)dtype * KINDS + (uint64_t)kind) * 64 + i;
				uint64_t r = seed;

				r = harness_random(&r);
				check((enum dtype)dtype, kind, i == 0 ? r % 3 : r % (1u << r % 13),
				      1 + (unsigned)(r >> 32) % (i < 25 ? 12u : 60u), seed);
			}
}

static void a_thousand_parts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6; i++)
		check(i % 2 == 0 ? DTYPE_FLOAT64 : DTYPE_INT16, (int)i, 400 + 900 * i, MOST_PARTS,
		      1000 + i);
}

/* The state of one array, in bytes. */
static struct bytes state_of(const char *list, const struct array_desc *desc, const void *x)
{
	struct job job = runs_job(list, DETERMINISM_EXACT);
	struct task *task;
	struct bytes bytes;

	job.partial = true;
	task = runs_reduce(engine, &job, desc, x, NULL, 0);
	assert_int_equal(task->error.status, STATUS_OK);
	bytes = runs_encode(task->result->partial);
	task_destroy(task);
	return bytes;
}

/* Without arg*, neither the order of elements nor that of operations shows. */
static void order_does_not_show(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		struct array_desc desc = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {3000}};
		double *x = (double *)make_data(DTYPE_FLOAT64, 3000, kind, (uint64_t)kind);
		struct bytes a = state_of("sum,max,std,l2,any", &desc, x), b;

		for (size_t i = 2999; i > 0; i--) {
			size_t k = harness_random(&seed) % (i + 1);
			double swap = x[i];

			x[i] = x[k];
			x[k] = swap;
		}
		b = state_of("any,l2,std,max,sum", &desc, x);
		assert_int_equal(a.size, b.size);
		assert_memory_equal(a.data, b.data, a.size);
		free(a.data);
		free(b.data);
		free(x);
	}
}

/* Indices are in C order however the array is stored. */
static void fortran_order_has_c_indices(void **state)
{
	static const float c[] = {3, 9, 1, 9, 1, 2}, fortran[] = {3, 9, 9, 1, 1, 2};
	struct array_desc desc = {.dtype = DTYPE_FLOAT32, .ndim = 2, .shape = {2, 3}};
	struct bytes a = state_of("argmin,argmax,sum", &desc, c), b;

	(void)state;
	desc.fortran = true;
	b = state_of("argmin,argmax,sum", &desc, fortran);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	free(a.data);
	free(b.data);
}

/* A part with ops, types or rules of its own: what differs is named, and the
 * state stays. */
static void others_are_refused(void **state)
{
	static const double x[] = {1, 2};
	static const struct {
		const char *ops, *says;
		enum dtype dtype;
		enum nan_rule nan;
		enum overflow_rule overflow;
	} others[] = {
		{"sum,min", "operations differ: max,sum and min,sum", DTYPE_INT64, 0, 0},
		{"sum", "operations differ: max,sum and sum", DTYPE_INT64, 0, 0},
		{"max,sum", "types differ: int64 and float64", DTYPE_FLOAT64, 0, 0},
		{"max,sum", "NaN rules differ: propagate and omit", DTYPE_INT64, NAN_OMIT, 0},
		{"max,sum", "overflow rules differ: error and wrap", DTYPE_INT64, 0, OVERFLOW_WRAP},
	};
	struct array_desc desc = {.dtype = DTYPE_INT64, .ndim = 1, .shape = {2}};
	struct bytes bytes = state_of("sum,max", &desc, x), after;
	struct partial *into = runs_decode(&bytes);

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct job job = runs_job(others[i].ops, DETERMINISM_EXACT);
		struct error err = {0};
		struct task *task;

		desc.dtype = others[i].dtype;
		job.partial = true;
		job.nan = others[i].nan;
		job.overflow = others[i].overflow;
		task = runs_reduce(engine, &job, &desc, x, NULL, 0);
		assert_int_equal(task->error.status, STATUS_OK);
		assert_int_equal(partial_merge(into, task->result->partial, &err),
				 STATUS_PARTIALS_DIFFER);
		assert_non_null(strstr(err.text, others[i].says));
		task_destroy(task);
	}
	after = runs_encode(into);
	assert_int_equal(after.size, bytes.size);
	assert_memory_equal(after.data, bytes.data, bytes.size);
	free(after.data);
	free(bytes.data);
	partial_destroy(into);
}

/* What is chosen at the end must fit an operation. */
static void choices_are_checked(void **state)
{
	static const int16_t x[] = {1, -2, 300};
	struct array_desc desc = {.dtype = DTYPE_INT16, .ndim = 1, .shape = {3}};
	struct bytes bytes = state_of("argmax,count", &desc, x);
	struct partial *partial = runs_decode(&bytes);
	struct partial_finish choices[] = {
		{.given_ddof = true, .ddof = 1},
		{.has_out_dtype = true, .out_dtype = DTYPE_FLOAT32},
		{.out_count = 1, .out = {{.key = "max", .dtype = DTYPE_FLOAT32}}},
		{.out_count = 1, .out = {{.key = "count", .dtype = DTYPE_FLOAT32}}},
	};
	static const struct {
		enum status status;
		const char *pointer;
	} expected[] = {
		{STATUS_BAD_JOB, "/ddof"},
		{STATUS_BAD_JOB, "/out_dtype"},
		{STATUS_BAD_JOB, "/out_dtype/max"},
		{STATUS_BAD_DTYPE, "/out_dtype"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		struct result *result = NULL;
		struct error err = {0};

		assert_int_equal(partial_finish(partial, &choices[i], &limits, &result, &err),
				 expected[i].status);
		assert_string_equal(err.pointer, expected[i].pointer);
		assert_null(result);
	}
	partial_destroy(partial);
	free(bytes.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(a_thousand_parts),
		cmocka_unit_test(order_does_not_show),
		cmocka_unit_test(fortran_order_has_c_indices),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(choices_are_checked),
	};
	int failed;

	limits_default(&limits);
	engine = harness_engine(2);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	engine_destroy(engine);
	return failed;
}
