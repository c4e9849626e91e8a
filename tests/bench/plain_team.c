#include "config.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/simd.h"
#include "tests/bench/plain_team.h"

#define PART_LINE 64u /* elements; parts begin at whole cache lines */

struct member {
	struct plain_team *team;
	pthread_t thread;
	_Alignas(64) double result;
};

struct plain_team {
	unsigned threads;
	pthread_barrier_t begin, end;
	bool stop;
	/* The loop in progress. */
	plain_loop loop;
	const char *x;
	uint64_t count;
	size_t size;
	uint64_t ahead;
	struct member members[];
};

const struct plain_level *plain_level_find(const char *name)
{
#ifdef HAVE_X86_KERNELS
	if (strcmp(name, plain_avx2.name) == 0)
		return simd_has(SIMD_AVX2) ? &plain_avx2 : NULL;
	if (strcmp(name, plain_avx512.name) == 0)
		return simd_has(SIMD_AVX512) ? &plain_avx512 : NULL;
#endif
	return strcmp(name, plain_base.name) == 0 ? &plain_base : NULL;
}

/* Of an empty part: nothing, as the caller combines none. */
static bool part_of(const struct plain_team *team, unsigned member, uint64_t *from, uint64_t *count)
{
	uint64_t part = ((team->count - 1) / team->threads + PART_LINE) / PART_LINE * PART_LINE;

	*from = part * member;
	if (*from >= team->count)
		return false;
	*count = team->count - *from;
	if (member + 1 < team->threads && *count > part)
		*count = part;
	return true;
}

static void run_part(struct member *member)
{
	struct plain_team *team = member->team;
	uint64_t from, count;

	if (part_of(team, (unsigned)(member - team->members), &from, &count))
		member->result = team->loop(team->x + from * team->size, count, team->ahead);
}

static void *member_main(void *argument)
{
	struct member *member = argument;

	for (;;) {
		pthread_barrier_wait(&member->team->begin);
		if (member->team->stop)
			return NULL;
		run_part(member);
		pthread_barrier_wait(&member->team->end);
	}
}

struct plain_team *plain_team_create(unsigned threads)
{
	size_t size = sizeof(struct plain_team) + threads * sizeof(struct member);
	struct plain_team *team = aligned_alloc(64, (size + 63) / 64 * 64);

	if (team == NULL)
		return NULL;
	memset(team, 0, size);
	team->threads = threads;
	if (pthread_barrier_init(&team->begin, NULL, threads) != 0)
		goto free_team;
	if (pthread_barrier_init(&team->end, NULL, threads) != 0)
		goto destroy_begin;
	for (unsigned i = 0; i < threads; i++) {
		team->members[i].team = team;
		/* Those already waiting at the barrier cannot be called back:
		 * the program ends. */
		if (i > 0 && pthread_create(&team->members[i].thread, NULL, member_main,
					    &team->members[i]) != 0)
			return NULL;
	}
	return team;

destroy_begin:
	pthread_barrier_destroy(&team->begin);
free_team:
	free(team);
	return NULL;
}

void plain_team_destroy(struct plain_team *team)
{
	if (team == NULL)
		return;
	team->stop = true;
	pthread_barrier_wait(&team->begin);
	for (unsigned i = 1; i < team->threads; i++)
		pthread_join(team->members[i].thread, NULL);
	pthread_barrier_destroy(&team->begin);
	pthread_barrier_destroy(&team->end);
	free(team);
}

double plain_team_run(struct plain_team *team, enum plain_op op, plain_loop loop, const void *x,
		      uint64_t count, size_t size, uint64_t ahead)
{
	double result;

	team->loop = loop;
	team->x = x;
	team->count = count;
	team->size = size;
	team->ahead = ahead;
	pthread_barrier_wait(&team->begin);
	run_part(&team->members[0]);
	pthread_barrier_wait(&team->end);
	result = team->members[0].result;
	for (unsigned i = 1; i < team->threads; i++) {
		uint64_t from, part;
		double other = team->members[i].result;

		if (!part_of(team, i, &from, &part))
			continue;
		if (op != PLAIN_MAX)
			result += other;
		else if (other > result)
			result = other;
	}
	return result;
}
