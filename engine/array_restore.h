/* array_restore.h - the resident arrays of the process before this one. */
#ifndef ENGINE_ARRAY_RESTORE_H
#define ENGINE_ARRAY_RESTORE_H

#include "engine/arrays.h"

/* Reads all that is remembered into memory, before any job. An array whose file
 * changed, or that has no room any more, is there and lost. A record that cannot
 * be read is left as it is, and `tell` hears of it. */
enum status arrays_restore(struct arrays *arrays, void (*tell)(const char *text),
			   struct error *err);

#endif
