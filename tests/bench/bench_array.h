/* bench_array.h - the arrays that are measured, by name. Each lies in memory of
 * its own, on huge pages where the system gives them on request. */
#ifndef TESTS_BENCH_BENCH_ARRAY_H
#define TESTS_BENCH_BENCH_ARRAY_H

#include <stdint.h>
#include <stdio.h>
#include "engine/array.h"
#include "engine/status.h"

#define BENCH_ARRAYS 16u /* at one time */

struct bench_array {
	char name[32]; /* "": free */
	struct array_desc desc;
	uint64_t count; /* elements */
	void *elements;
	void *map;
	size_t map_size;
};

struct bench_arrays {
	struct bench_array all[BENCH_ARRAYS];
};

/* Read the elements of an array of `desc` from the stream, native-endian, and
 * repeat them so many times along the first axis. */
enum status bench_array_load(struct bench_arrays *arrays, const char *name,
			     const struct array_desc *desc, uint64_t copies, FILE *stream,
			     struct error *err);
enum status bench_array_drop(struct bench_arrays *arrays, const char *name, struct error *err);
void bench_arrays_deinit(struct bench_arrays *arrays);

/* NULL: no such array. */
const struct bench_array *bench_array_find(const struct bench_arrays *arrays, const char *name);

#endif
