/* array.h - resident arrays of the CUDA backend (engine/backend.h): device memory
 * that outlives streams. Any thread. Private to gpu/. */
#ifndef GPU_ARRAY_H
#define GPU_ARRAY_H

#include "engine/backend.h"

struct device;

enum status gpu_array_create(struct device *device, uint64_t size, struct array **out,
			     struct error *err);
enum status gpu_array_write(struct array *array, uint64_t offset, const void *bytes, uint64_t size,
			    struct error *err);
enum status gpu_array_read(const struct array *array, uint64_t offset, void *out, uint64_t size,
			   struct error *err);

/* No stream uses it any more. NULL is fine. */
void gpu_array_destroy(struct array *array);

/* Where it lies, in device memory. */
const void *gpu_array_at(const struct array *array, uint64_t offset);

#endif
