#include "config.h"
#include "cpu/stage.h"

#include <math.h>
#include <stdlib.h>
#include "cpu/simd.h"
#include "engine/order.h"

static bool needs_copy(enum dtype dtype, enum domain domain)
{
	switch (domain) {
	case DOMAIN_F64:
		return dtype != DTYPE_FLOAT64;
	case DOMAIN_I64:
		return dtype != DTYPE_INT64;
	case DOMAIN_U64:
		break;
	}
	return dtype != DTYPE_UINT64;
}

static bool is_half(enum dtype dtype)
{
	return dtype == DTYPE_FLOAT16 || dtype == DTYPE_BFLOAT16;
}

static enum status allocate(struct stage *stage, const struct plan *plan, enum domain domain,
			    struct error *err)
{
	if (!needs_copy(plan->input.dtype, domain) || stage->x[domain] != NULL)
		return STATUS_OK;
	stage->x[domain] = malloc(ORDER_TILE * sizeof(double));
	if (plan->pair)
		stage->y[domain] = malloc(ORDER_TILE * sizeof(double));
	if (stage->x[domain] == NULL || (plan->pair && stage->y[domain] == NULL))
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a tile");
	return STATUS_OK;
}

static enum status allocate_f32(struct stage *stage, const struct plan *plan, struct error *err)
{
	if (!is_half(plan->input.dtype))
		return STATUS_OK;
	stage->x_f32 = malloc(ORDER_TILE * sizeof(float));
	if (plan->pair)
		stage->y_f32 = malloc(ORDER_TILE * sizeof(float));
	if (stage->x_f32 == NULL || (plan->pair && stage->y_f32 == NULL))
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a tile");
	return STATUS_OK;
}

enum status stage_init(struct stage *stage, const struct plan *plan, struct error *err)
{
	enum status status;

	*stage = (struct stage){{NULL}, {NULL}, NULL, NULL};
	status = allocate_f32(stage, plan, err);
	for (unsigned i = 0; i < plan->accum_count && status == STATUS_OK; i++)
		status = allocate(stage, plan, plan->accums[i].domain, err);
	if (status != STATUS_OK)
		stage_deinit(stage);
	return status;
}

void stage_deinit(struct stage *stage)
{
	for (unsigned i = 0; i < STAGE_DOMAINS; i++) {
		free(stage->x[i]);
		free(stage->y[i]);
		stage->x[i] = stage->y[i] = NULL;
	}
	free(stage->x_f32);
	free(stage->y_f32);
	stage->x_f32 = stage->y_f32 = NULL;
}

static uint64_t count_nan_pairs(const struct staged *staged)
{
	uint64_t nans = 0;

	for (uint64_t i = stage_next_nan(staged, 0); i < staged->count;
	     i = stage_next_nan(staged, i + 1))
		nans++;
	return nans;
}

static void view_floats(const struct stage *stage, enum dtype dtype, const void *x, const void *y,
			struct staged *out)
{
	const struct kernels *kernels = simd_kernels();

	if (dtype == DTYPE_FLOAT64) {
		out->x[DOMAIN_F64] = x;
		out->y[DOMAIN_F64] = y;
	} else if (dtype == DTYPE_FLOAT32) {
		out->x_f32 = x;
		out->y_f32 = y;
	} else {
		kernels->widen_f32(dtype, x, out->count, stage->x_f32);
		out->x_f32 = stage->x_f32;
		if (y == NULL)
			return;
		kernels->widen_f32(dtype, y, out->count, stage->y_f32);
		out->y_f32 = stage->y_f32;
	}
}

static uint64_t nans_of(const struct staged *staged)
{
	if (staged->y[DOMAIN_F64] != NULL || staged->y_f32 != NULL)
		return count_nan_pairs(staged);
	if (staged->x_f32 != NULL)
		return simd_kernels()->count_nans_f32(staged->x_f32, staged->count);
	return simd_kernels()->count_nans(staged->x[DOMAIN_F64], staged->count);
}

void stage_view(const struct stage *stage, const struct plan *plan, const void *x, const void *y,
		uint64_t count, struct staged *out)
{
	enum dtype dtype = plan->input.dtype;
	enum domain own = dtype_domain(dtype);

	*out = (struct staged){.count = count};
	if (dtype_is_float(dtype)) {
		view_floats(stage, dtype, x, y, out);
		if (plan->job->nan != NAN_PROPAGATE)
			out->nans = nans_of(out);
		return;
	}
	out->x[own] = x;
	out->y[own] = y;
	for (unsigned i = 0; i < STAGE_DOMAINS; i++) {
		if (stage->x[i] != NULL) {
			simd_kernels()->widen(dtype, x, count, (enum domain)i, stage->x[i]);
			out->x[i] = stage->x[i];
		}
		if (stage->y[i] != NULL) {
			simd_kernels()->widen(dtype, y, count, (enum domain)i, stage->y[i]);
			out->y[i] = stage->y[i];
		}
	}
}

void stage_widen(const struct stage *stage, struct staged *staged)
{
	const struct kernels *kernels = simd_kernels();

	if (staged->x_f32 == NULL || stage->x[DOMAIN_F64] == NULL)
		return; /* they are binary64, or nothing reads them */
	kernels->widen(DTYPE_FLOAT32, staged->x_f32, staged->count, DOMAIN_F64,
		       stage->x[DOMAIN_F64]);
	staged->x[DOMAIN_F64] = stage->x[DOMAIN_F64];
	if (staged->y_f32 == NULL)
		return;
	kernels->widen(DTYPE_FLOAT32, staged->y_f32, staged->count, DOMAIN_F64,
		       stage->y[DOMAIN_F64]);
	staged->y[DOMAIN_F64] = stage->y[DOMAIN_F64];
}

void stage_fill(const struct stage *stage, const struct plan *plan, const void *x, const void *y,
		uint64_t count, struct staged *out)
{
	stage_view(stage, plan, x, y, count, out);
	stage_widen(stage, out);
}

uint64_t stage_next_nan(const struct staged *staged, uint64_t from)
{
	if (staged->x_f32 != NULL) {
		const float *x = staged->x_f32, *y = staged->y_f32;

		while (from < staged->count && !isnan(x[from]) && (y == NULL || !isnan(y[from])))
			from++;
	} else {
		const double *x = staged->x[DOMAIN_F64], *y = staged->y[DOMAIN_F64];

		while (from < staged->count && !isnan(x[from]) && (y == NULL || !isnan(y[from])))
			from++;
	}
	return from;
}
