/* Any bytes as a partial result, as they are and with their checksum set right:
 * refused, or understood, written again without change, merged, finished. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/crc32.h"
#include "engine/partial.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECKED_FROM 12u /* docs/partials.md: what the checksum covers */

static void check(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "fuzz_partial: %s\n", what);
		abort();
	}
}

static struct partial *decode(const uint8_t *data, size_t size)
{
	struct partial *partial = NULL;
	struct error err = {0};
	enum status status = partial_decode(data, size, &partial, &err);

	check(status == STATUS_OK || status == STATUS_BAD_VALUE, "an error that is not of bytes");
	check(status == STATUS_OK || (partial == NULL && err.text[0] != '\0'), "no explanation");
	return partial;
}

static unsigned char *encode(const struct partial *partial, size_t *size)
{
	unsigned char *bytes = NULL;

	check(partial_encode(partial, &bytes, size, NULL) == STATUS_OK, "it cannot be written");
	return bytes;
}

static void finish(const struct partial *partial, bool goes_on)
{
	const struct partial_finish choice = {.partial = goes_on};
	struct limits limits;
	struct result *result = NULL;
	struct error err = {0};
	enum status status;

	limits_default(&limits);
	status = partial_finish(partial, &choice, &limits, &result, &err);
	check(status == STATUS_OK || (!goes_on && (status == STATUS_EMPTY_INPUT ||
						   status == STATUS_INTEGER_OVERFLOW)),
	      "it cannot be finished");
	result_destroy(result);
}

/* Merged with itself it is a state again. */
static void merge(struct partial *partial, const uint8_t *data, size_t size)
{
	struct partial *other = decode(data, size), *again;
	struct error err = {0};
	enum status status = partial_merge(partial, other, &err);
	unsigned char *merged, *written;
	size_t merged_size, written_size;

	check(status == STATUS_OK || status == STATUS_BAD_VALUE, "it does not fit itself");
	merged = encode(partial, &merged_size);
	again = decode(merged, merged_size);
	check(again != NULL, "what was merged cannot be read");
	written = encode(again, &written_size);
	check(written_size == merged_size && memcmp(written, merged, merged_size) == 0,
	      "what was merged has two forms");
	finish(partial, false);
	free(merged);
	free(written);
	partial_destroy(other);
	partial_destroy(again);
}

static void take(const uint8_t *data, size_t size)
{
	struct partial *partial = decode(data, size);
	unsigned char *bytes;
	size_t bytes_size;

	if (partial == NULL)
		return;
	bytes = encode(partial, &bytes_size);
	check(bytes_size == size && memcmp(bytes, data, size) == 0,
	      "what was read is written otherwise");
	finish(partial, false);
	finish(partial, true);
	merge(partial, data, size);
	free(bytes);
	partial_destroy(partial);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *fixed;
	uint32_t crc;

	take(data, size);
	if (size <= CHECKED_FROM)
		return 0;
	fixed = malloc(size);
	check(fixed != NULL, "no memory");
	memcpy(fixed, data, size);
	crc = crc32_of(data + CHECKED_FROM, size - CHECKED_FROM);
	for (unsigned i = 0; i < 4; i++)
		fixed[CHECKED_FROM - 4 + i] = (uint8_t)(crc >> 8 * i);
	take(fixed, size);
	free(fixed);
	return 0;
}
