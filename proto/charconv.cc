#include "config.h"
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include "proto/charconv.h"
#include "proto/decimal.h"
extern "C" {
#include "engine/round.h"
}

namespace
{

/* ---- one literal ---- */

/* (-1)^negative * mantissa * 10^exponent, when all digits went into 64 bits. */
struct number {
	const char *begin, *end;
	uint64_t mantissa;
	int64_t exponent;
	bool negative;
	bool integer; /* neither '.' nor an exponent */
	bool whole;   /* mantissa and exponent hold all of it */
};

inline bool is_digit(char c)
{
	return static_cast<unsigned char>(c - '0') < 10;
}

inline bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Eight digits at once: D. Lemire, "Number parsing at a gigabyte per second",
 * Software: Practice and Experience 51 (2021). Little-endian only. */
inline bool eight_digits(const char *p, uint64_t *out)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t v;

	memcpy(&v, p, 8);
	if (((v & 0xF0F0F0F0F0F0F0F0) | (((v + 0x0606060606060606) & 0xF0F0F0F0F0F0F0F0) >> 4)) !=
	    0x3333333333333333)
		return false;
	v = (v & 0x0F0F0F0F0F0F0F0F) * 2561 >> 8;
	v = (v & 0x00FF00FF00FF00FF) * 6553601 >> 16;
	*out = (v & 0x0000FFFF0000FFFF) * 42949672960001 >> 32;
	return true;
#else
	(void)p;
	(void)out;
	return false;
#endif
}

inline const char *scan_digits(const char *p, const char *end, uint64_t *mantissa)
{
	uint64_t m = *mantissa, eight;

	while (end - p >= 8 && eight_digits(p, &eight)) {
		m = m * 100000000 + eight;
		p += 8;
	}
	for (; p < end && is_digit(*p); p++)
		m = m * 10 + static_cast<uint64_t>(*p - '0');
	*mantissa = m;
	return p;
}

/* More digits than 64 bits surely hold: leading zeros are none of them. */
bool few_digits(const char *p, const char *end)
{
	int count = 0;

	for (; p < end && (is_digit(*p) || *p == '.'); p++)
		count += *p != '.' && (count > 0 || *p != '0');
	return count <= 19;
}

/* The number at p by JSON's grammar; false when it breaks it. */
inline bool scan_number(const char *p, const char *end, number *out)
{
	const char *first, *stop;
	uint64_t m = 0;
	int64_t exponent = 0;
	int64_t digits;
	bool integer = true;

	out->begin = p;
	out->negative = *p == '-';
	p += out->negative;
	if (p == end || !is_digit(*p))
		return false;
	first = p;
	/* few digits before the point, as a rule: no eight at once */
	do
		m = m * 10 + static_cast<uint64_t>(*p++ - '0');
	while (p < end && is_digit(*p));
	if (*first == '0' && p - first > 1)
		return false;
	digits = p - first;
	if (p < end && *p == '.') {
		const char *point = p + 1;

		p = scan_digits(point, end, &m);
		if (p == point)
			return false;
		exponent = point - p;
		digits -= exponent;
		integer = false;
	}
	stop = p;
	if (p < end && (*p | 0x20) == 'e') {
		int64_t e = 0;
		bool minus;

		p++;
		minus = p < end && *p == '-';
		p += p < end && (*p == '-' || *p == '+');
		if (p == end || !is_digit(*p))
			return false;
		for (; p < end && is_digit(*p); p++)
			e = e < 100000000 ? e * 10 + (*p - '0') : e;
		exponent += minus ? -e : e;
		integer = false;
	}
	out->end = p;
	out->mantissa = m;
	out->exponent = exponent;
	out->integer = integer;
	out->whole = digits <= 19 || few_digits(first, stop);
	return true;
}

/* ---- to binary64 ---- */

constexpr int POW5_MIN = -55, POW5_MAX = 55;

struct pow5_table {
	struct {
		uint64_t hi, lo;
	} entry[POW5_MAX - POW5_MIN + 1];
};

