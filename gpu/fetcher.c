#include "config.h"
#include "gpu/fetcher.h"

/* Bytes fetched at a time (chosen as the feeder's piece). */
#define PIECE (4u << 20)

struct fetcher_piece {
	struct pinned *pinned;
	cudaEvent_t copied;
	uint64_t size; /* bytes under way, or not yet taken */
};

struct fetcher {
	struct device *device;
	struct queue *queue;
	struct fetcher_piece pieces[2];
};

static enum status ask(struct fetcher *fetcher, struct fetcher_piece *piece, const void *from,
		       uint64_t size, struct error *err)
{
	struct device *device = fetcher->device;
	enum status status = STATUS_OK;

	if (piece->pinned == NULL)
		status = pinned_take(device, size, &piece->pinned, err);
	if (status == STATUS_OK && piece->copied == NULL)
		status = cuda_status(
			device, cudaEventCreateWithFlags(&piece->copied, cudaEventDisableTiming),
			"cudaEventCreate", err);
	if (status == STATUS_OK)
		status =
			cuda_status(device,
				    cudaMemcpyAsync(piece->pinned->data, from, size,
						    cudaMemcpyDeviceToHost, fetcher->queue->stream),
				    "cudaMemcpyAsync", err);
	if (status == STATUS_OK)
		status = cuda_status(device, cudaEventRecord(piece->copied, fetcher->queue->stream),
				     "cudaEventRecord", err);
	piece->size = size;
	return status;
}

static enum status hand_over(struct fetcher *fetcher, struct fetcher_piece *piece,
			     fetcher_take *take, void *context, struct error *err)
{
	uint64_t size = piece->size;
	enum status status = cuda_status(fetcher->device, cudaEventSynchronize(piece->copied),
					 "cudaEventSynchronize", err);

	piece->size = 0;
	return status == STATUS_OK ? take(context, piece->pinned->data, size, err) : status;
}

enum status fetcher_run(struct device *device, struct queue *queue, const void *from, uint64_t size,
			fetcher_take *take, void *context, struct error *err)
{
	struct fetcher fetcher = {.device = device, .queue = queue};
	uint64_t asked = 0;
	enum status status = STATUS_OK;

	for (unsigned slot = 0; status == STATUS_OK; slot = 1 - slot) {
		struct fetcher_piece *next = &fetcher.pieces[slot];
		struct fetcher_piece *last = &fetcher.pieces[1 - slot];
		uint64_t piece = size - asked < PIECE ? size - asked : PIECE;

		if (piece == 0 && last->size == 0)
			break;
		if (piece > 0)
			status = ask(&fetcher, next, (const char *)from + asked, piece, err);
		if (status == STATUS_OK && last->size > 0)
			status = hand_over(&fetcher, last, take, context, err);
		asked += piece;
	}
	if (status != STATUS_OK)
		(void)queue_wait(device, queue, NULL); /* copies on their way */
	for (unsigned i = 0; i < 2; i++) {
		pinned_give(device, fetcher.pieces[i].pinned);
		if (fetcher.pieces[i].copied != NULL)
			(void)cudaEventDestroy(fetcher.pieces[i].copied);
	}
	return status;
}
