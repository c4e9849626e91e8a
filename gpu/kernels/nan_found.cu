/* nan_found.cu - NaNs of each line: how many, and where the first stands.
 *
 * They need no scratch: parts of lines are merged where the result stands. */
#include <type_traits>
#include "gpu/kernels/free_fold.cuh"
#include "gpu/kernels/free_map.cuh"

struct nan_ending {
	using value = struct nan_found;
	static constexpr bool atomic = true;
	bool first_alone; /* values are uint64_t, the first's index */

	static __device__ __forceinline__ value identity()
	{
		return {0, NO_INDEX};
	}
	static __device__ __forceinline__ void merge(value *a, const value &b)
	{
		a->count += b.count;
		a->first = b.first < a->first ? b.first : a->first;
	}
	__device__ __forceinline__ void finish(const value &v, void *values, uint64_t line) const
	{
		if (first_alone)
			((uint64_t *)values)[line] = v.first;
		else
			((struct nan_found *)values)[line] = v;
	}
	__device__ __forceinline__ void add(const value &v, void *values, uint64_t line) const
	{
		using word = unsigned long long;
		struct nan_found *found = (struct nan_found *)values + line;

		if (v.count == 0)
			return;
		if (first_alone) {
			atomicMin((word *)values + line, (word)v.first);
		} else {
			atomicAdd((word *)&found->count, (word)v.count);
			atomicMin((word *)&found->first, (word)v.first);
		}
	}
};

template <class R, bool PAIR, bool MAPPED> struct nan_policy {
	using key = typename std::conditional<sizeof(R) == 8, uint64_t, uint32_t>::type;
	using raw = R;
	using state = struct nan_found;
	using ending = nan_ending;
	static constexpr bool pair = PAIR, absolute = true;
	const R *x, *y;
	key infinity;
	typename std::conditional<MAPPED, struct c_order, struct no_order>::type order;
	ending end;

	__device__ __forceinline__ void begin(state *s) const
	{
		*s = ending::identity();
	}
	__device__ __forceinline__ bool is_nan(R a) const
	{
		return ((key)a & (key)((R) ~(R)0 >> 1)) > infinity;
	}
	__device__ __forceinline__ bool has_nan(R a, R b) const
	{
		return is_nan(a) | (PAIR & is_nan(b));
	}
	__device__ __forceinline__ uint64_t index_of(uint64_t position) const
	{
		if constexpr (MAPPED)
			return order.index(position);
		else
			return position;
	}
	__device__ __forceinline__ void element(state *s, R a, R b, uint64_t position) const
	{
		const bool here = has_nan(a, b);

		if (MAPPED && here)
			position = index_of(position);
		s->count += here;
		s->first = here && position < s->first ? position : s->first;
	}
	template <unsigned N>
	__device__ __forceinline__ void vectors(state *s, const uint4 (&a)[N], const uint4 (&b)[N],
						uint64_t position, uint64_t step) const
	{
		constexpr unsigned PER = sizeof(uint4) / sizeof(R);
		bool any = false;
		uint64_t places = 0;

#pragma unroll
		for (unsigned e = 0; e < N * PER; e++)
			any |= has_nan(part_of<R>(a[e / PER], e % PER),
				       part_of<R>(b[e / PER], e % PER));
		if (!any)
			return;
#pragma unroll
		for (unsigned e = 0; e < N * PER; e++)
			places |= (uint64_t)has_nan(part_of<R>(a[e / PER], e % PER),
						    part_of<R>(b[e / PER], e % PER))
				  << e;
		s->count += __popcll(places);
		do {
			const unsigned e = (unsigned)__ffsll((long long)places) - 1;
			const uint64_t index = index_of(position + e / PER * step + e % PER);

			s->first = index < s->first ? index : s->first;
			places &= places - 1;
		} while (MAPPED && places != 0);
	}
	__device__ __forceinline__ void settle(state *, uint64_t, unsigned, unsigned) const
	{
	}
	__device__ __forceinline__ struct nan_found close(const state &s) const
	{
		return s;
	}
};

template <class R, bool PAIR, bool MAPPED>
static nan_policy<R, PAIR, MAPPED> policy_of(const struct free_job *job, bool first_alone)
{
	nan_policy<R, PAIR, MAPPED> p;

	p.x = (const R *)job->elements->x;
	p.y = (const R *)job->elements->y;
	p.infinity = (typename nan_policy<R, PAIR, MAPPED>::key)infinity_bits(job->elements->dtype);
	p.end.first_alone = first_alone;
	return p;
}

template <class R, bool PAIR>
static cudaError_t fold_nans(const struct free_job *job, bool first_alone)
{
	const struct c_order order = c_order_of(job->map);

	if (order.ndim == 0)
		return free_fold(job, policy_of<R, PAIR, false>(job, first_alone));

	auto p = policy_of<R, PAIR, true>(job, first_alone);

	p.order = order;
	return fold_alone(job->launch, p, job->lines, job->values);
}

static cudaError_t find_nans(const struct free_job *job, bool first_alone)
{
	const enum dtype dtype = job->elements->dtype;

	if (!is_float_type(dtype)) {
		const uint64_t lines = job->lines != nullptr ? job->lines->lines : job->grid->lines;
		nan_ending none;

		none.first_alone = first_alone;
		if (lines > 0)
			begin_values<<<job->launch->multiprocessors * 8, FREE_THREADS, 0,
				       job->launch->stream>>>(none, lines, job->values);
		return cudaGetLastError();
	}
	return with_storage(dtype, [&](auto storage) -> cudaError_t {
		using R = decltype(storage);

		if constexpr (sizeof(R) == 1)
			return cudaErrorInvalidValue; /* no float has one byte */
		else if (job->elements->y != nullptr)
			return fold_nans<R, true>(job, first_alone);
		else
			return fold_nans<R, false>(job, first_alone);
	});
}

cudaError_t nan_lines(const struct launch *launch, const struct elements *elements,
		      const struct lines *lines, struct nan_found *found)
{
	const struct free_job job = {launch, elements, lines, nullptr, nullptr, found};

	return find_nans(&job, false);
}

cudaError_t nan_grid(const struct launch *launch, const struct elements *elements,
		     const struct grid *grid, struct nan_found *found)
{
	const struct free_job job = {launch, elements, nullptr, grid, nullptr, found};

	return find_nans(&job, false);
}

cudaError_t nan_first(const struct launch *launch, const struct elements *elements, uint64_t count,
		      const struct index_map *map, uint64_t *first)
{
	const struct lines line = {1, count, nullptr, count};
	const struct free_job job = {launch, elements, &line, nullptr, map, first};

	return find_nans(&job, true);
}
