/* op.h - the operations: names, result types, which promises they have. */
#ifndef ENGINE_OP_H
#define ENGINE_OP_H

#include <stdbool.h>
#include "engine/dtype.h"
#include "engine/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum op {
	OP_SUM,
	OP_PROD,
	OP_SUMSQ,
	OP_DOT,
	OP_MEAN,
	OP_VAR,
	OP_STD,
	OP_L1,
	OP_L2,
	OP_LINF,
	OP_LP,
	OP_LOGSUMEXP,
	OP_MIN,
	OP_MAX,
	OP_ARGMIN,
	OP_ARGMAX,
	OP_COUNT_NONZERO,
	OP_COUNT,
	OP_ANY,
	OP_ALL,
	OP_COUNT_OF_OPS
};

#define OP_KEY_SIZE 32 /* longest "lp:P" taken, with its 0 */

/* An operation as asked for. */
struct op_spec {
	enum op op;
	double p;              /* OP_LP: P >= 1, finite */
	char key[OP_KEY_SIZE]; /* the text sent: the key of the results */
};

/* Read "sum", "lp:1.5", ... STATUS_UNKNOWN_OP or, for a bad P,
 * STATUS_BAD_VALUE. */
enum status op_parse(const char *text, struct op_spec *out, struct error *err);

const char *op_name(enum op op); /* "sum", "lp" */
enum dtype op_result_dtype(enum op op, enum dtype input);
bool op_takes_out_dtype(enum op op); /* value-typed results */
bool op_scans(enum op op);           /* has a scan */
bool op_is_arg(enum op op);          /* argmin, argmax */
bool op_needs_ddof(enum op op);      /* var, std */
bool op_may_overflow(enum op op);    /* the result may leave an integer type's range */

/* False where exact is exact_unsupported: prod of floats, lp, logsumexp. */
bool op_has_exact(const struct op_spec *spec, enum dtype input, bool scan);

/* Nothing left gives a value (0, 1, false, ...), not empty_input. */
bool op_has_empty_value(enum op op);

#ifdef __cplusplus
}
#endif

#endif
