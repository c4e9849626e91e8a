/* ordered_lanes.cuh - the lane combination of a tile (docs/orders.md, 2.2), by
 * whoever holds its elements, and what tiles are made of it (4.3, 4.6).
 *
 * A "tile" here is a class with
 *   lanes(identity, add, combine)   every element e that takes part is added to
 *                                   its lane, add(lane, x, y, e), and the lanes
 *                                   are combined by halving; every thread of the
 *                                   tile gets the result
 *   count                           elements, those that are omitted included
 * Threads of a tile call lanes() together. */
#ifndef GPU_KERNELS_ORDERED_LANES_CUH
#define GPU_KERNELS_ORDERED_LANES_CUH

#include <cstring>
#include <type_traits>
#include "engine/order.h"
#include "gpu/kernels/load.cuh"
#include "gpu/kernels/values.cuh"

constexpr unsigned WARP = 32;
constexpr unsigned WHOLE_WARP = 0xffffffffu;

/* Elements of one type, as doubles. */
template <enum dtype D> struct typed_reader {
	static constexpr enum dtype TYPE = D;
	static constexpr bool NARROW = D != DTYPE_FLOAT64;
	using kept = std::conditional_t<NARROW, float, double>; /* without loss */
	const typename stored<D>::type *elements;

	__device__ __forceinline__ double operator()(uint64_t i) const
	{
		return stored<D>::widen(__ldg(elements + i));
	}
	__device__ __forceinline__ typed_reader from(uint64_t i) const
	{
		return {elements + i};
	}
};

/* The same, the type known at run time: where arithmetic takes all the time. */
struct any_reader {
	static constexpr bool NARROW = false;
	using kept = double;
	const char *elements;
	enum dtype dtype;
	unsigned size;

	__device__ __forceinline__ double operator()(uint64_t i) const
	{
		return load_float(elements, dtype, i);
	}
	__device__ __forceinline__ any_reader from(uint64_t i) const
	{
		return {elements + i * size, dtype, size};
	}
};

template <enum dtype D> typed_reader<D> read_as(const void *x)
{
	return {(const typename stored<D>::type *)x};
}

static inline any_reader read_any(const void *x, enum dtype dtype)
{
	return {(const char *)x, dtype, (unsigned)dtype_size(dtype)};
}

/* The value of another thread; T is of 32-bit words. */
template <class T, class F> __device__ __forceinline__ T exchange(const T &v, F shuffle)
{
	static_assert(sizeof(T) % sizeof(uint32_t) == 0, "words are exchanged");
	uint32_t word[sizeof(T) / sizeof(uint32_t)];
	T out;

	memcpy(word, &v, sizeof(T));
#pragma unroll
	for (unsigned i = 0; i < sizeof(T) / sizeof(uint32_t); i++)
		word[i] = shuffle(word[i]);
	memcpy(&out, word, sizeof(T));
	return out;
}

/* Lanes of `width` threads, one each, combined by halving; all get the result. */
template <class T, class C>
__device__ __forceinline__ T halve(T v, unsigned width, const C &combine)
{
	for (unsigned h = width / 2; h > 0; h /= 2)
		v = combine(v, exchange(v, [=](uint32_t w) {
				    return __shfl_down_sync(WHOLE_WARP, w, h, width);
			    }));
	return exchange(v, [=](uint32_t w) { return __shfl_sync(WHOLE_WARP, w, 0, width); });
}

/* As halve() of a whole warp: the number of steps is known. */
template <class T, class C> __device__ __forceinline__ T halve_warp(T v, const C &combine)
{
#pragma unroll
	for (unsigned h = WARP / 2; h > 0; h /= 2)
		v = combine(v, exchange(v, [=](uint32_t w) {
				    return __shfl_down_sync(WHOLE_WARP, w, h);
			    }));
	return exchange(v, [=](uint32_t w) { return __shfl_sync(WHOLE_WARP, w, 0); });
}

/* Shared memory of a block of ORDER_LANES threads, a lane each. Two buffers in
 * turn: who is late reading one finds the other being written. */
struct lanes_shared {
	double buffer[2][ORDER_LANES * 3];
};

template <class T, class C>
__device__ __forceinline__ T halve_block(T v, struct lanes_shared *shared, unsigned &turn,
					 const C &combine)
{
	static_assert(sizeof(T) <= 3 * sizeof(double), "three numbers a value");
	T *all = (T *)shared->buffer[turn++ & 1];
	unsigned t = threadIdx.x % WARP;

	all[threadIdx.x] = v;
	__syncthreads();
	/* Every warp does the same: nothing needs to be handed back. */
	v = combine(combine(all[t], all[t + 64]), combine(all[t + 32], all[t + 96]));
	return halve_warp(v, combine);
}

