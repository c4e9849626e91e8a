/* cpu_bench.c - foldd and plain loops, measured one command at a time, so that
 * tests/bench/cpu.py can measure peers in between.
 *
 * Commands come on standard input, one a line; each is answered by one line of
 * JSON. Those that measure answer {"ns": [...], "values": ["0x1.8p+1", ...]},
 * failures {"error": "..."}.
 *
 *   info
 *   load NAME DTYPE SHAPE COPIES       then the elements; SHAPE is 1000 or 30x40
 *   drop NAME
 *   simd LEVEL                         foldd's instruction set from here on
 *   job NAME RUNS PROMISE OPS THREADS AXIS        THREADS one|all; AXIS N or -
 *   plain NAME RUNS LOOP LEVEL VECTORS AHEAD THREADS    LOOP sum|squares|max
 *   tile NAME RUNS ROUNDS                         exact sums of 1,024 elements
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/simd.h"
#include "engine/clock.h"
#include "tests/bench/bench_array.h"
#include "tests/bench/bench_job.h"
#include "tests/bench/bench_tile.h"
#include "tests/bench/plain_team.h"

#define MAX_RUNS 10000u
#define MAX_WORDS 10u

enum threads { THREADS_ONE, THREADS_ALL, THREADS_COUNT };

struct bench {
	struct engine *engines[THREADS_COUNT];
	struct plain_team *teams[THREADS_COUNT];
	struct bench_arrays arrays;
	double ns[MAX_RUNS];
};

struct words {
	unsigned count;
	const char *word[MAX_WORDS];
};

static enum status read_number(const char *text, uint64_t least, uint64_t most, uint64_t *out,
			       struct error *err)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end != '\0' || number < least || number > most)
		return fail(err, STATUS_BAD_VALUE, "%s is no number of %" PRIu64 " to %" PRIu64,
			    text, least, most);
	*out = number;
	return STATUS_OK;
}

static enum status read_threads(const char *text, enum threads *out, struct error *err)
{
	if (strcmp(text, "one") != 0 && strcmp(text, "all") != 0)
		return fail(err, STATUS_BAD_VALUE, "threads are one or all, not %s", text);
	*out = strcmp(text, "all") == 0 ? THREADS_ALL : THREADS_ONE;
	return STATUS_OK;
}

static enum status read_shape(const char *text, struct array_desc *out, struct error *err)
{
	out->ndim = 0;
	for (;;) {
		size_t length = strcspn(text, "x");
		char digits[24];
		enum status status;

		if (length >= sizeof(digits) || out->ndim == ARRAY_MAX_NDIM)
			return fail(err, STATUS_BAD_SHAPE, "bad shape %s", text);
		memcpy(digits, text, length);
		digits[length] = '\0';
		status = read_number(digits, 1, INT64_MAX, &out->shape[out->ndim], err);
		if (status != STATUS_OK)
			return status;
		out->ndim++;
		if (text[length] == '\0')
			return STATUS_OK;
		text += length + 1;
	}
}

/* NAME RUNS, with which each measuring command begins. */
static enum status read_subject(const struct bench *bench, const struct words *words,
				const struct bench_array **array, unsigned *runs, struct error *err)
{
	uint64_t number;
	enum status status;

	*array = bench_array_find(&bench->arrays, words->word[1]);
	if (*array == NULL)
		return fail(err, STATUS_NO_SUCH_ARRAY, "no array %s", words->word[1]);
	status = read_number(words->word[2], 1, MAX_RUNS, &number, err);
	if (status == STATUS_OK)
		*runs = (unsigned)number;
	return status;
}

static void answer(const struct bench *bench, unsigned runs, const struct bench_values *values)
{
	printf("{\"ns\": [");
	for (unsigned i = 0; i < runs; i++)
		printf("%s%.1f", i == 0 ? "" : ", ", bench->ns[i]);
	printf("], \"values\": [");
	for (uint64_t i = 0; i < values->count; i++)
		printf("%s\"%a\"", i == 0 ? "" : ", ", values->values[i]);
	puts("]}");
}

static enum status do_info(struct bench *bench, const struct words *words, struct error *err)
{
	const char *comma = "";

	(void)bench;
	(void)words;
	(void)err;
	printf("{\"version\": \"%s\", \"compiler\": \"%s\", \"simd\": \"%s\", \"levels\": [",
	       PACKAGE_VERSION, __VERSION__, simd_name(simd_current()));
	for (unsigned simd = 0; simd < SIMD_COUNT; simd++) {
		if (!simd_has(simd))
			continue;
		printf("%s\"%s\"", comma, simd_name(simd));
		comma = ", ";
	}
	printf("], \"plain\": [\"%s\"", plain_base.name);
	if (plain_level_find("avx2") != NULL)
		printf(", \"avx2\"");
	if (plain_level_find("avx512") != NULL)
		printf(", \"avx512\"");
	puts("]}");
	return STATUS_OK;
}

