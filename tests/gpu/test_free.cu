/* test_free.cu - free accumulators and NaNs, over lines and grids: the values of
 * the device against the engine's scalar functions, element by element. */
#include "config.h"

extern "C" {
#include "engine/extreme.h"
#include "engine/int192.h"
#include "engine/intprod.h"
}
#include <cmath>
#include <cstring>
#include "gpu/kernels/launch.h"
#include "tests/gpu/device_array.cuh"
#include "tests/gpu/numbers.cuh"
extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
}

constexpr size_t SCRATCH = (size_t)128 << 20, GUARD = 256;

static const enum accum accums[] = {
	ACCUM_INT_SUM,     ACCUM_INT_ABS, ACCUM_INT_SQUARE, ACCUM_INT_DOT, ACCUM_INT_PROD,
	ACCUM_INT_MOMENTS, ACCUM_MIN,     ACCUM_MAX,        ACCUM_MAX_ABS, ACCUM_TALLY};

static enum domain domain_of(enum dtype dtype)
{
	return dtype >= DTYPE_FLOAT16                          ? DOMAIN_F64
	       : dtype >= DTYPE_UINT8 && dtype <= DTYPE_UINT64 ? DOMAIN_U64
							       : DOMAIN_I64;
}

/* --- contents ------------------------------------------------------------------ */

enum content { BITS, SMALL, SPECIAL, SAME, ONES, CONTENTS };

/* Bits of an element: random; few values near 0; with NaN, infinities and ends of
 * ranges; all alike; 1 and -1. */
static uint64_t content_bits(enum content content, enum dtype dtype, uint64_t seed, uint64_t i)
{
	static const uint64_t inf[] = {0x7c00, 0x7f80, 0x7f800000, 0x7ff0000000000000u};
	static const uint64_t one[] = {0x3c00, 0x3f80, 0x3f800000, 0x3ff0000000000000u};
	const uint64_t w = random_bits(seed, i), sign = (uint64_t)1 << (8 * dtype_size(dtype) - 1);
	const bool is_float = dtype >= DTYPE_FLOAT16;
	const unsigned f = dtype - DTYPE_FLOAT16;

	switch (content) {
	case BITS:
		return w;
	case SMALL:
		return is_float ? (w & 1 ? sign : 0) | (w >> 1 & 3) : w % 5 - 2;
	case SPECIAL:
		switch (w >> 8 & 15) {
		case 0:
			return 0;
		case 1:
			return sign;
		case 2:
			return is_float ? inf[f] : sign - 1;
		case 3:
			return is_float ? inf[f] | sign : ~(uint64_t)0;
		case 4:
			return is_float ? inf[f] | 1 | (w & sign) : 1;
		case 5:
			return is_float ? sign - 1 : sign + 1;
		default:
			return is_float ? (one[f] + (w & 0x3f)) | (w >> 7 & 1 ? sign : 0)
					: w & 0x3f;
		}
	case SAME:
		return seed & 1 ? sign : 0;
	default:
		return is_float ? one[f] | (w & 1 ? sign : 0) : w & 1 ? 1 : ~(uint64_t)0;
	}
}

struct host_array {
	enum dtype dtype;
	std::vector<uint8_t> bytes;

	host_array(enum dtype type, enum content content, uint64_t count, uint64_t seed)
	    : dtype(type), bytes(count * dtype_size(type))
	{
		const unsigned size = dtype_size(type);

		for (uint64_t i = 0; i < count; i++) {
			const uint64_t bits = content_bits(content, type, seed, i);

			memcpy(&bytes[i * size], &bits, size);
		}
	}
	uint64_t raw(uint64_t i) const
	{
		const unsigned size = dtype_size(dtype);
		uint64_t bits = 0;

		memcpy(&bits, &bytes[i * size], size);
		return bits;
	}
	int64_t integer(uint64_t i) const
	{
		const unsigned shift = 64 - 8 * dtype_size(dtype);

		if (dtype == DTYPE_BOOL)
			return raw(i) != 0;
		return domain_of(dtype) == DOMAIN_I64 ? (int64_t)(raw(i) << shift) >> shift
						      : (int64_t)raw(i);
	}
	double real(uint64_t i) const
	{
		const uint64_t bits = raw(i);
		const uint32_t word = (uint32_t)(dtype == DTYPE_BFLOAT16 ? bits << 16 : bits);
		float narrow;
		double wide;

		if (dtype == DTYPE_FLOAT64) {
			memcpy(&wide, &bits, sizeof(wide));
			return wide;
		}
		if (dtype == DTYPE_FLOAT16) {
			const int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
			const double v = e == 31  ? (m != 0 ? NAN : INFINITY)
					 : e == 0 ? ldexp(m, -24)
						  : ldexp(1024 + m, e - 25);

			return bits >> 15 ? -v : v;
		}
		memcpy(&narrow, &word, sizeof(narrow));
		return narrow;
	}
};

