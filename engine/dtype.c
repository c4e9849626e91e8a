#include "config.h"

#include <string.h>
#include "engine/dtype.h"

static const struct {
	const char *name;
	size_t size;
	enum dtype_class class;
	enum domain domain;
} dtypes[DTYPE_COUNT] = {
	[DTYPE_BOOL] = {"bool", 1, DTYPE_CLASS_BOOL, DOMAIN_I64},
	[DTYPE_INT8] = {"int8", 1, DTYPE_CLASS_INT, DOMAIN_I64},
	[DTYPE_INT16] = {"int16", 2, DTYPE_CLASS_INT, DOMAIN_I64},
	[DTYPE_INT32] = {"int32", 4, DTYPE_CLASS_INT, DOMAIN_I64},
	[DTYPE_INT64] = {"int64", 8, DTYPE_CLASS_INT, DOMAIN_I64},
	[DTYPE_UINT8] = {"uint8", 1, DTYPE_CLASS_UINT, DOMAIN_U64},
	[DTYPE_UINT16] = {"uint16", 2, DTYPE_CLASS_UINT, DOMAIN_U64},
	[DTYPE_UINT32] = {"uint32", 4, DTYPE_CLASS_UINT, DOMAIN_U64},
	[DTYPE_UINT64] = {"uint64", 8, DTYPE_CLASS_UINT, DOMAIN_U64},
	[DTYPE_FLOAT16] = {"float16", 2, DTYPE_CLASS_FLOAT, DOMAIN_F64},
	[DTYPE_BFLOAT16] = {"bfloat16", 2, DTYPE_CLASS_FLOAT, DOMAIN_F64},
	[DTYPE_FLOAT32] = {"float32", 4, DTYPE_CLASS_FLOAT, DOMAIN_F64},
	[DTYPE_FLOAT64] = {"float64", 8, DTYPE_CLASS_FLOAT, DOMAIN_F64},
};

const char *dtype_name(enum dtype dtype)
{
	return dtypes[dtype].name;
}

size_t dtype_size(enum dtype dtype)
{
	return dtypes[dtype].size;
}

enum dtype_class dtype_class(enum dtype dtype)
{
	return dtypes[dtype].class;
}

enum domain dtype_domain(enum dtype dtype)
{
	return dtypes[dtype].domain;
}

bool dtype_is_float(enum dtype dtype)
{
	return dtypes[dtype].class == DTYPE_CLASS_FLOAT;
}

bool dtype_from_name(const char *name, enum dtype *out)
{
	int dtype;

	for (dtype = 0; dtype < DTYPE_COUNT; dtype++) {
		if (strcmp(name, dtypes[dtype].name) == 0) {
			*out = (enum dtype)dtype;
			return true;
		}
	}
	return false;
}
