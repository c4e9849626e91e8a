/* backend.h - how the engine drives one way of computing.
 *
 * A backend computes a plan over elements that come in pieces: open a stream,
 * feed it, finish it. Results do not depend on how the elements were cut.
 * open() and close() of a backend come from one thread; streams from any, one
 * thread at a time for each stream. */
#ifndef ENGINE_BACKEND_H
#define ENGINE_BACKEND_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/status.h"

struct plan;
struct result;
struct backend; /* private to the implementation */
struct stream;  /* likewise; begins with nothing in common */
struct array;   /* bytes in a backend's memory; likewise */

struct backend_caps {
	char name[24];           /* "cpu", "cuda:0" */
	char device[96];         /* shown in logs and GET /v1/info */
	char simd[16];           /* instruction set of a CPU's kernels, else "" */
	unsigned threads;        /* workers of a CPU backend, else 0 */
	uint64_t memory;         /* bytes of its memory */
	uint64_t launch_ns;      /* measured: least time of one job */
	double bytes_per_second; /* measured: reading an array once */

	/* Measured: copies between page-locked host memory and the device's;
	 * 0 where there are none. */
	double in_bytes_per_second, out_bytes_per_second;
};

struct backend_ops {
	const char *name; /* as in the job's `backend` */

	/* A job may end with STATUS_BACKEND_UNAVAILABLE or STATUS_OUT_OF_MEMORY
	 * for which another backend has an answer. */
	bool may_fail;

	/* STATUS_BACKEND_UNAVAILABLE: it is lost, for good; err says why. NULL
	 * where that cannot be. Any thread. */
	enum status (*state)(const struct backend *self, struct error *err);

	/* Devices of this kind, opened as 0 .. count-1, each a backend of its
	 * own. Of 0, err says why. */
	unsigned (*count)(struct error *err);

	/* STATUS_BACKEND_UNAVAILABLE: does not work here; the engine goes on
	 * without it. `threads`: see engine_config. */
	enum status (*open)(unsigned device, unsigned threads, struct backend **out,
			    struct error *err);
	void (*close)(struct backend *self);
	void (*describe)(const struct backend *self, struct backend_caps *out);

	/* Predicted ns of the plan over count elements (ARRAY_UNKNOWN: as for
	 * many), `resident` in its memory already; UINT64_MAX when it cannot
	 * run here. */
	uint64_t (*estimate)(const struct backend *self, const struct plan *plan, uint64_t count,
			     bool resident);

	/* The stream keeps plan and result, which outlive it, and appends to
	 * the result's spools. */
	enum status (*stream_open)(struct backend *self, const struct plan *plan,
				   struct result *result, struct stream **out, struct error *err);

	/* The next count elements in stored order, native-endian, aligned to
	 * their size; y only for a plan with two arrays. */
	enum status (*stream_feed)(struct stream *stream, const void *x, const void *y,
				   uint64_t count, struct error *err);

	/* All came: write what remains to the result. */
	enum status (*stream_finish)(struct stream *stream, struct error *err);
	void (*stream_close)(struct stream *stream); /* at any time */

	/* Memory of the backend's own that outlives streams, of `size` bytes
	 * with any contents. Calls from any thread; none writes what another
	 * reads. A table without array_create holds no arrays.
	 * STATUS_OUT_OF_MEMORY. */
	enum status (*array_create)(struct backend *self, uint64_t size, struct array **out,
				    struct error *err);
	enum status (*array_write)(struct array *array, uint64_t offset, const void *bytes,
				   uint64_t size, struct error *err);
	enum status (*array_read)(const struct array *array, uint64_t offset, void *out,
				  uint64_t size, struct error *err);
	void (*array_destroy)(struct array *array);

	/* Where the host reads the bytes itself, aligned to 64; NULL where it
	 * cannot. */
	const void *(*array_data)(const struct array *array);

	/* As stream_feed(), of elements that lie in arrays of this backend
	 * from these bytes on, multiples of an element's size. y: NULL but
	 * for a plan with two arrays. */
	enum status (*stream_feed_array)(struct stream *stream, const struct array *x,
					 uint64_t x_offset, const struct array *y,
					 uint64_t y_offset, uint64_t count, struct error *err);
};

extern const struct backend_ops cpu_backend;
#ifdef HAVE_CUDA
extern const struct backend_ops cuda_backend;
#endif

#endif
