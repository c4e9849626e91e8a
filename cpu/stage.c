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

enum status stage_init(struct stage *stage, const struct plan *plan, struct error *err)
{
	enum status status = STATUS_OK;

	*stage = (struct stage){{NULL}, {NULL}};
	if (dtype_is_float(plan->input.dtype)) /* NaNs are looked for in it */
		status = allocate(stage, plan, DOMAIN_F64, err);
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
}

static uint64_t count_nan_pairs(const double *x, const double *y, uint64_t count)
{
	uint64_t nans = 0;

	for (uint64_t i = 0; i < count; i++)
		nans += isnan(x[i]) || isnan(y[i]);
	return nans;
}

void stage_fill(const struct stage *stage, const struct plan *plan, const void *x, const void *y,
		uint64_t count, struct staged *out)
{
	enum dtype dtype = plan->input.dtype;
	enum domain own = dtype_domain(dtype);

	*out = (struct staged){.count = count};
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
	if (!dtype_is_float(dtype))
		return;
	out->nans = y != NULL ? count_nan_pairs(out->x[DOMAIN_F64], out->y[DOMAIN_F64], count)
			      : simd_kernels()->count_nans(out->x[DOMAIN_F64], count);
}

uint64_t stage_next_nan(const struct staged *staged, uint64_t from)
{
	const double *x = staged->x[DOMAIN_F64];
	const double *y = staged->y[DOMAIN_F64];

	while (from < staged->count && !isnan(x[from]) && (y == NULL || !isnan(y[from])))
		from++;
	return from;
}
