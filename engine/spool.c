#include "config.h"
#include "engine/spool.h"
#include "engine/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes that all spools keep in memory: their capacities. */
static atomic_uint_fast64_t total_memory;

struct spool {
	char *memory; /* while fd < 0 */
	uint64_t capacity;
	uint64_t size;

	int fd;
	bool owns_fd;
	uint64_t reserve;
	void *map; /* of the whole file, or NULL */
	uint64_t map_size;

	uint64_t memory_limit;
	uint64_t limit;
	char *directory;
};

static const char *default_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory != NULL && directory[0] != '\0' ? directory : "/var/tmp";
}

struct spool *spool_create(const struct spool_config *config)
{
	struct spool *spool = calloc(1, sizeof(*spool));

	if (spool == NULL)
		return NULL;
	spool->fd = -1;
	spool->memory_limit = config->memory;
	spool->limit = config->limit;
	spool->directory =
		strdup(config->directory != NULL ? config->directory : default_directory());
	if (spool->directory == NULL) {
		free(spool);
		return NULL;
	}
	return spool;
}

struct spool *spool_create_on(int fd, uint64_t reserve, uint64_t limit)
{
	struct spool *spool = calloc(1, sizeof(*spool));

	if (spool == NULL)
		return NULL;
	spool->fd = fd;
	spool->reserve = reserve;
	spool->limit = limit;
	return spool;
}

static void unmap(struct spool *spool)
{
	if (spool->map != NULL)
		munmap(spool->map, spool->map_size);
	spool->map = NULL;
}

static void free_memory(struct spool *spool)
{
	free(spool->memory);
	atomic_fetch_sub(&total_memory, spool->capacity);
	spool->memory = NULL;
	spool->capacity = 0;
}

void spool_destroy(struct spool *spool)
{
	if (spool == NULL)
		return;
	unmap(spool);
	if (spool->owns_fd)
		close(spool->fd);
	free_memory(spool);
	free(spool->directory);
	free(spool);
}

static enum status write_at(const struct spool *spool, uint64_t offset, const void *data,
			    uint64_t size, struct error *err)
{
	return disk_write(spool->fd, spool->reserve + offset, data, size, "a result", err);
}

/* From memory to an unlinked file. */
static enum status spill(struct spool *spool, struct error *err)
{
	enum status status;

	spool->fd = open(spool->directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (spool->fd < 0) {
		char path[512];

		snprintf(path, sizeof(path), "%s/foldd-XXXXXX", spool->directory);
		spool->fd = mkostemp(path, O_CLOEXEC);
		if (spool->fd < 0)
			return fail(err,
				    errno == EMFILE || errno == ENFILE || errno == ENOSPC
					    ? STATUS_OUT_OF_MEMORY
					    : STATUS_INTERNAL,
				    "cannot make a temporary file in %s: %s", spool->directory,
				    strerror(errno));
		unlink(path);
	}
	spool->owns_fd = true;
	status = write_at(spool, 0, spool->memory, spool->size, err);
	if (status != STATUS_OK)
		return status;
	free_memory(spool);
	return STATUS_OK;
}

/* Room for `needed` bytes in memory, or on disk where all spools together have
 * too much. */
static enum status grow(struct spool *spool, uint64_t needed, struct error *err)
{
	uint64_t capacity = spool->capacity > 0 ? spool->capacity : 64;
	uint64_t more;
	char *memory;

	while (capacity < needed)
		capacity *= 2;
	more = capacity - spool->capacity;
	if (atomic_fetch_add(&total_memory, more) + more > SPOOL_TOTAL_MEMORY &&
	    capacity > SPOOL_SMALL) {
		atomic_fetch_sub(&total_memory, more);
		return spill(spool, err);
	}
	memory = realloc(spool->memory, capacity);
	if (memory == NULL) {
		atomic_fetch_sub(&total_memory, more);
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a result of %llu bytes",
			    (unsigned long long)needed);
	}
	spool->memory = memory;
	spool->capacity = capacity;
	return STATUS_OK;
}

enum status spool_write(struct spool *spool, const void *data, uint64_t size, struct error *err)
{
	enum status status = STATUS_OK;

	if (size > spool->limit || spool->size > spool->limit - size)
		return fail(err, STATUS_TOO_LARGE, "more than %llu bytes to keep (limits.spool)",
			    (unsigned long long)spool->limit);
	unmap(spool);
	if (spool->fd < 0 && spool->size + size > spool->memory_limit)
		status = spill(spool, err);
	else if (spool->fd < 0 && spool->size + size > spool->capacity)
		status = grow(spool, spool->size + size, err);
	if (status != STATUS_OK)
		return status;

	if (spool->fd >= 0) {
		status = write_at(spool, spool->size, data, size, err);
		if (status != STATUS_OK)
			return status;
	} else if (size > 0) {
		memcpy(spool->memory + spool->size, data, size);
	}
	spool->size += size;
	return STATUS_OK;
}

uint64_t spool_size(const struct spool *spool)
{
	return spool->size;
}

enum status spool_read(const struct spool *spool, uint64_t offset, void *out, uint64_t size,
		       struct error *err)
{
	uint64_t got;
	int failed;

	if (offset > spool->size || size > spool->size - offset)
		return fail(err, STATUS_INTERNAL, "read beyond the end of a spool");
	if (spool->fd < 0) {
		if (size > 0)
			memcpy(out, spool->memory + offset, size);
		return STATUS_OK;
	}
	failed = disk_read(spool->fd, spool->reserve + offset, out, size, &got);
	if (failed != 0 || got < size)
		return fail(err, STATUS_INTERNAL, "cannot read a result back: %s",
			    failed != 0 ? strerror(failed) : "it ends early");
	return STATUS_OK;
}

const void *spool_data(struct spool *spool)
{
	if (spool->size == 0)
		return NULL;
	if (spool->fd < 0)
		return spool->memory;
	if (spool->map == NULL) {
		void *map;

		spool->map_size = spool->reserve + spool->size;
		map = mmap(NULL, spool->map_size, PROT_READ, MAP_SHARED, spool->fd, 0);
		if (map == MAP_FAILED)
			return NULL;
		spool->map = map;
	}
	return (const char *)spool->map + spool->reserve;
}

int spool_fd(const struct spool *spool)
{
	return spool->fd;
}
