#include "config.h"
#include "cpu/scan.h"

#include <assert.h>
#include "cpu/scan_ways.h"

static const struct scan_way *float_way(const struct scan_args *args)
{
	switch (args->op) {
	case OP_SUM:
		return args->exact ? &scan_exact_way : &scan_sum_way;
	case OP_PROD:
		return &scan_prod_way;
	case OP_LOGSUMEXP:
		return &scan_logsum_way;
	default:
		assert(args->op == OP_MIN || args->op == OP_MAX);
		return &scan_f64_extreme_way;
	}
}

static const struct scan_way *way_of(const struct scan_args *args)
{
	bool is_signed = args->domain == DOMAIN_I64;

	if (args->domain == DOMAIN_F64)
		return float_way(args);
	switch (args->op) {
	case OP_SUM:
		return is_signed ? &scan_i64_sum_way : &scan_u64_sum_way;
	case OP_PROD:
		return is_signed ? &scan_i64_prod_way : &scan_u64_prod_way;
	default:
		assert(args->op == OP_MIN || args->op == OP_MAX);
		return is_signed ? &scan_i64_extreme_way : &scan_u64_extreme_way;
	}
}

size_t scan_state_size(const struct scan_args *args)
{
	return way_of(args)->size;
}

void scan_init(void *state, const struct scan_args *args)
{
	way_of(args)->init(state);
}

enum status scan_feed(void *state, const struct scan_args *args, const void *x, uint64_t count,
		      void *out, uint64_t out_stride, struct error *err)
{
	return way_of(args)->feed(state, args, x, count, out, out_stride, err);
}
