#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>
#undef fail /* cmocka has one too; ours is in engine/status.h */
#include "proto/request_parts.h"
#include "tests/unit/proto/finished.h"

struct engine *engine;

const char finished_pair_json[] =
	"{\"results\":{\"sum\":6.0,\"max\":3.0},\"dtype\":{\"sum\":\"float64\","
	"\"max\":\"float64\"},\"count\":3,\"determinism\":\"ordered\",\"order\":1,"
	"\"combine\":{\"sum\":\"two-pass\",\"max\":\"order-free\"}," FINISHED_TAIL;

int engine_set_up(void **state)
{
	struct engine_config config = {.threads = 1};

	(void)state;
	limits_default(&config.limits);
	config.limits.json_elements = FINISHED_JSON_ELEMENTS;
	return engine_create(&config, &engine, NULL) == STATUS_OK ? 0 : -1;
}

int engine_tear_down(void **state)
{
	(void)state;
	engine_destroy(engine);
	return 0;
}

struct spool *spool_of(const void *data, uint64_t size, uint64_t memory)
{
	struct spool *spool =
		spool_create(&(struct spool_config){.memory = memory, .limit = UINT64_MAX});

	assert_non_null(spool);
	assert_int_equal(spool_write(spool, data, size, NULL), STATUS_OK);
	return spool;
}

static void free_owner(void *owner)
{
	free(((struct request_job *)owner)->path);
	free(owner);
}

struct task *finished(unsigned ndim, const uint64_t *shape)
{
	struct task *task = task_create();
	struct result *result = result_create(JOB_MAX_OPS);

	assert_non_null(task);
	assert_non_null(result);
	result->determinism = DETERMINISM_ORDERED;
	result->order = 1;
	strcpy(result->backend, "cpu");
	result->batch_jobs = 41;
	result->scalar = ndim == 0;
	result->ndim = ndim;
	for (unsigned i = 0; i < ndim; i++)
		result->shape[i] = shape[i];
	result->count = 3;
	result->elapsed.queue_us = 52;
	result->elapsed.copy_us = 9;
	result->elapsed.compute_us = 11;
	result->elapsed.total_us = 80;
	task->result = result;
	task->done = true;
	task->owner = calloc(1, sizeof(struct request_job));
	task->owner_free = free_owner;
	assert_non_null(task->owner);
	return task;
}

struct result_op *finished_op(struct task *task, const char *key, enum dtype dtype,
			      const void *data, uint64_t count)
{
	struct result_op *op = &task->result->ops[task->result->op_count++];

	snprintf(op->key, sizeof(op->key), "%s", key);
	op->dtype = dtype;
	op->combine = COMBINE_TWO_PASS;
	op->data = spool_of(data, count * dtype_size(dtype), UINT64_MAX);
	return op;
}

struct task *finished_pair(void)
{
	struct task *task = finished(0, NULL);
	double sum = 6, max = 3;

	finished_op(task, "sum", DTYPE_FLOAT64, &sum, 1);
	finished_op(task, "max", DTYPE_FLOAT64, &max, 1)->combine = COMBINE_ORDER_FREE;
	return task;
}

void finished_to_file(struct task *task, const char *path)
{
	struct request_job *job = task->owner;

	job->path = strdup(path);
	assert_non_null(job->path);
}

void expect_body(const struct response *response, const char *body)
{
	assert_int_equal(response->status, 200);
	assert_string_equal(response->content_type, "application/json");
	assert_int_equal(response->fd, -1);
	assert_null(response->job_header);
	assert_int_equal(response->head_size, strlen(body));
	assert_memory_equal(response->head, body, response->head_size);
}

void expect_problem(struct response *response, int status, const char *code, const char *words)
{
	json_t *body = json_loadb(response->head, response->head_size, 0, NULL);

	assert_int_equal(response->status, status);
	assert_string_equal(response->content_type, "application/problem+json");
	assert_int_equal(response->fd, -1);
	assert_null(response->job_header);
	assert_string_equal(json_string_value(json_object_get(body, "code")), code);
	assert_non_null(strstr(json_string_value(json_object_get(body, "detail")), words));
	json_decref(body);
	response_deinit(response);
}
