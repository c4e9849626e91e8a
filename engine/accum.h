/* accum.h - accumulators: what is kept of the elements read so far.
 *
 * An operation is an accumulator and a final step (finish.h); several
 * operations may share one accumulator. The values below are plain structs,
 * the same on every backend, so that a value begun on one can be ended on
 * another.
 *
 * Two families:
 *  - ordered: float arithmetic, whose bits depend on the order. A tile gives a
 *    value, values are combined in the canonical order (docs/orders.md).
 *  - free: exact state, elements may be added and values merged in any order.
 */
#ifndef ENGINE_ACCUM_H
#define ENGINE_ACCUM_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/dtype.h"
#include "engine/exactsum.h"
#include "engine/intprod.h"
#include "engine/int192.h"

enum accum {
	/* ordered, on binary64 terms */
	ACCUM_SUM,     /* double: x */
	ACCUM_ABS,     /* double: |x| */
	ACCUM_SQUARE,  /* double: fl(x*x) */
	ACCUM_DOT,     /* double: fl(x*y) */
	ACCUM_PROD,    /* double: product of x */
	ACCUM_SCALED,  /* struct scaled_squares: l2 of float64 */
	ACCUM_MOMENTS, /* struct moments: var, std of floats */
	ACCUM_POWER,   /* double: |x|^p */
	ACCUM_LOGSUM,  /* struct logsum */

	/* free, exact sums of floats (determinism exact) */
	ACCUM_EXACT_SUM,     /* struct exactsum of x */
	ACCUM_EXACT_ABS,     /* of |x| */
	ACCUM_EXACT_SQUARE,  /* of x*x */
	ACCUM_EXACT_DOT,     /* of x*y */
	ACCUM_EXACT_MOMENTS, /* struct exact_moments: var, std */

	/* free, integers (DOMAIN_I64, DOMAIN_U64) */
	ACCUM_INT_SUM, /* struct int192 */
	ACCUM_INT_ABS,
	ACCUM_INT_SQUARE,
	ACCUM_INT_DOT,
	ACCUM_INT_PROD,    /* struct intprod */
	ACCUM_INT_MOMENTS, /* struct int_moments: var, std */

	/* free, any domain */
	ACCUM_MIN,     /* struct extreme: min, argmin */
	ACCUM_MAX,     /* struct extreme: max, argmax */
	ACCUM_MAX_ABS, /* struct extreme: linf; of integers the value is
			* the magnitude, in .u */
	ACCUM_TALLY,   /* struct tally: count_nonzero, any, all */
	ACCUM_COUNT    /* number of kinds */
};

/* Blue's and Anderson's three sums of squares (TOMS 44, 2017; docs/orders.md):
 * big: (x*2^-538)^2 of |x| > 2^486; small: (x*2^537)^2 of |x| < 2^-511;
 * mid: x^2 of the rest (NaN and 0 are of the rest, inf is big). */
struct scaled_squares {
	double big, mid, small;
};

/* count, mean, sum of squared deviations; merged by Chan's formula. */
struct moments {
	double count, mean, m2;
};

/* What an exact variance needs: sums of x and of x*x. */
struct exact_moments {
	struct exactsum sum, squares;
};

struct int_moments {
	struct int192 sum, squares;
};

/* log(sum exp x) = max + log(sum); empty: max -inf, sum 0. */
struct logsum {
	double max, sum;
};

/* The extreme element and its lowest index. Floats: in .f; a NaN that takes
 * part wins over every number, the first one's index is kept. -0 < +0.
 * Indices are positions in C order. `any` is false before the first. */
struct extreme {
	union {
		double f;
		int64_t i;
		uint64_t u;
	} value;
	uint64_t index;
	bool any, nan;
};

struct tally {
	uint64_t nonzero; /* NaN counts, -0 does not */
};

/* What accumulators need to know besides the elements. */
struct accum_args {
	enum domain domain;
	double p;  /* ACCUM_POWER */
	bool omit; /* nan: omit: NaN contributes the identity; with two
		    * arrays, where either is NaN */
	/* Fortran-order arrays reduced whole: stored position to C-order
	 * index; NULL: they are the same. */
	uint64_t (*index_map)(const void *map, uint64_t position);
	const void *map;
};

