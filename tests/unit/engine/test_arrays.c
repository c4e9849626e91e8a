#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/array_restore.h"
#include "engine/array_upload.h"
#include "engine/resident_source.h"
#include "engine/task.h"
#include <cmocka.h> /* last: it defines fail() */

/* A backend whose memory the host cannot read, and which breaks when told to. */
struct array {
	char *bytes;
};

static bool broken;
static int alive; /* arrays that were not destroyed */

static void fake_describe(const struct backend *self, struct backend_caps *out)
{
	(void)self;
	*out = (struct backend_caps){.name = "fake", .memory = 4000};
}

static enum status fake_create(struct backend *self, uint64_t size, struct array **out,
			       struct error *err)
{
	(void)self;
	(void)err;
	*out = malloc(sizeof(**out));
	assert_non_null(*out);
	(*out)->bytes = malloc(size + 1);
	__atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED);
	return STATUS_OK;
}

static enum status fake_write(struct array *array, uint64_t offset, const void *bytes,
			      uint64_t size, struct error *err)
{
	(void)err;
	memcpy(array->bytes + offset, bytes, size);
	return STATUS_OK;
}

static enum status fake_read(const struct array *array, uint64_t offset, void *out, uint64_t size,
			     struct error *err)
{
	(void)err;
	if (broken)
		return STATUS_BACKEND_UNAVAILABLE;
	memcpy(out, array->bytes + offset, size);
	return STATUS_OK;
}

static void fake_destroy(struct array *array)
{
	free(array->bytes);
	free(array);
	__atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED);
}

static const void *fake_data(const struct array *array)
{
	(void)array;
	return NULL;
}

static const struct backend_ops fake = {
	.name = "fake",
	.describe = fake_describe,
	.array_create = fake_create,
	.array_write = fake_write,
	.array_read = fake_read,
	.array_destroy = fake_destroy,
	.array_data = fake_data,
};

static struct arrays *open_store(uint64_t budget, enum array_copy copy, const char *directory)
{
	const struct arrays_config config = {
		.budget = budget, .copy = copy, .directory = directory};
	struct arrays *arrays = NULL;

	assert_int_equal(arrays_create(&config, &fake, NULL, &arrays, NULL), STATUS_OK);
	return arrays;
}

static enum status put(struct arrays *arrays, const char *name, const double *x, uint64_t count,
		       bool only_new)
{
	const struct array_desc desc = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {count}};
	struct resident *resident = NULL;
	struct upload *upload = NULL;
	bool created;
	enum status status = upload_create(arrays, name, only_new, &upload, NULL);

	if (status == STATUS_OK)
		status = upload_begin(upload, &desc, NULL, NULL);
	if (status == STATUS_OK)
		status = upload_write(upload, x, count, NULL);
	if (status == STATUS_OK)
		status = upload_end(upload, NULL);
	if (status == STATUS_OK)
		status = upload_commit(upload, &created, &resident, NULL);
	resident_release(resident);
	upload_destroy(upload);
	return status;
}

static double first_of(struct resident *resident)
{
	double x;

	assert_int_equal(resident_read(resident, 0, &x, sizeof(x), NULL), STATUS_OK);
	return x;
}

static const double ones[100] = {1}, twos[100] = {2};

