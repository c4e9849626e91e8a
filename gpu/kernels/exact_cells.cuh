/* exact_cells.cuh - what a block keeps of the elements it has read, exactly: one
 * struct for each kind of term. They have the same parts:
 *
 *   THREADS, BLOCKS   a block's threads, blocks an SM
 *   SHARED            bytes of shared memory
 *   CAPACITY          terms a thread may add before the block merges
 *   FIRST, DIGITS     the digits merge() adds to (exact_value.cuh)
 *   init(memory)      before anything; then the block has to synchronise
 *   add(x, y, flags)  N terms of this thread; x and y are arrays
 *   merge(digits, f)  the block's terms go to digits, the cells are empty again; all
 *                     threads call it, with synchronisation before and after
 *
 * The terms are rows of cells by exponent. A cell is an integer, or a double that
 * holds one, small enough for CAPACITY additions: nothing is rounded.
 *
 * REPORT: flags of what is not finite or not -0 are set. */
#ifndef GPU_KERNELS_EXACT_CELLS_CUH
#define GPU_KERNELS_EXACT_CELLS_CUH

#include "gpu/kernels/exact_value.cuh"

constexpr unsigned EXACT_THREADS = 512;
constexpr unsigned EXACT_BLOCKS = 2; /* an SM */
constexpr unsigned EXACT_WARPS = EXACT_THREADS / EXACT_WARP;

__device__ __forceinline__ int64_t exact_warp_sum(int64_t v)
{
#pragma unroll
	for (unsigned step = EXACT_WARP / 2; step > 0; step /= 2)
		v += __shfl_down_sync(EXACT_ALL, v, step);
	return v;
}

/* 64-bit integers in shared memory as low and high halves: 64-bit atomics there are
 * loops. A lane has its own bank, whatever rows the lanes of a warp take; SETS
 * copies are shared by the warps. */
template <unsigned ROWS, unsigned SETS> struct exact_table {
	static constexpr unsigned SHARED = SETS * ROWS * 2 * EXACT_WARP * sizeof(uint32_t);
	static constexpr unsigned SHARE = EXACT_WARPS / SETS; /* threads to a cell */
	static constexpr unsigned ROW = 2 * EXACT_WARP;       /* words */

	uint32_t *table, *lane;

	__device__ __forceinline__ void init(char *memory)
	{
		table = (uint32_t *)memory;
		lane = table + threadIdx.x / EXACT_WARP % SETS * (ROWS * ROW) +
		       threadIdx.x % EXACT_WARP;
		for (unsigned i = threadIdx.x; i < SETS * ROWS * ROW; i += EXACT_THREADS)
			table[i] = 0;
	}

	/* The two halves of an addition. The low one comes first for many terms,
	 * then the high ones: the carry takes its time. */
	__device__ __forceinline__ uint32_t add_low(unsigned row, int64_t value) const
	{
		return atomicAdd(lane + row * ROW, (uint32_t)value);
	}
	__device__ __forceinline__ void add_high(unsigned row, int64_t value, uint32_t before) const
	{
		uint32_t low = (uint32_t)value, carry = before + low < low;

		atomicAdd(lane + row * ROW + EXACT_WARP, (uint32_t)(value >> 32) + carry);
	}

	/* Row r's unit is 2^(spacing * r + origin), relative to digits[0]; rows below
	 * `from` hold 0 only. A warp takes a row. */
	__device__ __forceinline__ void merge(unsigned long long *digits, unsigned from,
					      int spacing, int origin)
	{
		const unsigned thread = threadIdx.x % EXACT_WARP;

		for (unsigned r = threadIdx.x / EXACT_WARP; r < ROWS; r += EXACT_WARPS) {
			int64_t low = 0, high = 0;

#pragma unroll
			for (unsigned s = 0; s < SETS; s++) {
				uint32_t *cell = table + (s * ROWS + r) * ROW + thread;

				low += cell[0];
				high += (int32_t)cell[EXACT_WARP];
				cell[0] = cell[EXACT_WARP] = 0;
			}
			if (r < from || !__any_sync(EXACT_ALL, (low | high) != 0))
				continue;
			low = exact_warp_sum(low);
			high = exact_warp_sum(high);
			if (thread == 0)
				exact_post(digits, (__int128)high * ((int64_t)1 << 32) + low,
					   spacing * (int)r + origin);
		}
	}
};

/* Sums of float32 and bfloat16, as float. 16 rows by exponent / 16, a column of
 * doubles for each thread: row r has multiples of 2^(16r - 150) below
 * 2^(16r - 111), of which 2^14 add up exactly. Infinities and NaNs show in the
 * highest row as what they add up to. */
