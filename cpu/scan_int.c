/* scan_int.c - exact prefix sums and products of bool and integers. */
#include "config.h"

#include "cpu/scan_store.h"
#include "cpu/scan_ways.h"
#include "engine/int192.h"
#include "engine/intprod.h"

#define SCAN_INFINITY (0x1p+1023 * 2.0)

/* An array has fewer than 2^63 bytes: sums of 64-bit elements stay below
 * 2^124. */
struct sum_state {
	uint64_t position;
	uint64_t sum[2]; /* of 128 bits, low first */
};

static void sum_init(void *state)
{
	*(struct sum_state *)state = (struct sum_state){0, {0, 0}};
}

static enum status sum_overflow(const struct scan_args *args, const struct sum_state *s,
				__int128 sum, struct error *err)
{
	struct int192 value = {{0, 0, 0}};
	char text[64];

	int192_add_i128(&value, sum);
	int192_format(&value, text, sizeof(text));
	return scan_overflow(args, s->position, text, err);
}

static inline __attribute__((always_inline)) enum status
sum_feed(struct sum_state *s, const struct scan_args *args, const uint64_t *x, uint64_t count,
	 void *out, uint64_t out_stride, bool is_signed, struct error *err)
{
	const struct integer_range range = integer_range_of(args->result);
	bool to_float = dtype_is_float(args->result);
	__int128 sum = (__int128)((unsigned __int128)s->sum[1] << 64 | s->sum[0]);

	for (uint64_t i = 0; i < count; i++) {
		void *slot = scan_slot(out, out_stride, i, args->result);
		__int128 before = sum;

		sum += is_signed ? (__int128)(int64_t)x[i] : (__int128)x[i];
		if (to_float)
			scan_store_rounded(args->exclusive ? before : sum, args->result, slot);
		else if (!scan_store_integer(args->exclusive ? before : sum, args, &range, slot))
			return sum_overflow(args, s, args->exclusive ? before : sum, err);
		s->position++;
	}
	s->sum[0] = (uint64_t)(unsigned __int128)sum;
	s->sum[1] = (uint64_t)((unsigned __int128)sum >> 64);
	return STATUS_OK;
}

static enum status i64_sum_feed(void *state, const struct scan_args *args, const void *x,
				uint64_t count, void *out, uint64_t out_stride, struct error *err)
{
	return sum_feed(state, args, x, count, out, out_stride, true, err);
}

static enum status u64_sum_feed(void *state, const struct scan_args *args, const void *x,
				uint64_t count, void *out, uint64_t out_stride, struct error *err)
{
	return sum_feed(state, args, x, count, out, out_stride, false, err);
}

struct prod_state {
	uint64_t position;
	struct intprod product;
};

static void prod_init(void *state)
{
	struct prod_state *s = state;

	s->position = 0;
	intprod_init(&s->product);
}

static void prod_to_float(const struct intprod *product, enum dtype to, void *slot)
{
	struct bigint num;
	struct exact_value exact = {.negative = product->negative, .num = &num};

	if (product->zero) {
		scan_store_f64(0.0, to, slot);
	} else if (product->huge) {
		scan_store_f64(product->negative ? -SCAN_INFINITY : SCAN_INFINITY, to, slot);
	} else {
		bigint_set_words(&num, product->word, product->used);
		round_exact(&exact, to, slot);
	}
}

static bool prod_to_integer(const struct intprod *product, const struct scan_args *args,
			    const struct integer_range *range, void *slot)
{
	__int128 value = 0;

	if (!product->zero && !product->huge && product->used == 1)
		value = product->negative ? -(__int128)product->word[0] : product->word[0];
	else if (!product->zero) /* out of every range; the sign is what saturates */
		value = product->negative ? -((__int128)1 << 100) : (__int128)1 << 100;
	if (args->overflow == OVERFLOW_WRAP) {
		integer_store(product->low, args->result, slot);
		return true;
	}
	return scan_store_integer(value, args, range, slot);
}

static bool store_product(const struct prod_state *s, const struct scan_args *args,
			  const struct integer_range *range, void *slot)
{
	if (!dtype_is_float(args->result))
		return prod_to_integer(&s->product, args, range, slot);
	prod_to_float(&s->product, args->result, slot);
	return true;
}

static inline __attribute__((always_inline)) enum status
prod_feed(struct prod_state *s, const struct scan_args *args, const uint64_t *x, uint64_t count,
	  void *out, uint64_t out_stride, bool is_signed, struct error *err)
{
	const struct integer_range range = integer_range_of(args->result);

	for (uint64_t i = 0; i < count; i++) {
		void *slot = scan_slot(out, out_stride, i, args->result);

		if (args->exclusive && !store_product(s, args, &range, slot))
			return scan_overflow(args, s->position, "", err);
		if (is_signed)
			intprod_mul_i64(&s->product, (int64_t)x[i]);
		else
			intprod_mul_u64(&s->product, x[i]);
		if (!args->exclusive && !store_product(s, args, &range, slot))
			return scan_overflow(args, s->position, "", err);
		s->position++;
	}
	return STATUS_OK;
}

static enum status i64_prod_feed(void *state, const struct scan_args *args, const void *x,
				 uint64_t count, void *out, uint64_t out_stride, struct error *err)
{
	return prod_feed(state, args, x, count, out, out_stride, true, err);
}

static enum status u64_prod_feed(void *state, const struct scan_args *args, const void *x,
				 uint64_t count, void *out, uint64_t out_stride, struct error *err)
{
	return prod_feed(state, args, x, count, out, out_stride, false, err);
}

const struct scan_way scan_i64_sum_way = {sizeof(struct sum_state), sum_init, i64_sum_feed};
const struct scan_way scan_u64_sum_way = {sizeof(struct sum_state), sum_init, u64_sum_feed};
const struct scan_way scan_i64_prod_way = {sizeof(struct prod_state), prod_init, i64_prod_feed};
const struct scan_way scan_u64_prod_way = {sizeof(struct prod_state), prod_init, u64_prod_feed};
