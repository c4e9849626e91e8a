/* ctl_member.h - the options that are members of the job object, as a table:
 * the server judges their values. */
#ifndef CLIENTS_CTL_MEMBER_H
#define CLIENTS_CTL_MEMBER_H

#include <stddef.h>
#include "clients/ctl_exit.h"
#include "clients/ctl_help.h"
#include "clients/ctl_job.h"

struct ctl_member {
	const char *option; /* without the dashes */
	enum {
		CTL_MEMBER_STRING,    /* the value, as a string */
		CTL_MEMBER_INTEGER,   /* a whole number */
		CTL_MEMBER_FIXED,     /* no value; `fixed`, as a string */
		CTL_MEMBER_TRUE,      /* no value; true */
		CTL_MEMBER_AXIS,      /* integers; one alone is a number */
		CTL_MEMBER_OFFSETS,   /* integers */
		CTL_MEMBER_OUT_DTYPE, /* a type, or op:type, ... */
		CTL_MEMBER_SECONDS    /* as milliseconds */
	} kind;
	const char *member, *fixed;
	unsigned commands; /* bits 1 << enum ctl_command */
};

extern const struct ctl_member ctl_members[];
extern const size_t ctl_member_count;

bool ctl_member_has_value(const struct ctl_member *member);

/* Add it to the job; value is NULL where it has none. */
enum ctl_exit ctl_member_set(const struct ctl_member *member, struct ctl_job *job,
			     const char *value);

#endif
