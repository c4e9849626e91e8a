/* scan_exact.c - prefix sums of floats, each rounded once: in a window while all
 * fits one, else as a wide integer. */
#include "config.h"

#include "cpu/scan_store.h"
#include "cpu/scan_ways.h"
#include "cpu/scan_wide.h"
#include "cpu/scan_window.h"
#include "engine/elementary.h"

#define SCAN_INFINITY (0x1p+1023 * 2.0)

/* The finite part is in the window or in the wide sum. */
struct state {
	struct scan_wide wide;
	struct scan_window window;
	uint64_t windowed;
	uint64_t any, nan, pos_inf, neg_inf;
	uint64_t not_minus_zero; /* some term was no -0 */
};

static void init(void *state)
{
	struct state *s = state;

	*s = (struct state){.any = false};
	scan_wide_init(&s->wide);
}

static void add(struct state *s, double x)
{
	s->any = true;
	if (x != x)
		s->nan = true;
	else if (x == SCAN_INFINITY)
		s->pos_inf = true;
	else if (x == -SCAN_INFINITY)
		s->neg_inf = true;
	else if (!s->nan)
		scan_wide_add(&s->wide, x);
	if (elementary_bits(x) != 0x8000000000000000u)
		s->not_minus_zero = true;
}

static double prefix_of(const struct state *s, bool odd)
{
	double value;

	if (s->nan || (s->pos_inf && s->neg_inf))
		return elementary_from_bits(0x7ff8000000000000u);
	if (s->pos_inf || s->neg_inf)
		return s->pos_inf ? SCAN_INFINITY : -SCAN_INFINITY;
	value = scan_wide_value(&s->wide, odd);
	return value == 0 && s->any && !s->not_minus_zero ? -0.0 : value;
}

static void run_wide(struct state *s, const struct scan_args *args, const double *x, uint64_t count,
		     char *out, uint64_t step)
{
	bool odd = args->result != DTYPE_FLOAT64;

	for (uint64_t i = 0; i < count; i++, out += step) {
		if (args->exclusive)
			scan_store_f64(prefix_of(s, odd), args->result, out);
		if (!(args->omit && x[i] != x[i]))
			add(s, x[i]);
		if (!args->exclusive)
			scan_store_f64(prefix_of(s, odd), args->result, out);
	}
}

/* A window for the sum and count elements, if there is one. A bit b of the wide
 * sum begins the mantissas of field b + 1. */
static bool to_window(struct state *s, const struct scan_args *args, const double *x,
		      uint64_t count)
{
	struct scan_span span = {.any = false};
	int field;

	if (!s->not_minus_zero || s->nan || s->pos_inf || s->neg_inf)
		return false;
	if (s->windowed) {
		scan_window_span(&s->window, &span);
	} else {
		span.any = scan_wide_span(&s->wide, &span.lowest, &span.highest);
		span.lowest++;
		span.highest++;
	}
	field = scan_window_place(&span, x, count, args->omit);
	if (field == 0)
		return false;
	if (!span.any)
		scan_window_set(&s->window, 0, field);
	else if (s->windowed)
		scan_window_move(&s->window, field);
	else
		scan_window_set(&s->window, scan_wide_get(&s->wide, field - 1), field);
	s->windowed = true;
	return true;
}

static void to_wide(struct state *s)
{
	if (s->windowed)
		scan_wide_set(&s->wide, scan_window_value(&s->window), (int)s->window.field - 1);
	s->windowed = false;
}

static enum status feed(void *state, const struct scan_args *args, const void *x, uint64_t count,
			void *out, uint64_t out_stride, struct error *err)
{
	uint64_t step = out_stride * dtype_size(args->result), at = 0;
	struct state *s = state;
	const double *next = x;

	(void)err;
	while (at < count) {
		uint64_t block;

		if (s->windowed)
			at += scan_window_run(&s->window, args, next + at, count - at,
					      (char *)out + at * step, step);
		if (at == count)
			break;
		block = count - at < SCAN_WINDOW_BLOCK ? count - at : SCAN_WINDOW_BLOCK;
		if (to_window(s, args, next + at, block))
			continue; /* which takes the block at least */
		to_wide(s);
		run_wide(s, args, next + at, block, (char *)out + at * step, step);
		at += block;
	}
	return STATUS_OK;
}

const struct scan_way scan_exact_way = {sizeof(struct state), init, feed};
