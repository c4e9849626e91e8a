/* scan_wide.h - a running sum of binary64 numbers of any range: a two's
 * complement integer in units of 2^-1074, always carried through, so that its
 * leading word is found and rounded at once. */
#ifndef CPU_SCAN_WIDE_H
#define CPU_SCAN_WIDE_H

#include <stdbool.h>
#include <stdint.h>

/* 2,098 bits of binary64, 60 of the number of elements, a sign: 2,159. */
#define SCAN_WIDE_WORDS 34

struct scan_wide {
	uint64_t word[SCAN_WIDE_WORDS]; /* word[0] lowest */
	uint64_t low;                   /* no word below was ever touched */
};

void scan_wide_init(struct scan_wide *sum);

/* A finite element. */
void scan_wide_add(struct scan_wide *sum, double x);

/* The sum as a binary64, half to even, or, when it is to be rounded again to a
 * narrower type, to odd (Boldo, Melquiond, IEEE Trans. Comp. 57, 2008). Of zero
 * +0. */
double scan_wide_value(const struct scan_wide *sum, bool odd);

/* Bits lowest..highest are all that differ from what the sign has there and
 * below: so it is a multiple of 2^lowest and |sum| <= 2^(highest + 1) units.
 * False: it is 0. */
bool scan_wide_span(const struct scan_wide *sum, int *lowest, int *highest);

/* sum / 2^bit units, and from that: sum = value * 2^bit units. It must fit. */
__int128 scan_wide_get(const struct scan_wide *sum, int bit);
void scan_wide_set(struct scan_wide *sum, __int128 value, int bit);

#endif
