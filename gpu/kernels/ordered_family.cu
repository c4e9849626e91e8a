/* ordered_family.cu - sum, abs, square, scaled squares, moments, minimum and
 * maximum of one long line from one reading (launch.h). Every value has the bits
 * that its own kernel gives it. */
#include "config.h"

#include "gpu/kernels/launch.h"
#include "gpu/kernels/ordered_family_tiles.cuh"

/* One level's values of everything in the mask, for tiles tiles; *at moves on. */
static struct family_values level_at(unsigned mask, uint64_t tiles, char **at)
{
	struct family_values level = {};
	const auto take = [=](enum accum accum, auto **out) {
		if ((mask >> accum & 1) == 0)
			return;
		*out = (std::remove_reference_t<decltype(**out)> *)*at;
		*at += (tiles * sizeof(**out) + 255) / 256 * 256;
	};

	take(ACCUM_SUM, &level.sum);
	take(ACCUM_ABS, &level.abs);
	take(ACCUM_SQUARE, &level.square);
	take(ACCUM_SCALED, &level.scaled);
	take(ACCUM_MOMENTS, &level.moments);
	take(ACCUM_MIN, &level.min);
	take(ACCUM_MAX, &level.max);
	return level;
}

static uint64_t tiles_of(uint64_t count)
{
	return count == 0 ? 1 : (count + ORDER_TILE - 1) / ORDER_TILE;
}

size_t ordered_family_scratch(unsigned mask, uint64_t count)
{
	char *at = nullptr;
	uint64_t tiles = tiles_of(count);

	for (;;) {
		(void)level_at(mask, tiles, &at);
		if (tiles == 1)
			return (size_t)at;
		tiles = tiles_of(tiles);
	}
}

template <enum dtype D>
static void launch_tiles(const struct launch *launch, const struct elements *elements,
			 uint64_t count, const struct family_values &out)
{
	const typed_reader<D> line = {(const typename stored<D>::type *)elements->x};

	family_tiles<<<(unsigned)tiles_of(count), ORDER_LANES, 0, launch->stream>>>(
		line, count, elements->omit, out);
}

cudaError_t ordered_family(const struct launch *launch, unsigned mask,
			   const struct elements *elements, uint64_t count,
			   struct ordered_family_values *values)
{
	const struct family_results last = {{&values->sum, &values->abs, &values->square,
					     &values->scaled, &values->moments, nullptr, nullptr},
					    &values->min,
					    &values->max};
	char *at = (char *)launch->scratch;
	uint64_t tiles = tiles_of(count);
	struct family_values level = level_at(mask, tiles, &at);
	cudaError_t code;

	if ((mask & ~ORDERED_FAMILY) != 0)
		return cudaErrorInvalidValue;
	switch (elements->dtype) {
	case DTYPE_FLOAT16:
		launch_tiles<DTYPE_FLOAT16>(launch, elements, count, level);
		break;
	case DTYPE_BFLOAT16:
		launch_tiles<DTYPE_BFLOAT16>(launch, elements, count, level);
		break;
	case DTYPE_FLOAT32:
		launch_tiles<DTYPE_FLOAT32>(launch, elements, count, level);
		break;
	case DTYPE_FLOAT64:
		launch_tiles<DTYPE_FLOAT64>(launch, elements, count, level);
		break;
	default:
		return cudaErrorInvalidValue;
	}
	code = cudaGetLastError();
	while (code == cudaSuccess) {
		const uint64_t groups = tiles_of(tiles);
		const struct family_values next =
			groups > 1 ? level_at(mask, groups, &at) : family_values{};

		code = fold_family(launch->stream, level, tiles, next, groups > 1 ? nullptr : &last,
				   elements->x, elements->dtype, count);
		if (groups == 1)
			break;
		level = next;
		tiles = groups;
	}
	return code;
}
