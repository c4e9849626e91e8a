/* exact_value.cuh - exact sums on their way out of a kernel: digits of 32 bits
 * as in struct exactsum, the flags of what came, and one correct rounding.
 *
 * Kernels keep a range of exactsum's digits: FIRST is the exactsum digit that
 * their digit 0 is, COUNT how many there are. */
#ifndef GPU_KERNELS_EXACT_VALUE_CUH
#define GPU_KERNELS_EXACT_VALUE_CUH

#include <cstdint>
#include "engine/accum.h"
#include "engine/dtype.h"

constexpr unsigned EXACT_WARP = 32;
constexpr unsigned EXACT_ALL = 0xffffffffu; /* lanes of a warp */

/* What came, of elements (of products where two arrays are multiplied). */
enum exact_flags : unsigned {
	EXACT_NAN = 1,
	EXACT_POS = 2, /* +inf */
	EXACT_NEG = 4,
	EXACT_OTHER = 8, /* anything but -0 */
	EXACT_SEEN = 16  /* any that was not omitted */
};

/* Flags of a term that is not finite. */
__device__ __forceinline__ unsigned exact_special(double x)
{
	return EXACT_OTHER | (x != x ? EXACT_NAN : x > 0 ? EXACT_POS : EXACT_NEG);
}

/* Flags of any term. */
__device__ __forceinline__ unsigned exact_flags_of(double x)
{
	unsigned high = (unsigned)__double2hiint(x);

	if ((high & 0x7ff00000u) == 0x7ff00000u)
		return exact_special(x);
	return high != 0x80000000u || __double2loint(x) != 0 ? EXACT_OTHER : 0;
}

/* What the flags of elements say of |x| or x * x. */
__device__ __forceinline__ unsigned exact_magnitude_flags(unsigned flags)
{
	unsigned out = flags & (EXACT_NAN | EXACT_SEEN);

	if (flags & (EXACT_POS | EXACT_NEG))
		out |= EXACT_POS;
	return flags & EXACT_SEEN ? out | EXACT_OTHER : out;
}

__device__ __forceinline__ bool exact_is_finite(unsigned flags)
{
	return (flags & (EXACT_NAN | EXACT_POS | EXACT_NEG)) == 0;
}

/* All of *out but the digits; lo > hi: there are none. */
__device__ __forceinline__ void exact_store_head(struct exactsum *out, int lo, int hi,
						 unsigned pending, unsigned flags)
{
	bool none = lo > hi || !exact_is_finite(flags);

	out->pending = none ? 0 : pending;
	out->lo = none ? 0 : (int16_t)lo;
	out->hi = none ? -1 : (int16_t)hi;
	out->nan = flags & EXACT_NAN;
	out->pos_inf = flags & EXACT_POS;
	out->neg_inf = flags & EXACT_NEG;
	out->neg_zero = (flags & EXACT_SEEN) && !(flags & EXACT_OTHER);
	out->other = flags & EXACT_OTHER;
}

/* Adds value * 2^position to digits that other threads add to. A position may be below
 * the first digit where the value is a multiple of so much that it does not touch
 * what is not there. */
__device__ __forceinline__ void exact_post(unsigned long long *digit, __int128 value, int position)
{
	const bool negative = value < 0;
	unsigned __int128 rest = negative ? -(unsigned __int128)value : value;

	digit += position >> 5;
	rest <<= position & 31;
	for (; rest != 0; rest >>= 32, digit++) {
		unsigned long long part = (uint32_t)rest;

		if (part != 0)
			atomicAdd(digit, negative ? 0 - part : part);
	}
}

/* Digits, lowest first, to the float nearest to their sum: carries go up, and the
 * three digits from the highest that matters are kept. Which one that is depends
 * on the sign, known at the end: both answers are carried along. */
class exact_rounder
{
      public:
	/* first: the exactsum digit that comes first. */
	__device__ __forceinline__ explicit exact_rounder(int first)
	    : index_(first), positive_{0, 0, 0, false, first - 1}, negative_{0, 0, 0, false,
									     first - 1}
	{
	}

