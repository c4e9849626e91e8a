/* fake_kernels.c - gpu/kernels/launch.h in plain C over host memory, one element
 * after another: by the oracle and the scalar functions of engine/. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/oracle.h"
#include "cpu/scan.h"
#include "cpu/simd.h"
#include "engine/extreme.h"
#include "gpu/kernels/fault.h"
#include "gpu/kernels/launch.h"
#include "tests/unit/gpu/fake_cuda.h"

/* --- lines of any layout ---------------------------------------------------------- */

/* One line, its elements gathered: in their domain, and where they came from. */
struct gathered {
	double *f, *g; /* of floats: x and y */
	int64_t *i, *j;
	uint64_t *position; /* stored */
	uint64_t count;
};

typedef void (*on_line)(const struct gathered *line, uint64_t number, void *context);

static void *array(uint64_t count)
{
	void *out = malloc(count * 8 + 8);

	if (out == NULL)
		abort();
	return out;
}

static void gather(struct gathered *line, const struct elements *elements)
{
	size_t size = dtype_size(elements->dtype);
	bool floats = dtype_is_float(elements->dtype);
	enum domain domain = floats ? DOMAIN_F64 : dtype_domain(elements->dtype);

	line->f = array(line->count);
	line->g = array(line->count);
	line->i = (int64_t *)line->f;
	line->j = (int64_t *)line->g;
	for (uint64_t k = 0; k < line->count; k++) {
		uint64_t at = line->position[k] * size;

		simd_kernels()->widen(elements->dtype, (const char *)elements->x + at, 1, domain,
				      line->f + k);
		if (elements->y != NULL)
			simd_kernels()->widen(elements->dtype, (const char *)elements->y + at, 1,
					      domain, line->g + k);
	}
}

static void do_line(struct gathered *line, const struct elements *elements, uint64_t number,
		    on_line what, void *context)
{
	gather(line, elements);
	what(line, number, context);
	free(line->f);
	free(line->g);
	free(line->position);
}

static void each_line(const struct elements *elements, const struct lines *lines, on_line what,
		      void *context)
{
	for (uint64_t l = 0; l < lines->lines; l++) {
		uint64_t begin = l * lines->length, end = begin + lines->length;
		struct gathered line;

		if (lines->offsets != NULL) {
			begin = (uint64_t)lines->offsets[l];
			end = (uint64_t)lines->offsets[l + 1];
		}
		if (end > lines->elements)
			abort();
		line.count = end - begin;
		line.position = array(line.count);
		for (uint64_t k = 0; k < line.count; k++)
			line.position[k] = begin + k;
		do_line(&line, elements, l, what, context);
	}
}

static uint64_t stored_position(const struct grid *grid, uint64_t number, uint64_t k)
{
	uint64_t position = 0, stride = 1;

	for (unsigned d = grid->ndim; d-- > 0;) {
		uint64_t *digits = grid->dim[d].reduced ? &k : &number;

		position += *digits % grid->dim[d].length * stride;
		*digits /= grid->dim[d].length;
		stride *= grid->dim[d].length;
	}
	return position;
}

static void each_grid_line(const struct elements *elements, const struct grid *grid, on_line what,
			   void *context)
{
	for (uint64_t l = 0; l < grid->lines; l++) {
		struct gathered line = {.count = grid->length, .position = array(grid->length)};

		for (uint64_t k = 0; k < line.count; k++)
			line.position[k] = stored_position(grid, l, k);
		do_line(&line, elements, l, what, context);
	}
}

static struct grid grid_of(const struct columns *columns)
{
	return (struct grid){
		.ndim = 3,
		.dim = {{columns->outer, false}, {columns->length, true}, {columns->inner, false}},
		.lines = columns->outer * columns->inner,
		.length = columns->length,
	};
}

/* --- ordered ------------------------------------------------------------------------ */

struct reduction {
	enum accum accum;
	enum domain domain;
	enum oracle_order order;
	const struct elements *elements;
	const struct index_map *map;
	void *values;
};

static void *value_of(const struct reduction *reduction, uint64_t number)
{
	return (char *)reduction->values + number * accum_size(reduction->accum);
}

static void reduce_ordered(const struct gathered *line, uint64_t number, void *context)
{
	struct reduction *reduction = context;

	if (oracle_reduce(reduction->accum, reduction->order, line->f,
			  reduction->elements->y != NULL ? line->g : NULL, line->count,
			  reduction->elements->p, reduction->elements->omit,
			  value_of(reduction, number), NULL) != STATUS_OK)
		abort();
}

size_t ordered_lines_scratch(enum accum accum, const struct lines *lines)
{
	(void)accum, (void)lines;
	return 1000;
}

static bool may_be_ordered(const struct elements *elements)
{
	return dtype_is_float(elements->dtype);
}

