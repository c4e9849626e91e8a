# FOLDD_CUDA
# ----------
# --with-cuda=auto|no|PATH and --with-cuda-arch=native|all-major|80,90,...
# Proves nvcc by compiling a small CUB program and linking it with the C
# compiler, as the daemon is linked. What auto guesses may fail, and is then
# left out with the reason; what was asked for by PATH must work.
# Sets NVCC, NVCC_CCBIN, CUDA_ARCH_FLAGS, CUDA_CFLAGS, CUDA_LIBS, the condition HAVE_CUDA,
# foldd_cuda (yes or no) and foldd_cuda_summary.
AC_DEFUN([FOLDD_CUDA], [
AC_ARG_WITH([cuda],
	[AS_HELP_STRING([--with-cuda=auto|no|PATH],
		[the CUDA backend: when nvcc is found (auto), not at all, or with the toolkit under PATH and no other @<:@auto@:>@])],
	[], [with_cuda=auto])
AC_ARG_WITH([cuda-arch],
	[AS_HELP_STRING([--with-cuda-arch=LIST],
		[native, all-major, or compute capabilities such as 80,90 @<:@all-major@:>@])],
	[], [with_cuda_arch=all-major])
AC_ARG_VAR([NVCC], [CUDA compiler command])
AC_ARG_VAR([NVCCFLAGS], [CUDA compiler flags])
AC_REQUIRE([AC_PROG_SED])

foldd_cuda=no
foldd_cuda_why=
CUDA_ARCH_FLAGS=
CUDA_CFLAGS=
CUDA_LIBS=
NVCC_CCBIN=
AS_CASE([$with_cuda],
	[no], [foldd_cuda_why="--with-cuda=no"],
	[auto], [FOLDD_CUDA_FIND_AUTO],
	[yes|''], [AC_MSG_ERROR([--with-cuda wants auto, no or the path of a toolkit])],
	[FOLDD_CUDA_FIND_PATH])
AS_IF([test "$with_cuda" != no && test -z "$foldd_cuda_why"], [
	FOLDD_CUDA_ARCH
	FOLDD_CUDA_CCBIN
	FOLDD_CUDA_LOCATE
	FOLDD_CUDA_PROVE])

AS_IF([test "$foldd_cuda" = yes],
	[foldd_cuda_summary="yes, $NVCC, $with_cuda_arch"
	 AC_DEFINE([HAVE_CUDA], [1], [Define to 1 when the CUDA backend is built.])],
	[foldd_cuda_summary="no ($foldd_cuda_why)"
	 AS_CASE([$with_cuda],
		[no], [],
		[auto], [AC_MSG_NOTICE([no CUDA backend: $foldd_cuda_why])],
		[AC_MSG_ERROR([--with-cuda=$with_cuda: $foldd_cuda_why])])])
AM_CONDITIONAL([HAVE_CUDA], [test "$foldd_cuda" = yes])
AC_SUBST([CUDA_ARCH_FLAGS])
AC_SUBST([CUDA_CFLAGS])
AC_SUBST([CUDA_LIBS])
AC_SUBST([NVCC_CCBIN])
])

# auto: NVCC as given, else the PATH, else the toolkit's usual place.
AC_DEFUN([FOLDD_CUDA_FIND_AUTO], [
AC_PATH_PROG([NVCC], [nvcc], [], [$PATH$PATH_SEPARATOR/usr/local/cuda/bin])
AS_IF([test -z "$NVCC"], [foldd_cuda_why="no nvcc found"])
])

# PATH alone: a toolkit's root or its bin; never the nvcc of $PATH.
AC_DEFUN([FOLDD_CUDA_FIND_PATH], [
AS_IF([test -n "$NVCC"], [AC_MSG_ERROR([give NVCC or --with-cuda=PATH, not both])])
AC_MSG_CHECKING([for nvcc under $with_cuda])
AS_IF([test -f "$with_cuda/bin/nvcc" && test -x "$with_cuda/bin/nvcc"], [NVCC=$with_cuda/bin/nvcc],
	[test -f "$with_cuda/nvcc" && test -x "$with_cuda/nvcc"], [NVCC=$with_cuda/nvcc],
	[foldd_cuda_why="no executable bin/nvcc there"])
AC_MSG_RESULT([${NVCC:-no}])
])

# nvcc knows the names; single capabilities get machine code each, and PTX of
# the last for devices that come later.
AC_DEFUN([FOLDD_CUDA_ARCH], [
AS_CASE([$with_cuda_arch],
	[native|all-major], [CUDA_ARCH_FLAGS="-arch=$with_cuda_arch"],
	[foldd_arch_last=
	 for foldd_arch in `AS_ECHO(["$with_cuda_arch"]) | tr ',' ' '`; do
		AS_IF([AS_ECHO(["$foldd_arch"]) | grep '^@<:@1-9@:>@@<:@0-9@:>@@<:@0-9@:>@*@<:@af@:>@\{0,1\}$' >/dev/null], [],
			[AC_MSG_ERROR([--with-cuda-arch=$with_cuda_arch: "$foldd_arch" is no compute capability; use native, all-major or a list such as 80,90])])
		CUDA_ARCH_FLAGS="$CUDA_ARCH_FLAGS -gencode arch=compute_$foldd_arch,code=sm_$foldd_arch"
		foldd_arch_last=$foldd_arch
	 done
	 AS_IF([test -z "$foldd_arch_last"], [AC_MSG_ERROR([--with-cuda-arch is empty])])
	 CUDA_ARCH_FLAGS="$CUDA_ARCH_FLAGS -gencode arch=compute_$foldd_arch_last,code=compute_$foldd_arch_last"])
])