/* Top 128 bits of 5^q; for q < 0 of the reciprocal, made as the paper's own
 * script makes them (rounded up as far as q = -27, cut off below). */
constexpr pow5_table make_pow5()
{
	pow5_table table{};

	for (int q = POW5_MIN; q <= POW5_MAX; q++) {
		unsigned __int128 power = 1, top = 0;
		int bits = 0;

		for (int i = 0; i < (q < 0 ? -q : q); i++)
			power *= 5;
		for (unsigned __int128 v = power; v != 0; v >>= 1)
			bits++;
		if (q >= 0) {
			top = power << (128 - bits);
		} else {
			uint64_t word[7] = {};
			int at = q >= -27 ? bits + 127 : 2 * bits + 128;
			int high = 6;

			word[at / 64] = uint64_t{1} << (at % 64);
			for (int i = 0; i < -q; i++) {
				unsigned __int128 rest = 0;

				for (int w = 6; w >= 0; w--) {
					rest = rest << 64 | word[w];
					word[w] = static_cast<uint64_t>(rest / 5);
					rest %= 5;
				}
			}
			for (int w = 0; w < 7 && ++word[w] == 0; w++)
				;
			while (word[high] == 0)
				high--;
			top = static_cast<unsigned __int128>(word[high]) << 64 | word[high - 1];
			for (int shift = 0; !(top >> 127); shift++)
				top = top << 1 |
				      (high > 1 ? word[high - 2] >> (63 - shift) & 1 : 0);
		}
		table.entry[q - POW5_MIN].hi = static_cast<uint64_t>(top >> 64);
		table.entry[q - POW5_MIN].lo = static_cast<uint64_t>(top);
	}
	return table;
}

constexpr pow5_table pow5 = make_pow5();

/* mantissa * 10^q, rounded once, for normal results; false when these 128 bits
 * do not decide. The algorithm of Eisel and Lemire (the paper above). */
inline bool eisel_lemire(uint64_t mantissa, int64_t q, double *out)
{
	uint64_t m, bits;
	unsigned __int128 product;
	uint64_t upper, lower;
	int lz, top;
	int64_t exponent;

	if (q < POW5_MIN || q > POW5_MAX)
		return false;
	lz = __builtin_clzll(mantissa);
	m = mantissa << lz;
	product = static_cast<unsigned __int128>(m) * pow5.entry[q - POW5_MIN].hi;
	upper = static_cast<uint64_t>(product >> 64);
	lower = static_cast<uint64_t>(product);
	if ((upper & 0x1FF) == 0x1FF) {
		unsigned __int128 second =
			static_cast<unsigned __int128>(m) * pow5.entry[q - POW5_MIN].lo;
		uint64_t carry = static_cast<uint64_t>(second >> 64);

		lower += carry;
		upper += lower < carry;
	}
	if (lower == UINT64_MAX && q < -27)
		return false;
	top = static_cast<int>(upper >> 63);
	bits = upper >> (top + 9);
	exponent = ((217706 * q) >> 16) + 1024 + 63 - lz - (1 ^ top);
	if (exponent < 1 || exponent > 2045)
		return false;
	/* exactly between two doubles: to the even one */
	if (lower <= 1 && q >= -4 && q <= 23 && (bits & 3) == 1 && bits << (top + 9) == upper)
		bits &= ~uint64_t{1};
	bits = (bits + (bits & 1)) >> 1;
	if (bits >> 53) {
		bits >>= 1;
		exponent++;
	}
	bits = (bits & ~(uint64_t{1} << 52)) | static_cast<uint64_t>(exponent) << 52;
	memcpy(out, &bits, sizeof(*out));
	return true;
}

/* from_chars() leaves the value alone when it is out of range. */
double literal_to_f64(const number &n)
{
	double value = 0;
	std::from_chars_result r = std::from_chars(n.begin, n.end, value);

	if (r.ec == std::errc::result_out_of_range) {
		struct decimal exact;

		decimal_scan(&exact, n.begin, static_cast<size_t>(n.end - n.begin));
		value = exact.count > 0 && exact.exponent > 0
				? std::numeric_limits<double>::infinity()
				: 0.0;
		value = n.negative ? -value : value;
	}
	return value;
}

