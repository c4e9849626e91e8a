/* literal.h - one number literal of JSON: its grammar, and its value in each
 * element type.
 *
 * Where a fraction or an exponent ends is found by whoever reads them, once. */
#ifndef PROTO_LITERAL_H
#define PROTO_LITERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/dtype.h"
#include "engine/status.h"

struct literal {
	const char *begin;
	const char *end; /* not an integer: end of the text, until read */
	bool negative;
	bool integer;   /* neither '.' nor an exponent */
	bool small;     /* and below 10^19: */
	uint64_t value; /* its magnitude */
};

/* The literal that starts at p, which is before `end`; false when none does. */
bool literal_scan(struct literal *out, const char *p, const char *end);

/* Literals that are no integers, with nothing between them but a comma or a comma
 * and a space, as binary64: as many as there are from *at on, and room for.
 * Returns their number; *at goes behind the last one. */
uint64_t literal_read_run(const char **at, const char *end, double *out, uint64_t room);

/* The magnitude of an integer; false when it is 2^64 or more. */
bool literal_to_u64(const struct literal *literal, uint64_t *out);

/* Rounded once to an element of a float type; an integer type takes integral
 * literals within its range (10.0 and 1e1 too). STATUS_BAD_VALUE, without a
 * pointer, when it does not fit. Sets literal->end. */
enum status literal_store(struct literal *literal, enum dtype dtype, void *out, struct error *err);

/* STATUS_BAD_VALUE, explained as "LITERAL WHY"; literal->end is set. */
enum status literal_fail(const struct literal *literal, const char *why, struct error *err);

#endif
