/* layout.h - an array seen as lines to reduce or scan.
 *
 * In stored order (outermost first), axes of length 1 are dropped and
 * neighbours of one kind are merged, so that kept and reduced dimensions
 * alternate. A line is the elements that share their kept index, in stored
 * order. Its elements are adjacent when only the innermost dimension is
 * reduced: then it follows the canonical order, else the strided one. */
#ifndef ENGINE_LAYOUT_H
#define ENGINE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/array.h"
#include "engine/job.h"

struct layout_dim {
	uint64_t length;
	bool reduced;
};

struct layout {
	bool scalar;    /* one line, and its result has no axis */
	bool segmented; /* lines are the segments of the flat array */
	bool adjacent;
	bool buffered; /* stored order is not C order, and the job
			* wants C order: elements are gathered first */

	uint64_t lines;       /* results of each operation; may be 0 */
	uint64_t line_length; /* elements; ARRAY_UNKNOWN; not for segments */
	uint64_t live_lines;  /* lines open at one time */

	unsigned ndim; /* merged dimensions, alternating */
	struct layout_dim dim[ARRAY_MAX_NDIM];

	unsigned out_ndim; /* shape of the results, keepdims obeyed; of a
			    * scan the input's */
	uint64_t out_shape[ARRAY_MAX_NDIM];
	bool out_fortran; /* results come in Fortran order */
};

enum status layout_make(struct layout *out, const struct job *job, const struct array_desc *desc,
			struct error *err);

/* Stored position of a Fortran-order array to its C-order index. */
uint64_t layout_c_index(const struct array_desc *desc, uint64_t position);

#endif
