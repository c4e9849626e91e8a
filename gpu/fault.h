/* fault.h - faults on purpose, for tests: in builds configured with
 * --enable-fault-injection, else nothing. The environment says which:
 *
 *   FOLDD_FAULT=lost:N     the N-th computation of the process (from 1) breaks the
 *                          context of its device, as a bad kernel does
 *   FOLDD_FAULT=memory:N   the N-th finds no device memory
 */
#ifndef GPU_FAULT_H
#define GPU_FAULT_H

#include "gpu/device.h"

/* A computation begins on the queue. Any thread. */
enum status fault_compute(struct device *device, struct queue *queue, struct error *err);

#endif