struct exact_narrow_sum {
	using term = float;
	static constexpr unsigned ROWS = 16;
	static constexpr unsigned SHARED = ROWS * EXACT_THREADS * sizeof(double);
	static constexpr unsigned CAPACITY = 1u << 14;
	static constexpr int FIRST = 63, DIGITS = 12;
	static constexpr int ORIGIN = -150 - EXACTSUM_LOW - 32 * FIRST;

	double *table;

	__device__ __forceinline__ void init(char *memory)
	{
		table = (double *)memory;
		for (unsigned r = 0; r < ROWS; r++)
			table[r * EXACT_THREADS + threadIdx.x] = 0.0;
	}

	template <unsigned N>
	__device__ __forceinline__ void add(const float (&x)[N], const float (&)[N],
					    unsigned &flags)
	{
		/* A row is 2^12 bytes: the exponent's high half, moved. */
		char *column = (char *)(table + threadIdx.x);

		static_assert(EXACT_THREADS * sizeof(double) == 1u << 12, "row");
#pragma unroll
		for (unsigned i = 0; i < N; i++) {
			double *cell =
				(double *)(column + ((__float_as_uint(x[i]) & 0x78000000u) >> 15));

			*cell += (double)x[i];
		}
		if (!(flags & EXACT_OTHER)) {
			uint32_t other = 0;

#pragma unroll
			for (unsigned i = 0; i < N; i++)
				other |= __float_as_uint(x[i]) ^ 0x80000000u;
			flags |= other != 0 ? EXACT_OTHER : 0;
		}
	}

	__device__ __forceinline__ void merge(unsigned long long *digits, unsigned &flags)
	{
		const unsigned thread = threadIdx.x % EXACT_WARP, r = threadIdx.x / EXACT_WARP;
		const double scale = __hiloint2double((int)(1023 + 150 - 16 * r) << 20, 0);
		int64_t sum = 0; /* of 512 integers up to 2^53 */

		static_assert(EXACT_WARPS == ROWS, "a warp takes a row");
#pragma unroll
		for (unsigned i = 0; i < EXACT_WARPS; i++) {
			double *cell = table + r * EXACT_THREADS + i * EXACT_WARP + thread;
			double v = *cell;

			*cell = 0.0;
			if (r == ROWS - 1 && !(fabs(v) < __longlong_as_double(0x7ff0000000000000)))
				flags |= exact_special(v);
			sum += __double2ll_rn(v * scale);
		}
		if (!__any_sync(EXACT_ALL, sum != 0))
			return;
		sum = exact_warp_sum(sum);
		if (thread == 0)
			exact_post(digits, sum, 16 * (int)r + ORIGIN);
	}
};

/* Squares and products of float32 and bfloat16, exact in double, 48 bits. Row r has
 * those of biased exponents 4(r + BASE) .. 4(r + BASE) + 3: integers below 2^51 of
 * the unit 2^(4r + 4 BASE - 1023 - 47). */
template <bool SQUARE, unsigned SETS, bool REPORT> struct exact_narrow_product {
	using term = float;
	static constexpr unsigned BASE = 181, ROWS = 139; /* exponents 724 .. 1279 */
	using cells = exact_table<ROWS, SETS>;
	static constexpr unsigned SHARED = cells::SHARED;
	static constexpr unsigned CAPACITY = ((1u << 12) - 1) / cells::SHARE;
	static constexpr int FIRST = 58, DIGITS = 22;
	static constexpr int ORIGIN = 4 * (int)BASE - 1023 - 47 - EXACTSUM_LOW - 32 * FIRST;

	cells table;

	__device__ __forceinline__ void init(char *memory)
	{
		table.init(memory);
	}

	template <unsigned N>
	__device__ __forceinline__ void add(const float (&x)[N], const float (&y)[N],
					    unsigned &flags)
	{
		uint32_t highest = 0;

#pragma unroll
		for (unsigned i = 0; i < N; i += 4) {
			unsigned row[4];
			int64_t value[4];
			uint32_t before[4];

#pragma unroll
			for (unsigned k = 0; k < 4; k++) {
				const double a = (double)x[i + k];
				const double p = a * (SQUARE ? a : (double)y[i + k]);
				uint32_t high = (uint32_t)__double2hiint(p);

				if (!SQUARE)
					high &= 0x7fffffffu;
				highest = max(highest, high);
				/* 0 goes to the last row, as it is below the first; so does
				 * what is not finite. */
				row[k] =
					__viaddmin_u32(high, 0u - (BASE << 22), (ROWS - 1) << 22) >>
					22;
				/* p in units of its row, in the low bits of a double. */
				const double scale = __hiloint2double(
					(int)((1023 + 47 + 1023 - 4 * BASE) << 20) -
						(int)row[k] * (1 << 22),
					0);

				value[k] = __double_as_longlong(__fma_rn(p, scale, 0x1.8p52)) -
					   0x4338000000000000;
				before[k] = table.add_low(row[k], value[k]);
			}
#pragma unroll
			for (unsigned k = 0; k < 4; k++)
				table.add_high(row[k], value[k], before[k]);
		}
		if (REPORT && (highest >= 0x7ff00000u || (!SQUARE && !(flags & EXACT_OTHER)))) {
#pragma unroll
			for (unsigned i = 0; i < N; i++)
				flags |= exact_flags_of(SQUARE ? (double)x[i]
							       : (double)x[i] * (double)y[i]);
		}
	}

	__device__ __forceinline__ void merge(unsigned long long *digits, unsigned &)
	{
		table.merge(digits, 0, 4, ORIGIN);
	}
};

