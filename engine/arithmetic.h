/* arithmetic.h - the floating point environment every numeric promise rests on. */
#ifndef ENGINE_ARITHMETIC_H
#define ENGINE_ARITHMETIC_H

#include <stdbool.h>

/*
 * Sets the calling thread to round to nearest even and to keep subnormals
 * (no flush to zero, no denormals are zero). A new thread inherits whatever
 * its creator or a library's constructor left behind, so each thread that
 * does arithmetic calls this first.
 */
void arithmetic_init_thread(void);

/*
 * Whether arithmetic on this thread, as this library was compiled, is IEEE 754
 * binary32 and binary64: nothing contracted, reassociated, flushed or kept in
 * wider registers. foldd refuses to start when it is not.
 */
bool arithmetic_is_ieee(void);

#endif
