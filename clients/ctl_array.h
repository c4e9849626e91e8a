/* ctl_array.h - the options that say where the arrays are. */
#ifndef CLIENTS_CTL_ARRAY_H
#define CLIENTS_CTL_ARRAY_H

#include <stdbool.h>
#include "clients/ctl_exit.h"
#include "clients/ctl_job.h"

enum ctl_array_option {
	CTL_ARRAY_FILE,
	CTL_ARRAY_PATH,
	CTL_ARRAY_PATHS,
	CTL_ARRAY_NAME,
	CTL_ARRAY_SLICE,
	CTL_ARRAY_DTYPE,
	CTL_ARRAY_SHAPE,
	CTL_ARRAY_BYTEORDER,
	CTL_ARRAY_OFFSET,
	CTL_ARRAY_FORMAT,
	CTL_ARRAY_WITH,
	CTL_ARRAY_WITH_FILE,
	CTL_ARRAY_WITH_PATH,
	CTL_ARRAY_WITH_ARRAY,
	CTL_ARRAY_SEGMENTS_FILE,
	CTL_ARRAY_SEGMENTS_PATH,
	CTL_ARRAY_SEGMENTS_ARRAY,
	CTL_ARRAY_OPTION_COUNT
};

/* Of those, whether it says where an array to be kept comes from. */
bool ctl_array_option_is_source(enum ctl_array_option option);

const char *ctl_array_option_name(enum ctl_array_option option);
enum ctl_exit ctl_array_set(enum ctl_array_option option, struct ctl_job *job, const char *value);

/* An operand after the operations: a number, a JSON array, or "-". */
enum ctl_exit ctl_array_operand(struct ctl_job *job, const char *operand);

/* All options were read: the first array is there, and complete. */
enum ctl_exit ctl_array_end(struct ctl_job *job);

#endif
