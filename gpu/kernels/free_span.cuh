/* free_span.cuh - elements that lie side by side, read by some threads. */
#ifndef GPU_KERNELS_FREE_SPAN_CUH
#define GPU_KERNELS_FREE_SPAN_CUH

#include "gpu/kernels/free_merge.cuh"

constexpr unsigned SPAN_VECTORS = 4; /* loads of 16 bytes in flight, a thread */

/* Element j of a vector; j is a constant where it is unrolled. */
template <class R> __device__ __forceinline__ R part_of(const uint4 &v, unsigned j)
{
	const uint32_t word[4] = {v.x, v.y, v.z, v.w};
	constexpr unsigned PER_WORD = sizeof(R) < 4 ? 4 / sizeof(R) : 1;

	if constexpr (sizeof(R) == 8)
		return (R)word[2 * j + 1] << 32 | word[2 * j];
	else
		return (R)(word[j / PER_WORD] >> (8 * sizeof(R) * (j % PER_WORD)));
}

/* Elements from `from` on, count of them, by `lanes` threads of which this is
 * number `lane`; `position` is that of the first. Vectors are read where x (and
 * y) allow it: a few elements before the first aligned one, and after the last
 * whole vector, are read alone. */
template <class P>
__device__ __forceinline__ void fold_span(const P &p, typename P::state *s, uint64_t from,
					  uint64_t count, uint64_t position, unsigned lane,
					  unsigned lanes)
{
	using raw = typename P::raw;
	constexpr unsigned PER = sizeof(uint4) / sizeof(raw);
	const raw *x = p.x + from, *y = P::pair ? p.y + from : x;
	uint64_t i = lane;

	if (count >= 2 * PER && (((uintptr_t)x ^ (uintptr_t)y) & 15) == 0) {
		const uint64_t head = ((16 - ((uintptr_t)x & 15)) & 15) / sizeof(raw);
		const uint64_t vectors = (count - head) / PER;
		const uint4 *vx = (const uint4 *)(x + head), *vy = (const uint4 *)(y + head);
		const uint64_t first = position + head;
		uint64_t j = lane;

		for (; i < head; i += lanes)
			p.element(s, x[i], y[i], position + i);
		for (; j + (SPAN_VECTORS - 1) * lanes < vectors; j += SPAN_VECTORS * lanes) {
			uint4 a[SPAN_VECTORS], b[SPAN_VECTORS];

#pragma unroll
			for (unsigned n = 0; n < SPAN_VECTORS; n++) {
				a[n] = __ldg(vx + j + n * lanes);
				b[n] = P::pair ? __ldg(vy + j + n * lanes) : a[n];
			}
			p.vectors(s, a, b, first + j * PER, (uint64_t)lanes * PER);
		}
		uint4 a[SPAN_VECTORS - 1], b[SPAN_VECTORS - 1];

#pragma unroll
		for (unsigned n = 0; n < SPAN_VECTORS - 1; n++)
			if (j + n * lanes < vectors) {
				a[n] = __ldg(vx + j + n * lanes);
				b[n] = P::pair ? __ldg(vy + j + n * lanes) : a[n];
			}
#pragma unroll
		for (unsigned n = 0; n < SPAN_VECTORS - 1; n++)
			if (j + n * lanes < vectors) {
				const uint4 one[1] = {a[n]}, other[1] = {b[n]};

				p.vectors(s, one, other, first + (j + n * lanes) * PER, 0);
			}
		i = head + vectors * PER + lane;
	}
	for (; i < count; i += lanes)
		p.element(s, x[i], y[i], position + i);
}

#endif
