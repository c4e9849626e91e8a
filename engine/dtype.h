/* dtype.h - the thirteen element types: one table.
 *
 * Values of float16 and bfloat16 are held as their 16 bits in a uint16_t;
 * a bool is any byte, true when not zero. */
#ifndef ENGINE_DTYPE_H
#define ENGINE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Their numbers are on the wire: docs/partials.md, 3.1. */
enum dtype {
	DTYPE_BOOL,
	DTYPE_INT8,
	DTYPE_INT16,
	DTYPE_INT32,
	DTYPE_INT64,
	DTYPE_UINT8,
	DTYPE_UINT16,
	DTYPE_UINT32,
	DTYPE_UINT64,
	DTYPE_FLOAT16,
	DTYPE_BFLOAT16,
	DTYPE_FLOAT32,
	DTYPE_FLOAT64,
	DTYPE_COUNT
};

enum dtype_class { DTYPE_CLASS_BOOL, DTYPE_CLASS_INT, DTYPE_CLASS_UINT, DTYPE_CLASS_FLOAT };

/* The type in which kernels see elements: every type widens to one of three
 * without loss. bool becomes int64 0 or 1. */
enum domain { DOMAIN_F64, DOMAIN_I64, DOMAIN_U64 };

const char *dtype_name(enum dtype dtype); /* "float32" */
size_t dtype_size(enum dtype dtype);      /* bytes: 1, 2, 4, 8 */
enum dtype_class dtype_class(enum dtype dtype);
enum domain dtype_domain(enum dtype dtype);
bool dtype_is_float(enum dtype dtype);

/* False when no type has this name. */
bool dtype_from_name(const char *name, enum dtype *out);

#ifdef __cplusplus
}
#endif

#endif