const double pow10_exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
			      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
			      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline double number_to_f64(const number &n)
{
	double value;

	if (!n.whole)
		return literal_to_f64(n);
	if (n.mantissa >> 53 == 0 && n.exponent >= -22 && n.exponent <= 22) {
		/* both operands exact: one rounding (Clinger 1990) */
		value = static_cast<double>(n.mantissa);
		value = n.exponent < 0 ? value / pow10_exact[-n.exponent]
				       : value * pow10_exact[n.exponent];
	} else if (n.mantissa == 0) {
		value = 0;
	} else if (!eisel_lemire(n.mantissa, n.exponent, &value)) {
		return literal_to_f64(n);
	}
	return n.negative ? -value : value;
}

/* ---- to the narrower float types ---- */

/* Precision and the exponent of the least bit, by type. */
void narrow_format(enum dtype dtype, int *precision, int *least)
{
	*precision = dtype == DTYPE_FLOAT16 ? 11 : dtype == DTYPE_BFLOAT16 ? 8 : 24;
	*least = dtype == DTYPE_FLOAT16 ? -24 : dtype == DTYPE_BFLOAT16 ? -133 : -149;
}

/* Exactly between two neighbours of the narrow type? value is finite. */
bool is_midpoint(double value, enum dtype dtype)
{
	uint64_t bits;
	int precision, least, exponent, ulp;

	memcpy(&bits, &value, sizeof(bits));
	exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
	if (exponent == -1023 || exponent == 1024)
		return false; /* zero, far below any midpoint, or infinite */
	bits = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
	narrow_format(dtype, &precision, &least);
	ulp = exponent - (precision - 1) > least ? exponent - (precision - 1) : least;
	return exponent - 52 + __builtin_ctzll(bits) == ulp - 1;
}

/* A double on the same side of every midpoint as the literal itself, so that
 * rounding it again rounds the literal once. */
double unambiguous(const number &n, double value, enum dtype dtype)
{
	struct decimal literal, rounded;
	char text[200]; /* midpoints have at most 112 digits */
	std::to_chars_result r;
	int order;

	if (!is_midpoint(value, dtype))
		return value;
	r = std::to_chars(text, text + sizeof(text), std::fabs(value),
			  std::chars_format::scientific, 160);
	decimal_scan(&literal, n.begin, static_cast<size_t>(n.end - n.begin));
	decimal_scan(&rounded, text, static_cast<size_t>(r.ptr - text));
	order = decimal_compare(&literal, &rounded);
	if (order == 0)
		return value;
	return std::nextafter(value, order > 0 ? std::copysign(HUGE_VAL, value) : 0.0);
}

void number_to_narrow(const number &n, enum dtype dtype, void *out)
{
	round_f64(unambiguous(n, number_to_f64(n), dtype), dtype, out);
}

/* ---- to integers ---- */

/* The exact magnitude; false when it is no integer below 2^64. */
bool number_to_u64(const number &n, uint64_t *out)
{
	struct decimal exact;

	if (n.whole && n.exponent == 0) {
		*out = n.mantissa;
		return true;
	}
	decimal_scan(&exact, n.begin, static_cast<size_t>(n.end - n.begin));
	return decimal_to_u64(&exact, out);
}

bool number_is_integral(const number &n)
{
	struct decimal exact;

	decimal_scan(&exact, n.begin, static_cast<size_t>(n.end - n.begin));
	return decimal_is_integral(&exact);
}

