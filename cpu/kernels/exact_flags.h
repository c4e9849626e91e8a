/* exact_flags.h - the processor's own word on whether arithmetic lost anything:
 * MXCSR.PE, set by every inexact operation and never cleared by one (Intel SDM
 * volume 1, 11.5.2.6). Reading it once after many additions proves all of them
 * exact, at no cost an element. */
#ifndef CPU_KERNELS_EXACT_FLAGS_H
#define CPU_KERNELS_EXACT_FLAGS_H

#include <stdbool.h>
#include "cpu/kernels/level.h"
#include "cpu/kernels/vector.h"

/* Portable C trusts no flags; neither does code for SSE4.1 or less, which is
 * too old to be worth a path of its own. */
#ifdef __SSE4_2__
#define EXACT_FLAGS 1
#endif

/* Round to nearest, all exceptions masked, no flush to zero, flags clear. */
#define EXACT_MXCSR 0x1f80u
/* Inexact, overflow, invalid. */
#define EXACT_MXCSR_LOST 0x29u

/* Whether inexact operations set the flag and exact ones do not, which tools
 * that interpret the program (Valgrind) do not model. Tried once. */
#define exact_flags_work LEVEL(exact_flags_work)
bool exact_flags_work(void);

#ifdef __SSE2__

/* Not _mm_getcsr(): gcc takes it for a function of memory alone, and two of them
 * for one. */
VECTOR_INLINE unsigned exact_flags_get(void)
{
	unsigned mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
	return mxcsr;
}

VECTOR_INLINE void exact_flags_set(unsigned mxcsr)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}

#endif

/* Around arithmetic whose rounding or flags matter: what the thread had is put
 * back as it was. */
VECTOR_INLINE unsigned exact_flags_begin(void)
{
#ifdef __SSE2__
	unsigned before = exact_flags_get();

	exact_flags_set(EXACT_MXCSR);
	return before;
#else
	return 0;
#endif
}

VECTOR_INLINE void exact_flags_end(unsigned before)
{
#ifdef __SSE2__
	exact_flags_set(before);
#else
	(void)before;
#endif
}

#ifdef EXACT_FLAGS

/* To a compiler, arithmetic and flags are unrelated. The asm statements stay in
 * their order, so what needs a pinned value is computed after the pin, and what
 * a pin needs before it. */
VECTOR_INLINE vf64 exact_flags_pin(vf64 v)
{
#ifdef VECTOR_512
	__asm__ volatile("" : "+v"(v));
#else
	__asm__ volatile("" : "+x"(v));
#endif
	return v;
}

/* Did anything get lost since they were cleared? Clears them. */
VECTOR_INLINE bool exact_flags_lost(void)
{
	if ((exact_flags_get() & EXACT_MXCSR_LOST) == 0)
		return false;
	exact_flags_set(EXACT_MXCSR);
	return true;
}

#endif
#endif
