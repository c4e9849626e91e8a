/* scan_ordered_body.h - the scan's order (docs/orders.md), for one type of
 * value. Included by scan_ordered.c with
 *   VALUE     the type of a partial result
 *   NAME(n)   n with the operation's prefix
 * after it defined
 *   NAME(identity)(), NAME(of)(x), NAME(join)(left, right): VALUE
 *   NAME(finish)(value): double, and NAME(nothing): the exclusive identity. */

/* The inclusive Kogge-Stone prefix over 32 values: step d joins each with the
 * one d before it, d = 1, 2, 4, 8, 16. Value by value, step d needs the last d
 * values before that step: ring[d-1 .. 2d-2]. */
struct NAME(ring) {
	VALUE slot[SCAN_LANES - 1];
};

static VALUE NAME(ring_push)(struct NAME(ring) * ring, unsigned index, VALUE value)
{
	for (unsigned d = 1; d < SCAN_LANES; d *= 2) {
		VALUE *slot = &ring->slot[d - 1 + index % d];
		VALUE before = *slot;

		*slot = value;
		if (index >= d)
			value = NAME(join)(before, value);
	}
	return value;
}

struct NAME(state) {
	uint64_t position; /* elements of the line so far */
	uint64_t any;      /* some element took part */
	VALUE run;         /* prefix within the open lane */
	VALUE lane;        /* of the open lane's elements */
	VALUE before;      /* of the row's lanes before it */
	VALUE rows;        /* of the tile's rows before it */
	VALUE tiles;       /* of the line's tiles before it */
	VALUE groups;      /* of the line's groups of tiles before it */
	struct NAME(ring) lane_ring, tile_ring;
};

static void NAME(init)(void *state)
{
	struct NAME(state) *s = state;
	const VALUE identity = NAME(identity)();

	memset(s, 0, sizeof(*s));
	s->run = s->lane = s->before = s->rows = s->tiles = s->groups = identity;
}

static void NAME(end_tile)(struct NAME(state) * s)
{
	unsigned tile = (unsigned)((s->position / SCAN_TILE - 1) % SCAN_LANES);
	VALUE sum = NAME(join)(s->groups, NAME(ring_push)(&s->tile_ring, tile, s->rows));

	s->tiles = sum;
	if (tile == SCAN_LANES - 1)
		s->groups = sum;
	s->rows = NAME(identity)();
}

static void NAME(end_lane)(struct NAME(state) * s)
{
	unsigned lane = (unsigned)((s->position / SCAN_VECTOR - 1) % SCAN_LANES);

	s->before = NAME(ring_push)(&s->lane_ring, lane, s->lane);
	if (lane < SCAN_LANES - 1)
		return;
	s->rows = NAME(join)(s->rows, s->before);
	s->before = NAME(identity)();
	if (s->position % SCAN_TILE == 0)
		NAME(end_tile)(s);
}

/* One element: what its prefix is, as a double. */
static inline double NAME(step)(struct NAME(state) * s, const struct scan_args *args, double x)
{
	double exclusive;

	if (s->position % SCAN_VECTOR == 0) {
		s->run = NAME(join)(s->tiles, NAME(join)(s->rows, s->before));
		s->lane = NAME(identity)();
	}
	exclusive = args->exclusive && s->any ? NAME(finish)(s->run) : NAME(nothing);
	if (!(args->omit && x != x)) {
		s->run = NAME(join)(s->run, NAME(of)(x));
		s->lane = NAME(join)(s->lane, NAME(of)(x));
		s->any = true;
	}
	s->position++;
	if (s->position % SCAN_VECTOR == 0)
		NAME(end_lane)(s);
	if (args->exclusive || !s->any)
		return exclusive;
	return NAME(finish)(s->run);
}

/* A whole row at once; something took part before it. */
static void NAME(row)(struct NAME(state) * s, const struct scan_args *args, const double *x,
		      double *out)
{
	const VALUE identity = NAME(identity)();
	VALUE term[SCAN_ROW], sum[SCAN_LANES];

	for (unsigned i = 0; i < SCAN_ROW; i++)
		term[i] = args->omit && x[i] != x[i] ? identity : NAME(of)(x[i]);
	for (unsigned j = 0; j < SCAN_LANES; j++) {
		sum[j] = term[j * SCAN_VECTOR];
		for (unsigned k = 1; k < SCAN_VECTOR; k++)
			sum[j] = NAME(join)(sum[j], term[j * SCAN_VECTOR + k]);
	}
	for (unsigned d = 1; d < SCAN_LANES; d *= 2)
		for (unsigned j = SCAN_LANES - 1; j >= d; j--)
			sum[j] = NAME(join)(sum[j - d], sum[j]);

	for (unsigned j = 0; j < SCAN_LANES; j++) {
		VALUE run = NAME(join)(s->rows, j > 0 ? sum[j - 1] : identity);

		run = NAME(join)(s->tiles, run);
		for (unsigned i = j * SCAN_VECTOR; i < (j + 1) * SCAN_VECTOR; i++) {
			VALUE next = NAME(join)(run, term[i]);

			out[i] = NAME(finish)(args->exclusive ? run : next);
			run = next;
		}
	}
	s->rows = NAME(join)(s->rows, sum[SCAN_LANES - 1]);
	s->position += SCAN_ROW;
	if (s->position % SCAN_TILE == 0)
		NAME(end_tile)(s);
}

static enum status NAME(feed)(void *state, const struct scan_args *args, const void *x,
			      uint64_t count, void *out, uint64_t out_stride, struct error *err)
{
	struct NAME(state) *s = state;
	const double *element = x;
	uint64_t i = 0;

	(void)err;
	while (i < count) {
		double prefix[SCAN_ROW];
		uint64_t step = 1;

		if (s->position % SCAN_ROW == 0 && count - i >= SCAN_ROW && s->any) {
			NAME(row)(s, args, element + i, prefix);
			step = SCAN_ROW;
		} else {
			prefix[0] = NAME(step)(s, args, element[i]);
		}
		for (uint64_t k = 0; k < step; k++)
			scan_store_f64(prefix[k], args->result,
				       scan_slot(out, out_stride, i + k, args->result));
		i += step;
	}
	return STATUS_OK;
}

const struct scan_way NAME(way) = {
	.size = sizeof(struct NAME(state)),
	.init = NAME(init),
	.feed = NAME(feed),
};
