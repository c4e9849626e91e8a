#include "config.h"

#include <stdlib.h>
#include "proto/file_access.h"

void file_list_free(struct file_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->paths[i]);
	free(list->paths);
	*list = (struct file_list){0};
}
