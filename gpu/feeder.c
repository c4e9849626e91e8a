#include "config.h"
#include "gpu/feeder.h"

#include <assert.h>
#include <string.h>

/* A copy of so many bytes is worth its latency ten times over (chosen). */
#define PIECE (4u << 20)
/* Page-locked arrays of so many bytes are copied from where they lie. */
#define DIRECT (1u << 20)
/* The first buffer of an array of unknown size. */
#define FIRST_BUFFER (1u << 20)

void feeder_init(struct feeder *feeder, struct device *device, struct queue *queue,
		 uint64_t expected)
{
	memset(feeder, 0, sizeof(*feeder));
	feeder->device = device;
	feeder->queue = queue;
	feeder->expected = expected;
	feeder->piece_size = expected < PIECE ? expected : PIECE;
	if (feeder->piece_size == 0)
		feeder->piece_size = 1;
}

void feeder_aim(struct feeder *feeder, void *to)
{
	feeder->buffer =
		(struct device_buffer){.data = to, .size = feeder->expected, .borrowed = true};
}

void feeder_deinit(struct feeder *feeder)
{
	if (feeder->device == NULL)
		return;
	for (unsigned i = 0; i < FEEDER_PIECES; i++) {
		struct feeder_piece *piece = &feeder->pieces[i];

		if (piece->copied != NULL)
			(void)cudaEventDestroy(piece->copied);
		pinned_give(feeder->device, piece->pinned);
	}
	buffer_release(feeder->device, feeder->queue, &feeder->buffer);
	memset(feeder, 0, sizeof(*feeder));
}

void feeder_restart(struct feeder *feeder)
{
	for (unsigned i = 0; i < FEEDER_PIECES; i++)
		feeder->pieces[i].busy = false;
	feeder->at = 0;
	feeder->filled = feeder->size = 0;
}

/* Room for size bytes more behind those that are there: arrays of unknown size
 * double it. */
static enum status make_room(struct feeder *feeder, uint64_t size, struct error *err)
{
	uint64_t wanted = feeder->size + size, doubled = 2 * feeder->buffer.size;

	if (wanted <= feeder->buffer.size)
		return STATUS_OK;
	if (feeder->expected != UINT64_MAX && feeder->expected > wanted)
		wanted = feeder->expected;
	else if (feeder->expected == UINT64_MAX && wanted < FIRST_BUFFER)
		wanted = FIRST_BUFFER;
	if (feeder->expected == UINT64_MAX && doubled > wanted &&
	    buffer_reserve(feeder->device, feeder->queue, &feeder->buffer, doubled, feeder->size,
			   NULL) == STATUS_OK)
		return STATUS_OK;
	return buffer_reserve(feeder->device, feeder->queue, &feeder->buffer, wanted, feeder->size,
			      err);
}

static enum status copy(struct feeder *feeder, const void *data, uint64_t size, struct error *err)
{
	enum status status = make_room(feeder, size, err);

	if (status != STATUS_OK)
		return status;
	status = cuda_status(feeder->device,
			     cudaMemcpyAsync((char *)feeder->buffer.data + feeder->size, data, size,
					     cudaMemcpyHostToDevice, feeder->queue->stream),
			     "cudaMemcpyAsync", err);
	feeder->size += size;
	return status;
}

/* The next piece may be written: what it held before is copied. */
static enum status ready(struct feeder *feeder, struct feeder_piece *piece, struct error *err)
{
	enum status status = STATUS_OK;

	if (piece->pinned == NULL)
		status = pinned_take(feeder->device, feeder->piece_size, &piece->pinned, err);
	if (status == STATUS_OK && piece->busy)
		status = piece->copied != NULL
				 ? cuda_status(feeder->device, cudaEventSynchronize(piece->copied),
					       "cudaEventSynchronize", err)
				 : queue_wait(feeder->device, feeder->queue, err);
	piece->busy = false;
	return status;
}

/* When the piece may be filled again; one that holds the whole array never is. */
static enum status mark(struct feeder *feeder, struct feeder_piece *piece, struct error *err)
{
	enum status status = STATUS_OK;

	piece->busy = true;
	if (feeder->expected == feeder->piece_size)
		return STATUS_OK;
	if (piece->copied == NULL)
		status = cuda_status(
			feeder->device,
			cudaEventCreateWithFlags(&piece->copied, cudaEventDisableTiming),
			"cudaEventCreate", err);
	if (status != STATUS_OK)
		return status;
	return cuda_status(feeder->device, cudaEventRecord(piece->copied, feeder->queue->stream),
			   "cudaEventRecord", err);
}

enum status feeder_flush(struct feeder *feeder, struct error *err)
{
	struct feeder_piece *piece = &feeder->pieces[feeder->at];
	enum status status;

	if (feeder->filled == 0)
		return STATUS_OK;
	status = copy(feeder, piece->pinned->data, feeder->filled, err);
	if (status == STATUS_OK)
		status = mark(feeder, piece, err);
	feeder->filled = 0;
	feeder->at = (feeder->at + 1) % FEEDER_PIECES;
	return status;
}

static bool is_pinned(const void *data)
{
	struct cudaPointerAttributes found;

	if (cudaPointerGetAttributes(&found, data) == cudaSuccess)
		return found.type == cudaMemoryTypeHost;
	(void)cudaGetLastError();
	return false;
}

/* Page-locked memory needs no piece; the caller may overwrite it, so wait. */
static enum status add_direct(struct feeder *feeder, const void *data, uint64_t size,
			      struct error *err)
{
	enum status status = feeder_flush(feeder, err);

	if (status == STATUS_OK)
		status = copy(feeder, data, size, err);
	return status == STATUS_OK ? queue_wait(feeder->device, feeder->queue, err) : status;
}

enum status feeder_add(struct feeder *feeder, const void *data, uint64_t size, struct error *err)
{
	const char *next = data;
	enum status status = STATUS_OK;

	if (size >= DIRECT && is_pinned(data))
		return add_direct(feeder, data, size, err);
	while (size > 0 && status == STATUS_OK) {
		struct feeder_piece *piece = &feeder->pieces[feeder->at];
		uint64_t some = feeder->piece_size - feeder->filled;

		some = size < some ? size : some;
		if (feeder->filled == 0)
			status = ready(feeder, piece, err);
		if (status != STATUS_OK)
			return status;
		copier_copy(feeder->device->copier, (char *)piece->pinned->data + feeder->filled,
			    next, some);
		feeder->filled += some;
		next += some;
		size -= some;
		if (feeder->filled == feeder->piece_size)
			status = feeder_flush(feeder, err);
	}
	return status;
}

void feeder_borrow(struct feeder *feeder, const void *data, uint64_t size)
{
	struct device_buffer *buffer = &feeder->buffer;

	if (buffer->data == NULL)
		*buffer = (struct device_buffer){.data = (void *)(uintptr_t)data, .borrowed = true};
	assert(buffer->borrowed && (const char *)buffer->data + feeder->size == data);
	feeder->size += size;
	buffer->size = feeder->size;
}
