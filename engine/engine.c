#include "config.h"
#include "engine/engine.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/backends.h"
#include "engine/file_cache.h"
#include "engine/job.h"
#include "engine/plan.h"

#define MAX_BACKENDS 64u

struct opened {
	const struct backend_ops *ops;
	struct backend *backend;
	unsigned device;
	atomic_bool told; /* that it is lost */
};

struct engine {
	struct limits limits;
	char *spool_directory; /* NULL: the default */
	unsigned backend_count;
	struct opened backends[MAX_BACKENDS];
	unsigned absent_count;
	struct backend_absent absent[MAX_BACKENDS];
	struct arrays *arrays;
	struct file_cache *file_cache;
	void (*lost)(void *context, const char *text);
	void *lost_context;
};

/* Processors that this process may run on. */
static unsigned usable_processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0 || CPU_COUNT(&set) < 1)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

static void note_absent(struct engine *engine, const char *name, const char *why)
{
	struct backend_absent *absent = &engine->absent[engine->absent_count];

	if (engine->absent_count == MAX_BACKENDS)
		return;
	snprintf(absent->name, sizeof(absent->name), "%s", name);
	snprintf(absent->why, sizeof(absent->why), "%s", why);
	engine->absent_count++;
}

/* A device that does not work is left out; any other failure ends the start. */
static enum status open_device(struct engine *engine, const struct backend_ops *ops,
			       unsigned device, unsigned threads, struct error *err)
{
	struct opened *opened = &engine->backends[engine->backend_count];
	struct error why = {0};
	enum status status;
	char name[24];

	if (engine->backend_count == MAX_BACKENDS)
		return STATUS_OK;
	status = ops->open(device, threads, &opened->backend, &why);
	if (status == STATUS_BACKEND_UNAVAILABLE) {
		snprintf(name, sizeof(name), "%s:%u", ops->name, device);
		note_absent(engine, name, why.text);
		return STATUS_OK;
	}
	if (status != STATUS_OK) {
		if (err != NULL)
			*err = why;
		return status;
	}
	opened->ops = ops;
	opened->device = device;
	engine->backend_count++;
	return STATUS_OK;
}

static enum status open_backends(struct engine *engine, unsigned threads, struct error *err)
{
	for (unsigned i = 0; backends[i] != NULL; i++) {
		struct error why = {0};
		unsigned count = backends[i]->count(&why);

		if (count == 0)
			note_absent(engine, backends[i]->name, why.text);
		for (unsigned device = 0; device < count; device++) {
			enum status status = open_device(engine, backends[i], device, threads, err);

			if (status != STATUS_OK)
				return status;
		}
	}
	if (engine->backend_count == 0)
		return fail(err, STATUS_BACKEND_UNAVAILABLE, "no backend works on this machine");
	return STATUS_OK;
}

/* In the memory of the best backend that holds any. */
static enum status open_arrays(struct engine *engine, const struct arrays_config *config,
			       struct error *err)
{
	for (unsigned i = 0; i < engine->backend_count; i++) {
		const struct opened *opened = &engine->backends[i];

		if (opened->ops->array_create != NULL)
			return arrays_create(config, opened->ops, opened->backend, &engine->arrays,
					     err);
	}
	return fail(err, STATUS_BACKEND_UNAVAILABLE, "no backend holds arrays");
}

enum status engine_create(const struct engine_config *config, struct engine **out,
			  struct error *err)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	enum status status;

	if (engine == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the engine");
	engine->limits = config->limits;
	engine->lost = config->lost;
	engine->lost_context = config->lost_context;
	if (config->spool_directory != NULL) {
		engine->spool_directory = strdup(config->spool_directory);
		if (engine->spool_directory == NULL) {
			free(engine);
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the engine");
		}
	}
	status = open_backends(engine, config->threads > 0 ? config->threads : usable_processors(),
			       err);
	if (status == STATUS_OK)
		status = open_arrays(engine, &config->arrays, err);
	if (status == STATUS_OK)
		status = file_cache_create(
			(uint64_t)((unsigned __int128)arrays_budget(engine->arrays) *
				   config->arrays.cache_percent / 100),
			engine->arrays, &engine->file_cache, err);
	if (status != STATUS_OK) {
		engine_destroy(engine);
		return status;
	}
	*out = engine;
	return STATUS_OK;
}

void engine_destroy(struct engine *engine)
{
	if (engine == NULL)
		return;
	file_cache_destroy(engine->file_cache);
	arrays_destroy(engine->arrays);
	for (unsigned i = 0; i < engine->backend_count; i++)
		engine->backends[i].ops->close(engine->backends[i].backend);
	free(engine->spool_directory);
	free(engine);
}

