#include "config.h"
#include "cpu/kernels/turn.h"

#include <string.h>
#include "cpu/kernels/vector.h"

/* Rows far apart are no stream that hardware follows: they are fetched this
 * many rows early (measured; 8 is too late, 64 no better). */
#define AHEAD 16u
#define CACHE_LINE 64u

/* Squares of elements are turned in vectors: pairs of rows are interleaved,
 * first single elements, then pairs, then halves. */
#if VECTOR_BYTES >= 32
#define SQUARE_32 8u
#define SQUARE_64 4u
typedef uint32_t row_32 __attribute__((vector_size(32)));
typedef uint64_t row_64 __attribute__((vector_size(32)));

VECTOR_INLINE void square_32(uint32_t *out, uint64_t out_step, const uint32_t *in, uint64_t in_step)
{
	row_32 r[8], a[8], b[8];

	VECTOR_UNROLL
	for (unsigned i = 0; i < 8; i++)
		memcpy(&r[i], in + i * in_step, sizeof(r[i]));
	VECTOR_UNROLL
	for (unsigned i = 0; i < 8; i += 2) {
		a[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
		a[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
	}
	VECTOR_UNROLL
	for (unsigned i = 0; i < 8; i += 4) {
		b[i] = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
		b[i + 1] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
		b[i + 2] = __builtin_shufflevector(a[i + 1], a[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
		b[i + 3] = __builtin_shufflevector(a[i + 1], a[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
	}
	VECTOR_UNROLL
	for (unsigned i = 0; i < 4; i++) {
		r[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
		r[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
	}
	VECTOR_UNROLL
	for (unsigned i = 0; i < 8; i++)
		memcpy(out + i * out_step, &r[i], sizeof(r[i]));
}

VECTOR_INLINE void square_64(uint64_t *out, uint64_t out_step, const uint64_t *in, uint64_t in_step)
{
	row_64 r[4], a[4];

	VECTOR_UNROLL
	for (unsigned i = 0; i < 4; i++)
		memcpy(&r[i], in + i * in_step, sizeof(r[i]));
	VECTOR_UNROLL
	for (unsigned i = 0; i < 4; i += 2) {
		a[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 4, 2, 6);
		a[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 5, 3, 7);
	}
	VECTOR_UNROLL
	for (unsigned i = 0; i < 2; i++) {
		r[i] = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 4, 5);
		r[i + 2] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 6, 7);
	}
	VECTOR_UNROLL
	for (unsigned i = 0; i < 4; i++)
		memcpy(out + i * out_step, &r[i], sizeof(r[i]));
}
#else
#define SQUARE_32 4u
#define SQUARE_64 2u
typedef uint32_t row_32 __attribute__((vector_size(16)));

VECTOR_INLINE void square_32(uint32_t *out, uint64_t out_step, const uint32_t *in, uint64_t in_step)
{
	row_32 r[4], a[4];

	VECTOR_UNROLL
	for (unsigned i = 0; i < 4; i++)
		memcpy(&r[i], in + i * in_step, sizeof(r[i]));
	VECTOR_UNROLL
	for (unsigned i = 0; i < 4; i += 2) {
		a[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 4, 1, 5);
		a[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 6, 3, 7);
	}
	VECTOR_UNROLL
	for (unsigned i = 0; i < 2; i++) {
		r[2 * i] = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 4, 5);
		r[2 * i + 1] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 6, 7);
	}
	VECTOR_UNROLL
	for (unsigned i = 0; i < 4; i++)
		memcpy(out + i * out_step, &r[i], sizeof(r[i]));
}

VECTOR_INLINE void square_64(uint64_t *out, uint64_t out_step, const uint64_t *in, uint64_t in_step)
{
	uint64_t a = in[0], b = in[1], c = in[in_step], d = in[in_step + 1];

	out[0] = a;
	out[1] = c;
	out[out_step] = b;
	out[out_step + 1] = d;
}
#endif

#define SQUARE_16 8u
typedef uint16_t row_16 __attribute__((vector_size(16)));

VECTOR_INLINE void square_16(uint16_t *out, uint64_t out_step, const uint16_t *in, uint64_t in_step)
{
	row_16 r[8], a[8];

	VECTOR_UNROLL
	for (unsigned i = 0; i < 8; i++)
		memcpy(&r[i], in + i * in_step, sizeof(r[i]));
	/* Thrice a perfect shuffle of rows i and i + 4. */
	VECTOR_UNROLL
	for (unsigned times = 0; times < 3; times++) {
		VECTOR_UNROLL
		for (unsigned i = 0; i < 4; i++) {
			a[2 * i] =
				__builtin_shufflevector(r[i], r[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
			a[2 * i + 1] =
				__builtin_shufflevector(r[i], r[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
		}
		memcpy(r, a, sizeof(r));
	}
	VECTOR_UNROLL
	for (unsigned i = 0; i < 8; i++)
		memcpy(out + i * out_step, &r[i], sizeof(r[i]));
}

#define SQUARE_8 8u

VECTOR_INLINE void square_8(uint8_t *out, uint64_t out_step, const uint8_t *in, uint64_t in_step)
{
	for (unsigned c = 0; c < 8; c++) {
		uint8_t column[8];

		VECTOR_UNROLL
		for (unsigned r = 0; r < 8; r++)
			column[r] = in[r * in_step + c];
		memcpy(out + c * out_step, column, sizeof(column));
	}
}

static void fetch(const char *in, uint64_t step, unsigned rows, uint64_t size)
{
	for (unsigned r = 0; r < rows; r++)
		for (uint64_t at = 0; at < size; at += CACHE_LINE)
			__builtin_prefetch(in + (AHEAD + r) * step + at);
}

#define TURN(BITS)                                                                                \
	static void turn_##BITS(uint##BITS##_t *out, uint64_t out_step, const uint##BITS##_t *in, \
				uint64_t in_step, uint64_t rows, uint64_t columns)                \
	{                                                                                         \
		const uint64_t square = SQUARE_##BITS, size = BITS / 8;                           \
		uint64_t r = 0;                                                                   \
                                                                                                  \
		for (; r + square <= rows; r += square) {                                         \
			const uint##BITS##_t *from = in + r * in_step;                            \
			uint64_t c = 0;                                                           \
                                                                                                  \
			fetch((const char *)from, in_step *size, SQUARE_##BITS, columns *size);   \
			for (; c + square <= columns; c += square)                                \
				square_##BITS(out + c * out_step + r, out_step, from + c,         \
					      in_step);                                           \
			for (; c < columns; c++)                                                  \
				for (uint64_t i = 0; i < square; i++)                             \
					out[c * out_step + r + i] = from[i * in_step + c];        \
		}                                                                                 \
		for (; r < rows; r++)                                                             \
			for (uint64_t c = 0; c < columns; c++)                                    \
				out[c * out_step + r] = in[r * in_step + c];                      \
	}

TURN(8)
TURN(16)
TURN(32)
TURN(64)

void kernel_turn(size_t size, void *out, uint64_t out_step, const void *in, uint64_t in_step,
		 uint64_t rows, uint64_t columns)
{
	switch (size) {
	case 1:
		turn_8(out, out_step, in, in_step, rows, columns);
		break;
	case 2:
		turn_16(out, out_step, in, in_step, rows, columns);
		break;
	case 4:
		turn_32(out, out_step, in, in_step, rows, columns);
		break;
	default:
		turn_64(out, out_step, in, in_step, rows, columns);
		break;
	}
}