static enum status do_load(struct bench *bench, const struct words *words, struct error *err)
{
	struct array_desc desc = {0};
	uint64_t copies;
	enum status status = read_shape(words->word[3], &desc, err);

	if (status == STATUS_OK && !dtype_from_name(words->word[2], &desc.dtype))
		status = fail(err, STATUS_BAD_DTYPE, "no type %s", words->word[2]);
	if (status == STATUS_OK)
		status = read_number(words->word[4], 1, UINT32_MAX, &copies, err);
	if (status == STATUS_OK)
		status =
			bench_array_load(&bench->arrays, words->word[1], &desc, copies, stdin, err);
	if (status == STATUS_OK)
		puts("{}");
	return status;
}

static enum status do_drop(struct bench *bench, const struct words *words, struct error *err)
{
	enum status status = bench_array_drop(&bench->arrays, words->word[1], err);

	if (status == STATUS_OK)
		puts("{}");
	return status;
}

static enum status do_simd(struct bench *bench, const struct words *words, struct error *err)
{
	(void)bench;
	for (unsigned simd = 0; simd < SIMD_COUNT; simd++) {
		if (strcmp(words->word[1], simd_name(simd)) != 0 || !simd_has(simd))
			continue;
		simd_use(simd);
		puts("{}");
		return STATUS_OK;
	}
	return fail(err, STATUS_BAD_VALUE, "this machine has no %s", words->word[1]);
}

static enum status read_promise(const char *name, enum determinism *out, struct error *err)
{
	static const enum determinism all[] = {DETERMINISM_NONE, DETERMINISM_ORDERED,
					       DETERMINISM_EXACT};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(name, determinism_name(all[i])) == 0) {
			*out = all[i];
			return STATUS_OK;
		}
	}
	return fail(err, STATUS_BAD_VALUE, "no promise %s", name);
}

static enum status do_job(struct bench *bench, const struct words *words, struct error *err)
{
	const struct bench_array *array;
	struct bench_job job = {0};
	struct bench_values values;
	enum threads threads;
	uint64_t axis = 0;
	unsigned runs;
	enum status status = read_subject(bench, words, &array, &runs, err);

	if (status == STATUS_OK)
		status = read_promise(words->word[3], &job.determinism, err);
	if (status == STATUS_OK)
		status = bench_job_ops(&job, words->word[4], err);
	if (status == STATUS_OK)
		status = read_threads(words->word[5], &threads, err);
	job.has_axis = strcmp(words->word[6], "-") != 0;
	if (status == STATUS_OK && job.has_axis)
		status = read_number(words->word[6], 0, ARRAY_MAX_NDIM - 1, &axis, err);
	job.axis = (int64_t)axis;
	if (status == STATUS_OK)
		status = bench_job_run(bench->engines[threads], &job, array, runs, bench->ns,
				       &values, err);
	if (status != STATUS_OK)
		return status;
	answer(bench, runs, &values);
	free(values.values);
	return STATUS_OK;
}

static enum status read_loop(const struct words *words, enum dtype dtype, enum plain_op *op,
			     plain_loop *out, struct error *err)
{
	static const char *const names[PLAIN_OP_COUNT] = {"sum", "squares", "max"};
	const struct plain_level *level = plain_level_find(words->word[4]);
	unsigned which = 0, way = 0;
	uint64_t vectors;
	enum status status = read_number(words->word[5], 1, 1u << (PLAIN_WAYS - 1), &vectors, err);

	if (status != STATUS_OK)
		return status;
	while (way < PLAIN_WAYS - 1 && (1u << way) < vectors)
		way++;
	while (which < PLAIN_OP_COUNT && strcmp(names[which], words->word[3]) != 0)
		which++;
	if (which == PLAIN_OP_COUNT || level == NULL || (1u << way) != vectors ||
	    (dtype != DTYPE_FLOAT32 && dtype != DTYPE_FLOAT64))
		return fail(err, STATUS_BAD_VALUE, "no loop %s of %s at level %s with %s vectors",
			    words->word[3], dtype_name(dtype), words->word[4], words->word[5]);
	*op = which;
	*out = dtype == DTYPE_FLOAT32 ? level->f32[which][way] : level->f64[which][way];
	return STATUS_OK;
}

