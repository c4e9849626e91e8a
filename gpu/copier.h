/* copier.h - a few threads that copy in host memory: one alone brings a fraction of
 * what PCIe takes. Any thread may ask; while one has the copier, others copy
 * alone. */
#ifndef GPU_COPIER_H
#define GPU_COPIER_H

#include <stddef.h>

struct copier;

/* helpers: threads beside the one that asks. NULL: no memory, or no threads. */
struct copier *copier_create(unsigned helpers);
void copier_destroy(struct copier *copier); /* NULL is fine */

/* As memcpy(); copier may be NULL. */
void copier_copy(struct copier *copier, void *to, const void *from, size_t size);

#endif