/* Store an integer; false when it is out of the type's range. */
bool store_integer(uint64_t magnitude, bool negative, enum dtype dtype, void *out)
{
	size_t size = dtype_size(dtype);
	uint64_t value = negative ? 0 - magnitude : magnitude;
	uint64_t limit;

	switch (dtype_class(dtype)) {
	case DTYPE_CLASS_BOOL:
		limit = negative ? 0 : 1;
		break;
	case DTYPE_CLASS_UINT:
		limit = negative ? 0 : UINT64_MAX >> (64 - 8 * size);
		break;
	default:
		limit = (uint64_t{1} << (8 * size - 1)) - (negative ? 0 : 1);
	}
	if (magnitude > limit)
		return false;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value <<= 64 - 8 * size;
#endif
	memcpy(out, &value, size);
	return true;
}

/* ---- arrays ---- */

enum kind { KIND_NONE, KIND_BOOL, KIND_INT64, KIND_UINT64, KIND_FLOAT64, KIND_DTYPE };

struct reader {
	const char *p, *end, *text;
	const char *pointer;
	struct error *err;
	unsigned max_depth;
	const enum dtype *dtype;

	enum kind kind;
	bool negative;   /* inferring integers: one below 0 came */
	bool minus_zero; /* likewise: the literal -0 came, a 0 as an integer */
	bool force_f64;
	bool bool_dtype_numbers, bool_dtype_words; /* dtype bool: which came */

	unsigned depth;   /* arrays open */
	unsigned deepest; /* most at once */
	bool leaves;      /* an element came: they all lie at `deepest` */
	uint64_t at[ARRAY_MAX_NDIM];
	uint64_t length[ARRAY_MAX_NDIM];
	bool known[ARRAY_MAX_NDIM];

	size_t element;
	uint64_t count, capacity;
	unsigned char *data;
};

__attribute__((noinline)) void path(const reader &r, char *out, size_t size)
{
	size_t used = static_cast<size_t>(snprintf(out, size, "%s", r.pointer));

	for (unsigned i = 0; i < r.depth && used < size; i++)
		used += static_cast<size_t>(snprintf(out + used, size - used, "/%llu",
						     static_cast<unsigned long long>(r.at[i])));
}

enum status bad_value(const reader &r, const char *why)
{
	char pointer[sizeof(r.err->pointer)];

	path(r, pointer, sizeof(pointer));
	return fail_at(r.err, STATUS_BAD_VALUE, pointer, "%s", why);
}

enum status bad_literal(const reader &r, const number &n, const char *why)
{
	char pointer[sizeof(r.err->pointer)];
	int shown = static_cast<int>(n.end - n.begin > 40 ? 40 : n.end - n.begin);

	path(r, pointer, sizeof(pointer));
	return fail_at(r.err, STATUS_BAD_VALUE, pointer, "%.*s%s %s", shown, n.begin,
		       n.end - n.begin > 40 ? "..." : "", why);
}

enum status bad_json(const reader &r, const char *why)
{
	return fail_at(r.err, STATUS_BAD_JSON, r.pointer, "%s at byte %zu of the numbers", why,
		       static_cast<size_t>(r.p - r.text));
}

enum status ragged(const reader &r)
{
	char pointer[sizeof(r.err->pointer)];

	path(r, pointer, sizeof(pointer));
	return fail_at(r.err, STATUS_BAD_SHAPE, pointer,
		       "nested arrays must have one length at each level");
}

enum status grow(reader &r)
{
	uint64_t capacity =
		r.capacity == 0 ? 64 + static_cast<uint64_t>(r.end - r.p) / 16 : r.capacity * 2;
	void *data = realloc(r.data, capacity * r.element);

	if (data == nullptr)
		return fail(r.err, STATUS_OUT_OF_MEMORY, "no memory for %llu numbers",
			    static_cast<unsigned long long>(capacity));
	r.data = static_cast<unsigned char *>(data);
	r.capacity = capacity;
	return STATUS_OK;
}

inline void put_f64(reader &r, double value)
{
	memcpy(r.data + r.count * 8, &value, 8);
}

void convert_to_f64(reader &r)
{
	for (uint64_t i = 0; i < r.count; i++) {
		uint64_t u;

		memcpy(&u, r.data + i * 8, 8);
		double value = r.kind == KIND_UINT64 ? static_cast<double>(u)
						     : static_cast<double>(static_cast<int64_t>(u));
		memcpy(r.data + i * 8, &value, 8);
	}
	r.kind = KIND_FLOAT64;
}

