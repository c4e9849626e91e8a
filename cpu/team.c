#include "config.h"
#include "cpu/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "engine/arithmetic.h"

struct member {
	struct team *team;
	unsigned number;
	pthread_t thread;
};

struct team {
	unsigned size;
	unsigned started;       /* threads that run: members 1..started */
	pthread_mutex_t in_use; /* held through team_run() */

	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t begin, end;
	uint64_t round; /* counts calls of team_run() */
	unsigned busy;  /* members still at work in this round */
	bool stop;
	void (*body)(void *context, unsigned worker);
	void *context;

	struct member members[];
};

static void *member_main(void *argument)
{
	struct member *member = argument;
	struct team *team = member->team;
	uint64_t seen = 0;

	arithmetic_init_thread();
	pthread_mutex_lock(&team->lock);
	for (;;) {
		while (team->round == seen && !team->stop)
			pthread_cond_wait(&team->begin, &team->lock);
		if (team->stop)
			break;
		seen = team->round;
		pthread_mutex_unlock(&team->lock);

		team->body(team->context, member->number);

		pthread_mutex_lock(&team->lock);
		if (--team->busy == 0)
			pthread_cond_signal(&team->end);
	}
	pthread_mutex_unlock(&team->lock);
	return NULL;
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
	team->stop = true;
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
	team->busy = team->size - 1;
	team->round++;
	pthread_cond_broadcast(&team->begin);
	pthread_mutex_unlock(&team->lock);

	body(context, 0);

	pthread_mutex_lock(&team->lock);
	while (team->busy > 0)
		pthread_cond_wait(&team->end, &team->lock);
	pthread_mutex_unlock(&team->lock);
	pthread_mutex_unlock(&team->in_use);
}
