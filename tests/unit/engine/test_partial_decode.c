/* The bytes of partial results: as docs/partials.md says, and nothing else is
 * read. */
#include "config.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/crc32.h"
#include "tests/unit/cpu/harness.h"
#include "tests/unit/engine/partial_runs.h"
#include <cmocka.h> /* last: it defines fail() */

static struct engine *engine;

struct state {
	enum dtype dtype;
	enum nan_rule nan;
	enum overflow_rule overflow;
	const char *ops;
	uint64_t count, index_base;
	const void *x;
};

static struct bytes encoded(const struct state *state)
{
	struct job job = runs_job(state->ops, DETERMINISM_EXACT);
	struct array_desc desc = {.dtype = state->dtype, .ndim = 1, .shape = {state->count}};
	struct bytes bytes;
	struct task *task;

	job.partial = true;
	job.nan = state->nan;
	job.overflow = state->overflow;
	job.index_base = state->index_base;
	task = runs_reduce(engine, &job, &desc, state->x, NULL, 0);
	assert_int_equal(task->error.status, STATUS_OK);
	bytes = runs_encode(task->result->partial);
	task_destroy(task);
	return bytes;
}

/* Written by a second encoder, in Python, from docs/partials.md. */
static void bytes_are_the_documented_ones(void **state)
{
	static const float halves[] = {1.5f, -0.25f};
	static const int64_t low[] = {INT64_MIN, 7, INT64_MIN};
	static const double far[] = {NAN, 1e30, -0.5};
	static const struct {
		struct state state;
		const char *hex;
	} cases[] = {
		{{DTYPE_FLOAT32, NAN_PROPAGATE, OVERFLOW_ERROR, "sum,max", 2, 0, halves},
		 "4644505201000000768ba4a50b00000202000000000000000200000000000000"
		 "036d61780373756d01ffff0200000000400100000000000000000000f83f"},
		{{DTYPE_INT64, NAN_PROPAGATE, OVERFLOW_WRAP, "argmin,mean,prod,linf", 3, 100, low},
		 "46445052010000006d2e7dd80400010403000000000000000300000000000000"
		 "066172676d696e046c696e66046d65616e0470726f640700000000000000ffff"
		 "ffffffffffffffffffffffffffff0103000000000000000000000000000000c0"
		 "0100000000000000000000000000000080640000000000000000000000000000"
		 "0080"},
		{{DTYPE_FLOAT64, NAN_OMIT, OVERFLOW_ERROR, "var,any", 3, 0, far},
		 "46445052010000001f618ad90c01000203000000000000000200000000000000"
		 "03616e790376617201ffff050000000080ffffffffffff7446d09c2c9f0c0000"
		 "0001ffff08000000004000000000000000000000000079318429890d249a1726"
		 "274f9f0000000200000000000000"},
		{{DTYPE_UINT8, NAN_ERROR, OVERFLOW_SATURATE, "count,l2,sum", 0, 0, low},
		 "4644505201000000d728facd0502020300000000000000000000000000000000"
		 "05636f756e74026c320373756d"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes bytes = encoded(&cases[i].state);
		char hex[2 * 512 + 1] = "";

		assert_true(bytes.size <= 512);
		for (size_t k = 0; k < bytes.size; k++)
			snprintf(hex + 2 * k, 3, "%02x", bytes.data[k]);
		assert_string_equal(hex, cases[i].hex);
		free(bytes.data);
	}
}

/* A change of bytes: at an offset, `cut` of them give way to those in hex. */
struct change {
	size_t at, cut;
	const char *hex, *says;
};

static void expect_refusal(const struct bytes *bytes, const char *says)
{
	struct partial *partial = NULL;
	struct error err = {0};

	assert_int_equal(partial_decode(bytes->data, bytes->size, &partial, &err),
			 STATUS_BAD_VALUE);
	assert_null(partial);
	if (strstr(err.text, says) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static void fix_checksum(struct bytes *bytes)
{
	uint32_t crc = crc32_of(bytes->data + 12, bytes->size - 12);

	for (unsigned i = 0; i < 4; i++)
		bytes->data[8 + i] = (unsigned char)(crc >> 8 * i);
}

static struct bytes change_bytes(const struct state *state, const struct change *change)
{
	struct bytes bytes = encoded(state), changed = {.data = malloc(8192)};
	size_t added = strlen(change->hex) / 2;
	unsigned byte;

	assert_non_null(changed.data);
	assert_true(change->at + change->cut <= bytes.size);
	memcpy(changed.data, bytes.data, change->at);
	for (size_t i = 0; i < added; i++) {
		assert_int_equal(sscanf(change->hex + 2 * i, "%2x", &byte), 1);
		changed.data[change->at + i] = (unsigned char)byte;
	}
	changed.size = bytes.size - change->cut + added;
	memcpy(changed.data + change->at + added, bytes.data + change->at + change->cut,
	       bytes.size - change->at - change->cut);
	free(bytes.data);
	if (change->at >= 12)
		fix_checksum(&changed);
	return changed;
}

static void check_change(const struct state *state, const struct change *change)
{
	struct bytes changed = change_bytes(state, change);

	expect_refusal(&changed, change->says);
	free(changed.data);
}

/* As other elements would have left it. */
static void check_taken(const struct state *state, struct change change)
{
	struct bytes changed = change_bytes(state, &change);
	struct partial *partial = runs_decode(&changed);
	struct bytes again = runs_encode(partial);

	assert_int_equal(again.size, changed.size);
	assert_memory_equal(again.data, changed.data, changed.size);
	free(again.data);
	free(changed.data);
	partial_destroy(partial);
}

#define CHECK_CHANGES(state, changes)                                               \
	do {                                                                        \
		for (size_t c = 0; c < sizeof(changes) / sizeof((changes)[0]); c++) \
			check_change(&(state), &(changes)[c]);                      \
	} while (0)

/* max: offset 32, sum: 36; kind of the sum 40, p 41, n 43, digits 45 and 49; kind of the
 * maximum 53, its value 54, the end 62. */
static void floats_that_cannot_be(void **state)
{
	static const float x[] = {1.5f, -0.25f};
	static const struct state base = {DTYPE_FLOAT32, 0, 0, "sum,max", 2, 0, x};
	static const struct change changes[] = {
		{0, 1, "00", "begins otherwise"},
		{4, 1, "02", "version 2"},
		{4, 1, "00", "version 0"},
		{8, 1, "00", "checksum"},
		{31, 31, "", "too short"},
		{12, 1, "0d", "element type"},
		{13, 1, "03", "NaN rule"},
		{14, 1, "03", "no such overflow rule"},
		{14, 1, "01", "overflow rule where nothing overflows"},
		{15, 1, "00", "no operation"},
		{15, 1, "21", "too many operations"},
		{15, 1, "03", "no operation \"?\""},
		{16, 1, "01", "impossible count"},
		{24, 1, "01", "impossible count"},
		{16, 16, "00000000000000400000000000000040", "no array has so many"},
		{32, 1, "20", "too long"},
		{33, 3, "6d6979", "no operation \"miy\""},
		{33, 3, "6d6100", "no operation \"ma\""},
		{33, 3, "766172", "not in order"},
		{33, 3, "73756d", "not in order"},
		{32, 4, "046c703a33", "no exact form"},
		{40, 1, "07", "unknown kind of sum of x"},
		{41, 2, "bbff", "out of place in the sum of x"},
		{41, 2, "4400", "out of place in the sum of x"},
		{40, 13, "024200020001000000ffffffff", "out of place in the sum of x"},
		{40, 13, "014200010001000000", "out of place in the sum of x"},
		{43, 2, "0000", "out of place in the sum of x"},
		{43, 2, "00ff", "out of place in the sum of x"},
		{45, 4, "00000000", "not normalized in the sum of x"},
		{49, 4, "00000000", "not normalized in the sum of x"},
		{41, 2, "0500", "such a sum"},
		{41, 2, "faff", "such a sum"},
		{53, 1, "02", "kind of extreme"},
		{54, 1, "01", "such an extreme"},
		{54, 8, "010000000000f0ff", "such an extreme"},
		{54, 8, "000000000000", "ends early"},
		{62, 0, "00", "left at its end"},
	};

	(void)state;
	CHECK_CHANGES(base, changes);
	check_taken(&base, (struct change){40, 22, "0500000000000000f0ff", ""});
	check_taken(&base, (struct change){40, 13, "04", ""});
}

/* Specials and sums of terms that are never negative. l1: 32, l2: 35, linf: 38;
 * kind of the sum of magnitudes 43, 9 bytes; of squares 52, 9 bytes; maximum 61. */
static void magnitudes_that_cannot_be(void **state)
{
	static const double x[] = {-2};
	static const struct state base = {DTYPE_FLOAT64, NAN_OMIT, 0, "l1,l2,linf", 1, 0, x};
	static const struct change changes[] = {
		{43, 1, "02", "such a sum"},
		{43, 9, "03", "negative zero where none can be, in the sum of |x|"},
		{43, 9, "05", "such a sum"},
		{43, 9, "06", "such a sum"},
		{52, 1, "02", "such a sum"},
		{52, 9, "05", "such a sum"},
		{52, 9, "03", "in the sum of x*x"},
		{61, 9, "01", "such an extreme"},
		{62, 8, "00000000000000c0", "such an extreme"},
		{62, 8, "000000000000f87f", "such an extreme"},
	};

	(void)state;
	CHECK_CHANGES(base, changes);
}

/* var: kind of the sum 36, p 37, n 39, digit 41 (3); of squares 45 (5). */
static void moments_that_contradict(void **state)
{
	static const double x[] = {1, 2};
	static const struct state base = {DTYPE_FLOAT64, 0, 0, "var", 2, 0, x};
	static const struct change changes[] = {
		{50, 4, "04000000", "sum of squares"}, /* 2 * 4 < 3 * 3 */
		{45, 9, "00", "sum of squares"},
		{45, 9, "04", "in one term alone"},
		{36, 9, "04", "in one term alone"},
		{36, 9, "03", "negative zero where none can be"},
	};
	static const int64_t n[] = {1, 2};
	static const struct state integers = {DTYPE_INT64, 0, 0, "std", 2, 0, n};
	static const struct change integer_changes[] = {
		{60, 1, "04", "sum of squares"},
		{60, 1, "00", "sum of squares"},
	};

	(void)state;
	CHECK_CHANGES(base, changes);
	CHECK_CHANGES(integers, integer_changes);
}

/* One element, -2: its sums are its own. l1: 32, sum: 35, sumsq: 39; kind of the sum 45,
 * p 46, n 48, digit 50; of magnitudes 54, digit 59; of squares 63, digit 68. */
static void sums_of_one_element(void **state)
{
	static const double x[] = {-2};
	static const struct state base = {DTYPE_FLOAT64, NAN_OMIT, 0, "l1,sum,sumsq", 1, 0, x};
	static const struct change changes[] = {
		{68, 1, "03", "sum of squares"},    {68, 1, "05", "sum of squares"},
		{59, 1, "03", "sum of magnitudes"}, {59, 1, "01", "sum of magnitudes"},
		{54, 9, "00", "sum of magnitudes"}, {50, 1, "01", "sum of magnitudes"},
		{45, 9, "06", "a sum that is NaN"}, {45, 9, "05", "in one term alone"},
		{54, 9, "04", "in one term alone"}, {45, 27, "060404", "a sum that is NaN"},
	};
	static const struct state sum = {DTYPE_FLOAT64, NAN_OMIT, 0, "sum", 1, 0, x};
	static const struct change nan = {36, 9, "06", "a sum that is NaN"};
	static const struct state error = {DTYPE_FLOAT64, NAN_ERROR, 0, "sum", 1, 0, x};
	static const struct state any = {DTYPE_FLOAT64, NAN_PROPAGATE, 0, "sum", 1, 0, x};
	static const int64_t n[] = {-2};
	static const struct state integers = {DTYPE_INT64, 0, 0, "l1,sum,sumsq", 1, 0, n};
	static const struct change integer_changes[] = {
		{45, 1, "fd", "sum of magnitudes"}, {69, 1, "01", "sum of magnitudes"},
		{69, 1, "03", "sum of magnitudes"}, {93, 1, "03", "sum of squares"},
		{93, 1, "05", "sum of squares"},
	};

	(void)state;
	CHECK_CHANGES(base, changes);
	CHECK_CHANGES(integers, integer_changes);
	check_taken(&base, (struct change){45, 27, "050404", ""});
	check_change(&sum, &nan);
	check_change(&error, &nan);
	check_taken(&any, nan);
}

/* Two of them: 1 and -2. Positions as above: the sum -1, 3, 5. */
static void sums_of_two_elements(void **state)
{
	static const double x[] = {1, -2};
	static const struct state base = {DTYPE_FLOAT64, NAN_OMIT, 0, "l1,sum,sumsq", 2, 0, x};
	static const struct change changes[] = {
		{50, 1, "04", "sum of magnitudes"}, /* |-4| > 3 */
		{59, 1, "04", "sum of squares"},    /* 2 * 5 < 4 * 4 */
	};

	(void)state;
	CHECK_CHANGES(base, changes);
	check_taken(&base, (struct change){50, 1, "03", ""});
	check_taken(&base, (struct change){45, 27, "060404", ""}); /* inf and -inf */
}

/* max: 32, min: 36; kind of the minimum 40, value 41; of the maximum 49, value 50. */
static void extremes_that_cross(void **state)
{
	static const double x[] = {-0.0, 0.0};
	static const int64_t n[] = {-1, 1};
	static const uint64_t u[] = {1, 1ull << 63};
	static const struct state floats = {DTYPE_FLOAT64, 0, 0, "max,min", 2, 0, x};
	static const struct state one = {DTYPE_FLOAT64, 0, 0, "max,min", 1, 0, x};
	static const struct state integers = {DTYPE_INT64, 0, 0, "max,min", 2, 0, n};
	static const struct state integer = {DTYPE_INT64, 0, 0, "max,min", 1, 0, n};
	static const struct state naturals = {DTYPE_UINT64, 0, 0, "max,min", 2, 0, u};
	static const char above[] = "a minimum above the maximum";
	const struct change crossed = {41, 17, "0000000000000000000000000000000080", above};
	const struct change two = {50, 8, "0000000000000000", "extremes of one element"};

	(void)state;
	check_change(&floats, &crossed); /* +0 above -0 */
	check_change(&floats, &(struct change){41, 8, "000000000000f03f", above});
	check_change(&one, &two); /* -0 and +0 */
	check_change(&integers, &(struct change){41, 8, "0200000000000000", above});
	check_change(&integer, &two);
	check_change(&naturals, &(struct change){50, 8, "0000000000000000", above});
	check_taken(&floats, (struct change){41, 8, "000000000000f0bf", ""});
	check_taken(&integers, (struct change){41, 8, "0100000000000000", ""});
	check_change(&floats, &(struct change){40, 9, "01", "a NaN in one term alone"});
	check_change(&floats, &(struct change){49, 9, "01", "a NaN in one term alone"});
	check_taken(&floats, (struct change){40, 18, "0101", ""});
}

/* min: 32, sum: 36, sumsq: 40; kind of the sum 46, of squares 47, of the minimum 48,
 * value 49: both are 0. */
static void specials_that_contradict(void **state)
{
	static const double x[] = {0, 0};
	static const struct state base = {DTYPE_FLOAT64, 0, 0, "min,sum,sumsq", 2, 0, x};
	static const struct change changes[] = {
		{48, 9, "01", "a NaN in one term alone"},
		{46, 11, "000601", "a sum beside such a NaN"},
		{46, 11, "040601", "a sum beside such a NaN"},
		{46, 2, "0606", "a NaN in one term alone"},
		{49, 8, "000000000000f0ff", "an infinity or NaN in one term alone"},
		{46, 1, "04", "an infinity or NaN in one term alone"},
	};

	(void)state;
	CHECK_CHANGES(base, changes);
	check_taken(&base, (struct change){46, 11, "060601", ""});
}

/* linf: 35, l1: 32, sum: 40, sumsq: 44; kind of the sum 50, of magnitudes 51, of
 * squares 52, of the greatest 53, value 54. */
static void negative_zeros_that_are_not(void **state)
{
	static const double x[] = {-0.0, -0.0};
	static const struct state base = {DTYPE_FLOAT64, 0, 0, "l1,linf,sum,sumsq", 2, 0, x};
	static const char says[] = "beside a sum of negative zeros";
	static const struct state two = {DTYPE_FLOAT64, 0, 0, "l1,sum", 2, 0, x};
	const struct change changes[] = {
		{52, 1, "010000010001000000", says},
		{54, 8, "000000000000f03f", says},
	};

	(void)state;
	CHECK_CHANGES(base, changes);
	check_change(&two, &(struct change){40, 1, "010000010001000000", says});
	/* 1 - 1 */
	check_taken(&base, (struct change){50, 12,
					   "00"
					   "010000010002000000"
					   "010000010002000000"
					   "00000000000000f03f",
					   ""});
}

/* argmax: 32, count_nonzero: 39, sum: 53; sum 57 (24 bytes); kind of the maximum
 * 81, value 82, index 90; not zero 98. */
static void integers_that_cannot_be(void **state)
{
	static const int8_t x[] = {-128, 127};
	static const struct state base = {DTYPE_INT8, 0, 0, "argmax,count_nonzero,sum", 2, 0, x};
	static const struct change changes[] = {
		{57, 24, "ff0000000000000000000000000000000000000000000000",
		 "such a sum"},                /* 2 * 127 + 1 */
		{57, 2, "fffe", "such a sum"}, /* -2 * 128 - 1 */
		{81, 9, "01", "such an extreme"},
		{82, 8, "8000000000000000", "such an extreme"},
		{82, 8, "7fffffffffffffff", "such an extreme"},
		{97, 1, "80", "such an index"},
		{98, 1, "03", "such a count"},
	};

	(void)state;
	CHECK_CHANGES(base, changes);
	check_taken(&base, (struct change){57, 2, "00ff", ""});
}

/* prod: kind 37, words 38, the first 39. */
static void products_that_cannot_be(void **state)
{
	static const int8_t x[] = {2, 3};
	static const bool yes[] = {true, true};
	static const struct state int8 = {DTYPE_INT8, 0, 0, "prod", 2, 0, x};
	static const struct state uint8 = {DTYPE_UINT8, 0, 0, "prod", 2, 0, x};
	static const struct state boolean = {DTYPE_BOOL, 0, 0, "prod", 2, 0, yes};
	static const struct change int8_changes[] = {
		{37, 1, "05", "kind of product"},
		{38, 1, "12", "out of place"},
		{38, 9, "00", "not normalized"},
		{38, 9, "0206000000000000000000000000000000", "not normalized"},
		{39, 8, "0140000000000000", "such a product"}, /* 128^2 is the most */
		{37, 10, "030000000000000000", "such a product"},
		{12, 1, "0c", "no exact form"},
	};
	static const struct change uint8_changes[] = {
		{37, 1, "02", "such a product"},
		{39, 8, "0000010000000000", "such a product"},
	};
	static const struct change bool_changes[] = {
		{37, 1, "02", "such a product"},
		{39, 8, "0200000000000000", "such a product"},
	};

	(void)state;
	CHECK_CHANGES(int8, int8_changes);
	CHECK_CHANGES(uint8, uint8_changes);
	CHECK_CHANGES(boolean, bool_changes);
	/* What is at the border is taken. */
	check_taken(&int8, (struct change){39, 8, "0040000000000000", ""});
	check_taken(&uint8, (struct change){39, 8, "01fe000000000000", ""});
	check_taken(&int8, (struct change){37, 10, "00", ""});
}

/* Nothing took part: there are no terms. */
static void nothing_left_is_nothing_kept(void **state)
{
	static const double nans[] = {NAN, NAN};
	static const struct state base = {DTYPE_FLOAT64, NAN_OMIT, 0, "min,sum", 2, 0, nans};
	static const struct change changes[] = {
		{40, 0, "00", "left at its end"},
		{13, 1, "00", "impossible count"},
		{24, 1, "01", "ends early"},
	};
	struct bytes bytes = encoded(&base);

	(void)state;
	assert_int_equal(bytes.size, 40);
	free(bytes.data);
	CHECK_CHANGES(base, changes);
}

/* Cut anywhere, or with any bit turned, it is refused. */
static void damage_is_found(void **state)
{
	static const double x[] = {1e300, -1e-300, 3};
	static const struct state base = {DTYPE_FLOAT64, 0, 0, "argmin,l2,max,sum,var", 3, 0, x};
	struct bytes bytes = encoded(&base);

	(void)state;
	for (size_t size = 0; size < bytes.size; size++) {
		struct bytes cut = {bytes.data, size};

		expect_refusal(&cut, size < 32 ? "too short" : "checksum");
	}
	for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
		bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		expect_refusal(&bytes, "");
		bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	free(bytes.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_the_documented_ones),
		cmocka_unit_test(floats_that_cannot_be),
		cmocka_unit_test(magnitudes_that_cannot_be),
		cmocka_unit_test(moments_that_contradict),
		cmocka_unit_test(sums_of_one_element),
		cmocka_unit_test(sums_of_two_elements),
		cmocka_unit_test(extremes_that_cross),
		cmocka_unit_test(specials_that_contradict),
		cmocka_unit_test(negative_zeros_that_are_not),
		cmocka_unit_test(integers_that_cannot_be),
		cmocka_unit_test(products_that_cannot_be),
		cmocka_unit_test(nothing_left_is_nothing_kept),
		cmocka_unit_test(damage_is_found),
	};
	int failed;

	engine = harness_engine(1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	engine_destroy(engine);
	return failed;
}
