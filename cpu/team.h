/* team.h - the CPU backend's workers, one team for the process: they share the
 * tiles of one large array at a time. */
#ifndef CPU_TEAM_H
#define CPU_TEAM_H

struct team;

/* threads >= 1, the calling thread of team_run() included. NULL: no memory, or
 * a thread could not be started. */
struct team *team_create(unsigned threads);
void team_destroy(struct team *team);
unsigned team_size(const struct team *team);

/* Call body(context, worker) once on each of the workers 0 (the caller) to
 * team_size() - 1, and return when all have returned. While another thread has
 * the team, the caller works alone: only body(context, 0) is called. So the
 * bodies share work by a counter of their own, never by their number. */
void team_run(struct team *team, void (*body)(void *context, unsigned worker), void *context);

#endif
