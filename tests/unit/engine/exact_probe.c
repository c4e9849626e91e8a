/* exact_probe.c - the exact modules as a filter, for tests/property/test_exact.py:
 * a question a line, an answer a line. Numbers are hexadecimal without 0x:
 * elements as the 64 bits of their domain's type, integers of any length.
 *
 *   reduce OP INPUT RESULT DDOF OVERFLOW PARTS x ... [/ y ...]
 *       in PARTS accumulators, merged last to first: "ok BITS" or "CODE VALUE"
 *   canonical PARTS x ...           the exact sum's "lo hi digit ..."
 *   round TO x                      BITS of a binary64 value
 *   widen FROM BITS                 binary64 bits of a 16-bit float
 *   ratio TO ROOT NEGATIVE EXPONENT NUM DEN
 *   leading TO sum|mean|root DEN x ...    BITS of the exact sum, of it divided
 *       by DEN, of its root
 *   bigint add|sub|mul|divide|sqrt|left|right A B   "VALUE REST" */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/finish.h"
#include "engine/round.h"

#define MAX_WORDS 20000 /* of a line */
#define MAX_PARTS 8

/* Any accumulator of the exact families. */
union state {
	struct exactsum sum;
	struct exact_moments moments;
	struct int192 integer;
	struct int_moments int_moments;
	struct intprod product;
};

static void die(const char *what)
{
	fprintf(stderr, "exact_probe: %s\n", what);
	exit(2);
}

static uint64_t parse_hex(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 16);

	if (end == text || *end != '\0')
		die("not a hexadecimal number");
	return value;
}