/* Sums of float64. With k = biased exponent / 52, x = y * 2^(52k - 1023), where y
 * has an integer part below 2^52 and 52 bits of fraction: the first, rounded to
 * nearest, goes to row k + 1, the rest to row k. */
template <unsigned SETS> struct exact_wide_sum {
	using term = double;
	using cells = exact_table<41, SETS>;
	static constexpr unsigned SHARED = cells::SHARED;
	static constexpr unsigned CAPACITY = 2047 / cells::SHARE;
	static constexpr int FIRST = 34, DIGITS = 70;
	static constexpr int ORIGIN = -1075 - EXACTSUM_LOW - 32 * FIRST;

	cells table;

	__device__ __forceinline__ void init(char *memory)
	{
		table.init(memory);
	}

	template <unsigned N>
	__device__ __forceinline__ void add(const double (&x)[N], const double (&)[N],
					    unsigned &flags)
	{
		int highest = 0;

#pragma unroll
		for (unsigned i = 0; i < N; i += 4) {
			int row[4];
			int64_t upper[4], lower[4];
			uint32_t before_upper[4], before_lower[4];

#pragma unroll
			for (unsigned k = 0; k < 4; k++) {
				int e = (int)((unsigned)__double2hiint(x[i + k]) >> 20) & 0x7ff;
				double y, fraction;

				highest = max(highest, e);
				row[k] = e * 20165 >> 20; /* e / 52 */
				y = x[i + k] *
				    __hiloint2double((2046 << 20) - row[k] * (52 << 20), 0);
				fraction = y - rint(y);
				upper[k] = __double2ll_rn(y);
				/* 1.5 + |fraction| has a unit of 2^-52. */
				lower[k] =
					__double_as_longlong(fraction + 1.5) - 0x3ff8000000000000;
				before_lower[k] = table.add_low(row[k], lower[k]);
				before_upper[k] = table.add_low(row[k] + 1, upper[k]);
			}
#pragma unroll
			for (unsigned k = 0; k < 4; k++) {
				table.add_high(row[k], lower[k], before_lower[k]);
				table.add_high(row[k] + 1, upper[k], before_upper[k]);
			}
		}
		/* Numbers that are not subnormal say enough themselves. */
		if (highest == 0x7ff || (highest == 0 && !(flags & EXACT_OTHER))) {
#pragma unroll
			for (unsigned i = 0; i < N; i++)
				flags |= exact_flags_of(x[i]);
		} else if (highest != 0) {
			flags |= EXACT_OTHER;
		}
	}

	__device__ __forceinline__ void merge(unsigned long long *digits, unsigned &)
	{
		table.merge(digits, 0, 52, ORIGIN);
	}
};

/* Squares and products of float64. The mantissas m in 1 .. 2 are multiplied apart
 * from the exponents, so that p = m m' and what FMA gives as its error never
 * underflow. With E the sum of the biased exponents plus 104, k = E / 52, the
 * product is (p + error) 2^(E % 52) * 2^(52k - 2150): an integer below 2^53 for row
 * k + 2, and 52 bits each for rows k + 1 and k. Rows 0 and 1 would be below
 * 2^-2148, and remain 0. */
