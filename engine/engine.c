#include "config.h"
#include "engine/engine.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "engine/backends.h"
#include "engine/job.h"
#include "engine/plan.h"

#define MAX_BACKENDS 8u

struct opened {
	const struct backend_ops *ops;
	struct backend *backend;
};

struct engine {
	struct limits limits;
	char *spool_directory; /* NULL: the default */
	unsigned backend_count;
	struct opened backends[MAX_BACKENDS];
};

/* Processors that this process may run on. */
static unsigned usable_processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0 || CPU_COUNT(&set) < 1)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

/* A backend that is not on this machine is left out; any other failure ends
 * the start. */
static enum status open_backends(struct engine *engine, unsigned threads, struct error *err)
{
	for (unsigned i = 0; backends[i] != NULL && engine->backend_count < MAX_BACKENDS; i++) {
		struct opened *opened = &engine->backends[engine->backend_count];
		enum status status = backends[i]->open(0, threads, &opened->backend, err);

		if (status == STATUS_BACKEND_UNAVAILABLE)
			continue;
		if (status != STATUS_OK)
			return status;
		opened->ops = backends[i];
		engine->backend_count++;
	}
	if (engine->backend_count == 0)
		return fail(err, STATUS_BACKEND_UNAVAILABLE, "no backend works on this machine");
	return STATUS_OK;
}

enum status engine_create(const struct engine_config *config, struct engine **out,
			  struct error *err)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	enum status status;

	if (engine == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the engine");
	engine->limits = config->limits;
	if (config->spool_directory != NULL) {
		engine->spool_directory = strdup(config->spool_directory);
		if (engine->spool_directory == NULL) {
			free(engine);
			return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the engine");
		}
	}
	status = open_backends(engine, config->threads > 0 ? config->threads : usable_processors(),
			       err);
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

unsigned engine_backend_count(const struct engine *engine)
{
	return engine->backend_count;
}

void engine_backend_describe(const struct engine *engine, unsigned index, struct backend_caps *out)
{
	const struct opened *opened = &engine->backends[index];

	opened->ops->describe(opened->backend, out);
}

static bool is_wanted(const struct job *job, const struct opened *opened)
{
	switch (job->backend) {
	case BACKEND_CPU:
		return strcmp(opened->ops->name, "cpu") == 0;
	case BACKEND_CUDA:
		return strcmp(opened->ops->name, "cuda") == 0;
	case BACKEND_AUTO:
		break;
	}
	return true;
}

enum status engine_choose(const struct engine *engine, const struct plan *plan, uint64_t count,
			  struct chosen_backend *out, struct error *err)
{
	struct chosen_backend best = {.cost_ns = UINT64_MAX};

	for (unsigned i = 0; i < engine->backend_count; i++) {
		const struct opened *opened = &engine->backends[i];
		uint64_t cost;

		if (!is_wanted(plan->job, opened))
			continue;
		cost = opened->ops->estimate(opened->backend, plan, count);
		if (best.ops == NULL || cost < best.cost_ns)
			best = (struct chosen_backend){opened->ops, opened->backend, cost};
	}
	if (best.ops == NULL)
		return fail_at(err, STATUS_NO_SUCH_BACKEND, "/backend",
			       "this build or machine has no such backend");
	*out = best;
	return STATUS_OK;
}
