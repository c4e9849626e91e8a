#include "config.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "clients/ctl_array.h"
#include "clients/ctl_arrays.h"
#include "clients/ctl_member.h"
#include "clients/ctl_number.h"
#include "clients/ctl_options.h"

/* Values that getopt_long() gives back: one range for each table. */
enum {
	OPTION_HELP = 'h',
	OPTION_FILE = 'f',
	OPTION_PARTIAL_FILE = 'o',
	OPTION_URL = 256,
	OPTION_UNIX,
	OPTION_JSON,
	OPTION_NPY,
	OPTION_PROGRESS,
	OPTION_ROWS,
	OPTION_COLUMNS,
	OPTION_OUTPUT,
	OPTION_OVERWRITE,
	OPTION_NEW,
	OPTION_ARRAY = 512,
	OPTION_MEMBER = 1024
};

#define OPTIONS_MAX 64u
#define ARRAYS (1u << CTL_ARRAYS)
#define MERGE (1u << CTL_MERGE)
#define JOBS (1u << CTL_REDUCE | 1u << CTL_SCAN)
#define PARTIALS (1u << CTL_REDUCE | MERGE)
#define TABLES (JOBS | 1u << CTL_BATCH)
#define ALL (TABLES | MERGE | ARRAYS | 1u << CTL_INFO)

static const struct {
	const char *name;
	int has_value, id;
	unsigned commands;
} general[] = {
	{"help", no_argument, OPTION_HELP, ALL},
	{"url", required_argument, OPTION_URL, ALL},
	{"unix", required_argument, OPTION_UNIX, ALL},
	{"json", no_argument, OPTION_JSON, ALL},
	{"npy", required_argument, OPTION_NPY, JOBS | ARRAYS},
	{"progress", no_argument, OPTION_PROGRESS, TABLES | MERGE | ARRAYS},
	{"new", no_argument, OPTION_NEW, ARRAYS},
	{"rows", required_argument, OPTION_ROWS, TABLES},
	{"columns", required_argument, OPTION_COLUMNS, TABLES},
	{"output", required_argument, OPTION_OUTPUT, JOBS},
	{"overwrite", no_argument, OPTION_OVERWRITE, JOBS},
	{"partial-file", required_argument, OPTION_PARTIAL_FILE, PARTIALS},
};

/* What one reading of a command line remembers. */
struct reading {
	struct ctl_options *options;
	const char *url;    /* --url; FOLDD_URL is not meant by it */
	const char *output; /* --output and --overwrite belong together */
	bool overwrite;
	unsigned operands;
	const struct ctl_member *given[OPTIONS_MAX]; /* members set so far */
	unsigned given_count;
};

static void table_make(struct option out[OPTIONS_MAX], enum ctl_command command)
{
	const unsigned bit = 1u << command;
	size_t n = 0;

	memset(out, 0, OPTIONS_MAX * sizeof(*out));
	for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++) {
		if (general[i].commands & bit)
			out[n++] = (struct option){general[i].name, general[i].has_value, NULL,
						   general[i].id};
	}
	for (int i = 0; ((JOBS | ARRAYS) & bit) && i < CTL_ARRAY_OPTION_COUNT; i++) {
		if (command != CTL_ARRAYS || ctl_array_option_is_source(i))
			out[n++] = (struct option){ctl_array_option_name(i), required_argument,
						   NULL, OPTION_ARRAY + i};
	}
	for (size_t i = 0; i < ctl_member_count; i++) {
		if (ctl_members[i].commands & bit)
			out[n++] = (struct option){ctl_members[i].option,
						   ctl_member_has_value(&ctl_members[i])
							   ? required_argument
							   : no_argument,
						   NULL, OPTION_MEMBER + (int)i};
	}
}

static enum ctl_exit set_count(size_t *out, const char *option, const char *value)
{
	char *end;
	unsigned long count = strtoul(value, &end, 10);

	if (*value < '0' || *value > '9' || *end != '\0' || count > 1000000000)
		return ctl_fail(CTL_USAGE, "--%s: '%s' is not a number of lines (0: all)", option,
				value);
	*out = count;
	return CTL_OK;
}

static enum ctl_exit set_general(struct reading *reading, int id, const char *value)
{
	struct ctl_options *options = reading->options;

