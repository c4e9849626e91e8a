/* ordered_dispatch.cuh - which of the kernels of ordered_few.cuh and
 * ordered_tiles.cuh take which lines. */
#ifndef GPU_KERNELS_ORDERED_DISPATCH_CUH
#define GPU_KERNELS_ORDERED_DISPATCH_CUH

#include "gpu/kernels/ordered_few.cuh"
#include "gpu/kernels/ordered_lines.cuh"
#include "gpu/kernels/ordered_tiles.cuh"

/* Whether tiles of this kind are taken by warps. */
template <enum accum A, class R> constexpr bool BY_WARPS = false;
template <enum accum A> constexpr bool BY_WARPS<A, typed_reader<DTYPE_FLOAT16>> = SIMPLE<A>;
template <enum accum A> constexpr bool BY_WARPS<A, typed_reader<DTYPE_BFLOAT16>> = SIMPLE<A>;

/* Up to so many tiles in all, blocks are the shorter way for them, too. */
constexpr uint64_t FEW_TILES = 2048;

/* Up to so many elements a line that is not simple, warps are cheaper. */
constexpr uint64_t WARP_LINE = 4 * ORDER_LANES;

/* Up to so many lines of a tile, blocks are the shorter way. */
constexpr uint64_t FEW_LINES = 1024;

constexpr unsigned blocks_of(uint64_t warps)
{
	return (unsigned)((warps + LINES_WARPS - 1) / LINES_WARPS);
}

/* How many lines a warp takes: few where they are long, or where there would be
 * fewer warps than the device holds. */
static inline unsigned lines_a_warp(const struct launch *launch, uint64_t lines, uint64_t average,
				    bool by_offsets)
{
	const uint64_t enough = (uint64_t)launch->multiprocessors * 32;
	unsigned each = average <= ORDER_LANES ? WARP : average <= 2 * ORDER_LANES ? 4 : 1;

	/* What offsets cost a warp is the same for one and for several. */
	if (by_offsets && each < 8 && average <= ORDER_TILE)
		each = 8;

	while (each > 1 && lines / each < enough)
		each /= 2;
	return each;
}

template <enum accum A, class R>
cudaError_t launch_few(const struct launch *launch, const ordered_job<A, R> &job, unsigned each)
{
	ordered_few<A, R>
		<<<blocks_of((job.lines + each - 1) / each), LINES_THREADS, 0, launch->stream>>>(
			job, each);
	return cudaGetLastError();
}

template <enum accum A, class R>
cudaError_t launch_medium(const struct launch *launch, const ordered_job<A, R> &job, unsigned each)
{
	ordered_medium<A, R>
		<<<blocks_of((job.lines + each - 1) / each), LINES_THREADS, 0, launch->stream>>>(
			job, each);
	return cudaGetLastError();
}

/* slots: tiles of equal lines, or units. Units are shared out in long runs. */
template <enum accum A, class R>
cudaError_t launch_tiles(const struct launch *launch, ordered_job<A, R> &job, uint64_t slots,
			 bool by_warps)
{
	uint64_t most;

	job.share = 1;
	if constexpr (BY_WARPS<A, R>) {
		if (by_warps) {
			most = 4 * LINES_WARPS * launch->multiprocessors;
			if (job.offsets != nullptr)
				job.share = (slots + most - 1) / most;
			ordered_warps<A, R::TYPE><<<blocks_of((slots + job.share - 1) / job.share),
						    LINES_THREADS, 0, launch->stream>>>(job, slots);
			return cudaGetLastError();
		}
	}
	most = 16 * launch->multiprocessors;
	if (job.offsets != nullptr)
		job.share = (slots + most - 1) / most;
	ordered_blocks<A, R><<<(unsigned)((slots + job.share - 1) / job.share), ORDER_LANES, 0,
			       launch->stream>>>(job);
	return cudaGetLastError();
}

