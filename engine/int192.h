/* int192.h - signed 192-bit integers: sums, sums of squares and products of up
 * to 2^63 64-bit integers, exactly. Two's complement, word[0] lowest. */
#ifndef ENGINE_INT192_H
#define ENGINE_INT192_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct int192 {
	uint64_t word[3];
};

void int192_add_i64(struct int192 *a, int64_t b);
void int192_add_u64(struct int192 *a, uint64_t b);
void int192_add_i128(struct int192 *a, __int128 b);
void int192_add_u128(struct int192 *a, unsigned __int128 b);
void int192_add(struct int192 *a, const struct int192 *b);
bool int192_negative(const struct int192 *a);
int int192_compare(const struct int192 *a, const struct int192 *b);

/* Fits the type's range, then the value's low 64 bits are the value. */
bool int192_fits_i64(const struct int192 *a);
bool int192_fits_u64(const struct int192 *a);

/* |a| as three words, lowest first. */
void int192_magnitude(const struct int192 *a, uint64_t out[3]);

/* Decimal, with sign; at most 60 bytes with the 0. */
void int192_format(const struct int192 *a, char *out, size_t size);

#endif
