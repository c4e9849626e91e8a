/* ordered_family_tiles.cuh - many accumulators of a tile from one reading.
 *
 * A block takes a tile into registers. Almost all tiles are whole and have finite
 * elements only: then loops without tests will do. The others are read again, one
 * accumulator after the other. */
#ifndef GPU_KERNELS_ORDERED_FAMILY_TILES_CUH
#define GPU_KERNELS_ORDERED_FAMILY_TILES_CUH

#include "gpu/kernels/ordered_family.cuh"
#include "gpu/kernels/ordered_fold.cuh"

constexpr unsigned FAMILY_ROWS = ORDER_TILE / ORDER_LANES;

/* Lane values of the quantities that are combined at once. */
enum quantity {
	SUMS,
	SQUARES,
	SMALLEST,
	GREATEST,
	MAGNITUDES,
	DEVIATIONS,
	SQUARED_DEVIATIONS,
	QUANTITIES
};

struct family_shared {
	struct lanes_shared lanes;
	double lane[QUANTITIES][ORDER_LANES];
};

template <class T, class C>
__device__ __forceinline__ T halve_quantity(const double *lane, const C &combine)
{
	unsigned t = threadIdx.x % WARP;

	return halve_warp(combine(combine((T)lane[t], (T)lane[t + 64]),
				  combine((T)lane[t + 32], (T)lane[t + 96])),
			  combine);
}

/* min and max of numbers, of which zeros are told apart by the caller. */
__device__ __forceinline__ double lesser(double a, double b)
{
	return b < a ? b : a;
}

__device__ __forceinline__ double greater(double a, double b)
{
	return b > a ? b : a;
}

/* The hardware's order has -0 before +0. */
__device__ __forceinline__ float lesser(float a, float b)
{
	return fminf(a, b);
}

__device__ __forceinline__ float greater(float a, float b)
{
	return fmaxf(a, b);
}

/* The same of lanes, zeros told apart. */
template <bool MAX> struct extreme_lane {
	__device__ __forceinline__ double operator()(double a, double b) const
	{
		return (order_key(b) > order_key(a)) == MAX ? b : a;
	}
	__device__ __forceinline__ float operator()(float a, float b) const
	{
		return MAX ? greater(a, b) : lesser(a, b);
	}
};

/* Least and greatest of a thread's elements as they come; of finite ones. */
template <class T> struct extremes {
	T low, high;
	int any, all; /* sign bits of float64 */

	__device__ __forceinline__ extremes(T first) : low(first), high(first), any(0), all(-1)
	{
	}

	__device__ __forceinline__ void add(T x)
	{
		low = lesser(low, x);
		high = greater(high, x);
		if constexpr (sizeof(T) == sizeof(double)) {
			any |= __double2hiint(x);
			all &= __double2hiint(x);
		}
	}
	/* If the least is a zero, all elements are zeros or positive. */
	__device__ __forceinline__ double least() const
	{
		if (sizeof(T) == sizeof(double) && low == 0)
			return any < 0 ? -0.0 : 0.0;
		return low;
	}
	__device__ __forceinline__ double greatest() const
	{
		if (sizeof(T) == sizeof(double) && high == 0)
			return all < 0 ? -0.0 : 0.0;
		return high;
	}
};

template <bool MAX, class TILE>
__device__ __forceinline__ struct best extreme_of(TILE &tile, uint64_t number)
{
	return tile.lanes(
		best{NOTHING_KEY<MAX>, number},
		[=](struct best &v, double x, double, unsigned) {
			v = better<MAX>()(
				v, best{values::is_nan(x) ? NAN_KEY<MAX> : order_key(x), number});
		},
		better<MAX>());
}

/* Any tile, one accumulator after the other. */
template <class R>
__device__ __noinline__ void family_of_any_tile(R x, unsigned count, bool omit, uint64_t tile,
						struct family_values out,
						struct lanes_shared *shared)
{
	tile_in_memory<R, ORDER_LANES, 4, false> all = {x, x, count, omit, shared, 0};
	const bool writes = threadIdx.x == 0;

	if (out.sum != nullptr) {
		double v = value_of<ACCUM_SUM, R::NARROW>(all, omit, 0.0);
		if (writes)
			out.sum[tile] = v;
	}
	if (out.abs != nullptr) {
		double v = value_of<ACCUM_ABS, R::NARROW>(all, omit, 0.0);
		if (writes)
			out.abs[tile] = v;
	}
	if (out.square != nullptr) {
		double v = value_of<ACCUM_SQUARE, R::NARROW>(all, omit, 0.0);
		if (writes)
			out.square[tile] = v;
	}
	if (out.scaled != nullptr) {
		struct scaled_squares v = value_of<ACCUM_SCALED, R::NARROW>(all, omit, 0.0);
		if (writes)
			out.scaled[tile] = v;
	}
	if (out.moments != nullptr) {
		struct moments v = moments_of(all, omit);
		if (writes)
			out.moments[tile] = v;
	}
	if (out.min != nullptr) {
		struct best v = extreme_of<false>(all, tile);
		if (writes)
			out.min[tile] = v;
	}
	if (out.max != nullptr) {
		struct best v = extreme_of<true>(all, tile);
		if (writes)
			out.max[tile] = v;
	}
}

