#include "config.h"
#include "cpu/kernels/exact_sum.h"

#include "cpu/kernels/exact_flags.h"
#include "cpu/kernels/exact_range.h"
#include "cpu/kernels/exact_ways.h"
#include "engine/elementary.h"

/* Tiles until a narrower way is looked for again, which costs about half of what
 * a tile does: at most. Narrow tiles in a row after which a wider one is taken for
 * an exception. Chosen. */
#define LONGEST_HOLD 63u
#define PASSING 8u

/* Elements from which the table pays: below, beginning and ending it cost more
 * than the small accumulator's elements do (measured). */
#define TABLE_PAYS 4096u

/* Fewer elements than this are added to the sum one by one: bins cost as much to
 * begin and to end (measured). */
#define FEW 6u

static void begin(struct exact_sum_work *work)
{
	work->small_open = false;
	work->way = EXACT_NARROW;
	work->hold = work->patience = work->since = 0;
	work->bins.count = 0;
	exactsum_init(&work->sum);
	exact_table_init(&work->table);
}

void exact_sum_init(struct exact_sum_work *work)
{
	work->trust = exact_flags_work();
	begin(work);
}

/* A tile and what its kind needs. */
struct elements {
	struct exact_input in;
	const struct exact_ways *ways;
	bool single, magnitude;
};

static struct exact_range range_of(const struct elements *e)
{
	return e->single ? exact_range_f32(e->in.x, e->in.count)
			 : exact_range_f64(e->in.x, e->in.count);
}

static void add_small(struct exact_sum_work *work, const struct elements *e)
{
	if (!work->small_open)
		exact_small_init(&work->small);
	work->small_open = true;
	if (e->single)
		exact_small_add_f32(&work->small, e->in.x, e->in.count, e->magnitude);
	else
		exact_small_add(&work->small, e->in.x, e->in.count, e->magnitude);
}

static void end_small(struct exact_sum_work *work)
{
	if (work->small_open)
		exact_small_end(&work->small, &work->sum);
	work->small_open = false;
}

static void add_many(struct exact_sum_work *work, const struct elements *e)
{
	if (!work->table.open && e->in.count < TABLE_PAYS)
		add_small(work, e);
	else if (e->single)
		exact_table_add_f32(&work->table, e->in.x, e->in.count, e->magnitude, &work->sum);
	else
		exact_table_add(&work->table, e->in.x, e->in.count, e->magnitude, &work->sum);
}

/* Bins for exponents far apart: only worth looking for with more to come. */
static bool add_scattered(struct exact_sum_work *work, const struct elements *e)
{
	int q[EXACT_BINS_MAX], count;

	if (e->in.count < TABLE_PAYS)
		return false;
	count = e->single ? exact_range_plan_f32(e->in.x, e->in.count, EXACT_WAYS_BINS, q)
			  : exact_range_plan_f64(e->in.x, e->in.count, EXACT_WAYS_BINS, q);
	if (count == 0)
		return false;
	exact_bins_empty(&work->bins, &work->sum);
	exact_bins_open_at(&work->bins, count, q);
	return e->ways->bins(&work->bins, &e->in, &work->sum);
}

/* How long to stay in a wider way: the longer, the sooner the narrow one has failed
 * again; one tile in many is no reason to stay at all. */
static void hold(struct exact_sum_work *work)
{
	if (work->since >= PASSING)
		work->patience = 0;
	else if (work->patience < LONGEST_HOLD)
		work->patience = 2 * work->patience + 1;
	work->hold = work->patience;
	work->since = 0;
}

/* The narrowest way that the tile's exponents allow, and the next tiles' too.
 * tried: the narrow way with the bins as they are has just failed. */
static void choose(struct exact_sum_work *work, const struct elements *e, bool tried)
{
	struct exact_range range = range_of(e);
	int count = exact_range_bins(&range);

	if (!range.finite) {
		add_small(work, e);
		end_small(work); /* its flags may decide for good */
		return;
	}
	work->way = EXACT_NARROW;
	if (e->ways->fits(range.top, range.bottom)) {
		/* Bins that lie well are kept. */
		if (!tried && e->ways->narrow(&work->bins, &e->in, &work->sum))
			return;
		if (exact_ways_reopen(&work->bins, 2, range.top, &work->sum) &&
		    e->ways->narrow(&work->bins, &e->in, &work->sum))
			return;
	}
	hold(work);
	work->way = EXACT_BINS;
	if (count < 2)
		count = 2;
	if (count <= EXACT_WAYS_BINS) {
		if (exact_ways_reopen(&work->bins, count, range.top, &work->sum) &&
		    e->ways->bins(&work->bins, &e->in, &work->sum))
			return;
	} else if (add_scattered(work, e)) {
		return;
	}
	work->way = EXACT_MANY;
	add_many(work, e);
}

static void add_finite_or_not(struct exact_sum_work *work, const struct elements *e)
{
	bool tried = work->way == EXACT_NARROW;

	if (!tried) {
		if (work->hold > 0) {
			work->hold--;
			if (work->way == EXACT_MANY) {
				add_many(work, e);
				return;
			}
			if (e->ways->bins(&work->bins, &e->in, &work->sum))
				return;
		}
	} else if (e->ways->narrow(&work->bins, &e->in, &work->sum)) {
		work->since++;
		return;
	}
	choose(work, e, tried);
}

static double value_of(const struct elements *e, uint64_t i)
{
	double value =
		e->single ? (double)((const float *)e->in.x)[i] : ((const double *)e->in.x)[i];

	return e->magnitude ? elementary_abs(value) : value;
}

/* A zero sum's sign depends on whether there is any term but -0. */
static bool other_than_minus_zero(const struct elements *e)
{
	if (e->magnitude)
		return true;
	for (uint64_t i = 0; i < e->in.count; i++)
		if (elementary_bits(value_of(e, i)) != (uint64_t)1 << 63)
			return true;
	return false;
}

static void add_few(struct exactsum *sum, const struct elements *e)
{
	for (uint64_t i = 0; i < e->in.count; i++)
		exactsum_add(sum, value_of(e, i));
}

static void add(struct exact_sum_work *work, const void *x, uint64_t count, bool single,
		bool magnitude)
{
	struct exactsum *sum = &work->sum;
	struct elements e = {
		.in = {x, NULL, count, single ? sizeof(float) : sizeof(double)},
		.single = single,
		.magnitude = magnitude,
	};
	unsigned before;

	/* NaN for good? */
	if (sum->nan || (sum->pos_inf && sum->neg_inf))
		return;
	before = exact_flags_begin();
	if (count < FEW) {
		add_few(sum, &e);
	} else {
		if (!sum->other) {
			sum->other = other_than_minus_zero(&e);
			sum->neg_zero |= !sum->other;
		}
		e.ways = &(work->trust ? exact_ways_flagged : exact_ways_plain)[single][magnitude];
		add_finite_or_not(work, &e);
	}
	exact_flags_end(before);
}

void exact_sum_add_f64(struct exact_sum_work *work, const double *x, uint64_t count, bool magnitude)
{
	add(work, x, count, false, magnitude);
}

void exact_sum_add_f32(struct exact_sum_work *work, const float *x, uint64_t count, bool magnitude)
{
	add(work, x, count, true, magnitude);
}

void exact_sum_end(struct exact_sum_work *work, struct exactsum *sum)
{
	exact_bins_empty(&work->bins, sum);
	end_small(work);
	exact_table_end(&work->table, &work->sum);
	exactsum_merge(sum, &work->sum);
	begin(work);
}