/* Tiles of at most `width` elements, an element a thread; width is a power of
 * two up to a warp, and so many tiles lie side by side in it. */
struct tile_of_few {
	double x, y;
	unsigned width, element, count;
	bool present;

	template <class T, class A, class C>
	__device__ __forceinline__ T lanes(T v, const A &add, const C &combine)
	{
		if (present)
			add(v, x, y, element);
		return halve(v, width, combine);
	}
};

/* A tile read anew each time, by a warp or by a block of ORDER_LANES threads
 * (THREADS), DEPTH rows under way. Any alignment, any type, any length. */
template <class R, unsigned THREADS, unsigned DEPTH, bool PAIR> struct tile_in_memory {
	R x, y;
	unsigned count;
	bool omit;
	struct lanes_shared *shared;
	unsigned turn;

	template <class T, class A, class C>
	__device__ __forceinline__ T lanes(T identity, const A &add, const C &combine)
	{
		constexpr unsigned MINE = ORDER_LANES / THREADS, LOADS = DEPTH * MINE;
		T lane[MINE];

#pragma unroll
		for (unsigned l = 0; l < MINE; l++)
			lane[l] = identity;
#pragma unroll 1
		for (unsigned row = threadIdx.x % THREADS; row - threadIdx.x % THREADS < count;
		     row += DEPTH * ORDER_LANES) {
			typename R::kept a[LOADS], b[PAIR ? LOADS : 1];

#pragma unroll
			for (unsigned l = 0; l < LOADS; l++) {
				unsigned e = row + l * THREADS;

				a[l] = e < count ? (typename R::kept)x(e) : 0;
				if (PAIR)
					b[l] = e < count ? (typename R::kept)y(e) : 0;
			}
#pragma unroll
			for (unsigned l = 0; l < LOADS; l++) {
				unsigned e = row + l * THREADS;
				bool nan = a[l] != a[l] ||
					   (PAIR && b[PAIR ? l : 0] != b[PAIR ? l : 0]);

				if (e < count && !(omit && nan))
					add(lane[l % MINE], a[l], PAIR ? b[PAIR ? l : 0] : 0.0, e);
			}
		}
		if constexpr (THREADS == ORDER_LANES) {
			return halve_block(lane[0], shared, turn, combine);
		} else {
			return halve_warp(combine(combine(lane[0], lane[2 % MINE]),
						  combine(lane[1 % MINE], lane[3 % MINE])),
					  combine);
		}
	}
};

/* A whole tile, of which all elements take part, in the registers of a block of
 * ORDER_LANES threads, a lane each: passes over it cost no memory. */
template <class X, bool PAIR> struct tile_in_registers {
	static constexpr unsigned ROWS = ORDER_TILE / ORDER_LANES;
	static constexpr unsigned count = ORDER_TILE;
	X x[ROWS], y[PAIR ? ROWS : 1];
	struct lanes_shared *shared;
	unsigned turn;

	/* All loads are under way at once. */
	template <class R> __device__ __forceinline__ void load(const R &from_x, const R &from_y)
	{
#pragma unroll
		for (unsigned r = 0; r < ROWS; r++) {
			x[r] = (X)from_x(r * ORDER_LANES + threadIdx.x);
			if (PAIR)
				y[r] = (X)from_y(r * ORDER_LANES + threadIdx.x);
		}
	}
	/* Whether this thread has a NaN. */
	__device__ __forceinline__ bool nan() const
	{
		bool found = false;

#pragma unroll
		for (unsigned r = 0; r < ROWS; r++)
			found = found || x[r] != x[r] ||
				(PAIR && y[PAIR ? r : 0] != y[PAIR ? r : 0]);
		return found;
	}

	template <class T, class A, class C>
	__device__ __forceinline__ T lanes(T lane, const A &add, const C &combine)
	{
#pragma unroll
		for (unsigned r = 0; r < ROWS; r++)
			add(lane, x[r], PAIR ? y[PAIR ? r : 0] : 0.0,
			    r * ORDER_LANES + threadIdx.x);
		return halve_block(lane, shared, turn, combine);
	}
};