cudaError_t ordered_lines(const struct launch *launch, enum accum accum,
			  const struct elements *elements, const struct lines *lines, void *values)
{
	struct reduction reduction = {accum, DOMAIN_F64, ORACLE_CANONICAL, elements, NULL, values};

	(void)launch;
	if (!may_be_ordered(elements))
		return cudaErrorInvalidValue;
	each_line(elements, lines, reduce_ordered, &reduction);
	return cudaSuccess;
}

size_t ordered_columns_scratch(enum accum accum, const struct columns *columns)
{
	(void)accum, (void)columns;
	return 1000;
}

cudaError_t ordered_columns(const struct launch *launch, enum accum accum,
			    const struct elements *elements, const struct columns *columns,
			    void *values)
{
	struct grid grid = grid_of(columns);

	return ordered_grid(launch, accum, elements, &grid, values);
}

size_t ordered_grid_scratch(enum accum accum, const struct grid *grid)
{
	(void)accum, (void)grid;
	return 1000;
}

cudaError_t ordered_grid(const struct launch *launch, enum accum accum,
			 const struct elements *elements, const struct grid *grid, void *values)
{
	struct reduction reduction = {accum, DOMAIN_F64, ORACLE_STRIDED, elements, NULL, values};

	(void)launch;
	if (!may_be_ordered(elements))
		return cudaErrorInvalidValue;
	each_grid_line(elements, grid, reduce_ordered, &reduction);
	return cudaSuccess;
}

cudaError_t atomic_sum(const struct launch *launch, enum accum accum,
		       const struct elements *elements, uint64_t count, void *value)
{
	const struct lines all = {.lines = 1, .length = count, .elements = count};

	return ordered_lines(launch, accum, elements, &all, value);
}

/* --- free ---------------------------------------------------------------------------- */

static bool is_left_out(const struct elements *elements, const struct gathered *line, uint64_t k)
{
	return elements->omit && (isnan(line->f[k]) || (elements->y != NULL && isnan(line->g[k])));
}

static void add_exact(void *value, enum accum accum, double x, double y)
{
	struct exact_moments *moments = value;

	switch (accum) {
	case ACCUM_EXACT_SUM:
		exactsum_add(value, x);
		break;
	case ACCUM_EXACT_ABS:
		exactsum_add(value, fabs(x));
		break;
	case ACCUM_EXACT_SQUARE:
		exactsum_add_product(value, x, x);
		break;
	case ACCUM_EXACT_DOT:
		exactsum_add_product(value, x, y);
		break;
	default:
		exactsum_add(&moments->sum, x);
		exactsum_add_product(&moments->squares, x, x);
		break;
	}
}

static void add_integer(void *value, enum accum accum, bool is_signed, int64_t x, int64_t y)
{
	__int128 wide = is_signed ? x : (__int128)(uint64_t)x;
	unsigned __int128 magnitude = (unsigned __int128)(wide < 0 ? -wide : wide);
	struct int_moments *moments = value;

	switch (accum) {
	case ACCUM_INT_SUM:
		int192_add_i128(value, wide);
		break;
	case ACCUM_INT_ABS:
		int192_add_u128(value, magnitude);
		break;
	case ACCUM_INT_SQUARE:
		int192_add_u128(value, magnitude * magnitude);
		break;
	case ACCUM_INT_DOT:
		if (is_signed)
			int192_add_i128(value, (__int128)x * y);
		else
			int192_add_u128(value, (unsigned __int128)(uint64_t)x * (uint64_t)y);
		break;
	case ACCUM_INT_PROD:
		if (is_signed)
			intprod_mul_i64(value, x);
		else
			intprod_mul_u64(value, (uint64_t)x);
		break;
	default:
		int192_add_i128(&moments->sum, wide);
		int192_add_u128(&moments->squares, magnitude * magnitude);
		break;
	}
}

static uint64_t bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static uint64_t c_index(const struct index_map *map, uint64_t position)
{
	struct array_desc desc = {.fortran = true};

	if (map == NULL || map->ndim == 0)
		return position;
	desc.ndim = map->ndim;
	memcpy(desc.shape, map->shape, map->ndim * sizeof(*map->shape));
	return layout_c_index(&desc, position);
}

static void offer(struct extreme *e, const struct reduction *r, const struct gathered *line,
		  uint64_t k)
{
	bool max = r->accum != ACCUM_MIN;
	uint64_t index = c_index(r->map, k);

	if (r->domain == DOMAIN_F64) {
		double x = r->accum == ACCUM_MAX_ABS ? fabs(line->f[k]) : line->f[k];

		if (isnan(x))
			extreme_offer_nan(e, bits_of(x), index);
		else
			extreme_offer(e, bits_of(x), index, max, extreme_f64_less);
	} else if (r->accum == ACCUM_MAX_ABS) {
		bool negative = r->domain == DOMAIN_I64 && line->i[k] < 0;
		uint64_t magnitude = negative ? 0 - (uint64_t)line->i[k] : (uint64_t)line->i[k];

		extreme_offer(e, magnitude, index, true, extreme_u64_less);
	} else {
		extreme_offer(e, (uint64_t)line->i[k], index, max,
			      r->domain == DOMAIN_I64 ? extreme_i64_less : extreme_u64_less);
	}
}

