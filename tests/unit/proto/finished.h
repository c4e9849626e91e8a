/* finished.h - tasks as they are when they have been run, made by hand. */
#ifndef TESTS_UNIT_PROTO_FINISHED_H
#define TESTS_UNIT_PROTO_FINISHED_H

#include "engine/engine.h"
#include "engine/task.h"
#include "proto/response.h"

#define FINISHED_JSON_ELEMENTS 1000u /* the engine's limit json_elements */

/* The end of each JSON answer. */
#define FINISHED_TAIL                                                                          \
	"\"backend\":\"cpu\",\"batch\":{\"jobs\":41},\"elapsed_us\":{\"queue\":52,\"copy\":9," \
	"\"compute\":11,\"total\":80}}"

extern struct engine *engine;

int engine_set_up(void **state);
int engine_tear_down(void **state);

/* A spool of these bytes, of which `memory` stay in memory. */
struct spool *spool_of(const void *data, uint64_t size, uint64_t memory);

/* A finished task without an operation yet; no axes: a scalar. */
struct task *finished(unsigned ndim, const uint64_t *shape);
struct result_op *finished_op(struct task *task, const char *key, enum dtype dtype,
			      const void *data, uint64_t count);

/* sum 6.0 and max 3.0, and the JSON of it. */
struct task *finished_pair(void);
extern const char finished_pair_json[];

/* `output` of the job. */
void finished_to_file(struct task *task, const char *path);

/* A JSON answer, byte by byte. */
void expect_body(const struct response *response, const char *body);

/* A problem with this code, and these words in its detail; deinits it. */
void expect_problem(struct response *response, int status, const char *code, const char *words);

#endif
