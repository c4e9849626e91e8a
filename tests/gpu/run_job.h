/* run_job.h - a random job on a backend, and whether two answers are one. */
#ifndef TESTS_GPU_RUN_JOB_H
#define TESTS_GPU_RUN_JOB_H

#include "tests/gpu/random_job.h"

/* Pushed in pieces where the job has any, else from memory. The caller destroys the
 * task, which has the answer or the error. */
struct task *run_job(struct engine *engine, const struct random_job *from,
		     enum backend_choice backend);

/* The elements as a resident array without a name. The caller releases it. */
struct resident *put_array(struct engine *engine, const struct array_desc *desc,
			   const void *elements);

/* Its elements lie in a resident array, between others. */
struct task *run_resident(struct engine *engine, const struct random_job *from);

/* What differs first: the status, the error, counts, shape, types, bits, the partial
 * state; or who computed, where that is no device. NULL: nothing. */
const char *task_difference(const struct task *cpu, const struct task *cuda);

#endif
