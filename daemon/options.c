#include "config.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/options.h"

#ifndef FOLDD_CONFIG_FILE
#define FOLDD_CONFIG_FILE "/etc/foldd/foldd.conf"
#endif

enum option_id {
	OPTION_SHORT_HELP = 'h',
	OPTION_CONFIG = 256,
	OPTION_CHECK,
	OPTION_HELP,
	OPTION_VERSION,
	OPTION_SET,
	OPTION_LIMIT,
	OPTION_QUIET,
	OPTION_ALLOW_REMOTE,
	OPTION_KEY /* this and above: an index into shortcuts */
};

struct shortcut {
	const char *option, *section, *key;
};

/* Options with a value that stand for one key. */
static const struct shortcut shortcuts[] = {
	{"listen", "listen", "tcp"},
	{"unix", "listen", "unix"},
	{"unix-mode", "listen", "unix_mode"},
	{"port-file", "listen", "port_file"},
	{"http-threads", "http", "threads"},
	{"threads", "compute", "threads"},
	{"workers", "compute", "workers"},
	{"spool-dir", "compute", "spool_dir"},
	{"root", "files", "root"},
	{"write-root", "files", "write_root"},
	{"array-dir", "arrays", "directory"},
	{"log-level", "log", "level"},
};
#define SHORTCUT_COUNT (sizeof(shortcuts) / sizeof(shortcuts[0]))

static const struct option plain_options[] = {
	{"config", required_argument, NULL, OPTION_CONFIG},
	{"check", no_argument, NULL, OPTION_CHECK},
	{"help", no_argument, NULL, OPTION_HELP},
	{"version", no_argument, NULL, OPTION_VERSION},
	{"set", required_argument, NULL, OPTION_SET},
	{"limit", required_argument, NULL, OPTION_LIMIT},
	{"quiet", no_argument, NULL, OPTION_QUIET},
	{"allow-remote", no_argument, NULL, OPTION_ALLOW_REMOTE},
};
#define PLAIN_COUNT (sizeof(plain_options) / sizeof(plain_options[0]))

void options_print_help(FILE *out)
{
	fputs("Usage: foldd [OPTION]...\n"
	      "Answer reduction and scan jobs over HTTP.\n"
	      "\n"
	      "  --listen HOST:PORT     take TCP connections there; may be repeated; port 0:\n"
	      "                         any free one (default 127.0.0.1:7460)\n"
	      "  --unix PATH            take connections on a UNIX socket\n"
	      "  --unix-mode MODE       permissions of the socket (default 0660)\n"
	      "  --allow-remote         allow addresses beyond this machine\n"
	      "  --port-file FILE       write the bound addresses there, one a line\n"
	      "  --root DIR             let jobs read files beneath DIR; may be repeated\n"
	      "  --write-root DIR       let jobs write files beneath DIR; may be repeated\n"
	      "  --threads N            threads that compute one large job (default: cores)\n"
	      "  --http-threads N       threads of each listener (default: cores)\n"
	      "  --workers N            large jobs at a time (default 2)\n"
	      "  --spool-dir DIR        for large results (default: $TMPDIR or /var/tmp)\n"
	      "  --array-dir DIR        arrays that can be read again survive a restart\n"
	      "  --limit NAME=VALUE     a key of the section [limits]\n"
	      "  --set SECTION.KEY=VALUE  any key of the configuration file\n"
	      "  --log-level LEVEL      error, warning, info (default) or debug\n"
	      "  --quiet                the same as --log-level warning\n"
	      "  --config FILE          configuration file (default " FOLDD_CONFIG_FILE "\n"
	      "                         if it is there)\n"
	      "  --check                check the configuration, print it, and end\n"
	      "  -h, --help, --version  print this, or the version, and end\n",
	      out);
}

/* One key given on the command line; points into argv. */
struct assignment {
	const char *section, *key, *value;
};

/* "a.b=c" or, when section is given, "b=c"; cut up in place. */
static enum status assign(struct assignment *out, const char *section, char *text,
			  struct error *err)
{
	char *value = strchr(text, '=');
	char *key = text;

