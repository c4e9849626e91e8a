#include "config.h"
#include "proto/request_parts.h"

#include "engine/resident.h"

enum status store_start(struct request *request, const struct request_args *args, struct error *err)
{
	return upload_create(engine_arrays(request->engine), args->array, args->only_new,
			     &request->upload, err);
}

void store_deinit(struct request *request)
{
	upload_destroy(request->upload);
	resident_release(request->stored);
}

void store_commit(struct request *request, struct task *task)
{
	struct error why = {0};

	if (task->upload == NULL || task->error.status != STATUS_OK)
		return;
	if (upload_commit(task->upload, &request->stored_new, &request->stored, &why) != STATUS_OK)
		task_refuse(task, &why);
}

const struct resident *request_stored(const struct request *request, bool *created)
{
	*created = request->stored_new;
	return request->stored;
}
