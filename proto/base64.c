#include "config.h"
#include "proto/base64.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NO_DIGIT 64

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void fill_digits(unsigned char digit[256])
{
	unsigned i;

	memset(digit, NO_DIGIT, 256);
	for (i = 0; i < 64; i++)
		digit[(unsigned char)alphabet[i]] = (unsigned char)i;
}

enum status base64_decode(const char *text, size_t size, const char *pointer, void **out,
			  size_t *out_size, struct error *err)
{
	const unsigned char *in = (const unsigned char *)text;
	unsigned char digit[256];
	size_t padding = 0, digits, i, n = 0;
	uint32_t bits = 0;
	unsigned char *bytes;

	if (size % 4 != 0)
		return fail_at(err, STATUS_BAD_VALUE, pointer,
			       "base64 comes in groups of 4 characters, padded with '='");
	while (padding < 2 && padding < size && text[size - 1 - padding] == '=')
		padding++;
	digits = size - padding;
	bytes = malloc(size / 4 * 3 + 1);
	if (bytes == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of base64", size);
	fill_digits(digit);
	for (i = 0; i < digits; i++) {
		if (digit[in[i]] == NO_DIGIT) {
			free(bytes);
			return fail_at(err, STATUS_BAD_VALUE, pointer,
				       "not a base64 digit at character %zu", i);
		}
		bits = bits << 6 | digit[in[i]];
		if (i % 4 > 0)
			bytes[n++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
	}
	if ((padding == 1 && (bits & 3) != 0) || (padding == 2 && (bits & 15) != 0)) {
		free(bytes);
		return fail_at(err, STATUS_BAD_VALUE, pointer,
			       "base64 ends in bits that belong to no byte");
	}
	*out = bytes;
	*out_size = n;
	return STATUS_OK;
}

void base64_write(struct text *text, const void *bytes, size_t size)
{
	const unsigned char *in = bytes;
	size_t i;

	for (i = 0; i < size; i += 3) {
		const size_t left = size - i;
		const uint32_t bits = (uint32_t)in[i] << 16 |
				      (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
				      (left > 2 ? in[i + 2] : 0);
		const char group[4] = {
			alphabet[bits >> 18],
			alphabet[bits >> 12 & 63],
			left > 1 ? alphabet[bits >> 6 & 63] : '=',
			left > 2 ? alphabet[bits & 63] : '=',
		};

		text_add(text, group, sizeof(group));
	}
}
