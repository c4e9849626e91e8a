/* fake_cuda.h - what a test may do to the fake device. */
#ifndef TESTS_UNIT_GPU_FAKE_CUDA_H
#define TESTS_UNIT_GPU_FAKE_CUDA_H

#include <stdbool.h>
#include <stdint.h>

/* The pool refuses to hold more than so many bytes; UINT64_MAX: any number. */
void fake_limit_pool(uint64_t bytes);
uint64_t fake_pool_trims(void); /* how often it was asked to give memory back */
uint64_t fake_pool_bytes(void); /* that it holds */

/* From now on every call fails as after an illegal access, or works again. */
void fake_break(bool broken);

/* No device, or one that does not compute. */
void fake_devices(unsigned count, bool computes);

#endif
