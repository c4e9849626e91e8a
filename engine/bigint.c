#include "config.h"

#include <assert.h>
#include <string.h>
#include "engine/bigint.h"

static void trim(struct bigint *a)
{
	while (a->used > 0 && a->word[a->used - 1] == 0)
		a->used--;
}

static void copy(struct bigint *out, const struct bigint *a)
{
	out->used = a->used;
	memcpy(out->word, a->word, a->used * sizeof(a->word[0]));
}

void bigint_set(struct bigint *a, uint64_t value)
{
	a->word[0] = value;
	a->used = value != 0;
}

void bigint_set_words(struct bigint *a, const uint64_t *words, uint32_t count)
{
	assert(count <= BIGINT_WORDS);
	memcpy(a->word, words, count * sizeof(words[0]));
	a->used = count;
	trim(a);
}

uint32_t bigint_bits(const struct bigint *a)
{
	if (a->used == 0)
		return 0;
	return 64 * a->used - (uint32_t)__builtin_clzll(a->word[a->used - 1]);
}

int bigint_compare(const struct bigint *a, const struct bigint *b)
{
	uint32_t i;

	if (a->used != b->used)
		return a->used < b->used ? -1 : 1;
	for (i = a->used; i-- > 0;)
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i] ? -1 : 1;
	return 0;
}

void bigint_add(struct bigint *out, const struct bigint *a, const struct bigint *b)
{
	const struct bigint *longer = a->used >= b->used ? a : b;
	const struct bigint *shorter = longer == a ? b : a;
	uint32_t used = longer->used, shorter_used = shorter->used, i;
	unsigned __int128 carry = 0;

	for (i = 0; i < used; i++) {
		carry += longer->word[i];
		if (i < shorter_used)
			carry += shorter->word[i];
		out->word[i] = (uint64_t)carry;
		carry >>= 64;
	}
	if (carry != 0) {
		assert(used < BIGINT_WORDS);
		out->word[used++] = (uint64_t)carry;
	}
	out->used = used;
}

void bigint_sub(struct bigint *out, const struct bigint *a, const struct bigint *b)
{
	uint32_t used = a->used, b_used = b->used, i;
	uint64_t borrow = 0;

	for (i = 0; i < used; i++) {
		uint64_t y = i < b_used ? b->word[i] : 0;
		unsigned __int128 difference = (unsigned __int128)a->word[i] - y - borrow;

		out->word[i] = (uint64_t)difference;
		borrow = (uint64_t)(difference >> 64) & 1;
	}
	assert(borrow == 0 && b_used <= used);
	out->used = used;
	trim(out);
}

void bigint_mul(struct bigint *out, const struct bigint *a, const struct bigint *b)
{
	uint32_t i, j;

	assert(a->used + b->used <= BIGINT_WORDS);
	out->used = a->used + b->used;
	memset(out->word, 0, out->used * sizeof(out->word[0]));
	for (i = 0; i < a->used; i++) {
		unsigned __int128 carry = 0;

		for (j = 0; j < b->used; j++) {
			carry += (unsigned __int128)a->word[i] * b->word[j] + out->word[i + j];
			out->word[i + j] = (uint64_t)carry;
			carry >>= 64;
		}
		out->word[i + j] = (uint64_t)carry;
	}
	trim(out);
}

void bigint_shift_left(struct bigint *a, uint32_t bits)
{
	uint32_t words = bits / 64, rest = bits % 64, i;

	if (a->used == 0)
		return;
	assert(a->used + words + 1 <= BIGINT_WORDS);
	a->word[a->used] = 0;
	for (i = a->used + 1; i-- > 0;) {
		uint64_t low = rest > 0 && i > 0 ? a->word[i - 1] >> (64 - rest) : 0;

		a->word[i + words] = a->word[i] << rest | low;
	}
	memset(a->word, 0, words * sizeof(a->word[0]));
	a->used += words + 1;
	trim(a);
}

void bigint_shift_right(struct bigint *a, uint32_t bits, bool *lost)
{
	uint32_t words = bits / 64, rest = bits % 64, i;
	uint64_t gone = 0;

	if (words >= a->used) {
		*lost = a->used > 0;
		a->used = 0;
		return;
	}
	for (i = 0; i < words; i++)
		gone |= a->word[i];
	if (rest > 0)
		gone |= a->word[words] << (64 - rest);
	for (i = words; i < a->used; i++) {
		uint64_t high = rest > 0 && i + 1 < a->used ? a->word[i + 1] << (64 - rest) : 0;

		a->word[i - words] = a->word[i] >> rest | high;
	}
	a->used -= words;
	trim(a);
	*lost = gone != 0;
}

