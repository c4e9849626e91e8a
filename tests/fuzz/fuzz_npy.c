/* Any bytes as a .npy header: refused, or understood and then written and read
 * again without change. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "proto/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "fuzz_npy: %s\n", what);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum dtype brain = DTYPE_BFLOAT16;
	struct npy_header header, again;
	struct error err = {0};
	char written[1024];
	uint64_t whole, count;
	const enum dtype *as = NULL;
	enum status status = npy_header_parse(&header, data, size, NULL, &err);

	if (status == STATUS_BAD_DTYPE) {
		as = &brain;
		status = npy_header_parse(&header, data, size, as, &err);
	}
	check(status == STATUS_OK || status == STATUS_BAD_NPY || status == STATUS_BAD_DTYPE,
	      "an error that is not the header's");
	if (status != STATUS_OK) {
		check(err.text[0] != '\0', "no explanation");
		return 0;
	}
	check(npy_header_size(data, size, &whole, &err) == STATUS_OK && whole == header.data_offset,
	      "two sizes of one header");
	check(array_count(&header.desc, &count, &err) == STATUS_OK, "a shape without a size");
	npy_header_write(written, npy_header_room(header.desc.ndim), &header.desc);
	check(npy_header_parse(&again, written, npy_header_room(header.desc.ndim), as, &err) ==
		      STATUS_OK,
	      "what was written cannot be read");
	check(again.desc.dtype == header.desc.dtype && again.desc.ndim == header.desc.ndim &&
		      again.desc.fortran == header.desc.fortran && !again.swap &&
		      memcmp(again.desc.shape, header.desc.shape,
			     header.desc.ndim * sizeof(uint64_t)) == 0,
	      "what was read is another array");
	return 0;
}
