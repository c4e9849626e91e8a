/* jansson_read.c - how fast jansson alone turns the text of a job object into
 * an array of doubles: the peer of the JSON benchmark (tests/bench/run).
 *
 * usage: jansson_read FILE RUNS; prints {"best_s", "median_s", "sum"}. */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static char *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	long end;

	if (file == NULL)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0) {
		*size = (size_t)end;
		rewind(file);
		text = malloc(*size + 1);
		if (text != NULL && fread(text, 1, *size, file) != *size) {
			free(text);
			text = NULL;
		}
	}
	fclose(file);
	return text;
}

/* Parse, copy to an array, sum it. Negative on failure. */
static int once(const char *text, size_t size, double *seconds, double *sum)
{
	double begin = now();
	json_t *job = json_loadb(text, size, 0, NULL);
	json_t *data = json_object_get(job, "data");
	size_t count = json_array_size(data);
	double *numbers = malloc((count + 1) * sizeof(*numbers));
	json_t *item;
	size_t i;

	if (data == NULL || numbers == NULL) {
		free(numbers);
		json_decref(job);
		return -1;
	}
	json_array_foreach(data, i, item) numbers[i] = json_number_value(item);
	json_decref(job);
	*sum = 0;
	for (i = 0; i < count; i++)
		*sum += numbers[i];
	*seconds = now() - begin;
	free(numbers);
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int runs = argc == 3 ? atoi(argv[2]) : 0;
	size_t size = 0;
	char *text = runs > 0 ? slurp(argv[1], &size) : NULL;
	double *seconds = runs > 0 ? calloc((size_t)runs, sizeof(*seconds)) : NULL;
	double sum = 0;
	int status = EXIT_FAILURE;

	if (text == NULL || seconds == NULL) {
		fprintf(stderr, "usage: jansson_read FILE RUNS\n");
		goto out;
	}
	for (int i = 0; i < runs; i++) {
		if (once(text, size, &seconds[i], &sum) < 0) {
			fprintf(stderr, "jansson_read: %s is no job with data\n", argv[1]);
			goto out;
		}
	}
	qsort(seconds, (size_t)runs, sizeof(*seconds), compare);
	printf("{\"best_s\": %.9f, \"median_s\": %.9f, \"sum\": %.17g}\n", seconds[0],
	       seconds[runs / 2], sum);
	status = EXIT_SUCCESS;
out:
	free(seconds);
	free(text);
	return status;
}
