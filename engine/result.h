/* result.h - the answer to a job, in elements, not text.
 *
 * Owned by its task. Every array is native-endian; results and counts of
 * lines or segments, and scans, are spooled. */
#ifndef ENGINE_RESULT_H
#define ENGINE_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/array.h"
#include "engine/job.h"
#include "engine/spool.h"

struct partial;

enum combine {
	COMBINE_ATOMIC,
	COMBINE_TWO_PASS,
	COMBINE_SUPERACCUMULATOR,
	COMBINE_INTEGER,
	COMBINE_ORDER_FREE
};

const char *combine_name(enum combine combine); /* "two-pass" */

struct result_op {
	char key[OP_KEY_SIZE];
	enum dtype dtype;
	enum combine combine;
	struct spool *data;  /* elements of dtype, in stored order */
	struct spool *nulls; /* a byte an element, 1 = null; NULL: none is */
};

struct result {
	enum job_kind kind;
	enum determinism determinism;
	unsigned order;      /* version of the canonical order */
	char backend[24];    /* "cpu", "cuda:0" */
	uint64_t batch_jobs; /* jobs that shared the launch */

	bool scalar;   /* one number an operation; shape is empty */
	unsigned ndim; /* of the results (of a scan: the input's) */
	uint64_t shape[ARRAY_MAX_NDIM];
	bool fortran; /* data is stored first axis fastest */

	uint64_t count;       /* scalar, scan: elements that took part */
	struct spool *counts; /* uint64_t a line or segment; else NULL */

	struct partial *partial; /* when the job asks for it; else NULL */

	struct {
		uint64_t queue_us, copy_us, compute_us, total_us;
	} elapsed;

	unsigned op_count;
	struct result_op ops[]; /* as many as the job asks for */
};

/* All zero, with room for so many operations; op_count is 0. NULL: no memory. */
struct result *result_create(unsigned operations);
void result_destroy(struct result *result); /* NULL is fine */

#endif
