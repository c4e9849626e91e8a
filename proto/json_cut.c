#include "config.h"
#include "proto/json_cut.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "proto/json_check.h"
#include "proto/json_string.h"

#define MAX_DEPTH 1024u

/* What a level of nesting is to a job. */
enum role { ROLE_OTHER, ROLE_BATCH, ROLE_JOBS, ROLE_JOB, ROLE_WITH, ROLE_MERGE };

struct level {
	enum role role;
	bool object;
};

struct key {
	const char *text;
	size_t size;
	bool escaped;
};

struct skim {
	struct json_cut *cut;
	const char *p, *end;
	const char *copied; /* up to here the envelope has it */
	struct level level[MAX_DEPTH];
	unsigned depth;
	struct key key; /* the last one read */
	enum json_document document;
	struct error *err;
};

static enum status bad(const struct skim *s, const char *at, const char *why)
{
	return fail(s->err, STATUS_BAD_JSON, "%s at byte %zu", why, (size_t)(at - s->cut->text));
}

static enum status too_deep(const struct skim *s)
{
	return fail(s->err, STATUS_BAD_JSON, "nested deeper than %u at byte %zu", s->cut->depth,
		    (size_t)(s->p - s->cut->text));
}

static enum status no_memory(const struct skim *s)
{
	return fail(s->err, STATUS_OUT_OF_MEMORY, "no memory for a job object");
}

/* A key's character after p[0] = '\\', where ASCII; else 0. */
static char unescape(const char **p, const char *end)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	unsigned code = 0;
	const char *at;
	int i;

	if (end - *p < 2)
		return 0;
	if ((*p)[1] != 'u') {
		at = (*p)[1] != '\0' ? strchr(from, (*p)[1]) : NULL;
		*p += 2;
		return at != NULL ? to[at - from] : 0;
	}
	if (end - *p < 6)
		return 0;
	for (i = 2; i < 6; i++) {
		char c = (*p)[i] | 0x20;

		code = code << 4 | (unsigned)(c >= 'a' ? c - 'a' + 10 : c - '0');
	}
	*p += 6;
	return code < 128 ? (char)code : 0;
}

static bool key_is(const struct key *key, const char *name)
{
	const char *p = key->text, *end = key->text + key->size;

	if (!key->escaped)
		return key->size == strlen(name) && memcmp(p, name, key->size) == 0;
	while (p < end && *name != '\0') {
		char c = *p == '\\' ? unescape(&p, end) : *p++;

		if (c != *name++)
			return false;
	}
	return p == end && *name == '\0';
}

/* The next bracket, brace or quote at or after p. */
static const char *next_mark(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i fold = _mm_set1_epi8(0x26), bracket = _mm_set1_epi8(0x7F);
	const __m128i quote = _mm_set1_epi8('"');

	for (; end - p >= 32; p += 32) {
		__m128i a = _mm_loadu_si128((const __m128i *)p);
		__m128i b = _mm_loadu_si128((const __m128i *)(p + 16));
		__m128i in_a = _mm_or_si128(_mm_cmpeq_epi8(_mm_or_si128(a, fold), bracket),
					    _mm_cmpeq_epi8(a, quote));
		__m128i in_b = _mm_or_si128(_mm_cmpeq_epi8(_mm_or_si128(b, fold), bracket),
					    _mm_cmpeq_epi8(b, quote));
		unsigned mask =
			(unsigned)_mm_movemask_epi8(in_a) | (unsigned)_mm_movemask_epi8(in_b) << 16;

		/* | 0x26 makes the four brackets, and Y _ y DEL, 0x7F */
		for (; mask != 0; mask &= mask - 1) {
			const char *at = p + __builtin_ctz(mask);

			if (*at != 'Y' && *at != 'y' && *at != '_' && *at != 0x7F)
				return at;
		}
	}
#endif
	for (; p < end; p++) {
		if (*p == '[' || *p == ']' || *p == '{' || *p == '}' || *p == '"')
			return p;
	}
	return NULL;
}

/* From an opening bracket to the place after the closing one. */
static enum status skip_array(struct skim *s)
{
	const char *p = s->p;
	unsigned depth = 0;
	bool escaped;

	do {
		p = next_mark(p, s->end);
		if (p == NULL)
			return bad(s, s->p, "no end to the array");
		if (*p == '"') {
			p = json_string_end(p, s->end, &escaped);
			if (p == NULL)
				return bad(s, s->p, "no end to the string in the array");
			continue;
		}
		if (*p == '[' || *p == '{') {
			if (depth++ == s->cut->depth) {
				s->p = p;
				return too_deep(s);
			}
		} else {
			depth--;
		}
		p++;
	} while (depth > 0);
	s->p = p;
	return STATUS_OK;
}

