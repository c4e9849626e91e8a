/* request_part_list.h - the parts of a body of kind 4, as the member `parts` tells
 * them, and what has come of them (request_binary.c). */
#ifndef PROTO_REQUEST_PART_LIST_H
#define PROTO_REQUEST_PART_LIST_H

#include "proto/request_parts.h"

/* One part as the member `parts` tells it, and what has come of it. */
struct part {
	uint64_t size;
	bool npy, typed;
	enum dtype dtype;
	struct array_desc *desc; /* raw: at once; npy: from its header */
	bool swap;
	unsigned uses;
	struct task *pusher; /* pushed to as it arrives; else it is kept */
	uint64_t kept_at;    /* bytes before its elements in the spool */
	struct error *error; /* its header is bad: so are the jobs that use it */
};

struct parts {
	struct part *list;
	size_t count;
	struct spool *kept; /* elements of all kept parts, in order */

	/* The part that is arriving. */
	size_t current;
	uint64_t arrived; /* bytes of it */
	bool open;        /* its description is known, and used */
	struct gathered head;
};

/* Give a part its description. */
enum status part_describe(struct part *part, const struct array_desc *desc, struct error *err);

#endif
