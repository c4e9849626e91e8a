#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "proto/accept.h"

static const struct {
	const char *header;
	enum accept_form one, several; /* operations */
} cases[] = {
	{NULL, ACCEPT_JSON, ACCEPT_JSON},
	{"", ACCEPT_JSON, ACCEPT_JSON},
	{"*/*", ACCEPT_JSON, ACCEPT_JSON},
	{"application/*", ACCEPT_JSON, ACCEPT_JSON},
	{"application/json", ACCEPT_JSON, ACCEPT_JSON},
	{"application/x-npy", ACCEPT_NPY, ACCEPT_NPY}, /* to be refused */
	{"APPLICATION/X-NPY", ACCEPT_NPY, ACCEPT_NPY},
	{"application/zip", ACCEPT_ZIP, ACCEPT_ZIP},
	{" application/x-npy ; q=0.5 ,\tapplication/zip;q=0.4", ACCEPT_NPY, ACCEPT_ZIP},
	{"application/x-npy;q=0.4, application/zip;q=0.5", ACCEPT_ZIP, ACCEPT_ZIP},
	{"application/x-npy, application/json", ACCEPT_NPY, ACCEPT_JSON},
	{"application/json, application/x-npy", ACCEPT_JSON, ACCEPT_JSON},
	{"application/x-npy, */*", ACCEPT_NPY, ACCEPT_JSON},
	{"*/*, application/x-npy", ACCEPT_NPY, ACCEPT_JSON},
	{"application/x-npy;q=0.1, */*", ACCEPT_JSON, ACCEPT_JSON},
	{"application/x-npy;q=0, */*", ACCEPT_JSON, ACCEPT_JSON},
	{"application/json;q=0, application/x-npy;q=0.001", ACCEPT_NPY, ACCEPT_NPY},
	{"application/json;q=0, */*;q=0.3", ACCEPT_ZIP, ACCEPT_ZIP}, /* takes both */
	{"application/zip;q=0.25,application/json;q=0.250", ACCEPT_ZIP, ACCEPT_ZIP},
	{"application/zip;q=0.25,application/json;q=0.251", ACCEPT_JSON, ACCEPT_JSON},
	{"application/zip;version=2;q=0.2, application/json; Q=0.1", ACCEPT_ZIP, ACCEPT_ZIP},
	{"application/zip;q=0.0", ACCEPT_JSON, ACCEPT_JSON},
	{"text/html", ACCEPT_JSON, ACCEPT_JSON},
	{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", ACCEPT_JSON,
	 ACCEPT_JSON},
	{"application/x-npyx, application/x-np", ACCEPT_JSON, ACCEPT_JSON},
	{",;=,;;q,q=,;q=,application/zip;q=x", ACCEPT_ZIP, ACCEPT_ZIP},
	{";", ACCEPT_JSON, ACCEPT_JSON},
	{"application/zip;q", ACCEPT_ZIP, ACCEPT_ZIP},
};

static void test_choice(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		print_message("%s\n", cases[i].header != NULL ? cases[i].header : "(none)");
		assert_int_equal(accept_choose(cases[i].header, true), cases[i].one);
		assert_int_equal(accept_choose(cases[i].header, false), cases[i].several);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