static void init_free(void *value, enum accum accum)
{
	struct exact_moments *moments = value;

	memset(value, 0, accum_size(accum));
	if (accum >= ACCUM_EXACT_SUM && accum <= ACCUM_EXACT_DOT)
		exactsum_init(value);
	if (accum == ACCUM_EXACT_MOMENTS) {
		exactsum_init(&moments->sum);
		exactsum_init(&moments->squares);
	}
	if (accum == ACCUM_INT_PROD)
		intprod_init(value);
}

static void reduce_free(const struct gathered *line, uint64_t number, void *context)
{
	struct reduction *r = context;
	void *value = value_of(r, number);
	struct tally *tally = value;

	init_free(value, r->accum);
	for (uint64_t k = 0; k < line->count; k++) {
		if (r->domain == DOMAIN_F64 && is_left_out(r->elements, line, k))
			continue;
		if (r->accum <= ACCUM_EXACT_MOMENTS)
			add_exact(value, r->accum, line->f[k], line->g[k]);
		else if (r->accum <= ACCUM_INT_MOMENTS)
			add_integer(value, r->accum, r->domain == DOMAIN_I64, line->i[k],
				    line->j[k]);
		else if (r->accum == ACCUM_TALLY)
			tally->nonzero +=
				r->domain == DOMAIN_F64 ? line->f[k] != 0 : line->i[k] != 0;
		else
			offer(value, r, line, k);
	}
}

size_t free_lines_scratch(enum accum accum, enum domain domain, const struct lines *lines)
{
	(void)accum, (void)domain, (void)lines;
	return 1000;
}

cudaError_t free_lines(const struct launch *launch, enum accum accum, enum domain domain,
		       const struct elements *elements, const struct lines *lines,
		       const struct index_map *map, void *values)
{
	struct reduction reduction = {accum, domain, ORACLE_CANONICAL, elements, map, values};

	(void)launch;
	if (dtype_domain(elements->dtype) != domain)
		return cudaErrorInvalidValue;
	each_line(elements, lines, reduce_free, &reduction);
	return cudaSuccess;
}

size_t free_grid_scratch(enum accum accum, enum domain domain, const struct grid *grid)
{
	(void)accum, (void)domain, (void)grid;
	return 1000;
}

cudaError_t free_grid(const struct launch *launch, enum accum accum, enum domain domain,
		      const struct elements *elements, const struct grid *grid, void *values)
{
	struct reduction reduction = {accum, domain, ORACLE_STRIDED, elements, NULL, values};

	(void)launch;
	if (dtype_domain(elements->dtype) != domain)
		return cudaErrorInvalidValue;
	each_grid_line(elements, grid, reduce_free, &reduction);
	return cudaSuccess;
}

/* --- several of one line, each alone ------------------------------------------------------ */

size_t ordered_family_scratch(unsigned mask, uint64_t count)
{
	(void)mask, (void)count;
	return 1000;
}

cudaError_t ordered_family(const struct launch *launch, unsigned mask,
			   const struct elements *elements, uint64_t count,
			   struct ordered_family_values *values)
{
	const struct lines all = {.lines = 1, .length = count, .elements = count};
	const struct {
		enum accum accum;
		void *value;
	} members[] = {
		{ACCUM_SUM, &values->sum},         {ACCUM_ABS, &values->abs},
		{ACCUM_SQUARE, &values->square},   {ACCUM_SCALED, &values->scaled},
		{ACCUM_MOMENTS, &values->moments}, {ACCUM_MIN, &values->min},
		{ACCUM_MAX, &values->max},
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if ((mask >> members[i].accum & 1) == 0)
			continue;
		if (members[i].accum <= ACCUM_LOGSUM)
			ordered_lines(launch, members[i].accum, elements, &all, members[i].value);
		else
			free_lines(launch, members[i].accum, DOMAIN_F64, elements, &all, NULL,
				   members[i].value);
	}
	return cudaSuccess;
}

/* --- NaNs ------------------------------------------------------------------------------ */

struct nan_search {
	const struct elements *elements;
	struct nan_found *found;
};

