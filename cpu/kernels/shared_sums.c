#include "config.h"
#include "cpu/kernels/shared_sums.h"

#include "cpu/kernels/lanes.h"

LANES_INLINE void term_element(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	(void)y;
	(void)common;
	terms[0] = x;
}

LANES_INLINE void term_element_and_square(vf64 *terms, vf64 x, vf64 y, struct lanes_common common)
{
	(void)y;
	(void)common;
	terms[0] = x;
	terms[1] = x * x;
}

LANES_INLINE void fill(struct tile_shared *shared, const struct tile *tile, bool narrow, bool omit)
{
	struct lanes lanes = lanes_of_tile(tile, narrow, omit, 2, -0.0);
	double sums[2];

	lanes.first_aside = true;
	if (shared->squares) {
		lanes_reduce(sums, &lanes, term_element_and_square, lanes_add);
		shared->square = sums[1];
	} else {
		lanes.kinds = 1;
		lanes_reduce(sums, &lanes, term_element, lanes_add);
	}
	shared->sum = sums[0];
	shared->known = true;
}

const struct tile_shared *shared_sums(const struct tile *tile, bool narrow, bool omit)
{
	struct tile_shared *shared = tile->shared;

	if (shared->known)
		return shared;
	if (narrow && omit)
		fill(shared, tile, true, true);
	else if (narrow)
		fill(shared, tile, true, false);
	else if (omit)
		fill(shared, tile, false, true);
	else
		fill(shared, tile, false, false);
	return shared;
}
