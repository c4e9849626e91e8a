/* scan_turn.cu - columns become lines and lines columns, by way of shared memory. */
#include "config.h"

#include "gpu/kernels/scan_kinds.h"

constexpr unsigned TURN_SIDE = 32, TURN_ROWS = 8;
constexpr uint64_t TURN_GRID = 1u << 30;

template <class T>
__global__ void __launch_bounds__(TURN_SIDE *TURN_ROWS)
	turn(const T *from, uint64_t outer, uint64_t rows, uint64_t columns, T *to)
{
	__shared__ T part[TURN_SIDE][TURN_SIDE + 1];
	const uint64_t across = (columns + TURN_SIDE - 1) / TURN_SIDE;
	const uint64_t down = (rows + TURN_SIDE - 1) / TURN_SIDE;

	for (uint64_t block = blockIdx.x; block < outer * down * across; block += gridDim.x) {
		const uint64_t column = block % across * TURN_SIDE;
		const uint64_t row = block / across % down * TURN_SIDE;
		const uint64_t base = block / across / down * rows * columns;

		for (unsigned y = threadIdx.y; y < TURN_SIDE; y += TURN_ROWS)
			if (row + y < rows && column + threadIdx.x < columns)
				part[y][threadIdx.x] =
					from[base + (row + y) * columns + column + threadIdx.x];
		__syncthreads();
		for (unsigned y = threadIdx.y; y < TURN_SIDE; y += TURN_ROWS)
			if (column + y < columns && row + threadIdx.x < rows)
				to[base + (column + y) * rows + row + threadIdx.x] =
					part[threadIdx.x][y];
		__syncthreads();
	}
}

template <class T>
static cudaError_t turn_of(const struct launch *launch, const void *from,
			   const struct columns *columns, void *to)
{
	const uint64_t blocks = columns->outer * ((columns->length + TURN_SIDE - 1) / TURN_SIDE) *
				((columns->inner + TURN_SIDE - 1) / TURN_SIDE);

	turn<T><<<(unsigned)(blocks < TURN_GRID ? blocks : TURN_GRID), dim3(TURN_SIDE, TURN_ROWS),
		  0, launch->stream>>>((const T *)from, columns->outer, columns->length,
				       columns->inner, (T *)to);
	return cudaGetLastError();
}

cudaError_t scan_turn(const struct launch *launch, const void *from, const struct columns *columns,
		      size_t size, void *to)
{
	switch (size) {
	case 1:
		return turn_of<uint8_t>(launch, from, columns, to);
	case 2:
		return turn_of<uint16_t>(launch, from, columns, to);
	case 4:
		return turn_of<uint32_t>(launch, from, columns, to);
	default:
		return turn_of<uint64_t>(launch, from, columns, to);
	}
}
