#include "config.h"
#include "proto/accept.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *const media_types[ACCEPT_FORM_COUNT] = {
	[ACCEPT_JSON] = "application/json",
	[ACCEPT_NPY] = "application/x-npy",
	[ACCEPT_ZIP] = "application/zip",
};

/* How a form stands in the header. */
struct wish {
	int exact;   /* 0: not taken; 1: by any type, 2: by application, 3: by name */
	int quality; /* thousandths */
	unsigned place;
};

static const char *skip_space(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

static const char *find(const char *s, const char *end, char c)
{
	const char *at = memchr(s, c, (size_t)(end - s));

	return at != NULL ? at : end;
}

/* A qvalue in thousandths: 0 to 1 with up to three decimals; what is none of
 * that counts as 1, as if it were not there. */
static int read_quality(const char *s, const char *end)
{
	int quality, scale = 100;

	if (s == end || (*s != '0' && *s != '1'))
		return 1000;
	quality = (*s++ - '0') * 1000;
	if (s < end && *s == '.')
		for (s++; s < end && *s >= '0' && *s <= '9' && scale > 0; s++, scale /= 10)
			quality += (*s - '0') * scale;
	return quality < 1000 ? quality : 1000;
}

/* The q among the parameters in s[0..end), which begin with ';' if any. */
static int find_quality(const char *s, const char *end)
{
	while (s < end) {
		const char *stop;

		s = skip_space(s + 1, end);
		stop = find(s, end, ';');
		if (stop - s >= 2 && (s[0] == 'q' || s[0] == 'Q') && s[1] == '=')
			return read_quality(s + 2, stop);
		s = stop;
	}
	return 1000;
}

static int match(const char *range, size_t size, const char *type)
{
	if (size == strlen(type) && strncasecmp(range, type, size) == 0)
		return 3;
	if (size == sizeof("application/*") - 1 && strncasecmp(range, "application/*", size) == 0)
		return 2;
	return size == 3 && memcmp(range, "*/*", 3) == 0;
}

static void read_range(struct wish *wishes, const char *s, const char *end, unsigned place)
{
	const char *stop = find(s, end, ';');
	int quality = find_quality(stop, end);

	while (stop > s && (stop[-1] == ' ' || stop[-1] == '\t'))
		stop--;
	for (int form = 0; form < ACCEPT_FORM_COUNT; form++) {
		int exact = match(s, (size_t)(stop - s), media_types[form]);

		if (exact > wishes[form].exact)
			wishes[form] = (struct wish){exact, quality, place};
	}
}

static bool better(const struct wish *a, const struct wish *b)
{
	if (a->quality != b->quality)
		return a->quality > b->quality;
	if (a->exact != b->exact)
		return a->exact > b->exact;
	return a->place < b->place;
}

enum accept_form accept_choose(const char *header, bool offer_npy)
{
	struct wish wishes[ACCEPT_FORM_COUNT] = {{0, 0, 0}};
	enum accept_form best = ACCEPT_JSON;
	const char *end;

	if (header == NULL)
		return ACCEPT_JSON;
	end = header + strlen(header);
	for (unsigned place = 0; header < end; place++) {
		const char *s = skip_space(header, end), *stop = find(s, end, ',');

		read_range(wishes, s, stop, place);
		header = stop < end ? stop + 1 : end;
	}

	if (better(&wishes[ACCEPT_ZIP], &wishes[best]))
		best = ACCEPT_ZIP;
	if ((offer_npy || wishes[best].quality == 0) && better(&wishes[ACCEPT_NPY], &wishes[best]))
		best = ACCEPT_NPY;
	return wishes[best].quality > 0 ? best : ACCEPT_JSON;
}
