#!/bin/sh
# Fails when a flag that changes the bits of floating point results reached a
# compilation: in the flags make passes on (FOLDD_COMPILE, FOLDD_NVCC, set by
# the Makefile) and, where the objects tell, in what they were compiled with.
# m4/foldd_arithmetic.m4 has the same list for configure.
set -u
status=0
checked=0

forbidden='^(-Ofast|-ffast-math|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math|-ffinite-math-only|-fno-signed-zeros|-fapprox-func|-fno-honor-nans|-fno-honor-infinities|-fsingle-precision-constant|-ffp-contract=(on|fast|fast-honor-pragmas)|-ffp-model=.*|-fexcess-precision=fast|-fdenormal-fp-math.*|-mdaz-ftz|-mfpmath=.*387.*|-mrecip(=.*)?|-?-use_fast_math|-?-fmad=true|-?-ftz=true|-?-prec-div=false|-?-prec-sqrt=false)$'

# check WHAT FLAGS: FLAGS hold nothing forbidden.
check() {
	bad=$(printf '%s\n' "$2" | tr ' \t' '\n\n' | grep -E "$forbidden")
	if test -n "$bad"; then
		echo "$1 was given $bad" >&2
		status=1
	fi
	checked=$((checked + 1))
}

# require WHAT FLAGS FLAG
require() {
	case " $2 " in
	*" $3 "*) ;;
	*) echo "$1 lacks $3: $2" >&2; status=1 ;;
	esac
}

if test -z "${FOLDD_COMPILE:-}" || test -z "${FOLDD_CXXCOMPILE:-}"; then
	echo "FOLDD_COMPILE and FOLDD_CXXCOMPILE are not set: run by make check" >&2
	exit 99
fi
check "the C compiler" "$FOLDD_COMPILE"
require "the C compiler" "$FOLDD_COMPILE" -ffp-contract=off
check "the C++ compiler" "$FOLDD_CXXCOMPILE"
require "the C++ compiler" "$FOLDD_CXXCOMPILE" -ffp-contract=off
if test -n "${FOLDD_NVCC:-}"; then
	check nvcc "$FOLDD_NVCC"
	for flag in --fmad=false -ftz=false -prec-div=true -prec-sqrt=true; do
		require nvcc "$FOLDD_NVCC" "$flag"
	done
fi

# gcc writes its floating point flags into debugging information.
if command -v readelf >/dev/null 2>&1; then
	for archive in libfold.a libfoldd.a; do
		test -f "$archive" || { echo "no $archive here" >&2; exit 99; }
		producers=$(readelf --debug-dump=info --dwarf-depth=1 "$archive" 2>/dev/null |
			sed -n 's/.*DW_AT_producer *: *([^)]*): //p' | grep '^GNU C' | sort -u)
		test -n "$producers" || continue
		check "$archive" "$producers"
		printf '%s\n' "$producers" | grep -v -e '-ffp-contract=off' | while read -r line; do
			echo "an object of $archive was compiled without -ffp-contract=off: $line"
		done >check_flags.tmp
		if test -s check_flags.tmp; then
			cat check_flags.tmp >&2
			status=1
		fi
		rm -f check_flags.tmp
	done
fi
echo "$checked sets of flags checked"
exit $status
