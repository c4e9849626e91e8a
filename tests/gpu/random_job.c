#include "config.h"
#include "tests/gpu/random_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/cpu/harness.h"

static const char *const names[FAMILY_COUNT] = {
	"whole", "axes", "segments", "scan", "dot", "many", "none", "partial", "stream",
};

const char *family_name(enum family family)
{
	return names[family];
}

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return harness_random(seed) % n;
}

static bool one_in(uint64_t *seed, uint64_t n)
{
	return below(seed, n) == 0;
}

/* Lengths around every boundary of tiles, rows and warps, and all between. */
static uint64_t some_length(uint64_t *seed, uint64_t most)
{
	static const uint64_t edges[] = {0,    1,    2,    31,   32,    33,    63,    64,   127,
					 128,  129,  255,  256,  1023,  1024,  1025,  4095, 4096,
					 4097, 8191, 8192, 8193, 12289, 65537, 131073};
	uint64_t length;

	switch (below(seed, 3)) {
	case 0:
		length = edges[below(seed, sizeof(edges) / sizeof(edges[0]))];
		break;
	case 1:
		length = below(seed, 200);
		break;
	default:
		length = below(seed, 1ull << (1 + below(seed, 18)));
		break;
	}
	return length <= most ? length : length % (most + 1);
}

/* --- the array ---------------------------------------------------------------- */

static void some_shape(struct array_desc *desc, uint64_t *seed)
{
	uint64_t room = 1ull << (6 + below(seed, 11));

	desc->ndim = 1 + (unsigned)below(seed, 4);
	desc->fortran = one_in(seed, 3);
	for (unsigned i = 0; i < desc->ndim; i++) {
		uint64_t most = i + 1 < desc->ndim ? room : room + 1;

		desc->shape[i] = one_in(seed, 40) ? 0 : 1 + some_length(seed, most - 1);
		if (one_in(seed, 8))
			desc->shape[i] = 1;
		if (desc->shape[i] > 0)
			room /= desc->shape[i];
		room = room > 1 ? room : 1;
	}
}

static enum dtype some_dtype(uint64_t *seed)
{
	if (one_in(seed, 2))
		return (enum dtype)(DTYPE_FLOAT16 + below(seed, 4));
	return (enum dtype)below(seed, DTYPE_COUNT);
}

/* --- the job -------------------------------------------------------------------- */

static const char *some_op(uint64_t *seed, bool scan)
{
	static const char *const scans[] = {"sum", "prod", "min", "max", "logsumexp"};
	static const char *const all[] = {
		"sum", "prod",   "sumsq",  "mean",          "var",   "std",       "l1",
		"l2",  "linf",   "lp:2.5", "lp:3",          "lp:1",  "logsumexp", "min",
		"max", "argmin", "argmax", "count_nonzero", "count", "any",       "all"};

	return scan ? scans[below(seed, 5)] : all[below(seed, sizeof(all) / sizeof(all[0]))];
}

static void add_op(struct random_job *out, const char *text, uint64_t *seed)
{
	struct job *job = &out->job;
	struct job_op *op = &job->ops[job->op_count];

	for (unsigned i = 0; i < job->op_count; i++)
		if (strcmp(job->ops[i].spec.key, text) == 0)
			return;
	if (op_parse(text, &op->spec, NULL) != STATUS_OK)
		abort();
	if (job->determinism == DETERMINISM_EXACT &&
	    !op_has_exact(&op->spec, out->desc.dtype, job->kind == JOB_SCAN))
		return;
	if (one_in(seed, 5) && op_takes_out_dtype(op->spec.op)) {
		op->out_dtype = (enum dtype)(1 + below(seed, DTYPE_COUNT - 1));
		op->has_out_dtype = dtype_is_float(op->out_dtype) ||
				    !dtype_is_float(op_result_dtype(op->spec.op, out->desc.dtype));
	}
	job->op_count++;
}

