/* order_probe - the ordered arithmetic behind a pipe, for tests that have a
 * definition of their own (tests/property/test_orders.py).
 *
 * Each job is a line of words; numbers are the 16 hex digits of a binary64:
 *   exp X | log X | pow X Y
 *   reduce WHO ACCUM ORDER OMIT P COUNT, COUNT numbers (dot: then COUNT more)
 *   scan WHO OP OMIT EXCLUSIVE COUNT PIECE, COUNT numbers
 * WHO: oracle, fast. ORDER: canonical, strided. OMIT, EXCLUSIVE: 0, 1. PIECE:
 * elements fed at a time. The answer is a line of numbers. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/oracle.h"
#include "cpu/scan.h"
#include "engine/elementary.h"
#include "engine/op.h"
#include "tests/unit/cpu/reduce_fast.h"

static const struct {
	const char *name;
	enum accum accum;
} accums[] = {
	{"sum", ACCUM_SUM},         {"abs", ACCUM_ABS},     {"square", ACCUM_SQUARE},
	{"dot", ACCUM_DOT},         {"prod", ACCUM_PROD},   {"scaled", ACCUM_SCALED},
	{"moments", ACCUM_MOMENTS}, {"power", ACCUM_POWER}, {"logsum", ACCUM_LOGSUM},
};

static void bad_input(const char *what)
{
	fprintf(stderr, "order_probe: bad %s\n", what);
	exit(2);
}

static void word(char out[16])
{
	if (scanf("%15s", out) != 1)
		bad_input("word");
}

static uint64_t integer(void)
{
	uint64_t value;

	if (scanf("%" SCNu64, &value) != 1)
		bad_input("count");
	return value;
}

static double number(void)
{
	uint64_t bits;

	if (scanf("%" SCNx64, &bits) != 1)
		bad_input("number");
	return elementary_from_bits(bits);
}

/* From malloc; the caller frees. */
static double *numbers(uint64_t count)
{
	double *x = malloc(count * sizeof(*x) + 1);

	if (x == NULL)
		bad_input("count: no memory");
	for (uint64_t i = 0; i < count; i++)
		x[i] = number();
	return x;
}

static void print(const double *x, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		printf("%s%016" PRIx64, i > 0 ? " " : "", elementary_bits(x[i]));
	printf("\n");
}

static void check(enum status status)
{
	if (status != STATUS_OK)
		bad_input(status_code(status));
}

static bool is(const char *text, const char *one, const char *other)
{
	if (strcmp(text, one) != 0 && strcmp(text, other) != 0)
		bad_input(text);
	return strcmp(text, one) == 0;
}

static void elementary(const char *name)
{
	double x = number(), result;

	if (strcmp(name, "exp") == 0)
		result = elementary_exp(x);
	else if (strcmp(name, "log") == 0)
		result = elementary_log(x);
	else
		result = elementary_pow(x, number());
	print(&result, 1);
}

static void reduce(void)
{
	char who[16], name[16], order[16];
	struct accum_args args = {.domain = DOMAIN_F64};
	const struct accum_class *class = NULL;
	double value[TREE_VALUE_WORDS], *x, *y;
	enum accum accum = ACCUM_COUNT;
	bool canonical;
	uint64_t count;

	word(who);
	word(name);
	word(order);
	for (size_t i = 0; i < sizeof(accums) / sizeof(accums[0]); i++)
		if (strcmp(accums[i].name, name) == 0)
			accum = accums[i].accum;
	if (accum == ACCUM_COUNT)
		bad_input(name);
	class = accum_class(accum, DOMAIN_F64);
	canonical = is(order, "canonical", "strided");
	args.omit = integer() != 0;
	args.p = number();
	count = integer();
	x = numbers(count);
	y = accum == ACCUM_DOT ? numbers(count) : NULL;
	if (is(who, "oracle", "fast"))
		check(oracle_reduce(accum, canonical ? ORACLE_CANONICAL : ORACLE_STRIDED, x, y,
				    count, args.p, args.omit, value, NULL));
	else if (canonical)
		check(fast_canonical(class, &args, x, y, count, value));
	else
		check(fast_strided(class, &args, x, y, count, value));
	print(value, class->size / sizeof(double));
	free(x);
	free(y);
}

static void feed(const struct scan_args *args, const double *x, uint64_t count, uint64_t piece,
		 double *out)
{
	void *state = malloc(scan_state_size(args));

	if (state == NULL || piece == 0)
		bad_input("piece");
	scan_init(state, args);
	for (uint64_t at = 0; at < count; at += piece) {
		uint64_t n = count - at < piece ? count - at : piece;

		check(scan_feed(state, args, x + at, n, out + at, 1, NULL));
	}
	free(state);
}

static void scan(void)
{
	struct scan_args args = {.domain = DOMAIN_F64, .result = DTYPE_FLOAT64};
	char who[16], name[16];
	uint64_t count, piece;
	struct op_spec spec;
	double *x, *out;

	word(who);
	word(name);
	args.exact = strcmp(name, "exact") == 0;
	check(op_parse(args.exact ? "sum" : name, &spec, NULL));
	args.op = spec.op;
	args.omit = integer() != 0;
	args.exclusive = integer() != 0;
	count = integer();
	piece = integer();
	x = numbers(count);
	out = malloc(count * sizeof(*out) + 1);
	if (out == NULL)
		bad_input("count: no memory");
	if (is(who, "oracle", "fast"))
		check(oracle_scan(args.op, x, count, args.omit, args.exclusive, out, NULL));
	else
		feed(&args, x, count, piece, out);
	print(out, count);
	free(x);
	free(out);
}

int main(void)
{
	char command[16];

	while (scanf("%15s", command) == 1) {
		if (strcmp(command, "reduce") == 0)
			reduce();
		else if (strcmp(command, "scan") == 0)
			scan();
		else if (strcmp(command, "pow") == 0 || is(command, "exp", "log"))
			elementary(command);
		else
			elementary("log");
		fflush(stdout);
	}
	return 0;
}