static enum status skip_value(struct skim *s)
{
	const char *p = s->p;
	bool escaped;

	if (*p == '[')
		return skip_array(s);
	if (*p == '"') {
		p = json_string_end(p, s->end, &escaped);
		if (p == NULL)
			return bad(s, s->p, "no end to the string");
	} else {
		while (p < s->end && strchr(",]} \t\r\n", *p) == NULL)
			p++;
	}
	s->p = p;
	return STATUS_OK;
}

static enum status envelope_add(struct skim *s, const char *text, size_t size)
{
	struct json_cut *cut = s->cut;

	if (cut->envelope_capacity - cut->envelope_size < size) {
		size_t capacity = (cut->envelope_size + size) * 2;
		char *envelope = realloc(cut->envelope, capacity);

		if (envelope == NULL)
			return no_memory(s);
		cut->envelope = envelope;
		cut->envelope_capacity = capacity;
	}
	if (size > 0)
		memcpy(cut->envelope + cut->envelope_size, text, size);
	cut->envelope_size += size;
	return STATUS_OK;
}

/* s->p is at a value to cut out. */
static enum status cut_value(struct skim *s)
{
	struct json_cut *cut = s->cut;
	const char *first = s->p;
	struct json_span *span;
	char index[24];
	enum status status = envelope_add(s, s->copied, (size_t)(first - s->copied));

	if (status == STATUS_OK)
		status = skip_value(s);
	if (status != STATUS_OK)
		return status;
	if (s->p == first)
		return bad(s, first, "no value");
	if (cut->count == cut->capacity) {
		size_t capacity = cut->capacity > 0 ? cut->capacity * 2 : 4;
		struct json_span *spans = realloc(cut->spans, capacity * sizeof(*spans));

		if (spans == NULL)
			return no_memory(s);
		cut->spans = spans;
		cut->capacity = capacity;
	}
	span = &cut->spans[cut->count];
	span->text = first;
	span->size = (size_t)(s->p - first);
	span->envelope_at = cut->envelope_size;
	span->digits = (size_t)sprintf(index, "%zu ", cut->count);
	span->read = false;
	cut->count++;
	s->copied = s->p;
	return envelope_add(s, index, span->digits);
}

static enum role role_of(const struct skim *s, bool object)
{
	static const enum role roots[] = {
		[JSON_JOB] = ROLE_JOB, [JSON_BATCH] = ROLE_BATCH, [JSON_MERGE] = ROLE_MERGE};
	const struct level *parent;

	if (s->depth == 0)
		return object ? roots[s->document] : ROLE_OTHER;
	parent = &s->level[s->depth - 1];
	if (parent->role == ROLE_BATCH && !object && key_is(&s->key, "jobs"))
		return ROLE_JOBS;
	if (parent->role == ROLE_JOBS && object)
		return ROLE_JOB;
	if (parent->role == ROLE_JOB && object && key_is(&s->key, "with"))
		return ROLE_WITH;
	return ROLE_OTHER;
}

static bool is_cut(const struct skim *s)
{
	enum role role = s->level[s->depth - 1].role;

	if (role == ROLE_WITH)
		return key_is(&s->key, "data");
	if (role == ROLE_MERGE)
		return key_is(&s->key, "partials");
	return role == ROLE_JOB && (key_is(&s->key, "data") || key_is(&s->key, "segments"));
}

/* After a key and its colon. */
static enum status after_colon(struct skim *s)
{
	while (s->p < s->end && strchr(" \t\r\n", *s->p) != NULL && *s->p != '\0')
		s->p++;
	if (s->p == s->end || *s->p == '{' || !is_cut(s))
		return STATUS_OK;
	return cut_value(s);
}

static enum status skim_string(struct skim *s)
{
	const char *first = s->p, *p;
	bool escaped;

	s->p = json_string_end(first, s->end, &escaped);
	if (s->p == NULL)
		return bad(s, first, "no end to the string");
	if (s->depth == 0 || !s->level[s->depth - 1].object)
		return STATUS_OK;
	for (p = s->p; p < s->end && *p != '\0' && strchr(" \t\r\n", *p) != NULL; p++)
		;
	if (p == s->end || *p != ':')
		return STATUS_OK; /* a value */
	s->key.text = first + 1;
	s->key.size = (size_t)(s->p - first) - 2;
	s->key.escaped = escaped;
	s->p = p + 1;
	return after_colon(s);
}

static enum status skim(struct skim *s)
{
	enum status status = STATUS_OK;

