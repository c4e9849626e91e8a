/* partial_code.h - the bytes of a partial result (docs/partials.md), as what
 * writes and what reads them share it; private to partial*.c. */
#ifndef ENGINE_PARTIAL_CODE_H
#define ENGINE_PARTIAL_CODE_H

#include "engine/dtype.h"
#include "engine/exactsum.h"

#define PARTIAL_MAGIC "FDPR"
#define PARTIAL_CRC_OFFSET 8u   /* of the checksum */
#define PARTIAL_BODY_OFFSET 12u /* what the checksum covers, to the end */
#define PARTIAL_HEAD_SIZE 32u   /* up to the operations */

/* More than the largest: 18 keys of 14 bytes at most, four sums of 134 digits, a
 * product of 17 words, three extremes. */
#define PARTIAL_MAX_SIZE 4096u

/* How a sum is written. */
enum partial_sum {
	PARTIAL_SUM_ZERO,
	PARTIAL_SUM_POSITIVE, /* digits follow */
	PARTIAL_SUM_NEGATIVE, /* digits of the magnitude follow */
	PARTIAL_SUM_NEGATIVE_ZERO,
	PARTIAL_SUM_INFINITY,
	PARTIAL_SUM_NEGATIVE_INFINITY,
	PARTIAL_SUM_NAN,
	PARTIAL_SUM_KINDS
};

/* The first digit's place: its weight is 2^(32 * place). */
#define PARTIAL_PLACE_LOW (EXACTSUM_LOW / 32)

/* One past the last digit's: 2^63 products below 2^2048 stay below 2^(32 * 66). A
 * struct exactsum has room for a carry beyond that. */
#define PARTIAL_PLACE_END 66

enum partial_product {
	PARTIAL_PRODUCT_ZERO,
	PARTIAL_PRODUCT_POSITIVE, /* words of the magnitude follow */
	PARTIAL_PRODUCT_NEGATIVE,
	PARTIAL_PRODUCT_HUGE, /* 2^1088 or more: the product modulo 2^64 follows */
	PARTIAL_PRODUCT_NEGATIVE_HUGE,
	PARTIAL_PRODUCT_KINDS
};

enum partial_extreme { PARTIAL_EXTREME_NUMBER, PARTIAL_EXTREME_NAN, PARTIAL_EXTREME_KINDS };

#endif
