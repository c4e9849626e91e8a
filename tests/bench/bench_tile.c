#include "config.h"

#include <stdlib.h>
#include "engine/accum.h"
#include "engine/clock.h"
#include "engine/order.h"
#include "tests/bench/bench_tile.h"

_Static_assert(BENCH_TILE <= ORDER_TILE, "one call takes it");

struct sums {
	const struct accum_class *class;
	const struct bench_array *array;
	void *work; /* of the class, open */
	double *out;
};

static void sum_tile(struct sums *sums, uint64_t index)
{
	const struct accum_class *class = sums->class;
	const struct accum_args args = {.domain = DOMAIN_F64};
	const uint64_t first = index * BENCH_TILE;
	bool single = sums->array->desc.dtype == DTYPE_FLOAT32;
	struct tile tile = {.count = BENCH_TILE, .position = first};
	struct exactsum sum;
	float rounded;

	class->work_init(sums->work);
	if (single) {
		tile.x = (const float *)sums->array->elements + first;
		class->tile_f32(sums->work, &tile, &args);
	} else {
		tile.x = (const double *)sums->array->elements + first;
		class->tile(sums->work, &tile, &args);
	}
	class->init(&sum);
	class->work_end(sums->work, &sum);
	if (single) {
		exactsum_round(&sum, DTYPE_FLOAT32, &rounded);
		sums->out[index] = (double)rounded;
	} else {
		exactsum_round(&sum, DTYPE_FLOAT64, &sums->out[index]);
	}
}

static void run_all(struct sums *sums, unsigned rounds, unsigned runs, double *ns)
{
	uint64_t tiles = sums->array->count / BENCH_TILE;

	for (unsigned run = 0; run < runs; run++) {
		uint64_t start = clock_ns();

		for (unsigned round = 0; round < rounds; round++)
			for (uint64_t i = 0; i < tiles; i++)
				sum_tile(sums, i);
		ns[run] = (double)(clock_ns() - start) / (double)(rounds * tiles);
	}
}

enum status bench_tile_run(const struct bench_array *array, unsigned rounds, unsigned runs,
			   double *ns, struct bench_values *out, struct error *err)
{
	struct sums sums = {.class = accum_class(ACCUM_EXACT_SUM, DOMAIN_F64), .array = array};
	uint64_t tiles = array->count / BENCH_TILE;
	enum dtype dtype = array->desc.dtype;

	if (tiles == 0 || array->count % BENCH_TILE != 0)
		return fail(err, STATUS_BAD_SHAPE, "%s is no number of tiles of %u", array->name,
			    BENCH_TILE);
	if (dtype != DTYPE_FLOAT64 && dtype != DTYPE_FLOAT32)
		return fail(err, STATUS_BAD_DTYPE, "no exact sum of tiles of %s",
			    dtype_name(dtype));
	sums.work = aligned_alloc(64, (sums.class->work_size + 63) / 64 * 64);
	sums.out = calloc(tiles, sizeof(*sums.out));
	if (sums.work == NULL || sums.out == NULL) {
		free(sums.work);
		free(sums.out);
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for %llu sums",
			    (unsigned long long)tiles);
	}
	run_all(&sums, rounds, runs, ns);
	free(sums.work);
	*out = (struct bench_values){sums.out, tiles};
	return STATUS_OK;
}
