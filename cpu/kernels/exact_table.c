#include "config.h"
#include "cpu/kernels/exact_table.h"

#include <float.h>
#include <string.h>
#include "cpu/kernels/exact_input.h"
#include "cpu/kernels/vector.h"

#define EXPONENTS 2048u /* binary64: buckets of a sign */
#define FRACTION 52u

#define AHEAD 4096 /* bytes; measured */

#define EXPONENTS_F32 256u
#define FRACTION_F32 23u
#define COPIES_F32 4u /* tables side by side: neighbours do not wait for each other */

/* A bucket of binary32: fractions, below 2^40 as there are fewer than 2^17, and
 * above that their number. */
#define NUMBER_SHIFT 40u
#define MOST_F32 ((uint32_t)1 << 17)

/* Fewer than this times 2^53 is less than 2^64: a bucket that was empty has not
 * run over, and one that was changed is not what it was. */
#define CHUNK 2040u

void exact_table_init(struct exact_table *table)
{
	table->open = false;
	table->count = 0;
}

/* Of the type in hand; what it had of the other goes to sum. */
static void open_table(struct exact_table *table, bool single, struct exactsum *sum)
{
	uint64_t buckets = single ? COPIES_F32 * 2 * EXPONENTS_F32 : 2 * EXPONENTS;

	if (table->open && table->single != single)
		exact_table_end(table, sum);
	if (table->open)
		return;
	memset(table->bucket, 0, buckets * sizeof(table->bucket[0]));
	table->open = true;
	table->single = single;
	table->count = 0;
}

/* What a unit of a bucket is. */
static int unit(uint64_t exponent)
{
	return (exponent == 0 ? 1 : (int)exponent) - 1075;
}

static void run_over(struct exactsum *sum, uint64_t index)
{
	__int128 lost = (__int128)1 << 64;

	exactsum_add_integer(sum, index >= EXPONENTS ? -lost : lost, unit(index % EXPONENTS));
}

/* An addition in memory as one instruction: 0.25 ns an element for a load, an
 * addition and a store at 0.45 (Zen 5). */
VECTOR_INLINE bool add_carry(uint64_t *bucket, uint64_t value)
{
#if defined(__x86_64__)
	bool carry;

	__asm__("addq %2, %1" : "=@ccc"(carry), "+m"(*bucket) : "r"(value));
	return carry;
#else
	return __builtin_add_overflow(*bucket, value, bucket);
#endif
}

VECTOR_INLINE void add_one(uint64_t *bucket, double x, uint64_t keep, struct exactsum *sum)
{
	uint64_t bits, index;

	memcpy(&bits, &x, sizeof(bits));
	bits &= keep;
	index = bits >> FRACTION;
	bits &= ((uint64_t)1 << FRACTION) - 1;
	bits += (uint64_t)1 << FRACTION;
	if (__builtin_expect(add_carry(bucket + index, bits), false))
		run_over(sum, index);
}

/* Zeros and subnormals have been added with a leading 1 that they do not have. */
static void take_back(struct exactsum *sum, const double *x, uint64_t count, uint64_t keep)
{
	vi64 low = {0};
	vu64 negative = {0};
	int64_t number = 0;
	uint64_t i = 0;

	for (; i + VECTOR_F64 <= count; i += VECTOR_F64) {
		vf64 v = vector_load_f64(x + i);
		vi64 is_low = vector_abs(v) < DBL_MIN;

		low += is_low;
		negative += (vu64)((vi64)v & is_low & (int64_t)keep) >> 63;
	}
	for (unsigned n = 0; n < VECTOR_F64; n++)
		number -= low[n] + 2 * (int64_t)negative[n];
	for (; i < count; i++) {
		uint64_t bits;

		memcpy(&bits, x + i, sizeof(bits));
		bits &= keep;
		if ((bits >> FRACTION & (EXPONENTS - 1)) == 0)
			number += bits >> 63 != 0 ? -1 : 1;
	}
	exactsum_add_integer(sum, -(__int128)number * ((int64_t)1 << FRACTION), unit(0));
}

static void take_specials(struct exactsum *sum, const double *x, uint64_t count, uint64_t keep)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits;

		memcpy(&bits, x + i, sizeof(bits));
		bits &= keep;
		if ((bits >> FRACTION & (EXPONENTS - 1)) != EXPONENTS - 1)
			continue;
		if (bits << 12 != 0)
			sum->nan = true;
		else if (bits >> 63 != 0)
			sum->neg_inf = true;
		else
			sum->pos_inf = true;
	}
}

VECTOR_INLINE void add_chunk(uint64_t *bucket, const double *x, uint64_t count, uint64_t keep,
			     struct exactsum *sum)
{
	uint64_t *positive = bucket, *negative = bucket + EXPONENTS, i = 0;
	uint64_t low = positive[0], low_negative = negative[0];

	for (; i + 8 <= count; i += 8) {
		exact_input_fetch(x + i, AHEAD);
		VECTOR_UNROLL
		for (int u = 0; u < 8; u++)
			add_one(bucket, x[i + (uint64_t)u], keep, sum);
	}
	for (; i < count; i++)
		add_one(bucket, x[i], keep, sum);

	if (positive[0] != low || negative[0] != low_negative)
		take_back(sum, x, count, keep);
	if ((positive[EXPONENTS - 1] | negative[EXPONENTS - 1]) != 0) {
		take_specials(sum, x, count, keep);
		positive[EXPONENTS - 1] = negative[EXPONENTS - 1] = 0;
	}
}

