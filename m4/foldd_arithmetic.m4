# FOLDD_ARITHMETIC
# ----------------
# Numeric promises are about bits, so flags that let a compiler change them are
# refused wherever they come from. Sets NUMERIC_CFLAGS, which go to every
# compilation, and NUMERIC_NVCCFLAGS. tests/unit/build/check_flags.sh has the
# same list for flags given to make.
AC_DEFUN([FOLDD_ARITHMETIC], [
AC_MSG_CHECKING([that no flag weakens floating point])
foldd_bad_flag=
for foldd_flag in $CC $CXX $CPPFLAGS $CFLAGS $CXXFLAGS $LDFLAGS $NVCC $NVCCFLAGS; do
	AS_CASE([$foldd_flag],
		[-ffp-contract=off], [],
		[-Ofast|-ffast-math|-funsafe-math-optimizations|-fassociative-math], [foldd_bad_flag=$foldd_flag],
		[-freciprocal-math|-ffinite-math-only|-fno-signed-zeros|-fapprox-func], [foldd_bad_flag=$foldd_flag],
		[-fno-honor-nans|-fno-honor-infinities|-fsingle-precision-constant], [foldd_bad_flag=$foldd_flag],
		[-ffp-contract=*|-ffp-model=*|-fexcess-precision=fast|-fdenormal-fp-math*], [foldd_bad_flag=$foldd_flag],
		[-mdaz-ftz|-mfpmath=*387*|-mrecip|-mrecip=*], [foldd_bad_flag=$foldd_flag],
		[*use_fast_math*|*fmad=true*|*ftz=true*|*prec-div=false*|*prec-sqrt=false*], [foldd_bad_flag=$foldd_flag])
done
AS_IF([test -n "$foldd_bad_flag"], [
	AC_MSG_RESULT([no])
	AC_MSG_ERROR([$foldd_bad_flag changes the bits of results, which foldd promises; remove it from the compiler's flags])])
AC_MSG_RESULT([yes])

AC_MSG_CHECKING([for the flag that forbids contraction])
foldd_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -ffp-contract=off -Werror"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [], [
	AC_MSG_RESULT([none])
	AC_MSG_ERROR([the C compiler does not know -ffp-contract=off])])
CFLAGS=$foldd_save_CFLAGS
AC_MSG_RESULT([-ffp-contract=off])
NUMERIC_CFLAGS=-ffp-contract=off
NUMERIC_NVCCFLAGS="--fmad=false -ftz=false -prec-div=true -prec-sqrt=true"
AC_SUBST([NUMERIC_CFLAGS])
AC_SUBST([NUMERIC_NVCCFLAGS])
])

# FOLDD_CHARCONV
# --------------
# Number arrays are read and written by <charconv>. libstdc++ 11 reads doubles by
# strtod(), which may lack memory, and takes subnormal ones for 0: 12 or newer.
# The link stays with the C compiler, so CXX_LIBS names the C++ library.
AC_DEFUN([FOLDD_CHARCONV], [
AC_MSG_CHECKING([for <charconv> with double])
foldd_save_CXXFLAGS=$CXXFLAGS
CXXFLAGS="$CXXFLAGS -std=c++17"
AC_LANG_PUSH([C++])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <charconv>
#if !defined(_GLIBCXX_RELEASE) || _GLIBCXX_RELEASE < 12
#error "too old"
#endif
]], [[
char text[32] = "0.1";
double x = 0;
std::from_chars(text, text + 3, x);
return std::to_chars(text, text + sizeof(text), x).ptr == text;
]])], [], [
	AC_MSG_RESULT([no])
	AC_MSG_ERROR([the C++ library does not read doubles well by std::from_chars; use g++ 12 or newer])])
AC_LANG_POP([C++])
CXXFLAGS=$foldd_save_CXXFLAGS
AC_MSG_RESULT([yes])
CXX_LIBS=-lstdc++
AC_SUBST([CXX_LIBS])
])