/* An integer literal while all were integers. Optimistic: int64, then uint64,
 * then (some below 0 and some beyond int64) float64. */
enum status put_integer(reader &r, const number &n, uint64_t m)
{
	uint64_t value = n.negative ? 0 - m : m;

	if (n.negative && m > uint64_t{1} << 63)
		return bad_literal(r, n, "fits neither int64 nor uint64: give a dtype");
	r.minus_zero |= n.negative && m == 0;
	r.negative |= n.negative && m != 0;
	if (r.negative && (r.kind == KIND_UINT64 || (!n.negative && m >> 63 != 0))) {
		convert_to_f64(r);
		put_f64(r, n.negative ? -static_cast<double>(m) : static_cast<double>(m));
		return STATUS_OK;
	}
	if (!n.negative && m >> 63 != 0)
		r.kind = KIND_UINT64;
	memcpy(r.data + r.count * 8, &value, 8);
	return STATUS_OK;
}

enum status put_inferred(reader &r, const number &n)
{
	uint64_t m;

	if (r.kind == KIND_BOOL)
		return bad_value(r, "booleans and numbers do not mix");
	if (n.integer && !number_to_u64(n, &m))
		return bad_literal(r, n, "fits neither int64 nor uint64: give a dtype");
	if (r.kind == KIND_NONE)
		r.kind = n.integer && !r.force_f64 ? KIND_INT64 : KIND_FLOAT64;
	if (n.integer && r.kind != KIND_FLOAT64)
		return put_integer(r, n, m);
	if (r.kind != KIND_FLOAT64)
		convert_to_f64(r);
	put_f64(r, number_to_f64(n));
	return STATUS_OK;
}

enum status put_as_dtype(reader &r, const number &n)
{
	void *out = r.data + r.count * r.element;
	enum dtype dtype = *r.dtype;
	uint64_t m;

	if (dtype == DTYPE_FLOAT64) {
		put_f64(r, number_to_f64(n));
		return STATUS_OK;
	}
	if (dtype_is_float(dtype)) {
		number_to_narrow(n, dtype, out);
		return STATUS_OK;
	}
	if (dtype == DTYPE_BOOL) {
		r.bool_dtype_numbers = true;
		if (r.bool_dtype_words)
			return bad_value(r, "booleans and numbers do not mix");
	}
	if (!number_to_u64(n, &m) || !store_integer(m, n.negative, dtype, out)) {
		char why[64];

		snprintf(why, sizeof(why), "is %s %s",
			 number_is_integral(n) ? "out of the range of" : "no integer, for",
			 dtype_name(dtype));
		return bad_literal(r, n, why);
	}
	return STATUS_OK;
}

enum status put_special(reader &r, double value)
{
	if (r.kind == KIND_BOOL)
		return bad_value(r, "booleans and numbers do not mix");
	if (r.kind == KIND_DTYPE) {
		if (!dtype_is_float(*r.dtype))
			return bad_value(r, "NaN and Infinity need a float dtype");
		round_f64(value, *r.dtype, r.data + r.count * r.element);
		return STATUS_OK;
	}
	if (r.kind != KIND_FLOAT64 && r.kind != KIND_NONE)
		convert_to_f64(r);
	r.kind = KIND_FLOAT64;
	put_f64(r, value);
	return STATUS_OK;
}

enum status put_bool(reader &r, bool value)
{
	if (r.kind == KIND_DTYPE) {
		if (*r.dtype != DTYPE_BOOL)
			return bad_value(r, "true and false need dtype bool");
		r.bool_dtype_words = true;
		if (r.bool_dtype_numbers)
			return bad_value(r, "booleans and numbers do not mix");
	} else if (r.kind == KIND_NONE) {
		r.kind = KIND_BOOL;
	} else if (r.kind != KIND_BOOL) {
		return bad_value(r, "booleans and numbers do not mix");
	}
	r.data[r.count * r.element] = value;
	return STATUS_OK;
}

