#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "engine/int192.h"

static void add_words(struct int192 *a, uint64_t w0, uint64_t w1, uint64_t w2)
{
	unsigned __int128 carry = (unsigned __int128)a->word[0] + w0;

	a->word[0] = (uint64_t)carry;
	carry = (carry >> 64) + a->word[1] + w1;
	a->word[1] = (uint64_t)carry;
	a->word[2] += w2 + (uint64_t)(carry >> 64);
}

void int192_add_i64(struct int192 *a, int64_t b)
{
	uint64_t sign = b < 0 ? UINT64_MAX : 0;

	add_words(a, (uint64_t)b, sign, sign);
}

void int192_add_u64(struct int192 *a, uint64_t b)
{
	add_words(a, b, 0, 0);
}

void int192_add_i128(struct int192 *a, __int128 b)
{
	unsigned __int128 bits = (unsigned __int128)b;

	add_words(a, (uint64_t)bits, (uint64_t)(bits >> 64), b < 0 ? UINT64_MAX : 0);
}

void int192_add_u128(struct int192 *a, unsigned __int128 b)
{
	add_words(a, (uint64_t)b, (uint64_t)(b >> 64), 0);
}

void int192_add(struct int192 *a, const struct int192 *b)
{
	add_words(a, b->word[0], b->word[1], b->word[2]);
}

bool int192_negative(const struct int192 *a)
{
	return a->word[2] >> 63 != 0;
}

int int192_compare(const struct int192 *a, const struct int192 *b)
{
	int i;

	if (int192_negative(a) != int192_negative(b))
		return int192_negative(a) ? -1 : 1;
	for (i = 2; i >= 0; i--)
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i] ? -1 : 1;
	return 0;
}

bool int192_fits_i64(const struct int192 *a)
{
	uint64_t sign = a->word[0] >> 63 != 0 ? UINT64_MAX : 0;

	return a->word[1] == sign && a->word[2] == sign;
}

bool int192_fits_u64(const struct int192 *a)
{
	return a->word[1] == 0 && a->word[2] == 0;
}

void int192_magnitude(const struct int192 *a, uint64_t out[3])
{
	struct int192 positive = *a;

	if (int192_negative(a)) {
		positive = (struct int192){{~a->word[0], ~a->word[1], ~a->word[2]}};
		int192_add_u64(&positive, 1);
	}
	memcpy(out, positive.word, sizeof(positive.word));
}

void int192_format(const struct int192 *a, char *out, size_t size)
{
	const uint64_t chunk = 10000000000000000000u; /* 10^19, the largest in a word */
	uint64_t words[3], digits[4];
	char text[4 * 19 + 2];
	size_t used = 0, length = 0;
	int i;

	int192_magnitude(a, words);
	do {
		uint64_t rest = 0;

		for (i = 2; i >= 0; i--) {
			unsigned __int128 part = (unsigned __int128)rest << 64 | words[i];

			words[i] = (uint64_t)(part / chunk);
			rest = (uint64_t)(part % chunk);
		}
		digits[used++] = rest;
	} while ((words[0] | words[1] | words[2]) != 0);

	if (int192_negative(a))
		text[length++] = '-';
	length += (size_t)snprintf(text + length, sizeof(text) - length, "%llu",
				   (unsigned long long)digits[--used]);
	while (used > 0)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%019llu",
					   (unsigned long long)digits[--used]);
	assert(length < size);
	memcpy(out, text, length + 1);
}
