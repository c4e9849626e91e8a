/* disk.h - reading and writing a descriptor at an offset, all of it. */
#ifndef ENGINE_DISK_H
#define ENGINE_DISK_H

#include <stdint.h>
#include "engine/status.h"

/* STATUS_OUT_OF_MEMORY when the disk is full, else STATUS_INTERNAL; `what`
 * names what is written ("a result"). */
enum status disk_write(int fd, uint64_t offset, const void *data, uint64_t size, const char *what,
		       struct error *err);

/* 0, or an errno. *got is less than size at the end of the file. */
int disk_read(int fd, uint64_t offset, void *out, uint64_t size, uint64_t *got);

#endif