	while (status == STATUS_OK) {
		s->p = next_mark(s->p, s->end);
		if (s->p == NULL)
			break;
		if (*s->p == '"') {
			status = skim_string(s);
		} else if (*s->p == '[' || *s->p == '{') {
			bool object = *s->p == '{';

			if (s->depth == s->cut->depth)
				return too_deep(s);
			s->level[s->depth].role = role_of(s, object);
			s->level[s->depth].object = object;
			s->depth++;
			s->p++;
		} else {
			/* a closing one too many is for jansson to name */
			s->depth -= s->depth > 0 ? 1 : 0;
			s->p++;
		}
	}
	if (status != STATUS_OK)
		return status;
	return envelope_add(s, s->copied, (size_t)(s->end - s->copied));
}

enum status json_cut_init(struct json_cut *out, const char *text, size_t size,
			  enum json_document document, unsigned depth, struct error *err)
{
	struct json_cut cut = {.text = text, .size = size};
	struct skim s = {.p = text,
			 .end = text + size,
			 .copied = text,
			 .document = document,
			 .err = err,
			 .key = {.text = ""}};
	enum status status;

	cut.depth = depth < MAX_DEPTH ? depth : MAX_DEPTH;
	s.cut = &cut;
	status = skim(&s);
	if (status != STATUS_OK) {
		json_cut_deinit(&cut);
		return status;
	}
	*out = cut;
	return STATUS_OK;
}

void json_cut_deinit(struct json_cut *cut)
{
	free(cut->envelope);
	free(cut->spans);
}

/* A place in the envelope, in the document. */
static size_t document_at(const struct json_cut *cut, size_t at)
{
	size_t shift = 0, i;

	for (i = 0; i < cut->count; i++) {
		const struct json_span *span = &cut->spans[i];

		if (at < span->envelope_at + span->digits)
			break;
		shift += span->size - span->digits; /* modulo 2^64 */
	}
	at += shift;
	return at < cut->size ? at : cut->size;
}

static enum status bad_at(const struct json_cut *cut, size_t at, const char *why, struct error *err)
{
	size_t line = 1, column = 1, i;

	for (i = 0; i < at; i++) {
		column = cut->text[i] == '\n' ? 1 : column + 1;
		line += cut->text[i] == '\n' ? 1 : 0;
	}
	return fail(err, STATUS_BAD_JSON, "%s at byte %zu (line %zu, column %zu)", why, at, line,
		    column);
}

/* Values in the envelope, good JSON or not: one and each that a comma or an
 * opening bracket goes before. */
static size_t count_values(const char *p, const char *end)
{
	size_t count = 1;
	bool quoted = false;

	for (; p < end; p++) {
		if (quoted && *p == '\\' && p + 1 < end)
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && (*p == ',' || *p == '[' || *p == '{'))
			count++;
	}
	return count;
}

enum status json_cut_parse(const struct json_cut *cut, json_t **out, struct error *err)
{
	const char *zero =
		cut->envelope != NULL ? memchr(cut->envelope, '\0', cut->envelope_size) : NULL;
	json_error_t error;
	json_t *root;
	char *near;
	size_t at;

	/* jansson would take a zero byte for the end of the text */
	if (zero != NULL)
		return bad_at(cut, document_at(cut, (size_t)(zero - cut->envelope)), "a zero byte",
			      err);
	if (cut->envelope_size > JSON_CUT_VALUES &&
	    count_values(cut->envelope, cut->envelope + cut->envelope_size) > JSON_CUT_VALUES)
		return fail(err, STATUS_TOO_LARGE,
			    "the JSON has more than %u values beside its number arrays",
			    JSON_CUT_VALUES);
	root = json_loadb(cut->envelope != NULL ? cut->envelope : "", cut->envelope_size,
			  JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	if (root != NULL) {
		*out = root;
		return STATUS_OK;
	}
	/* what stands near it may be one of our indices */
	near = strstr(error.text, " near ");
	if (near != NULL)
		*near = '\0';
	at = document_at(cut, error.position > 0 ? (size_t)error.position : 0);
	if (json_error_code(&error) == json_error_out_of_memory)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a job object");
	if (json_error_code(&error) == json_error_numeric_overflow)
		return fail(err, STATUS_BAD_VALUE, "%s at byte %zu", error.text, at);
	return bad_at(cut, at, error.text, err);
}

enum status json_cut_verify(const struct json_cut *cut, struct error *err)
{
	size_t i, at;

	for (i = 0; i < cut->count; i++) {
		const struct json_span *span = &cut->spans[i];

		if (!span->read && !json_check(span->text, span->size, cut->depth, &at))
			return bad_at(cut, (size_t)(span->text - cut->text) + at, "malformed array",
				      err);
	}
	return STATUS_OK;
}