template <enum accum A, class R>
cudaError_t equal_lines(const struct launch *launch, ordered_job<A, R> &job)
{
	using value = typename ordered<A>::value;
	const unsigned each = lines_a_warp(launch, job.lines, job.length, false);
	uint64_t slots;
	bool by_warps;
	cudaError_t code;

	if (job.length <= FEW<A>)
		return launch_few(launch, job, each);
	if (job.length <= (SIMPLE<A> ? ORDER_TILE : WARP_LINE) && job.lines > FEW_LINES)
		return launch_medium(launch, job, each);
	job.tiles = (job.length + ORDER_TILE - 1) / ORDER_TILE;
	slots = job.lines * job.tiles;
	if constexpr (SIMPLE<A> && sizeof(value) == sizeof(double)) {
		if (job.tiles == 1 && job.lines <= FEW_LINES) {
			ordered_one<A, R>
				<<<(unsigned)job.lines, ORDER_LANES, 0, launch->stream>>>(job);
			return cudaGetLastError();
		}
	}
	by_warps = slots > FEW_TILES;
	job.tile_values = job.tiles == 1 ? job.out : (value *)launch->scratch;
	if (job.tiles > 1 && !(by_warps && BY_WARPS<A, R>)) {
		if (sizeof(value) == sizeof(double) && slots <= MAILBOX_SLOTS)
			job.mailbox = (uint64_t *)launch->tickets;
		if (sizeof(value) != sizeof(double) && job.tiles <= ORDER_TILE &&
		    job.lines <= LAUNCH_TICKETS)
			job.tickets = launch->tickets;
	}
	code = launch_tiles(launch, job, slots, by_warps);
	if (code != cudaSuccess || job.tiles == 1 || job.mailbox != nullptr ||
	    job.tickets != nullptr)
		return code;
	return fold_lines<FOLDED_AS<A>>(launch, job.lines, job.tiles, job.tile_values,
					job.tile_values + slots, job.out);
}

/* The arrays of one level in scratch. */
template <class V> static struct units<V> units_at(char *at, uint64_t count) {
	V *first = (V *)at;
	uint64_t *first_line = (uint64_t *)(first + 2 * count);

	return {first, first + count, first_line, first_line + count, count};
}

template <enum accum A, class R>
cudaError_t lines_by_offsets(const struct launch *launch, const struct lines *lines,
			     ordered_job<A, R> &job)
{
	using value = typename ordered<A>::value;
	const struct unit_plan plan = plan_units(lines->elements, sizeof(value));
	const uint64_t average = lines->elements / lines->lines;
	const unsigned each = lines_a_warp(launch, job.lines, average, true);
	struct units<value> level[UNIT_LEVELS];
	char *at = (char *)launch->scratch;
	cudaError_t code = cudaMemsetAsync(at, 0, 2 * sizeof(uint32_t), launch->stream);

	job.any_long = (uint32_t *)at;
	for (unsigned i = 0; i < plan.levels && code == cudaSuccess; i++) {
		level[i] = units_at<value>(at + plan.at[i], plan.count[i]);
		if (i > 0)
			code = cudaMemsetAsync(level[i].first_line, 0xff,
					       2 * plan.count[i] * sizeof(uint64_t),
					       launch->stream);
	}
	if (code == cudaSuccess && average <= FEW<A>) {
		job.any_medium = job.any_long + 1;
		code = launch_few(launch, job, each);
	}
	if (code == cudaSuccess)
		code = launch_medium(launch, job, each);
	if (code != cudaSuccess || lines->elements <= ORDER_TILE)
		return code;
	job.units = level[0];
	code = launch_tiles(launch, job, level[0].count, true);
	if (code != cudaSuccess)
		return code;
	return fold_units<FOLDED_AS<A>>(launch, lines, plan.levels, level, job.any_long, job.out);
}

/* The whole of ordered_lines() for one accumulator and reader. */
template <enum accum A, class R>
cudaError_t lines_read_by(const struct lines_work *work, const R &x, const R &y)
{
	const struct lines *lines = work->lines;
	ordered_job<A, R> job = {};

	if (lines->lines == 0)
		return cudaSuccess;
	job.x = x;
	job.y = y;
	job.omit = work->elements->omit;
	job.p = work->elements->p;
	job.lines = lines->lines;
	job.length = lines->length;
	job.offsets = lines->offsets;
	job.out = (typename ordered<A>::value *)work->values;
	if (lines->offsets != nullptr)
		return lines_by_offsets(work->launch, lines, job);
	return equal_lines(work->launch, job);
}

template <enum accum A, enum dtype D>
cudaError_t lines_of_one_type(const struct lines_work *work, struct stored<D>)
{
	return lines_read_by<A>(work, read_as<D>(work->elements->x), read_as<D>(work->elements->y));
}

template <enum accum A> cudaError_t lines_of_type(const struct lines_work *work)
{
	return with_float(work->elements->dtype,
			  [=](auto tag) { return lines_of_one_type<A>(work, tag); });
}

template <enum accum A> cudaError_t lines_of_any_type(const struct lines_work *work)
{
	const struct elements *of = work->elements;

	return lines_read_by<A>(work, read_any(of->x, of->dtype), read_any(of->y, of->dtype));
}

#endif
