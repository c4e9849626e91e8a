/* scan_extreme.c - running minima and maxima: -0 < +0, and a NaN that takes part
 * stays from its place on. Where nothing came before, an exclusive prefix is
 * the greatest (least) value of the result's type. */
#include "config.h"

#include "cpu/scan_store.h"
#include "cpu/scan_ways.h"
#include "engine/elementary.h"

#define SCAN_INFINITY (0x1p+1023 * 2.0)

struct state {
	union {
		double f;
		int64_t i;
		uint64_t u;
	} value;
	uint64_t any;
	uint64_t position;
};

static void init(void *state)
{
	*(struct state *)state = (struct state){.any = 0};
}

/* Whether x comes before the extreme: smaller for a minimum. */
static bool f64_wins(double x, double extreme, bool max)
{
	bool x_negative = elementary_bits(x) >> 63, negative = elementary_bits(extreme) >> 63;

	if (extreme != extreme)
		return false;
	if (x != x)
		return true;
	if (x == 0.0 && extreme == 0.0)
		return max ? negative && !x_negative : x_negative && !negative;
	return max ? x > extreme : x < extreme;
}

static enum status f64_feed(void *state, const struct scan_args *args, const void *x,
			    uint64_t count, void *out, uint64_t out_stride, struct error *err)
{
	struct state *s = state;
	bool max = args->op == OP_MAX;
	const double nothing = max ? -SCAN_INFINITY : SCAN_INFINITY;

	(void)err;
	for (uint64_t i = 0; i < count; i++) {
		double element = ((const double *)x)[i];
		void *slot = scan_slot(out, out_stride, i, args->result);

		if (args->exclusive)
			scan_store_f64(s->any ? s->value.f : nothing, args->result, slot);
		if (!(args->omit && element != element) &&
		    (!s->any || f64_wins(element, s->value.f, max))) {
			s->value.f = element;
			s->any = true;
		}
		if (!args->exclusive)
			scan_store_f64(s->any ? s->value.f : nothing, args->result, slot);
	}
	return STATUS_OK;
}

static enum status store_int(struct state *s, __int128 value, const struct scan_args *args,
			     const struct integer_range *range, void *slot, struct error *err)
{
	bool max = args->op == OP_MAX;

	if (dtype_is_float(args->result)) {
		if (s->any)
			scan_store_rounded(value, args->result, slot);
		else
			scan_store_f64(max ? -SCAN_INFINITY : SCAN_INFINITY, args->result, slot);
		return STATUS_OK;
	}
	if (!s->any)
		value = max ? range->least : range->greatest;
	if (!scan_store_integer(value, args, range, slot))
		return scan_overflow(args, s->position, "", err);
	return STATUS_OK;
}

/* An element, and the extreme so far, as a wide integer. */
static inline __int128 wide(uint64_t bits, bool is_signed)
{
	return is_signed ? (__int128)(int64_t)bits : (__int128)bits;
}

static inline __attribute__((always_inline)) enum status
int_feed(struct state *s, const struct scan_args *args, const uint64_t *x, uint64_t count,
	 void *out, uint64_t out_stride, bool is_signed, struct error *err)
{
	const struct integer_range range = integer_range_of(args->result);
	bool max = args->op == OP_MAX;

	for (uint64_t i = 0; i < count; i++) {
		void *slot = scan_slot(out, out_stride, i, args->result);
		__int128 element = wide(x[i], is_signed), before = wide(s->value.u, is_signed);
		enum status status = STATUS_OK;

		if (args->exclusive)
			status = store_int(s, before, args, &range, slot, err);
		if (!s->any || (max ? element > before : element < before))
			s->value.u = x[i];
		s->any = true;
		if (!args->exclusive)
			status = store_int(s, wide(s->value.u, is_signed), args, &range, slot, err);
		if (status != STATUS_OK)
			return status;
		s->position++;
	}
	return STATUS_OK;
}

static enum status i64_feed(void *state, const struct scan_args *args, const void *x,
			    uint64_t count, void *out, uint64_t out_stride, struct error *err)
{
	return int_feed(state, args, x, count, out, out_stride, true, err);
}

static enum status u64_feed(void *state, const struct scan_args *args, const void *x,
			    uint64_t count, void *out, uint64_t out_stride, struct error *err)
{
	return int_feed(state, args, x, count, out, out_stride, false, err);
}

const struct scan_way scan_f64_extreme_way = {sizeof(struct state), init, f64_feed};
const struct scan_way scan_i64_extreme_way = {sizeof(struct state), init, i64_feed};
const struct scan_way scan_u64_extreme_way = {sizeof(struct state), init, u64_feed};
