#include "config.h"
#include "proto/response_parts.h"

#include <stdlib.h>
#include <time.h>
#include "engine/file_cache.h"
#include "engine/resident.h"
#include "proto/npy.h"

static void write_time(struct text *text, const struct timespec *when)
{
	char date[32];
	struct tm utc;

	gmtime_r(&when->tv_sec, &utc);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
	text_quote(text, date);
}

/* What it would be made good from, were its memory lost. */
static const char *copy_name(const struct resident *array)
{
	if (array->file.path != NULL)
		return "file";
	if (array->on_disk)
		return "disk";
	if (array->copy != NULL ||
	    (array->array != NULL && array->ops->array_data(array->array) != NULL))
		return "host";
	return "none";
}

static void write_array(struct text *text, const struct resident *array)
{
	text_puts(text, "{\"name\":");
	text_quote(text, array->name);
	text_puts(text, ",\"dtype\":");
	text_quote(text, dtype_name(array->desc.dtype));
	text_puts(text, ",\"shape\":[");
	for (unsigned i = 0; i < array->desc.ndim; i++) {
		if (i > 0)
			text_puts(text, ",");
		text_uint(text, array->desc.shape[i]);
	}
	text_puts(text, array->desc.fortran ? "],\"order\":\"F\"" : "],\"order\":\"C\"");
	text_puts(text, ",\"bytes\":");
	text_uint(text, array->bytes);
	text_puts(text, ",\"backend\":");
	text_quote(text, array->backend_name);
	text_puts(text, ",\"copy\":");
	text_quote(text, copy_name(array));
	if (array->file.path != NULL) {
		text_puts(text, ",\"file\":");
		text_quote(text, array->file.path);
	}
	if (array->array == NULL) {
		text_puts(text, ",\"lost\":");
		text_quote(text, array->lost);
	}
	text_puts(text, ",\"created\":");
	write_time(text, &array->created);
	text_puts(text, "}");
}

void response_of_array(struct response *out, const struct resident *array, bool created)
{
	struct text text;

	text_init(&text, 512);
	write_array(&text, array);
	response_init_text(out, created ? 201 : 200, "application/json", &text);
}

static void write_cache(struct text *text, const struct file_cache_figures *figures)
{
	text_puts(text, ",\"cache\":{\"bytes\":");
	text_uint(text, figures->bytes);
	text_puts(text, ",\"limit\":");
	text_uint(text, figures->limit);
	text_puts(text, ",\"files\":");
	text_uint(text, figures->entries);
	text_puts(text, ",\"hits\":");
	text_uint(text, figures->hits);
	text_puts(text, ",\"misses\":");
	text_uint(text, figures->misses);
	text_puts(text, "}");
}

void response_of_arrays(struct response *out, struct arrays *arrays, struct file_cache *cache)
{
	struct resident **list = NULL;
	struct error err = {0};
	struct text text;
	struct file_cache_figures figures;
	uint64_t used;
	size_t count = 0;

	if (arrays_list(arrays, &list, &count, &err) != STATUS_OK) {
		response_of_error(out, &err, NULL);
		return;
	}
	file_cache_figures(cache, &figures);
	used = arrays_used(arrays);
	text_init(&text, 512 * (count + 1));
	text_puts(&text, "{\"arrays\":[");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			text_puts(&text, ",");
		write_array(&text, list[i]);
	}
	arrays_list_free(list, count);
	text_puts(&text, "],\"bytes\":");
	text_uint(&text, used > figures.bytes ? used - figures.bytes : 0);
	text_puts(&text, ",\"budget\":");
	text_uint(&text, arrays_budget(arrays));
	write_cache(&text, &figures);
	text_puts(&text, "}");
	response_init_text(out, 200, "application/json", &text);
}

void response_of_array_data(struct response *out, struct resident *array)
{
	const size_t size = npy_header_room(array->desc.ndim);
	struct error err = {0};
	char *head;

	if (array->array == NULL) {
		resident_fail_lost(array, &err);
		response_of_error(out, &err, NULL);
		return;
	}
	head = malloc(size);
	if (head == NULL) {
		fail(&err, STATUS_OUT_OF_MEMORY, "no memory for the answer");
		response_of_error(out, &err, NULL);
		return;
	}
	npy_header_write(head, size, &array->desc);
	*out = (struct response){.status = 200,
				 .content_type = "application/x-npy",
				 .head = head,
				 .head_size = size,
				 .fd = -1,
				 .array = resident_keep(array)};
}