static void names(void **state)
{
	static const char *const good[] = {"a", "0", "A.b_c-d", "-", "_"};
	static const char *const bad[] = {"", ".", ".a", "a b", "a/b", "a\n", "\xc3\xbc", "a%"};
	char longest[257];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(arrays_check_name(good[i], NULL), STATUS_OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(arrays_check_name(bad[i], NULL), STATUS_BAD_VALUE);
	memset(longest, 'x', 256);
	longest[256] = '\0';
	assert_int_equal(arrays_check_name(longest, NULL), STATUS_BAD_VALUE);
	longest[255] = '\0';
	assert_int_equal(arrays_check_name(longest, NULL), STATUS_OK);
}

static void a_replaced_one_lives_as_long_as_it_is_used(void **state)
{
	struct arrays *arrays = open_store(0, ARRAY_COPY_NONE, NULL);
	struct resident *old = NULL, *new = NULL;

	(void)state;
	assert_int_equal(arrays_budget(arrays), 1000); /* a quarter */
	assert_int_equal(put(arrays, "x", ones, 10, false), STATUS_OK);
	assert_int_equal(arrays_get(arrays, "x", &old, NULL), STATUS_OK);
	assert_int_equal(put(arrays, "x", twos, 20, true), STATUS_ARRAY_EXISTS);
	assert_int_equal(put(arrays, "x", twos, 20, false), STATUS_OK);
	assert_int_equal(arrays_used(arrays), 240);
	assert_int_equal(arrays_get(arrays, "x", &new, NULL), STATUS_OK);
	assert_true(first_of(old) == 1 && first_of(new) == 2);
	assert_int_equal(arrays_delete(arrays, "x", NULL), STATUS_OK);
	assert_int_equal(arrays_delete(arrays, "x", NULL), STATUS_NO_SUCH_ARRAY);
	assert_int_equal(arrays_get(arrays, "x", &new, NULL), STATUS_NO_SUCH_ARRAY);
	assert_true(first_of(old) == 1 && first_of(new) == 2);
	assert_int_equal(arrays_used(arrays), 240);
	resident_release(old);
	assert_int_equal(arrays_used(arrays), 160);
	resident_release(new);
	assert_int_equal(arrays_used(arrays), 0);
	assert_int_equal(alive, 0);
	arrays_destroy(arrays);
}

static void the_budget_holds(void **state)
{
	struct arrays *arrays = open_store(800, ARRAY_COPY_NONE, NULL);
	struct resident **list;
	size_t count;

	(void)state;
	assert_int_equal(put(arrays, "a", ones, 101, false), STATUS_OUT_OF_MEMORY);
	assert_int_equal(arrays_used(arrays), 0);
	assert_int_equal(put(arrays, "b", ones, 60, false), STATUS_OK);
	assert_int_equal(put(arrays, "b", ones, 60, false), STATUS_OUT_OF_MEMORY);
	assert_int_equal(put(arrays, "a", ones, 40, false), STATUS_OK);
	assert_int_equal(put(arrays, "c", ones, 1, false), STATUS_OUT_OF_MEMORY);
	assert_int_equal(put(arrays, "c", ones, 0, false), STATUS_OK);
	assert_int_equal(arrays_list(arrays, &list, &count, NULL), STATUS_OK);
	assert_int_equal(count, 3);
	assert_string_equal(list[0]->name, "a");
	assert_string_equal(list[1]->name, "b");
	assert_string_equal(list[2]->name, "c");
	arrays_list_free(list, count);
	arrays_destroy(arrays);
	assert_int_equal(alive, 0);
}

static void unknown_length(void **state)
{
	const struct array_desc desc = {.dtype = DTYPE_INT64, .ndim = 1, .shape = {ARRAY_UNKNOWN}};
	struct arrays *arrays = open_store(5u << 20, ARRAY_COPY_HOST, NULL);
	struct resident *resident = NULL;
	struct upload *upload = NULL;
	int64_t piece[1000], x;
	bool created;

	(void)state;
	assert_int_equal(upload_create(arrays, "x", false, &upload, NULL), STATUS_OK);
	assert_int_equal(upload_begin(upload, &desc, NULL, NULL), STATUS_OK);
	for (int64_t i = 0; i < 260; i++) {
		for (int64_t j = 0; j < 1000; j++)
			piece[j] = i * 1000 + j;
		assert_int_equal(upload_write(upload, piece, 1000, NULL), STATUS_OK);
	}
	assert_int_equal(upload_end(upload, NULL), STATUS_OK);
	assert_int_equal(upload_commit(upload, &created, &resident, NULL), STATUS_OK);
	assert_true(created);
	assert_int_equal(resident->desc.shape[0], 260000);
	for (int round = 0; round < 2; round++) {
		broken = round == 1; /* from the copy in host memory */
		for (uint64_t i = 0; i < 260000; i += 7) {
			assert_int_equal(resident_read(resident, i * 8, &x, 8, NULL), STATUS_OK);
			assert_int_equal(x, i);
		}
	}
	broken = false;
	resident_release(resident);
	upload_destroy(upload);
	arrays_destroy(arrays);
	assert_int_equal(alive, 0);
}

static void an_upload_given_up(void **state)
{
	const struct array_desc desc = {.dtype = DTYPE_FLOAT64, .ndim = 1, .shape = {3}};
	struct arrays *arrays = open_store(0, ARRAY_COPY_NONE, NULL);
	struct resident *resident = NULL;
	struct upload *upload = NULL;
	struct error err;
	bool created;

	(void)state;
	assert_int_equal(upload_create(arrays, ".x", false, &upload, NULL), STATUS_BAD_VALUE);
	assert_int_equal(upload_create(arrays, "x", false, &upload, NULL), STATUS_OK);
	assert_int_equal(upload_begin(upload, &desc, NULL, NULL), STATUS_OK);
	assert_int_equal(upload_write(upload, ones, 2, NULL), STATUS_OK);
	assert_int_equal(upload_end(upload, NULL), STATUS_BAD_SHAPE);
	assert_int_equal(upload_write(upload, ones, 2, NULL), STATUS_BAD_SHAPE);
	assert_int_equal(upload_commit(upload, &created, &resident, &err), STATUS_INTERNAL);
	upload_destroy(upload);
	assert_int_equal(arrays_used(arrays), 0);
	assert_int_equal(arrays_get(arrays, "x", &resident, NULL), STATUS_NO_SUCH_ARRAY);
	arrays_destroy(arrays);
	assert_int_equal(alive, 0);
}

/* (5, 3), element [i][j] is 10 i + j. */
static struct resident *table(struct arrays *arrays, bool fortran)
{
	const struct array_desc desc = {
		.dtype = DTYPE_INT32, .ndim = 2, .shape = {5, 3}, .fortran = fortran};
	struct resident *resident = arrays_new(arrays, "t");
	int32_t x[15];

	for (int k = 0; k < 15; k++)
		x[k] = fortran ? k % 5 * 10 + k / 5 : k / 3 * 10 + k % 3;
	resident->desc = desc;
	resident->bytes = sizeof(x);
	assert_int_equal(resident_hold(resident, sizeof(x), 0, false, NULL), STATUS_OK);
	assert_int_equal(resident_write(resident, 0, x, sizeof(x), NULL), STATUS_OK);
	return resident;
}

static void slices(void **state)
{
	struct arrays *arrays = open_store(0, ARRAY_COPY_NONE, NULL);

	(void)state;
	for (int fortran = 0; fortran < 2; fortran++) {
		struct resident *resident = table(arrays, fortran);

		for (uint64_t a = 0; a <= 5; a++) {
			for (uint64_t b = a; b <= 5; b++) {
				const uint64_t slice[] = {a, b};
				const uint64_t rows = b - a;
				struct source *source = NULL;
				int32_t x[16];
				uint64_t got = 1, at = 0;

				assert_int_equal(
					source_from_resident(resident, slice, &source, NULL),
					STATUS_OK);
				assert_int_equal(source->desc.shape[0], rows);
				assert_true((source->resident == resident) ==
					    (!fortran || rows == 5));
				while (got > 0) { /* by pieces that end inside runs */
					assert_int_equal(
						source->read(source, x + at, 2, &got, NULL),
						STATUS_OK);
					at += got;
				}
				assert_int_equal(at, rows * 3);
				for (uint64_t k = 0; k < at; k++)
					assert_int_equal(x[k],
							 fortran ? (a + k % rows) * 10 + k / rows
								 : (a + k / 3) * 10 + k % 3);
				source_close(source);
			}
		}
		resident_release(resident);
	}
	assert_int_equal(arrays_used(arrays), 0);
	arrays_destroy(arrays);
	assert_int_equal(alive, 0);
}

/* Computed by another backend than the one that holds them: read in pieces. */
static void other_backends_read(void **state)
{
	struct engine_config config = {.threads = 1};
	struct arrays *arrays = open_store(0, ARRAY_COPY_NONE, NULL);
	const uint64_t slice[] = {1, 4};
	struct engine *engine = NULL;

	(void)state;
	limits_default(&config.limits);
	assert_int_equal(engine_create(&config, &engine, NULL), STATUS_OK);
	for (int kind = 0; kind < 4; kind++) {
		struct resident *x = table(arrays, kind % 2 == 1), *y = table(arrays, kind >= 2);
		struct task *task = task_create();
		int64_t dot;

		task->job.op_count = 1;
		task->job.determinism = DETERMINISM_ORDERED;
		op_parse("dot", &task->job.ops[0].spec, NULL);
		assert_int_equal(source_from_resident(x, slice, &task->x, NULL), STATUS_OK);
		assert_int_equal(source_from_resident(y, slice, &task->y, NULL), STATUS_OK);
		resident_release(x);
		resident_release(y);
		assert_true(task_cost_ns(engine, task) > 0);
		assert_int_equal(task_run(engine, task), STATUS_OK);
		spool_read(task->result->ops[0].data, 0, &dot, sizeof(dot), NULL);
		assert_int_equal(dot, 100 + 121 + 144 + 400 + 441 + 484 + 900 + 961 + 1024);
		task_destroy(task);
	}
	assert_int_equal(arrays_used(arrays), 0);
	arrays_destroy(arrays);
	engine_destroy(engine);
	assert_int_equal(alive, 0);
}

#define TURNS 400

struct racer {
	pthread_t thread;
	struct arrays *arrays;
	unsigned seed;
	unsigned puts;
};

static void *race(void *context)
{
	static const char *const all[] = {"a", "b", "c"};
	struct racer *racer = context;

	for (int i = 0; i < TURNS; i++) {
		const char *name = all[rand_r(&racer->seed) % 3];
		struct resident *resident = NULL, **list;
		size_t count;
		double x[40];

		switch (rand_r(&racer->seed) % 5) {
		case 0:
		case 1:
			for (int k = 0; k < 40; k++)
				x[k] = name[0];
			if (put(racer->arrays, name, x, 40, i % 2 == 0) == STATUS_OK)
				racer->puts++;
			break;
		case 2:
			arrays_delete(racer->arrays, name, NULL);
			break;
		case 3:
			if (arrays_list(racer->arrays, &list, &count, NULL) == STATUS_OK)
				arrays_list_free(list, count);
			break;
		default:
			if (arrays_get(racer->arrays, name, &resident, NULL) != STATUS_OK)
				break;
			if (resident_read(resident, 0, x, sizeof(x), NULL) != STATUS_OK ||
			    x[0] != name[0] || x[39] != name[0])
				racer->puts = UINT32_MAX / 2;
			resident_release(resident);
		}
	}
	return NULL;
}

static void races(void **state)
{
	struct arrays *arrays = open_store(1u << 20, ARRAY_COPY_HOST, NULL);
	struct racer racers[4];
	struct resident **list;
	uint64_t held = 0;
	size_t count;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		racers[i] = (struct racer){.arrays = arrays, .seed = i};
		assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(racers[i].thread, NULL);
		assert_in_range(racers[i].puts, 1, TURNS);
	}
	assert_int_equal(arrays_list(arrays, &list, &count, NULL), STATUS_OK);
	for (size_t i = 0; i < count; i++)
		held += list[i]->bytes;
	assert_int_equal(arrays_used(arrays), held);
	assert_int_equal(alive, count);
	arrays_list_free(list, count);
	arrays_destroy(arrays);
	assert_int_equal(alive, 0);
}

