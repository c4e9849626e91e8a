/* Scans: the ordered ones against the oracle at any split, the exact ones
 * against the exact accumulators, integers against 128-bit sums. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/oracle.h"
#include "cpu/scan.h"
#include "engine/elementary.h"
#include "engine/finish.h"
#include "engine/order.h"
#include "engine/round.h"
#include <cmocka.h> /* last: it defines fail() */

#define LONGEST (SCAN_TILE * 70 + 13) /* more than two groups of tiles */

static uint64_t random_bits(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double unit(uint64_t *seed)
{
	return (double)(random_bits(seed) >> 11) * 0x1p-52 - 1.0;
}

static bool same(double a, double b)
{
	return isnan(b) ? elementary_bits(a) == 0x7ff8000000000000u
			: elementary_bits(a) == elementary_bits(b);
}

/* Feed in pieces of random length, up to `most`. */
static enum status feed(const struct scan_args *args, const void *x, uint64_t count, uint64_t most,
			void *out, uint64_t stride, uint64_t *seed, struct error *err)
{
	char *memory = malloc(scan_state_size(args)), *moved = malloc(scan_state_size(args));
	enum status status = STATUS_OK;
	uint64_t at = 0;

	assert_non_null(memory);
	assert_non_null(moved);
	scan_init(memory, args);
	while (at < count && status == STATUS_OK) {
		uint64_t n = 1 + random_bits(seed) % most;

		n = n < count - at ? n : count - at;
		/* A state may be moved. */
		memcpy(moved, memory, scan_state_size(args));
		memset(memory, 0xa5, scan_state_size(args));
		status = scan_feed(moved, args, (const char *)x + at * 8, n,
				   (char *)out + at * stride * dtype_size(args->result), stride,
				   err);
		memcpy(memory, moved, scan_state_size(args));
		at += n;
	}
	free(memory);
	free(moved);
	return status;
}

static void compare_ordered(enum op op, const double *x, uint64_t count, bool omit, bool exclusive,
			    uint64_t most, uint64_t *seed)
{
	const struct scan_args args = {.op = op,
				       .domain = DOMAIN_F64,
				       .result = DTYPE_FLOAT64,
				       .omit = omit,
				       .exclusive = exclusive};
	double *right = malloc((count + 1) * sizeof(*right));
	double *fast = malloc((count + 1) * sizeof(*fast));

	assert_non_null(right);
	assert_non_null(fast);
	assert_int_equal(oracle_scan(op, x, count, omit, exclusive, right, NULL), STATUS_OK);
	assert_int_equal(feed(&args, x, count, most, fast, 1, seed, NULL), STATUS_OK);
	for (uint64_t i = 0; i < count; i++)
		if (!same(fast[i], right[i]))
			fail_msg("%s: element %llu of %llu, pieces up to %llu: %a, not %a",
				 op_name(op), (unsigned long long)i, (unsigned long long)count,
				 (unsigned long long)most, fast[i], right[i]);
	free(right);
	free(fast);
}

static void ordered_follow_the_oracle(void **state)
{
	static const enum op ops[] = {OP_SUM, OP_PROD, OP_LOGSUMEXP};
	static const uint64_t lengths[] = {0,   1,   2,   3,    4,    5,    127,
					   128, 129, 255, 4095, 4096, 4097, 12289};
	static const uint64_t pieces[] = {1, 7, 300, 100000};
	double *x = malloc(LONGEST * sizeof(*x));
	uint64_t seed = 11;

	(void)state;
	assert_non_null(x);
	for (int kind = 0; kind < 4; kind++) {
		for (uint64_t i = 0; i < LONGEST; i++) {
			x[i] = kind == 0   ? unit(&seed)
			       : kind == 1 ? 1.0 + unit(&seed) * 0x1p-8
			       : kind == 2
				       ? ldexp(unit(&seed), (int)(random_bits(&seed) % 600) - 300)
				       : -0.0;
			if (kind == 1 && i % 9 < 3)
				x[i] = NAN;
			if (kind == 3 && i > 200 && random_bits(&seed) % 50 == 0)
				x[i] = i % 2 ? INFINITY : -INFINITY;
		}
		for (size_t o = 0; o < 3; o++) {
			for (int way = 0; way < 4; way++)
				for (size_t l = 0; l < sizeof(lengths) / sizeof(*lengths); l++)
					for (size_t p = 0; p < 4; p++)
						compare_ordered(ops[o], x, lengths[l], way & 1,
								way & 2, pieces[p], &seed);
			if (ops[o] != OP_LOGSUMEXP || kind == 0)
				compare_ordered(ops[o], x, LONGEST, true, kind == 1, 5000, &seed);
		}
	}
	free(x);
}

static void strides_and_types(void **state)
{
	static const enum dtype types[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT32,
					   DTYPE_FLOAT64};
	double x[600], right[600];
	uint64_t seed = 5;

	(void)state;
	for (int i = 0; i < 600; i++)
		x[i] = unit(&seed) * (i < 500 ? 1.0 : 1e5);
	x[550] = NAN;
	assert_int_equal(oracle_scan(OP_SUM, x, 600, false, false, right, NULL), STATUS_OK);
	for (size_t t = 0; t < 4; t++) {
		const struct scan_args args = {
			.op = OP_SUM, .domain = DOMAIN_F64, .result = types[t]};
		size_t size = dtype_size(types[t]);
		unsigned char out[600 * 3 * 8], one[8];

		memset(out, 0x77, sizeof(out));
		assert_int_equal(feed(&args, x, 600, 200, out, 3, &seed, NULL), STATUS_OK);
		for (size_t i = 0; i < 600; i++) {
			round_f64(right[i], types[t], one);
			assert_memory_equal(out + i * 3 * size, one, size);
			for (size_t k = size; k < 3 * size; k++)
				assert_int_equal(out[i * 3 * size + k], 0x77);
		}
	}
}

static void zeros_and_nothing(void **state)
{
	const double x[] = {NAN, -0.0, -0.0, 0.0, -0.0};
	uint64_t seed = 1;
	double out[5];

	(void)state;
	for (int exact = 0; exact < 2; exact++) {
		struct scan_args args = {.op = OP_SUM,
					 .domain = DOMAIN_F64,
					 .result = DTYPE_FLOAT64,
					 .exact = exact,
					 .omit = true};

		assert_int_equal(feed(&args, x, 5, 2, out, 1, &seed, NULL), STATUS_OK);
		assert_true(out[0] == 0.0 && !signbit(out[0]));
		assert_true(signbit(out[1]) && signbit(out[2]) && !signbit(out[3]) &&
			    !signbit(out[4]));
		args.exclusive = true;
		assert_int_equal(feed(&args, x, 5, 2, out, 1, &seed, NULL), STATUS_OK);
		assert_true(!signbit(out[0]) && !signbit(out[1]) && signbit(out[2]) &&
			    signbit(out[3]) && !signbit(out[4]));
	}
}

/* Each prefix by the exact accumulator and its final step. */
static void check_exact(const double *x, uint64_t count, bool omit, bool exclusive,
			enum dtype result, uint64_t *seed)
{
	const struct scan_args args = {.op = OP_SUM,
				       .domain = DOMAIN_F64,
				       .result = result,
				       .exact = true,
				       .omit = omit,
				       .exclusive = exclusive};
	const struct op_spec spec = {.op = OP_SUM};
	const struct finish_args finish = {
		.spec = &spec, .input = DTYPE_FLOAT64, .result = result, .accum = ACCUM_EXACT_SUM};
	size_t size = dtype_size(result);
	char *out = malloc(count * size);
	struct exactsum sum;
	uint64_t taken = 0;

	assert_non_null(out);
	assert_int_equal(feed(&args, x, count, 50, out, 1, seed, NULL), STATUS_OK);
	exactsum_init(&sum);
	for (uint64_t i = 0; i < count; i++) {
		struct exactsum copy = sum;
		unsigned char right[8];

		if (exclusive)
			assert_int_equal(finish_value(&finish, &copy, taken, i, right, NULL),
					 STATUS_OK);
		if (!(omit && isnan(x[i]))) {
			exactsum_add(&sum, x[i]);
			taken++;
		}
		copy = sum;
		if (!exclusive)
			assert_int_equal(finish_value(&finish, &copy, taken, i + 1, right, NULL),
					 STATUS_OK);
		assert_memory_equal(out + i * size, right, size);
	}
	free(out);
}

static void exact_prefixes(void **state)
{
	static const enum dtype types[] = {DTYPE_FLOAT64, DTYPE_FLOAT32, DTYPE_FLOAT16,
					   DTYPE_BFLOAT16};
	uint64_t seed = 23;
	double x[300];

	(void)state;
	for (int round = 0; round < 300; round++) {
		for (int i = 0; i < 300; i++) {
			uint64_t r = random_bits(&seed);

			/* all exponents; powers of two that cancel; near ties;
			 * what fits a window for a while, at either end too */
			if (round % 4 == 3)
				x[i] = r % 8 == 0
					       ? 0.0
					       : ldexp(unit(&seed), (i < 100   ? 0
								     : i < 200 ? -960 - round
									       : 980 + round / 8));
			else if (round % 3 == 0)
				x[i] = elementary_from_bits(r & ~((uint64_t)0x400 << 52));
			else if (round % 3 == 1)
				x[i] = ldexp(r % 2 ? 1.0 : -1.0, (int)(r % 2098) - 1074);
			else
				x[i] = ldexp(r % 2 ? 1.0 : -1.0, (int)(r >> 8 & 127) - 100);
			if (i > 0 && r >> 60 == 0)
				x[i] = -x[i - 1];
			if (isnan(x[i]) || (isinf(x[i]) && round % 2))
				x[i] = 1.0;
		}
		if (round % 10 == 9)
			x[250] = round % 20 == 9 ? NAN : INFINITY;
		check_exact(x, 300, round % 5 == 4, round % 7 == 6, types[round / 3 % 4], &seed);
	}
}

static void exact_ties_broken_far_below(void **state)
{
	/* 1 + half a unit in the last place is a tie, unless 2^-900 comes too. */
	static const struct {
		enum dtype dtype;
		double half;
		unsigned char tie[8], above[8]; /* little-endian */
	} cases[] = {
		{DTYPE_FLOAT64,
		 0x1p-53,
		 {0, 0, 0, 0, 0, 0, 0xf0, 0x3f},
		 {1, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
		{DTYPE_FLOAT32, 0x1p-24, {0, 0, 0x80, 0x3f}, {1, 0, 0x80, 0x3f}},
		{DTYPE_FLOAT16, 0x1p-11, {0, 0x3c}, {1, 0x3c}},
		{DTYPE_BFLOAT16, 0x1p-8, {0x80, 0x3f}, {0x81, 0x3f}},
	};
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int negative = 0; negative < 2; negative++) {
			const double sign = negative ? -1.0 : 1.0;
			const double x[] = {sign, sign * cases[i].half, sign * 0x1p-900};
			const struct scan_args args = {.op = OP_SUM,
						       .domain = DOMAIN_F64,
						       .result = cases[i].dtype,
						       .exact = true};
			size_t size = dtype_size(cases[i].dtype);
			unsigned char out[3 * 8];

			assert_int_equal(feed(&args, x, 3, 1, out, 1, &seed, NULL), STATUS_OK);
			if (negative) /* the sign is the top bit of the last byte */
				for (size_t k = 1; k <= 3; k++)
					out[k * size - 1] ^= 0x80;
			assert_memory_equal(out + size, cases[i].tie, size);
			assert_memory_equal(out + 2 * size, cases[i].above, size);
		}
}

static void integer_sums(void **state)
{
	const int64_t x[] = {INT64_MAX, 1, -5, INT64_MIN, INT64_MIN};
	const uint64_t u[] = {UINT64_MAX, 1, 2};
	struct scan_args args = {.op = OP_SUM, .domain = DOMAIN_I64, .result = DTYPE_INT64};
	uint64_t seed = 1;
	struct error err = {0};
	int64_t out[5];
	uint64_t out_u[3];
	double out_f[5];
	int8_t out_8[5];

	(void)state;
	assert_int_equal(feed(&args, x, 5, 1, out, 1, &seed, &err), STATUS_INTEGER_OVERFLOW);
	assert_true(err.has_index);
	assert_int_equal(err.index, 1);
	assert_string_equal(err.value, "9223372036854775808");
	assert_int_equal(out[0], INT64_MAX);

	args.exclusive = true; /* the first prefix out of range is one later */
	assert_int_equal(feed(&args, x, 5, 9, out, 1, &seed, &err), STATUS_INTEGER_OVERFLOW);
	assert_int_equal(err.index, 2);
	args.exclusive = false;

	args.overflow = OVERFLOW_WRAP;
	assert_int_equal(feed(&args, x, 5, 2, out, 1, &seed, NULL), STATUS_OK);
	assert_int_equal(out[1], INT64_MIN);
	assert_int_equal(out[2], INT64_MAX - 4);
	assert_int_equal(out[3], -5);
	assert_int_equal(out[4], INT64_MAX - 4);

	args.overflow = OVERFLOW_SATURATE;
	assert_int_equal(feed(&args, x, 5, 2, out, 1, &seed, NULL), STATUS_OK);
	assert_int_equal(out[1], INT64_MAX);
	assert_int_equal(out[2], INT64_MAX - 4);
	assert_int_equal(out[4], INT64_MIN);
	args.result = DTYPE_INT8;
	assert_int_equal(feed(&args, x, 5, 2, out_8, 1, &seed, NULL), STATUS_OK);
	assert_int_equal(out_8[0], 127);
	assert_int_equal(out_8[3], -5);
	assert_int_equal(out_8[4], -128);

	args.result = DTYPE_FLOAT64;
	assert_int_equal(feed(&args, x, 5, 2, out_f, 1, &seed, NULL), STATUS_OK);
	assert_true(out_f[1] == 0x1p63 && out_f[3] == -5.0 && out_f[4] == -0x1p63);

	args = (struct scan_args){.op = OP_SUM, .domain = DOMAIN_U64, .result = DTYPE_UINT64};
	assert_int_equal(feed(&args, u, 3, 1, out_u, 1, &seed, &err), STATUS_INTEGER_OVERFLOW);
	assert_string_equal(err.value, "18446744073709551616");
	args.overflow = OVERFLOW_WRAP;
	assert_int_equal(feed(&args, u, 3, 1, out_u, 1, &seed, NULL), STATUS_OK);
	assert_int_equal(out_u[2], 2);
}

static void one_rounding_to_halves(void **state)
{
	/* 2^60 + 2^52 is halfway between two bfloat16s: one more must round up,
	 * which a detour by binary64 would forget. */
	const int64_t x[] = {((int64_t)1 << 60) + ((int64_t)1 << 52), 1};
	const struct scan_args args = {
		.op = OP_SUM, .domain = DOMAIN_I64, .result = DTYPE_BFLOAT16};
	uint64_t seed = 1;
	uint16_t out[2];

	(void)state;
	assert_int_equal(feed(&args, x, 2, 1, out, 1, &seed, NULL), STATUS_OK);
	assert_int_equal(out[0], 0x5d80);
	assert_int_equal(out[1], 0x5d81);
}

static void integer_products(void **state)
{
	const int64_t x[] = {-3, INT64_MAX, -2, 0, 7};
	const uint64_t u[] = {(uint64_t)1 << 32, (uint64_t)1 << 31, 2};
	struct scan_args args = {.op = OP_PROD, .domain = DOMAIN_I64, .result = DTYPE_INT64};
	struct error err = {0};
	uint64_t seed = 1, out_u[3];
	int64_t out[5];
	float out_f[5];

	(void)state;
	assert_int_equal(feed(&args, x, 5, 2, out, 1, &seed, &err), STATUS_INTEGER_OVERFLOW);
	assert_int_equal(err.index, 1);
	assert_string_equal(err.value, "");
	args.overflow = OVERFLOW_SATURATE;
	assert_int_equal(feed(&args, x, 5, 2, out, 1, &seed, NULL), STATUS_OK);
	assert_true(out[0] == -3 && out[1] == INT64_MIN && out[2] == INT64_MAX && out[3] == 0 &&
		    out[4] == 0);
	args.overflow = OVERFLOW_WRAP;
	assert_int_equal(feed(&args, x, 5, 2, out, 1, &seed, NULL), STATUS_OK);
	assert_true(out[1] == (int64_t)(-3 * (uint64_t)INT64_MAX) && out[3] == 0);
	args.result = DTYPE_FLOAT32;
	args.exclusive = true;
	assert_int_equal(feed(&args, x, 5, 2, out_f, 1, &seed, NULL), STATUS_OK);
	assert_true(out_f[0] == 1.0f && out_f[2] == -0x1.8p64f && out_f[3] == 0x1.8p65f &&
		    out_f[4] == 0.0f && !signbit(out_f[4]));

	args = (struct scan_args){.op = OP_PROD, .domain = DOMAIN_U64, .result = DTYPE_UINT64};
	assert_int_equal(feed(&args, u, 2, 1, out_u, 1, &seed, NULL), STATUS_OK);
	assert_true(out_u[1] == (uint64_t)1 << 63);
	assert_int_equal(feed(&args, u, 3, 1, out_u, 1, &seed, &err), STATUS_INTEGER_OVERFLOW);
	assert_int_equal(err.index, 2);
}

static void extremes(void **state)
{
	const double x[] = {3.0, -0.0, 0.0, 5.0, NAN, -INFINITY};
	const int64_t i[] = {5, -7, 300, -300};
	const uint64_t u[] = {5, UINT64_MAX};
	struct scan_args args = {.op = OP_MIN, .domain = DOMAIN_F64, .result = DTYPE_FLOAT64};
	struct error err = {0};
	uint64_t seed = 2, out_u[2];
	int64_t out_i[4];
	int16_t out_16[4];
	int8_t out_8[4];
	double out[6];

	(void)state;
	assert_int_equal(feed(&args, x, 6, 2, out, 1, &seed, NULL), STATUS_OK);
	assert_true(out[0] == 3.0 && signbit(out[1]) && signbit(out[2]) && signbit(out[3]));
	assert_true(same(out[4], NAN) && same(out[5], NAN));
	args.op = OP_MAX;
	args.omit = args.exclusive = true;
	assert_int_equal(feed(&args, x, 6, 2, out, 1, &seed, NULL), STATUS_OK);
	assert_true(out[0] == -INFINITY && out[1] == 3.0 && out[5] == 5.0);
	args.exclusive = false;
	assert_int_equal(feed(&args, x + 1, 2, 1, out, 1, &seed, NULL), STATUS_OK);
	assert_true(signbit(out[0]) && !signbit(out[1]));
	assert_int_equal(feed(&args, x + 4, 2, 1, out, 1, &seed, NULL), STATUS_OK);
	assert_true(out[0] == -INFINITY && out[1] == -INFINITY);

	args = (struct scan_args){.op = OP_MIN, .domain = DOMAIN_I64, .result = DTYPE_INT64};
	assert_int_equal(feed(&args, i, 4, 1, out_i, 1, &seed, NULL), STATUS_OK);
	assert_true(out_i[0] == 5 && out_i[1] == -7 && out_i[2] == -7 && out_i[3] == -300);
	args.exclusive = true;
	args.result = DTYPE_INT16;
	assert_int_equal(feed(&args, i, 4, 1, out_16, 1, &seed, NULL), STATUS_OK);
	assert_true(out_16[0] == INT16_MAX && out_16[1] == 5 && out_16[3] == -7);
	args.exclusive = false;
	args.result = DTYPE_INT8;
	assert_int_equal(feed(&args, i, 4, 1, out_8, 1, &seed, &err), STATUS_INTEGER_OVERFLOW);
	assert_int_equal(err.index, 3);
	args.result = DTYPE_FLOAT64;
	args.exclusive = true;
	assert_int_equal(feed(&args, i, 2, 1, out, 1, &seed, NULL), STATUS_OK);
	assert_true(out[0] == INFINITY && out[1] == 5.0);

	args = (struct scan_args){
		.op = OP_MAX, .domain = DOMAIN_U64, .result = DTYPE_UINT64, .exclusive = true};
	assert_int_equal(feed(&args, u, 2, 1, out_u, 1, &seed, NULL), STATUS_OK);
	assert_true(out_u[0] == 0 && out_u[1] == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordered_follow_the_oracle),
		cmocka_unit_test(strides_and_types),
		cmocka_unit_test(zeros_and_nothing),
		cmocka_unit_test(exact_prefixes),
		cmocka_unit_test(exact_ties_broken_far_below),
		cmocka_unit_test(integer_sums),
		cmocka_unit_test(one_rounding_to_halves),
		cmocka_unit_test(integer_products),
		cmocka_unit_test(extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
