/* finish_parts.h - the final steps by family of accumulators; used by finish.c
 * alone. Something took part: empty lines are finish.c's. */
#ifndef ENGINE_FINISH_PARTS_H
#define ENGINE_FINISH_PARTS_H

#include "engine/bigint.h"
#include "engine/finish.h"

/* Ordered accumulators: the final value in binary64. */
enum status finish_float(const struct finish_args *args, const void *value, uint64_t count,
			 double *out, struct error *err);

/* ACCUM_EXACT_*. */
enum status finish_exact(const struct finish_args *args, const void *value, uint64_t count,
			 void *out, struct error *err);

/* ACCUM_INT_*. */
enum status finish_integer(const struct finish_args *args, const void *value, uint64_t count,
			   void *out, struct error *err);

/* An exact integer to the result type: one rounding, or the overflow rule. */
enum status finish_int192(const struct finish_args *args, const struct int192 *value, void *out,
			  struct error *err);

/* Sums of x and of x*x, each magnitude * 2^exponent. */
struct power_sums {
	struct bigint sum, squares;
	int64_t sum_exponent, squares_exponent;
};

/* The variance (n*squares - sum^2) / (n*(n - ddof)), or its root, rounded once. */
void finish_variance(const struct finish_args *args, const struct power_sums *sums, uint64_t count,
		     void *out);

/* No final step for this operation on this accumulator: a mistake of a plan. */
enum status finish_mismatch(const struct finish_args *args, struct error *err);

#endif