static void some_ops(struct random_job *out, enum family family, uint64_t *seed)
{
	bool scan = family == FAMILY_SCAN;
	unsigned wanted = family == FAMILY_MANY ? 2 + (unsigned)below(seed, 8) : 1;

	if (family == FAMILY_DOT)
		add_op(out, "dot", seed);
	if (family == FAMILY_NONE) {
		static const char *const sums[] = {"sum", "mean", "sumsq", "l1", "l2"};

		for (unsigned i = 0; i < 1 + below(seed, 3); i++)
			add_op(out, sums[below(seed, 5)], seed);
		return;
	}
	if (family == FAMILY_DOT && (out->job.nan == NAN_OMIT || one_in(seed, 2)))
		return;
	for (unsigned tries = 0; tries < 20 * wanted && out->job.op_count < wanted; tries++)
		add_op(out, some_op(seed, scan), seed);
	if (out->job.op_count == 0)
		add_op(out, "max", seed);
}

static void some_axes(struct random_job *out, bool one, uint64_t *seed)
{
	struct job *job = &out->job;
	unsigned from = (unsigned)below(seed, 1u << out->desc.ndim);

	job->has_axis = true;
	if (one)
		from = 1u << below(seed, out->desc.ndim);
	for (unsigned i = 0; i < out->desc.ndim; i++)
		if ((from >> i & 1) != 0)
			job->axes[job->axis_count++] =
				one_in(seed, 3) ? (int64_t)i - out->desc.ndim : i;
	job->keepdims = job->kind == JOB_REDUCE && one_in(seed, 3);
}

static void some_segments(struct random_job *out, uint64_t *seed)
{
	struct job *job = &out->job;
	uint64_t most = 1ull << below(seed, 13);
	uint64_t longest = 1 + out->count * 2 / most;
	bool equal = one_in(seed, 3);

	job->has_segments = true;
	job->segment_count = 1 + below(seed, most);
	job->offsets = malloc((job->segment_count + 1) * sizeof(*job->offsets));
	if (job->offsets == NULL)
		abort();
	job->offsets[0] = 0;
	for (uint64_t i = 1; i <= job->segment_count; i++) {
		uint64_t left = out->count - (uint64_t)job->offsets[i - 1];
		uint64_t length = equal             ? out->count / job->segment_count
				  : one_in(seed, 5) ? 0
						    : below(seed, longest + 1);

		if (i == job->segment_count || length > left)
			length = left;
		job->offsets[i] = job->offsets[i - 1] + (int64_t)length;
	}
}

static void some_rules(struct random_job *out, uint64_t *seed)
{
	struct job *job = &out->job;

	job->nan = (enum nan_rule)(one_in(seed, 2) ? 0 : below(seed, 3));
	job->overflow = (enum overflow_rule)below(seed, 3);
	job->empty_null = one_in(seed, 2);
	job->ddof = one_in(seed, 3) ? below(seed, 4) : 0;
	job->index_base = !job->has_axis && !job->has_segments && one_in(seed, 4) ? 1000 : 0;
	job->exclusive = job->kind == JOB_SCAN && one_in(seed, 2);
}

/* Integers so small that every sum is exact in any order. */
static void small_integers(struct random_job *out, uint64_t *seed)
{
	static const uint16_t half[4] = {0x0000, 0x3c00, 0xc000, 0x4200};
	static const uint16_t bfloat[4] = {0x0000, 0x3f80, 0xc000, 0x4040};
	static const float value[4] = {0, 1, -2, 3};

	for (uint64_t i = 0; i < out->count; i++) {
		uint64_t pick = below(seed, 4);

		switch (out->desc.dtype) {
		case DTYPE_FLOAT16:
			((uint16_t *)out->x)[i] = half[pick];
			break;
		case DTYPE_BFLOAT16:
			((uint16_t *)out->x)[i] = bfloat[pick];
			break;
		case DTYPE_FLOAT32:
			((float *)out->x)[i] = value[pick];
			break;
		default:
			((double *)out->x)[i] = (double)value[pick];
			break;
		}
	}
}

