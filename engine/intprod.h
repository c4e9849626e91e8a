/* intprod.h - the product of any number of 64-bit integers, order-free: exact
 * up to 1,088 bits (beyond every float's range), modulo 2^64 always. */
#ifndef ENGINE_INTPROD_H
#define ENGINE_INTPROD_H

#include <stdbool.h>
#include <stdint.h>

#define INTPROD_WORDS 17u

struct intprod {
	uint64_t word[INTPROD_WORDS]; /* magnitude of the nonzero factors */
	uint32_t used;                /* words in use, at least 1 */
	bool huge;                    /* magnitude is 2^1088 or more; word is void */
	bool negative;                /* odd number of negative factors */
	bool zero;                    /* some factor was 0: the product is 0 */
	uint64_t low;                 /* product of all factors modulo 2^64, signed way */
};

void intprod_init(struct intprod *a); /* 1 */
void intprod_mul_i64(struct intprod *a, int64_t b);
void intprod_mul_u64(struct intprod *a, uint64_t b);
void intprod_mul(struct intprod *a, const struct intprod *b);

#endif