	__device__ __forceinline__ void push(int64_t digit)
	{
		int64_t sum = digit + carry_;
		uint32_t now = (uint32_t)sum;

		carry_ = sum >> 32;
		if (now != 0)
			positive_ = {now, before_, earlier_, below_, index_};
		if (now != 0xffffffffu)
			negative_ = {now, before_, earlier_, below_, index_};
		below_ |= earlier_ != 0;
		earlier_ = before_;
		before_ = now;
		index_++;
	}

	/* Writes the result as element i of out. */
	__device__ __forceinline__ void store(unsigned flags, enum dtype to, void *out, uint64_t i)
	{
		while (carry_ != 0 && carry_ != -1)
			push(0);
		switch (to) {
		case DTYPE_FLOAT16:
			((uint16_t *)out)[i] = (uint16_t)bits(flags, 11, 15);
			break;
		case DTYPE_BFLOAT16:
			((uint16_t *)out)[i] = (uint16_t)bits(flags, 8, 127);
			break;
		case DTYPE_FLOAT32:
			((uint32_t *)out)[i] = (uint32_t)bits(flags, 24, 127);
			break;
		default:
			((uint64_t *)out)[i] = bits(flags, 53, 1023);
			break;
		}
	}

      private:
	struct leading {
		uint32_t top, middle, low;
		bool more; /* digits below are not all 0 */
		int index; /* of top */

		__device__ __forceinline__ unsigned __int128 all() const
		{
			return (unsigned __int128)top << 64 | (uint64_t)middle << 32 | low;
		}
	};

	/* precision: significant bits, the hidden one too. Errors: none, half to
	 * even; subnormals are rounded as such. */
	__device__ __forceinline__ uint64_t bits(unsigned flags, int precision, int bias) const
	{
		const bool minus = carry_ != 0;
		const int index = minus ? negative_.index : positive_.index;
		const uint64_t infinity = (uint64_t)(2 * bias + 1) << (precision - 1);
		const int width = precision + (bias == 15 ? 5 : bias == 127 ? 8 : 11);
		unsigned __int128 value = minus ? negative_.all() : positive_.all();
		bool more = minus ? negative_.more : positive_.more;

		if ((flags & EXACT_NAN) || (flags & EXACT_POS && flags & EXACT_NEG))
			return infinity | (uint64_t)1 << (precision - 2);
		if (flags & EXACT_POS)
			return infinity;
		if (flags & EXACT_NEG)
			return infinity | (uint64_t)1 << (width - 1);
		if (minus)
			value = (~value & (((unsigned __int128)1 << 96) - 1)) + !more;
		if (value == 0) {
			bool zero = (flags & EXACT_SEEN) && !(flags & EXACT_OTHER);

			return (uint64_t)zero << (width - 1);
		}

		uint64_t high = (uint64_t)(value >> 64);
		int shift = high != 0 ? __clzll((long long)high)
				      : 64 + __clzll((long long)(uint64_t)value);

		value <<= shift;
		more |= (uint64_t)value != 0;
		/* The value is high * 2^(leading - 63), high's top bit set. */
		int leading = 127 - shift + 32 * (index - 2) + EXACTSUM_LOW, keep = precision;

		high = (uint64_t)(value >> 64);
		if (leading > bias)
			return (uint64_t)minus << (width - 1) | infinity;
		if (leading < 1 - bias)
			keep -= 1 - bias - leading;
		if (keep < 0)
			return (uint64_t)minus << (width - 1);

		const int drop = 64 - keep;
		const uint64_t kept = drop < 64 ? high >> drop : 0;
		const uint64_t rest = drop < 64 ? high & (((uint64_t)1 << drop) - 1) : high;
		const uint64_t half = (uint64_t)1 << (drop - 1);
		uint64_t out = kept;

		/* A carry goes into the exponent, where it belongs. */
		if (leading >= 1 - bias)
			out += (uint64_t)(leading + bias - 1) << (precision - 1);
		out += rest > half || (rest == half && (more || (kept & 1)));
		return (uint64_t)minus << (width - 1) | out;
	}

	int64_t carry_ = 0;
	uint32_t before_ = 0, earlier_ = 0; /* the two digits last pushed */
	bool below_ = false;                /* of those before them, one is not 0 */
	int index_;
	struct leading positive_, negative_;
};

#endif
