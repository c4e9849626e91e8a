/* bench_cpu.h - foldbench cpu: times of the library's CPU backend, in this
 * process. */
#ifndef CLIENTS_BENCH_CPU_H
#define CLIENTS_BENCH_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct bench_cpu_options {
	bool json;
	unsigned threads; /* 0: as many as the process may use */
	double seconds;   /* of each measurement, at least */
	uint64_t lengths[16];
	unsigned length_count;
};

/* 0, or 1 when a measurement failed or a result was wrong. */
int bench_cpu_run(const struct bench_cpu_options *options);

#endif
