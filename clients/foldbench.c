/* foldbench - measures. */
#include "config.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clients/bench_cpu.h"
#include "engine/arithmetic.h"

#define LENGTH_MAX (1ull << 36) /* 2^36 * 2^39: sums stay exact in an int64_t */

static const char help[] =
	"Usage: foldbench cpu [OPTION...]\n"
	"\n"
	"Times sum, max, l2 and var of float32 and float64 under each promise, in this\n"
	"process, through the library that foldd uses. Every result is checked; a wrong\n"
	"one is an error. Ratios to ceilings and peers: ./dev bench of the sources.\n"
	"\n"
	"  --lengths N[,N...]   elements, at most 16 lengths (default:\n"
	"                       1000,100000,10000000)\n"
	"  --threads N          of the library (default: as many as may be used)\n"
	"  --seconds S          for each measurement, at least (default: 0.2)\n"
	"  --json               for programs: ns and bytes per second, medians\n"
	"  --help, --version\n"
	"\n"
	"Columns: us is the median time of one job in microseconds; GB/s is the bytes\n"
	"of the array by that time (10^9 bytes).\n"
	"\n"
	"Exit status: 0 done, 1 a measurement failed or a result was wrong, 2 the\n"
	"command line makes no sense.\n";

static int usage(const char *option, const char *value)
{
	fprintf(stderr, "foldbench: --%s: '%s' makes no sense; see foldbench --help\n", option,
		value);
	return 2;
}

static bool read_count(const char *text, unsigned long long max, unsigned long long *out,
		       char **end)
{
	if (*text < '0' || *text > '9')
		return false;
	*out = strtoull(text, end, 10);
	return *out >= 1 && *out <= max;
}

static bool read_lengths(struct bench_cpu_options *options, const char *text)
{
	const unsigned room = sizeof(options->lengths) / sizeof(options->lengths[0]);

	for (options->length_count = 0; options->length_count < room;) {
		unsigned long long length;
		char *end;

		if (!read_count(text, LENGTH_MAX, &length, &end))
			return false;
		options->lengths[options->length_count++] = length;
		if (*end == '\0')
			return true;
		if (*end != ',')
			return false;
		text = end + 1;
	}
	return false;
}

static bool read_option(struct bench_cpu_options *options, int id, const char *value)
{
	unsigned long long threads;
	char *end;

	switch (id) {
	case 'l':
		return read_lengths(options, value);
	case 't':
		if (!read_count(value, 4096, &threads, &end) || *end != '\0')
			return false;
		options->threads = (unsigned)threads;
		return true;
	case 's':
		options->seconds = strtod(value, &end);
		return end != value && *end == '\0' && options->seconds >= 0 &&
		       options->seconds <= 3600;
	default:
		options->json = true;
		return true;
	}
}

int main(int argc, char **argv)
{
	static const struct option table[] = {
		{"lengths", required_argument, NULL, 'l'},
		{"threads", required_argument, NULL, 't'},
		{"seconds", required_argument, NULL, 's'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0},
	};
	struct bench_cpu_options options = {
		.seconds = 0.2, .lengths = {1000, 100000, 10000000}, .length_count = 3};
	int id, index;

	while ((id = getopt_long(argc, argv, "h", table, &index)) != -1) {
		if (id == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (id == 'v') {
			puts("foldbench " PACKAGE_VERSION);
			return 0;
		}
		if (id == '?')
			return 2;
		if (!read_option(&options, id, optarg))
			return usage(table[index].name, optarg);
	}
	if (optind == argc) {
		fputs(help, stderr);
		return 2;
	}
	index = strcmp(argv[optind], "cpu") != 0 ? optind : optind + 1;
	if (index < argc) {
		fprintf(stderr, "foldbench: '%s' makes no sense; see foldbench --help\n",
			argv[index]);
		return 2;
	}
	arithmetic_init_thread();
	return bench_cpu_run(&options);
}
