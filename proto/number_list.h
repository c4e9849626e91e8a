/* number_list.h - elements as they come, in the type they were given or are
 * about to take: bool, int64, uint64 or float64, by the rules of docs/api.md. */
#ifndef PROTO_NUMBER_LIST_H
#define PROTO_NUMBER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/dtype.h"
#include "engine/status.h"
#include "proto/literal.h"

enum number_kind {
	KIND_NONE, /* nothing came yet */
	KIND_BOOL,
	KIND_INT64,
	KIND_UINT64,
	KIND_FLOAT64,
	KIND_GIVEN /* the caller gave the type */
};

struct number_list {
	enum number_kind kind;
	enum dtype given;
	bool negative;       /* KIND_INT64: one below 0 came */
	bool words, numbers; /* bool given: which came */
	bool floats;         /* take integers for floats from the start */
	bool minus_zero;     /* -0 was taken for the integer 0 */

	unsigned char *data; /* from malloc */
	uint64_t count, capacity;
	size_t element; /* bytes */
};

/* dtype NULL: inferred. capacity, in elements, is above 0. */
enum status number_list_init(struct number_list *list, const enum dtype *dtype, uint64_t capacity,
			     struct error *err);
void number_list_deinit(struct number_list *list);

/* STATUS_BAD_VALUE, without a pointer, when it goes with neither the type given
 * nor those that came before. Sets literal->end. */
enum status number_list_add(struct number_list *list, struct literal *literal, struct error *err);

/* literal_read_run() where elements are binary64; else, and when the list must
 * grow first, none are read. */
uint64_t number_list_add_run(struct number_list *list, const char **at, const char *end);

enum status number_list_add_bool(struct number_list *list, bool value, struct error *err);
enum status number_list_add_special(struct number_list *list, double value, struct error *err);

enum dtype number_list_dtype(const struct number_list *list);

/* Did a -0 lose its sign among integers that then became floats? Only a list
 * read again with `floats` set has it. */
bool number_list_lost_sign(const struct number_list *list);

#endif