/* --- the reference --------------------------------------------------------------- */

union any_value {
	struct int192 sum;
	struct int_moments moments;
	struct intprod prod;
	struct extreme extreme;
	struct tally tally;
};

static size_t value_size(enum accum accum)
{
	switch (accum) {
	case ACCUM_INT_PROD:
		return sizeof(struct intprod);
	case ACCUM_INT_MOMENTS:
		return sizeof(struct int_moments);
	case ACCUM_MIN:
	case ACCUM_MAX:
	case ACCUM_MAX_ABS:
		return sizeof(struct extreme);
	case ACCUM_TALLY:
		return sizeof(struct tally);
	default:
		return sizeof(struct int192);
	}
}

static void begin_value(enum accum accum, union any_value *v)
{
	memset(v, 0, sizeof(*v));
	if (accum == ACCUM_INT_PROD)
		intprod_init(&v->prod);
}

static void add_product(struct int192 *sum, enum domain domain, int64_t x, int64_t y)
{
	if (domain == DOMAIN_I64)
		int192_add_i128(sum, (__int128)x * y);
	else
		int192_add_u128(sum, (unsigned __int128)(uint64_t)x * (uint64_t)y);
}

static void add_plain(struct int192 *sum, enum domain domain, int64_t x)
{
	if (domain == DOMAIN_I64)
		int192_add_i64(sum, x);
	else
		int192_add_u64(sum, (uint64_t)x);
}

static void add_extreme(struct extreme *e, enum accum accum, const struct host_array &x, bool omit,
			uint64_t i, uint64_t index)
{
	const bool max = accum != ACCUM_MIN;
	const enum domain domain = domain_of(x.dtype);

	if (domain == DOMAIN_F64) {
		const double v = accum == ACCUM_MAX_ABS ? fabs(x.real(i)) : x.real(i);
		uint64_t bits;

		memcpy(&bits, &v, sizeof(bits));
		if (v == v)
			extreme_offer(e, bits, index, max, extreme_f64_less);
		else if (!omit)
			extreme_offer_nan(e, 0x7ff8000000000000u, index);
	} else if (accum == ACCUM_MAX_ABS) {
		const int64_t v = x.integer(i);

		extreme_offer(e, domain == DOMAIN_I64 && v < 0 ? 0 - (uint64_t)v : (uint64_t)v,
			      index, true, extreme_u64_less);
	} else {
		extreme_offer(e, (uint64_t)x.integer(i), index, max,
			      domain == DOMAIN_I64 ? extreme_i64_less : extreme_u64_less);
	}
}

static void add_element(enum accum accum, union any_value *v, const struct host_array &x,
			const struct host_array &y, bool omit, uint64_t i, uint64_t index)
{
	const enum domain domain = domain_of(x.dtype);
	const int64_t e = domain == DOMAIN_F64 ? 0 : x.integer(i);

	switch (accum) {
	case ACCUM_INT_SUM:
		add_plain(&v->sum, domain, e);
		break;
	case ACCUM_INT_ABS:
		int192_add_u64(&v->sum,
			       domain == DOMAIN_I64 && e < 0 ? 0 - (uint64_t)e : (uint64_t)e);
		break;
	case ACCUM_INT_SQUARE:
		add_product(&v->sum, domain, e, e);
		break;
	case ACCUM_INT_DOT:
		add_product(&v->sum, domain, e, y.integer(i));
		break;
	case ACCUM_INT_PROD:
		if (domain == DOMAIN_I64)
			intprod_mul_i64(&v->prod, e);
		else
			intprod_mul_u64(&v->prod, (uint64_t)e);
		break;
	case ACCUM_INT_MOMENTS:
		add_plain(&v->moments.sum, domain, e);
		add_product(&v->moments.squares, domain, e, e);
		break;
	case ACCUM_TALLY:
		if (domain == DOMAIN_F64)
			v->tally.nonzero += x.real(i) != 0.0 && !(omit && x.real(i) != x.real(i));
		else
			v->tally.nonzero += e != 0;
		break;
	default:
		add_extreme(&v->extreme, accum, x, omit, i, index);
	}
}

