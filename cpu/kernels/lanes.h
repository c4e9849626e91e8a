/* lanes.h - a tile of the canonical order for values that are one double:
 * 128 lanes walked row by row, then halved (docs/orders.md). Always inlined, so
 * that term and fold become part of the loop and the compiler can vectorise. */
#ifndef CPU_LANES_H
#define CPU_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/order.h"

#define LANES_INLINE static inline __attribute__((always_inline))

typedef double (*lanes_term)(double x, double y);
typedef double (*lanes_fold)(double left, double right);

LANES_INLINE double lanes_add(double left, double right)
{
	return left + right;
}

LANES_INLINE double lanes_multiply(double left, double right)
{
	return left * right;
}

/* Lanes that some element falls into, rounded up to a power of two: the others
 * hold the identity, and combining with it changes no bit. */
LANES_INLINE uint64_t lanes_width(uint64_t count)
{
	uint64_t width = ORDER_LANES;

	while (width > 1 && width / 2 >= count)
		width /= 2;
	return width;
}

LANES_INLINE double lanes_halve(double *lane, uint64_t width, lanes_fold fold)
{
	for (uint64_t half = width / 2; half > 0; half /= 2)
		for (uint64_t l = 0; l < half; l++)
			lane[l] = fold(lane[l], lane[l + half]);
	return lane[0];
}

/* The element's term, or the identity in the place of an omitted one. y is
 * read for pairs only. */
LANES_INLINE double lanes_element(const double *x, const double *y, uint64_t i, bool omit,
				  double identity, lanes_term term)
{
	double b = y != NULL ? y[i] : 0.0;
	double t = term(x[i], b);

	if (omit && (x[i] != x[i] || b != b))
		t = identity;
	return t;
}

LANES_INLINE double lanes_reduce(const double *x, const double *y, uint64_t count, bool omit,
				 double identity, lanes_term term, lanes_fold fold)
{
	double lane[ORDER_LANES];
	uint64_t width = lanes_width(count);
	uint64_t i = 0;

	for (uint64_t l = 0; l < width; l++)
		lane[l] = identity;
	for (; i + ORDER_LANES <= count; i += ORDER_LANES)
		for (uint64_t l = 0; l < ORDER_LANES; l++)
			lane[l] = fold(lane[l], lanes_element(x, y, i + l, omit, identity, term));
	for (uint64_t l = 0; i + l < count; l++)
		lane[l] = fold(lane[l], lanes_element(x, y, i + l, omit, identity, term));
	return lanes_halve(lane, width, fold);
}

/* One more element of each of count lines. */
LANES_INLINE void lanes_step(double *values, const double *x, const double *y, uint64_t count,
			     bool omit, double identity, lanes_term term, lanes_fold fold)
{
	for (uint64_t i = 0; i < count; i++)
		values[i] = fold(values[i], lanes_element(x, y, i, omit, identity, term));
}

#endif
