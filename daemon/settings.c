#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/log.h"
#include "daemon/quantity.h"
#include "daemon/settings.h"
#include "engine/arrays.h"

enum key_type {
	KEY_COUNT,
	KEY_SIZE,
	KEY_DURATION,
	KEY_MODE,
	KEY_BOOL,
	KEY_LEVEL,
	KEY_COPY,
	KEY_TEXT,
	KEY_LIST
};

struct key {
	const char *section, *name;
	enum key_type type;
	size_t offset;
	uint64_t least, most; /* of the stored value */
	uint64_t unit;        /* of durations: ns in one stored unit */
};

#define AT(member) offsetof(struct settings, member)
#define MS 1000000u
#define S 1000000000u
#define DAY_MS 86400000u
#define ANY UINT64_MAX / 4 /* leaves room for sums */

/* In the order in which settings_print() writes them. */
static const struct key keys[] = {
	{"listen", "tcp", KEY_LIST, AT(tcp), 0, 0, 0},
	{"listen", "unix", KEY_TEXT, AT(unix_path), 0, 0, 0},
	{"listen", "unix_mode", KEY_MODE, AT(unix_mode), 0, 0777, 0},
	{"listen", "allow_remote", KEY_BOOL, AT(allow_remote), 0, 1, 0},
	{"listen", "port_file", KEY_TEXT, AT(port_file), 0, 0, 0},
	{"http", "threads", KEY_COUNT, AT(http_threads), 0, 1024, 0},
	{"http", "connections", KEY_COUNT, AT(connections), 1, 1000000, 0},
	{"http", "connections_per_address", KEY_COUNT, AT(connections_per_address), 0, 1000000, 0},
	{"http", "idle", KEY_DURATION, AT(idle_s), 1, 86400, S},
	{"http", "memory", KEY_SIZE, AT(connection_memory), 16384, 1u << 30, 0},
	{"compute", "threads", KEY_COUNT, AT(compute_threads), 0, 1024, 0},
	{"compute", "workers", KEY_COUNT, AT(workers), 1, 1024, 0},
	{"compute", "spool_dir", KEY_TEXT, AT(spool_directory), 0, 0, 0},
	{"compute", "restart_lost", KEY_BOOL, AT(restart_lost), 0, 1, 0},
	{"compute", "restart_age", KEY_DURATION, AT(restart_age_ms), 0, DAY_MS, MS},
	{"files", "root", KEY_LIST, AT(roots), 0, 0, 0},
	{"files", "write_root", KEY_LIST, AT(write_roots), 0, 0, 0},
	{"arrays", "budget", KEY_SIZE, AT(array_budget), 0, ANY, 0},
	{"arrays", "cache", KEY_COUNT, AT(cache_percent), 0, 100, 0},
	{"arrays", "copy", KEY_COPY, AT(array_copy), 0, ARRAY_COPY_NONE, 0},
	{"arrays", "directory", KEY_TEXT, AT(array_directory), 0, 0, 0},
	{"limits", "body", KEY_SIZE, AT(limits.body), 0, ANY, 0},
	{"limits", "json", KEY_SIZE, AT(limits.json), 1, ANY, 0},
	{"limits", "depth", KEY_COUNT, AT(limits.depth), 1, 1000, 0},
	{"limits", "jobs", KEY_COUNT, AT(limits.jobs), 1, ANY, 0},
	{"limits", "state", KEY_SIZE, AT(limits.state), 1, ANY, 0},
	{"limits", "spool", KEY_SIZE, AT(limits.spool), 0, ANY, 0},
	{"limits", "json_elements", KEY_COUNT, AT(limits.json_elements), 0, ANY, 0},
	{"limits", "inline", KEY_DURATION, AT(limits.inline_ns), 0, ANY, 1},
	{"limits", "queue_jobs", KEY_COUNT, AT(limits.queue_jobs), 0, ANY, 0},
	{"limits", "timeout", KEY_DURATION, AT(limits.timeout_ms), 0, 366ull * DAY_MS, MS},
	{"limits", "files", KEY_COUNT, AT(limits.files), 1, ANY, 0},
	{"log", "level", KEY_LEVEL, AT(log_level), 0, LOG_LEVEL_COUNT - 1, 0},
	{"drain", "limit", KEY_DURATION, AT(drain_ms), 0, DAY_MS, MS},
};
#define KEY_TOTAL (sizeof(keys) / sizeof(keys[0]))

