/* plain_loops.h - the ceiling that foldd is measured against: loops that read
 * each element once and add it, or keep the greatest, with no promise about the
 * bits. plain_loops.c is compiled with -O3 -ffast-math, once for each level. */
#ifndef TESTS_BENCH_PLAIN_LOOPS_H
#define TESTS_BENCH_PLAIN_LOOPS_H

#include <stdint.h>

enum plain_op { PLAIN_SUM, PLAIN_SQUARES, PLAIN_MAX, PLAIN_OP_COUNT };

#define PLAIN_WAYS 4u /* 1, 2, 4, 8 vectors: 1 << way */

/* x: count elements, float or double by the loop. ahead: bytes in front of the
 * reading that are fetched into the cache, 0 for none. */
typedef double (*plain_loop)(const void *x, uint64_t count, uint64_t ahead);

struct plain_level {
	const char *name;
	plain_loop f32[PLAIN_OP_COUNT][PLAIN_WAYS];
	plain_loop f64[PLAIN_OP_COUNT][PLAIN_WAYS];
};

extern const struct plain_level plain_base;
#ifdef HAVE_X86_KERNELS
extern const struct plain_level plain_avx2, plain_avx512;
#endif

#endif
