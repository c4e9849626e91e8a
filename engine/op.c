#include "config.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/op.h"

/* How the result's type follows from the input's (docs/numerics.md). */
enum result_rule {
	RESULT_WIDE,  /* bool and integers grow to 64 bits, floats stay */
	RESULT_FLOAT, /* bool and integers become float64, floats stay */
	RESULT_SAME,
	RESULT_INT64,
	RESULT_BOOL
};

struct op_facts {
	const char *name;
	enum result_rule result;
	bool scans;
	bool empty_value;
};

static const struct op_facts ops[OP_COUNT_OF_OPS] = {
	[OP_SUM] = {"sum", RESULT_WIDE, true, true},
	[OP_PROD] = {"prod", RESULT_WIDE, true, true},
	[OP_SUMSQ] = {"sumsq", RESULT_WIDE, false, true},
	[OP_DOT] = {"dot", RESULT_WIDE, false, true},
	[OP_MEAN] = {"mean", RESULT_FLOAT, false, false},
	[OP_VAR] = {"var", RESULT_FLOAT, false, false},
	[OP_STD] = {"std", RESULT_FLOAT, false, false},
	[OP_L1] = {"l1", RESULT_FLOAT, false, true},
	[OP_L2] = {"l2", RESULT_FLOAT, false, true},
	[OP_LINF] = {"linf", RESULT_FLOAT, false, true},
	[OP_LP] = {"lp", RESULT_FLOAT, false, true},
	[OP_LOGSUMEXP] = {"logsumexp", RESULT_FLOAT, true, true},
	[OP_MIN] = {"min", RESULT_SAME, true, false},
	[OP_MAX] = {"max", RESULT_SAME, true, false},
	[OP_ARGMIN] = {"argmin", RESULT_INT64, false, false},
	[OP_ARGMAX] = {"argmax", RESULT_INT64, false, false},
	[OP_COUNT_NONZERO] = {"count_nonzero", RESULT_INT64, false, true},
	[OP_COUNT] = {"count", RESULT_INT64, false, true},
	[OP_ANY] = {"any", RESULT_BOOL, false, true},
	[OP_ALL] = {"all", RESULT_BOOL, false, true},
};

static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;
static locale_t c_locale; /* (locale_t)0: no memory */

static void c_locale_make(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static const char *skip_digits(const char *text)
{
	while (*text >= '0' && *text <= '9')
		text++;
	return text;
}

/* digits [ "." digits ] [ ("e" | "E") [ "+" | "-" ] digits ] */
static bool is_decimal(const char *text)
{
	const char *end = skip_digits(text);

	if (end == text)
		return false;
	if (*end == '.') {
		text = end + 1;
		end = skip_digits(text);
		if (end == text)
			return false;
	}
	if (*end == 'e' || *end == 'E') {
		text = end + 1;
		if (*text == '+' || *text == '-')
			text++;
		end = skip_digits(text);
		if (end == text)
			return false;
	}
	return *end == '\0';
}

static enum status parse_lp(const char *text, struct op_spec *out, struct error *err)
{
	const char *power = text + 2; /* after "lp" */
	struct op_spec spec = {.op = OP_LP};

	if (*power == ':')
		power++;
	if (!is_decimal(power))
		return fail(err, STATUS_BAD_VALUE,
			    "\"%.64s\" is not lp:P with P a decimal number such as lp:3 or lp:1.5 "
			    "(for the largest magnitude ask for linf)",
			    text);
	if (strlen(text) >= sizeof(spec.key))
		return fail(err, STATUS_BAD_VALUE, "\"%.64s\" is longer than %zu characters", text,
			    sizeof(spec.key) - 1);

	pthread_once(&c_locale_once, c_locale_make);
	if (c_locale == (locale_t)0)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the C locale");
	spec.p = strtod_l(power, NULL, c_locale);
	if (!(spec.p >= 1.0) || isinf(spec.p))
		return fail(err, STATUS_BAD_VALUE,
			    "the P of \"%s\" must be at least 1 and within the range of float64",
			    text);

	snprintf(spec.key, sizeof(spec.key), "%s", text);
	*out = spec;
	return STATUS_OK;
}

enum status op_parse(const char *text, struct op_spec *out, struct error *err)
{
	int op;

	if (strcmp(text, "lp") == 0 || strncmp(text, "lp:", 3) == 0)
		return parse_lp(text, out, err);

	for (op = 0; op < OP_COUNT_OF_OPS; op++) {
		if (strcmp(text, ops[op].name) == 0) {
			*out = (struct op_spec){.op = (enum op)op};
			snprintf(out->key, sizeof(out->key), "%s", text);
			return STATUS_OK;
		}
	}
	return fail(err, STATUS_UNKNOWN_OP, "there is no operation \"%.64s\"", text);
}

const char *op_name(enum op op)
{
	return ops[op].name;
}

enum dtype op_result_dtype(enum op op, enum dtype input)
{
	switch (ops[op].result) {
	case RESULT_WIDE:
		if (dtype_is_float(input))
			return input;
		return dtype_class(input) == DTYPE_CLASS_UINT ? DTYPE_UINT64 : DTYPE_INT64;
	case RESULT_FLOAT:
		return dtype_is_float(input) ? input : DTYPE_FLOAT64;
	case RESULT_SAME:
		return input;
	case RESULT_BOOL:
		return DTYPE_BOOL;
	case RESULT_INT64:
		break;
	}
	return DTYPE_INT64;
}

bool op_takes_out_dtype(enum op op)
{
	return ops[op].result != RESULT_INT64 && ops[op].result != RESULT_BOOL;
}

bool op_scans(enum op op)
{
	return ops[op].scans;
}

bool op_is_arg(enum op op)
{
	return op == OP_ARGMIN || op == OP_ARGMAX;
}

bool op_needs_ddof(enum op op)
{
	return op == OP_VAR || op == OP_STD;
}

bool op_may_overflow(enum op op)
{
	return op == OP_SUM || op == OP_PROD || op == OP_SUMSQ || op == OP_DOT || op == OP_MIN ||
	       op == OP_MAX;
}

bool op_has_exact(const struct op_spec *spec, enum dtype input, bool scan)
{
	if (scan && !ops[spec->op].scans)
		return false;
	switch (spec->op) {
	case OP_PROD:
		return !dtype_is_float(input);
	case OP_LP:
	case OP_LOGSUMEXP:
		return false;
	default:
		return true;
	}
}

bool op_has_empty_value(enum op op)
{
	return ops[op].empty_value;
}