bool take(reader &r, const char *word)
{
	size_t size = strlen(word);

	if (static_cast<size_t>(r.end - r.p) < size || memcmp(r.p, word, size) != 0)
		return false;
	r.p += size;
	return true;
}

/* What is no number: words, strings, or a mistake. */
__attribute__((noinline)) enum status read_word(reader &r)
{
	const double inf = std::numeric_limits<double>::infinity();
	const double nan = std::numeric_limits<double>::quiet_NaN();

	if (take(r, "true"))
		return put_bool(r, true);
	if (take(r, "false"))
		return put_bool(r, false);
	if (take(r, "NaN") || take(r, "\"NaN\""))
		return put_special(r, nan);
	if (take(r, "Infinity") || take(r, "\"Infinity\""))
		return put_special(r, inf);
	if (take(r, "-Infinity") || take(r, "\"-Infinity\""))
		return put_special(r, -inf);
	if (*r.p == '"' || *r.p == '{' || take(r, "null"))
		return bad_value(r, "only numbers, booleans, \"NaN\", \"Infinity\" and "
				    "\"-Infinity\" can be elements");
	return bad_json(r, "expected a number");
}

inline enum status read_element(reader &r)
{
	enum status status;
	number n;

	if (r.count == r.capacity) {
		status = grow(r);
		if (status != STATUS_OK)
			return status;
	}
	if (!is_digit(*r.p) && !(*r.p == '-' && r.end - r.p > 1 && r.p[1] != 'I')) {
		status = read_word(r);
	} else {
		if (!scan_number(r.p, r.end, &n))
			return bad_json(r, "malformed number");
		r.p = n.end;
		if (r.kind == KIND_FLOAT64 && !n.integer) {
			put_f64(r, number_to_f64(n));
			status = STATUS_OK;
		} else {
			status = r.kind == KIND_DTYPE ? put_as_dtype(r, n) : put_inferred(r, n);
		}
	}
	r.count += status == STATUS_OK;
	return status;
}

inline void skip_space(reader &r)
{
	while (r.p < r.end && is_space(*r.p))
		r.p++;
}

enum status open_array(reader &r)
{
	if (r.depth == r.max_depth)
		return bad_json(r, "arrays are nested too deep");
	if (r.leaves && r.depth == r.deepest)
		return ragged(r);
	r.p++;
	r.at[r.depth++] = 0;
	if (r.depth > r.deepest)
		r.deepest = r.depth;
	return STATUS_OK;
}

enum status close_array(reader &r, uint64_t length)
{
	r.p++;
	r.depth--;
	if (r.known[r.depth] && r.length[r.depth] != length)
		return ragged(r);
	r.known[r.depth] = true;
	r.length[r.depth] = length;
	return STATUS_OK;
}

/* A leaf, and its neighbours while only commas lie between them. */
enum status read_leaves(reader &r)
{
	enum status status;

	if (r.depth != r.deepest)
		return ragged(r);
	r.leaves = true;
	for (;;) {
		status = read_element(r);
		if (status != STATUS_OK)
			return status;
		if (r.depth == 0 || r.end - r.p < 3 || *r.p != ',')
			return STATUS_OK;
		/* white space is left to the caller, but for one space */
		const char *next = r.p + 1 + (r.p[1] == ' ');
		if (!is_digit(*next) && *next != '-')
			return STATUS_OK;
		r.p = next;
		r.at[r.depth - 1]++;
	}
}

enum status read_value(reader &r)
{
	enum status status;

	for (;;) {
		skip_space(r);
		if (r.p == r.end)
			return bad_json(r, "ended too early");
		if (*r.p == '[') {
			status = open_array(r);
			if (status != STATUS_OK)
				return status;
			skip_space(r);
			if (r.p == r.end || *r.p != ']')
				continue;
			status = close_array(r, 0);
		} else {
			status = read_leaves(r);
		}
		while (status == STATUS_OK) {
			skip_space(r);
			if (r.depth == 0)
				return r.p == r.end ? STATUS_OK
						    : bad_json(r, "more than one value");
			if (r.p == r.end || (*r.p != ',' && *r.p != ']'))
				return bad_json(r, "expected ',' or ']'");
			if (*r.p == ',')
				break;
			status = close_array(r, r.at[r.depth - 1] + 1);
		}
		if (status != STATUS_OK)
			return status;
		r.p++;
		r.at[r.depth - 1]++;
	}
}

