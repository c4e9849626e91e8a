#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_json.h"
#include "clients/ctl_local.h"
#include "clients/ctl_merge.h"

#define READ_SIZE 65536u /* bytes at a time; chosen */
#define POINTER "/partials/"

/* UTF-8's byte order mark, which some editors put in front. */
#define BOM "\xEF\xBB\xBF"

/* In base64, how partial results begin: "FDPR" (docs/partials.md). */
#define BEGINNING "RkRQU"

static const char blanks[] = " \t\r\n\v\f";
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

void ctl_merge_deinit(struct ctl_merge *merge)
{
	ctl_text_deinit(&merge->list);
	free(merge->files);
	memset(merge, 0, sizeof(*merge));
}

static enum ctl_exit read_all(struct ctl_text *out, struct ctl_local *local)
{
	char bytes[READ_SIZE];
	size_t got;

	do {
		enum ctl_exit code = ctl_local_read(local, bytes, sizeof(bytes), &got);

		if (code != CTL_OK)
			return code;
		ctl_text_add(out, bytes, got);
	} while (got != 0 && !out->failed);
	return out->failed ? ctl_no_memory() : CTL_OK;
}

/* The server knows whether it is a partial result; here only that it is base64,
 * so that another file is not sent by mistake. */
static enum ctl_exit add_word(struct ctl_merge *merge, const char *name, const char *word,
			      size_t size)
{
	if (size == 0 || strspn(word, digits) < size)
		return ctl_fail(CTL_LOCAL,
				"%s: '%.*s' is no partial result: an answer with `partial`, "
				"base64, or a JSON list of these is",
				name, size < 40 ? (int)size : 40, word);
	ctl_text_puts(&merge->list, merge->count == 0 ? "\"" : ",\"");
	ctl_text_add(&merge->list, word, size);
	ctl_text_puts(&merge->list, "\"");
	merge->count++;
	return merge->list.failed ? ctl_no_memory() : CTL_OK;
}

static enum ctl_exit add_value(struct ctl_merge *merge, const char *name, const json_t *value);

static enum ctl_exit add_items(struct ctl_merge *merge, const char *name, const json_t *list)
{
	enum ctl_exit code = CTL_OK;

	for (size_t i = 0; i < json_array_size(list) && code == CTL_OK; i++)
		code = add_value(merge, name, json_array_get(list, i));
	return code;
}

static enum ctl_exit add_value(struct ctl_merge *merge, const char *name, const json_t *value)
{
	const json_t *partial = json_object_get(value, "partial");
	const json_t *results = json_object_get(value, "results");
	const char *code = ctl_json_member(value, "code");

	if (json_is_string(value))
		return add_word(merge, name, json_string_value(value), json_string_length(value));
	if (json_is_array(value))
		return add_items(merge, name, value);
	if (json_is_string(partial))
		return add_word(merge, name, json_string_value(partial),
				json_string_length(partial));
	if (json_is_array(results)) /* a batch's */
		return add_items(merge, name, results);
	if (partial != NULL)
		return ctl_fail(CTL_LOCAL,
				"%s: its `partial` is no string; that of an answer is base64",
				name);
	if (*code != '\0')
		return ctl_fail(CTL_LOCAL,
				"%s: holds a failed job (%s), which has no partial result", name,
				code);
	return ctl_fail(CTL_LOCAL,
			"%s: holds an answer without `partial`: the job must ask for it (foldctl "
			"reduce --partial)",
			name);
}

/* Whether a word goes on the partial result that ends with `before`: base64 that
 * was broken into lines. */
static bool goes_on(const char *word, char before)
{
	return before != '=' && strncmp(word, BEGINNING, strlen(BEGINNING)) != 0;
}

/* Base64 until its next beginning, without the blanks in it; *p moves behind. */
static enum ctl_exit add_base64(struct ctl_merge *merge, const char *name, const char **p)
{
	const bool known = strncmp(*p, BEGINNING, strlen(BEGINNING)) == 0;
	struct ctl_text joined = {0};
	enum ctl_exit code;

	do {
		const size_t size = strcspn(*p, blanks);

		ctl_text_add(&joined, *p, size);
		*p += size;
		*p += strspn(*p, blanks);
	} while (known && **p != '\0' && !joined.failed &&
		 goes_on(*p, joined.bytes[joined.size - 1]));
	code = joined.failed ? ctl_no_memory() : add_word(merge, name, joined.bytes, joined.size);
	ctl_text_deinit(&joined);
	return code;
}

static enum ctl_exit add_json(struct ctl_merge *merge, const char *name, const char *text,
			      size_t size)
{
	json_t *value = ctl_json_read(text, size);
	enum ctl_exit code;

	if (value != NULL)
		code = add_value(merge, name, value);
	else if (ctl_json_several(text, size))
		code = ctl_fail(CTL_LOCAL,
				"%s: holds more than one JSON value: make them a list, [..., ...]",
				name);
	else
		code = ctl_fail(CTL_LOCAL, "%s: is no JSON", name);
	json_decref(value);
	return code;
}

static enum ctl_exit add_text(struct ctl_merge *merge, const char *name,
			      const struct ctl_text *text)
{
	const char *p = text->size == 0 ? "" : text->bytes;
	const char *end = p + text->size;
	enum ctl_exit code = CTL_OK;

	if (strlen(p) != text->size)
		return ctl_fail(CTL_LOCAL, "%s: a NUL byte, which no partial result has", name);
	if (strncmp(p, BOM, strlen(BOM)) == 0)
		p += strlen(BOM);
	p += strspn(p, blanks);
	if (*p == '{' || *p == '[')
		return add_json(merge, name, p, (size_t)(end - p));
	while (*p != '\0' && code == CTL_OK)
		code = add_base64(merge, name, &p);
	return code;
}

static enum ctl_exit note_file(struct ctl_merge *merge, const char *name, size_t first)
{
	struct ctl_merge_file *files;

	if (merge->count == first)
		return ctl_fail(CTL_LOCAL, "%s: holds no partial result", name);
	files = realloc(merge->files, (merge->file_count + 1) * sizeof(*files));
	if (files == NULL)
		return ctl_no_memory();
	merge->files = files;
	files[merge->file_count++] = (struct ctl_merge_file){name, first, merge->count - first};
	return CTL_OK;
}

enum ctl_exit ctl_merge_add(struct ctl_merge *merge, const char *name)
{
	const size_t first = merge->count;
	struct ctl_text text = {0};
	struct ctl_local local;
	enum ctl_exit code = ctl_local_open(&local, name);

	if (code != CTL_OK)
		return code;
	code = read_all(&text, &local);
	if (code == CTL_OK)
		code = add_text(merge, local.name, &text);
	if (code == CTL_OK)
		code = note_file(merge, local.name, first);
	ctl_local_close(&local);
	ctl_text_deinit(&text);
	return code;
}

bool ctl_merge_place(const struct ctl_merge *merge, const char *pointer, struct ctl_text *out)
{
	unsigned long index;
	char *end;

	if (strncmp(pointer, POINTER, strlen(POINTER)) != 0)
		return false;
	index = strtoul(pointer + strlen(POINTER), &end, 10);
	if (end == pointer + strlen(POINTER))
		return false;
	for (size_t i = 0; i < merge->file_count; i++) {
		const struct ctl_merge_file *file = &merge->files[i];

		if (index < file->first || index - file->first >= file->count)
			continue;
		if (file->count == 1)
			ctl_text_printf(out, "%s: ", file->name);
		else
			ctl_text_printf(out, "%s, partial result %lu: ", file->name,
					index - file->first + 1);
		return !out->failed;
	}
	return false;
}
