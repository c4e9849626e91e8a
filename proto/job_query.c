#include "config.h"
#include "proto/job_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "proto/member.h"

static enum status no_memory(struct error *err)
{
	return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a query string");
}

static enum status fail_in(struct error *err, enum status status, const char *name, const char *why)
{
	char pointer[128];
	size_t used = 1;

	pointer[0] = '/';
	for (; *name != '\0' && used < sizeof(pointer) - 3; name++) {
		if (*name == '~' || *name == '/') {
			pointer[used++] = '~';
			pointer[used++] = *name == '~' ? '0' : '1';
		} else {
			pointer[used++] = *name;
		}
	}
	pointer[used] = '\0';
	return fail_at(err, status, pointer, "%s", why);
}

/* ---- decoding ---- */

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place; false when an escape is broken or gives a zero byte. */
static bool decode(char *text, size_t *size)
{
	char *out = text;
	const char *p;

	for (p = text; *p != '\0'; p++) {
		if (*p != '%') {
			*out++ = *p;
			continue;
		}
		if (hex(p[1]) < 0 || hex(p[2]) < 0)
			return false;
		*out = (char)(hex(p[1]) << 4 | hex(p[2]));
		if (*out++ == '\0')
			return false;
		p += 2;
	}
	*out = '\0';
	*size = (size_t)(out - text);
	return true;
}

/* jansson takes UTF-8 only. */
static bool is_utf8(const char *text, size_t size)
{
	json_t *string = json_stringn(text, size);
	const bool good = string != NULL;

	json_decref(string);
	return good;
}

static enum status read_pair(struct query_pair *out, char *text, struct error *err)
{
	struct query_pair pair = {.name = text};
	size_t name_size;

	pair.value = strchr(text, '=');
	pair.bare = pair.value == NULL;
	if (pair.bare)
		pair.value = text + strlen(text);
	else
		*pair.value++ = '\0';
	if (!decode(pair.name, &name_size) || !is_utf8(pair.name, name_size))
		return fail(err, STATUS_BAD_VALUE,
			    "the query string has a name with a broken escape");
	if (!decode(pair.value, &pair.value_size) || !is_utf8(pair.value, pair.value_size))
		return fail_in(err, STATUS_BAD_VALUE, pair.name,
			       "a broken %-escape, a zero byte, or not UTF-8");
	*out = pair;
	return STATUS_OK;
}

enum status query_init(struct query *out, const char *text, struct error *err)
{
	struct query query = {NULL, NULL, 0};
	char *p, *next;
	size_t pairs = 1;
	enum status status = STATUS_OK;

	if (text == NULL || text[0] == '\0') {
		*out = query;
		return STATUS_OK;
	}
	for (p = strchr(text, '&'); p != NULL; p = strchr(p + 1, '&'))
		pairs++;
	query.buffer = strdup(text);
	query.pairs = calloc(pairs, sizeof(*query.pairs));
	if (query.buffer == NULL || query.pairs == NULL) {
		query_deinit(&query);
		return no_memory(err);
	}
	for (p = query.buffer; p != NULL && status == STATUS_OK; p = next) {
		next = strchr(p, '&');
		if (next != NULL)
			*next++ = '\0';
		if (*p == '\0')
			continue;
		status = read_pair(&query.pairs[query.count], p, err);
		query.count++;
	}
	if (status != STATUS_OK) {
		query_deinit(&query);
		return status;
	}
	*out = query;
	return STATUS_OK;
}

void query_deinit(struct query *query)
{
	free(query->buffer);
	free(query->pairs);
	memset(query, 0, sizeof(*query));
}

bool query_has(const struct query *query, const char *name)
{
	size_t i;

	for (i = 0; i < query->count; i++) {
		if (strcmp(query->pairs[i].name, name) == 0)
			return true;
	}
	return false;
}

/* ---- to JSON ---- */

struct builder {
	struct query_job *job;
	const struct query *query;
	struct error *err;
	size_t numbers_used;
};

/* Text that is no number of the wanted kind stays a string: the reader of the
 * object names what is wrong with it. */
static json_t *integer_of(const char *text, size_t size)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (size == 0 || end != text + size || errno != 0 || text[0] == ' ' || text[0] == '+')
		return json_stringn(text, size);
	return json_integer(value);
}

static json_t *element_of(const char *text, size_t size, enum member_text type)
{
	char number[24];

	if (type != TEXT_INTEGERS || size >= sizeof(number))
		return json_stringn(text, size);
	memcpy(number, text, size);
	number[size] = '\0';
	return integer_of(number, size);
}

/* All the values of a name, each parted at its commas. */
static json_t *list_of(const struct builder *b, const char *name, enum member_text type)
{
	json_t *list = json_array();
	const bool split = type != TEXT_PATHS;
	size_t i;

	for (i = 0; i < b->query->count && list != NULL; i++) {
		const struct query_pair *pair = &b->query->pairs[i];
		const char *p = pair->value, *comma;

		if (strcmp(pair->name, name) != 0 || (pair->value_size == 0 && split))
			continue;
		do {
			comma = split ? strchr(p, ',') : NULL;
			if (json_array_append_new(
				    list,
				    element_of(p, comma != NULL ? (size_t)(comma - p) : strlen(p),
					       type)) != 0) {
				json_decref(list);
				return NULL;
			}
			p = comma != NULL ? comma + 1 : NULL;
		} while (p != NULL);
	}
	return list;
}

