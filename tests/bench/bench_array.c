#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/bench/bench_array.h"

#define HUGE_PAGE ((size_t)2 << 20)

static struct bench_array *slot_of(struct bench_arrays *arrays, const char *name)
{
	for (unsigned i = 0; i < BENCH_ARRAYS; i++)
		if (strcmp(arrays->all[i].name, name) == 0)
			return &arrays->all[i];
	return NULL;
}

const struct bench_array *bench_array_find(const struct bench_arrays *arrays, const char *name)
{
	if (*name == '\0')
		return NULL;
	return slot_of((struct bench_arrays *)arrays, name);
}

/* The same as the peers' arrays get: whole huge pages, asked for. */
static enum status map_elements(struct bench_array *array, size_t size, struct error *err)
{
	size_t map_size = (size + 2 * HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	void *map =
		mmap(NULL, map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t start;

	if (map == MAP_FAILED)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %zu bytes: %s", size,
			    strerror(errno));
	/* Without huge pages in the kernel the call fails, for peers too. */
	(void)madvise(map, map_size, MADV_HUGEPAGE);
	start = ((uintptr_t)map + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	array->map = map;
	array->map_size = map_size;
	array->elements = (char *)map + (start - (uintptr_t)map);
	return STATUS_OK;
}

enum status bench_array_load(struct bench_arrays *arrays, const char *name,
			     const struct array_desc *desc, uint64_t copies, FILE *stream,
			     struct error *err)
{
	struct bench_array array = {.desc = *desc};
	struct bench_array *slot = slot_of(arrays, "");
	uint64_t block_size;
	size_t size;
	enum status status;

	if (strlen(name) >= sizeof(array.name) || bench_array_find(arrays, name) != NULL)
		return fail(err, STATUS_ARRAY_EXISTS, "%s is too long or there already", name);
	if (slot == NULL)
		return fail(err, STATUS_QUEUE_FULL, "there are %u arrays already", BENCH_ARRAYS);
	if (desc->ndim == 0 || copies == 0 ||
	    __builtin_mul_overflow(desc->shape[0], copies, &array.desc.shape[0]))
		return fail(err, STATUS_BAD_SHAPE, "no axis, or too many copies");
	status = array_count(&array.desc, &array.count, err);
	if (status != STATUS_OK)
		return status;
	size = array.count * dtype_size(desc->dtype);
	block_size = size / copies;
	status = map_elements(&array, size, err);
	if (status != STATUS_OK)
		return status;
	if (fread(array.elements, 1, block_size, stream) != block_size) {
		munmap(array.map, array.map_size);
		return fail(err, STATUS_FILE_TRUNCATED, "the elements of %s end early", name);
	}
	for (uint64_t i = 1; i < copies; i++)
		memcpy((char *)array.elements + i * block_size, array.elements, block_size);
	strcpy(array.name, name);
	*slot = array;
	return STATUS_OK;
}

enum status bench_array_drop(struct bench_arrays *arrays, const char *name, struct error *err)
{
	struct bench_array *slot = *name == '\0' ? NULL : slot_of(arrays, name);

	if (slot == NULL)
		return fail(err, STATUS_NO_SUCH_ARRAY, "no array %s", name);
	munmap(slot->map, slot->map_size);
	memset(slot, 0, sizeof(*slot));
	return STATUS_OK;
}

void bench_arrays_deinit(struct bench_arrays *arrays)
{
	for (unsigned i = 0; i < BENCH_ARRAYS; i++)
		if (arrays->all[i].name[0] != '\0')
			(void)bench_array_drop(arrays, arrays->all[i].name, NULL);
}
