#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "daemon/beneath.h"

/* Tries while somebody renames directories on the way (EAGAIN, openat2(2)). */
#define TRIES 64

int beneath_open(int directory, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC | O_NOCTTY),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	if ((flags & O_PATH) != 0)
		how.flags &= ~(uint64_t)O_NOCTTY; /* openat2 refuses the pair */
	for (int i = 0; i < TRIES; i++) {
		fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return (int)fd;
}

bool beneath_works(void)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = root < 0 ? -1 : beneath_open(root, ".", O_PATH);
	bool works = fd >= 0;

	if (fd >= 0)
		close(fd);
	if (root >= 0)
		close(root);
	return works;
}

enum status beneath_fail(struct error *err, const char *path, int error)
{
	switch (error) {
	case EXDEV:
		return fail(err, STATUS_PATH_FORBIDDEN, "%s leads out of its root", path);
	case ELOOP:
		return fail(err, STATUS_PATH_FORBIDDEN, "%s goes through too many links", path);
	case ENOENT:
	case ENOTDIR:
		return fail(err, STATUS_FILE_NOT_FOUND, "%s: %s", path, strerror(error));
	case ENAMETOOLONG:
		return fail(err, STATUS_BAD_VALUE, "the path is too long");
	case ENOMEM:
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory to open %s", path);
	case EMFILE:
	case ENFILE:
	case EAGAIN:
		return fail(err, STATUS_INTERNAL, "cannot open %s: %s", path, strerror(error));
	default:
		return fail(err, STATUS_FILE_UNREADABLE, "%s: %s", path, strerror(error));
	}
}
