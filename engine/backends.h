/* backends.h - which backends this build has: a new one is a folder and a line
 * in backends.c. */
#ifndef ENGINE_BACKENDS_H
#define ENGINE_BACKENDS_H

#include "engine/backend.h"

/* Best first; ends with NULL. */
extern const struct backend_ops *const backends[];

#endif
