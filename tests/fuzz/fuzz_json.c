/* Any bytes as a number array, as JSON, and as a document to be cut. */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proto/json_check.h"
#include "proto/json_cut.h"
#include "proto/numbers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DEPTH 32u

static void check(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "fuzz_json: %s\n", what);
		abort();
	}
}

static void numbers(const char *text, size_t size, const enum dtype *dtype)
{
	struct numbers out;
	struct error err = {0};
	enum status status = numbers_read(&out, text, size, dtype, DEPTH, "/data", &err);
	uint64_t count;
	size_t at;

	if (status != STATUS_OK) {
		check(status == STATUS_BAD_JSON || status == STATUS_BAD_SHAPE ||
			      status == STATUS_BAD_VALUE,
		      "an error that is not of numbers");
		check(err.text[0] != '\0' && strncmp(err.pointer, "/data", 5) == 0,
		      "no explanation");
		return;
	}
	check(array_count(&out.desc, &count, &err) == STATUS_OK, "a shape without a size");
	check(out.data != NULL, "no data");
	check(json_check(text, size, DEPTH, &at), "numbers that are no JSON");
	free(out.data);
}

static void document(const char *text, size_t size, bool batch)
{
	struct json_cut cut;
	struct error err = {0};
	json_t *root;
	size_t i, at;

	if (json_cut_init(&cut, text, size, batch, DEPTH, &err) != STATUS_OK) {
		check(err.status == STATUS_BAD_JSON, "an error that is not of JSON");
		return;
	}
	for (i = 0; i < cut.count; i++)
		check(cut.spans[i].text >= text && cut.spans[i].size > 0 &&
			      cut.spans[i].text + cut.spans[i].size <= text + size,
		      "a span outside the document");
	if (json_cut_parse(&cut, &root, &err) == STATUS_OK) {
		if (json_cut_verify(&cut, &err) == STATUS_OK)
			check(json_check(text, size, DEPTH * 2, &at),
			      "cut to pieces, no JSON is JSON");
		json_decref(root);
	}
	json_cut_deinit(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	enum dtype dtype = size > 0 ? (enum dtype)(data[size / 2] % DTYPE_COUNT) : DTYPE_INT8;
	json_t *value = json_loadb(text, size, JSON_DECODE_ANY, NULL);
	size_t at;

	/* jansson takes a zero byte for the end of the text; json_cut.h does not */
	if (value != NULL && memchr(text, '\0', size) == NULL)
		check(json_check(text, size, JSON_CHECK_DEPTH, &at),
		      "what jansson takes is no JSON");
	json_decref(value);
	numbers(text, size, NULL);
	numbers(text, size, &dtype);
	document(text, size, false);
	document(text, size, true);
	return 0;
}