/* Sums in the canonical order that ACCUM_SUM, ACCUM_SQUARE and ACCUM_MOMENTS of
 * one tile have in common: the first that needs them makes them. */
struct tile_shared {
	bool squares; /* those of x*x are wanted too */
	bool known;
	double sum, square;
};

/* A run of elements, widened to their domain; at most ORDER_TILE of them when
 * it is a tile. */
struct tile {
	const void *x; /* double, int64_t or uint64_t by domain */
	const void *y; /* dot: the second array */
	uint64_t count;
	uint64_t position; /* stored position of x[0] in the line */
	uint64_t nans;     /* args.omit: elements of x (dot: pairs) with a
			    * NaN; else not counted, and 0 */

	/* Memory that will be read soon after this tile: a kernel may fetch it
	 * into the cache as it goes; bytes is 0 for none. */
	const char *ahead;
	uint64_t ahead_bytes;

	struct tile_shared *shared; /* NULL: nothing is */
};

/* Consecutive elements of neighbouring lines that are not adjacent: each row
 * has one element of each line. */
struct panel {
	const void *x, *y; /* as in struct tile */
	uint64_t lines, rows;
	uint64_t stride;   /* elements from a row to the next */
	uint64_t position; /* of the first row's elements in their lines */
	int64_t next;      /* elements from x, and from y, to what is read next
			    * and may be fetched meanwhile; 0: not known */
};

struct accum_class {
	const char *name;
	bool ordered;
	bool lingers;  /* a tile takes longer than memory needs to bring it */
	uint32_t size; /* bytes of a value, a multiple of 8 */

	void (*init)(void *value); /* the identity */

	/* Ordered: value becomes that of the tile alone: lanes, then halving.
	 * Free: the elements are added to the open work (below). */
	void (*tile)(void *value, const struct tile *tile, const struct accum_args *args);

	/* The same bits from x, y of float32 (float16 and bfloat16 become
	 * float32 first); NULL: widen to binary64 and use tile(). */
	void (*tile_f32)(void *value, const struct tile *tile, const struct accum_args *args);

	/* Free: what a thread keeps from tile to tile, work_size bytes (a
	 * multiple of 8, aligned to 64), begun by work_init. work_end adds it to
	 * a value, and the work is as after work_init. work_end NULL: the work
	 * is a value (work_size == size, work_init == init). */
	uint32_t work_size;
	void (*work_init)(void *work);
	void (*work_end)(void *work, void *value);

	/* Lines whose elements are not adjacent. A run is at most ORDER_RUN
	 * consecutive elements of one line, in sequence; while it is open it
	 * is run_size bytes (a multiple of 8), begun by run_init. step: one
	 * more element for each of count lines: runs is an array of count
	 * runs, x and y are arrays of count elements in the domain's type,
	 * position is that of the element in its line, the same for all.
	 * run_end: value becomes that of the run alone; NULL: the open run is
	 * the value (run_size == size, run_init == init).
	 * Free accumulators: run_end is NULL, and a run may be of any length:
	 * step straight into the value. */
	uint32_t run_size;
	void (*run_init)(void *run);
	void (*step)(void *runs, const void *x, const void *y, uint64_t count, uint64_t position,
		     const struct accum_args *args);
	void (*run_end)(void *value, const void *run);

	/* Steps of all rows of a panel; the rows of an ordered accumulator's
	 * belong to one run. NULL: step row by row. rows_f32: the same bits
	 * from x, y of float32; NULL: widen and use the other. */
	void (*rows)(void *runs, const struct panel *panel, const struct accum_args *args);
	void (*rows_f32)(void *runs, const struct panel *panel, const struct accum_args *args);

	/* left = left . right, `left` from the earlier elements. Combining
	 * with the identity changes no bit. */
	void (*combine)(void *left, const void *right);

	/* The same for arrays of count values; NULL: one by one. */
	void (*combine_all)(void *left, const void *right, uint64_t count);
};

#ifdef __cplusplus
extern "C" {
#endif

/* The classes of the CPU backend (cpu/kernels/accum_*.c). NULL where the domain has no
 * such accumulator. */
const struct accum_class *accum_class(enum accum accum, enum domain domain);

/* Bytes of a value, whoever computes it. */
uint32_t accum_size(enum accum accum);

#ifdef __cplusplus
}
#endif

#endif