static bool same_value(enum accum accum, const union any_value *a, const void *found)
{
	union any_value b;

	memcpy(&b, found, value_size(accum));
	switch (accum) {
	case ACCUM_INT_PROD: /* words above `used`, and of huge ones all, are void */
		return a->prod.huge == b.prod.huge && a->prod.negative == b.prod.negative &&
		       a->prod.zero == b.prod.zero && a->prod.low == b.prod.low &&
		       (a->prod.huge ||
			(a->prod.used == b.prod.used &&
			 memcmp(a->prod.word, b.prod.word, a->prod.used * sizeof(uint64_t)) == 0));
	case ACCUM_MIN:
	case ACCUM_MAX:
	case ACCUM_MAX_ABS:
		return a->extreme.any == b.extreme.any && a->extreme.nan == b.extreme.nan &&
		       a->extreme.index == b.extreme.index &&
		       a->extreme.value.u == b.extreme.value.u;
	default:
		return memcmp(a, &b, value_size(accum)) == 0;
	}
}

/* --- shapes ---------------------------------------------------------------------- */

/* Where elements are: lines, of which offsets or length speak, or a grid. */
struct shape {
	struct lines lines;
	std::vector<int64_t> offsets;
	struct grid grid;
	bool is_grid;
	struct index_map map;
	uint64_t elements;                     /* of the whole array */
	std::vector<uint64_t> places, indices; /* of a grid, line by line; of a map */

	void look_up()
	{
		for (uint64_t line = 0; is_grid && line < grid.lines; line++)
			for (uint64_t k = 0; k < grid.length; k++)
				places.push_back(place_of(line, k));
		for (uint64_t k = 0; map.ndim > 0 && k < elements; k++)
			indices.push_back(index_of(k));
	}
	uint64_t place(uint64_t line, uint64_t k) const
	{
		return is_grid ? places[line * grid.length + k]
			       : (offsets.empty() ? line * lines.length : (uint64_t)offsets[line]) +
					 k;
	}
	uint64_t index(uint64_t k) const
	{
		return map.ndim > 0 ? indices[k] : k;
	}

	uint64_t line_count() const
	{
		return is_grid ? grid.lines : lines.lines;
	}
	uint64_t line_length(uint64_t line) const
	{
		if (is_grid)
			return grid.length;
		return offsets.empty() ? lines.length
				       : (uint64_t)(offsets[line + 1] - offsets[line]);
	}
	uint64_t place_of(uint64_t line, uint64_t k) const
	{
		uint64_t stride = 1, place = 0;

		if (!is_grid)
			return (offsets.empty() ? line * lines.length : (uint64_t)offsets[line]) +
			       k;
		for (unsigned i = grid.ndim; i-- > 0;) {
			uint64_t *number = grid.dim[i].reduced ? &k : &line;

			place += *number % grid.dim[i].length * stride;
			*number /= grid.dim[i].length;
			stride *= grid.dim[i].length;
		}
		return place;
	}
	uint64_t index_of(uint64_t k) const
	{
		uint64_t digit[ARRAY_MAX_NDIM], stride = 1, index = 0;

		for (unsigned i = 0; i < map.ndim; i++) {
			digit[i] = k % map.shape[i];
			k /= map.shape[i];
		}
		for (unsigned i = map.ndim; i-- > 0;) {
			index += digit[i] * stride;
			stride *= map.shape[i];
		}
		return index;
	}
};

static struct shape equal_lines(uint64_t lines, uint64_t length)
{
	struct shape s = {};

	s.lines = {lines, length, nullptr, lines * length};
	s.elements = lines * length;
	return s;
}

static struct shape unequal_lines(const std::vector<int64_t> &offsets)
{
	struct shape s = {};

	s.offsets = offsets;
	s.elements = (uint64_t)offsets.back();
	s.lines = {offsets.size() - 1, 0, nullptr, (uint64_t)(offsets.back() - offsets.front())};
	return s;
}

/* Lengths of merged dimensions, the last kept or reduced. */
static struct shape grid_of(const std::vector<uint64_t> &dims, bool last_reduced)
{
	struct shape s = {};

