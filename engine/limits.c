#include "config.h"

#include "engine/limits.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

void limits_default(struct limits *out)
{
	*out = (struct limits){
		.body = 0,
		.json = 256 * MIB,
		.depth = 32,
		.jobs = 10000,
		.state = 1 * GIB,
		.spool = 64 * GIB,
		.json_elements = 4000000,
		.inline_ns = 200000,
		.queue_jobs = 1024,
		.timeout_ms = 0,
		.files = 65536,
	};
}