static void add_text(struct builder *b, const char *text, size_t size)
{
	memcpy(b->job->numbers + b->numbers_used, text, size);
	b->numbers_used += size;
}

/* Numbers parted by commas, or one JSON array. */
static json_t *numbers_of(struct builder *b, const char *name)
{
	struct json_span *span = &b->job->spans[b->job->span_count];
	const size_t first = b->numbers_used;
	bool any = false, nested = false;
	size_t i;

	for (i = 0; i < b->query->count; i++) {
		const struct query_pair *pair = &b->query->pairs[i];

		if (strcmp(pair->name, name) != 0)
			continue;
		if (!any) {
			nested = pair->value[0] == '[';
			if (!nested)
				add_text(b, "[", 1);
		} else {
			add_text(b, ",", 1);
		}
		any = true;
		add_text(b, pair->value, pair->value_size);
	}
	if (!nested)
		add_text(b, "]", 1);
	span->text = b->job->numbers + first;
	span->size = b->numbers_used - first;
	return json_integer((json_int_t)b->job->span_count++);
}

static json_t *boolean_of(const struct query_pair *pair)
{
	if (pair->bare || strcmp(pair->value, "true") == 0)
		return json_true();
	return strcmp(pair->value, "false") == 0 ? json_false() : json_string(pair->value);
}

/* One operation is a string in JSON, one axis an integer, ... */
static json_t *unlist(json_t *list)
{
	json_t *only;

	if (json_array_size(list) != 1)
		return list;
	only = json_incref(json_array_get(list, 0));
	json_decref(list);
	return only;
}

static json_t *value_of(struct builder *b, const struct query_pair *pair, enum member_text type)
{
	switch (type) {
	case TEXT_STRINGS:
	case TEXT_PATHS:
		return unlist(list_of(b, pair->name, type));
	case TEXT_INTEGERS:
		return list_of(b, pair->name, type);
	case TEXT_INTEGER:
		return integer_of(pair->value, pair->value_size);
	case TEXT_BOOLEAN:
		return boolean_of(pair);
	case TEXT_NUMBERS:
		return numbers_of(b, pair->name);
	default:
		return json_stringn(pair->value, pair->value_size);
	}
}

static bool is_list(enum member_text type)
{
	return type == TEXT_STRINGS || type == TEXT_PATHS || type == TEXT_INTEGERS ||
	       type == TEXT_NUMBERS;
}

static enum status add_pair(struct builder *b, const struct query_pair *pair)
{
	const struct member_info *info;
	enum member member;
	json_t *value;

	/* an unknown one is named by the reader of the object, in its turn */
	if (!member_from_name(pair->name, &member)) {
		value = json_stringn(pair->value, pair->value_size);
		if (value == NULL || json_object_set_new(b->job->object, pair->name, value) != 0)
			return no_memory(b->err);
		return STATUS_OK;
	}
	info = member_info(member);
	if (!(info->places & IN_QUERY))
		return fail_in(b->err, STATUS_BAD_JOB, pair->name,
			       "cannot be written in a query string");
	if (json_object_get(b->job->object, pair->name) != NULL)
		return is_list(info->text)
			       ? STATUS_OK
			       : fail_in(b->err, STATUS_BAD_JOB, pair->name, "is given twice");
	if (pair->bare && info->text != TEXT_BOOLEAN)
		return fail_in(b->err, STATUS_BAD_VALUE, pair->name, "needs a value");
	value = value_of(b, pair, info->text);
	if (value == NULL || json_object_set_new(b->job->object, pair->name, value) != 0)
		return no_memory(b->err);
	return STATUS_OK;
}

enum status query_job_init(struct query_job *out, const struct query *query, struct error *err)
{
	struct query_job job = {.object = json_object()};
	struct builder b = {.job = &job, .query = query, .err = err};
	enum status status = STATUS_OK;
	size_t i, room = 1;

	/* each value goes into one span at most, with a comma or brackets */
	for (i = 0; i < query->count; i++)
		room += query->pairs[i].value_size + 3;
	job.numbers = malloc(room);
	job.spans = calloc(query->count + 1, sizeof(*job.spans));
	if (job.object == NULL || job.numbers == NULL || job.spans == NULL)
		status = no_memory(err);
	for (i = 0; i < query->count && status == STATUS_OK; i++)
		status = add_pair(&b, &query->pairs[i]);
	if (status != STATUS_OK) {
		query_job_deinit(&job);
		return status;
	}
	*out = job;
	return STATUS_OK;
}

void query_job_deinit(struct query_job *job)
{
	json_decref(job->object);
	free(job->spans);
	free(job->numbers);
	memset(job, 0, sizeof(*job));
}
