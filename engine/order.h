/* order.h - the numbers of the canonical order, version 1 (docs/orders.md).
 * One constant each; both backends and the oracle read them here. */
#ifndef ENGINE_ORDER_H
#define ENGINE_ORDER_H

#define ORDER_VERSION 1u

#define ORDER_TILE 4096u /* elements of a tile (measured: docs/orders.md) */
#define ORDER_LANES 128u /* lanes of a tile */
#define ORDER_RUN 32u    /* strided order: elements combined in sequence */

#define SCAN_LANES 32u /* lanes of a scan's row, and tiles of its group */
#define SCAN_VECTOR 4u /* consecutive elements of a lane */
#define SCAN_ROW (SCAN_LANES * SCAN_VECTOR)
#define SCAN_TILE 4096u /* elements: SCAN_TILE / SCAN_ROW rows */

#endif
