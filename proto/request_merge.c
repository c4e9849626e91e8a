#include "config.h"
#include "proto/request_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/clock.h"
#include "engine/partial.h"
#include "proto/base64.h"
#include "proto/string_list.h"

#define POINTER_SIZE 40u /* of "/partials/N" */
#define LOOK_PARTS 1024u /* taken in between looks at the clock */

struct merge {
	struct json_reader r;
	struct json_span *spans;
	struct partial *state; /* of all partials so far; NULL before the first */
	/* The first that did not fit: told when every member was read and found
	 * good, like other failures of the data. */
	struct error differs;
	struct partial_finish choice;
	bool bits;
	uint64_t begun_ns, timeout_ms; /* timeout_ms 0: none */
};

/* One of the list: taken in, and forgotten. */
static enum status add_partial(struct merge *m, const char *pointer, const char *text, size_t size)
{
	struct partial *one = NULL;
	struct error why = {0};
	size_t byte_count = 0;
	void *bytes = NULL;
	enum status status = base64_decode(text, size, pointer, &bytes, &byte_count, m->r.err);

	if (status != STATUS_OK)
		return status;
	status = partial_decode(bytes, byte_count, &one, &why);
	free(bytes);
	if (status != STATUS_OK)
		return fail_at(m->r.err, status, pointer, "%s", why.text);
	if (m->state == NULL) {
		m->state = one;
		return STATUS_OK;
	}
	if (m->differs.status == STATUS_OK) {
		status = partial_merge(m->state, one, &why);
		if (status != STATUS_OK)
			fail_at(&m->differs, status, pointer, "%s", why.text);
	}
	partial_destroy(one);
	return STATUS_OK;
}

static enum status check_time(const struct merge *m, size_t parts)
{
	if (m->timeout_ms == 0 || parts % LOOK_PARTS != LOOK_PARTS - 1 ||
	    (clock_ns() - m->begun_ns) / 1000000 < m->timeout_ms)
		return STATUS_OK;
	return fail(m->r.err, STATUS_TIMEOUT,
		    "the merge was given up after its time had passed, at part %zu", parts);
}

static enum status add_all(struct merge *m, struct string_list *list)
{
	char pointer[POINTER_SIZE];
	const char *text;
	size_t size, i;
	enum status status;

	for (i = 0;; i++) {
		snprintf(pointer, sizeof(pointer), "/partials/%zu", i);
		status = string_list_next(list, &text, &size);
		if (status != STATUS_OK)
			return fail_at(m->r.err, status, pointer, "must be a string: base64");
		if (text == NULL)
			break;
		status = add_partial(m, pointer, text, size);
		if (status == STATUS_OK)
			status = check_time(m, i);
		if (status != STATUS_OK)
			return status;
	}
	if (i == 0)
		return json_fail(&m->r, STATUS_BAD_VALUE, "partials",
				 "the list is empty: there is nothing to merge");
	return STATUS_OK;
}

/* value: the index of the list among the spans, unless it is an object. */
static enum status read_partials(struct merge *m, const json_t *value)
{
	struct string_list list;
	enum status status;
	struct json_span *span;

	span = json_is_integer(value) ? &m->spans[json_integer_value(value)] : NULL;
	if (span == NULL || !string_list_init(&list, span->text, span->size))
		return json_fail(&m->r, STATUS_BAD_VALUE, "partials",
				 "must be a list of partial results");
	status = add_all(m, &list);
	string_list_deinit(&list);
	span->read = status == STATUS_OK;
	return status;
}

static enum status read_out_dtype(struct merge *m, const json_t *value)
{
	struct partial_finish *choice = &m->choice;
	char at[JSON_AT_SIZE];
	struct json_reader inner = json_enter(&m->r, "out_dtype", at);
	const char *key;
	json_t *name;
	enum status status = STATUS_OK;

	if (!json_is_object(value)) {
		choice->has_out_dtype = true;
		return json_read_dtype(&m->r, "out_dtype", value, &choice->out_dtype);
	}
	json_object_foreach((json_t *)value, key, name)
	{
		const unsigned i = choice->out_count;
		struct op_spec spec;

		/* more than there can be, or what is no operation at all */
		if (i == JOB_MAX_OPS || op_parse(key, &spec, NULL) != STATUS_OK)
			return json_fail(&inner, STATUS_BAD_JOB, key,
					 "this is no operation of these parts");
		status = json_read_dtype(&inner, key, name, &choice->out[i].dtype);
		if (status != STATUS_OK)
			break;
		memcpy(choice->out[i].key, spec.key, sizeof(spec.key));
		choice->out_count++;
	}
	return status;
}

static enum status read_member(struct merge *m, const char *key, const json_t *value)
{
	if (strcmp(key, "partials") == 0)
		return read_partials(m, value);
	if (strcmp(key, "out_dtype") == 0)
		return read_out_dtype(m, value);
	if (strcmp(key, "ddof") == 0) {
		m->choice.given_ddof = true;
		return json_read_unsigned(&m->r, key, value, &m->choice.ddof);
	}
	if (strcmp(key, "bits") == 0)
		return json_read_bool(&m->r, key, value, &m->bits);
	if (strcmp(key, "partial") == 0)
		return json_read_bool(&m->r, key, value, &m->choice.partial);
	return json_fail(&m->r, STATUS_UNKNOWN_MEMBER, key, "a merge has no such member");
}

static enum status read_members(struct merge *m, const json_t *root)
{
	const char *key;
	json_t *value;
	enum status status = STATUS_OK;

	if (!json_is_object(root))
		return fail_at(m->r.err, STATUS_BAD_JOB, "",
			       "a merge is an object with `partials`");
	json_object_foreach((json_t *)root, key, value)
	{
		status = read_member(m, key, value);
		if (status != STATUS_OK)
			return status;
	}
	if (m->state == NULL)
		return json_fail(&m->r, STATUS_BAD_JOB, "partials",
				 "there is no list of partial results");
	if (m->differs.status != STATUS_OK && m->r.err != NULL)
		*m->r.err = m->differs;
	return m->differs.status;
}

enum status request_read_merge(struct request *request, const json_t *root, struct json_span *spans,
			       struct error *err)
{
	struct merge m = {
		.r = {NULL, err, ""},
		.spans = spans,
		.begun_ns = clock_ns(),
		.timeout_ms = request->limits->timeout_ms,
	};
	struct result *result = NULL;
	enum status status = read_members(&m, root);

	if (status == STATUS_OK)
		status = partial_finish(m.state, &m.choice, request->limits, &result, err);
	if (status == STATUS_OK && m.choice.partial) {
		result->partial = m.state;
		m.state = NULL;
	}
	partial_destroy(m.state);
	if (status != STATUS_OK)
		return status;
	result->elapsed.compute_us = (clock_ns() - m.begun_ns) / 1000;
	result->elapsed.total_us = result->elapsed.compute_us;
	return request_add_result(request, result, m.bits, err);
}
