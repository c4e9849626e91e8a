# FOLDD_FUZZING
# -------------
# Every build replays the fuzz targets over their corpus as plain tests;
# --enable-fuzzing builds them a second time with libFuzzer, which only clang
# has.
AC_DEFUN([FOLDD_FUZZING], [
AS_CASE([$enable_fuzzing],
	[no], [fuzzing_summary="replayed only"],
	[yes], [
		AC_MSG_CHECKING([for libFuzzer])
		foldd_save_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS -fsanitize=fuzzer"
		AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return data == NULL && size > 0;
}
]])], [], [
			AC_MSG_RESULT([no])
			AC_MSG_ERROR([--enable-fuzzing needs a compiler with -fsanitize=fuzzer, such as CC=clang])])
		CFLAGS=$foldd_save_CFLAGS
		AC_MSG_RESULT([yes])
		fuzzing_summary="libFuzzer"],
	[AC_MSG_ERROR([--enable-fuzzing is yes or no])])
AM_CONDITIONAL([HAVE_LIBFUZZER], [test "$enable_fuzzing" = yes])
])
