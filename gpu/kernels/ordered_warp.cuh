/* ordered_warp.cuh - a tile by one warp, as fast as memory brings it: loads of up
 * to 16 bytes a thread, many rows under way, four lanes a thread. For values
 * that are sums or products componentwise, so that a . b has the bits of b . a.
 *
 * A row is 128 elements that begin at an address aligned to a load. Where a
 * tile begins `shift` elements behind such an address, the lanes are turned by
 * as many places: each still gets its elements in order, and they are turned
 * back before the lanes are combined. Only vectors wholly inside the tile are
 * loaded as such. */
#ifndef GPU_KERNELS_ORDERED_WARP_CUH
#define GPU_KERNELS_ORDERED_WARP_CUH

#include "gpu/kernels/ordered_lanes.cuh"

/* Elements of a load, loads of a thread in a row, rows under way (64 registers
 * of data), and whether a stored element is NaN. */
template <enum dtype D> struct packet_shape {
	static constexpr unsigned ELEMENTS = D == DTYPE_FLOAT64 ? 2 : 4;
	static constexpr unsigned GROUPS = 4 / ELEMENTS;
	static constexpr unsigned ROWS = D == DTYPE_FLOAT64 ? 8 : D == DTYPE_FLOAT32 ? 16 : 32;
};

template <enum dtype D> __device__ __forceinline__ bool stored_nan(typename stored<D>::type x)
{
	if constexpr (D == DTYPE_FLOAT16)
		return (x & 0x7fffu) > 0x7c00u;
	else if constexpr (D == DTYPE_BFLOAT16)
		return (x & 0x7fffu) > 0x7f80u;
	else
		return x != x;
}

template <enum dtype D> struct packet {
	using type = typename stored<D>::type;
	type element[packet_shape<D>::ELEMENTS];

	__device__ __forceinline__ void load(const type *from)
	{
		if constexpr (sizeof(element) == 8) {
			uint2 words = __ldg((const uint2 *)from);
			memcpy(element, &words, sizeof(element));
		} else {
			uint4 words = __ldg((const uint4 *)from);
			memcpy(element, &words, sizeof(element));
		}
	}
};

