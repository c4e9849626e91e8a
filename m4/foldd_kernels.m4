# FOLDD_KERNELS
# -------------
# The CPU's kernels are compiled once for each instruction set and chosen when
# the program starts. Sets KERNEL_CFLAGS, for all of them, and for x86-64
# X86_64_V2_CFLAGS, AVX2_CFLAGS, AVX512_CFLAGS; HAVE_X86_KERNELS.
AC_DEFUN([FOLDD_KERNELS], [
KERNEL_CFLAGS=-ftree-vectorize
foldd_save_CFLAGS=$CFLAGS
AC_MSG_CHECKING([whether $CC takes -fvect-cost-model=dynamic])
CFLAGS="$foldd_save_CFLAGS -Werror -fvect-cost-model=dynamic"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [
	AC_MSG_RESULT([yes])
	KERNEL_CFLAGS="$KERNEL_CFLAGS -fvect-cost-model=dynamic"],
	[AC_MSG_RESULT([no])])

# cpu/simd.c tests for the same features.
X86_64_V2_CFLAGS="-msse4.2 -mpopcnt"
AVX2_CFLAGS="-mavx2 -mfma -mbmi -mbmi2 -mf16c"
AVX512_CFLAGS="$AVX2_CFLAGS -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl -mprefer-vector-width=512"
AC_MSG_CHECKING([for kernels of x86-64])
CFLAGS="$foldd_save_CFLAGS -Werror $AVX512_CFLAGS"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#ifndef __x86_64__
#error "another machine"
#endif
#include <immintrin.h>
]], [])], [foldd_x86_kernels=yes], [foldd_x86_kernels=no])
AC_MSG_RESULT([$foldd_x86_kernels])
CFLAGS=$foldd_save_CFLAGS
AS_IF([test "$foldd_x86_kernels" = yes],
	[AC_DEFINE([HAVE_X86_KERNELS], [1], [Kernels for SSE4.2, AVX2 and AVX-512 are built])])
AM_CONDITIONAL([HAVE_X86_KERNELS], [test "$foldd_x86_kernels" = yes])
AC_SUBST([KERNEL_CFLAGS])
AC_SUBST([X86_64_V2_CFLAGS])
AC_SUBST([AVX2_CFLAGS])
AC_SUBST([AVX512_CFLAGS])
])
