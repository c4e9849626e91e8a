#include "config.h"
#include "gpu/copier.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HELPERS 8u
/* Waking a thread takes as long as copying a tenth of this. */
#define LEAST_SHARED (512u << 10)
#define GRAIN 4096u /* shares begin at a page, nearly */

struct copier {
	pthread_mutex_t turn; /* held by the thread that asks */
	pthread_mutex_t lock;
	pthread_cond_t begun, done;
	unsigned helpers;
	pthread_t threads[MOST_HELPERS];
	bool ends;

	uint64_t round;   /* of copies; a helper does its share of each once */
	unsigned waiting; /* helpers that have not done it */
	char *to;
	const char *from;
	size_t size, share; /* bytes, and of each thread */
};

struct helper {
	struct copier *copier;
	unsigned number; /* its share; the asking thread has share 0 */
};

static void copy_share(char *to, const char *from, size_t size, size_t share, unsigned number)
{
	size_t begin = share * number;

	if (begin < size)
		memcpy(to + begin, from + begin, size - begin < share ? size - begin : share);
}

static void *help(void *context)
{
	struct helper helper = *(struct helper *)context;
	struct copier *copier = helper.copier;
	uint64_t seen = 0;

	free(context);
	pthread_mutex_lock(&copier->lock);
	for (;;) {
		while (copier->round == seen && !copier->ends)
			pthread_cond_wait(&copier->begun, &copier->lock);
		if (copier->ends)
			break;
		seen = copier->round;
		pthread_mutex_unlock(&copier->lock);
		copy_share(copier->to, copier->from, copier->size, copier->share, helper.number);
		pthread_mutex_lock(&copier->lock);
		if (--copier->waiting == 0)
			pthread_cond_signal(&copier->done);
	}
	pthread_mutex_unlock(&copier->lock);
	return NULL;
}

static bool start_helper(struct copier *copier)
{
	struct helper *helper = malloc(sizeof(*helper));

	if (helper == NULL)
		return false;
	*helper = (struct helper){copier, copier->helpers + 1};
	if (pthread_create(&copier->threads[copier->helpers], NULL, help, helper) != 0) {
		free(helper);
		return false;
	}
	copier->helpers++;
	return true;
}

struct copier *copier_create(unsigned helpers)
{
	struct copier *copier = calloc(1, sizeof(*copier));

	if (copier == NULL)
		return NULL;
	pthread_mutex_init(&copier->turn, NULL);
	pthread_mutex_init(&copier->lock, NULL);
	pthread_cond_init(&copier->begun, NULL);
	pthread_cond_init(&copier->done, NULL);
	for (unsigned i = 0; i < helpers && i < MOST_HELPERS; i++)
		if (!start_helper(copier))
			break; /* fewer do as well */
	return copier;
}

void copier_destroy(struct copier *copier)
{
	if (copier == NULL)
		return;
	pthread_mutex_lock(&copier->lock);
	copier->ends = true;
	pthread_cond_broadcast(&copier->begun);
	pthread_mutex_unlock(&copier->lock);
	for (unsigned i = 0; i < copier->helpers; i++)
		pthread_join(copier->threads[i], NULL);
	pthread_cond_destroy(&copier->done);
	pthread_cond_destroy(&copier->begun);
	pthread_mutex_destroy(&copier->lock);
	pthread_mutex_destroy(&copier->turn);
	free(copier);
}

void copier_copy(struct copier *copier, void *to, const void *from, size_t size)
{
	if (copier == NULL || copier->helpers == 0 || size < LEAST_SHARED ||
	    pthread_mutex_trylock(&copier->turn) != 0) {
		memcpy(to, from, size);
		return;
	}
	pthread_mutex_lock(&copier->lock);
	copier->to = to;
	copier->from = from;
	copier->size = size;
	copier->share = (size / (copier->helpers + 1) / GRAIN + 1) * GRAIN;
	copier->waiting = copier->helpers;
	copier->round++;
	pthread_cond_broadcast(&copier->begun);
	pthread_mutex_unlock(&copier->lock);

	copy_share(to, from, size, copier->share, 0);

	pthread_mutex_lock(&copier->lock);
	while (copier->waiting > 0)
		pthread_cond_wait(&copier->done, &copier->lock);
	pthread_mutex_unlock(&copier->lock);
	pthread_mutex_unlock(&copier->turn);
}