static void divide_by_word(struct bigint *quotient, bool *remainder, const struct bigint *num,
			   uint64_t den)
{
	uint32_t i = num->used;
	uint64_t rest = 0;

	quotient->used = num->used;
	while (i-- > 0) {
		unsigned __int128 part = (unsigned __int128)rest << 64 | num->word[i];

		quotient->word[i] = (uint64_t)(part / den);
		rest = (uint64_t)(part % den);
	}
	trim(quotient);
	*remainder = rest != 0;
}

/* u -= digit * v at word j; true when the result went below 0. */
static bool subtract_multiple(uint64_t *u, const struct bigint *v, uint64_t digit)
{
	unsigned __int128 carry = 0;
	uint64_t borrow = 0;
	uint32_t i;

	for (i = 0; i <= v->used; i++) {
		unsigned __int128 difference;

		if (i < v->used)
			carry += (unsigned __int128)v->word[i] * digit;
		difference = (unsigned __int128)u[i] - (uint64_t)carry - borrow;
		u[i] = (uint64_t)difference;
		borrow = (uint64_t)(difference >> 64) & 1;
		carry >>= 64;
	}
	return borrow != 0;
}

static void add_back(uint64_t *u, const struct bigint *v)
{
	unsigned __int128 carry = 0;
	uint32_t i;

	for (i = 0; i <= v->used; i++) {
		carry += u[i];
		if (i < v->used)
			carry += v->word[i];
		u[i] = (uint64_t)carry;
		carry >>= 64;
	}
}

/* Quotient digit from the top words: at most 1 too large after the test of
 * the second word (Knuth, TAOCP 2, 4.3.1, algorithm D, step D3). */
static uint64_t estimate_digit(const uint64_t *u, const struct bigint *v)
{
	uint64_t v1 = v->word[v->used - 1], v2 = v->word[v->used - 2];
	unsigned __int128 top = (unsigned __int128)u[v->used] << 64 | u[v->used - 1];
	unsigned __int128 digit = top / v1, rest = top % v1;

	while (digit >> 64 != 0 || digit * v2 > (rest << 64 | u[v->used - 2])) {
		digit--;
		rest += v1;
		if (rest >> 64 != 0)
			break;
	}
	return (uint64_t)digit;
}

void bigint_divide(struct bigint *quotient, bool *remainder, const struct bigint *num,
		   const struct bigint *den)
{
	struct bigint u, v;
	uint32_t shift, j, steps;
	uint64_t left = 0;

	assert(den->used > 0);
	if (bigint_compare(num, den) < 0) {
		*remainder = num->used > 0;
		quotient->used = 0;
		return;
	}
	if (den->used == 1) {
		divide_by_word(quotient, remainder, num, den->word[0]);
		return;
	}

	shift = (uint32_t)__builtin_clzll(den->word[den->used - 1]);
	copy(&u, num);
	copy(&v, den);
	bigint_shift_left(&u, shift); /* writes one word more than num has */
	bigint_shift_left(&v, shift);

	steps = num->used - den->used + 1;
	quotient->used = steps;
	for (j = steps; j-- > 0;) {
		uint64_t digit = estimate_digit(u.word + j, &v);

		if (subtract_multiple(u.word + j, &v, digit)) {
			digit--;
			add_back(u.word + j, &v);
		}
		quotient->word[j] = digit;
	}
	for (j = 0; j < v.used; j++)
		left |= u.word[j];
	trim(quotient);
	*remainder = left != 0;
}

/* Newton's iteration from above: it falls until it has reached the floor. */
void bigint_sqrt(struct bigint *root, bool *remainder, const struct bigint *a)
{
	struct bigint guess, next, square;
	bool rest;

	if (a->used == 0) {
		root->used = 0;
		*remainder = false;
		return;
	}
	bigint_set(&guess, 1);
	bigint_shift_left(&guess, (bigint_bits(a) + 1) / 2);
	for (;;) {
		bigint_divide(&next, &rest, a, &guess);
		bigint_add(&next, &next, &guess);
		bigint_shift_right(&next, 1, &rest);
		if (bigint_compare(&next, &guess) >= 0)
			break;
		copy(&guess, &next);
	}
	bigint_mul(&square, &guess, &guess);
	*remainder = bigint_compare(&square, a) != 0;
	copy(root, &guess);
}
