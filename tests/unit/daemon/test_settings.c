#include "config.h"

#include "daemon/log.h"
#include "daemon/options.h"
#include "daemon/quantity.h"
#include "daemon/settings.h"
#include "tests/unit/daemon/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void reads_quantities(void **state)
{
	static const struct {
		const char *text;
		bool (*read)(const char *text, uint64_t *out);
		bool good;
		uint64_t value;
	} cases[] = {
		{"0", quantity_count, true, 0},
		{"18446744073709551615", quantity_count, true, UINT64_MAX},
		{"18446744073709551616", quantity_count, false, 0},
		{"", quantity_count, false, 0},
		{"-1", quantity_count, false, 0},
		{"+1", quantity_count, false, 0},
		{"1 ", quantity_count, false, 0},
		{"0x10", quantity_count, false, 0},
		{"10", quantity_size, true, 10},
		{"64K", quantity_size, true, 65536},
		{"3 G", quantity_size, true, 3221225472u},
		{"16777215T", quantity_size, true, 18446742974197923840u},
		{"16777216T", quantity_size, false, 0},
		{"64k", quantity_size, false, 0},
		{"1.5G", quantity_size, false, 0},
		{"K", quantity_size, false, 0},
		{"10", quantity_duration, false, 0}, /* which unit? */
		{"0", quantity_duration, true, 0},
		{"10ms", quantity_duration, true, 10000000},
		{"200us", quantity_duration, true, 200000},
		{"5min", quantity_duration, true, 300000000000u},
		{"1h", quantity_duration, false, 0},
		{"0660", quantity_mode, true, 0660},
		{"0668", quantity_mode, false, 0},
		{"yes", quantity_bool, true, 1},
		{"off", quantity_bool, true, 0},
		{"maybe", quantity_bool, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 12345;

		if (cases[i].read(cases[i].text, &value) != cases[i].good)
			fail_msg("\"%s\"", cases[i].text);
		assert_int_equal(value, cases[i].good ? cases[i].value : 12345);
	}
}

static void expect_error(const char *file_text, const char *words)
{
	struct settings settings;
	struct error err = {0};

	scratch_write("bad.conf", file_text);
	settings_init(&settings);
	assert_int_not_equal(settings_load(&settings, "bad.conf", &err), STATUS_OK);
	if (strstr(err.text, words) == NULL)
		fail_msg("\"%s\" lacks \"%s\"", err.text, words);
	settings_deinit(&settings);
}

static void reads_a_file(void **state)
{
	struct settings settings;
	struct error err = {0};

	(void)state;
	scratch_write("good.conf", "; comment\n# another\n[listen]\ntcp = 127.0.0.1:1\n"
				   "  tcp=[::1]:2 ; the second\nunix_mode = 0600\n\n"
				   "[limits]\nbody = 3G\ninline = 0\ntimeout = 2500ms\n"
				   "[log]\nlevel = debug\n[files]\nroot = /a b\nroot = c");
	settings_init(&settings);
	if (settings_load(&settings, "good.conf", &err) != STATUS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(settings.tcp.count, 2);
	assert_string_equal(settings.tcp.items[0], "127.0.0.1:1");
	assert_string_equal(settings.tcp.items[1], "[::1]:2");
	assert_int_equal(settings.unix_mode, 0600);
	assert_int_equal(settings.limits.body, 3221225472u);
	assert_int_equal(settings.limits.inline_ns, 0);
	assert_int_equal(settings.limits.timeout_ms, 2500);
	assert_int_equal(settings.log_level, LOG_DEBUG);
	assert_int_equal(settings.roots.count, 2);
	assert_string_equal(settings.roots.items[0], "/a b");
	assert_string_equal(settings.roots.items[1], "c");
	assert_int_equal(settings.connections, 1000); /* default */
	settings_deinit(&settings);
}

static void names_file_and_line(void **state)
{
	char text[600];

	(void)state;
	expect_error("[http]\nthreads = 2\ncolour = red\n",
		     "bad.conf:3: there is no key http.colour");
	expect_error("[nowhere]\nthreads = 2\n", "bad.conf:2: there is no key nowhere.threads");
	expect_error("threads = 2\n", "bad.conf:1: the key threads stands in no [section]");
	expect_error("[http]\n\nidle = 10\n", "bad.conf:3: http.idle: \"10\" is not a duration");
	expect_error("[http]\nidle = 1500ms\n", "whole seconds");
	expect_error("[limits]\ntimeout = 10us\n", "whole milliseconds");
	expect_error("[http]\nmemory = 1K\n",
		     "bad.conf:2: http.memory: 1K is not between 16K and 1G");
	expect_error("[http]\nconnections = 0\n", "not between 1 and 1000000");
	expect_error("[log]\nlevel = loud\n", "error, warning, info or debug");
	expect_error("[listen]\nallow_remote = perhaps\n", "yes or no");
	expect_error("[files]\nroot =\n", "files.root is empty");
	expect_error("[http]\nthreads\n", "bad.conf:2: neither");
	expect_error("[http\nthreads = 1\n", "bad.conf:1: neither");
	memset(text, 'x', sizeof(text));
	memcpy(text, "[files]\nroot = ", 15);
	strcpy(text + 500, "\n");
	expect_error(text, "bad.conf:2: the line is too long");
}

static void prints_what_reads_back(void **state)
{
	struct settings first, second;
	struct error err = {0};
	char one[4096], two[4096];
	FILE *file;

	(void)state;
	settings_init(&first);
	settings_init(&second);
	assert_int_equal(settings_set(&first, "listen", "tcp", "[::1]:80", &err), STATUS_OK);
	assert_int_equal(settings_set(&first, "listen", "unix", "/run/x", &err), STATUS_OK);
	assert_int_equal(settings_set(&first, "limits", "body", "1000001", &err), STATUS_OK);
	assert_int_equal(settings_set(&first, "limits", "inline", "123456789ns", &err), STATUS_OK);
	assert_int_equal(settings_set(&first, "drain", "limit", "90s", &err), STATUS_OK);
	file = fopen("printed.conf", "we");
	assert_non_null(file);
	settings_print(&first, file);
	fclose(file);
	if (settings_load(&second, "printed.conf", &err) != STATUS_OK)
		fail_msg("%s", err.text);
	file = fopen("again.conf", "we");
	assert_non_null(file);
	settings_print(&second, file);
	fclose(file);
	scratch_read("printed.conf", one, sizeof(one));
	scratch_read("again.conf", two, sizeof(two));
	assert_string_equal(one, two);
	assert_non_null(strstr(one, "\nbody = 1000001\n"));
	assert_non_null(strstr(one, "\nlimit = 90s\n"));
	settings_deinit(&first);
	settings_deinit(&second);
}

static char example[4096]; /* path of docs/foldd.conf.example */

static void the_example_is_the_default(void **state)
{
	struct settings read, defaults;
	struct error err = {0};
	char one[4096], two[4096];
	FILE *file;

	(void)state;
	settings_init(&read);
	settings_init(&defaults);
	if (settings_load(&read, example, &err) != STATUS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(settings_finish(&read, &err), STATUS_OK);
	assert_int_equal(settings_finish(&defaults, &err), STATUS_OK);
	file = fopen("read.conf", "we");
	assert_non_null(file);
	settings_print(&read, file);
	fclose(file);
	file = fopen("defaults.conf", "we");
	assert_non_null(file);
	settings_print(&defaults, file);
	fclose(file);
	scratch_read("read.conf", one, sizeof(one));
	scratch_read("defaults.conf", two, sizeof(two));
	assert_string_equal(one, two);
	settings_deinit(&read);
	settings_deinit(&defaults);
}

static enum status parse(struct options *out, struct error *err, ...)
{
	static char texts[16][64];
	char *argv[17] = {"foldd"};
	const char *next;
	int argc = 1;
	va_list args;

	va_start(args, err);
	while ((next = va_arg(args, const char *)) != NULL) {
		snprintf(texts[argc - 1], sizeof(texts[0]), "%s", next);
		argv[argc] = texts[argc - 1];
		argc++;
	}
	va_end(args);
	return options_init(out, argc, argv, err);
}

static void command_line_overrides(void **state)
{
	struct options options;
	struct error err = {0};

	(void)state;
	scratch_write("foldd.conf",
		      "[listen]\ntcp = 127.0.0.1:1\n[http]\nconnections = 5\nidle = 9s\n"
		      "[files]\nroot = /file\nwrite_root = /kept\n");
	if (parse(&options, &err, "--root", "/one", "--config", "foldd.conf", "--root=/two",
		  "--set", "http.connections=7", "--limit", "body=1M", "--quiet", "--check",
		  NULL) != STATUS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(options.action, ACTION_CHECK);
	assert_string_equal(options.config_path, "foldd.conf");
	assert_int_equal(options.settings.roots.count, 2);
	assert_string_equal(options.settings.roots.items[0], "/one");
	assert_string_equal(options.settings.roots.items[1], "/two");
	assert_int_equal(options.settings.write_roots.count, 1);
	assert_string_equal(options.settings.tcp.items[0], "127.0.0.1:1");
	assert_int_equal(options.settings.connections, 7);
	assert_int_equal(options.settings.idle_s, 9);
	assert_int_equal(options.settings.limits.body, 1 << 20);
	assert_int_equal(options.settings.log_level, LOG_WARNING);
	options_deinit(&options);
}

static void listens_locally_by_default(void **state)
{
	struct options options;
	struct error err = {0};

	(void)state;
	scratch_write("empty.conf", "");
	assert_int_equal(parse(&options, &err, "--config", "empty.conf", NULL), STATUS_OK);
	assert_int_equal(options.settings.tcp.count, 1);
	assert_string_equal(options.settings.tcp.items[0], "127.0.0.1:7460");
	options_deinit(&options);
	assert_int_equal(parse(&options, &err, "--config", "empty.conf", "--unix", "/x", NULL),
			 STATUS_OK);
	assert_int_equal(options.settings.tcp.count, 0);
	options_deinit(&options);
}

static void refuses_bad_command_lines(void **state)
{
	static const struct {
		const char *option, *value, *words;
	} cases[] = {
		{"--colour", NULL, "--colour: unknown option"},
		{"--listen", NULL, "--listen needs a value"},
		{"--li", NULL, "--li: unknown option, or short for several"},
		{"-vv", NULL, "-vv: unknown option"},
		{"--check=yes", NULL, "--check=yes: this option takes no value"},
		{"stray", NULL, "stray: not an option"},
		{"--limit", "body", "not of the form NAME=VALUE"},
		{"--limit", "colour=1", "there is no key limits.colour"},
		{"--set", "body=1", "not of the form SECTION.KEY=VALUE"},
		{"--set", "x=1.2", "not of the form SECTION.KEY=VALUE"},
		{"--threads", "many", "compute.threads: \"many\" is not a number"},
		{"--config", "gone.conf", "gone.conf: No such file"},
	};
	struct options options;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {0};

		assert_int_not_equal(parse(&options, &err, cases[i].option, cases[i].value, NULL),
				     STATUS_OK);
		if (strstr(err.text, cases[i].words) == NULL)
			fail_msg("\"%s\" lacks \"%s\"", err.text, cases[i].words);
	}
}

int main(void)
{
	const char *source = getenv("srcdir"); /* make check sets it */
	char here[2048];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_quantities),
		cmocka_unit_test(reads_a_file),
		cmocka_unit_test(names_file_and_line),
		cmocka_unit_test(prints_what_reads_back),
		cmocka_unit_test(the_example_is_the_default),
		cmocka_unit_test(command_line_overrides),
		cmocka_unit_test(listens_locally_by_default),
		cmocka_unit_test(refuses_bad_command_lines),
	};

	if (source == NULL)
		source = ".";
	if (getcwd(here, sizeof(here)) == NULL)
		return 1;
	snprintf(example, sizeof(example), "%s%s%s/docs/foldd.conf.example",
		 source[0] == '/' ? "" : here, source[0] == '/' ? "" : "/", source);
	return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
