/* turn.h - a matrix of elements turned; see kernels.h. */
#ifndef CPU_KERNELS_TURN_H
#define CPU_KERNELS_TURN_H

#include <stddef.h>
#include <stdint.h>
#include "cpu/kernels/level.h"

#define kernel_turn LEVEL(kernel_turn)

void kernel_turn(size_t size, void *out, uint64_t out_step, const void *in, uint64_t in_step,
		 uint64_t rows, uint64_t columns);

#endif