static void find_nans(const struct gathered *line, uint64_t number, void *context)
{
	struct nan_search *search = context;
	struct nan_found found = {0, UINT64_MAX};

	for (uint64_t k = 0; k < line->count; k++) {
		if (!isnan(line->f[k]) && (search->elements->y == NULL || !isnan(line->g[k])))
			continue;
		if (found.count++ == 0)
			found.first = line->position[k];
	}
	search->found[number] = found;
}

cudaError_t nan_lines(const struct launch *launch, const struct elements *elements,
		      const struct lines *lines, struct nan_found *found)
{
	struct nan_search search = {elements, found};

	(void)launch;
	each_line(elements, lines, find_nans, &search);
	return cudaSuccess;
}

cudaError_t nan_grid(const struct launch *launch, const struct elements *elements,
		     const struct grid *grid, struct nan_found *found)
{
	struct nan_search search = {elements, found};

	(void)launch;
	each_grid_line(elements, grid, find_nans, &search);
	return cudaSuccess;
}

struct first_search {
	const struct elements *elements;
	const struct index_map *map;
	uint64_t *first;
};

static void find_first(const struct gathered *line, uint64_t number, void *context)
{
	struct first_search *search = context;

	(void)number;
	for (uint64_t k = 0; k < line->count; k++) {
		uint64_t index = c_index(search->map, k);

		if ((isnan(line->f[k]) || (search->elements->y != NULL && isnan(line->g[k]))) &&
		    index < *search->first)
			*search->first = index;
	}
}

cudaError_t nan_first(const struct launch *launch, const struct elements *elements, uint64_t count,
		      const struct index_map *map, uint64_t *first)
{
	const struct lines all = {.lines = 1, .length = count, .elements = count};
	struct first_search search = {elements, map, first};

	(void)launch;
	*first = UINT64_MAX;
	each_line(elements, &all, find_first, &search);
	return cudaSuccess;
}

/* --- scans -------------------------------------------------------------------------------- */

struct scanned {
	const struct scan_job *job;
	void *out;
	uint64_t *overflow;
};

static void scan_line(const struct gathered *line, uint64_t number, void *context)
{
	struct scanned *scanned = context;
	const struct scan_job *job = scanned->job;
	const struct scan_args args = {job->op,   job->domain,    job->result,  job->exact,
				       job->omit, job->exclusive, job->overflow};
	size_t size = dtype_size(job->result);
	char *out = malloc(line->count * size + 1), *state = malloc(scan_state_size(&args));
	struct error err;

	(void)number;
	if (out == NULL || state == NULL)
		abort();
	scan_init(state, &args);
	if (scan_feed(state, &args, line->f, line->count, out, 1, &err) != STATUS_OK) {
		uint64_t position = line->position[err.index];

		if (position < *scanned->overflow)
			*scanned->overflow = position;
	}
	for (uint64_t k = 0; k < line->count; k++)
		memcpy((char *)scanned->out + line->position[k] * size, out + k * size, size);
	free(out);
	free(state);
}

bool scan_served(const struct scan_job *job)
{
	(void)job;
	return true;
}

size_t scan_lines_scratch(const struct scan_job *job, const struct lines *lines)
{
	(void)job, (void)lines;
	return 1000;
}

cudaError_t scan_lines(const struct launch *launch, const struct scan_job *job, const void *x,
		       const struct lines *lines, void *out, uint64_t *overflow)
{
	const struct elements elements = {.x = x, .dtype = job->input};
	struct scanned scanned = {job, out, overflow};

	(void)launch;
	*overflow = UINT64_MAX;
	if (dtype_domain(job->input) != job->domain)
		return cudaErrorInvalidValue;
	each_line(&elements, lines, scan_line, &scanned);
	return cudaSuccess;
}

size_t scan_columns_scratch(const struct scan_job *job, const struct columns *columns)
{
	(void)job, (void)columns;
	return 1000;
}

cudaError_t scan_columns(const struct launch *launch, const struct scan_job *job, const void *x,
			 const struct columns *columns, void *out, uint64_t *overflow)
{
	const struct elements elements = {.x = x, .dtype = job->input};
	const struct grid grid = grid_of(columns);
	struct scanned scanned = {job, out, overflow};

	(void)launch;
	*overflow = UINT64_MAX;
	if (dtype_domain(job->input) != job->domain)
		return cudaErrorInvalidValue;
	each_grid_line(&elements, &grid, scan_line, &scanned);
	return cudaSuccess;
}

cudaError_t widen_to_f64(const struct launch *launch, const void *x, enum dtype dtype,
			 uint64_t count, double *out)
{
	(void)launch;
	simd_kernels()->widen(dtype, x, count, DOMAIN_F64, out);
	return cudaSuccess;
}

/* --- faults on purpose ------------------------------------------------------------- */

cudaError_t fault_launch(cudaStream_t stream)
{
	(void)stream;
	fake_break(true);
	return cudaSuccess;
}
