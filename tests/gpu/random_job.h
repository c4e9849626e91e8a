/* random_job.h - jobs of every kind, each made from a number: the same number,
 * the same job. */
#ifndef TESTS_GPU_RANDOM_JOB_H
#define TESTS_GPU_RANDOM_JOB_H

#include "engine/task.h"

enum family {
	FAMILY_WHOLE,    /* one result */
	FAMILY_AXES,     /* one axis or several, C and Fortran order */
	FAMILY_SEGMENTS, /* equal, unequal, empty ones */
	FAMILY_SCAN,     /* whole arrays, axes and segments */
	FAMILY_DOT,      /* two arrays */
	FAMILY_MANY,     /* several operations at once */
	FAMILY_NONE,     /* determinism none, of data whose sums are exact */
	FAMILY_PARTIAL,  /* with the state, to merge later */
	FAMILY_STREAM,   /* of unknown length */
	FAMILY_COUNT
};

const char *family_name(enum family family);

struct random_job {
	struct job job;         /* offsets from malloc */
	struct array_desc desc; /* of what is fed; of FAMILY_STREAM of unknown length */
	uint64_t count;
	void *x, *y;     /* from malloc; y: of a dot */
	uint64_t pieces; /* a seed; 0: all in one */
	char text[200];  /* what it is, for a person */
};

void random_job_make(struct random_job *out, enum family family, uint64_t seed);
void random_job_deinit(struct random_job *job);

#endif