static enum status do_plain(struct bench *bench, const struct words *words, struct error *err)
{
	const struct bench_array *array;
	enum threads threads;
	enum plain_op op = PLAIN_SUM;
	plain_loop loop = NULL;
	uint64_t ahead;
	unsigned runs;
	double value = 0;
	struct bench_values values = {&value, 1};
	enum status status = read_subject(bench, words, &array, &runs, err);

	if (status == STATUS_OK)
		status = read_loop(words, array->desc.dtype, &op, &loop, err);
	if (status == STATUS_OK)
		status = read_number(words->word[6], 0, 1 << 20, &ahead, err);
	if (status == STATUS_OK)
		status = read_threads(words->word[7], &threads, err);
	if (status != STATUS_OK)
		return status;
	for (unsigned run = 0; run < runs; run++) {
		uint64_t start = clock_ns();

		value = plain_team_run(bench->teams[threads], op, loop, array->elements,
				       array->count, dtype_size(array->desc.dtype), ahead);
		bench->ns[run] = (double)(clock_ns() - start);
	}
	answer(bench, runs, &values);
	return STATUS_OK;
}

static enum status do_tile(struct bench *bench, const struct words *words, struct error *err)
{
	const struct bench_array *array;
	struct bench_values values;
	uint64_t rounds;
	unsigned runs;
	enum status status = read_subject(bench, words, &array, &runs, err);

	if (status == STATUS_OK)
		status = read_number(words->word[3], 1, 1000000, &rounds, err);
	if (status == STATUS_OK)
		status = bench_tile_run(array, (unsigned)rounds, runs, bench->ns, &values, err);
	if (status != STATUS_OK)
		return status;
	answer(bench, runs, &values);
	free(values.values);
	return STATUS_OK;
}

static const struct {
	const char *name;
	unsigned words; /* with the name */
	enum status (*run)(struct bench *bench, const struct words *words, struct error *err);
} commands[] = {
	{"info", 1, do_info}, {"load", 5, do_load}, {"drop", 2, do_drop},   {"simd", 2, do_simd},
	{"job", 7, do_job},   {"tile", 4, do_tile}, {"plain", 8, do_plain},
};

static void answer_error(const char *text)
{
	printf("{\"error\": \"");
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	puts("\"}");
}

static void obey(struct bench *bench, char *line)
{
	struct words words = {0};
	struct error err = {0};
	enum status status = STATUS_OK;
	char *rest = NULL;

	for (char *word = strtok_r(line, " \n", &rest); word != NULL && words.count < MAX_WORDS;
	     word = strtok_r(NULL, " \n", &rest))
		words.word[words.count++] = word;
	for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (words.count == 0 || strcmp(words.word[0], commands[i].name) != 0)
			continue;
		if (words.count != commands[i].words)
			break;
		status = commands[i].run(bench, &words, &err);
		if (status != STATUS_OK)
			answer_error(err.text);
		fflush(stdout);
		return;
	}
	answer_error("no such command, or not with so many words");
	fflush(stdout);
}

static enum status prepare(struct bench *bench, struct error *err)
{
	struct backend_caps caps;
	unsigned all = 1; /* threads */
	enum status status = STATUS_OK;

	for (unsigned i = 0; status == STATUS_OK && i < THREADS_COUNT; i++) {
		struct engine_config config = {.threads = i == THREADS_ONE ? 1 : 0};

		limits_default(&config.limits);
		status = engine_create(&config, &bench->engines[i], err);
	}
	if (status != STATUS_OK)
		return status;
	for (unsigned i = 0; i < engine_backend_count(bench->engines[THREADS_ALL]); i++) {
		engine_backend_describe(bench->engines[THREADS_ALL], i, &caps);
		if (strcmp(caps.name, "cpu") == 0)
			all = caps.threads;
	}
	bench->teams[THREADS_ONE] = plain_team_create(1);
	bench->teams[THREADS_ALL] = plain_team_create(all);
	if (bench->teams[THREADS_ONE] == NULL || bench->teams[THREADS_ALL] == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory or no threads for the loops");
	return STATUS_OK;
}

int main(void)
{
	static struct bench bench; /* large */
	struct error err = {0};
	char *line = NULL;
	size_t size = 0;
	int status = EXIT_SUCCESS;

	if (prepare(&bench, &err) != STATUS_OK) {
		fprintf(stderr, "cpu_bench: %s\n", err.text);
		status = EXIT_FAILURE;
	} else {
		while (getline(&line, &size, stdin) > 0)
			obey(&bench, line);
	}
	free(line);
	bench_arrays_deinit(&bench.arrays);
	for (unsigned i = 0; i < THREADS_COUNT; i++) {
		plain_team_destroy(bench.teams[i]);
		if (bench.engines[i] != NULL)
			engine_destroy(bench.engines[i]);
	}
	return status;
}
