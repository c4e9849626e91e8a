/* foldctl - the command line client of foldd.
 *
 * The way of a command: ctl_options (argv to job) -> ctl_body (job to body) ->
 * ctl_http -> ctl_run -> ctl_result or ctl_problem. */
#include "config.h"
#include <curl/curl.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "clients/ctl_arrays.h"
#include "clients/ctl_run.h"

static enum ctl_exit run(const struct ctl_options *options)
{
	if (options->help) {
		ctl_help_print_command(options->command, stdout);
		return CTL_OK;
	}
	switch (options->command) {
	case CTL_BATCH:
		return ctl_run_batch(options);
	case CTL_MERGE:
		return ctl_run_merge(options);
	case CTL_ARRAYS:
		return ctl_arrays_run(options);
	case CTL_INFO:
		return ctl_run_info(options);
	default:
		return ctl_run_job(options);
	}
}

static enum ctl_exit run_command(enum ctl_command command, int argc, char **argv)
{
	static char program[] = "foldctl"; /* as getopt_long() names itself */
	struct ctl_options options;
	enum ctl_exit code;

	argv[0] = program;
	code = ctl_options_read(&options, command, argc, argv);
	if (code != CTL_OK)
		return code;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
		code = run(&options);
	else
		code = ctl_no_memory();
	curl_global_cleanup();
	ctl_options_deinit(&options);
	return code;
}

static enum ctl_exit run_words(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
		ctl_help_print(stdout);
		return CTL_OK;
	}
	if (strcmp(word, "--version") == 0) {
		puts("foldctl " PACKAGE_VERSION);
		return CTL_OK;
	}
	for (int i = 0; i < CTL_COMMAND_COUNT; i++) {
		if (strcmp(word, ctl_command_name((enum ctl_command)i)) == 0)
			return run_command((enum ctl_command)i, argc - 1, argv + 1);
	}
	if (*word != '\0')
		return ctl_fail(CTL_USAGE, "'%s' is no command; see foldctl --help", word);
	ctl_help_print(stderr);
	return CTL_USAGE;
}

int main(int argc, char **argv)
{
	enum ctl_exit code;

	/* A reader that leaves early (head) is an error of write(), not a death. */
	signal(SIGPIPE, SIG_IGN);
	code = run_words(argc, argv);
	/* stdout took all of it; a full disk or a closed pipe shows here. */
	if ((fflush(stdout) != 0 || ferror(stdout)) && code == CTL_OK)
		code = ctl_fail(CTL_LOCAL, "standard output: %s", strerror(errno));
	return (int)code;
}
