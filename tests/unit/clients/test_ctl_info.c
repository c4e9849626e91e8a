#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_info.h"
#include "clients/ctl_json.h"

static void test_print(void **state)
{
	static const char json[] =
		"{\"version\":\"1.2\",\"order\":1,"
		"\"backends\":[{\"name\":\"cpu\",\"threads\":2},{\"name\":\"cuda:0\",\"threads\":0}"
		"],"
		"\"absent_backends\":[{\"name\":\"cuda:1\",\"why\":\"no driver\"}],"
		"\"dtypes\":[{\"name\":\"int8\",\"size\":1},{\"name\":\"float64\",\"size\":8}],"
		"\"operations\":["
		"{\"name\":\"sum\",\"exact\":[\"int64\",\"float64\"],\"scan\":true,\"scan_exact\":["
		"\"int64\"]},"
		"{\"name\":\"lp:P\",\"exact\":[],\"scan\":false,\"scan_exact\":[]}],"
		"\"limits\":{\"body\":0,\"json\":1000},"
		"\"not_implemented\":{\"paths\":[\"/a\",\"/b\"]}}";
	json_t *info = ctl_json_read(json, strlen(json));
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	assert_non_null(info);
	assert_non_null(stream);
	assert_int_equal(ctl_info_print(info, stream), CTL_OK);
	assert_int_equal(fclose(stream), 0);
	assert_string_equal(text, "foldd 1.2, order 1\n"
				  "\n"
				  "name    threads\n"
				  "cpu     2\n"
				  "cuda:0  0\n"
				  "\n"
				  "operation  exact      scan  exact scan\n"
				  "sum        all types  yes   integers\n"
				  "lp:P       none\n"
				  "\n"
				  "limit  (0: none)\n"
				  "body           0\n"
				  "json        1000\n"
				  "\n"
				  "no cuda:1: no driver\n"
				  "\n"
				  "types: int8 float64\n"
				  "\n"
				  "not served by this version:\n"
				  "  paths: /a /b\n");
	free(text);
	json_decref(info);
}

static void test_no_info(void **state)
{
	json_t *info = ctl_json_read("[1]", 3);

	(void)state;
	assert_int_equal(ctl_info_print(info, stdout), CTL_UNREACHABLE);
	json_decref(info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_no_info),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
