/* stream.h - the CPU backend's streams: what the ways of reading an array have
 * in common. Private to cpu/.
 *
 *   stream.c    opens the right way for a plan and feeds it
 *   lines.c     reductions of lines whose elements are adjacent
 *   strided.c   reductions of lines whose elements are not
 *   scanning.c  scans
 */
#ifndef CPU_STREAM_H
#define CPU_STREAM_H

#include "cpu/stage.h"
#include "cpu/team.h"
#include "engine/emit.h"
#include "engine/plan.h"
#include "engine/result.h"

struct stream;

struct stream_way {
	/* self->way_state is made by open() and freed by close(). */
	enum status (*open)(struct stream *self, struct error *err);
	enum status (*feed)(struct stream *self, const void *x, const void *y, uint64_t count,
			    struct error *err);
	enum status (*finish)(struct stream *self, struct error *err);
	void (*close)(struct stream *self);
};

/* nan: error: the lowest C order index of a NaN met so far. */
struct nan_watch {
	bool found;
	uint64_t index;
};

struct stream {
	const struct plan *plan;
	struct result *result;
	struct team *team;
	const struct stream_way *way;
	void *state;
	uint64_t position; /* elements fed before this piece, in stored order */
	struct nan_watch nan;
};

extern const struct stream_way lines_way, strided_way, scanning_way;

/* What the accumulators of plan->accums[i] are to know. */
struct accum_args stream_accum_args(const struct plan *plan, unsigned i);

/* Look for NaNs in elements that begin at this stored position, where the job
 * says nan: error. */
void nan_watch_look(struct nan_watch *watch, const struct plan *plan, uint64_t position,
		    const struct staged *staged);
void nan_watch_merge(struct nan_watch *watch, const struct nan_watch *other);

/* Note what was found in the piece. STATUS_NAN_FOUND when no lower index can
 * follow; with Fortran order that is known at the end only. */
enum status stream_note_nan(struct stream *stream, const struct nan_watch *found,
			    struct error *err);

#endif
