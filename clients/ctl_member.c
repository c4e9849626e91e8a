#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_member.h"

#define REDUCE (1u << CTL_REDUCE)
#define SCAN (1u << CTL_SCAN)
#define MERGE (1u << CTL_MERGE)

const struct ctl_member ctl_members[] = {
	{"axis", CTL_MEMBER_AXIS, "axis", NULL, REDUCE | SCAN},
	{"keepdims", CTL_MEMBER_TRUE, "keepdims", NULL, REDUCE},
	{"segments", CTL_MEMBER_OFFSETS, "segments", NULL, REDUCE | SCAN},
	{"empty-null", CTL_MEMBER_FIXED, "empty", "null", REDUCE},
	{"determinism", CTL_MEMBER_STRING, "determinism", NULL, REDUCE | SCAN},
	{"exact", CTL_MEMBER_FIXED, "determinism", "exact", REDUCE | SCAN},
	{"nan", CTL_MEMBER_STRING, "nan", NULL, REDUCE | SCAN},
	{"overflow", CTL_MEMBER_STRING, "overflow", NULL, REDUCE | SCAN},
	{"ddof", CTL_MEMBER_INTEGER, "ddof", NULL, REDUCE | MERGE},
	{"out-dtype", CTL_MEMBER_OUT_DTYPE, "out_dtype", NULL, REDUCE | SCAN | MERGE},
	{"index-base", CTL_MEMBER_INTEGER, "index_base", NULL, REDUCE | SCAN},
	{"exclusive", CTL_MEMBER_TRUE, "exclusive", NULL, SCAN},
	{"bits", CTL_MEMBER_TRUE, "bits", NULL, REDUCE | SCAN | MERGE},
	{"partial", CTL_MEMBER_TRUE, "partial", NULL, REDUCE | MERGE},
	{"backend", CTL_MEMBER_STRING, "backend", NULL, REDUCE | SCAN},
	{"cache", CTL_MEMBER_STRING, "cache", NULL, REDUCE | SCAN},
	{"timeout", CTL_MEMBER_SECONDS, "timeout_ms", NULL, REDUCE | SCAN},
};
const size_t ctl_member_count = sizeof(ctl_members) / sizeof(ctl_members[0]);

bool ctl_member_has_value(const struct ctl_member *member)
{
	return member->kind != CTL_MEMBER_FIXED && member->kind != CTL_MEMBER_TRUE;
}

static enum ctl_exit set_integer(const struct ctl_member *member, struct ctl_job *job,
				 const char *value)
{
	if (*value == '\0' || strspn(value, "0123456789") != strlen(value))
		return ctl_fail(CTL_USAGE, "--%s: '%s' is not a whole number", member->option,
				value);
	/* JSON has no leading zeros. */
	while (value[0] == '0' && value[1] != '\0')
		value++;
	ctl_job_literal(job, member->member, value);
	return CTL_OK;
}

static enum ctl_exit set_seconds(const struct ctl_member *member, struct ctl_job *job,
				 const char *value)
{
	char *end, text[24];
	double seconds = strtod(value, &end);

	if (end == value || *end != '\0' || !(seconds > 0 && seconds <= 1e9))
		return ctl_fail(CTL_USAGE, "--%s: '%s' is not a time in seconds", member->option,
				value);
	snprintf(text, sizeof(text), "%.0f", ceil(seconds * 1000));
	ctl_job_literal(job, member->member, text);
	return CTL_OK;
}

enum ctl_exit ctl_member_set(const struct ctl_member *member, struct ctl_job *job,
			     const char *value)
{
	switch (member->kind) {
	case CTL_MEMBER_STRING:
		ctl_job_string(job, member->member, value);
		return CTL_OK;
	case CTL_MEMBER_FIXED:
		ctl_job_string(job, member->member, member->fixed);
		return CTL_OK;
	case CTL_MEMBER_TRUE:
		ctl_job_literal(job, member->member, "true");
		return CTL_OK;
	case CTL_MEMBER_INTEGER:
		return set_integer(member, job, value);
	case CTL_MEMBER_AXIS:
		/* No axis at all, as Python writes it. */
		if (strcmp(value, "[]") == 0)
			value = "";
		return ctl_job_integers(job, member->member, value, false, "--axis");
	case CTL_MEMBER_OFFSETS:
		return ctl_job_integers(job, member->member, value, true, "--segments");
	case CTL_MEMBER_OUT_DTYPE:
		ctl_job_out_dtype(job, value);
		return CTL_OK;
	case CTL_MEMBER_SECONDS:
		return set_seconds(member, job, value);
	}
	return CTL_OK;
}
