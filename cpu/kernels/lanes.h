/* lanes.h - a tile of the canonical order for values that are doubles: 128
 * lanes walked row by row, then halved (docs/orders.md). Always inlined, so
 * that terms and fold become part of the loop.
 *
 * As many lanes as the registers hold are walked down all rows of the tile
 * before the next; the tile is in the nearest cache by then. */
#ifndef CPU_LANES_H
#define CPU_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cpu/kernels/ahead.h"
#include "cpu/kernels/vector.h"
#include "engine/accum.h"
#include "engine/order.h"

#define LANES_INLINE VECTOR_INLINE
#define LANES_VECTORS (ORDER_LANES / VECTOR_F64)
/* Registers for accumulators: half of what there is. */
#ifdef VECTOR_512
#define LANES_REGISTERS 16u
#else
#define LANES_REGISTERS 8u
#endif
#define LANES_INFINITY (0x1p+1023 * 2.0)
#define LANES_KINDS 4u /* values of an element, at most */

/* What all elements of a tile have in common. */
struct lanes_common {
	vf64 one;   /* vector_one() */
	vf64 shift; /* the caller's */
};

/* The values that an element adds to its lane, one for each kind of sum. */
typedef void (*lanes_terms)(vf64 *terms, vf64 x, vf64 y, struct lanes_common common);
typedef vf64 (*lanes_fold)(vf64 left, vf64 right, vf64 one);

LANES_INLINE vf64 lanes_add(vf64 left, vf64 right, vf64 one)
{
	(void)one;
	return left + right;
}

/* The same. The adder converts float32, and is what such loops wait for. */
LANES_INLINE vf64 lanes_add_aside(vf64 left, vf64 right, vf64 one)
{
	return vector_add_aside(right, left, one);
}

LANES_INLINE vf64 lanes_multiply(vf64 left, vf64 right, vf64 one)
{
	(void)one;
	return left * right;
}

/* A tile being read. What does not change within a kernel is constant after
 * inlining. */
struct lanes {
	const void *x, *y; /* y NULL: no pairs */
	bool narrow;       /* x, y are float32, not binary64 */
	bool omit;         /* NaN (of a pair: either) counts as the identity */
	unsigned kinds;    /* of sums, up to LANES_KINDS */
	uint64_t count;
	double identity;
	struct lanes_common common;
	struct ahead ahead;
	bool first_aside; /* the first kind is added by lanes_add_aside */
	double *least;    /* NULL, or the least term of the whole rows goes there;
			   * kinds is 1, and a NaN is passed over */
};

LANES_INLINE vf64 lanes_load(const void *x, uint64_t i, bool narrow)
{
	return narrow ? vector_load_widened((const float *)x + i)
		      : vector_load_f64((const double *)x + i);
}

/* The n < VECTOR_F64 elements from i on, then zeros. */
LANES_INLINE vf64 lanes_load_some(const void *x, uint64_t i, uint64_t n, bool narrow)
{
	double some[VECTOR_F64] = {0};

	for (uint64_t k = 0; k < n; k++)
		some[k] = narrow ? (double)((const float *)x)[i + k] : ((const double *)x)[i + k];
	return vector_load_f64(some);
}

/* The terms of elements x, y; `some` -1 where there is one. */
LANES_INLINE void lanes_take(vf64 *out, const struct lanes *lanes, vf64 x, vf64 y, bool masked,
			     vi64 some, lanes_terms terms)
{
	terms(out, x, y, lanes->common);
	if (!lanes->omit && !masked)
		return;
	if (!masked)
		some = ~(vi64){0};
	if (lanes->omit)
		some &= x == x;
	if (lanes->omit && lanes->y != NULL)
		some &= y == y;
	VECTOR_UNROLL
	for (unsigned kind = 0; kind < lanes->kinds; kind++)
		out[kind] = vector_select(some, out[kind], vector_set_f64(lanes->identity));
}

LANES_INLINE void lanes_take_at(vf64 *out, const struct lanes *lanes, uint64_t i, lanes_terms terms)
{
	vf64 x = lanes_load(lanes->x, i, lanes->narrow);
	vf64 y = lanes->y != NULL ? lanes_load(lanes->y, i, lanes->narrow) : x;

	lanes_take(out, lanes, x, y, false, (vi64){0}, terms);
}

/* Memory further on than vector v of a row, at element i; a loop of several
 * kinds of sum works longer than memory, and gains nothing (measured). */
LANES_INLINE void lanes_stream(const struct lanes *lanes, uint64_t i, unsigned v)
{
	const unsigned size = lanes->narrow ? sizeof(float) : sizeof(double);

	if (lanes->kinds > 1)
		return;
	ahead_stream((const char *)lanes->x + i * size, v * VECTOR_F64 * size);
	if (lanes->y != NULL)
		ahead_stream((const char *)lanes->y + i * size, v * VECTOR_F64 * size);
}

