/* fetcher.h - device memory on its way to the host, in pieces of page-locked
 * memory: while one is taken away the next is copied. */
#ifndef GPU_FETCHER_H
#define GPU_FETCHER_H

#include "gpu/device.h"

/* Takes the next size bytes, which are void when it returns. */
typedef enum status fetcher_take(void *context, const void *bytes, uint64_t size,
				 struct error *err);

/* size bytes of the device from `from` on, in the queue's order, to take(), first to
 * last. When it returns nothing is under way. */
enum status fetcher_run(struct device *device, struct queue *queue, const void *from, uint64_t size,
			fetcher_take *take, void *context, struct error *err);

#endif
