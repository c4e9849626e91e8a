/* member.h - the members of a job object: one table, for JSON and query strings
 * alike. */
#ifndef PROTO_MEMBER_H
#define PROTO_MEMBER_H

#include <stdbool.h>

enum member {
	MEMBER_OP,
	MEMBER_KIND,
	MEMBER_DATA,
	MEMBER_BASE64,
	MEMBER_FILE,
	MEMBER_FILES,
	MEMBER_ARRAY,
	MEMBER_SLICE,
	MEMBER_PART,
	MEMBER_WITH,
	MEMBER_FORMAT,
	MEMBER_MEMBER,
	MEMBER_COLUMN,
	MEMBER_HEADER,
	MEMBER_DELIMITER,
	MEMBER_DATASET,
	MEMBER_DTYPE,
	MEMBER_SHAPE,
	MEMBER_BYTEORDER,
	MEMBER_OFFSET,
	MEMBER_AXIS,
	MEMBER_KEEPDIMS,
	MEMBER_SEGMENTS,
	MEMBER_EMPTY,
	MEMBER_INDEX_BASE,
	MEMBER_EXCLUSIVE,
	MEMBER_DETERMINISM,
	MEMBER_NAN,
	MEMBER_OVERFLOW,
	MEMBER_DDOF,
	MEMBER_OUT_DTYPE,
	MEMBER_BACKEND,
	MEMBER_BITS,
	MEMBER_PARTIAL,
	MEMBER_OUTPUT,
	MEMBER_CACHE,
	MEMBER_TIMEOUT_MS,
	MEMBER_PRIORITY,
	MEMBER_PARTS,
	MEMBER_COUNT
};

/* Where a member may stand. */
enum member_place {
	IN_JOB = 1,      /* a job object */
	IN_WITH = 2,     /* the second array of a dot */
	IN_SEGMENTS = 4, /* a source of offsets */
	IN_QUERY = 8     /* a query string */
};

/* What its text is in a query string. */
enum member_text {
	TEXT_STRING,
	TEXT_STRINGS, /* parted by commas, or the name repeated */
	TEXT_PATH,    /* never split */
	TEXT_PATHS,   /* never split; the name repeated */
	TEXT_INTEGER,
	TEXT_INTEGERS,
	TEXT_BOOLEAN,
	TEXT_NUMBERS /* for numbers.h */
};

struct member_info {
	const char *name;
	enum member_text text;
	unsigned places;
	bool served; /* by this build; else not_implemented */
};

const struct member_info *member_info(enum member member);

/* False when no member has this name. */
bool member_from_name(const char *name, enum member *out);

#endif
