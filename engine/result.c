#include "config.h"
#include "engine/result.h"

#include <stdlib.h>
#include "engine/partial.h"

const char *combine_name(enum combine combine)
{
	switch (combine) {
	case COMBINE_ATOMIC:
		return "atomic";
	case COMBINE_TWO_PASS:
		return "two-pass";
	case COMBINE_SUPERACCUMULATOR:
		return "superaccumulator";
	case COMBINE_INTEGER:
		return "integer";
	case COMBINE_ORDER_FREE:
		break;
	}
	return "order-free";
}

struct result *result_create(unsigned operations)
{
	return calloc(1, sizeof(struct result) + operations * sizeof(struct result_op));
}

void result_destroy(struct result *result)
{
	if (result == NULL)
		return;
	for (unsigned i = 0; i < result->op_count; i++) {
		spool_destroy(result->ops[i].data);
		spool_destroy(result->ops[i].nulls);
	}
	spool_destroy(result->counts);
	partial_destroy(result->partial);
	free(result);
}
