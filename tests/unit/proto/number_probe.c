/* number_probe.c - numbers as text, for a test in another language. Lines in,
 * a line out for each:
 *
 *   read DTYPE TEXT     the elements as hex bytes, or an error's code; DTYPE
 *                       "-": inferred, and its name goes first
 *   write DTYPE HEX     the element's text
 *   npy DTYPE ORDER N...  an .npy header of this shape, as hex bytes */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proto/npy.h"
#include "proto/number_write.h"
#include "proto/numbers.h"

static void put_hex(const void *data, size_t size)
{
	const unsigned char *p = data;
	size_t i;

	for (i = 0; i < size; i++)
		printf("%02x", p[i]);
}

static void do_read(const char *name, const char *text)
{
	struct numbers numbers;
	struct error err = {0};
	enum dtype dtype = DTYPE_BOOL;
	const bool typed = dtype_from_name(name, &dtype);
	uint64_t count;

	if (numbers_read(&numbers, text, strlen(text), typed ? &dtype : NULL, 32, "", &err) !=
	    STATUS_OK) {
		printf("%s\n", status_code(err.status));
		return;
	}
	if (!typed)
		printf("%s ", dtype_name(numbers.desc.dtype));
	if (array_count(&numbers.desc, &count, NULL) == STATUS_OK)
		put_hex(numbers.data, count * dtype_size(numbers.desc.dtype));
	printf("\n");
	free(numbers.data);
}

static void do_write(enum dtype dtype, const char *hex)
{
	unsigned char element[8] = {0};
	char text[32];
	size_t i;

	for (i = 0; i < dtype_size(dtype); i++)
		sscanf(hex + 2 * i, "%2hhx", &element[i]);
	printf("%.*s\n", (int)number_write(text, dtype, element), text);
}

static void do_npy(enum dtype dtype, char *rest)
{
	struct array_desc desc = {.dtype = dtype, .fortran = rest[0] == 'F'};
	char *word, *state = NULL;
	char header[1024];

	strtok_r(rest, " ", &state);
	while ((word = strtok_r(NULL, " ", &state)) != NULL && desc.ndim < ARRAY_MAX_NDIM)
		desc.shape[desc.ndim++] = strtoull(word, NULL, 10);
	npy_header_write(header, npy_header_room(desc.ndim), &desc);
	put_hex(header, npy_header_room(desc.ndim));
	printf("\n");
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	while ((size = getline(&line, &room, stdin)) > 0) {
		char *state = NULL, *verb, *name, *rest;
		enum dtype dtype = DTYPE_BOOL;

		line[size - 1] = '\0';
		verb = strtok_r(line, " ", &state);
		name = strtok_r(NULL, " ", &state);
		rest = strtok_r(NULL, "", &state);
		if (name == NULL || rest == NULL)
			return 2;
		if (strcmp(verb, "read") == 0)
			do_read(name, rest);
		else if (!dtype_from_name(name, &dtype))
			return 2;
		else if (strcmp(verb, "write") == 0)
			do_write(dtype, rest);
		else
			do_npy(dtype, rest);
		fflush(stdout);
	}
	free(line);
	return 0;
}
