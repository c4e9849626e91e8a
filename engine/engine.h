/* engine.h - the library's root: backends, limits, and the plan's facts.
 * Created once; every call from any thread. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/arrays.h"
#include "engine/backend.h"
#include "engine/limits.h"
#include "engine/status.h"

struct engine_config {
	struct limits limits;
	unsigned threads;            /* of the CPU backend's team; 0: as many
				      * as the process may use */
	const char *spool_directory; /* NULL: TMPDIR or /var/tmp */
	struct arrays_config arrays;

	/* Told once of each backend that is lost, by the thread of a job;
	 * text: which and why. NULL: nobody is. */
	void (*lost)(void *context, const char *text);
	void *lost_context;
};

struct engine;

enum status engine_create(const struct engine_config *config, struct engine **out,
			  struct error *err);
void engine_destroy(struct engine *engine);
const struct limits *engine_limits(const struct engine *engine);
const char *engine_spool_directory(const struct engine *engine);

/* The resident arrays, in the memory of the first backend that holds any. */
struct arrays *engine_arrays(const struct engine *engine);
struct file_cache *engine_file_cache(const struct engine *engine);

/* The backends that opened, best first; index < engine_backend_count(). */
unsigned engine_backend_count(const struct engine *engine);
void engine_backend_describe(const struct engine *engine, unsigned index, struct backend_caps *out);

/* STATUS_BACKEND_UNAVAILABLE: it is lost until the next start; err says why. */
enum status engine_backend_state(const struct engine *engine, unsigned index, struct error *err);

/* Those of this build that did not open; index < engine_absent_count(). */
struct backend_absent {
	char name[24]; /* "cuda": no device at all; "cuda:1": that one */
	char why[320];
};

unsigned engine_absent_count(const struct engine *engine);
const struct backend_absent *engine_absent(const struct engine *engine, unsigned index);

/* Who computes a plan: of the backends the job names, or for `auto` of all,
 * the one with the least predicted time. Where none of those can run the plan
 * (it does not fit in a device's memory), any other that can. */
struct chosen_backend {
	const struct backend_ops *ops;
	struct backend *backend;
	uint64_t cost_ns; /* predicted */
};

/* STATUS_NO_SUCH_BACKEND: this host or build never has it. */
enum status engine_choose(const struct engine *engine, const struct plan *plan, uint64_t count,
			  struct chosen_backend *out, struct error *err);

/* The same for elements that lie in the memory of backend `home` (NULL: in no
 * backend's): of those that the job names, it is the one. */
enum status engine_choose_at(const struct engine *engine, const struct plan *plan, uint64_t count,
			     const struct backend *home, struct chosen_backend *out,
			     struct error *err);

/* Who computes what others failed at: the backend of the host, which has the answer
 * to every job that has one. */
enum status engine_choose_host(const struct engine *engine, const struct plan *plan, uint64_t count,
			       struct chosen_backend *out, struct error *err);

/* Whoever wants to know (engine_config.lost) is told of backends lost by now. */
void engine_note_lost(struct engine *engine);

#endif