static unsigned files_in(const char *directory)
{
	DIR *listing = opendir(directory);
	unsigned count = 0;

	while (readdir(listing) != NULL)
		count++;
	closedir(listing);
	return count - 2;
}

static void never_called(const char *text)
{
	fail_msg("%s", text);
}

static void on_disk(void **state)
{
	char directory[] = "/tmp/foldd-test-arrays-XXXXXX", name[300];
	struct arrays *arrays, *other = NULL;
	struct arrays_config config = {.copy = ARRAY_COPY_DISK, .directory = directory};
	struct resident *resident = NULL;

	(void)state;
	assert_non_null(mkdtemp(directory));
	arrays = open_store(0, ARRAY_COPY_DISK, directory);
	assert_int_equal(arrays_create(&config, &fake, NULL, &other, NULL), STATUS_BAD_VALUE);
	assert_int_equal(put(arrays, "x", ones, 10, false), STATUS_OK);
	assert_int_equal(put(arrays, "x", twos, 10, false), STATUS_OK);
	assert_int_equal(put(arrays, "x", ones, 10, true), STATUS_ARRAY_EXISTS);
	assert_int_equal(put(arrays, "y", ones, 10, false), STATUS_OK);
	assert_int_equal(arrays_delete(arrays, "y", NULL), STATUS_OK);
	assert_int_equal(put(arrays, "z", ones, 1000, false), STATUS_OUT_OF_MEMORY);
	assert_int_equal(files_in(directory), 2);
	arrays_destroy(arrays);

	arrays = open_store(0, ARRAY_COPY_DISK, directory);
	assert_int_equal(arrays_restore(arrays, never_called, NULL), STATUS_OK);
	assert_int_equal(arrays_get(arrays, "x", &resident, NULL), STATUS_OK);
	assert_true(first_of(resident) == 2);
	resident_release(resident);
	assert_int_equal(arrays_delete(arrays, "x", NULL), STATUS_OK);
	arrays_destroy(arrays);
	assert_int_equal(files_in(directory), 0);
	snprintf(name, sizeof(name), "%s", directory);
	assert_int_equal(rmdir(name), 0);
	assert_int_equal(alive, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(a_replaced_one_lives_as_long_as_it_is_used),
		cmocka_unit_test(the_budget_holds),
		cmocka_unit_test(unknown_length),
		cmocka_unit_test(an_upload_given_up),
		cmocka_unit_test(slices),
		cmocka_unit_test(other_backends_read),
		cmocka_unit_test(races),
		cmocka_unit_test(on_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
