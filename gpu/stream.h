/* stream.h - streams of the CUDA backend (engine/backend.h). Private to gpu/. */
#ifndef GPU_STREAM_H
#define GPU_STREAM_H

#include "engine/plan.h"
#include "engine/result.h"
#include "gpu/device.h"

struct stream;

enum status gpu_stream_open(struct device *device, const struct plan *plan, struct result *result,
			    struct stream **out, struct error *err);
enum status gpu_stream_feed(struct stream *stream, const void *x, const void *y, uint64_t count,
			    struct error *err);
/* Of elements that lie in the device's memory. */
enum status gpu_stream_feed_array(struct stream *stream, const void *x, const void *y,
				  uint64_t count, struct error *err);
enum status gpu_stream_finish(struct stream *stream, struct error *err);
void gpu_stream_close(struct stream *stream);

#endif
