#include "config.h"
#include "engine/disk.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Most bytes of one call: the kernel takes little more. */
#define PIECE_SIZE (UINT64_C(1) << 30)

static size_t piece_of(uint64_t size)
{
	return size < PIECE_SIZE ? (size_t)size : (size_t)PIECE_SIZE;
}

enum status disk_write(int fd, uint64_t offset, const void *data, uint64_t size, const char *what,
		       struct error *err)
{
	const char *next = data;

	while (size > 0) {
		ssize_t done = pwrite(fd, next, piece_of(size), (off_t)offset);
		int why = done < 0 ? errno : ENOSPC;

		if (done < 0 && why == EINTR)
			continue;
		if (done <= 0)
			return fail(err,
				    why == ENOSPC || why == EDQUOT || why == EFBIG
					    ? STATUS_OUT_OF_MEMORY
					    : STATUS_INTERNAL,
				    "cannot write %s to disk: %s", what, strerror(why));
		next += done;
		offset += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return STATUS_OK;
}

int disk_read(int fd, uint64_t offset, void *out, uint64_t size, uint64_t *got)
{
	char *next = out;

	*got = 0;
	while (*got < size) {
		ssize_t done = pread(fd, next, piece_of(size - *got), (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return errno;
		if (done == 0)
			break;
		next += done;
		offset += (uint64_t)done;
		*got += (uint64_t)done;
	}
	return 0;
}
