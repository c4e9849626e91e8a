#include "config.h"
#include "cpu/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "engine/elementary.h"
#include "engine/order.h"

/* Any accumulator's value; the fields in accum.h's order. */
struct value {
	double a, b, c;
};

static struct value identity_of(enum accum accum)
{
	switch (accum) {
	case ACCUM_PROD:
		return (struct value){1.0, 0.0, 0.0};
	case ACCUM_MOMENTS:
		return (struct value){0.0, 0.0, 0.0};
	case ACCUM_LOGSUM:
		return (struct value){-INFINITY, 0.0, 0.0};
	default:
		return (struct value){-0.0, -0.0, -0.0};
	}
}

static struct value merge_moments(struct value l, struct value r)
{
	double n = l.a + r.a, delta = r.b - l.b, weight = r.a / n;

	if (r.a == 0.0)
		return l;
	if (l.a == 0.0)
		return r;
	return (struct value){n, l.b + delta * weight,
			      (l.c + r.c) + (delta * delta) * (l.a * weight)};
}

static struct value merge_logsum(struct value l, struct value r)
{
	if (isnan(l.a))
		return l;
	if (isnan(r.a))
		return r;
	if (l.a == r.a)
		return (struct value){l.a, l.b + r.b, 0.0};
	if (r.a < l.a)
		return (struct value){l.a, l.b + r.b * elementary_exp(r.a - l.a), 0.0};
	return (struct value){r.a, l.b * elementary_exp(l.a - r.a) + r.b, 0.0};
}

static struct value merge(enum accum accum, struct value l, struct value r)
{
	switch (accum) {
	case ACCUM_PROD:
		return (struct value){l.a * r.a, 0.0, 0.0};
	case ACCUM_SCALED:
		return (struct value){l.a + r.a, l.b + r.b, l.c + r.c};
	case ACCUM_MOMENTS:
		return merge_moments(l, r);
	case ACCUM_LOGSUM:
		return merge_logsum(l, r);
	default:
		return (struct value){l.a + r.a, 0.0, 0.0};
	}
}

/* What one element contributes, but for moments and in a tile of logsum. */
static struct value term(enum accum accum, double x, double y, double p)
{
	double m = fabs(x);

	switch (accum) {
	case ACCUM_ABS:
		return (struct value){m, 0.0, 0.0};
	case ACCUM_SQUARE:
		return (struct value){x * x, 0.0, 0.0};
	case ACCUM_DOT:
		return (struct value){x * y, 0.0, 0.0};
	case ACCUM_POWER:
		return (struct value){elementary_pow(m, p), 0.0, 0.0};
	case ACCUM_SCALED:
		if (m > 0x1p486)
			return (struct value){(x * 0x1p-538) * (x * 0x1p-538), -0.0, -0.0};
		if (m > 0.0 && m < 0x1p-511)
			return (struct value){-0.0, -0.0, (x * 0x1p537) * (x * 0x1p537)};
		return (struct value){-0.0, x * x, -0.0};
	case ACCUM_LOGSUM:
		return x == -INFINITY ? identity_of(accum) : (struct value){x, 1.0, 0.0};
	default:
		return (struct value){x, 0.0, 0.0};
	}
}

/* A tile: lanes from the identity, then halving. */
static struct value lanes(enum accum accum, const struct value *v, uint64_t count)
{
	struct value lane[ORDER_LANES];

	for (unsigned l = 0; l < ORDER_LANES; l++)
		lane[l] = identity_of(accum);
	for (uint64_t i = 0; i < count; i++)
		lane[i % ORDER_LANES] = merge(accum, lane[i % ORDER_LANES], v[i]);
	for (unsigned half = ORDER_LANES / 2; half > 0; half /= 2)
		for (unsigned l = 0; l < half; l++)
			lane[l] = merge(accum, lane[l], lane[l + half]);
	return lane[0];
}

struct input {
	enum accum accum;
	const double *x, *y;
	double p;
	bool omit;
};

static bool omitted(const struct input *in, uint64_t i)
{
	return in->omit && (isnan(in->x[i]) || (in->y != NULL && isnan(in->y[i])));
}

/* m2 from the sum and the sum of squares of deviations from any one number. */
static double centred(double sum, double squares, double n)
{
	double m2 = squares - sum * (sum / n);

	if (isinf(squares) && isfinite(sum))
		return squares;
	return m2 < 0.0 ? 0.0 : m2;
}

/* Lane sum of x - shift. */
static double deviations(const struct input *in, uint64_t from, uint64_t count, double shift)
{
	struct value d[ORDER_TILE];

	for (uint64_t i = 0; i < count; i++)
		d[i].a = omitted(in, from + i) ? -0.0 : in->x[from + i] - shift;
	return lanes(ACCUM_SUM, d, count).a;
}

static struct value moments_tile(const struct input *in, uint64_t from, uint64_t count)
{
	struct value square[ORDER_TILE];
	double n = 0.0, first = 0.0, sum, guess, squares;

