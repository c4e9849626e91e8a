/* backend.h - the parts of the CPU backend's table. Private to cpu/. */
#ifndef CPU_BACKEND_H
#define CPU_BACKEND_H

#include "engine/backend.h"

struct team;

struct team *cpu_backend_team(struct backend *self);

enum status cpu_stream_open(struct backend *self, const struct plan *plan, struct result *result,
			    struct stream **out, struct error *err);
enum status cpu_stream_feed(struct stream *stream, const void *x, const void *y, uint64_t count,
			    struct error *err);
enum status cpu_stream_finish(struct stream *stream, struct error *err);
void cpu_stream_close(struct stream *stream);

#endif
