/* exact_columns.cuh - lines of middling length, and lines of any layout: each lane
 * adds to a column of cells of its own, as blocks do for long lines
 * (exact_cells.cuh) but without anyone else. A lane takes at most COLUMN_MOST
 * elements, so that no cell overflows.
 *
 * Where the elements of a line are neighbours, a warp has a line, and its lanes'
 * cells are added at the end. Where neighbours are of other lines, a lane has a line
 * of its own, or a part. Lines that are shared are added to states in memory, which
 * a second kernel publishes. */
#ifndef GPU_KERNELS_EXACT_COLUMNS_CUH
#define GPU_KERNELS_EXACT_COLUMNS_CUH

#include "gpu/kernels/exact_short.cuh"
#include "gpu/kernels/warp.cuh"

constexpr unsigned COLUMN_LOADS = 8;  /* elements a lane has at a time */
constexpr uint64_t COLUMN_MOST = 512; /* elements of a lane */
/* Warps of a block, blocks an SM. */
constexpr unsigned COLUMN_WARPS = 4, COLUMN_THREADS = COLUMN_WARPS * EXACT_WARP;

/* Row r of a column has the unit 2^(SPACING * r + ORIGIN + EXACTSUM_LOW). add()
 * gives the first row it touched and the number of rows. Sums, squares and products
 * of narrow types: as exact_narrow_sum, exact_wide_sum. */
struct column_narrow {
	using term = float;
	using cell = double;
	static constexpr unsigned ROWS = 16, SPACING = 16, TOUCHED = 1, BLOCKS = 10;
	static constexpr int ORIGIN = -150 - EXACTSUM_LOW, FIRST = 63, DIGITS = 12;

	static __device__ __forceinline__ int add(double *column, enum accum accum, float x, float,
						  unsigned &flags)
	{
		const float v = accum == ACCUM_EXACT_SUM ? x : fabsf(x);
		const uint32_t bits = __float_as_uint(v);
		const int row = (int)(bits >> 27 & 15);

		flags |= bits != 0x80000000u ? EXACT_OTHER | EXACT_SEEN : EXACT_SEEN;
		if ((bits & 0x7f800000u) == 0x7f800000u)
			flags |= exact_special((double)v);
		else
			column[row * EXACT_WARP] += (double)v;
		return row;
	}
	static __device__ __forceinline__ int64_t value(double cell, int row)
	{
		return __double2ll_rn(cell * __hiloint2double((1023 + 150 - 16 * row) << 20, 0));
	}
};

struct column_single {
	using term = double;
	using cell = int64_t;
	static constexpr unsigned ROWS = 41, SPACING = 52, TOUCHED = 2, BLOCKS = 5;
	static constexpr int ORIGIN = -1075 - EXACTSUM_LOW, FIRST = 34, DIGITS = 70;

	static __device__ __forceinline__ int add(int64_t *column, enum accum accum, double x,
						  double y, unsigned &flags)
	{
		const double v = accum == ACCUM_EXACT_SUM   ? x
				 : accum == ACCUM_EXACT_ABS ? fabs(x)
							    : x * y;
		const int e = (int)((unsigned)__double2hiint(v) >> 20) & 0x7ff,
			  row = e * 20165 >> 20;

		flags |= exact_flags_of(v) | EXACT_SEEN;
		if (e != 0x7ff) {
			double scaled = v * __hiloint2double((2046 << 20) - row * (52 << 20), 0);
			double fraction = scaled - rint(scaled);

			column[row * EXACT_WARP] +=
				__double_as_longlong(fraction + 1.5) - 0x3ff8000000000000;
			column[(row + 1) * EXACT_WARP] += __double2ll_rn(scaled);
		}
		return row;
	}
	static __device__ __forceinline__ int64_t value(int64_t cell, int)
	{
		return cell;
	}
};

/* The product of two mantissas is 106 bits, shifted by what is left of the exponent
 * 157: 52 for each of the rows, the sign apart. Unit of row r: 2^(52r - 2150). */
struct column_product {
	using term = double;
	using cell = int64_t;
	static constexpr unsigned ROWS = 84, SPACING = 52, TOUCHED = 4, BLOCKS = 2;
	static constexpr int ORIGIN = -2150 - EXACTSUM_LOW, FIRST = 0, DIGITS = EXACTSUM_DIGITS;

