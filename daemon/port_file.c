#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/port_file.h"

enum status port_file_write(const char *path, const struct listener *listeners, size_t count,
			    struct error *err)
{
	enum status status = STATUS_OK;
	char *temporary;
	bool good = true;
	FILE *file;

	if (asprintf(&temporary, "%s.new", path) < 0)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the port file");
	file = fopen(temporary, "we");
	if (file == NULL) {
		status =
			fail(err, STATUS_BAD_VALUE, "port file %s: %s", temporary, strerror(errno));
		goto free_temporary;
	}
	for (size_t i = 0; i < count; i++)
		good = fprintf(file, "%s\n", listeners[i].text) > 0 && good;
	good = fclose(file) == 0 && good;
	if (!good || rename(temporary, path) != 0) {
		status = fail(err, STATUS_BAD_VALUE, "port file %s: %s", path, strerror(errno));
		unlink(temporary);
	}

free_temporary:
	free(temporary);
	return status;
}
