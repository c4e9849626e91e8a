/* feeder.h - an array on its way into device memory: pieces of page-locked memory
 * are filled in turn, each copied while the next is filled. One thread at a
 * time. */
#ifndef GPU_FEEDER_H
#define GPU_FEEDER_H

#include "gpu/device.h"

#define FEEDER_PIECES 3u

struct feeder_piece {
	struct pinned *pinned;
	cudaEvent_t copied; /* the copy out of it */
	bool busy;          /* was asked for */
};

struct feeder {
	struct device *device;
	struct queue *queue;
	uint64_t expected;   /* bytes that will come; UINT64_MAX: not known */
	uint64_t piece_size; /* bytes */
	unsigned at;         /* the piece being filled */
	uint64_t filled;     /* bytes in it */
	struct feeder_piece pieces[FEEDER_PIECES];

	struct device_buffer buffer;
	uint64_t size; /* bytes copied, or asked to be */
};

void feeder_init(struct feeder *feeder, struct device *device, struct queue *queue,
		 uint64_t expected);

/* What is expected goes there, into device memory of the caller's, instead of a
 * buffer of the feeder's own. Before anything is added. */
void feeder_aim(struct feeder *feeder, void *to);

/* The queue is idle. */
void feeder_deinit(struct feeder *feeder);

/* data may be overwritten when this returns. */
enum status feeder_add(struct feeder *feeder, const void *data, uint64_t size, struct error *err);

/* size bytes of device memory are the next, right behind those before, and stay there
 * as long as the feeder: nothing is copied, nor comes by feeder_add(). */
void feeder_borrow(struct feeder *feeder, const void *data, uint64_t size);

/* The queue is idle: the next array comes, into the same memory. */
void feeder_restart(struct feeder *feeder);

/* What waits in a piece goes too: all that was added is in the buffer, in the
 * queue's order. */
enum status feeder_flush(struct feeder *feeder, struct error *err);

#endif
