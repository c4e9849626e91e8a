#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>
#include "cpu/team.h"
#include <cmocka.h> /* last: it defines fail() */

#define ITEMS 10000u

struct share {
	atomic_uint next;
	atomic_uint taken[ITEMS];
	atomic_uint bodies;
};

static void take(void *context, unsigned worker)
{
	struct share *share = context;

	(void)worker;
	atomic_fetch_add(&share->bodies, 1);
	for (;;) {
		unsigned i = atomic_fetch_add(&share->next, 1);

		if (i >= ITEMS)
			break;
		atomic_fetch_add(&share->taken[i], 1);
	}
}

static void check_once_each(struct share *share)
{
	for (unsigned i = 0; i < ITEMS; i++)
		assert_int_equal(atomic_load(&share->taken[i]), 1);
}

static void every_item_once(void **state)
{
	static const unsigned sizes[] = {1, 2, 3, 8};

	(void)state;
	for (unsigned s = 0; s < 4; s++) {
		struct team *team = team_create(sizes[s]);

		assert_non_null(team);
		assert_int_equal(team_size(team), sizes[s]);
		for (unsigned round = 0; round < 50; round++) {
			static struct share share;

			share = (struct share){0};
			team_run(team, take, &share);
			check_once_each(&share);
			assert_int_equal(atomic_load(&share.bodies), sizes[s]);
		}
		team_destroy(team);
	}
}

struct caller {
	struct team *team;
	struct share share;
};

static void *call(void *argument)
{
	struct caller *caller = argument;

	for (unsigned round = 0; round < 20; round++) {
		caller->share = (struct share){0};
		team_run(caller->team, take, &caller->share);
		for (unsigned i = 0; i < ITEMS; i++)
			if (atomic_load(&caller->share.taken[i]) != 1)
				return "an item was not taken once";
	}
	return NULL;
}

/* A second caller does not wait for the first: it works alone. */
static void callers_at_the_same_time(void **state)
{
	static struct caller callers[3];
	struct team *team = team_create(3);
	pthread_t threads[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		callers[i].team = team;
		pthread_create(&threads[i], NULL, call, &callers[i]);
	}
	for (unsigned i = 0; i < 3; i++) {
		void *wrong;

		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
	team_destroy(team);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_once),
		cmocka_unit_test(callers_at_the_same_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
