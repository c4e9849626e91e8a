#include "config.h"
#include "engine/integer.h"

#include <string.h>

struct integer_range integer_range_of(enum dtype dtype)
{
	unsigned bits = 8 * (unsigned)dtype_size(dtype);
	struct integer_range range = {0, 0};

	switch (dtype_class(dtype)) {
	case DTYPE_CLASS_BOOL:
		range.greatest = 1;
		break;
	case DTYPE_CLASS_INT:
		range.greatest = ((__int128)1 << (bits - 1)) - 1;
		range.least = -range.greatest - 1;
		break;
	case DTYPE_CLASS_UINT:
		range.greatest = ((__int128)1 << bits) - 1;
		break;
	case DTYPE_CLASS_FLOAT:
		break;
	}
	return range;
}

void integer_store(uint64_t bits, enum dtype dtype, void *out)
{
	uint8_t bits8 = (uint8_t)bits;
	uint16_t bits16 = (uint16_t)bits;
	uint32_t bits32 = (uint32_t)bits;

	if (dtype == DTYPE_BOOL)
		bits8 &= 1;
	switch (dtype_size(dtype)) {
	case 1:
		memcpy(out, &bits8, sizeof(bits8));
		break;
	case 2:
		memcpy(out, &bits16, sizeof(bits16));
		break;
	case 4:
		memcpy(out, &bits32, sizeof(bits32));
		break;
	default:
		memcpy(out, &bits, sizeof(bits));
		break;
	}
}
