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
