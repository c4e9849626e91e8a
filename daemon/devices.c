#include "config.h"

#include "daemon/devices.h"
#ifdef HAVE_CUDA
#include <inttypes.h>
#include "gpu/probe.h"

static void print_device(FILE *out, unsigned device)
{
	struct probe_device found;
	struct error err = {0};
	enum status status = probe_describe(device, &found, &err);

	if (status == STATUS_OK)
		status = probe_compute(device, &err);
	if (status != STATUS_OK) {
		fprintf(out, "# %s\n", err.text);
		return;
	}
	fprintf(out,
		"# CUDA device %u: %s, %" PRIu64
		" MiB, compute capability %u.%u, %u multiprocessors, computes\n",
		device, found.name, found.memory >> 20, found.major, found.minor,
		found.multiprocessors);
}

void devices_print(FILE *out)
{
	struct error err = {0};
	unsigned count = 0;

	if (probe_count(&count, &err) != STATUS_OK)
		fprintf(out, "# %s\n", err.text);
	for (unsigned device = 0; device < count; device++)
		print_device(out, device);
}
#else
void devices_print(FILE *out)
{
	fprintf(out, "# built without CUDA\n");
}
#endif
