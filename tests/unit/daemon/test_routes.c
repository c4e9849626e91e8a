#include "config.h"

#include "daemon/headers.h"
#include "daemon/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void finds_paths(void **state)
{
	static const struct {
		const char *path;
		bool found;
		enum route_kind kind;
		const char *allow;
	} cases[] = {
		{"/v1/reduce", true, ROUTE_JOB, "POST, OPTIONS"},
		{"/v1/scan", true, ROUTE_JOB, "POST, OPTIONS"},
		{"/v1/batch", true, ROUTE_JOB, "POST, OPTIONS"},
		{"/healthz", true, ROUTE_HEALTH, "GET, HEAD, OPTIONS"},
		{"/readyz", true, ROUTE_READY, "GET, HEAD, OPTIONS"},
		{"/v1/info", true, ROUTE_INFO, "GET, HEAD, OPTIONS"},
		{"/openapi.yaml", true, ROUTE_OPENAPI, "GET, HEAD, OPTIONS"},
		{"/v1/merge", true, ROUTE_JOB, "POST, OPTIONS"},
		{"/v1/jobs", true, ROUTE_ABSENT, "GET, HEAD, POST, OPTIONS"},
		{"/v1/jobs/7", true, ROUTE_ABSENT, "GET, HEAD, DELETE, OPTIONS"},
		{"/v1/jobs/7/events", true, ROUTE_ABSENT, "GET, HEAD, OPTIONS"},
		{"/v1/arrays/a/data", true, ROUTE_ARRAY_DATA, "GET, HEAD, OPTIONS"},
		{"/v1/arrays/a", true, ROUTE_ARRAY, "GET, HEAD, PUT, DELETE, OPTIONS"},
		{"/", true, ROUTE_ABSENT, "GET, HEAD, OPTIONS"},
		{"/v2/models/x/infer", true, ROUTE_ABSENT, "GET, HEAD, POST, OPTIONS"},
		{"*", true, ROUTE_SERVER, "OPTIONS"},
		{"/v1/reduce/", false, 0, NULL},
		{"/v1/Reduce", false, 0, NULL},
		{"/v1/reduc", false, 0, NULL},
		{"//v1/reduce", false, 0, NULL},
		{"/v1/jobs/", false, 0, NULL},
		{"/v1/jobs/7/other", false, 0, NULL},
		{"/v1/arrays//data", false, 0, NULL},
		{"/v2/", false, 0, NULL},
		{"", false, 0, NULL},
	};
	char allow[ROUTE_ALLOW_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct route *route = route_find(cases[i].path);

		if ((route != NULL) != cases[i].found)
			fail_msg("%s", cases[i].path);
		if (route == NULL)
			continue;
		route_allow(route, allow);
		assert_int_equal(route->kind, cases[i].kind);
		assert_string_equal(allow, cases[i].allow);
	}
	assert_true(route_allows(route_find("/v1/info"), METHOD_HEAD));
	assert_false(route_allows(route_find("/v1/info"), METHOD_POST));
	assert_false(route_allows(route_find("/v1/info"), method_from_name("BREW")));
	assert_false(route_allows(route_find("/v1/info"), method_from_name("get")));
}

static void splits_targets(void **state)
{
	static const struct {
		const char *target;
		bool good;
		const char *path, *query;
	} cases[] = {
		{"/v1/reduce", true, "/v1/reduce", NULL},
		{"/v1/reduce?op=sum&x=%2F?", true, "/v1/reduce", "op=sum&x=%2F?"},
		{"/v1/re%64uce?", true, "/v1/reduce", ""},
		{"/a%2Fb", true, "/a%2Fb", NULL},
		{"/a+b%20c", true, "/a+b c", NULL},
		{"http://host:80/v1/info?a", true, "/v1/info", "a"},
		{"HTTP://host", true, "/", NULL},
		{"http://host?a", true, "/", "a"},
		{"*", true, "*", NULL},
		{"/a%00b", false, NULL, NULL},
		{"/a%", false, NULL, NULL},
		{"/a%4", false, NULL, NULL},
		{"/a%zz", false, NULL, NULL},
		{"v1/reduce", false, NULL, NULL},
		{"host:443", false, NULL, NULL},
	};
	char path[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *query = "unset";

		if (target_split(cases[i].target, path, sizeof(path), &query) != cases[i].good)
			fail_msg("%s", cases[i].target);
		if (!cases[i].good)
			continue;
		assert_string_equal(path, cases[i].path);
		if (cases[i].query == NULL)
			assert_null(query);
		else
			assert_string_equal(query, cases[i].query);
	}
	assert_false(target_split("/12345", path, 6, &(const char *){NULL}));
}

static void knows_who_takes_gzip(void **state)
{
	static const char *const yes[] = {
		"gzip",   "deflate, gzip",        "GZIP;q=0.5", "*", "br;q=1.0,*;q=0.1",
		"x-gzip", "identity , gzip ; q=1"};
	static const char *const no[] = {"",       "identity", "gzip;q=0",   "gzip; q=0.000, *",
					 "gzippy", "*;q=0",    "br,deflate", "gzip;q=0.0"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (!headers_accept_gzip(yes[i]))
			fail_msg("\"%s\"", yes[i]);
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		if (headers_accept_gzip(no[i]))
			fail_msg("\"%s\"", no[i]);
	}
	assert_false(headers_accept_gzip(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_paths),
		cmocka_unit_test(splits_targets),
		cmocka_unit_test(knows_who_takes_gzip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
