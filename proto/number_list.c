#include "config.h"
#include "proto/number_list.h"

#include <stdlib.h>
#include <string.h>
#include "engine/round.h"
#include "proto/charconv.h"

#define WIDEST 8u /* bytes of an element whose type is not known yet */

static enum status set_capacity(struct number_list *list, uint64_t capacity, struct error *err)
{
	void *data = realloc(list->data, capacity * list->element);

	if (data == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %llu numbers",
			    (unsigned long long)capacity);
	list->data = data;
	list->capacity = capacity;
	return STATUS_OK;
}

enum status number_list_init(struct number_list *list, const enum dtype *dtype, uint64_t capacity,
			     struct error *err)
{
	*list = (struct number_list){.kind = KIND_NONE, .element = WIDEST};
	if (dtype != NULL) {
		list->kind = KIND_GIVEN;
		list->given = *dtype;
		list->element = dtype_size(*dtype);
	}
	return set_capacity(list, capacity, err);
}

void number_list_deinit(struct number_list *list)
{
	free(list->data);
	list->data = NULL;
}

/* Where the next element goes; NULL: no memory, explained. */
static inline void *next_element(struct number_list *list, struct error *err)
{
	if (list->count == list->capacity &&
	    set_capacity(list, list->capacity * 2, err) != STATUS_OK)
		return NULL;
	return list->data + list->count * list->element;
}

static enum status no_mixing(struct error *err)
{
	return fail(err, STATUS_BAD_VALUE, "booleans and numbers do not mix");
}

/* All that came as float64. */
static void become_f64(struct number_list *list)
{
	for (uint64_t i = 0; i < list->count; i++) {
		unsigned char *element = list->data + i * WIDEST;
		uint64_t bits;
		double value;

		memcpy(&bits, element, sizeof(bits));
		value = list->kind == KIND_UINT64 ? (double)bits : (double)(int64_t)bits;
		memcpy(element, &value, sizeof(value));
	}
	list->kind = KIND_FLOAT64;
}

static void put_f64(struct number_list *list, struct literal *literal, void *out)
{
	double value;

	if (list->kind != KIND_FLOAT64)
		become_f64(list);
	literal->end = charconv_read_f64(literal->begin, literal->end, &value);
	memcpy(out, &value, sizeof(value));
}

/* An integer after integers only: int64 until one needs uint64, and float64 when
 * neither holds all of them. */
static void put_integer(struct number_list *list, struct literal *literal, uint64_t magnitude,
			void *out)
{
	const bool negative = literal->negative && magnitude > 0;
	const bool large = !negative && magnitude > INT64_MAX;
	const uint64_t bits = negative ? 0 - magnitude : magnitude;

	list->minus_zero |= literal->negative && magnitude == 0;
	list->negative |= negative;
	if (list->negative && (large || list->kind == KIND_UINT64)) {
		put_f64(list, literal, out);
		return;
	}
	list->kind = large || list->kind == KIND_UINT64 ? KIND_UINT64 : KIND_INT64;
	memcpy(out, &bits, sizeof(bits));
}

static enum status put_inferred(struct number_list *list, struct literal *literal, void *out,
				struct error *err)
{
	uint64_t magnitude;

	if (list->kind == KIND_BOOL)
		return no_mixing(err);
	if (!literal->integer) {
		put_f64(list, literal, out);
		return STATUS_OK;
	}
	if (!literal_to_u64(literal, &magnitude) ||
	    (literal->negative && magnitude > UINT64_C(1) << 63))
		return literal_fail(literal, "fits neither int64 nor uint64: give a dtype", err);
	if (list->floats || list->kind == KIND_FLOAT64)
		put_f64(list, literal, out);
	else
		put_integer(list, literal, magnitude, out);
	return STATUS_OK;
}

static enum status put_given(struct number_list *list, struct literal *literal, void *out,
			     struct error *err)
{
	list->numbers = true;
	if (list->words)
		return no_mixing(err);
	return literal_store(literal, list->given, out, err);
}

enum status number_list_add(struct number_list *list, struct literal *literal, struct error *err)
{
	void *out = next_element(list, err);
	enum status status;

	if (out == NULL)
		return STATUS_OUT_OF_MEMORY;
	status = list->kind == KIND_GIVEN ? put_given(list, literal, out, err)
					  : put_inferred(list, literal, out, err);
	list->count += status == STATUS_OK;
	return status;
}

uint64_t number_list_add_run(struct number_list *list, const char **at, const char *end)
{
	uint64_t count;

	if (list->kind == KIND_NONE || number_list_dtype(list) != DTYPE_FLOAT64)
		return 0;
	count = literal_read_run(at, end, (double *)(void *)list->data + list->count,
				 list->capacity - list->count);
	list->count += count;
	return count;
}

enum status number_list_add_bool(struct number_list *list, bool value, struct error *err)
{
	unsigned char *out;

	if (list->kind == KIND_GIVEN && list->given != DTYPE_BOOL)
		return fail(err, STATUS_BAD_VALUE, "true and false need dtype bool");
	if (list->kind == KIND_NONE) {
		list->kind = KIND_BOOL;
		list->element = 1;
		list->capacity *= WIDEST;
	}
	list->words = true;
	if (list->numbers || (list->kind != KIND_BOOL && list->kind != KIND_GIVEN))
		return no_mixing(err);
	out = next_element(list, err);
	if (out == NULL)
		return STATUS_OUT_OF_MEMORY;
	*out = value;
	list->count++;
	return STATUS_OK;
}

enum status number_list_add_special(struct number_list *list, double value, struct error *err)
{
	void *out;

	if (list->kind == KIND_BOOL)
		return no_mixing(err);
	if (list->kind == KIND_GIVEN && !dtype_is_float(list->given))
		return fail(err, STATUS_BAD_VALUE, "NaN and Infinity need a float dtype");
	out = next_element(list, err);
	if (out == NULL)
		return STATUS_OUT_OF_MEMORY;
	if (list->kind != KIND_FLOAT64 && list->kind != KIND_GIVEN)
		become_f64(list);
	round_f64(value, number_list_dtype(list), out);
	list->count++;
	return STATUS_OK;
}

enum dtype number_list_dtype(const struct number_list *list)
{
	switch (list->kind) {
	case KIND_GIVEN:
		return list->given;
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

bool number_list_lost_sign(const struct number_list *list)
{
	return list->minus_zero && list->kind == KIND_FLOAT64;
}