/* force_f64: again, for an array of floats in which -0 was taken for the
 * integer 0. */
enum status read_all(reader &r, bool force_f64)
{
	const char *begin = r.text;
	enum status status;

	r.p = begin;
	r.kind = r.dtype != nullptr ? KIND_DTYPE : KIND_NONE;
	r.force_f64 = force_f64;
	r.element = r.dtype != nullptr ? dtype_size(*r.dtype) : 8;
	skip_space(r);
	/* booleans take a byte each; the first element decides */
	while (r.dtype == nullptr && begin < r.end && (is_space(*begin) || *begin == '['))
		begin++;
	if (r.dtype == nullptr && begin < r.end && (*begin == 't' || *begin == 'f'))
		r.element = 1;
	r.capacity = 0;
	r.count = 0;
	status = grow(r);
	return status == STATUS_OK ? read_value(r) : status;
}

enum dtype dtype_of(const reader &r)
{
	switch (r.kind) {
	case KIND_DTYPE:
		return *r.dtype;
	case KIND_BOOL:
		return DTYPE_BOOL;
	case KIND_INT64:
		return DTYPE_INT64;
	case KIND_UINT64:
		return DTYPE_UINT64;
	default:
		return DTYPE_FLOAT64;
	}
}

/* ---- to text ---- */

/* d.ddde+XX, as to_chars() writes it, in Python's layout: positional from 1e-4
 * to below 1e16. */
size_t layout_digits(char *out, const char *text, size_t size)
{
	const char *e = static_cast<const char *>(memchr(text, 'e', size));
	char digits[20];
	int count = 0, exponent = 0;
	char *p = out;

	std::from_chars(e + 1 + (e[1] == '+'), text + size, exponent);
	if (*text == '-')
		*p++ = *text++;
	if (exponent < -4 || exponent >= 16) {
		memcpy(p, text, static_cast<size_t>(size - (p - out)));
		return size;
	}
	for (; text < e; text++) {
		if (*text != '.')
			digits[count++] = *text;
	}
	if (exponent < 0) {
		memcpy(p, "0.0000", 6);
		p += 1 - exponent;
		memcpy(p, digits, static_cast<size_t>(count));
		return static_cast<size_t>(p - out + count);
	}
	for (int i = 0; i < count || i <= exponent + 1; i++) {
		if (i == exponent + 1)
			*p++ = '.';
		*p++ = i < count ? digits[i] : '0';
	}
	return static_cast<size_t>(p - out);
}

/* Fewest digits for the 16-bit types, which <charconv> has not: the nearest
 * decimals of 1, 2, ... digits, and (an interval is lopsided at a power of two)
 * their neighbours, until one rounds to the value. */
size_t shortest_narrow(char *text, size_t size, double value, enum dtype dtype)
{
	uint16_t wanted, got;

	round_f64(value, dtype, &wanted);
	for (int precision = 0;; precision++) {
		std::to_chars_result r = std::to_chars(text, text + size, value,
						       std::chars_format::scientific, precision);
		char *last = static_cast<char *>(memchr(text, 'e', r.ptr - text)) - 1;
		const char nearest = *last;

		for (int step = 0; step < 3; step++) {
			number n;

			*last = static_cast<char>(nearest + (step == 2 ? -1 : step));
			if (!is_digit(*last))
				continue;
			scan_number(text, r.ptr, &n);
			number_to_narrow(n, dtype, &got);
			if (got == wanted)
				return static_cast<size_t>(r.ptr - text);
		}
		*last = nearest;
	}
}

