/* jansson_read.c - how fast jansson alone turns the text of a job object into
 * an array of doubles: the peer of the JSON benchmark (tests/bench/run).
 *
 * usage: jansson_read FILE RUNS; prints {"ns": [...], "sum"}, the time of each run. */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include "engine/clock.h"

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
static int once(const char *text, size_t size, double *ns, double *sum)
{
	uint64_t begin = clock_ns();
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
	*ns = (double)(clock_ns() - begin);
	free(numbers);
	return 0;
}

int main(int argc, char **argv)
{
	int runs = argc == 3 ? atoi(argv[2]) : 0;
	size_t size = 0;
	char *text = runs > 0 ? slurp(argv[1], &size) : NULL;
	double *ns = runs > 0 ? calloc((size_t)runs, sizeof(*ns)) : NULL;
	double sum = 0;
	int status = EXIT_FAILURE;

	if (text == NULL || ns == NULL) {
		fprintf(stderr, "usage: jansson_read FILE RUNS\n");
		goto out;
	}
	for (int i = 0; i < runs; i++) {
		if (once(text, size, &ns[i], &sum) < 0) {
			fprintf(stderr, "jansson_read: %s is no job with data\n", argv[1]);
			goto out;
		}
	}
	printf("{\"ns\": [");
	for (int i = 0; i < runs; i++)
		printf("%s%.0f", i == 0 ? "" : ", ", ns[i]);
	printf("], \"sum\": %.17g}\n", sum);
	status = EXIT_SUCCESS;
out:
	free(ns);
	free(text);
	return status;
}