static const struct key *find_key(const char *section, const char *name)
{
	for (size_t i = 0; i < KEY_TOTAL; i++) {
		if (strcmp(keys[i].section, section) == 0 && strcmp(keys[i].name, name) == 0)
			return &keys[i];
	}
	return NULL;
}

static void *field(const struct settings *settings, const struct key *key)
{
	return (char *)settings + key->offset;
}

static enum status no_memory(struct error *err)
{
	return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the configuration");
}

static enum status append(struct strings *list, const char *value, struct error *err)
{
	char **items = realloc(list->items, (list->count + 1) * sizeof(*items));

	if (items == NULL)
		return no_memory(err);
	list->items = items;
	items[list->count] = strdup(value);
	if (items[list->count] == NULL)
		return no_memory(err);
	list->count++;
	return STATUS_OK;
}

static void clear(struct strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct strings){0};
}

/* "" takes a text key back to none. */
static enum status set_text(char **out, const char *value, struct error *err)
{
	char *copy = NULL;

	if (*value != '\0') {
		copy = strdup(value);
		if (copy == NULL)
			return no_memory(err);
	}
	free(*out);
	*out = copy;
	return STATUS_OK;
}

/* In the order of enum array_copy. */
static const char *const copies[] = {"host", "disk", "none"};