static void describe(struct random_job *out, enum family family, uint64_t seed)
{
	const struct job *job = &out->job;
	int used = snprintf(out->text, sizeof(out->text), "%s %llu: %s", names[family],
			    (unsigned long long)seed, dtype_name(out->desc.dtype));

	for (unsigned i = 0; i < out->desc.ndim; i++)
		used += snprintf(out->text + used, sizeof(out->text) - (size_t)used, "%s%lld",
				 i == 0 ? " (" : ",", (long long)out->desc.shape[i]);
	used += snprintf(out->text + used, sizeof(out->text) - (size_t)used,
			 ")%s, %u op %s, promise %d, nan %d, segments %llu, axes",
			 out->desc.fortran ? "F" : "", job->op_count, job->ops[0].spec.key,
			 (int)job->determinism, (int)job->nan,
			 (unsigned long long)(job->has_segments ? job->segment_count : 0));
	for (unsigned i = 0; i < job->axis_count && used + 8 < (int)sizeof(out->text); i++)
		used += snprintf(out->text + used, sizeof(out->text) - (size_t)used, " %d",
				 (int)job->axes[i]);
}

void random_job_make(struct random_job *out, enum family family, uint64_t number)
{
	uint64_t seed = number * FAMILY_COUNT + family + 1;
	struct job *job = &out->job;
	enum harness_data kind;

	*out = (struct random_job){.job.kind = family == FAMILY_SCAN ? JOB_SCAN : JOB_REDUCE};
	harness_random(&seed);
	out->desc.dtype = some_dtype(&seed);
	if (family == FAMILY_NONE)
		out->desc.dtype = (enum dtype)(DTYPE_FLOAT16 + below(&seed, 4));
	job->determinism = one_in(&seed, 3) ? DETERMINISM_EXACT : DETERMINISM_ORDERED;
	if (family == FAMILY_NONE)
		job->determinism = DETERMINISM_NONE;
	if (family == FAMILY_PARTIAL)
		job->determinism = DETERMINISM_EXACT;
	job->partial = family == FAMILY_PARTIAL;

	if (family == FAMILY_AXES || (family != FAMILY_NONE && family != FAMILY_STREAM &&
				      family != FAMILY_PARTIAL && one_in(&seed, 3))) {
		some_shape(&out->desc, &seed);
	} else {
		out->desc.ndim = 1;
		out->desc.shape[0] = some_length(&seed, 1u << 18);
	}
	array_count(&out->desc, &out->count, NULL);
	if (family == FAMILY_AXES)
		some_axes(out, one_in(&seed, 2), &seed);
	else if (family == FAMILY_SEGMENTS || (family == FAMILY_SCAN && one_in(&seed, 3)) ||
		 ((family == FAMILY_MANY || family == FAMILY_STREAM) && one_in(&seed, 4)))
		some_segments(out, &seed);
	else if ((family == FAMILY_SCAN || family == FAMILY_DOT || family == FAMILY_MANY) &&
		 one_in(&seed, 2))
		some_axes(out, family == FAMILY_SCAN, &seed);
	some_rules(out, &seed);
	some_ops(out, family, &seed);

	kind = (enum harness_data)below(&seed, DATA_KINDS);
	out->x = harness_data(out->desc.dtype, out->count, kind, number);
	if (family == FAMILY_NONE)
		small_integers(out, &seed);
	if (family == FAMILY_DOT)
		out->y = harness_data(out->desc.dtype, out->count, kind, number + 1);
	out->pieces = one_in(&seed, 2) || family == FAMILY_STREAM ? 1 + below(&seed, 1000) : 0;
	describe(out, family, number);
	if (family == FAMILY_STREAM)
		out->desc.shape[0] = ARRAY_UNKNOWN;
}

void random_job_deinit(struct random_job *job)
{
	free(job->job.offsets);
	free(job->x);
	free(job->y);
}