	s.is_grid = true;
	s.elements = s.grid.lines = s.grid.length = 1;
	s.grid.ndim = (unsigned)dims.size();
	for (size_t i = 0; i < dims.size(); i++) {
		const bool reduced = ((dims.size() - 1 - i) % 2 == 0) == last_reduced;

		s.grid.dim[i].length = dims[i];
		s.grid.dim[i].reduced = reduced;
		(reduced ? s.grid.length : s.grid.lines) *= dims[i];
		s.elements *= dims[i];
	}
	return s;
}

static struct shape fortran(const std::vector<uint64_t> &axes)
{
	uint64_t count = 1;

	for (const uint64_t n : axes)
		count *= n;

	struct shape s = equal_lines(1, count);

	s.map.ndim = (unsigned)axes.size();
	for (size_t i = 0; i < axes.size(); i++)
		s.map.shape[i] = axes[i];
	return s;
}

/* --- comparing --------------------------------------------------------------------- */

class test_room
{
      public:
	test_room() : launch_(SCRATCH)
	{
	}
	const struct launch *begin(size_t scratch)
	{
		assert_true(scratch + GUARD <= SCRATCH);
		end_ = (char *)launch_.get()->scratch + scratch;
		CHECK_CUDA(cudaMemset(end_, 0xa5, GUARD));
		return launch_.get();
	}
	void end()
	{
		std::vector<unsigned char> guard(GUARD);

		launch_.wait();
		CHECK_CUDA(cudaMemcpy(guard.data(), end_, GUARD, cudaMemcpyDeviceToHost));
		for (const unsigned char c : guard)
			assert_int_equal(c, 0xa5);
	}
	bool tickets_are_zero() const
	{
		return launch_.tickets_are_zero();
	}

      private:
	test_launch launch_;
	char *end_ = nullptr;
};

static bool serves(enum accum accum, enum dtype dtype)
{
	return domain_of(dtype) != DOMAIN_F64 || accum >= ACCUM_MIN;
}

static unsigned compared;

static void compare_accum(test_room *room, enum accum accum, struct shape *s,
			  const struct host_array &x, const struct host_array &y, bool omit,
			  const struct elements *on_device)
{
	const enum domain domain = domain_of(x.dtype);
	const size_t size = value_size(accum);
	const device_array<uint8_t> out(s->line_count() * size);
	const struct index_map *map = s->map.ndim > 0 ? &s->map : nullptr;

	CHECK_CUDA(cudaMemset(out.get(), 0x5a, s->line_count() * size));
	if (s->is_grid)
		CHECK_CUDA(free_grid(room->begin(free_grid_scratch(accum, domain, &s->grid)), accum,
				     domain, on_device, &s->grid, out.get()));
	else
		CHECK_CUDA(free_lines(room->begin(free_lines_scratch(accum, domain, &s->lines)),
				      accum, domain, on_device, &s->lines, map, out.get()));
	room->end();

	const std::vector<uint8_t> found = out.host();

	for (uint64_t line = 0; line < s->line_count(); line++) {
		const uint64_t length = s->line_length(line);
		union any_value want;

		begin_value(accum, &want);
		for (uint64_t k = 0; k < length; k++)
			add_element(accum, &want, x, y, omit, s->place(line, k), s->index(k));
		if (!same_value(accum, &want, &found[line * size]))
			fail_msg("accum %d, dtype %d, omit %d, %s of %llu: line %llu of %llu "
				 "elements "
				 "differs",
				 accum, x.dtype, omit, s->is_grid ? "grid" : "lines",
				 (unsigned long long)s->elements, (unsigned long long)line,
				 (unsigned long long)length);
	}
	compared++;
}

static bool is_nan(const struct host_array &x, uint64_t i)
{
	return domain_of(x.dtype) == DOMAIN_F64 && x.real(i) != x.real(i);
}

