/* pieces.h - a reduction of one long line that passes through the device in pieces:
 * while one is computed the next is filled and copied, and no array is too large.
 *
 * A piece is ORDER_TILE tiles of the canonical order, whose value is one value of the
 * level above (docs/orders.md, rule 2.3): the host makes of the pieces' values what
 * it would make of tiles' values, with the bits of the whole. One thread at a time. */
#ifndef GPU_PIECES_H
#define GPU_PIECES_H

#include "engine/plan.h"
#include "engine/result.h"
#include "gpu/device.h"

struct pieces;

/* Whether a plan over count elements (ARRAY_UNKNOWN: as many as come) is computed so:
 * one line in stored order, of more than two pieces. */
bool pieces_serve(const struct plan *plan, uint64_t count);

/* Bytes of device memory. */
uint64_t pieces_memory(const struct plan *plan);

enum status pieces_open(struct device *device, const struct plan *plan, struct result *result,
			struct pieces **out, struct error *err);
void pieces_close(struct pieces *pieces); /* NULL is fine; at any time */

/* The next count elements, of host memory; y: NULL but for a plan with two arrays. */
enum status pieces_feed(struct pieces *pieces, const void *x, const void *y, uint64_t count,
			struct error *err);
enum status pieces_finish(struct pieces *pieces, struct error *err);

#endif
