/* harness.h - jobs run in process, for tests that compare answers. */
#ifndef TESTS_UNIT_CPU_HARNESS_H
#define TESTS_UNIT_CPU_HARNESS_H

#include "engine/task.h"

/* What came out of a job: its error, or the bytes of its first result. */
struct outcome {
	enum status status;
	uint64_t index; /* nan_found, integer_overflow of a scan */
	enum dtype dtype;
	uint64_t size;
	unsigned char *bytes; /* from malloc */
	uint64_t count;
};

struct engine *harness_engine(unsigned threads);

/* SplitMix64: the next of a reproducible sequence. */
uint64_t harness_random(uint64_t *state);

/* Kinds of data, each with its own traps. */
enum harness_data {
	DATA_PLAIN,    /* small numbers of both signs */
	DATA_WIDE,     /* any exponent (integers: any value) */
	DATA_ZEROS,    /* zeros of both signs and subnormals */
	DATA_SPECIAL,  /* now and then NaN or an infinity */
	DATA_CONSTANT, /* one value */
	DATA_KINDS
};

/* count elements of dtype, from malloc (never NULL). */
void *harness_data(enum dtype dtype, uint64_t count, enum harness_data kind, uint64_t seed);

/* A job with one operation. */
struct job harness_job(enum job_kind kind, const char *op, enum determinism determinism);

/* Run from memory in one go, or pushed in random pieces (seed not 0). data is
 * copied; y: the second array of a dot, or NULL. */
struct outcome harness_run(struct engine *engine, const struct job *job,
			   const struct array_desc *desc, const void *x, const void *y,
			   uint64_t seed);
void outcome_free(struct outcome *outcome);
bool outcome_equal(const struct outcome *a, const struct outcome *b);

#endif