	static __device__ __forceinline__ uint64_t split(double x, int &exponent)
	{
		uint64_t bits = (uint64_t)__double_as_longlong(x);
		int e = (int)(bits >> 52) & 0x7ff;

		exponent = max(e, 1);
		return (bits & 0xfffffffffffffu) | (uint64_t)(e > 0) << 52;
	}

	static __device__ __forceinline__ int add(int64_t *column, enum accum, double x, double y,
						  unsigned &flags)
	{
		int ex, ey, row = 0;
		const uint64_t a = split(x, ex), b = split(y, ey);
		const int64_t sign = (__double2hiint(x) ^ __double2hiint(y)) >> 31;

		flags |= short_product_flags(x, y) | EXACT_SEEN;
		if (ex == 0x7ff || ey == 0x7ff)
			return row;
		row = (ex + ey) * 20165 >> 20;

		const unsigned shift = (unsigned)(ex + ey - 52 * row);
		const uint64_t mask = 0xfffffffffffffu, low = a * b, high = __umul64hi(a, b);
		/* In pieces of 52 bits, before the shift and after it. */
		const uint64_t p0 = low & mask, p1 = (low >> 52 | high << 12) & mask,
			       p2 = high >> 40;
		const uint64_t piece[4] = {
			p0 << shift & mask, (p0 >> (52 - shift) | p1 << shift) & mask,
			(p1 >> (52 - shift) | p2 << shift) & mask, p2 >> (52 - shift)};

#pragma unroll
		for (unsigned k = 0; k < 4; k++)
			column[(row + (int)k) * (int)EXACT_WARP] +=
				((int64_t)piece[k] ^ sign) - sign;
		return row;
	}
	static __device__ __forceinline__ int64_t value(int64_t cell, int)
	{
		return cell;
	}
};

