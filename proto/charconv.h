/* charconv.h - the C face of std::from_chars() and std::to_chars(): no locale,
 * no allocation, nothing that fails. The one C++ file is behind it. */
#ifndef PROTO_CHARCONV_H
#define PROTO_CHARCONV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CHARCONV_ROOM 32u /* enough for any text but charconv_round_f64()'s */

/* The number at begin, rounded once to the type: +-inf beyond its range, +-0 when
 * too small. Returns what follows it. The caller has seen a digit first, but for
 * a '-', and a digit behind the '.': from_chars() would take more than JSON. */
const char *charconv_read_f64(const char *begin, const char *end, double *out);
const char *charconv_read_f32(const char *begin, const char *end, float *out);

/* A finite value as d.ddde+XX with the fewest digits that read back as it.
 * These and the following return the size; no final 0 is written. */
size_t charconv_write_f64(char *out, double value);
size_t charconv_write_f32(char *out, float value);

/* The same, rounded to `precision` digits after the point: CHARCONV_ROOM plus
 * so many bytes. */
size_t charconv_round_f64(char *out, double value, unsigned precision);

size_t charconv_write_i64(char *out, int64_t value);
size_t charconv_write_u64(char *out, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
