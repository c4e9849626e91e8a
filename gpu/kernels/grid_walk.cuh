/* grid_walk.cuh - where the elements of a line of any layout stand (struct grid):
 * a mixed-radix counter over the reduced dimensions. */
#ifndef GPU_KERNELS_GRID_WALK_CUH
#define GPU_KERNELS_GRID_WALK_CUH

#include "gpu/kernels/launch.h"

/* Merged dimensions alternate: at most half of them are of one kind, and one. */
#define GRID_DIMS (ARRAY_MAX_NDIM / 2 + 1)

struct grid_axis {
	uint64_t length, stride; /* elements */
};

struct grid_shape {
	uint64_t lines, length;
	unsigned kept_count, reduced_count;
	struct grid_axis kept[GRID_DIMS], reduced[GRID_DIMS]; /* innermost first */
};

static inline struct grid_shape grid_shape_of(const struct grid *grid)
{
	struct grid_shape out = {};
	uint64_t stride = 1;

	out.lines = grid->lines;
	out.length = grid->length;
	for (unsigned i = grid->ndim; i-- > 0; stride *= grid->dim[i].length) {
		struct grid_axis axis = {grid->dim[i].length, stride};

		if (grid->dim[i].reduced)
			out.reduced[out.reduced_count++] = axis;
		else
			out.kept[out.kept_count++] = axis;
	}
	return out;
}

class grid_walk
{
      public:
	/* At element `first` of a line; first is less than the line's length, or
	 * the walk must not be used. */
	__device__ grid_walk(const struct grid_shape &shape, uint64_t line, uint64_t first)
	{
		for (unsigned i = 0; i < shape.kept_count; i++) {
			position_ += line % shape.kept[i].length * shape.kept[i].stride;
			line /= shape.kept[i].length;
		}
		if (shape.length == 0)
			return;
		for (unsigned i = 0; i < shape.reduced_count; i++) {
			uint64_t digit = first % shape.reduced[i].length;

			if (i == 0)
				digit_ = digit;
			position_ += digit * shape.reduced[i].stride;
			first /= shape.reduced[i].length;
		}
	}

	/* Stored position of the element. */
	__device__ uint64_t position() const
	{
		return position_;
	}

	/* Carries out of the innermost reduced dimension are seldom, and their
	 * digits are found again from the position. */
	__device__ void next(const struct grid_shape &shape)
	{
		position_ += shape.reduced[0].stride;
		if (++digit_ < shape.reduced[0].length)
			return;
		digit_ = 0;
		position_ -= shape.reduced[0].length * shape.reduced[0].stride;
		for (unsigned i = 1; i < shape.reduced_count; i++) {
			const struct grid_axis axis = shape.reduced[i];
			const uint64_t digit = position_ / axis.stride % axis.length;

			position_ += axis.stride;
			if (digit + 1 < axis.length)
				return;
			position_ -= axis.length * axis.stride;
		}
	}

      private:
	uint64_t position_ = 0, digit_ = 0;
};

#endif
