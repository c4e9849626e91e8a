#include "config.h"
#include "engine/job.h"

const char *determinism_name(enum determinism determinism)
{
	switch (determinism) {
	case DETERMINISM_NONE:
		return "none";
	case DETERMINISM_EXACT:
		return "exact";
	case DETERMINISM_ORDERED:
		break;
	}
	return "ordered";
}

bool job_nulls(const struct job *job, enum status status)
{
	if (status == STATUS_EMPTY_INPUT)
		return job->empty_null || job->partial;
	return status == STATUS_INTEGER_OVERFLOW && job->partial;
}