static void compare_nans(test_room *room, struct shape *s, const struct host_array &x,
			 const struct host_array &y, bool pair, const struct elements *on_device)
{
	const device_array<struct nan_found> out(s->line_count());
	const device_array<uint64_t> first(1);
	struct elements in = *on_device;
	uint64_t lowest = UINT64_MAX;

	if (!pair)
		in.y = nullptr;
	if (s->is_grid)
		CHECK_CUDA(nan_grid(room->begin(0), &in, &s->grid, out.get()));
	else
		CHECK_CUDA(nan_lines(room->begin(0), &in, &s->lines, out.get()));
	room->end();

	const std::vector<struct nan_found> found = out.host();

	for (uint64_t line = 0; line < s->line_count(); line++) {
		struct nan_found want = {0, UINT64_MAX};

		for (uint64_t k = 0; k < s->line_length(line); k++) {
			const uint64_t place = s->place(line, k);

			if (!is_nan(x, place) && !(pair && is_nan(y, place)))
				continue;
			want.count++;
			want.first = std::min(want.first, place);
			lowest = std::min(lowest, s->map.ndim > 0 ? s->index(place) : place);
		}
		if (want.count != found[line].count || want.first != found[line].first)
			fail_msg("NaNs of dtype %d, pair %d, line %llu differ: %llu, not %llu",
				 x.dtype, pair, (unsigned long long)line,
				 (unsigned long long)found[line].count,
				 (unsigned long long)want.count);
	}
	compared++;
	if (s->line_count() != 1 && (s->is_grid || s->offsets.empty() == false))
		return;
	if (s->offsets.size() > 0 && s->offsets[0] != 0)
		return;
	CHECK_CUDA(nan_first(room->begin(0), &in, s->elements, s->map.ndim > 0 ? &s->map : nullptr,
			     first.get()));
	room->end();
	assert_true(first.host()[0] == lowest);
}

/* All accumulators that the type has, and NaNs. */
static void compare_all(test_room *room, enum dtype dtype, enum content content, struct shape s,
			uint64_t seed, unsigned shift, bool few = false)
{
	s.look_up();
	const struct host_array x(dtype, content, s.elements, seed);
	const struct host_array y(dtype, content, s.elements, seed + 1);
	const unsigned size = dtype_size(dtype);
	const device_array<uint8_t> dx(x.bytes, (size_t)shift * size);
	const device_array<uint8_t> dy(y.bytes, (size_t)(shift / 2) * size);
	const device_array<int64_t> offsets(s.offsets);
	struct elements in = {dx.get(), dy.get(), dtype, false, 0.0};

	if (!s.offsets.empty())
		s.lines.offsets = offsets.get();
	for (const enum accum accum : accums)
		if (serves(accum, dtype) &&
		    !(few && accum != ACCUM_INT_SUM && accum != ACCUM_MIN)) {
			in.omit = false;
			compare_accum(room, accum, &s, x, y, false, &in);
			if (domain_of(dtype) == DOMAIN_F64) {
				in.omit = true;
				compare_accum(room, accum, &s, x, y, true, &in);
			}
		}
	if (few)
		return;
	compare_nans(room, &s, x, y, false, &in);
	compare_nans(room, &s, x, y, true, &in);
}

static void every_type(test_room *room, const struct shape &s, uint64_t seed, unsigned shift,
		       bool few = false)
{
	for (unsigned dtype = (unsigned)(few ? seed % 3 : 0); dtype < DTYPE_COUNT;
	     dtype += few ? 3 : 1) {
		const enum content content = (enum content)((seed + dtype) % CONTENTS);

		compare_all(room, (enum dtype)dtype, content, s, seed * 100 + dtype, shift, few);
	}
}

static void finish(test_room *room, const char *what)
{
	assert_true(room->tickets_are_zero());
	print_message("%s: %u values or lots of lines compared\n", what, compared);
	compared = 0;
}

/* --- tests --------------------------------------------------------------------------- */

static void one_line_of_any_length(void **state)
{
	static const uint64_t lengths[] = {
		0,   1,   2,    3,    7,    15,   16,   17,   31,    32,    33,    63,    65,   127,
		128, 129, 1000, 4095, 4096, 4097, 8191, 8193, 16383, 16384, 16385, 40000, 70001};
	test_room room;
	uint64_t seed = 1;

	(void)state;
	for (const uint64_t length : lengths)
		for (unsigned content = 0; content < CONTENTS; content++, seed++)
			every_type(&room, equal_lines(1, length), seed, (unsigned)(seed % 4));
	finish(&room, "one line");
}

