#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "daemon/quantity.h"

struct unit {
	const char *name;
	uint64_t factor;
};

/* Ascending: writing takes the largest that divides. */
static const struct unit size_units[] = {
	{"", 1},           {"K", 1ull << 10}, {"M", 1ull << 20},
	{"G", 1ull << 30}, {"T", 1ull << 40}, {NULL, 0},
};

static const struct unit duration_units[] = {
	{"ns", 1},         {"us", 1000},         {"ms", 1000000},
	{"s", 1000000000}, {"min", 60000000000}, {NULL, 0},
};

/* Digits of a base from *text on, which is moved behind them. */
static bool read_digits(const char **text, unsigned base, uint64_t *out)
{
	const char *p = *text;
	uint64_t value = 0;

	if (*p == '\0')
		return false;
	for (; *p >= '0' && *p < (char)('0' + base); p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	if (p == *text)
		return false;
	*text = p;
	*out = value;
	return true;
}

static bool read_with_unit(const char *text, const struct unit *units, uint64_t *out)
{
	uint64_t value;

	if (!read_digits(&text, 10, &value))
		return false;
	while (*text == ' ')
		text++;
	if (*text == '\0' && value == 0) {
		*out = 0;
		return true;
	}
	for (const struct unit *unit = units; unit->name != NULL; unit++) {
		if (strcmp(text, unit->name) != 0)
			continue;
		if (value > UINT64_MAX / unit->factor)
			return false;
		*out = value * unit->factor;
		return true;
	}
	return false;
}

static void write_with_unit(char *out, const struct unit *units, uint64_t value)
{
	const struct unit *best = units;

	for (const struct unit *unit = units; unit->name != NULL; unit++) {
		if (value % unit->factor == 0)
			best = unit;
	}
	if (value == 0)
		snprintf(out, QUANTITY_TEXT, "0");
	else
		snprintf(out, QUANTITY_TEXT, "%" PRIu64 "%s", value / best->factor, best->name);
}

bool quantity_count(const char *text, uint64_t *out)
{
	uint64_t value;

	if (!read_digits(&text, 10, &value) || *text != '\0')
		return false;
	*out = value;
	return true;
}

bool quantity_size(const char *text, uint64_t *out)
{
	return read_with_unit(text, size_units, out);
}

bool quantity_duration(const char *text, uint64_t *out)
{
	return read_with_unit(text, duration_units, out);
}

bool quantity_mode(const char *text, uint64_t *out)
{
	uint64_t value;

	if (!read_digits(&text, 8, &value) || *text != '\0')
		return false;
	*out = value;
	return true;
}

bool quantity_bool(const char *text, uint64_t *out)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i]) == 0) {
			*out = i % 2;
			return true;
		}
	}
	return false;
}

void quantity_write_size(char out[QUANTITY_TEXT], uint64_t size)
{
	write_with_unit(out, size_units, size);
}

void quantity_write_duration(char out[QUANTITY_TEXT], uint64_t ns)
{
	write_with_unit(out, duration_units, ns);
}
