#include "config.h"
#include "cpu/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cpu/array.h"
#include "cpu/cost.h"
#include "cpu/simd.h"
#include "cpu/team.h"

struct backend {
	struct team *team;
	struct backend_caps caps;
};

struct team *cpu_backend_team(struct backend *self)
{
	return self->team;
}

/* "model name" of the first processor. */
static void processor_name(char *out, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	snprintf(out, size, "processor");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
			colon[strcspn(colon, "\n")] = '\0';
			snprintf(out, size, "%s", colon + 2);
			break;
		}
	}
	if (file != NULL)
		fclose(file);
}

static unsigned cpu_count(struct error *err)
{
	(void)err;
	return 1;
}

static enum status cpu_open(unsigned device, unsigned threads, struct backend **out,
			    struct error *err)
{
	struct backend *self;
	enum status status;

	if (device != 0)
		return fail(err, STATUS_BACKEND_UNAVAILABLE, "there is one CPU backend");
	status = simd_check(err);
	if (status != STATUS_OK)
		return status;
	self = calloc(1, sizeof(*self));
	if (self == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the CPU backend");
	self->team = team_create(threads);
	if (self->team == NULL) {
		free(self);
		return fail(err, STATUS_OUT_OF_MEMORY, "cannot start %u threads", threads);
	}
	snprintf(self->caps.name, sizeof(self->caps.name), "cpu");
	processor_name(self->caps.device, sizeof(self->caps.device));
	snprintf(self->caps.simd, sizeof(self->caps.simd), "%s", simd_name(simd_current()));
	self->caps.threads = threads;
	self->caps.memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	status = cost_measure(self, &self->caps, err);
	if (status != STATUS_OK) {
		team_destroy(self->team);
		free(self);
		return status;
	}
	*out = self;
	return STATUS_OK;
}

static void cpu_close(struct backend *self)
{
	team_destroy(self->team);
	free(self);
}

static void cpu_describe(const struct backend *self, struct backend_caps *out)
{
	*out = self->caps;
}

/* All elements are in host memory, resident or not. */
static uint64_t cpu_estimate(const struct backend *self, const struct plan *plan, uint64_t count,
			     bool resident)
{
	(void)resident;
	return cost_estimate(&self->caps, plan, count);
}

const struct backend_ops cpu_backend = {
	.name = "cpu",
	.count = cpu_count,
	.open = cpu_open,
	.close = cpu_close,
	.describe = cpu_describe,
	.estimate = cpu_estimate,
	.stream_open = cpu_stream_open,
	.stream_feed = cpu_stream_feed,
	.stream_finish = cpu_stream_finish,
	.stream_close = cpu_stream_close,
	.array_create = cpu_array_create,
	.array_write = cpu_array_write,
	.array_read = cpu_array_read,
	.array_destroy = cpu_array_destroy,
	.array_data = cpu_array_data,
	.stream_feed_array = cpu_stream_feed_array,
};