struct add_doubles {
	__device__ __forceinline__ double operator()(double a, double b) const
	{
		return a + b;
	}
};

template <class TILE> __device__ __forceinline__ double taking_part(TILE &tile, bool omit)
{
	if (!omit)
		return tile.count;
	return tile.lanes(
		0u, [](unsigned &n, double, double, unsigned) { n++; },
		[](unsigned a, unsigned b) { return a + b; });
}

/* Scaled squares (rule 4.1) of ordinary elements are their squares. These are not
 * ordinary: small ones, told each by its value, ... */
__device__ __forceinline__ bool small_for_scaling(double x)
{
	return (bool)((fabs(x) < 0x1p-511) & (x != 0.0));
}

/* ... and big ones, told by the sum of the squares of all. */
__device__ __forceinline__ bool big_for_scaling(double squares)
{
	return !(squares <= 0x1p972);
}

/* The second pass of rule 4.3, about the guess. */
template <class TILE>
__device__ __forceinline__ struct moments moments_about(TILE &tile, double n, double guess)
{
	struct deviations {
		double sum, squares;
	};
	struct deviations d = tile.lanes(
		deviations{-0.0, -0.0},
		[=](struct deviations &v, double x, double, unsigned) {
			double from = x - guess;

			v.sum = v.sum + from;
			v.squares = v.squares + from * from;
		},
		[](const struct deviations &a, const struct deviations &b) {
			return deviations{a.sum + b.sum, a.squares + b.squares};
		});

	if (n == 0.0)
		return {0.0, 0.0, 0.0};
	if (values::is_infinite(d.squares))
		return {n, guess, d.squares};
	return {n, guess + d.sum / n, values::centred(d.sum, d.squares, n)};
}

template <class TILE> __device__ __forceinline__ double sum_of(TILE &tile)
{
	return tile.lanes(
		-0.0, [](double &v, double x, double, unsigned) { v = v + x; }, add_doubles());
}

/* Rule 4.3. */
template <class TILE> __device__ __forceinline__ struct moments moments_of(TILE &tile, bool omit)
{
	struct found {
		double x;
		unsigned element, filler;
	};
	double n = taking_part(tile, omit), sum = sum_of(tile), guess = sum / n;
	bool shifted = !values::is_finite(sum) && n > 0.0;

	/* Of several tiles in a warp all go along with the one that must. */
	if (__any_sync(WHOLE_WARP, shifted)) {
		double first = tile.lanes(
					   found{0.0, ORDER_TILE, 0},
					   [](struct found &v, double x, double, unsigned e) {
						   if (e < v.element)
							   v = {x, e, 0};
					   },
					   [](const struct found &a, const struct found &b) {
						   return a.element < b.element ? a : b;
					   })
				       .x;

		sum = tile.lanes(
			-0.0, [=](double &v, double x, double, unsigned) { v = v + (x - first); },
			add_doubles());
		if (shifted)
			guess = first + sum / n;
	}
	return moments_about(tile, n, guess);
}

/* Rule 4.6. */
template <class TILE> __device__ __forceinline__ struct logsum logsum_of(TILE &tile)
{
	double max = tile.lanes(
		-values::infinity(),
		[](double &v, double x, double, unsigned) {
			if (x > v || values::is_nan(x))
				v = x;
		},
		[](double a, double b) { return b > a || values::is_nan(b) ? b : a; });
	double sum = tile.lanes(
		-0.0,
		[=](double &v, double x, double, unsigned) {
			v = v + (x == max ? 1.0 : elementary_exp(x - max));
		},
		add_doubles());

	if (values::is_nan(max))
		return {values::quiet_nan(), values::quiet_nan()};
	if (max == -values::infinity())
		return {max, 0.0};
	return {max, sum};
}

/* NARROW as in values.cuh. */
template <enum accum A, bool NARROW, class TILE>
__device__ __forceinline__ typename ordered<A>::value value_of(TILE &tile, bool omit, double p)
{
	using kind = ordered<A>;

	if constexpr (A == ACCUM_MOMENTS) {
		return moments_of(tile, omit);
	} else if constexpr (A == ACCUM_LOGSUM) {
		return logsum_of(tile);
	} else {
		return tile.lanes(
			kind::identity(),
			[=](typename kind::value &v, double x, double y, unsigned) {
				kind::template add<NARROW>(v, x, y, p);
			},
			[](const typename kind::value &a, const typename kind::value &b) {
				return kind::combine(a, b);
			});
	}
}

#endif
