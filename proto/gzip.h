/* gzip.h - content coding gzip, both ways, over zlib. */
#ifndef PROTO_GZIP_H
#define PROTO_GZIP_H

#include <stddef.h>
#include "engine/status.h"

struct gunzip;

struct gunzip *gunzip_create(void);
void gunzip_destroy(struct gunzip *gunzip);

/* Decode a piece of any size; sink gets what comes out, in pieces. A sink's
 * failure is passed on. Broken data is STATUS_BAD_VALUE. */
enum status gunzip_feed(struct gunzip *gunzip, const void *bytes, size_t size,
			enum status (*sink)(void *context, const void *bytes, size_t size,
					    struct error *err),
			void *context, struct error *err);

/* The body ended: STATUS_BAD_VALUE when the stream did not. */
enum status gunzip_end(const struct gunzip *gunzip, struct error *err);

/* Compress at level 1; NULL when there is no memory or nothing is won. */
void *gzip_all(const void *bytes, size_t size, size_t *out_size);

#endif