const struct limits *engine_limits(const struct engine *engine)
{
	return &engine->limits;
}

const char *engine_spool_directory(const struct engine *engine)
{
	return engine->spool_directory;
}

struct arrays *engine_arrays(const struct engine *engine)
{
	return engine->arrays;
}

struct file_cache *engine_file_cache(const struct engine *engine)
{
	return engine->file_cache;
}

unsigned engine_backend_count(const struct engine *engine)
{
	return engine->backend_count;
}

void engine_backend_describe(const struct engine *engine, unsigned index, struct backend_caps *out)
{
	const struct opened *opened = &engine->backends[index];

	opened->ops->describe(opened->backend, out);
}

static enum status state_of(const struct opened *opened, struct error *err)
{
	return opened->ops->state != NULL ? opened->ops->state(opened->backend, err) : STATUS_OK;
}

enum status engine_backend_state(const struct engine *engine, unsigned index, struct error *err)
{
	return state_of(&engine->backends[index], err);
}

void engine_note_lost(struct engine *engine)
{
	for (unsigned i = 0; i < engine->backend_count; i++) {
		struct opened *opened = &engine->backends[i];
		struct error why = {0};

		if (state_of(opened, &why) != STATUS_OK && !atomic_exchange(&opened->told, true) &&
		    engine->lost != NULL)
			engine->lost(engine->lost_context, why.text);
	}
}

unsigned engine_absent_count(const struct engine *engine)
{
	return engine->absent_count;
}

const struct backend_absent *engine_absent(const struct engine *engine, unsigned index)
{
	return &engine->absent[index];
}

static bool is_wanted(const struct job *job, const struct opened *opened)
{
	switch (job->backend) {
	case BACKEND_CPU:
		return strcmp(opened->ops->name, "cpu") == 0;
	case BACKEND_CUDA:
		return strcmp(opened->ops->name, "cuda") == 0 &&
		       (!job->has_device || job->device == opened->device);
	case BACKEND_AUTO:
		break;
	}
	return true;
}

enum status engine_choose(const struct engine *engine, const struct plan *plan, uint64_t count,
			  struct chosen_backend *out, struct error *err)
{
	/* What was asked for, and what there is. */
	struct chosen_backend best = {.cost_ns = UINT64_MAX}, any = {.cost_ns = UINT64_MAX};

	for (unsigned i = 0; i < engine->backend_count; i++) {
		const struct opened *opened = &engine->backends[i];
		uint64_t cost = opened->ops->estimate(opened->backend, plan, count, false);
		const struct chosen_backend this = {opened->ops, opened->backend, cost};

		if (any.ops == NULL || cost < any.cost_ns)
			any = this;
		if (is_wanted(plan->job, opened) && (best.ops == NULL || cost < best.cost_ns))
			best = this;
	}
	if (best.ops == NULL)
		return fail_at(err, STATUS_NO_SUCH_BACKEND, "/backend",
			       "this build or machine has no such backend");
	*out = best.cost_ns == UINT64_MAX ? any : best;
	return STATUS_OK;
}

enum status engine_choose_at(const struct engine *engine, const struct plan *plan, uint64_t count,
			     const struct backend *home, struct chosen_backend *out,
			     struct error *err)
{
	for (unsigned i = 0; home != NULL && i < engine->backend_count; i++) {
		const struct opened *opened = &engine->backends[i];
		uint64_t cost;

		if (opened->backend != home || !is_wanted(plan->job, opened))
			continue;
		cost = opened->ops->estimate(opened->backend, plan, count, true);
		if (cost == UINT64_MAX)
			break; /* it cannot run there */
		*out = (struct chosen_backend){opened->ops, opened->backend, cost};
		return STATUS_OK;
	}
	return engine_choose(engine, plan, count, out, err);
}

enum status engine_choose_host(const struct engine *engine, const struct plan *plan, uint64_t count,
			       struct chosen_backend *out, struct error *err)
{
	for (unsigned i = 0; i < engine->backend_count; i++) {
		const struct opened *opened = &engine->backends[i];

		if (opened->ops->may_fail)
			continue;
		*out = (struct chosen_backend){
			opened->ops, opened->backend,
			opened->ops->estimate(opened->backend, plan, count, false)};
		return STATUS_OK;
	}
	return fail(err, STATUS_BACKEND_UNAVAILABLE, "the host itself does not compute");
}
