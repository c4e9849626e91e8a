#include "config.h"

#include <string.h>
#include "engine/intprod.h"

void intprod_init(struct intprod *a)
{
	memset(a, 0, sizeof(*a));
	a->word[0] = 1;
	a->used = 1;
	a->low = 1;
}

static void multiply_word(struct intprod *a, uint64_t factor)
{
	unsigned __int128 carry = 0;
	uint32_t i;

	if (a->huge)
		return;
	for (i = 0; i < a->used; i++) {
		carry += (unsigned __int128)a->word[i] * factor;
		a->word[i] = (uint64_t)carry;
		carry >>= 64;
	}
	if (carry == 0)
		return;
	if (a->used == INTPROD_WORDS)
		a->huge = true;
	else
		a->word[a->used++] = (uint64_t)carry;
}

void intprod_mul_i64(struct intprod *a, int64_t b)
{
	a->low *= (uint64_t)b;
	if (b == 0) {
		a->zero = true;
		return;
	}
	if (b < 0)
		a->negative = !a->negative;
	multiply_word(a, b < 0 ? -(uint64_t)b : (uint64_t)b);
}

void intprod_mul_u64(struct intprod *a, uint64_t b)
{
	a->low *= b;
	if (b == 0)
		a->zero = true;
	else
		multiply_word(a, b);
}

void intprod_mul(struct intprod *a, const struct intprod *b)
{
	uint64_t product[2 * INTPROD_WORDS] = {0};
	uint32_t used, i, j;

	a->low *= b->low;
	a->negative = a->negative != b->negative;
	a->zero = a->zero || b->zero;
	a->huge = a->huge || b->huge;
	if (a->huge)
		return;

	used = a->used + b->used;
	for (i = 0; i < a->used; i++) {
		unsigned __int128 carry = 0;

		for (j = 0; j < b->used; j++) {
			carry += (unsigned __int128)a->word[i] * b->word[j] + product[i + j];
			product[i + j] = (uint64_t)carry;
			carry >>= 64;
		}
		product[i + j] = (uint64_t)carry;
	}
	while (used > 1 && product[used - 1] == 0)
		used--;
	if (used > INTPROD_WORDS) {
		a->huge = true;
		return;
	}
	memcpy(a->word, product, used * sizeof(product[0]));
	a->used = used;
}
