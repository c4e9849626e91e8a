#include "config.h"
#include "proto/charconv.h"

#include <charconv>
#include <limits>
#include <system_error>
#include "proto/decimal.h"

namespace
{

template <typename type> const char *read(const char *begin, const char *end, type *out)
{
	std::from_chars_result r = std::from_chars(begin, end, *out);

	if (r.ec == std::errc::result_out_of_range) {
		/* too large or too small: it does not say, and *out is as before */
		struct decimal exact;

		decimal_scan(&exact, begin, static_cast<size_t>(r.ptr - begin));
		*out = exact.exponent > 0 ? std::numeric_limits<type>::infinity() : 0;
		*out = exact.negative ? -*out : *out;
	}
	return r.ptr;
}

template <typename type, typename... format>
size_t write(char *out, size_t room, type value, format... as)
{
	return static_cast<size_t>(std::to_chars(out, out + room, value, as...).ptr - out);
}

} // namespace

const char *charconv_read_f64(const char *begin, const char *end, double *out)
{
	return read(begin, end, out);
}

const char *charconv_read_f32(const char *begin, const char *end, float *out)
{
	return read(begin, end, out);
}

size_t charconv_write_f64(char *out, double value)
{
	return write(out, CHARCONV_ROOM, value, std::chars_format::scientific);
}

size_t charconv_write_f32(char *out, float value)
{
	return write(out, CHARCONV_ROOM, value, std::chars_format::scientific);
}

size_t charconv_round_f64(char *out, double value, unsigned precision)
{
	return write(out, CHARCONV_ROOM + precision, value, std::chars_format::scientific,
		     static_cast<int>(precision));
}

size_t charconv_write_i64(char *out, int64_t value)
{
	return write(out, CHARCONV_ROOM, value);
}

size_t charconv_write_u64(char *out, uint64_t value)
{
	return write(out, CHARCONV_ROOM, value);
}
