#include "config.h"
#include "cpu/kernels/exact_flags.h"

#include <stdatomic.h>

#ifdef EXACT_FLAGS

/* 1 + x, as a vector; *out keeps the addition from being left out. */
static bool sum_loses(double x, vf64 *out)
{
	vf64 one = exact_flags_pin(vector_set_f64(1.0));

	*out = exact_flags_pin(one + exact_flags_pin(vector_set_f64(x)));
	return exact_flags_lost();
}

#ifdef VECTOR_512
/* The same where the flag is suppressed. */
static bool quiet_sum_loses(double x, vf64 *out)
{
	vf64 one = exact_flags_pin(vector_set_f64(1.0));
	vf64 v = exact_flags_pin(vector_set_f64(x));

	*out = exact_flags_pin(
		(vf64)_mm512_fmadd_round_pd((__m512d)v, (__m512d)one, (__m512d)one,
					    _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
	return exact_flags_lost();
}
#endif

static bool try_flags(void)
{
	unsigned before = exact_flags_begin();
	vf64 sum;
	bool work = !sum_loses(1.0, &sum) && sum_loses(0x1p-60, &sum) && !sum_loses(0.5, &sum);

#ifdef VECTOR_512
	work = work && !quiet_sum_loses(0x1p-60, &sum);
#endif
	exact_flags_end(before);
	return work;
}

bool exact_flags_work(void)
{
	static atomic_int known; /* 0: not yet tried, 1: no, 2: yes */
	int work = atomic_load_explicit(&known, memory_order_relaxed);

	if (work == 0) {
		work = try_flags() ? 2 : 1;
		atomic_store_explicit(&known, work, memory_order_relaxed);
	}
	return work == 2;
}

#else

bool exact_flags_work(void)
{
	return false;
}

#endif
