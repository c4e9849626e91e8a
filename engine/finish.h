/* finish.h - the final step of an operation: from an accumulator's value to
 * one element of the result. */
#ifndef ENGINE_FINISH_H
#define ENGINE_FINISH_H

#include "engine/accum.h"
#include "engine/job.h"

struct finish_args {
	const struct op_spec *spec;
	enum dtype input;  /* element type of the array */
	enum dtype result; /* of the result, after out_dtype */
	enum accum accum;  /* which value it is */
	enum overflow_rule overflow;
	uint64_t ddof;
	uint64_t index_base; /* added by argmin, argmax */
};

/* value: the accumulator of a whole line; count: elements that took part
 * (under nan: omit without the NaNs); length: elements of the line.
 *
 * Writes one element of args->result to out; a NaN is always the positive
 * quiet one. Values are rounded once, half to even. STATUS_EMPTY_INPUT where
 * NUMERICS says nothing is left; STATUS_INTEGER_OVERFLOW with err->value. */
enum status finish_value(const struct finish_args *args, const void *value, uint64_t count,
			 uint64_t length, void *out, struct error *err);

#endif