	switch (id) {
	case OPTION_HELP:
		options->help = true;
		return CTL_OK;
	case OPTION_URL:
		reading->url = options->server.url = value;
		return *value != '\0' ? CTL_OK : ctl_fail(CTL_USAGE, "--url: there is no URL");
	case OPTION_UNIX:
		options->server.unix_path = value;
		return *value != '\0' ? CTL_OK : ctl_fail(CTL_USAGE, "--unix: there is no path");
	case OPTION_JSON:
		options->json = true;
		return CTL_OK;
	case OPTION_NPY:
		options->npy = value;
		return CTL_OK;
	case OPTION_NEW:
		options->only_new = true;
		return CTL_OK;
	case OPTION_PROGRESS:
		options->server.progress = true;
		return CTL_OK;
	case OPTION_ROWS:
		return set_count(&options->limits.rows, "rows", value);
	case OPTION_COLUMNS:
		return set_count(&options->limits.columns, "columns", value);
	case OPTION_OUTPUT:
		reading->output = value;
		return CTL_OK;
	case OPTION_OVERWRITE:
		reading->overwrite = true;
		return CTL_OK;
	case OPTION_PARTIAL_FILE:
		options->partial_file = value;
		return *value != '\0' ? CTL_OK
				      : ctl_fail(CTL_USAGE, "--partial-file: there is no name");
	default:
		return CTL_USAGE; /* getopt_long() said why */
	}
}

/* A job object has each member once. */
static enum ctl_exit set_member(struct reading *reading, const struct ctl_member *member,
				const char *value)
{
	for (unsigned i = 0; i < reading->given_count; i++) {
		if (strcmp(reading->given[i]->member, member->member) == 0)
			return ctl_fail(CTL_USAGE, "--%s after --%s: one of them is too many",
					member->option, reading->given[i]->option);
	}
	reading->given[reading->given_count++] = member;
	return ctl_member_set(member, &reading->options->job, value);
}

static enum ctl_exit set_option(struct reading *reading, int id, const char *value)
{
	struct ctl_job *job = &reading->options->job;

	if (id == OPTION_PARTIAL_FILE && reading->options->command == CTL_ARRAYS)
		id = OPTION_NPY;
	if (id == OPTION_FILE)
		id = OPTION_ARRAY + CTL_ARRAY_FILE;
	if (id >= OPTION_MEMBER)
		return set_member(reading, &ctl_members[id - OPTION_MEMBER], value);
	if (id >= OPTION_ARRAY)
		return ctl_array_set((enum ctl_array_option)(id - OPTION_ARRAY), job, value);
	return set_general(reading, id, value);
}

static enum ctl_exit set_operand(struct reading *reading, const char *operand)
{
	struct ctl_options *options = reading->options;
	unsigned index = reading->operands++;

	switch (options->command) {
	case CTL_INFO:
		return ctl_fail(CTL_USAGE, "info takes no operand: '%s'", operand);
	case CTL_BATCH:
		if (index != 0)
			return ctl_fail(CTL_USAGE, "batch reads one file: '%s' is too many",
					operand);
		options->batch_file = operand;
		return CTL_OK;
	case CTL_ARRAYS:
		if (index > 2)
			return ctl_fail(CTL_USAGE, "'%s' is too many", operand);
		if (index == 2)
			return ctl_array_set(CTL_ARRAY_FILE, &options->job, operand);
		options->words[options->word_count++] = operand;
		return CTL_OK;
	case CTL_MERGE:
		options->files[options->file_count++] = operand;
		return CTL_OK;
	default:
		if (index != 0)
			return ctl_array_operand(&options->job, operand);
		ctl_job_strings(&options->job, "op", operand);
		options->several_ops = strchr(operand, ',') != NULL;
		return CTL_OK;
	}
}

static const char *letters_of(enum ctl_command command)
{
	switch (command) {
	case CTL_REDUCE:
		return "+hf:o:";
	case CTL_SCAN:
		return "+hf:";
	case CTL_MERGE:
	case CTL_ARRAYS:
		return "+ho:";
	default:
		return "+h";
	}
}

/* Options and operands in any order; -1.5 is a number, after -- all are
 * operands. */
