#include "config.h"
#include "proto/numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "proto/json_string.h"
#include "proto/literal.h"
#include "proto/number_list.h"

struct reader {
	const char *p, *end, *text;
	const char *pointer;
	struct error *err;
	unsigned max_depth;

	unsigned depth;   /* arrays open */
	unsigned deepest; /* most at once */
	bool leaves;      /* an element came: they all lie at `deepest` */
	uint64_t at[ARRAY_MAX_NDIM];
	uint64_t length[ARRAY_MAX_NDIM];
	bool known[ARRAY_MAX_NDIM];

	struct number_list list;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_space(struct reader *r)
{
	r->p = json_skip_space(r->p, r->end);
}

static enum status bad_json(const struct reader *r, const char *why)
{
	return fail_at(r->err, STATUS_BAD_JSON, r->pointer, "%s at byte %zu of the numbers", why,
		       (size_t)(r->p - r->text));
}

/* The explained error, at the element or array being read. */
static enum status here(const struct reader *r, enum status status)
{
	const size_t size = sizeof(r->err->pointer);
	size_t used;
	unsigned i;

	if (r->err == NULL)
		return status;
	used = (size_t)snprintf(r->err->pointer, size, "%s", r->pointer);
	for (i = 0; i < r->depth && used < size; i++)
		used += (size_t)snprintf(r->err->pointer + used, size - used, "/%llu",
					 (unsigned long long)r->at[i]);
	r->err->has_pointer = true;
	return status;
}

static enum status ragged(const struct reader *r)
{
	return here(r, fail(r->err, STATUS_BAD_SHAPE,
			    "nested arrays must have one length at each level"));
}

static bool take(struct reader *r, const char *word)
{
	const size_t size = strlen(word);

	if ((size_t)(r->end - r->p) < size || memcmp(r->p, word, size) != 0)
		return false;
	r->p += size;
	return true;
}

/* What is no number: words, strings, or a mistake. */
static enum status read_word(struct reader *r)
{
	if (take(r, "true"))
		return number_list_add_bool(&r->list, true, r->err);
	if (take(r, "false"))
		return number_list_add_bool(&r->list, false, r->err);
	if (take(r, "NaN") || take(r, "\"NaN\""))
		return number_list_add_special(&r->list, NAN, r->err);
	if (take(r, "Infinity") || take(r, "\"Infinity\""))
		return number_list_add_special(&r->list, INFINITY, r->err);
	if (take(r, "-Infinity") || take(r, "\"-Infinity\""))
		return number_list_add_special(&r->list, -INFINITY, r->err);
	if (*r->p == '"' || *r->p == '{' || take(r, "null"))
		return fail(r->err, STATUS_BAD_VALUE,
			    "only numbers, booleans, \"NaN\", \"Infinity\" and \"-Infinity\" can "
			    "be elements");
	return bad_json(r, "expected a number");
}

static enum status read_element(struct reader *r)
{
	struct literal literal;
	enum status status;

	if (!is_digit(*r->p) && !(*r->p == '-' && r->end - r->p > 1 && r->p[1] != 'I')) {
		status = read_word(r);
	} else {
		if (!literal_scan(&literal, r->p, r->end))
			return bad_json(r, "malformed number");
		status = number_list_add(&r->list, &literal, r->err);
		if (status == STATUS_OK)
			r->p = literal.end;
	}
	return status == STATUS_BAD_VALUE ? here(r, status) : status;
}

/* A leaf, and its neighbours while only commas lie between them. */
static enum status read_leaves(struct reader *r)
{
	const char *next;
	enum status status;
	uint64_t run;

	if (r->depth != r->deepest)
		return ragged(r);
	r->leaves = true;
	for (;;) {
		run = r->depth > 0 ? number_list_add_run(&r->list, &r->p, r->end) : 0;
		if (run > 0) {
			r->at[r->depth - 1] += run - 1;
		} else {
			status = read_element(r);
			if (status != STATUS_OK)
				return status;
		}
		if (r->depth == 0 || r->end - r->p < 3 || *r->p != ',')
			return STATUS_OK;
		/* white space is left to the caller, but for one space */
		next = r->p + 1 + (r->p[1] == ' ');
		if (!is_digit(*next) && *next != '-')
			return STATUS_OK;
		r->p = next;
		r->at[r->depth - 1]++;
	}
}

static enum status open_array(struct reader *r)
{
	if (r->depth == r->max_depth)
		return bad_json(r, "arrays are nested too deep");
	if (r->leaves && r->depth == r->deepest)
		return ragged(r);
	r->p++;
	r->at[r->depth++] = 0;
	if (r->depth > r->deepest)
		r->deepest = r->depth;
	return STATUS_OK;
}

static enum status close_array(struct reader *r, uint64_t length)
{
	r->p++;
	r->depth--;
	if (r->known[r->depth] && r->length[r->depth] != length)
		return ragged(r);
	r->known[r->depth] = true;
	r->length[r->depth] = length;
	return STATUS_OK;
}

/* What follows a value: the arrays that end with it, and the comma before the
 * next one. *done: there is no next. */
static enum status read_ends(struct reader *r, bool *done)
{
	enum status status;

	for (;;) {
		skip_space(r);
		*done = r->depth == 0;
		if (*done)
			return r->p == r->end ? STATUS_OK : bad_json(r, "more than one value");
		if (r->p == r->end || (*r->p != ',' && *r->p != ']'))
			return bad_json(r, "expected ',' or ']'");
		if (*r->p == ',') {
			r->p++;
			r->at[r->depth - 1]++;
			return STATUS_OK;
		}
		status = close_array(r, r->at[r->depth - 1] + 1);
		if (status != STATUS_OK)
			return status;
	}
}

static enum status read_value(struct reader *r)
{
	enum status status = STATUS_OK;
	bool done = false;

	while (status == STATUS_OK && !done) {
		skip_space(r);
		if (r->p == r->end)
			return bad_json(r, "ended too early");
		if (*r->p == '[') {
			status = open_array(r);
			if (status != STATUS_OK)
				return status;
			skip_space(r);
			if (r->p == r->end || *r->p != ']')
				continue;
			status = close_array(r, 0);
		} else {
			status = read_leaves(r);
		}
		if (status == STATUS_OK)
			status = read_ends(r, &done);
	}
	return status;
}

enum status numbers_read(struct numbers *out, const char *text, size_t size,
			 const enum dtype *dtype, unsigned max_depth, const char *pointer,
			 struct error *err)
{
	const unsigned most = max_depth < ARRAY_MAX_NDIM ? max_depth : ARRAY_MAX_NDIM;
	const uint64_t guess = 64 + size / 16; /* bytes of a literal: chosen */
	bool floats = false;
	enum status status;
	struct reader r;

	for (;;) {
		r = (struct reader){.p = text,
				    .end = text + size,
				    .text = text,
				    .pointer = pointer,
				    .err = err,
				    .max_depth = most};
		status = number_list_init(&r.list, dtype, guess, err);
		if (status != STATUS_OK)
			return status;
		r.list.floats = floats;
		status = read_value(&r);
		if (status == STATUS_OK && (floats || !number_list_lost_sign(&r.list)))
			break;
		number_list_deinit(&r.list);
		if (status != STATUS_OK)
			return status;
		floats = true;
	}
	out->desc = (struct array_desc){.dtype = number_list_dtype(&r.list), .ndim = r.deepest};
	memcpy(out->desc.shape, r.length, r.deepest * sizeof(r.length[0]));
	out->data = r.list.data;
	return STATUS_OK;
}
