/* resident_source.h - a resident array, or a slice of its first axis, as the
 * source of a job. */
#ifndef ENGINE_RESIDENT_SOURCE_H
#define ENGINE_RESIDENT_SOURCE_H

#include "engine/resident.h"

/* Keeps the array until it is closed. slice: NULL, the whole; else the first
 * index and the one after the last, in order and no more than the first axis is
 * long. A slice of an array in Fortran order does not lie in one piece: it is
 * gathered as it is read. STATUS_ARRAY_LOST, STATUS_OUT_OF_MEMORY. */
enum status source_from_resident(struct resident *resident, const uint64_t slice[2],
				 struct source **out, struct error *err);

#endif
