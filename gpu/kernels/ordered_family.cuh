/* ordered_family.cuh - many accumulators of one long line from one reading: what
 * its kernels share. */
#ifndef GPU_KERNELS_ORDERED_FAMILY_CUH
#define GPU_KERNELS_ORDERED_FAMILY_CUH

#include <cstddef>
#include "gpu/kernels/ordered_lanes.cuh"

/* Numbers in the order of the values: -0 before +0; below and above all of them
 * are bits of NaNs. */
__device__ __forceinline__ int64_t order_key(double x)
{
	int64_t bits = __double_as_longlong(x);

	return bits ^ (bits >> 63 & INT64_MAX);
}

__device__ __forceinline__ double number_of_key(int64_t key)
{
	return __longlong_as_double(key ^ (key >> 63 & INT64_MAX));
}

/* An extreme as its key and the tile that has it first; in which place of it is
 * found out at the end, of the one tile that counts. A NaN wins, nothing loses. */
struct best {
	int64_t key;
	uint64_t tile;
};

template <bool MAX> constexpr int64_t NAN_KEY = MAX ? INT64_MAX : INT64_MIN;
template <bool MAX> constexpr int64_t NOTHING_KEY = MAX ? INT64_MIN : INT64_MAX;

/* The values of a level, one a tile; NULL: not wanted. */
struct family_values {
	double *sum, *abs, *square;
	struct scaled_squares *scaled;
	struct moments *moments;
	struct best *min, *max;
};

constexpr unsigned FAMILY_KINDS = 7;

/* Of a and b, which one goes on. MAX: the greater. */
template <bool MAX> struct better {
	__device__ __forceinline__ struct best operator()(const struct best &a,
							  const struct best &b) const
	{
		bool first = a.key == b.key ? a.tile <= b.tile : (a.key > b.key) == MAX;

		return {first ? a.key : b.key, first ? a.tile : b.tile};
	}
};

/* From the values of a level, `tiles` of them, to the next; `last`: to where
 * the caller wants them. Launched behind the kernel that makes them. */
struct family_results {
	struct family_values values; /* min, max: not used */
	struct extreme *min, *max;
};

cudaError_t fold_family(cudaStream_t stream, const struct family_values &in, uint64_t tiles,
			const struct family_values &next, const struct family_results *last,
			const void *x, enum dtype dtype, uint64_t count);

#endif
