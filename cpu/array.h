/* array.h - resident arrays of the CPU backend: host memory. Private to cpu/. */
#ifndef CPU_ARRAY_H
#define CPU_ARRAY_H

#include "cpu/backend.h"

enum status cpu_array_create(struct backend *self, uint64_t size, struct array **out,
			     struct error *err);
enum status cpu_array_write(struct array *array, uint64_t offset, const void *bytes, uint64_t size,
			    struct error *err);
enum status cpu_array_read(const struct array *array, uint64_t offset, void *out, uint64_t size,
			   struct error *err);
void cpu_array_destroy(struct array *array);
const void *cpu_array_data(const struct array *array);
enum status cpu_stream_feed_array(struct stream *stream, const struct array *x, uint64_t x_offset,
				  const struct array *y, uint64_t y_offset, uint64_t count,
				  struct error *err);

#endif
