/* ordered_mailbox.cuh - tile values handed to the block that folds them, in
 * slots of 64 bits that are 0 while empty: the launch's tickets. No fence and no
 * counter: whoever folds waits for the slots themselves. That is the shortest way
 * from many blocks to one.
 *
 * The block of the last tile folds. It waits for blocks before it only, which
 * the device starts first, so that they run or have run. */
#ifndef GPU_KERNELS_ORDERED_MAILBOX_CUH
#define GPU_KERNELS_ORDERED_MAILBOX_CUH

#include "gpu/kernels/launch.h"
#include "gpu/kernels/ordered_lanes.cuh"

constexpr uint64_t MAILBOX_SLOTS = LAUNCH_TICKETS * sizeof(uint32_t) / sizeof(uint64_t);

/* A NaN that is never posted: all others are made the one without payload. */
constexpr uint64_t NEVER_POSTED = 0x7ff8000000000001u;

__device__ __forceinline__ void post(uint64_t *slot, double value)
{
	uint64_t bits = elementary_bits(values::is_nan(value) ? values::quiet_nan() : value);

	asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(slot), "l"(bits ^ NEVER_POSTED)
		     : "memory");
}

__device__ __forceinline__ uint64_t look(const uint64_t *slot)
{
	uint64_t found;

	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(found) : "l"(slot) : "memory");
	return found;
}

/* The lane combination of what is posted in slot[0 .. count - 1], by a block of
 * ORDER_LANES threads; the slots are empty again. */
template <enum accum A>
__device__ __forceinline__ double fold_posted(uint64_t *slot, unsigned count,
					      struct lanes_shared *shared, unsigned &turn)
{
	constexpr unsigned ROWS = 8;
	double lane = ordered<A>::identity();

#pragma unroll 1
	for (unsigned row = threadIdx.x; row < count; row += ROWS * ORDER_LANES) {
		uint64_t found[ROWS];

#pragma unroll
		for (unsigned r = 0; r < ROWS; r++)
			found[r] = row + r * ORDER_LANES < count
					   ? look(slot + row + r * ORDER_LANES)
					   : 0;
#pragma unroll
		for (unsigned r = 0; r < ROWS; r++) {
			uint64_t *from = slot + row + r * ORDER_LANES;

			if (row + r * ORDER_LANES >= count)
				continue;
			while (found[r] == 0)
				found[r] = look(from);
			*from = 0;
			lane = ordered<A>::combine(lane,
						   elementary_from_bits(found[r] ^ NEVER_POSTED));
		}
	}
	return halve_block(lane, shared, turn,
			   [](double a, double b) { return ordered<A>::combine(a, b); });
}

#endif