static void long_lines(void **state)
{
	test_room room;
	uint64_t seed = 500;

	(void)state;
	for (unsigned shift = 0; shift < 3; shift++, seed++)
		every_type(&room, equal_lines(1, 300003), seed, shift);
	every_type(&room, equal_lines(1, 1000003), seed++, 1, true);
	every_type(&room, equal_lines(5, 50001), seed++, 1);
	compare_all(&room, DTYPE_INT8, BITS, equal_lines(1, (1u << 25) + 4096 * 3 + 5), 3, 1, true);
	compare_all(&room, DTYPE_FLOAT32, SPECIAL, equal_lines(1, (1u << 25) + 8195), 4, 3, true);
	compare_all(&room, DTYPE_INT64, BITS, equal_lines(1, (1u << 25) + 1), 5, 0, true);
	finish(&room, "long lines");
}

static void equal_lines_of_many_lengths(void **state)
{
	static const uint64_t lengths[] = {0,  1,  2,   3,   5,    8,    31,
					   32, 33, 100, 129, 1000, 4097, 20000};
	test_room room;

	(void)state;
	for (const uint64_t length : lengths)
		for (const uint64_t lines : {2, 7, 300})
			every_type(&room,
				   equal_lines(length > 1000 ? lines / 10 + 2 : lines, length),
				   1000 + length + lines, (unsigned)(lines % 3));
	finish(&room, "equal lines");
}

static void unequal_and_empty_lines(void **state)
{
	test_room room;

	(void)state;
	for (uint64_t seed = 2000; seed < 2012; seed++) {
		std::vector<int64_t> offsets = {seed % 3 == 0 ? 5 : 0};
		const uint64_t lines = seed % 2 == 0 ? 40 : 3000;

		for (uint64_t i = 0; i < lines; i++) {
			const uint64_t w = random_bits(seed, i);
			int64_t length = (int64_t)(w >> 8) % 60;

			if (w % 4 == 0)
				length = 0;
			else if (lines == 40 && w % 4 == 1)
				length = (int64_t)(w >> 8) % 30000;
			else if (w % 1024 == 1)
				length = 50000 + (int64_t)(w >> 8) % 5000;
			offsets.push_back(offsets.back() + length);
		}
		every_type(&room, unequal_lines(offsets), seed, (unsigned)(seed % 5));
	}
	every_type(&room, unequal_lines({0, 0, 0, 0}), 2100, 0);
	every_type(&room, unequal_lines({0, 0, 100000, 100000}), 2101, 1);
	every_type(&room, unequal_lines({3, 70000}), 2102, 1);
	/* Long lines that end and begin where chunks do. */
	every_type(&room, unequal_lines({0, 16385, 32768, 65536, 65536, 98304, 98305, 131072}),
		   2103, 0);
	finish(&room, "unequal lines");
}

static void grids(void **state)
{
	static const std::vector<uint64_t> dims[] = {{1000, 1},
						     {1, 1000},
						     {7},
						     {5000, 4},
						     {4, 5000},
						     {300, 300},
						     {3, 70, 5},
						     {40, 3, 40},
						     {2, 3, 4, 5},
						     {9, 2, 8, 3, 7},
						     {100, 257},
						     {64, 1000},
						     {20000, 3},
						     {2, 9000, 2},
						     {600, 2, 20, 2},
						     {1000, 33, 2},
						     {0, 5},
						     {5, 0},
						     {129, 1, 300},
						     {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}};
	test_room room;
	uint64_t seed = 3000;

	(void)state;
	every_type(&room, grid_of({}, true), seed++, 0);
	for (const std::vector<uint64_t> &d : dims)
		for (const bool last : {false, true})
			every_type(&room, grid_of(d, last), seed, (unsigned)(seed % 3)), seed++;
	finish(&room, "grids");
}

static void fortran_indices(void **state)
{
	static const std::vector<uint64_t> axes[] = {{3, 5},          {100, 300},
						     {17, 1, 19, 23}, {2, 2, 2, 2, 2, 2, 2},
						     {1, 50000},      {500, 7, 11}};
	test_room room;
	uint64_t seed = 4000;

	(void)state;
	for (const std::vector<uint64_t> &a : axes)
		for (unsigned content = 0; content < CONTENTS; content++, seed++)
			every_type(&room, fortran(a), seed, (unsigned)(seed % 3));
	finish(&room, "Fortran arrays");
}

template <class T> static void poke(T *x, uint64_t i, T value)
{
	CHECK_CUDA(cudaMemcpy(x + i, &value, sizeof(value), cudaMemcpyHostToDevice));
}

