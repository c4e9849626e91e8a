/* replay.c - main() for a fuzz target without libFuzzer: the seeds of
 * corpus/NAME, then mutations of them, the same in every run.
 *
 *   replay_NAME [MUTATIONS [FILE ...]]
 *
 * The corpus is found beneath $FOLDD_SOURCE, or here. */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUTATIONS 300ul /* of each seed; chosen: a second or two in all */
#define ROOM 4096u      /* bytes a mutation may add */
#define MAX_SEED (1u << 20)

static uint64_t state;

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next(void)
{
	uint64_t z = state += 0x9E3779B97F4A7C15;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

static size_t below(size_t n)
{
	return n > 0 ? (size_t)(next() % n) : 0;
}

static size_t insert(uint8_t *data, size_t size, size_t room, size_t at, const void *what,
		     size_t length)
{
	if (length > room - size)
		return size;
	memmove(data + at + length, data + at, size - at);
	memcpy(data + at, what, length);
	return size + length;
}

static size_t mutate(uint8_t *data, size_t size, size_t room)
{
	static const char *const tokens[] = {"[",
					     "]",
					     "{",
					     "}",
					     "\"",
					     ",",
					     ":",
					     "-",
					     "1e400",
					     "0.1",
					     "NaN",
					     "null",
					     "true",
					     "\\u0000",
					     "%00",
					     "%zz",
					     "&",
					     "=",
					     "-9223372036854775808",
					     "18446744073709551616",
					     "\"data\":",
					     "\"op\":\"sum\"",
					     "(",
					     ")",
					     "'",
					     "L",
					     "\x93NUMPY",
					     "\xff",
					     "\n",
					     "1e-9999999999"};
	const size_t at = below(size + 1);
	uint8_t copy[64];
	const char *token;
	size_t length;

	switch (below(6)) {
	case 0:
		if (size > 0)
			data[below(size)] ^= (uint8_t)(1u << below(8));
		return size;
	case 1:
		if (size > 0)
			data[below(size)] = (uint8_t)next();
		return size;
	case 2: /* take some away */
		length = below(size - at + 1);
		length = below(2) == 0 && length > 8 ? 8 : length;
		memmove(data + at, data + at + length, size - at - length);
		return size - length;
	case 3: /* some of it twice */
		length = size - at < sizeof(copy) ? size - at : sizeof(copy);
		memcpy(copy, data + at, length);
		return insert(data, size, room, below(size + 1), copy, length);
	case 4:
		token = tokens[below(sizeof(tokens) / sizeof(tokens[0]))];
		return insert(data, size, room, at, token, strlen(token));
	default: /* a digit for a digit */
		for (length = at; length < size; length++) {
			if (data[length] >= '0' && data[length] <= '9') {
				data[length] = (uint8_t)('0' + below(10));
				break;
			}
		}
		return size;
	}
}

/* The target must not read past the end: an allocation of the exact size lets
 * AddressSanitizer see it. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size);

	if (exact == NULL && size > 0)
		abort();
	if (size > 0)
		memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static int replay(const char *path, unsigned long mutations)
{
	static uint8_t seed[MAX_SEED], data[MAX_SEED + ROOM];
	FILE *file = fopen(path, "rb");
	unsigned long i;
	size_t size, now;

	if (file == NULL) {
		perror(path);
		return 1;
	}
	size = fread(seed, 1, sizeof(seed), file);
	fclose(file);
	state = size;
	for (i = 0; i < size; i++)
		state = state * 31 + seed[i];
	run(seed, size);
	for (i = 0; i < mutations; i++) {
		size_t steps = 1 + below(8);

		memcpy(data, seed, size);
		for (now = size; steps > 0; steps--)
			now = mutate(data, now, sizeof(data));
		run(data, now);
	}
	return 0;
}

static int replay_corpus(const char *name, unsigned long mutations)
{
	const char *source = getenv("FOLDD_SOURCE");
	struct dirent **entries;
	char directory[4096], path[8192];
	int count, i, failed = 0, seeds = 0;

	snprintf(directory, sizeof(directory), "%s/tests/fuzz/corpus/%s",
		 source != NULL ? source : ".", name);
	count = scandir(directory, &entries, NULL, alphasort);
	if (count < 0) {
		perror(directory);
		return 1;
	}
	for (i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
			failed |= replay(path, mutations);
			seeds++;
		}
		free(entries[i]);
	}
	free(entries);
	printf("%s: %d seeds, %lu mutations of each\n", name, seeds, mutations);
	return failed != 0 || seeds == 0;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '_');
	unsigned long mutations = argc > 1 ? strtoul(argv[1], NULL, 10) : MUTATIONS;
	int failed = 0, i;

	if (argc <= 2)
		return replay_corpus(name != NULL ? name + 1 : argv[0], mutations);
	for (i = 2; i < argc; i++)
		failed |= replay(argv[i], mutations);
	return failed;
}
