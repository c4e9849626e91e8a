#include "config.h"
#include "gpu/fault.h"

#ifdef HAVE_FAULT_INJECTION
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/kernels/fault.h"

enum status fault_compute(struct device *device, struct queue *queue, struct error *err)
{
	static atomic_ulong computations;
	const char *text = getenv("FOLDD_FAULT");
	const unsigned long number = atomic_fetch_add(&computations, 1) + 1;
	const char *colon = text != NULL ? strchr(text, ':') : NULL;

	if (text == NULL)
		return STATUS_OK;
	if (colon == NULL || (strncmp(text, "lost:", 5) != 0 && strncmp(text, "memory:", 7) != 0))
		return fail(err, STATUS_INTERNAL, "FOLDD_FAULT=%s is no fault", text);
	if (number != strtoul(colon + 1, NULL, 10))
		return STATUS_OK;
	if (text[0] == 'm')
		return cuda_status(device, cudaErrorMemoryAllocation, "a fault on purpose", err);
	/* The jobs meet what it did by themselves. */
	(void)fault_launch(queue->stream);
	return STATUS_OK;
}
#else
enum status fault_compute(struct device *device, struct queue *queue, struct error *err)
{
	(void)device;
	(void)queue;
	(void)err;
	return STATUS_OK;
}
#endif