void exact_table_add(struct exact_table *table, const double *x, uint64_t count, bool magnitude,
		     struct exactsum *sum)
{
	open_table(table, false, sum);
	for (uint64_t i = 0; i < count; i += CHUNK) {
		uint64_t some = count - i < CHUNK ? count - i : CHUNK;

		if (magnitude)
			add_chunk(table->bucket, x + i, some, UINT64_MAX >> 1, sum);
		else
			add_chunk(table->bucket, x + i, some, UINT64_MAX, sum);
	}
}

VECTOR_INLINE void add_one_f32(uint64_t *bucket, float x, uint32_t keep)
{
	uint32_t bits;
	uint64_t value;

	memcpy(&bits, &x, sizeof(bits));
	bits &= keep;
	value = (bits & (((uint32_t)1 << FRACTION_F32) - 1)) | (uint64_t)1 << NUMBER_SHIFT;
	(void)add_carry(bucket + (bits >> FRACTION_F32), value);
}

VECTOR_INLINE void add_all_f32(uint64_t *bucket, const float *x, uint64_t count, uint32_t keep)
{
	uint64_t i = 0;

	for (; i + 8 <= count; i += 8) {
		exact_input_fetch(x + i, AHEAD);
		VECTOR_UNROLL
		for (unsigned u = 0; u < 8; u++)
			add_one_f32(bucket + u % COPIES_F32 * 2 * EXPONENTS_F32, x[i + u], keep);
	}
	for (; i < count; i++)
		add_one_f32(bucket, x[i], keep);
}

void exact_table_add_f32(struct exact_table *table, const float *x, uint64_t count, bool magnitude,
			 struct exactsum *sum)
{
	while (count > 0) {
		uint64_t some = count < MOST_F32 / 2 ? count : MOST_F32 / 2;

		if (table->open && table->count + some >= MOST_F32)
			exact_table_end(table, sum);
		open_table(table, true, sum);
		table->count += (uint32_t)some;
		if (magnitude)
			add_all_f32(table->bucket, x, some, UINT32_MAX >> 1);
		else
			add_all_f32(table->bucket, x, some, UINT32_MAX);
		x += some;
		count -= some;
	}
}

/* What is in all copies of a bucket, in units of its exponent; or for the highest
 * exponent whether a NaN is: of infinities the fraction is 0. */
static int64_t total_f32(const uint64_t *bucket, unsigned index, uint64_t *number)
{
	uint64_t total = 0;

	for (unsigned copy = 0; copy < COPIES_F32; copy++)
		total += bucket[copy * 2 * EXPONENTS_F32 + index];
	*number = total >> NUMBER_SHIFT;
	total &= ((uint64_t)1 << NUMBER_SHIFT) - 1;
	if (index % EXPONENTS_F32 != 0)
		total += *number << FRACTION_F32; /* the leading 1s */
	return (int64_t)total;
}

static void end_specials_f32(const uint64_t *bucket, struct exactsum *sum)
{
	for (unsigned sign = 0; sign < 2; sign++) {
		uint64_t number;
		int64_t total = total_f32(bucket, (sign + 1) * EXPONENTS_F32 - 1, &number);

		if (number == 0)
			continue;
		if (total != (int64_t)(number << FRACTION_F32))
			sum->nan = true;
		/* Infinities beside a NaN are no matter. */
		else if (sign != 0)
			sum->neg_inf = true;
		else
			sum->pos_inf = true;
	}
}

static void end_f32(const uint64_t *bucket, struct exactsum *sum)
{
	for (unsigned first = 0; first < EXPONENTS_F32; first += 32) {
		unsigned last = first + 32 < EXPONENTS_F32 ? first + 31 : EXPONENTS_F32 - 2;
		__int128 total = 0;

		for (unsigned e = last + 1; e-- > first;) {
			uint64_t number;
			int64_t both = total_f32(bucket, e, &number) -
				       total_f32(bucket, EXPONENTS_F32 + e, &number);

			/* Exponents 0 and 1 have one unit. */
			total = (e == 0 ? total : 2 * total) + both;
		}
		exactsum_add_integer(sum, total, (first == 0 ? 1 : (int)first) - 150);
	}
	end_specials_f32(bucket, sum);
}

/* Buckets of 32 exponents at a time as one integer in units of the lowest one's:
 * below 2^(64 + 32). The lowest exponent is as good as 1. */
static void end_f64(const uint64_t *bucket, struct exactsum *sum)
{
	for (unsigned first = 1; first < EXPONENTS - 1; first += 32) {
		unsigned end = first + 32 < EXPONENTS - 1 ? first + 32 : EXPONENTS - 1;
		__int128 total = 0;

		for (unsigned e = end; e-- > first;)
			total = 2 * total + bucket[e] - bucket[EXPONENTS + e];
		exactsum_add_integer(sum, total, unit(first));
	}
	exactsum_add_integer(sum, (__int128)bucket[0] - bucket[EXPONENTS], unit(0));
}

void exact_table_end(struct exact_table *table, struct exactsum *sum)
{
	if (!table->open)
		return;
	if (table->single)
		end_f32(table->bucket, sum);
	else
		end_f64(table->bucket, sum);
	exact_table_init(table);
}