/* R: a typed_reader. */
template <enum accum A, class R> struct warp_tile {
	static constexpr enum dtype D = R::TYPE;
	using kind = ordered<A>;
	using shape = packet_shape<D>;
	using type = typename stored<D>::type;
	static constexpr bool PAIR = A == ACCUM_DOT;
	static constexpr bool NARROW = D != DTYPE_FLOAT64;
	static constexpr unsigned V = shape::ELEMENTS, G = shape::GROUPS;
	/* Rows under way: lanes of three numbers need registers, too. */
	static constexpr unsigned ROWS = PAIR || A == ACCUM_SCALED ? shape::ROWS / 2 : shape::ROWS;

	using value = typename kind::value;

	const type *x, *y;
	unsigned count, shift, thread;
	bool omit, alike; /* alike: y's vectors are aligned where x's are */
	double p;

	static __device__ __forceinline__ warp_tile of(const type *x, const type *y, unsigned count,
						       bool omit, double p)
	{
		unsigned shift = (unsigned)((uintptr_t)x / sizeof(type) % V);
		bool alike = !PAIR || (unsigned)((uintptr_t)y / sizeof(type) % V) == shift;

		return {x, y, count, shift, threadIdx.x % WARP, omit, alike, p};
	}

	/* The value of the tile; every thread gets it. */
	__device__ __forceinline__ value whole() const
	{
		value lane[4];

		begin(lane);
		if (count == ORDER_TILE && alike) {
#pragma unroll 1
			for (unsigned r = 0; r < ORDER_TILE / ORDER_LANES; r += ROWS)
				rows<ROWS, true>(lane, r);
			if (shift != 0 && thread == 0)
				scattered(lane, 0, (int)ORDER_TILE - (int)shift);
		} else {
			any_rows(lane);
		}
		return end(lane);
	}

	/* The same with fewer registers: of tiles that are mostly not whole. */
	__device__ __forceinline__ value part() const
	{
		value lane[4];

		begin(lane);
		any_rows(lane);
		return end(lane);
	}

	static __device__ __forceinline__ void begin(value *lane)
	{
#pragma unroll
		for (unsigned i = 0; i < 4; i++)
			lane[i] = kind::identity();
	}

	__device__ __forceinline__ void any_rows(value *lane) const
	{
		/* 32 registers of data, or 16 of 16-bit elements */
		constexpr unsigned FEW = (PAIR || A == ACCUM_SCALED ? 4 : 8) / (NARROW ? 1 : 2);

#pragma unroll 1
		for (unsigned r = 0; r * ORDER_LANES < count + shift; r += FEW)
			rows<FEW, false>(lane, r);
	}

	__device__ __forceinline__ value end(value *lane) const
	{
		for (unsigned i = 0; i < shift; i++)
			turn(lane);
		return combine_lanes(lane);
	}

	__device__ __forceinline__ void add(value &lane, type a, type b) const
	{
		if (!(omit && (stored_nan<D>(a) || (PAIR && stored_nan<D>(b)))))
			kind::template add<NARROW>(lane, stored<D>::widen(a), stored<D>::widen(b),
						   p);
	}

	/* The elements of a vector, from e on, that are inside the tile. */
	__device__ __forceinline__ void scattered(value *lane, unsigned group, int e) const
	{
#pragma unroll
		for (unsigned i = 0; i < V; i++) {
			if (e + (int)i >= 0 && e + (int)i < (int)count) {
				type a = __ldg(x + e + i);

				add(select(lane, group, i), a, PAIR ? __ldg(y + e + i) : a);
			}
		}
	}

	static __device__ __forceinline__ value &select(value *lane, unsigned group, unsigned i)
	{
		return lane[group * V + i];
	}

	/* ROWS rows from row r on; WHOLE: all are inside the tile, but for the
	 * `shift` elements before it in row 0, and y is aligned like x. */
	template <unsigned COUNT, bool WHOLE>
	__device__ __forceinline__ void rows(value *lane, unsigned r) const
	{
		struct packet<D> a[COUNT][G], b[PAIR ? COUNT : 1][G];
		int e0 = (int)(r * ORDER_LANES + thread * V) - (int)shift;

#pragma unroll
		for (unsigned u = 0; u < COUNT; u++) {
#pragma unroll
			for (unsigned g = 0; g < G; g++) {
				int e = e0 + (int)(u * ORDER_LANES + g * WARP * V);

				if (!inside<WHOLE>(u, g, e))
					continue;
				a[u][g].load(x + e);
				if constexpr (PAIR) {
					if (WHOLE || alike) {
						b[u][g].load(y + e);
					} else {
#pragma unroll
						for (unsigned i = 0; i < V; i++)
							b[u][g].element[i] = __ldg(y + e + i);
					}
				}
			}
		}
		if (WHOLE)
			__syncwarp(); /* or the compiler may put loads off */
#pragma unroll
		for (unsigned u = 0; u < COUNT; u++) {
#pragma unroll
			for (unsigned g = 0; g < G; g++) {
				int e = e0 + (int)(u * ORDER_LANES + g * WARP * V);

				if (inside<WHOLE>(u, g, e)) {
#pragma unroll
					for (unsigned i = 0; i < V; i++)
						add(lane[g * V + i], a[u][g].element[i],
						    PAIR ? b[PAIR ? u : 0][g].element[i]
							 : a[u][g].element[i]);
				} else if (WHOLE || (e < (int)count && e > -(int)V)) {
					scattered(lane, g, e);
				}
			}
		}
	}

	template <bool WHOLE>
	__device__ __forceinline__ bool inside(unsigned u, unsigned g, int e) const
	{
		if (WHOLE)
			return u != 0 || g != 0 || e >= 0;
		return e >= 0 && e + (int)V <= (int)count;
	}

	/* Lane l of the row becomes what lane l + 1 was. */
	__device__ __forceinline__ void turn(value *lane) const
	{
		value next[G], first = lane[0];

#pragma unroll
		for (unsigned g = 0; g < G; g++)
			next[g] = exchange(g == 0 ? first : lane[g * V], [=](uint32_t w) {
				return __shfl_sync(WHOLE_WARP, w, (thread + 1) % WARP);
			});
#pragma unroll
		for (unsigned g = 0; g < G; g++) {
#pragma unroll
			for (unsigned i = 0; i + 1 < V; i++)
				lane[g * V + i] = lane[g * V + i + 1];
			/* The last thread's next one is the first of the next group. */
			lane[g * V + V - 1] = thread == WARP - 1 ? next[(g + 1) % G] : next[g];
		}
	}

	/* a is what lanes with bit `offset` of the thread clear keep and b what the
	 * others keep; each sends the other one. */
	__device__ __forceinline__ value meet(value a, value b, unsigned offset) const
	{
		if (thread & offset) {
			value other = a;

			a = b;
			b = other;
		}
		return kind::combine(a, exchange(b, [=](uint32_t w) {
					     return __shfl_xor_sync(WHOLE_WARP, w, offset);
				     }));
	}
	__device__ __forceinline__ value meet(const value &a, unsigned offset) const
	{
		return kind::combine(a, exchange(a, [=](uint32_t w) {
					     return __shfl_xor_sync(WHOLE_WARP, w, offset);
				     }));
	}

	/* By halving. The first steps leave each thread fewer lanes: half of the
	 * threads go on with one, half with another. */
	__device__ __forceinline__ value combine_lanes(const value *lane) const
	{
		value v;

		if constexpr (V == 4) {
			/* lane 4 t + i: 64 and 32 lanes are 16 and 8 threads */
			value a = meet(lane[0], lane[2], 16), b = meet(lane[1], lane[3], 16);

			v = meet(a, b, 8);
			v = meet(v, 4);
			v = meet(v, 2);
			v = meet(v, 1);
			v = meet(v, 16);
			return meet(v, 8);
		} else {
			/* lane 64 g + 2 t + i */
			v = meet(kind::combine(lane[0], lane[2]), kind::combine(lane[1], lane[3]),
				 16);
			v = meet(v, 8);
			v = meet(v, 4);
			v = meet(v, 2);
			v = meet(v, 1);
			return meet(v, 16);
		}
	}
};

#endif