static double parse_double(const char *text)
{
	uint64_t bits = parse_hex(text);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static enum dtype parse_dtype(const char *text)
{
	enum dtype dtype;

	if (!dtype_from_name(text, &dtype))
		die("no such type");
	return dtype;
}

static enum overflow_rule parse_overflow(const char *text)
{
	if (strcmp(text, "wrap") == 0)
		return OVERFLOW_WRAP;
	return strcmp(text, "saturate") == 0 ? OVERFLOW_SATURATE : OVERFLOW_ERROR;
}

static void print_element(const void *element, enum dtype dtype)
{
	const unsigned char *bytes = element;
	size_t i;

	for (i = dtype_size(dtype); i-- > 0;) /* little-endian hosts */
		printf("%02x", bytes[i]);
}

static enum accum accum_for(enum op op, bool floats)
{
	switch (op) {
	case OP_SUM:
	case OP_MEAN:
		return floats ? ACCUM_EXACT_SUM : ACCUM_INT_SUM;
	case OP_L1:
		return floats ? ACCUM_EXACT_ABS : ACCUM_INT_ABS;
	case OP_SUMSQ:
	case OP_L2:
		return floats ? ACCUM_EXACT_SQUARE : ACCUM_INT_SQUARE;
	case OP_DOT:
		return floats ? ACCUM_EXACT_DOT : ACCUM_INT_DOT;
	case OP_VAR:
	case OP_STD:
		return floats ? ACCUM_EXACT_MOMENTS : ACCUM_INT_MOMENTS;
	case OP_PROD:
		return ACCUM_INT_PROD;
	default:
		die("operation has no exact accumulator");
		return ACCUM_COUNT;
	}
}

static void state_init(union state *state, enum accum accum)
{
	memset(state, 0xa5, sizeof(*state)); /* void digits must not matter */
	if (accum == ACCUM_EXACT_MOMENTS) {
		exactsum_init(&state->moments.sum);
		exactsum_init(&state->moments.squares);
	} else if (accum <= ACCUM_EXACT_DOT) {
		exactsum_init(&state->sum);
	} else if (accum == ACCUM_INT_PROD) {
		intprod_init(&state->product);
	} else {
		memset(state, 0, sizeof(*state));
	}
}

static void add_float(union state *state, enum accum accum, double x, double y)
{
	if (accum == ACCUM_EXACT_SUM)
		exactsum_add(&state->sum, x);
	else if (accum == ACCUM_EXACT_ABS)
		exactsum_add(&state->sum, __builtin_fabs(x));
	else if (accum == ACCUM_EXACT_SQUARE)
		exactsum_add_product(&state->sum, x, x);
	else if (accum == ACCUM_EXACT_DOT)
		exactsum_add_product(&state->sum, x, y);
	else {
		exactsum_add(&state->moments.sum, x);
		exactsum_add_product(&state->moments.squares, x, x);
	}
}

static void add_signed(union state *state, enum accum accum, int64_t x, int64_t y)
{
	if (accum == ACCUM_INT_SUM)
		int192_add_i64(&state->integer, x);
	else if (accum == ACCUM_INT_ABS)
		int192_add_u64(&state->integer, x < 0 ? -(uint64_t)x : (uint64_t)x);
	else if (accum == ACCUM_INT_SQUARE)
		int192_add_i128(&state->integer, (__int128)x * x);
	else if (accum == ACCUM_INT_DOT)
		int192_add_i128(&state->integer, (__int128)x * y);
	else if (accum == ACCUM_INT_PROD)
		intprod_mul_i64(&state->product, x);
	else {
		int192_add_i64(&state->int_moments.sum, x);
		int192_add_i128(&state->int_moments.squares, (__int128)x * x);
	}
}

static void add_unsigned(union state *state, enum accum accum, uint64_t x, uint64_t y)
{
	if (accum == ACCUM_INT_SUM || accum == ACCUM_INT_ABS)
		int192_add_u64(&state->integer, x);
	else if (accum == ACCUM_INT_SQUARE)
		int192_add_u128(&state->integer, (unsigned __int128)x * x);
	else if (accum == ACCUM_INT_DOT)
		int192_add_u128(&state->integer, (unsigned __int128)x * y);
	else if (accum == ACCUM_INT_PROD)
		intprod_mul_u64(&state->product, x);
	else {
		int192_add_u64(&state->int_moments.sum, x);
		int192_add_u128(&state->int_moments.squares, (unsigned __int128)x * x);
	}
}

static void state_merge(union state *left, const union state *right, enum accum accum)
{
	if (accum == ACCUM_EXACT_MOMENTS) {
		exactsum_merge(&left->moments.sum, &right->moments.sum);
		exactsum_merge(&left->moments.squares, &right->moments.squares);
	} else if (accum <= ACCUM_EXACT_DOT) {
		exactsum_merge(&left->sum, &right->sum);
	} else if (accum == ACCUM_INT_PROD) {
		intprod_mul(&left->product, &right->product);
	} else if (accum == ACCUM_INT_MOMENTS) {
		int192_add(&left->int_moments.sum, &right->int_moments.sum);
		int192_add(&left->int_moments.squares, &right->int_moments.squares);
	} else {
		int192_add(&left->integer, &right->integer);
	}
}

static void reduce(char **word, size_t words)
{
	static union state states[MAX_PARTS];
	struct op_spec spec;
	struct finish_args args = {.spec = &spec};
	size_t parts, count, i;
	uint64_t element = 0;
	struct error err = {0};
	enum status status;
	char **y = NULL;

	if (words < 7 || op_parse(word[1], &spec, NULL) != STATUS_OK)
		die("bad reduce");
	args.input = parse_dtype(word[2]);
	args.result = parse_dtype(word[3]);
	args.ddof = parse_hex(word[4]);
	args.overflow = parse_overflow(word[5]);
	args.accum = accum_for(spec.op, dtype_is_float(args.input));
	parts = parse_hex(word[6]);
	if (parts < 1 || parts > MAX_PARTS)
		die("bad number of parts");
	word += 7;
	words -= 7;
	count = words;
	if (spec.op == OP_DOT) {
		count = words / 2;
		y = word + count + 1;
	}

	for (i = 0; i < parts; i++)
		state_init(&states[i], args.accum);
	for (i = 0; i < count; i++) {
		union state *state = &states[i % parts];
		const char *y_text = y != NULL ? y[i] : "0";

		if (dtype_domain(args.input) == DOMAIN_F64)
			add_float(state, args.accum, parse_double(word[i]), parse_double(y_text));
		else if (dtype_domain(args.input) == DOMAIN_I64)
			add_signed(state, args.accum, (int64_t)parse_hex(word[i]),
				   (int64_t)parse_hex(y_text));
		else
			add_unsigned(state, args.accum, parse_hex(word[i]), parse_hex(y_text));
	}
	for (i = parts - 1; i > 0; i--)
		state_merge(&states[i - 1], &states[i], args.accum);

	status = finish_value(&args, &states[0], count, count, &element, &err);
	if (status != STATUS_OK) {
		printf("%s %s\n", status_code(status), err.value);
		return;
	}
	printf("ok ");
	print_element(&element, args.result);
	printf("\n");
}

static void canonical(char **word, size_t words)
{
	static union state states[MAX_PARTS];
	struct exactsum *sum = &states[0].sum;
	size_t parts, i;
	int digit;

	if (words < 2)
		die("bad canonical");
	parts = parse_hex(word[1]);
	if (parts < 1 || parts > MAX_PARTS)
		die("bad number of parts");
	for (i = 0; i < parts; i++)
		state_init(&states[i], ACCUM_EXACT_SUM);
	for (i = 2; i < words; i++)
		exactsum_add(&states[i % parts].sum, parse_double(word[i]));
	for (i = parts - 1; i > 0; i--)
		exactsum_merge(&states[i - 1].sum, &states[i].sum);
	exactsum_normalize(sum);
	printf("%d %d", sum->lo, sum->hi);
	for (digit = sum->lo; digit <= sum->hi; digit++)
		printf(" %" PRId64, sum->digit[digit]);
	printf("\n");
}

static void parse_bigint(struct bigint *out, const char *text)
{
	size_t length = strlen(text);
	uint64_t words[BIGINT_WORDS];
	uint32_t used = 0;

	if (length > 16u * BIGINT_WORDS)
		die("integer too long");
	while (length > 0) {
		size_t piece = length > 16 ? 16 : length;
		char digits[17] = {0};

		length -= piece;
		memcpy(digits, text + length, piece);
		words[used++] = parse_hex(digits);
	}
	bigint_set_words(out, words, used);
}

static void bigint(char **word, size_t words)
{
	struct bigint a, b, out;
	bool rest = false;
	uint32_t i;

	if (words != 4)
		die("bad bigint");
	parse_bigint(&a, word[2]);
	parse_bigint(&b, word[3]);
	bigint_set_words(&out, a.word, a.used);
	if (strcmp(word[1], "add") == 0)
		bigint_add(&out, &a, &b);
	else if (strcmp(word[1], "sub") == 0)
		bigint_sub(&out, &a, &b);
	else if (strcmp(word[1], "mul") == 0)
		bigint_mul(&out, &a, &b);
	else if (strcmp(word[1], "divide") == 0)
		bigint_divide(&out, &rest, &a, &b);
	else if (strcmp(word[1], "sqrt") == 0)
		bigint_sqrt(&out, &rest, &a);
	else if (strcmp(word[1], "left") == 0)
		bigint_shift_left(&out, (uint32_t)b.word[0]);
	else if (strcmp(word[1], "right") == 0)
		bigint_shift_right(&out, (uint32_t)b.word[0], &rest);
	else
		die("no such bigint operation");

	for (i = out.used; i-- > 0;)
		printf("%016" PRIx64, out.word[i]);
	printf("%s %d\n", out.used == 0 ? "0" : "", rest);
}

static void ratio(char **word, size_t words)
{
	struct bigint num, den;
	struct exact_value value = {.num = &num, .den = &den};
	enum dtype to;
	uint64_t element = 0;

	if (words != 7)
		die("bad ratio");
	to = parse_dtype(word[1]);
	value.root = word[2][0] == '1';
	value.negative = word[3][0] == '1';
	value.exponent = strtoll(word[4], NULL, 10);
	parse_bigint(&num, word[5]);
	parse_bigint(&den, word[6]);
	round_exact(&value, to, &element);
	print_element(&element, to);
	printf("\n");
}

static void leading(char **word, size_t words)
{
	struct exactsum sum;
	struct leading number;
	uint64_t element = 0;
	enum dtype to;

	if (words < 4)
		die("bad leading");
	to = parse_dtype(word[1]);
	memset(&sum, 0xa5, sizeof(sum));
	exactsum_init(&sum);
	for (size_t i = 4; i < words; i++)
		exactsum_add(&sum, parse_double(word[i]));
	exactsum_leading(&sum, &number);
	if (strcmp(word[2], "mean") == 0)
		leading_divide(&number, parse_hex(word[3]));
	else if (strcmp(word[2], "root") == 0)
		leading_root(&number);
	leading_round(&number, to, &element);
	print_element(&element, to);
	printf("\n");
}

static void answer(char **word, size_t words)
{
	uint64_t element = 0;
	double value;

	if (strcmp(word[0], "reduce") == 0) {
		reduce(word, words);
	} else if (strcmp(word[0], "canonical") == 0) {
		canonical(word, words);
	} else if (strcmp(word[0], "ratio") == 0) {
		ratio(word, words);
	} else if (strcmp(word[0], "leading") == 0) {
		leading(word, words);
	} else if (strcmp(word[0], "bigint") == 0) {
		bigint(word, words);
	} else if (strcmp(word[0], "round") == 0 && words == 3) {
		round_f64(parse_double(word[2]), parse_dtype(word[1]), &element);
		print_element(&element, parse_dtype(word[1]));
		printf("\n");
	} else if (strcmp(word[0], "widen") == 0 && words == 3) {
		uint16_t bits = (uint16_t)parse_hex(word[2]);

		value = parse_dtype(word[1]) == DTYPE_FLOAT16 ? float16_to_f64(bits)
							      : bfloat16_to_f64(bits);
		print_element(&value, DTYPE_FLOAT64);
		printf("\n");
	} else {
		die("no such question");
	}
}

int main(void)
{
	static char *words[MAX_WORDS];
	char *line = NULL;
	size_t size = 0, count;

	while (getline(&line, &size, stdin) > 0) {
		char *save = NULL, *word = strtok_r(line, " \n", &save);

		for (count = 0; word != NULL; word = strtok_r(NULL, " \n", &save)) {
			if (count == MAX_WORDS)
				die("line too long");
			words[count++] = word;
		}
		if (count > 0)
			answer(words, count);
		fflush(stdout);
	}
	free(line);
	return 0;
}
