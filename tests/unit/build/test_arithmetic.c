#include "config.h"

#include "engine/arithmetic.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fenv.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static void library_is_ieee(void **state)
{
	(void)state;
	assert_true(arithmetic_is_ieee());
}

/* Tests have the library's flags; each question is asked here as well, of
 * values that the compiler cannot see. */
static void products_are_rounded_before_they_are_added(void **state)
{
	volatile double a = 0x1.0000001p0, c = -0x1.0000002p0;
	volatile float af = 0x1.001p0f, cf = -0x1.002p0f;
	double x = a, z = c;
	float xf = af, zf = cf;
	volatile double r = x * x + z;
	volatile float rf = xf * xf + zf;

	(void)state;
	/* Fused: 2^-56 and 2^-24. */
	assert_true(r == 0.0);
	assert_true(rf == 0.0f);
}

static void sums_keep_their_order(void **state)
{
	volatile double first = 1e16, rest = 1.0;
	double x[1000], sum = 0.0;
	volatile double out;
	int i;

	(void)state;
	x[0] = first;
	for (i = 1; i < 1000; i++)
		x[i] = rest;
	for (i = 0; i < 1000; i++)
		sum += x[i];
	out = sum;
	/* In sequence no 1 counts; in lanes nearly all of the 999 do. */
	assert_true(out == 1e16);
}

static void subnormals_are_kept(void **state)
{
	volatile double a = 0x1p-1022, half = 0.5;
	volatile float af = 0x1p-126f, half_f = 0.5f;
	volatile double r = a * half;
	volatile float rf = af * half_f;
	uint64_t bits;
	uint32_t bits_f;
	double value = r;
	float value_f = rf;

	(void)state;
	memcpy(&bits, &value, sizeof(bits));
	memcpy(&bits_f, &value_f, sizeof(bits_f));
	assert_true(bits == UINT64_C(0x0008000000000000));
	assert_true(bits_f == UINT32_C(0x00400000));
}

static void nothing_is_wider_than_its_type(void **state)
{
	volatile double big = 0x1p1023, four = 4.0, quarter = 0.25;
	volatile float big_f = 0x1p127f, four_f = 4.0f, quarter_f = 0.25f;
	double x = big, y = four, z = quarter;
	float xf = big_f, yf = four_f, zf = quarter_f;
	volatile double r = x * y * z;
	volatile float rf = xf * yf * zf;

	(void)state;
	assert_true(r > 0x1.fffffffffffffp1023);
	assert_true(rf > 0x1.fffffep127f);
}

static void init_repairs_the_rounding_mode(void **state)
{
	(void)state;
	assert_int_equal(fesetround(FE_UPWARD), 0);
	assert_false(arithmetic_is_ieee());
	arithmetic_init_thread();
	assert_true(arithmetic_is_ieee());
	assert_int_equal(fegetround(), FE_TONEAREST);
}

#if defined(__x86_64__)
#define MXCSR_FLUSH_TO_ZERO 0x8000u
#define MXCSR_DENORMALS_ARE_ZERO 0x0040u

static void init_repairs_flushing(void **state)
{
	const unsigned modes[] = {MXCSR_FLUSH_TO_ZERO, MXCSR_DENORMALS_ARE_ZERO};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		_mm_setcsr(_mm_getcsr() | modes[i]);
		assert_false(arithmetic_is_ieee());
		arithmetic_init_thread();
		assert_true(arithmetic_is_ieee());
	}
}

static void *ask_on_a_thread(void *arg)
{
	bool *answers = arg;

	answers[0] = arithmetic_is_ieee();
	arithmetic_init_thread();
	answers[1] = arithmetic_is_ieee();
	return NULL;
}

/* Why every thread calls arithmetic_init_thread(): modes are inherited. */
static void threads_inherit_and_repair(void **state)
{
	bool answers[2] = {true, false};
	pthread_t thread;

	(void)state;
	_mm_setcsr(_mm_getcsr() | MXCSR_FLUSH_TO_ZERO);
	assert_int_equal(pthread_create(&thread, NULL, ask_on_a_thread, answers), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	arithmetic_init_thread();
	assert_false(answers[0]);
	assert_true(answers[1]);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(library_is_ieee),
		cmocka_unit_test(products_are_rounded_before_they_are_added),
		cmocka_unit_test(sums_keep_their_order),
		cmocka_unit_test(subnormals_are_kept),
		cmocka_unit_test(nothing_is_wider_than_its_type),
		cmocka_unit_test(init_repairs_the_rounding_mode),
#if defined(__x86_64__)
		cmocka_unit_test(init_repairs_flushing),
		cmocka_unit_test(threads_inherit_and_repair),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