template <bool SQUARE, unsigned SETS, bool REPORT> struct exact_wide_product {
	using term = double;
	using cells = exact_table<83, SETS>;
	static constexpr unsigned SHARED = cells::SHARED;
	static constexpr unsigned CAPACITY = 1023 / cells::SHARE;
	static constexpr int FIRST = 0, DIGITS = EXACTSUM_DIGITS;
	static constexpr int ORIGIN = -2254 - EXACTSUM_LOW;

	cells table;

	__device__ __forceinline__ void init(char *memory)
	{
		table.init(memory);
	}

	/* The exponent and mantissa of any number; of what is not finite, those of 0. */
	static __device__ __noinline__ double unusual(double x, int &e)
	{
		if (e == 0x7ff || x == 0.0) {
			e = 1;
			return 0.0;
		}
		if (e == 0) {
			x *= 0x1p54;
			e = ((int)((unsigned)__double2hiint(x) >> 20) & 0x7ff) - 54;
		}
		return mantissa(x);
	}
	static __device__ __forceinline__ double mantissa(double x)
	{
		return __hiloint2double((__double2hiint(x) & 0x800fffff) | 0x3ff00000,
					__double2loint(x));
	}
	static __device__ __forceinline__ int exponent(double x)
	{
		return (int)((unsigned)__double2hiint(x) >> 20) & 0x7ff;
	}

	template <unsigned N>
	__device__ __forceinline__ void add(const double (&x)[N], const double (&y)[N],
					    unsigned &flags)
	{
#pragma unroll
		for (unsigned i = 0; i < N; i += 2) {
			int row[2];
			int64_t part[2][3];
			uint32_t before[2][3];

			double ma[2], mb[2];
			int ea[2], eb[2];
			unsigned worst = 0;

#pragma unroll
			for (unsigned k = 0; k < 2; k++) {
				ea[k] = exponent(x[i + k]);
				ma[k] = mantissa(x[i + k]);
				eb[k] = SQUARE ? ea[k] : exponent(y[i + k]);
				mb[k] = SQUARE ? ma[k] : mantissa(y[i + k]);
				worst = max(worst, max((unsigned)ea[k] - 1, (unsigned)eb[k] - 1));
			}
			if (worst >= 2046) {
#pragma unroll
				for (unsigned k = 0; k < 2; k++) {
					const double a = x[i + k], b = y[i + k];

					if (REPORT)
						flags |= SQUARE ? exact_flags_of(a)
								: product_flags(a, b);
					ma[k] = unusual(a, ea[k]);
					mb[k] = SQUARE ? ma[k] : unusual(b, eb[k]);
					eb[k] = SQUARE ? ea[k] : eb[k];
				}
			} else if (REPORT) {
				flags |= EXACT_OTHER;
			}
#pragma unroll
			for (unsigned k = 0; k < 2; k++) {
				const int e = ea[k] + eb[k] + 104;

				row[k] = e * 20165 >> 20;

				/* p * 2^(e % 52), and the error 2^52 times that. */
				const double scale =
					__hiloint2double((1023 + e - 52 * row[k]) << 20, 0);
				double p = ma[k] * mb[k];
				double error = __fma_rn(ma[k], mb[k], -p) * (scale * 0x1p52);
				double whole = rint(p * scale), shifted = error + 0x1.8p52;
				double near = shifted - 0x1.8p52; /* rint(error) */

				part[k][2] = __double2ll_rn(p * scale);
				part[k][1] = __double_as_longlong((p * scale - whole) + 1.5) -
					     0x3ff8000000000000 +
					     (__double_as_longlong(shifted) - 0x4338000000000000);
				part[k][0] = __double_as_longlong((error - near) + 1.5) -
					     0x3ff8000000000000;
#pragma unroll
				for (unsigned j = 0; j < 3; j++)
					before[k][j] = table.add_low(row[k] + j, part[k][j]);
			}
#pragma unroll
			for (unsigned k = 0; k < 2; k++)
#pragma unroll
				for (unsigned j = 0; j < 3; j++)
					table.add_high(row[k] + j, part[k][j], before[k][j]);
		}
	}

	/* x * y may leave the range of double: whether it is 0, and its sign, is asked
	 * for then. */
	static __device__ __noinline__ unsigned product_flags(double x, double y)
	{
		if (exponent(x) == 0x7ff || exponent(y) == 0x7ff)
			return exact_special(x * y);
		return x != 0.0 && y != 0.0 ? EXACT_OTHER : exact_flags_of(x * y);
	}

	__device__ __forceinline__ void merge(unsigned long long *digits, unsigned &)
	{
		table.merge(digits, 2, 52, ORIGIN);
	}
};