/* A lane's column, the rows of it that are in use, and flags. */
template <class KIND> class column_sum
{
      public:
	using cell = typename KIND::cell;
	using term = typename KIND::term;

	__device__ __forceinline__ explicit column_sum(char *memory)
	    : column_((cell *)memory + threadIdx.x / EXACT_WARP * (KIND::ROWS * EXACT_WARP) +
		      threadIdx.x % EXACT_WARP)
	{
		for (unsigned r = 0; r < KIND::ROWS; r++)
			column_[r * EXACT_WARP] = 0;
		open();
	}

	__device__ __forceinline__ void open()
	{
		lo_ = INT32_MAX;
		hi_ = -1;
		flags_ = 0;
	}

	/* Elements from, from + step, ... below `to` of a line. ADJACENT: element k is
	 * at begin + k. */
	template <bool ADJACENT>
	__device__ __forceinline__ void add(const struct short_job &job, uint64_t begin,
					    uint64_t from, uint64_t step, uint64_t to)
	{
		for (uint64_t k = from; k < to; k += step * COLUMN_LOADS) {
			term x[COLUMN_LOADS], y[COLUMN_LOADS];
			uint64_t at[COLUMN_LOADS];
			bool here[COLUMN_LOADS];

#pragma unroll
			for (unsigned e = 0; e < COLUMN_LOADS; e++) {
				uint64_t i = k + e * step;

				here[e] = i < to;
				at[e] = begin + (ADJACENT  ? i
						 : here[e] ? exact_position(job.reduced, i)
							   : 0);
			}
			short_load(job, at, here, x, y);
#pragma unroll
			for (unsigned e = 0; e < COLUMN_LOADS; e++) {
				if (!here[e])
					continue;

				int row = KIND::add(column_, job.accum, x[e], y[e], flags_);

				lo_ = min(lo_, row);
				hi_ = max(hi_, row + (int)KIND::TOUCHED - 1);
			}
		}
	}

	/* The lanes' columns, all of one line, added up. Called by all lanes. The cells
	 * are 0 again. */
	__device__ __forceinline__ void close_warp(const struct short_job &job, uint64_t line)
	{
		const int first = warp_least(lo_);
		const int last = warp_greatest(hi_);
		const unsigned flags = warp_union(flags_);
		emitter out(job, line, threadIdx.x % EXACT_WARP == 0);

		for (int r = first; r <= last; r++) {
			int64_t mine = take(r);
			uint32_t low = (uint32_t)mine;
			uint32_t middle = (uint32_t)(mine >> 32);
			unsigned part0 = warp_total(low & 0xffffu);
			unsigned part1 = warp_total(low >> 16);
			unsigned part2 = warp_total(middle & 0xffffu);
			int part3 = warp_total((int)middle >> 16);
			int64_t lower = (int64_t)part0 + ((int64_t)part1 << 16);
			int64_t upper = (int64_t)part2 + (int64_t)part3 * 65536;

			out.row(r, (__int128)upper * ((int64_t)1 << 32) + lower);
		}
		out.close(flags);
		open();
	}

	/* Each lane's column by itself, of its own line; the others are not `here`. */
	__device__ __forceinline__ void close_lane(const struct short_job &job, uint64_t line,
						   bool here)
	{
		emitter out(job, line, here);

		for (int r = lo_; r <= hi_; r++)
			out.row(r, take(r));
		out.close(flags_);
		open();
	}

      private:
	__device__ __forceinline__ int64_t take(int row)
	{
		cell found = column_[row * (int)EXACT_WARP];

		column_[row * (int)EXACT_WARP] = 0;
		return KIND::value(found, row);
	}

	/* Rows, lowest first, as digits: to the line's value, its rounding or its
	 * state, by the lane that `writes`. */
	class emitter
	{
	      public:
		__device__ __forceinline__ emitter(const struct short_job &job, uint64_t line,
						   bool writes)
		    : job_(job), line_(line), writes_(writes), rounder_(0)
		{
			if (job.states != nullptr) {
				head_ = (struct exact_head *)(job.states +
							      line * column_state_size());
				digit_ = (int64_t *)(head_ + 1) - KIND::FIRST;
			} else if (job.results.values != nullptr) {
				value_ = short_value(job, line);
				digit_ = value_->digit;
			}
		}

		__device__ __forceinline__ void row(int r, __int128 value)
		{
			const int position = (int)KIND::SPACING * r + KIND::ORIGIN;

			if (next_ < 0) {
				first_ = next_ = position / 32;
				rounder_ = exact_rounder(next_);
			}
			while (position >= 32 * (next_ + 1))
				emit();
			rest_ += value << (position - 32 * next_);
		}

		__device__ __forceinline__ void close(unsigned flags)
		{
			/* The last digit has the sign. */
			while (next_ >= 0 && rest_ != 0 && rest_ != -1)
				emit();
			if (rest_ != 0) {
				put(-1);
				next_++;
			}
			if (!writes_)
				return;
			if (job_.states != nullptr) {
				if (flags != 0)
					atomicOr(&head_->flags, flags);
			} else if (job_.results.values != nullptr) {
				exact_store_head(value_, first_, next_ - 1, 1, flags);
			} else {
				rounder_.store(flags, job_.results.to, job_.results.out, line_);
			}
		}

	      private:
		__device__ __forceinline__ void emit()
		{
			put((int64_t)(uint32_t)rest_);
			rest_ >>= 32;
			next_++;
		}
		__device__ __forceinline__ void put(int64_t digit)
		{
			if (job_.states != nullptr) {
				if (writes_ && digit != 0)
					atomicAdd((unsigned long long *)digit_ + next_,
						  (unsigned long long)digit);
			} else if (job_.results.values != nullptr) {
				if (writes_)
					digit_[next_] = digit;
			} else {
				rounder_.push(digit);
			}
		}

		const struct short_job &job_;
		const uint64_t line_;
		const bool writes_;
		exact_rounder rounder_;
		struct exact_head *head_ = nullptr;
		struct exactsum *value_ = nullptr;
		int64_t *digit_ = nullptr;
		__int128 rest_ = 0; /* 2^(32 * next_) */
		int first_ = 0, next_ = -1;
	};

	static __device__ __forceinline__ size_t column_state_size()
	{
		return sizeof(struct exact_head) + KIND::DIGITS * sizeof(uint64_t);
	}

	cell *const column_;
	int lo_, hi_; /* rows */
	unsigned flags_;
};

/* A warp a line of adjacent elements. By offsets, lines of shortest elements or more,
 * looked for among COLUMN_BATCH at a time. */
constexpr unsigned COLUMN_BATCH = 8;

