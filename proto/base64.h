/* base64.h - RFC 4648 section 4, strictly: padding must be there, nothing else
 * may, and the bits that padding drops must be 0. */
#ifndef PROTO_BASE64_H
#define PROTO_BASE64_H

#include <stddef.h>
#include "engine/status.h"
#include "proto/text.h"

/* *out from malloc, not NULL even when empty. STATUS_BAD_VALUE with `pointer`. */
enum status base64_decode(const char *text, size_t size, const char *pointer, void **out,
			  size_t *out_size, struct error *err);

/* The text of bytes, padded. */
void base64_write(struct text *text, const void *bytes, size_t size);

#endif