size_t write_float(char *out, enum dtype dtype, const void *element)
{
	char text[40];
	size_t size;
	double value;
	uint16_t half;
	float single;

	if (dtype == DTYPE_FLOAT64) {
		memcpy(&value, element, 8);
	} else if (dtype == DTYPE_FLOAT32) {
		memcpy(&single, element, 4);
		value = static_cast<double>(single);
	} else {
		memcpy(&half, element, 2);
		value = dtype == DTYPE_FLOAT16 ? float16_to_f64(half) : bfloat16_to_f64(half);
	}
	if (!std::isfinite(value)) {
		const char *word = std::isnan(value) ? "\"NaN\""
				   : value > 0       ? "\"Infinity\""
						     : "\"-Infinity\"";

		size = strlen(word);
		memcpy(out, word, size);
		return size;
	}
	if (dtype == DTYPE_FLOAT64) {
		size = static_cast<size_t>(std::to_chars(text, text + sizeof(text), value,
							 std::chars_format::scientific)
						   .ptr -
					   text);
	} else if (dtype == DTYPE_FLOAT32) {
		size = static_cast<size_t>(std::to_chars(text, text + sizeof(text), single,
							 std::chars_format::scientific)
						   .ptr -
					   text);
	} else {
		size = shortest_narrow(text, sizeof(text), value, dtype);
	}
	return layout_digits(out, text, size);
}

template <typename type> size_t write_integer(char *out, const void *element)
{
	type value;

	memcpy(&value, element, sizeof(value));
	return static_cast<size_t>(std::to_chars(out, out + 32, value).ptr - out);
}

} // namespace

size_t number_write(char *out, enum dtype dtype, const void *element)
{
	switch (dtype) {
	case DTYPE_BOOL: {
		bool value = *static_cast<const unsigned char *>(element) != 0;

		memcpy(out, value ? "true" : "false", value ? 4 : 5);
		return value ? 4 : 5;
	}
	case DTYPE_INT8:
		return write_integer<int8_t>(out, element);
	case DTYPE_INT16:
		return write_integer<int16_t>(out, element);
	case DTYPE_INT32:
		return write_integer<int32_t>(out, element);
	case DTYPE_INT64:
		return write_integer<int64_t>(out, element);
	case DTYPE_UINT8:
		return write_integer<uint8_t>(out, element);
	case DTYPE_UINT16:
		return write_integer<uint16_t>(out, element);
	case DTYPE_UINT32:
		return write_integer<uint32_t>(out, element);
	case DTYPE_UINT64:
		return write_integer<uint64_t>(out, element);
	default:
		return write_float(out, dtype, element);
	}
}

enum status numbers_read(struct numbers *out, const char *text, size_t size,
			 const enum dtype *dtype, unsigned max_depth, const char *pointer,
			 struct error *err)
{
	enum status status;
	unsigned char *data = nullptr;
	reader r{};

	for (int pass = 0;; pass++) {
		r = reader{};
		r.text = text;
		r.end = text + size;
		r.pointer = pointer;
		r.err = err;
		r.max_depth = max_depth < ARRAY_MAX_NDIM ? max_depth : ARRAY_MAX_NDIM;
		r.dtype = dtype;
		r.data = data;
		status = read_all(r, pass > 0);
		data = r.data;
		if (status != STATUS_OK) {
			free(data);
			return status;
		}
		if (pass > 0 || !r.minus_zero || r.kind != KIND_FLOAT64)
			break;
	}
	out->desc.dtype = dtype_of(r);
	out->desc.ndim = r.deepest;
	out->desc.fortran = false;
	for (unsigned i = 0; i < ARRAY_MAX_NDIM; i++)
		out->desc.shape[i] = i < r.deepest ? r.length[i] : 0;
	out->data = data;
	return STATUS_OK;
}

bool decimal_read(const char *text, size_t size, double *out)
{
	number n;
	double value;

	if (size == 0 || !scan_number(text, text + size, &n) || n.end != text + size)
		return false;
	value = number_to_f64(n);
	if (!std::isfinite(value))
		return false;
	*out = value;
	return true;
}