/* The second part of a whole tile of finite elements: everything but its sum. */
template <class R>
__device__ __forceinline__ void family_of_ordinary_tile(const typename R::kept *x, double sum,
							bool scaling, R memory, uint64_t tile,
							const struct family_values &out,
							struct family_shared *shared)
{
	using kept = typename R::kept;
	const unsigned t = threadIdx.x;
	const double n = ORDER_TILE, guess = sum / n;

	if (out.moments != nullptr) {
		double c = -0.0, q = -0.0;

#pragma unroll
		for (unsigned r = 0; r < FAMILY_ROWS; r++) {
			double d = x[r] - guess;

			c = c + d;
			q = q + d * d;
		}
		shared->lane[DEVIATIONS][t] = c;
		shared->lane[SQUARED_DEVIATIONS][t] = q;
	}
	if (out.abs != nullptr) {
		double s = -0.0;

#pragma unroll
		for (unsigned r = 0; r < FAMILY_ROWS; r++)
			s = s + fabs((double)x[r]);
		shared->lane[MAGNITUDES][t] = s;
	}
	__syncthreads();

	/* A warp for each: nobody waits for another. */
	const bool writes = t % WARP == 0;

	if (t / WARP == 0 && out.moments != nullptr) {
		double c = halve_quantity<double>(shared->lane[DEVIATIONS], add_doubles());
		double q = halve_quantity<double>(shared->lane[SQUARED_DEVIATIONS], add_doubles());

		if (writes)
			out.moments[tile] =
				values::is_infinite(q)
					? moments{n, guess, q}
					: moments{n, guess + c / n, values::centred(c, q, n)};
	}
	if (t / WARP == 1 && (out.square != nullptr || out.scaled != nullptr)) {
		double s = halve_quantity<double>(shared->lane[SQUARES], add_doubles());

		if (writes && out.square != nullptr)
			out.square[tile] = s;
		if (writes && out.scaled != nullptr && !scaling)
			out.scaled[tile] = {-0.0, s, -0.0};
	}
	if (t / WARP == 1 && out.abs != nullptr) {
		double s = halve_quantity<double>(shared->lane[MAGNITUDES], add_doubles());

		if (writes)
			out.abs[tile] = s;
	}
	if (t / WARP == 2 && out.min != nullptr) {
		kept v = halve_quantity<kept>(shared->lane[SMALLEST], extreme_lane<false>());

		if (writes)
			out.min[tile] = {order_key(v), tile};
	}
	if (t / WARP == 3 && out.max != nullptr) {
		kept v = halve_quantity<kept>(shared->lane[GREATEST], extreme_lane<true>());

		if (writes)
			out.max[tile] = {order_key(v), tile};
	}
	if (writes && t == 3 * WARP && out.sum != nullptr)
		out.sum[tile] = sum;
	if (scaling) {
		struct family_values scaled_only = {};

		scaled_only.scaled = out.scaled;
		family_of_any_tile(memory, ORDER_TILE, false, tile, scaled_only, &shared->lanes);
	}
}

/* Blocks an SM bound the registers: tiles under way are what hides memory. */
template <class R>
__global__ void __launch_bounds__(ORDER_LANES, R::NARROW ? 6 : 5)
	family_tiles(R line, uint64_t count, bool omit, struct family_values out)
{
	using kept = typename R::kept;
	__shared__ struct family_shared shared;
	const uint64_t tile = blockIdx.x, from = tile * ORDER_TILE;
	const unsigned here = (unsigned)min((uint64_t)ORDER_TILE, count - from);
	const unsigned t = threadIdx.x;
	const R memory = line.from(from);

	let_followers_start();
	if (here == ORDER_TILE) {
		kept x[FAMILY_ROWS];
		double sum = -0.0, squares = -0.0;
		bool scaling = false;

#pragma unroll
		for (unsigned r = 0; r < FAMILY_ROWS; r++)
			x[r] = (kept)memory(r * ORDER_LANES + t);

		extremes<kept> extreme(x[0]);

		/* All that needs no mean, wanted or not: there is time. */
#pragma unroll
		for (unsigned r = 0; r < FAMILY_ROWS; r++) {
			double value = x[r];

			sum = sum + value;
			ordered<ACCUM_SQUARE>::add<R::NARROW>(squares, value, 0.0, 0.0);
			extreme.add(x[r]);
			if (!R::NARROW)
				scaling |= small_for_scaling(value);
		}
		shared.lane[SUMS][t] = sum;
		shared.lane[SQUARES][t] = squares;
		shared.lane[SMALLEST][t] = extreme.least();
		shared.lane[GREATEST][t] = extreme.greatest();
		if (!R::NARROW)
			scaling = scaling || big_for_scaling(squares);
		scaling = __syncthreads_or(scaling && out.scaled != nullptr);
		sum = halve_quantity<double>(shared.lane[SUMS], add_doubles());
		if (values::is_finite(sum)) {
			family_of_ordinary_tile<R>(x, sum, scaling, memory, tile, out, &shared);
			return;
		}
	}
	family_of_any_tile(memory, here, omit, tile, out, &shared.lanes);
}

#endif