	for (uint64_t i = from; i < from + count; i++) {
		if (!omitted(in, i) && n++ == 0.0)
			first = in->x[i];
	}
	if (n == 0.0)
		return identity_of(ACCUM_MOMENTS);
	sum = deviations(in, from, count, 0.0);
	guess = isfinite(sum) ? sum / n : first + deviations(in, from, count, first) / n;
	for (uint64_t i = 0; i < count; i++) {
		double d = in->x[from + i] - guess;

		square[i].a = omitted(in, from + i) ? -0.0 : d * d;
	}
	sum = deviations(in, from, count, guess);
	squares = lanes(ACCUM_SUM, square, count).a;
	if (isinf(squares))
		return (struct value){n, guess, squares};
	return (struct value){n, guess + sum / n, centred(sum, squares, n)};
}

static struct value logsum_tile(const struct input *in, uint64_t from, uint64_t count)
{
	struct value e[ORDER_TILE];
	double max = -INFINITY;

	for (uint64_t i = from; i < from + count; i++) {
		if (omitted(in, i))
			continue;
		if (isnan(in->x[i]))
			return (struct value){NAN, NAN, 0.0};
		if (in->x[i] > max)
			max = in->x[i];
	}
	if (max == -INFINITY)
		return identity_of(ACCUM_LOGSUM);
	for (uint64_t i = 0; i < count; i++) {
		double x = in->x[from + i];

		e[i].a = omitted(in, from + i) ? -0.0 : x == max ? 1.0 : elementary_exp(x - max);
	}
	return (struct value){max, lanes(ACCUM_SUM, e, count).a, 0.0};
}

static struct value tile(const struct input *in, uint64_t from, uint64_t count)
{
	struct value v[ORDER_TILE];

	if (in->accum == ACCUM_MOMENTS)
		return moments_tile(in, from, count);
	if (in->accum == ACCUM_LOGSUM)
		return logsum_tile(in, from, count);
	for (uint64_t i = 0; i < count; i++)
		v[i] = omitted(in, from + i) ? identity_of(in->accum)
					     : term(in->accum, in->x[from + i],
						    in->y != NULL ? in->y[from + i] : 0.0, in->p);
	return lanes(in->accum, v, count);
}

/* A run of the strided order: one element after another. */
static struct value run(const struct input *in, uint64_t from, uint64_t count)
{
	struct value v = identity_of(in->accum);
	double n = 0.0, first = 0.0, sum = -0.0, squares = -0.0;

	for (uint64_t i = from; i < from + count; i++) {
		double d;

		if (omitted(in, i))
			continue;
		if (in->accum != ACCUM_MOMENTS) {
			v = merge(in->accum, v,
				  term(in->accum, in->x[i], in->y != NULL ? in->y[i] : 0.0, in->p));
			continue;
		}
		if (n == 0.0)
			first = in->x[i];
		d = in->x[i] - first;
		n += 1.0;
		sum += d;
		squares += d * d;
	}
	if (in->accum == ACCUM_MOMENTS && n > 0.0)
		v = (struct value){n, first + sum / n, centred(sum, squares, n)};
	return v;
}

static uint64_t pieces(uint64_t count, uint64_t size)
{
	return count / size + (count % size != 0);
}

static uint64_t piece(uint64_t count, uint64_t size, uint64_t k)
{
	return count - k * size < size ? count - k * size : size;
}

/* Tile values are an array again, until one is left. */
static struct value canonical(const struct input *in, struct value *v, uint64_t count)
{
	uint64_t n = pieces(count, ORDER_TILE);

	for (uint64_t k = 0; k < n; k++)
		v[k] = tile(in, k * ORDER_TILE, piece(count, ORDER_TILE, k));
	for (; n > 1; n = pieces(n, ORDER_TILE))
		for (uint64_t k = 0; k < pieces(n, ORDER_TILE); k++)
			v[k] = lanes(in->accum, v + k * ORDER_TILE, piece(n, ORDER_TILE, k));
	return n == 0 ? identity_of(in->accum) : v[0];
}

/* The balanced tree over `size` places, a power of two, of which n are taken. */
static struct value balanced(enum accum accum, const struct value *v, uint64_t size, uint64_t n)
{
	uint64_t half = size / 2;

	if (n == 0)
		return identity_of(accum);
	if (size == 1)
		return v[0];
	return merge(accum, balanced(accum, v, half, n < half ? n : half),
		     balanced(accum, v + half, half, n < half ? 0 : n - half));
}

static struct value strided(const struct input *in, struct value *v, uint64_t count)
{
	uint64_t n = pieces(count, ORDER_RUN), size = 1;

	for (uint64_t k = 0; k < n; k++)
		v[k] = run(in, k * ORDER_RUN, piece(count, ORDER_RUN, k));
	while (size < n)
		size *= 2;
	return balanced(in->accum, v, size, n);
}

enum status oracle_reduce(enum accum accum, enum oracle_order order, const double *x,
			  const double *y, uint64_t count, double p, bool omit, void *value,
			  struct error *err)
{
	const struct input in = {accum, x, accum == ACCUM_DOT ? y : NULL, p, omit};
	struct value *v = malloc((pieces(count, ORDER_RUN) + 1) * sizeof(*v));
	struct value result;

