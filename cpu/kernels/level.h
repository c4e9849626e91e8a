/* level.h - each file of this folder is compiled once for each instruction set,
 * with KERNELS_LEVEL its name: what has external linkage takes that name too. */
#ifndef CPU_KERNELS_LEVEL_H
#define CPU_KERNELS_LEVEL_H

#ifndef KERNELS_LEVEL
#error "cpu/kernels is compiled with -DKERNELS_LEVEL=NAME"
#endif

#define LEVEL_JOIN(name, level) name##_##level
#define LEVEL_EXPAND(name, level) LEVEL_JOIN(name, level)
#define LEVEL(name) LEVEL_EXPAND(name, KERNELS_LEVEL)

#endif