/* Integers of the block's threads, up to 2^53, to digits: by way of sums of warps. */
__device__ __forceinline__ void exact_merge_threads(unsigned long long *digits, int64_t *sums,
						    int64_t value, int position)
{
	value = exact_warp_sum(value);
	if (threadIdx.x % EXACT_WARP == 0)
		sums[threadIdx.x / EXACT_WARP] = value;
	__syncthreads();
	if (threadIdx.x < EXACT_WARP) {
		value = exact_warp_sum(threadIdx.x < EXACT_WARPS ? sums[threadIdx.x] : 0);
		if (threadIdx.x == 0)
			exact_post(digits, value, position);
	}
	__syncthreads();
}

/* Sums of float16, multiples of 2^-24 below 2^16: 4,096 of them fit a double. */
struct exact_half_sum {
	using term = float;
	static constexpr unsigned SHARED = EXACT_WARPS * sizeof(int64_t);
	static constexpr unsigned CAPACITY = 4096;
	static constexpr int FIRST = 67, DIGITS = 6;
	static constexpr int ORIGIN = -24 - EXACTSUM_LOW - 32 * FIRST;

	int64_t *sums;
	double even, odd;

	__device__ __forceinline__ void init(char *memory)
	{
		sums = (int64_t *)memory;
		even = odd = 0.0;
	}

	template <unsigned N>
	__device__ __forceinline__ void add(const float (&x)[N], const float (&)[N],
					    unsigned &flags)
	{
#pragma unroll
		for (unsigned i = 0; i < N; i += 2) {
			even += (double)x[i];
			odd += (double)x[i + 1];
		}
		if (!(flags & EXACT_OTHER)) {
			uint32_t other = 0;

#pragma unroll
			for (unsigned i = 0; i < N; i++)
				other |= __float_as_uint(x[i]) ^ 0x80000000u;
			flags |= other != 0 ? EXACT_OTHER : 0;
		}
	}

	__device__ __forceinline__ void merge(unsigned long long *digits, unsigned &flags)
	{
		double sum = even + odd;

		if (!(fabs(sum) < __longlong_as_double(0x7ff0000000000000))) {
			flags |= exact_special(sum);
			sum = 0.0;
		}
		exact_merge_threads(digits, sums, __double2ll_rn(sum * 0x1p24), ORIGIN);
		even = odd = 0.0;
	}
};

/* Squares and products of float16, multiples of 2^-48 below 2^32, exact in float:
 * what is a multiple of 2^-7 goes to one double, which is kept near 2^45 so that
 * the addition rounds there, and the rest to another. */
template <bool SQUARE, bool REPORT> struct exact_half_product {
	using term = float;
	static constexpr unsigned SHARED = EXACT_WARPS * sizeof(int64_t);
	static constexpr unsigned CAPACITY = 4096;
	static constexpr int FIRST = 66, DIGITS = 7;
	static constexpr int ORIGIN = -48 - EXACTSUM_LOW - 32 * FIRST;
	static constexpr double BEGIN = 0x1.8p45;

	int64_t *sums;
	double upper, lower;

	__device__ __forceinline__ void init(char *memory)
	{
		sums = (int64_t *)memory;
		upper = BEGIN;
		lower = 0.0;
	}

	template <unsigned N>
	__device__ __forceinline__ void add(const float (&x)[N], const float (&y)[N],
					    unsigned &flags)
	{
		uint32_t other = 0;

#pragma unroll
		for (unsigned i = 0; i < N; i++) {
			float product = SQUARE ? x[i] * x[i] : x[i] * y[i];
			double p = (double)product, next = upper + p;

			other |= __float_as_uint(product) ^ 0x80000000u;
			lower += p - (next - upper);
			upper = next;
		}
		if (REPORT && !SQUARE)
			flags |= other != 0 ? EXACT_OTHER : 0;
	}

	__device__ __forceinline__ void merge(unsigned long long *digits, unsigned &flags)
	{
		if (!(fabs(upper) < __longlong_as_double(0x7ff0000000000000))) {
			if (REPORT)
				flags |= exact_special(upper);
			upper = BEGIN;
			lower = 0.0;
		}
		exact_merge_threads(digits, sums, __double2ll_rn((upper - BEGIN) * 0x1p7),
				    ORIGIN + 48 - 7);
		exact_merge_threads(digits, sums, __double2ll_rn(lower * 0x1p48), ORIGIN);
		upper = BEGIN;
		lower = 0.0;
	}
};

#endif
