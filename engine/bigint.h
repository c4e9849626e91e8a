/* bigint.h - unsigned integers of a few thousand bits, for final steps: no
 * allocation, no speed records. word[0] is the lowest; used counts words up
 * to the highest that is not 0. */
#ifndef ENGINE_BIGINT_H
#define ENGINE_BIGINT_H

#include <stdbool.h>
#include <stdint.h>

/* n * sum(x^2) - sum(x)^2 of binary64: 64 + 4,352 bits, shifted for a root. */
#define BIGINT_WORDS 160u

struct bigint {
	uint32_t used;
	uint64_t word[BIGINT_WORDS];
};

void bigint_set(struct bigint *a, uint64_t value);
void bigint_set_words(struct bigint *a, const uint64_t *words, uint32_t count);
uint32_t bigint_bits(const struct bigint *a); /* bit length; 0 for 0 */
int bigint_compare(const struct bigint *a, const struct bigint *b);
void bigint_add(struct bigint *out, const struct bigint *a, const struct bigint *b);
void bigint_sub(struct bigint *out, const struct bigint *a, const struct bigint *b); /* a >= b */
void bigint_mul(struct bigint *out, const struct bigint *a,
		const struct bigint *b); /* out is neither */
void bigint_shift_left(struct bigint *a, uint32_t bits);
void bigint_shift_right(struct bigint *a, uint32_t bits, bool *lost);

/* Quotient and whether a remainder is left; den is not 0. */
void bigint_divide(struct bigint *quotient, bool *remainder, const struct bigint *num,
		   const struct bigint *den);

/* floor(sqrt(a)) and whether a is no square. */
void bigint_sqrt(struct bigint *root, bool *remainder, const struct bigint *a);

#endif
