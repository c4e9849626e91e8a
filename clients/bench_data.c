#include "config.h"
#include <math.h>
#include <stdlib.h>
#include "clients/bench_data.h"

#define SCALE 0x1p-10

static int64_t integer_at(uint64_t index)
{
	/* The high bits of a product by the golden ratio (Knuth, 6.4). */
	return (int64_t)(index * 0x9e3779b97f4a7c15u >> 44) - (1 << 19);
}

bool bench_data_init(struct bench_data *out, enum dtype dtype, uint64_t count)
{
	struct bench_data data = {.dtype = dtype, .count = count};
	size_t size;
	int64_t sum = 0, max = INT64_MIN;
	unsigned __int128 squares = 0;
	double mean;

	if (__builtin_mul_overflow(count, dtype_size(dtype), &size))
		return false;
	data.elements = malloc(size == 0 ? 1 : size);
	if (data.elements == NULL)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		int64_t k = integer_at(i);

		if (dtype == DTYPE_FLOAT32)
			((float *)data.elements)[i] = (float)((double)k * SCALE);
		else
			((double *)data.elements)[i] = (double)k * SCALE;
		sum += k;
		squares += (uint64_t)(k * k);
		max = k > max ? k : max;
	}
	mean = (double)sum / (double)count;
	data.sum = (double)sum * SCALE;
	data.max = (double)max * SCALE;
	data.l2 = sqrt((double)squares) * SCALE;
	data.var = ((double)squares / (double)count - mean * mean) * SCALE * SCALE;
	*out = data;
	return true;
}

void bench_data_deinit(struct bench_data *data)
{
	free(data->elements);
	data->elements = NULL;
}

struct source *bench_data_source(const struct bench_data *data)
{
	struct array_desc desc = {.dtype = data->dtype, .ndim = 1, .shape = {data->count}};

	return source_over_memory(&desc, data->elements);
}