# The host compiler nvcc drives: CXX without flags, seen through ccache.
AC_DEFUN([FOLDD_CUDA_CCBIN], [
set dummy $CXX
shift
AS_CASE([$[1]], [ccache|*/ccache|distcc|*/distcc], [shift])
NVCC_CCBIN=$[1]
])

# Where the toolkit's headers and libraries are: nvcc says it itself (it may be a
# wrapper script far from the toolkit). The stubs folder is for the driver library,
# which foldd does not link. The C sources of gpu/ see the headers as a system's:
# warnings are for our own code.
AC_DEFUN([FOLDD_CUDA_LOCATE], [
AC_MSG_CHECKING([for the CUDA libraries])
AS_ECHO(["int main(void) { return 0; }"]) >conftest.cu
foldd_cuda_includes=`"$NVCC" -dryrun conftest.cu 2>&1 | $SED -n 's/^#\$ INCLUDES=//p' | tr '" ' '\n\n' | $SED -n 's/^-I//p'`
foldd_cuda_dirs=`"$NVCC" -dryrun conftest.cu 2>&1 | $SED -n 's/^#\$ LIBRARIES=//p' | tr '"' '\n' | $SED -n 's/^-L//p' | grep -v '/stubs$'`
rm -f conftest.cu
for foldd_dir in $foldd_cuda_includes; do
	AS_IF([test -f "$foldd_dir/cuda_runtime.h"],
		[foldd_dir=`cd "$foldd_dir" && pwd -P` && CUDA_CFLAGS="-isystem $foldd_dir"])
done
for foldd_dir in $foldd_cuda_dirs; do
	AS_IF([test -f "$foldd_dir/libcudart_static.a"],
		[foldd_dir=`cd "$foldd_dir" && pwd -P` && CUDA_LIBS="-L$foldd_dir -lcudart_static -ldl -lrt -lpthread -lstdc++"])
done
AS_IF([test -n "$CUDA_LIBS" && test -n "$CUDA_CFLAGS"], [AC_MSG_RESULT([$foldd_dir])], [
	AC_MSG_RESULT([no])
	foldd_cuda_why="'$NVCC -dryrun' names no folders with cuda_runtime.h and libcudart_static.a"])
])

# CUDA 12.0: the oldest whose CUB and C++17 headers foldd is written for.
AC_DEFUN([FOLDD_CUDA_PROVE], [
AS_IF([test -z "$foldd_cuda_why"], [
AC_MSG_CHECKING([whether $NVCC compiles and links a CUB program])
cat >conftest.cu <<'_ACEOF'
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>
#if CUDART_VERSION < 12000
#error "foldd needs CUDA 12.0 or newer"
#endif
__global__ void total(const float *in, float *out)
{
	using reduce = cub::BlockReduce<float, 128>;
	__shared__ typename reduce::TempStorage storage;
	float sum = reduce(storage).Sum(in@<:@threadIdx.x@:>@);
	if (threadIdx.x == 0)
		*out = sum;
}
extern "C" int launch(const float *in, float *out)
{
	total<<<1, 128>>>(in, out);
	return cudaGetLastError() == cudaSuccess;
}
_ACEOF
cat >conftest_main.c <<'_ACEOF'
int launch(const float *in, float *out);
int main(void) { return launch(0, 0); }
_ACEOF
AS_IF([AS_ECHO(["$NVCC -ccbin $NVCC_CCBIN -std=c++17 $NUMERIC_NVCCFLAGS $CUDA_ARCH_FLAGS $NVCCFLAGS -c conftest.cu"]) >&AS_MESSAGE_LOG_FD
		"$NVCC" -ccbin "$NVCC_CCBIN" -std=c++17 $NUMERIC_NVCCFLAGS $CUDA_ARCH_FLAGS $NVCCFLAGS -c -o conftest_cuda.o conftest.cu >conftest.err 2>&1],
	[AS_IF([$CC $CFLAGS $LDFLAGS -o conftest$EXEEXT conftest_main.c conftest_cuda.o $CUDA_LIBS >conftest.err 2>&1],
		[foldd_cuda=yes],
		[foldd_cuda_why="a CUB program compiles but does not link"])],
	[foldd_cuda_why="$NVCC does not compile a CUB program"])
cat conftest.err >&AS_MESSAGE_LOG_FD
AS_IF([test "$foldd_cuda" = no],
	[foldd_cuda_why="$foldd_cuda_why: `grep -i -E 'error|fatal' conftest.err | head -n 1`"])
rm -f conftest.cu conftest_main.c conftest_cuda.o conftest.err conftest$EXEEXT
AC_MSG_RESULT([$foldd_cuda])
])
])
