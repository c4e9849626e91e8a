/* json_cut.h - a JSON document with its long arrays cut out, so that jansson
 * never sees them: it reads numbers at less than a tenth of numbers.h's speed,
 * and makes a value in memory of each element.
 *
 * Cut are the members `data`, `segments` and `with.data` of a job object and
 * `partials` of a merge, unless they are objects; in the envelope each is replaced
 * by an integer, its index among the spans. Spans point into the document, which
 * outlives the cut. */
#ifndef PROTO_JSON_CUT_H
#define PROTO_JSON_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>
#include "engine/status.h"

/* Values that jansson may get: up to 230 bytes of memory each, which may be two in
 * the document (measured; the number is chosen: a full batch has 100 a job). */
#define JSON_CUT_VALUES (1u << 20)

enum json_document {
	JSON_JOB,
	JSON_BATCH, /* {"jobs": [job, ...]} */
	JSON_MERGE  /* {"partials": [string, ...], ...} */
};

struct json_span {
	const char *text;
	size_t size;
	size_t envelope_at; /* of its index in the envelope */
	size_t digits;      /* of the index, and a space */
	bool read;          /* known to be good JSON */
};

struct json_cut {
	const char *text; /* the document */
	size_t size;
	char *envelope;
	size_t envelope_size, envelope_capacity;
	struct json_span *spans;
	size_t count, capacity;
	unsigned depth;
};

/* depth: arrays and objects within each other; a span counts anew. STATUS_BAD_JSON when there are
 * more, or when the document ends inside a value. */
enum status json_cut_init(struct json_cut *out, const char *text, size_t size,
			  enum json_document document, unsigned depth, struct error *err);
void json_cut_deinit(struct json_cut *cut);

/* The envelope, by jansson. STATUS_BAD_JSON names the place in the document;
 * STATUS_TOO_LARGE: it has over JSON_CUT_VALUES values. */
enum status json_cut_parse(const struct json_cut *cut, json_t **out, struct error *err);

/* Are the spans that were not read good JSON? An error of JSON goes before any
 * other of the document. */
enum status json_cut_verify(const struct json_cut *cut, struct error *err);

#endif
