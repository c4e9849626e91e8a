#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_job.h"

void ctl_job_deinit(struct ctl_job *job)
{
	ctl_text_deinit(&job->json);
	ctl_text_deinit(&job->query);
	ctl_text_deinit(&job->x.member);
	ctl_text_deinit(&job->with.member);
	ctl_text_deinit(&job->segments.member);
}

static void json_name(struct ctl_text *json, const char *name)
{
	ctl_text_printf(json, "%s\"%s\":", json->size == 0 ? "" : ",", name);
}

static void query_member(struct ctl_text *query, const char *name, const char *value)
{
	ctl_text_printf(query, "%s%s=", query->size == 0 ? "" : "&", name);
	ctl_text_percent(query, value);
}

static void json_string(struct ctl_text *json, const char *name, const char *value)
{
	json_name(json, name);
	ctl_text_json_string(json, value);
}

void ctl_job_string(struct ctl_job *job, const char *name, const char *value)
{
	json_string(&job->json, name, value);
	query_member(&job->query, name, value);
}

void ctl_job_literal(struct ctl_job *job, const char *name, const char *value)
{
	json_name(&job->json, name);
	ctl_text_puts(&job->json, value);
	query_member(&job->query, name, value);
}

/* A quoted copy of value[0..size). */
static void json_piece(struct ctl_text *json, const char *value, size_t size)
{
	char *copy = strndup(value, size);

	if (copy == NULL)
		json->failed = true;
	else
		ctl_text_json_string(json, copy);
	free(copy);
}

void ctl_job_strings(struct ctl_job *job, const char *name, const char *values)
{
	bool list = strchr(values, ',') != NULL;

	query_member(&job->query, name, values);
	json_name(&job->json, name);
	if (list)
		ctl_text_puts(&job->json, "[");
	for (;;) {
		size_t size = strcspn(values, ",");

		json_piece(&job->json, values, size);
		values += size;
		if (*values == '\0')
			break;
		ctl_text_puts(&job->json, ",");
		values++;
	}
	if (list)
		ctl_text_puts(&job->json, "]");
}

static bool is_integer(const char *text, size_t size)
{
	size_t sign = size != 0 && *text == '-';

	return size > sign && strspn(text + sign, "0123456789") >= size - sign;
}

static bool integers(struct ctl_text *out, const char *values, size_t *count)
{
	static const char separators[] = ", \t\r\n";
	const char *p = values + strspn(values, separators);

	for (*count = 0; *p != '\0'; (*count)++) {
		size_t size = strcspn(p, separators);

		if (!is_integer(p, size))
			return false;
		if (*count != 0)
			ctl_text_puts(out, ",");
		ctl_text_add(out, p, size);
		p += size;
		p += strspn(p, separators);
	}
	return true;
}

enum ctl_exit ctl_job_integers(struct ctl_job *job, const char *name, const char *values,
			       bool always_list, const char *option)
{
	struct ctl_text list = {0};
	size_t count;
	enum ctl_exit code = CTL_OK;

	/* So that an empty list is a string, too. */
	ctl_text_puts(&list, "");
	if (!integers(&list, values, &count)) {
		code = ctl_fail(CTL_USAGE, "%s: '%s' is not a list of integers", option, values);
	} else if (list.failed) {
		code = ctl_no_memory();
	} else {
		bool bare = count == 1 && !always_list;

		query_member(&job->query, name, list.bytes);
		json_name(&job->json, name);
		ctl_text_printf(&job->json, bare ? "%s" : "[%s]", list.bytes);
	}
	ctl_text_deinit(&list);
	return code;
}

void ctl_job_out_dtype(struct ctl_job *job, const char *value)
{
	const char *separator = "{";

	if (strchr(value, ':') == NULL) {
		ctl_job_string(job, "out_dtype", value);
		return;
	}
	job->only_json = "out_dtype";
	json_name(&job->json, "out_dtype");
	while (*value != '\0') {
		size_t size = strcspn(value, ",");
		const char *colon = memrchr(value, ':', size);
		size_t key = colon == NULL ? size : (size_t)(colon - value);

		ctl_text_puts(&job->json, separator);
		json_piece(&job->json, value, key);
		ctl_text_puts(&job->json, ":");
		json_piece(&job->json, colon == NULL ? "" : colon + 1,
			   colon == NULL ? 0 : size - key - 1);
		separator = ",";
		value += size;
		value += *value == ',';
	}
	ctl_text_puts(&job->json, "}");
}

void ctl_job_output(struct ctl_job *job, const char *path, bool overwrite)
{
	json_name(&job->json, "output");
	ctl_text_puts(&job->json, "{\"file\":");
	ctl_text_json_string(&job->json, path);
	ctl_text_puts(&job->json, overwrite ? ",\"overwrite\":true}" : "}");
	query_member(&job->query, "output", path);
	if (overwrite)
		job->only_json = "overwrite";
}

void ctl_job_describe_data(const struct ctl_job *job, struct ctl_text *json, struct ctl_text *query)
{
	const struct {
		const char *name, *value;
		enum { STRING, LITERAL, LIST } type;
	} members[] = {
		{"dtype", job->dtype, STRING},         {"shape", job->shape, LIST},
		{"byteorder", job->byteorder, STRING}, {"offset", job->offset, LITERAL},
		{"format", job->format_name, STRING},
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (members[i].value == NULL)
			continue;
		if (query != NULL)
			query_member(query, members[i].name, members[i].value);
		if (json == NULL)
			continue;
		if (members[i].type == STRING) {
			json_string(json, members[i].name, members[i].value);
			continue;
		}
		json_name(json, members[i].name);
		ctl_text_printf(json, members[i].type == LIST ? "[%s]" : "%s", members[i].value);
	}
}