	if (v == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %llu elements",
			    (unsigned long long)count);
	result = order == ORACLE_CANONICAL ? canonical(&in, v, count) : strided(&in, v, count);
	free(v);
	memcpy(value, &result, accum_size(accum));
	return STATUS_OK;
}

/* Inclusive Kogge-Stone over SCAN_LANES values, in place. */
static void kogge_stone(enum accum accum, struct value *v)
{
	struct value old[SCAN_LANES];

	for (unsigned d = 1; d < SCAN_LANES; d *= 2) {
		memcpy(old, v, sizeof(old));
		for (unsigned j = d; j < SCAN_LANES; j++)
			v[j] = merge(accum, old[j - d], old[j]);
	}
}

/* before[i] becomes what comes before lane i of the tile: the rows before its
 * own, then the lanes before it. Returns the tile's aggregate. */
static struct value scan_tile(enum accum accum, const struct value *v, struct value *before)
{
	struct value row = identity_of(accum);

	for (unsigned r = 0; r < SCAN_TILE / SCAN_ROW; r++) {
		struct value sum[SCAN_LANES];

		for (unsigned j = 0; j < SCAN_LANES; j++) {
			const struct value *x = v + r * SCAN_ROW + j * SCAN_VECTOR;

			sum[j] = x[0];
			for (unsigned k = 1; k < SCAN_VECTOR; k++)
				sum[j] = merge(accum, sum[j], x[k]);
		}
		kogge_stone(accum, sum);
		for (unsigned j = 0; j < SCAN_LANES; j++)
			before[r * SCAN_LANES + j] =
				merge(accum, row, j == 0 ? identity_of(accum) : sum[j - 1]);
		row = merge(accum, row, sum[SCAN_LANES - 1]);
	}
	return row;
}

/* out[q]: what comes before tile q. */
static void scan_groups(enum accum accum, const struct value *aggregate, uint64_t tiles,
			struct value *out)
{
	struct value group = identity_of(accum);

	for (uint64_t q = 0; q < tiles; q += SCAN_LANES) {
		struct value sum[SCAN_LANES];

		for (unsigned k = 0; k < SCAN_LANES; k++)
			sum[k] = q + k < tiles ? aggregate[q + k] : identity_of(accum);
		kogge_stone(accum, sum);
		for (unsigned k = 0; k < SCAN_LANES && q + k < tiles; k++)
			out[q + k] = k == 0 ? group : merge(accum, group, sum[k - 1]);
		group = merge(accum, group, sum[SCAN_LANES - 1]);
	}
}

static double prefix(enum accum accum, struct value v, bool any)
{
	if (!any)
		return accum == ACCUM_SUM ? 0.0 : accum == ACCUM_PROD ? 1.0 : -INFINITY;
	return accum == ACCUM_LOGSUM ? v.a + elementary_log(v.b) : v.a;
}

/* v: the terms, whole tiles of them; before, tile: room for each lane's and
 * each tile's values. */
static void scan(const struct input *in, uint64_t count, bool exclusive, struct value *v,
		 struct value *before, struct value *aggregate, struct value *tiles_before,
		 double *out)
{
	uint64_t tiles = pieces(count, SCAN_TILE);
	struct value sum = identity_of(in->accum);
	bool any = false;

	for (uint64_t i = 0; i < tiles * SCAN_TILE; i++)
		v[i] = i >= count || omitted(in, i) ? identity_of(in->accum)
						    : term(in->accum, in->x[i], 0.0, 0.0);
	for (uint64_t q = 0; q < tiles; q++)
		aggregate[q] = scan_tile(in->accum, v + q * SCAN_TILE,
					 before + q * (SCAN_TILE / SCAN_VECTOR));
	scan_groups(in->accum, aggregate, tiles, tiles_before);
	for (uint64_t i = 0; i < count; i++) {
		if (i % SCAN_VECTOR == 0)
			sum = merge(in->accum, tiles_before[i / SCAN_TILE],
				    before[i / SCAN_VECTOR]);
		if (exclusive)
			out[i] = prefix(in->accum, sum, any);
		sum = merge(in->accum, sum, v[i]);
		any = any || !omitted(in, i);
		if (!exclusive)
			out[i] = prefix(in->accum, sum, any);
	}
}

enum status oracle_scan(enum op op, const double *x, uint64_t count, bool omit, bool exclusive,
			double *out, struct error *err)
{
	const struct input in = {.accum = op == OP_SUM    ? ACCUM_SUM
					  : op == OP_PROD ? ACCUM_PROD
							  : ACCUM_LOGSUM,
				 .x = x,
				 .omit = omit};
	uint64_t tiles = pieces(count, SCAN_TILE), places = tiles * SCAN_TILE;
	struct value *v = malloc((places + places / SCAN_VECTOR + 2 * tiles + 1) * sizeof(*v));
	struct value *before, *aggregate;

	if (v == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %llu elements",
			    (unsigned long long)count);
	before = v + places;
	aggregate = before + places / SCAN_VECTOR;
	scan(&in, count, exclusive, v, before, aggregate, aggregate + tiles, out);
	free(v);
	return STATUS_OK;
}
