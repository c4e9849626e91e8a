/* quantity.h - numbers with units in configuration: sizes (K, M, G, T: powers
 * of 1024), durations (ns, us, ms, s, min), modes (octal), yes and no. */
#ifndef DAEMON_QUANTITY_H
#define DAEMON_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False when text is no such thing, or does not fit. */
bool quantity_count(const char *text, uint64_t *out);
bool quantity_size(const char *text, uint64_t *out);     /* bytes */
bool quantity_duration(const char *text, uint64_t *out); /* ns; 0 needs no unit */
bool quantity_mode(const char *text, uint64_t *out);
bool quantity_bool(const char *text, uint64_t *out); /* 0 or 1 */

/* The shortest text that reads back as the value. */
#define QUANTITY_TEXT 32u
void quantity_write_size(char out[QUANTITY_TEXT], uint64_t size);
void quantity_write_duration(char out[QUANTITY_TEXT], uint64_t ns);

#endif
