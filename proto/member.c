#include "config.h"
#include "proto/member.h"

#include <string.h>

#define JOB_ONLY (IN_JOB | IN_QUERY)
#define ARRAY (IN_JOB | IN_QUERY | IN_WITH)

static const struct member_info members[MEMBER_COUNT] = {
	[MEMBER_OP] = {"op", TEXT_STRINGS, JOB_ONLY, true},
	[MEMBER_KIND] = {"kind", TEXT_STRING, JOB_ONLY, true},
	[MEMBER_DATA] = {"data", TEXT_NUMBERS, ARRAY, true},
	[MEMBER_BASE64] = {"base64", TEXT_STRING, ARRAY, true},
	[MEMBER_FILE] = {"file", TEXT_PATH, ARRAY | IN_SEGMENTS, true},
	[MEMBER_FILES] = {"files", TEXT_PATHS, ARRAY, true},
	[MEMBER_ARRAY] = {"array", TEXT_STRING, ARRAY | IN_SEGMENTS, true},
	[MEMBER_SLICE] = {"slice", TEXT_INTEGERS, ARRAY | IN_SEGMENTS, true},
	[MEMBER_PART] = {"part", TEXT_INTEGER, ARRAY | IN_SEGMENTS, true},
	[MEMBER_WITH] = {"with", TEXT_STRING, IN_JOB, true},
	[MEMBER_FORMAT] = {"format", TEXT_STRING, ARRAY, true},
	[MEMBER_MEMBER] = {"member", TEXT_STRING, ARRAY, false},
	[MEMBER_COLUMN] = {"column", TEXT_STRING, ARRAY, false},
	[MEMBER_HEADER] = {"header", TEXT_BOOLEAN, ARRAY, false},
	[MEMBER_DELIMITER] = {"delimiter", TEXT_STRING, ARRAY, false},
	[MEMBER_DATASET] = {"dataset", TEXT_STRING, ARRAY, false},
	[MEMBER_DTYPE] = {"dtype", TEXT_STRING, ARRAY, true},
	[MEMBER_SHAPE] = {"shape", TEXT_INTEGERS, ARRAY, true},
	[MEMBER_BYTEORDER] = {"byteorder", TEXT_STRING, ARRAY, true},
	[MEMBER_OFFSET] = {"offset", TEXT_INTEGER, ARRAY, true},
	[MEMBER_AXIS] = {"axis", TEXT_INTEGERS, JOB_ONLY, true},
	[MEMBER_KEEPDIMS] = {"keepdims", TEXT_BOOLEAN, JOB_ONLY, true},
	[MEMBER_SEGMENTS] = {"segments", TEXT_NUMBERS, JOB_ONLY, true},
	[MEMBER_EMPTY] = {"empty", TEXT_STRING, JOB_ONLY, true},
	[MEMBER_INDEX_BASE] = {"index_base", TEXT_INTEGER, JOB_ONLY, true},
	[MEMBER_EXCLUSIVE] = {"exclusive", TEXT_BOOLEAN, JOB_ONLY, true},
	[MEMBER_DETERMINISM] = {"determinism", TEXT_STRING, JOB_ONLY, true},
	[MEMBER_NAN] = {"nan", TEXT_STRING, JOB_ONLY, true},
	[MEMBER_OVERFLOW] = {"overflow", TEXT_STRING, JOB_ONLY, true},
	[MEMBER_DDOF] = {"ddof", TEXT_INTEGER, JOB_ONLY, true},
	[MEMBER_OUT_DTYPE] = {"out_dtype", TEXT_STRING, JOB_ONLY, true},
	[MEMBER_BACKEND] = {"backend", TEXT_STRING, JOB_ONLY, true},
	[MEMBER_BITS] = {"bits", TEXT_BOOLEAN, JOB_ONLY, true},
	[MEMBER_PARTIAL] = {"partial", TEXT_BOOLEAN, JOB_ONLY, true},
	[MEMBER_OUTPUT] = {"output", TEXT_PATH, JOB_ONLY, true},
	[MEMBER_CACHE] = {"cache", TEXT_STRING, JOB_ONLY, true},
	[MEMBER_TIMEOUT_MS] = {"timeout_ms", TEXT_INTEGER, JOB_ONLY, true},
	[MEMBER_PRIORITY] = {"priority", TEXT_INTEGER, JOB_ONLY, false},
	[MEMBER_PARTS] = {"parts", TEXT_STRING, IN_JOB, true},
};

const struct member_info *member_info(enum member member)
{
	return &members[member];
}

bool member_from_name(const char *name, enum member *out)
{
	int i;

	for (i = 0; i < MEMBER_COUNT; i++) {
		if (strcmp(name, members[i].name) == 0) {
			*out = (enum member)i;
			return true;
		}
	}
	return false;
}