/* Whole rows, at least one: lane[kind * LANES_VECTORS + v] become the sums. */
LANES_INLINE void lanes_walk(vf64 *lane, struct lanes *lanes, uint64_t rows, lanes_terms terms,
			     lanes_fold fold)
{
	const unsigned kinds = lanes->kinds;
	const unsigned block = LANES_REGISTERS / (kinds == 3 ? 4 : kinds);
	const uint64_t steps = rows * (LANES_VECTORS / block);
	const uint64_t lines = ahead_share(&lanes->ahead, steps);
	const vf64 one = lanes->common.one;
	vf64 low[2] = {vector_set_f64(LANES_INFINITY), vector_set_f64(LANES_INFINITY)};

	for (unsigned first = 0; first < LANES_VECTORS; first += block) {
		vf64 sum[LANES_KINDS * LANES_REGISTERS];
		uint64_t i = first * VECTOR_F64;

		VECTOR_UNROLL
		for (unsigned v = 0; v < block; v++) {
			lanes_stream(lanes, i + v * VECTOR_F64, v);
			lanes_take_at(&sum[v * kinds], lanes, i + v * VECTOR_F64, terms);
			if (lanes->least != NULL)
				low[v % 2] = vector_min_f64(sum[v], low[v % 2]);
		}
		ahead_fetch(&lanes->ahead, lines);
		for (uint64_t row = 1; row < rows; row++) {
			i += ORDER_LANES;
			VECTOR_UNROLL
			for (unsigned v = 0; v < block; v++) {
				vf64 term[LANES_KINDS];

				lanes_stream(lanes, i + v * VECTOR_F64, v);
				lanes_take_at(term, lanes, i + v * VECTOR_F64, terms);
				if (lanes->least != NULL)
					low[v % 2] = vector_min_f64(term[0], low[v % 2]);
				VECTOR_UNROLL
				for (unsigned kind = 0; kind < kinds; kind++)
					sum[v * kinds + kind] =
						lanes->first_aside && kind == 0
							? lanes_add_aside(sum[v * kinds], term[0],
									  one)
							: fold(sum[v * kinds + kind], term[kind],
							       one);
			}
			ahead_fetch(&lanes->ahead, lines);
		}
		VECTOR_UNROLL
		for (unsigned v = 0; v < block; v++) {
			VECTOR_UNROLL
			for (unsigned kind = 0; kind < kinds; kind++)
				lane[kind * LANES_VECTORS + first + v] = sum[v * kinds + kind];
		}
	}
	if (lanes->least != NULL) {
		low[0] = vector_min_f64(low[0], low[1]);
		*lanes->least = low[0][0];
		for (unsigned k = 1; k < VECTOR_F64; k++)
			*lanes->least = low[0][k] < *lanes->least ? low[0][k] : *lanes->least;
	}
}

/* The last row, of `rest` elements from i on. */
LANES_INLINE void lanes_rest(vf64 *lane, const struct lanes *lanes, uint64_t i, uint64_t rest,
			     lanes_terms terms, lanes_fold fold)
{
	for (uint64_t v = 0; rest > 0; v++) {
		uint64_t n = rest < VECTOR_F64 ? rest : VECTOR_F64;
		vf64 term[LANES_KINDS];

		if (n == VECTOR_F64) {
			lanes_take_at(term, lanes, i, terms);
		} else {
			vf64 x = lanes_load_some(lanes->x, i, n, lanes->narrow), y = x;

			if (lanes->y != NULL)
				y = lanes_load_some(lanes->y, i, n, lanes->narrow);
			lanes_take(term, lanes, x, y, true, vector_first(n), terms);
		}
		for (unsigned kind = 0; kind < lanes->kinds; kind++)
			lane[kind * LANES_VECTORS + v] =
				fold(lane[kind * LANES_VECTORS + v], term[kind], lanes->common.one);
		i += n;
		rest -= n;
	}
}

/* The lanes of one vector. (Conditions of constants: loops that halve are not
 * unrolled by every compiler.) */
LANES_INLINE double lanes_halve_last(vf64 last, vf64 one, lanes_fold fold)
{
	if (VECTOR_F64 > 4)
		last = fold(last, vector_upper(last, 4), one);
	if (VECTOR_F64 > 2)
		last = fold(last, vector_upper(last, 2), one);
	last = fold(last, vector_upper(last, 1), one);
	return last[0];
}

LANES_INLINE double lanes_halve(vf64 *lane, unsigned vectors, vf64 one, lanes_fold fold)
{
	for (unsigned half = vectors / 2; half > 0; half /= 2)
		for (unsigned v = 0; v < half; v++)
			lane[v] = fold(lane[v], lane[v + half], one);
	return lanes_halve_last(lane[0], one, fold);
}