static void fold_big(test_room *room, enum accum accum, const struct elements *in,
		     const struct lines *lines, union any_value *out)
{
	const enum domain domain = domain_of(in->dtype);
	const device_array<uint8_t> value(sizeof(*out));

	CHECK_CUDA(free_lines(room->begin(free_lines_scratch(accum, domain, lines)), accum, domain,
			      in, lines, nullptr, value.get()));
	room->end();
	memcpy(out, value.host().data(), sizeof(*out));
}

static void more_than_32_bits_of_elements(void **state)
{
	const uint64_t count = ((uint64_t)1 << 32) + 12345;
	device_array<int8_t> x(count);
	device_array<uint16_t> h(count);
	const device_array<struct nan_found> nans(1);
	const struct lines one = {1, count, nullptr, count};
	const struct elements in = {x.get(), x.get(), DTYPE_INT8, false, 0.0};
	const struct elements halves = {h.get(), nullptr, DTYPE_FLOAT16, true, 0.0};
	struct shape two = grid_of({count / 3, 3}, false);
	test_room room;
	union any_value v;

	(void)state;
	x.fill(1);
	poke(x.get(), count - 2, (int8_t)-7);
	poke(x.get(), count - 5, (int8_t)100);
	fold_big(&room, ACCUM_INT_SUM, &in, &one, &v);
	assert_true(v.sum.word[0] == count - 2 + 93 && v.sum.word[1] == 0);
	fold_big(&room, ACCUM_INT_DOT, &in, &one, &v);
	assert_true(v.sum.word[0] == count - 2 + 10049 && v.sum.word[1] == 0);
	fold_big(&room, ACCUM_MIN, &in, &one, &v);
	assert_true(v.extreme.value.i == -7 && v.extreme.index == count - 2);
	fold_big(&room, ACCUM_MAX, &in, &one, &v);
	assert_true(v.extreme.value.i == 100 && v.extreme.index == count - 5);
	fold_big(&room, ACCUM_TALLY, &in, &one, &v);
	assert_true(v.tally.nonzero == count);
	fold_big(&room, ACCUM_INT_PROD, &in, &one, &v);
	assert_true(v.prod.used == 1 && v.prod.word[0] == 700 && v.prod.negative);

	const device_array<struct extreme> columns(3);

	CHECK_CUDA(free_grid(room.begin(free_grid_scratch(ACCUM_MIN, DOMAIN_I64, &two.grid)),
			     ACCUM_MIN, DOMAIN_I64, &in, &two.grid, columns.get()));
	room.end();
	for (uint64_t c = 0; c < 3; c++) {
		const bool lowest = (count - 2) % 3 == c && count - 2 < two.elements;

		assert_true(columns.host()[c].value.i == (lowest ? -7 : 1));
		assert_true(columns.host()[c].index == (lowest ? (count - 2) / 3 : 0));
	}

	h.fill(0);
	poke(h.get(), count - 1, (uint16_t)0xfe01);
	poke(h.get(), count - 9, (uint16_t)0x7c01);
	CHECK_CUDA(nan_lines(room.begin(0), &halves, &one, nans.get()));
	room.end();
	assert_true(nans.host()[0].count == 2 && nans.host()[0].first == count - 9);
	fold_big(&room, ACCUM_TALLY, &halves, &one, &v);
	assert_true(v.tally.nonzero == 0);
	finish(&room, "2^32 + 12,345 elements");
}

static void what_cannot_be_is_refused(void **state)
{
	const device_array<double> x(4);
	const struct lines one = {1, 4, nullptr, 4};
	const struct elements in = {x.get(), x.get(), DTYPE_FLOAT64, false, 0.0};
	test_room room;

	(void)state;
	assert_int_equal(free_lines(room.begin(0), ACCUM_INT_SUM, DOMAIN_F64, &in, &one, nullptr,
				    room.begin(0)->scratch),
			 cudaErrorInvalidValue);
	assert_int_equal(free_lines(room.begin(0), ACCUM_SUM, DOMAIN_F64, &in, &one, nullptr,
				    room.begin(0)->scratch),
			 cudaErrorInvalidValue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_of_any_length),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(equal_lines_of_many_lengths),
		cmocka_unit_test(unequal_and_empty_lines),
		cmocka_unit_test(grids),
		cmocka_unit_test(fortran_indices),
		cmocka_unit_test(more_than_32_bits_of_elements),
		cmocka_unit_test(what_cannot_be_is_refused),
	};
	const int skipped = without_device();

	if (skipped != 0)
		return skipped;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
