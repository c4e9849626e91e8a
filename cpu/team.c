#include "config.h"
#include "cpu/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "engine/arithmetic.h"
#include "engine/clock.h"

/* How long a thread looks for the next round, or the end of one, before it
 * sleeps: the rounds of one job follow each other at once, and waking up for
 * each of them cost 2 % of 1 GiB (measured). */
#define SPIN_NS 50000u
#define SPIN_LOOKS 32u /* between looks at the clock */

struct member {
	struct team *team;
	unsigned number;
	pthread_t thread;
};

struct team {
	unsigned size;
	unsigned started;       /* threads that run: members 1..started */
	pthread_mutex_t in_use; /* held through team_run() */

	/* Changed under the lock, except that members leave `busy` without it. */
	pthread_mutex_t lock;
	pthread_cond_t begin, end;
	atomic_uint_fast64_t round; /* counts calls of team_run() */
	atomic_uint busy;           /* members still at work in this round */
	atomic_bool stop;

	/* Of this round. */
	void (*body)(void *context, unsigned worker);
	void *context;

	struct member members[];
};

static bool asked(struct team *team, uint64_t seen)
{
	return atomic_load(&team->round) != seen || atomic_load(&team->stop);
}

static bool ended(struct team *team, uint64_t unused)
{
	(void)unused;
	return atomic_load(&team->busy) == 0;
}

/* Whether it came true soon. */
static bool spin(struct team *team, bool (*done)(struct team *, uint64_t), uint64_t argument)
{
	uint64_t limit = clock_ns() + SPIN_NS;

	do {
		for (unsigned i = 0; i < SPIN_LOOKS; i++) {
			if (done(team, argument))
				return true;
#ifdef __x86_64__
			__builtin_ia32_pause();
#endif
		}
	} while (clock_ns() < limit);
	return false;
}

static void await(struct team *team, pthread_cond_t *cond, bool (*done)(struct team *, uint64_t),
		  uint64_t argument)
{
	if (spin(team, done, argument))
		return;
	pthread_mutex_lock(&team->lock);
	while (!done(team, argument))
		pthread_cond_wait(cond, &team->lock);
	pthread_mutex_unlock(&team->lock);
}

static void *member_main(void *argument)
{
	struct member *member = argument;
	struct team *team = member->team;

	arithmetic_init_thread();
	for (uint64_t seen = 0;; seen++) {
		await(team, &team->begin, asked, seen);
		if (atomic_load(&team->stop))
			return NULL;
		team->body(team->context, member->number);
		if (atomic_fetch_sub(&team->busy, 1) == 1) {
			pthread_mutex_lock(&team->lock);
			pthread_cond_signal(&team->end);
			pthread_mutex_unlock(&team->lock);
		}
	}
}

/* Signals are the main loop's business: workers take none. */
static bool start_members(struct team *team)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (unsigned i = 1; i < team->size; i++) {
		struct member *member = &team->members[i];

		member->team = team;
		member->number = i;
		if (pthread_create(&member->thread, NULL, member_main, member) != 0)
			break;
		team->started = i;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return team->started + 1 == team->size;
}

struct team *team_create(unsigned threads)
{
	struct team *team = calloc(1, sizeof(*team) + threads * sizeof(team->members[0]));

	if (team == NULL)
		return NULL;
	team->size = threads;
	pthread_mutex_init(&team->in_use, NULL);
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->begin, NULL);
	pthread_cond_init(&team->end, NULL);
	if (!start_members(team)) {
		team_destroy(team);
		return NULL;
	}
	return team;
}

void team_destroy(struct team *team)
{
	if (team == NULL)
		return;
	pthread_mutex_lock(&team->lock);
	atomic_store(&team->stop, true);
	pthread_cond_broadcast(&team->begin);
	pthread_mutex_unlock(&team->lock);
	for (unsigned i = 1; i <= team->started; i++)
		pthread_join(team->members[i].thread, NULL);
	pthread_cond_destroy(&team->end);
	pthread_cond_destroy(&team->begin);
	pthread_mutex_destroy(&team->lock);
	pthread_mutex_destroy(&team->in_use);
	free(team);
}

unsigned team_size(const struct team *team)
{
	return team->size;
}

void team_run(struct team *team, void (*body)(void *context, unsigned worker), void *context)
{
	if (team->size == 1 || pthread_mutex_trylock(&team->in_use) != 0) {
		body(context, 0);
		return;
	}
	pthread_mutex_lock(&team->lock);
	team->body = body;
	team->context = context;
	atomic_store(&team->busy, team->size - 1);
	atomic_fetch_add(&team->round, 1);
	pthread_cond_broadcast(&team->begin);
	pthread_mutex_unlock(&team->lock);

	body(context, 0);

	await(team, &team->end, ended, 0);
	pthread_mutex_unlock(&team->in_use);
}