static bool read_copy(const char *text, uint64_t *out)
{
	for (uint64_t i = 0; i <= ARRAY_COPY_NONE; i++) {
		if (strcmp(text, copies[i]) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

static const char *expected(enum key_type type)
{
	switch (type) {
	case KEY_SIZE:
		return "a size such as 64M";
	case KEY_DURATION:
		return "a duration such as 200us, 10s or 5min";
	case KEY_MODE:
		return "an octal mode such as 0660";
	case KEY_BOOL:
		return "yes or no";
	case KEY_LEVEL:
		return "error, warning, info or debug";
	case KEY_COPY:
		return "host, disk or none";
	default:
		return "a number";
	}
}

static bool read_number(const struct key *key, const char *text, uint64_t *out)
{
	enum log_level level;

	switch (key->type) {
	case KEY_SIZE:
		return quantity_size(text, out);
	case KEY_DURATION:
		if (!quantity_duration(text, out) || *out % key->unit != 0)
			return false;
		*out /= key->unit;
		return true;
	case KEY_MODE:
		return quantity_mode(text, out);
	case KEY_BOOL:
		return quantity_bool(text, out);
	case KEY_LEVEL:
		if (!log_level_from_name(text, &level))
			return false;
		*out = level;
		return true;
	case KEY_COPY:
		return read_copy(text, out);
	default:
		return quantity_count(text, out);
	}
}

static void write_number(const struct key *key, uint64_t value, char out[QUANTITY_TEXT])
{
	switch (key->type) {
	case KEY_SIZE:
		quantity_write_size(out, value);
		break;
	case KEY_DURATION:
		quantity_write_duration(out, value * key->unit);
		break;
	case KEY_MODE:
		snprintf(out, QUANTITY_TEXT, "%04" PRIo64, value);
		break;
	case KEY_BOOL:
		snprintf(out, QUANTITY_TEXT, "%s", value != 0 ? "yes" : "no");
		break;
	case KEY_LEVEL:
		snprintf(out, QUANTITY_TEXT, "%s", log_level_name((enum log_level)value));
		break;
	case KEY_COPY:
		snprintf(out, QUANTITY_TEXT, "%s", copies[value]);
		break;
	default:
		snprintf(out, QUANTITY_TEXT, "%" PRIu64, value);
		break;
	}
}

static enum status set_number(struct settings *settings, const struct key *key, const char *text,
			      struct error *err)
{
	char least[QUANTITY_TEXT], most[QUANTITY_TEXT];
	uint64_t value;

	if (!read_number(key, text, &value))
		return fail(err, STATUS_BAD_VALUE, "%s.%s: \"%s\" is not %s%s", key->section,
			    key->name, text, expected(key->type),
			    key->unit == MS  ? ", in whole milliseconds"
			    : key->unit == S ? ", in whole seconds"
					     : "");
	if (value < key->least || value > key->most) {
		write_number(key, key->least, least);
		write_number(key, key->most, most);
		return fail(err, STATUS_BAD_VALUE, "%s.%s: %s is not between %s and %s",
			    key->section, key->name, text, least, most);
	}
	*(uint64_t *)field(settings, key) = value;
	return STATUS_OK;
}

enum status settings_set(struct settings *settings, const char *section, const char *name,
			 const char *value, struct error *err)
{
	const struct key *key = find_key(section, name);

	if (key == NULL && *section == '\0')
		return fail(err, STATUS_BAD_VALUE, "the key %s stands in no [section]", name);
	if (key == NULL)
		return fail(err, STATUS_BAD_VALUE, "there is no key %s.%s", section, name);
	if (key->type == KEY_TEXT)
		return set_text(field(settings, key), value, err);
	if (key->type != KEY_LIST)
		return set_number(settings, key, value, err);
	if (*value == '\0')
		return fail(err, STATUS_BAD_VALUE, "%s.%s is empty", section, name);
	return append(field(settings, key), value, err);
}

void settings_clear(struct settings *settings, const char *section, const char *name)
{
	const struct key *key = find_key(section, name);

	if (key != NULL && key->type == KEY_LIST)
		clear(field(settings, key));
}

void settings_init(struct settings *out)
{
	*out = (struct settings){
		.unix_mode = 0660,
		.connections = 1000,
		.idle_s = 60,
		.connection_memory = 256 * 1024, /* fewest recv() a MiB for what
						  * clearing it costs (measured) */
		.workers = 2,
		.cache_percent = 50,
		.restart_lost = 1,
		.restart_age_ms = 60000,
		.log_level = LOG_INFO,
		.drain_ms = 30000,
	};
	limits_default(&out->limits);
}

void settings_deinit(struct settings *settings)
{
	for (size_t i = 0; i < KEY_TOTAL; i++) {
		if (keys[i].type == KEY_LIST)
			clear(field(settings, &keys[i]));
		else if (keys[i].type == KEY_TEXT)
			free(*(char **)field(settings, &keys[i]));
	}
}

enum status settings_finish(struct settings *settings, struct error *err)
{
	if (settings->array_copy == ARRAY_COPY_DISK && settings->array_directory == NULL)
		return fail(err, STATUS_BAD_VALUE,
			    "arrays.copy = disk needs arrays.directory, where the copies are");
	if (settings->tcp.count == 0 && settings->unix_path == NULL)
		return append(&settings->tcp, "127.0.0.1:7460", err);
	return STATUS_OK;
}

void settings_print(const struct settings *settings, FILE *out)
{
	const char *section = "";

	for (size_t i = 0; i < KEY_TOTAL; i++) {
		const struct key *key = &keys[i];
		const void *value = field(settings, key);
		char text[QUANTITY_TEXT];

		if (strcmp(section, key->section) != 0)
			fprintf(out, "%s[%s]\n", i == 0 ? "" : "\n", key->section);
		section = key->section;
		if (key->type == KEY_LIST) {
			const struct strings *list = value;

			for (size_t j = 0; j < list->count; j++)
				fprintf(out, "%s = %s\n", key->name, list->items[j]);
		} else if (key->type == KEY_TEXT) {
			if (*(char *const *)value != NULL)
				fprintf(out, "%s = %s\n", key->name, *(char *const *)value);
		} else {
			write_number(key, *(const uint64_t *)value, text);
			fprintf(out, "%s = %s\n", key->name, text);
		}
	}
}