template <class KIND>
__global__ void __launch_bounds__(COLUMN_THREADS)
	exact_columns_lines_kernel(const __grid_constant__ struct short_job job, uint64_t shortest)
{
	extern __shared__ __align__(16) char memory[];
	const uint64_t warps = (uint64_t)gridDim.x * COLUMN_WARPS;
	const unsigned lane = threadIdx.x % EXACT_WARP;
	const unsigned batch = job.offsets != nullptr ? COLUMN_BATCH : 1;
	uint64_t line = ((uint64_t)blockIdx.x * COLUMN_WARPS + threadIdx.x / EXACT_WARP) * batch;
	column_sum<KIND> sum(memory);

	for (; line < job.lines; line += warps * batch) {
		uint64_t count = 0, begin = 0;
		bool here = lane < batch && line + lane < job.lines;

		if (here) {
			begin = short_line(job, line + lane, count);
			here = count >= shortest && count < job.longest;
		}
		for (unsigned left = __ballot_sync(EXACT_ALL, here); left != 0; left &= left - 1) {
			const int from = __ffs((int)left) - 1;
			const uint64_t at = __shfl_sync(EXACT_ALL, begin, from);
			const uint64_t n = __shfl_sync(EXACT_ALL, count, from);

			sum.template add<true>(job, at, lane, EXACT_WARP, n);
			sum.close_warp(job, line + (unsigned)from);
		}
	}
}

/* A grid: part `unit / groups` of group `unit % groups` of lines. A group is `width`
 * lines side by side, whose lanes take every rows-th element; or, width 0, one line,
 * which the whole warp has. */
template <class KIND>
__global__ void __launch_bounds__(COLUMN_THREADS)
	exact_columns_grid_kernel(const __grid_constant__ struct short_job job)
{
	extern __shared__ __align__(16) char memory[];
	const uint64_t warps = (uint64_t)gridDim.x * COLUMN_WARPS;
	const unsigned lane = threadIdx.x % EXACT_WARP;
	uint64_t unit = (uint64_t)blockIdx.x * COLUMN_WARPS + threadIdx.x / EXACT_WARP;
	column_sum<KIND> sum(memory);

	for (; unit < job.groups * job.parts; unit += warps) {
		const uint64_t group = unit % job.groups, from = unit / job.groups * job.part;
		const uint64_t to = min(job.length, from + job.part);

		if (job.width == 0) {
			sum.template add<false>(job, exact_position(job.kept, group), from + lane,
						EXACT_WARP, to);
			sum.close_warp(job, group);
			continue;
		}

		const uint64_t line = group * job.width + lane % job.width;
		const bool here = line < job.lines && lane < job.width * job.rows;

		if (here)
			sum.template add<false>(job, exact_position(job.kept, line),
						from + lane / job.width, job.rows, to);
		sum.close_lane(job, here ? line : 0, here);
	}
}

/* States to results: a warp a line. */
template <class KIND>
__global__ void __launch_bounds__(SHORT_THREADS)
	exact_columns_publish_kernel(const __grid_constant__ struct short_job job)
{
	constexpr size_t SIZE = sizeof(struct exact_head) + KIND::DIGITS * sizeof(uint64_t);
	const uint64_t warps = (uint64_t)gridDim.x * SHORT_WARPS;
	const int lane = (int)(threadIdx.x % EXACT_WARP);
	uint64_t line = (uint64_t)blockIdx.x * SHORT_WARPS + threadIdx.x / EXACT_WARP;

	for (; line < job.lines; line += warps) {
		const struct exact_head *head =
			(const struct exact_head *)(job.states + line * SIZE);
		const int64_t *digit = (const int64_t *)(head + 1);
		struct exactsum *to = short_value(job, line);
		int lo = INT32_MAX, hi = -1;

		for (int i = lane; i < KIND::DIGITS; i += EXACT_WARP)
			if (digit[i] != 0) {
				to->digit[KIND::FIRST + i] = digit[i];
				lo = min(lo, i);
				hi = i;
			}
		lo = warp_least(lo);
		hi = warp_greatest(hi);
		for (int i = lane; i < KIND::DIGITS; i += EXACT_WARP)
			if (i > lo && i < hi && digit[i] == 0)
				to->digit[KIND::FIRST + i] = 0;
		if (lane == 0)
			exact_store_head(to, hi < 0 ? 0 : KIND::FIRST + lo,
					 hi < 0 ? -1 : KIND::FIRST + hi,
					 (unsigned)min(job.parts * EXACT_WARP, (uint64_t)1 << 29),
					 head->flags);
	}
}