/* One step of halving, unless there are fewer lanes. */
LANES_INLINE void lanes_halve_to(vf64 *lane, unsigned half, vf64 one, lanes_fold fold)
{
	if (half >= LANES_VECTORS)
		return;
	VECTOR_UNROLL
	for (unsigned v = 0; v < half; v++)
		lane[v] = fold(lane[v], lane[v + half], one);
}

/* The same for all lanes, in registers where they hold them. */
LANES_INLINE double lanes_halve_all(vf64 *lane, vf64 one, lanes_fold fold)
{
	lanes_halve_to(lane, 32, one, fold);
	lanes_halve_to(lane, 16, one, fold);
	lanes_halve_to(lane, 8, one, fold);
	lanes_halve_to(lane, 4, one, fold);
	lanes_halve_to(lane, 2, one, fold);
	lanes_halve_to(lane, 1, one, fold);
	return lanes_halve_last(lane[0], one, fold);
}

/* Vectors that some element falls into, rounded up to a power of two: the
 * others hold the identity, and combining with it changes no bit. */
LANES_INLINE unsigned lanes_vectors(uint64_t count)
{
	unsigned vectors = LANES_VECTORS;

	while (vectors > 1 && vectors / 2 * VECTOR_F64 >= count)
		vectors /= 2;
	return vectors;
}

/* A tile that ends within a row. */
LANES_INLINE void lanes_reduce_part(double *results, struct lanes *lanes, lanes_terms terms,
				    lanes_fold fold)
{
	vf64 lane[LANES_KINDS * LANES_VECTORS];
	const uint64_t rows = lanes->count / ORDER_LANES, rest = lanes->count % ORDER_LANES;
	const unsigned vectors = lanes_vectors(lanes->count);

	if (rows > 0)
		lanes_walk(lane, lanes, rows, terms, fold);
	else
		for (unsigned kind = 0; kind < lanes->kinds; kind++)
			for (unsigned v = 0; v < vectors; v++)
				lane[kind * LANES_VECTORS + v] = vector_set_f64(lanes->identity);
	lanes_rest(lane, lanes, rows * ORDER_LANES, rest, terms, fold);
	for (unsigned kind = 0; kind < lanes->kinds; kind++)
		results[kind] =
			lanes_halve(lane + kind * LANES_VECTORS, vectors, lanes->common.one, fold);
}

/* results: one for each kind. */
LANES_INLINE void lanes_reduce(double *results, struct lanes *lanes, lanes_terms terms,
			       lanes_fold fold)
{
	vf64 lane[LANES_KINDS * LANES_VECTORS];

	if (lanes->count == 0 || lanes->count % ORDER_LANES != 0) {
		lanes_reduce_part(results, lanes, terms, fold);
		return;
	}
	lanes_walk(lane, lanes, lanes->count / ORDER_LANES, terms, fold);
	VECTOR_UNROLL
	for (unsigned kind = 0; kind < lanes->kinds; kind++)
		results[kind] =
			lanes_halve_all(lane + kind * LANES_VECTORS, lanes->common.one, fold);
}

/* One more element of each of count lines; kinds is 1. */
LANES_INLINE void lanes_step(double *values, struct lanes *lanes, lanes_terms terms,
			     lanes_fold fold)
{
	uint64_t i = 0, rest;
	vf64 term[LANES_KINDS], value;

	for (; i + VECTOR_F64 <= lanes->count; i += VECTOR_F64) {
		lanes_take_at(term, lanes, i, terms);
		value = fold(vector_load_f64(values + i), term[0], lanes->common.one);
		memcpy(values + i, &value, sizeof(value));
	}
	rest = lanes->count - i;
	if (rest == 0)
		return;
	lanes_take(term, lanes, lanes_load_some(lanes->x, i, rest, false),
		   lanes->y != NULL ? lanes_load_some(lanes->y, i, rest, false) : (vf64){0}, false,
		   (vi64){0}, terms);
	value = fold(lanes_load_some(values, i, rest, false), term[0], lanes->common.one);
	for (uint64_t k = 0; k < rest; k++)
		values[i + k] = value[k];
}

/* How a kernel begins. */
LANES_INLINE struct lanes lanes_of_tile(const struct tile *tile, bool narrow, bool omit,
					unsigned kinds, double identity)
{
	return (struct lanes){
		.x = tile->x,
		.narrow = narrow,
		.omit = omit,
		.kinds = kinds,
		.count = tile->count,
		.identity = identity,
		.common.one = vector_one(),
		.ahead = ahead_of(tile),
	};
}

#endif
