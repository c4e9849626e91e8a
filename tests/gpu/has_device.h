/* has_device.h - what a test program does where there is no CUDA device. */
#ifndef TESTS_GPU_HAS_DEVICE_H
#define TESTS_GPU_HAS_DEVICE_H

#include <stdbool.h>
#include "engine/engine.h"

/* Says why each device that is absent is. */
bool has_device(const struct engine *engine);

/* The exit status without one: skipped, or failed where FOLDD_REQUIRE_GPU is set. */
int no_device(void);

#endif
