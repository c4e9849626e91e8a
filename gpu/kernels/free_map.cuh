/* free_map.cuh - C order indices of stored positions (struct index_map). */
#ifndef GPU_KERNELS_FREE_MAP_CUH
#define GPU_KERNELS_FREE_MAP_CUH

#include "gpu/kernels/launch.h"

/* Axes longer than 1, in stored order (the first fastest), and what a step along
 * each is worth in C order. ndim 0: stored order is C order. */
struct c_order {
	unsigned ndim;
	uint64_t length[ARRAY_MAX_NDIM], stride[ARRAY_MAX_NDIM];

	__device__ __forceinline__ uint64_t index(uint64_t position) const
	{
		uint64_t index = 0;

		for (unsigned i = 0; i + 1 < ndim; i++) {
			const uint64_t quotient = position / length[i];

			index += (position - quotient * length[i]) * stride[i];
			position = quotient;
		}
		return ndim > 0 ? index + position : position;
	}
};

/* Instead, where stored order is C order. */
struct no_order {
};

/* map: or NULL. */
static inline struct c_order c_order_of(const struct index_map *map)
{
	struct c_order out = {};
	uint64_t stride = 1;

	if (map == nullptr)
		return out;
	for (unsigned i = 0; i < map->ndim; i++)
		if (map->shape[i] != 1)
			out.length[out.ndim++] = map->shape[i];
	for (unsigned i = out.ndim; i-- > 0;) {
		out.stride[i] = stride;
		stride *= out.length[i];
	}
	if (out.ndim < 2)
		out.ndim = 0; /* one axis: both orders are the same */
	return out;
}

#endif