static enum ctl_exit read_all(struct reading *reading, int argc, char **argv)
{
	struct option table[OPTIONS_MAX];
	const char *letters = letters_of(reading->options->command);
	bool only_operands = false;
	enum ctl_exit code = CTL_OK;

	table_make(table, reading->options->command);
	optind = 1;
	while (code == CTL_OK && optind < argc && !reading->options->help) {
		const char *argument = argv[optind];

		if (only_operands || *argument != '-' || argument[1] == '\0' ||
		    ctl_number_is_negative_operand(argument)) {
			optind++;
			code = set_operand(reading, argument);
		} else if (strcmp(argument, "--") == 0) {
			optind++;
			only_operands = true;
		} else {
			int id = getopt_long(argc, argv, letters, table, NULL);

			code = set_option(reading, id, optarg);
		}
	}
	return code;
}

/* --partial-file asks for the partial result, too. */
static enum ctl_exit check_partial(struct reading *reading)
{
	struct ctl_options *options = reading->options;
	bool asked = false;

	for (unsigned i = 0; i < reading->given_count; i++)
		asked |= strcmp(reading->given[i]->member, "partial") == 0;
	if (options->npy != NULL && (asked || options->partial_file != NULL))
		return ctl_fail(CTL_USAGE, "--npy: a NumPy file has no place for a partial result");
	if (options->partial_file == NULL)
		return CTL_OK;
	if (options->json && strcmp(options->partial_file, "-") == 0)
		return ctl_fail(CTL_USAGE, "--json and --partial-file - both ask for standard "
					   "output");
	if (!asked)
		ctl_job_literal(&options->job, "partial", "true");
	return CTL_OK;
}

static enum ctl_exit check_job(struct reading *reading)
{
	struct ctl_options *options = reading->options;

	if (reading->operands == 0)
		return ctl_fail(CTL_USAGE, "no operation: foldctl %s OP[,OP...] ...",
				ctl_command_name(options->command));
	if (options->npy != NULL && options->json)
		return ctl_fail(CTL_USAGE, "--npy and --json ask for two forms of one answer");
	if (options->npy != NULL && reading->output != NULL)
		return ctl_fail(CTL_USAGE, "--npy and --output ask for two places of one answer");
	if (reading->overwrite && reading->output == NULL)
		return ctl_fail(CTL_USAGE, "--overwrite goes with --output");
	if (reading->output != NULL)
		ctl_job_output(&options->job, reading->output, reading->overwrite);
	return ctl_array_end(&options->job);
}

static enum ctl_exit check(struct reading *reading)
{
	struct ctl_options *options = reading->options;

	if (reading->url != NULL && options->server.unix_path != NULL)
		return ctl_fail(CTL_USAGE, "--url and --unix name two servers");
	if (options->command == CTL_BATCH && options->batch_file == NULL)
		options->batch_file = "-";
	if (options->command == CTL_MERGE && options->file_count == 0)
		return ctl_fail(CTL_USAGE, "nothing to merge: foldctl merge FILE...");
	if (options->command == CTL_ARRAYS)
		return ctl_arrays_check(options);
	if (PARTIALS & 1u << options->command) {
		enum ctl_exit code = check_partial(reading);

		if (code != CTL_OK)
			return code;
	}
	return JOBS & 1u << options->command ? check_job(reading) : CTL_OK;
}

enum ctl_exit ctl_options_read(struct ctl_options *out, enum ctl_command command, int argc,
			       char **argv)
{
	struct ctl_options options = {.command = command, .limits = {20, 10}};
	struct reading reading = {.options = &options};
	enum ctl_exit code;

	ctl_server_init(&options.server);
	/* as many as there may be operands */
	options.files = calloc((size_t)argc + 1, sizeof(*options.files));
	if (options.files == NULL)
		return ctl_no_memory();
	code = read_all(&reading, argc, argv);
	if (code == CTL_OK && !options.help)
		code = check(&reading);
	if (code != CTL_OK) {
		fprintf(stderr, "foldctl: see foldctl %s --help\n", ctl_command_name(command));
		ctl_options_deinit(&options);
		return code;
	}
	*out = options;
	return CTL_OK;
}

void ctl_options_deinit(struct ctl_options *options)
{
	ctl_job_deinit(&options->job);
	free(options->files);
	options->files = NULL;
}