/* How a grid's lines are cut: groups, parts and so on of *job. */
static inline void exact_columns_cut(const struct grid *grid, struct short_job *job)
{
	const struct layout_dim *last = grid->ndim > 0 ? &grid->dim[grid->ndim - 1] : nullptr;
	uint64_t stride = 1, most, wanted;

	for (unsigned d = grid->ndim; d-- > 0;) {
		struct exact_axes *axes = grid->dim[d].reduced ? &job->reduced : &job->kept;

		axes->length[axes->ndim] = grid->dim[d].length;
		axes->stride[axes->ndim++] = stride;
		stride *= grid->dim[d].length;
	}
	job->lines = grid->lines;
	job->length = grid->length;
	job->groups = grid->lines;
	job->width = 0;
	job->rows = EXACT_WARP;
	if (last != nullptr && !last->reduced && last->length > 1) {
		job->width = last->length < EXACT_WARP ? (unsigned)last->length : EXACT_WARP;
		job->rows = EXACT_WARP / job->width;
		job->groups = (grid->lines + job->width - 1) / job->width;
	}
	/* Parts that a lane can take, and so many that there is work for all. */
	most = (grid->length + COLUMN_MOST * job->rows - 1) / (COLUMN_MOST * job->rows);
	wanted = job->groups < 4096 ? 4096 / (job->groups + 1) : 1;
	if (wanted > grid->length / (32 * job->rows))
		wanted = grid->length / (32 * job->rows);
	job->parts = most > wanted ? most : wanted;
	if (job->parts < 1)
		job->parts = 1;
	job->part = (grid->length + job->parts - 1) / job->parts;
}

static inline bool exact_columns_share(const struct short_job *job)
{
	return job->parts > 1 || (job->width > 0 && job->rows > 1);
}

template <class KIND>
cudaError_t exact_launch_columns(const struct exact_work *work, const struct grid *grid)
{
	constexpr size_t SHARED = KIND::ROWS * COLUMN_THREADS * sizeof(typename KIND::cell);
	constexpr size_t STATE = sizeof(struct exact_head) + KIND::DIGITS * sizeof(uint64_t);
	const struct launch *launch = work->launch;
	const uint64_t most = (uint64_t)launch->multiprocessors * KIND::BLOCKS * 4;
	struct short_job job = {};
	cudaError_t code;
	uint64_t blocks;

	job.x = work->elements->x;
	job.y = work->elements->y;
	job.accum = work->accum;
	job.dtype = work->elements->dtype;
	job.omit = work->elements->omit;
	job.results = work->results;
	if (grid == nullptr) {
		const struct lines *lines = work->lines;

		job.lines = lines->lines;
		job.length = lines->length;
		job.offsets = lines->offsets;
		job.longest = lines->offsets != nullptr ? EXACT_LONG : UINT64_MAX;
		code = cudaFuncSetAttribute(exact_columns_lines_kernel<KIND>,
					    cudaFuncAttributeMaxDynamicSharedMemorySize,
					    (int)SHARED);
		if (code != cudaSuccess)
			return code;
		blocks = short_blocks(lines->offsets != nullptr
					      ? (lines->lines + COLUMN_BATCH - 1) / COLUMN_BATCH
					      : lines->lines,
				      COLUMN_WARPS);
		exact_columns_lines_kernel<KIND><<<(unsigned)(blocks < most ? blocks : most),
						   COLUMN_THREADS, SHARED, launch->stream>>>(
			job, lines->offsets != nullptr ? exact_few_most(lines) + 1 : 0);
		return cudaGetLastError();
	}

	exact_columns_cut(grid, &job);
	if (exact_columns_share(&job)) {
		job.states = (char *)launch->scratch;
		code = cudaMemsetAsync(job.states, 0, job.lines * STATE, launch->stream);
		if (code != cudaSuccess)
			return code;
	}
	code = cudaFuncSetAttribute(exact_columns_grid_kernel<KIND>,
				    cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SHARED);
	if (code != cudaSuccess)
		return code;
	blocks = short_blocks(job.groups * job.parts, COLUMN_WARPS);
	exact_columns_grid_kernel<KIND><<<(unsigned)(blocks < most ? blocks : most), COLUMN_THREADS,
					  SHARED, launch->stream>>>(job);
	if (job.states != nullptr)
		exact_columns_publish_kernel<KIND><<<short_blocks(job.lines, SHORT_WARPS),
						     SHORT_THREADS, 0, launch->stream>>>(job);
	return cudaGetLastError();
}

#endif