	if (section == NULL && value != NULL) {
		char *dot = strchr(text, '.');

		if (dot != NULL && dot < value) {
			*dot = '\0';
			section = text;
			key = dot + 1;
		}
	}
	if (section == NULL || value == NULL)
		return fail(err, STATUS_BAD_VALUE, "\"%s\" is not of the form %s", text,
			    section == NULL ? "SECTION.KEY=VALUE" : "NAME=VALUE");
	*value = '\0';
	*out = (struct assignment){section, key, value + 1};
	return STATUS_OK;
}

static void all_options(struct option *out)
{
	memset(out, 0, (PLAIN_COUNT + SHORTCUT_COUNT + 1) * sizeof(*out));
	memcpy(out, plain_options, sizeof(plain_options));
	for (size_t i = 0; i < SHORTCUT_COUNT; i++)
		out[PLAIN_COUNT + i] = (struct option){shortcuts[i].option, required_argument, NULL,
						       OPTION_KEY + (int)i};
}

/* What is not a key goes to options; keys to list[0..*count). */
static enum status scan(struct options *options, int argc, char **argv, struct assignment *list,
			size_t *count, struct error *err)
{
	struct option known[PLAIN_COUNT + SHORTCUT_COUNT + 1];
	enum status status = STATUS_OK;
	int id, at;

	all_options(known);
	optind = 0;
	opterr = 0;
	while (status == STATUS_OK) {
		at = optind == 0 ? 1 : optind;
		id = getopt_long(argc, argv, "+:h", known, NULL);
		if (id == -1)
			break;
		switch (id) {
		case OPTION_CONFIG:
			options->config_path = optarg;
			break;
		case OPTION_CHECK:
			options->action = ACTION_CHECK;
			break;
		case OPTION_HELP:
		case OPTION_SHORT_HELP:
			options->action = ACTION_HELP;
			return STATUS_OK;
		case OPTION_VERSION:
			options->action = ACTION_VERSION;
			return STATUS_OK;
		case OPTION_SET:
			status = assign(&list[(*count)++], NULL, optarg, err);
			break;
		case OPTION_LIMIT:
			status = assign(&list[(*count)++], "limits", optarg, err);
			break;
		case OPTION_QUIET:
			list[(*count)++] = (struct assignment){"log", "level", "warning"};
			break;
		case OPTION_ALLOW_REMOTE:
			list[(*count)++] = (struct assignment){"listen", "allow_remote", "yes"};
			break;
		case ':':
			return fail(err, STATUS_BAD_VALUE, "%s needs a value", argv[at]);
		case '?':
			/* optopt: the known option that was given a value. */
			return fail(err, STATUS_BAD_VALUE,
				    optopt >= OPTION_CONFIG
					    ? "%s: this option takes no value"
					    : "%s: unknown option, or short for several (try "
					      "--help)",
				    argv[at]);
		default:
			list[(*count)++] =
				(struct assignment){shortcuts[id - OPTION_KEY].section,
						    shortcuts[id - OPTION_KEY].key, optarg};
		}
	}
	if (status == STATUS_OK && optind < argc)
		return fail(err, STATUS_BAD_VALUE, "%s: not an option (try --help)", argv[optind]);
	return status;
}

static enum status load(struct options *options, struct error *err)
{
	if (options->config_path == NULL) {
		if (access(FOLDD_CONFIG_FILE, F_OK) != 0)
			return STATUS_OK;
		options->config_path = FOLDD_CONFIG_FILE;
	}
	return settings_load(&options->settings, options->config_path, err);
}

enum status options_init(struct options *out, int argc, char **argv, struct error *err)
{
	struct options options = {.action = ACTION_SERVE};
	struct assignment *list = calloc((size_t)argc + 1, sizeof(*list));
	size_t count = 0;
	enum status status;

	if (list == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the command line");
	settings_init(&options.settings);
	status = scan(&options, argc, argv, list, &count, err);
	if (status != STATUS_OK || options.action == ACTION_HELP ||
	    options.action == ACTION_VERSION)
		goto done;

	status = load(&options, err);
	/* A list that the command line sets forgets what the file said. */
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		settings_clear(&options.settings, list[i].section, list[i].key);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = settings_set(&options.settings, list[i].section, list[i].key,
				      list[i].value, err);
	if (status == STATUS_OK)
		status = settings_finish(&options.settings, err);
done:
	free(list);
	if (status == STATUS_OK)
		*out = options;
	else
		settings_deinit(&options.settings);
	return status;
}

void options_deinit(struct options *options)
{
	settings_deinit(&options->settings);
}
