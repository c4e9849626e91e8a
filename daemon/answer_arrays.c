#include "config.h"
#include "daemon/answer_arrays.h"

#include <stdio.h>
#include <string.h>
#include "engine/arrays.h"
#include "engine/resident.h"

#define PREFIX "/v1/arrays/"

void array_name_of(char out[ARRAY_NAME_SIZE], const char *path)
{
	const char *name = path + strlen(PREFIX);

	snprintf(out, ARRAY_NAME_SIZE, "%.*s", (int)strcspn(name, "/"), name);
}

static enum status answer_one(struct exchange *exchange, struct arrays *arrays, const char *name)
{
	struct resident *array = NULL;
	enum status status = arrays_get(arrays, name, &array, &exchange->error);

	if (status != STATUS_OK)
		return status;
	if (exchange->route->kind == ROUTE_ARRAY_DATA)
		response_of_array_data(&exchange->response, array);
	else
		response_of_array(&exchange->response, array, false);
	resident_release(array);
	return STATUS_OK;
}

enum status answer_arrays(struct exchange *exchange)
{
	struct arrays *arrays = engine_arrays(exchange->service->engine);
	char name[ARRAY_NAME_SIZE];
	enum status status;

	if (exchange->route->kind == ROUTE_ARRAYS) {
		response_of_arrays(&exchange->response, arrays,
				   engine_file_cache(exchange->service->engine));
		return STATUS_OK;
	}
	array_name_of(name, exchange->path);
	if (strcmp(exchange->method, "DELETE") != 0)
		return answer_one(exchange, arrays, name);
	status = arrays_delete(arrays, name, &exchange->error);
	if (status == STATUS_OK)
		exchange->response = (struct response){.status = 204, .fd = -1};
	return status;
}

void answer_stored(struct exchange *exchange)
{
	bool created;
	const struct resident *array = request_stored(exchange->request, &created);

	response_of_array(&exchange->response, array, created);
}
