#include "config.h"
#include <string.h>
#include "clients/ctl_array.h"
#include "clients/ctl_number.h"
#include "clients/ctl_numbers.h"

static const char *const names[CTL_ARRAY_OPTION_COUNT] = {
	[CTL_ARRAY_FILE] = "file",
	[CTL_ARRAY_PATH] = "path",
	[CTL_ARRAY_PATHS] = "paths",
	[CTL_ARRAY_NAME] = "array",
	[CTL_ARRAY_SLICE] = "slice",
	[CTL_ARRAY_DTYPE] = "dtype",
	[CTL_ARRAY_SHAPE] = "shape",
	[CTL_ARRAY_BYTEORDER] = "byteorder",
	[CTL_ARRAY_OFFSET] = "offset",
	[CTL_ARRAY_FORMAT] = "format",
	[CTL_ARRAY_WITH] = "with",
	[CTL_ARRAY_WITH_FILE] = "with-file",
	[CTL_ARRAY_WITH_PATH] = "with-path",
	[CTL_ARRAY_WITH_ARRAY] = "with-array",
	[CTL_ARRAY_SEGMENTS_FILE] = "segments-file",
	[CTL_ARRAY_SEGMENTS_PATH] = "segments-path",
	[CTL_ARRAY_SEGMENTS_ARRAY] = "segments-array",
};

const char *ctl_array_option_name(enum ctl_array_option option)
{
	return names[option];
}

bool ctl_array_option_is_source(enum ctl_array_option option)
{
	switch (option) {
	case CTL_ARRAY_PATH:
	case CTL_ARRAY_PATHS:
	case CTL_ARRAY_DTYPE:
	case CTL_ARRAY_SHAPE:
	case CTL_ARRAY_BYTEORDER:
	case CTL_ARRAY_OFFSET:
	case CTL_ARRAY_FORMAT:
		return true;
	default:
		return false;
	}
}

/* "array":"x" */
static void name_member(struct ctl_source *source, const char *name)
{
	source->kind = CTL_SOURCE_MEMBER;
	ctl_text_puts(&source->member, "\"array\":");
	ctl_text_json_string(&source->member, name);
}

/* "file":"x.npy" */
static void path_member(struct ctl_source *source, const char *path)
{
	source->kind = CTL_SOURCE_MEMBER;
	source->is_path = true;
	ctl_text_puts(&source->member, "\"file\":");
	ctl_text_json_string(&source->member, path);
}

static void local(struct ctl_source *source, const char *name)
{
	source->kind = CTL_SOURCE_LOCAL;
	source->local = name;
}

/* The first array comes from one place; numbers and --paths may be many. */
static enum ctl_exit claim_x(struct ctl_job *job, const char *what, bool many)
{
	if (job->x.what != NULL && strcmp(job->x.what, what) != 0)
		return ctl_fail(CTL_USAGE, "the array is given twice: %s, and %s", job->x.what,
				what);
	if (job->x.what != NULL && !many)
		return ctl_fail(CTL_USAGE, "the array is given twice: %s", what);
	job->x.what = what;
	return CTL_OK;
}

static enum ctl_exit claim(struct ctl_source *source, const char *what)
{
	if (source->what != NULL)
		return ctl_fail(CTL_USAGE, "%s is given twice", what);
	source->what = what;
	return CTL_OK;
}

static enum ctl_exit set_x(enum ctl_array_option option, struct ctl_job *job, const char *value)
{
	struct ctl_source *x = &job->x;
	enum ctl_exit code;

	switch (option) {
	case CTL_ARRAY_FILE:
		code = claim_x(job, "--file", false);
		if (code == CTL_OK)
			local(x, value);
		return code;
	case CTL_ARRAY_PATH:
		code = claim_x(job, "--path", false);
		if (code == CTL_OK)
			path_member(x, value);
		return code;
	case CTL_ARRAY_NAME:
		code = claim_x(job, "--array", false);
		if (code == CTL_OK)
			name_member(x, value);
		return code;
	default:
		code = claim_x(job, "--paths", true);
		if (code == CTL_OK) {
			ctl_text_puts(&x->member, x->kind == CTL_SOURCE_NONE ? "\"files\":[" : ",");
			ctl_text_json_string(&x->member, value);
			x->kind = CTL_SOURCE_MEMBER;
		}
		return code;
	}
}

/* Numbers of the command line: the same words as in a text. */
static enum ctl_exit set_numbers(struct ctl_source *source, const char *name, const char *value)
{
	struct ctl_numbers numbers;
	enum ctl_exit code;

	source->kind = CTL_SOURCE_MEMBER;
	ctl_numbers_init(&numbers, name);
	ctl_text_puts(&source->member, "\"data\":");
	code = ctl_numbers_feed(&numbers, &source->member, value, strlen(value));
	if (code == CTL_OK)
		code = ctl_numbers_end(&numbers, &source->member);
	return code == CTL_OK ? CTL_OK : CTL_USAGE;
}

static enum ctl_exit set_with(enum ctl_array_option option, struct ctl_job *job, const char *value)
{
	enum ctl_exit code = claim(&job->with, "the second array (--with)");

	if (code != CTL_OK)
		return code;
	if (option == CTL_ARRAY_WITH)
		return set_numbers(&job->with, "--with", value);
	if (option == CTL_ARRAY_WITH_FILE)
		local(&job->with, value);
	else if (option == CTL_ARRAY_WITH_ARRAY)
		name_member(&job->with, value);
	else
		path_member(&job->with, value);
	return CTL_OK;
}

static enum ctl_exit set_segments(enum ctl_array_option option, struct ctl_job *job,
				  const char *value)
{
	enum ctl_exit code = claim(&job->segments, "the place of the segments");

	if (code != CTL_OK)
		return code;
	if (option == CTL_ARRAY_SEGMENTS_FILE) {
		local(&job->segments, value);
		return CTL_OK;
	}
	job->only_json = "segments";
	ctl_text_puts(&job->segments.member, "\"segments\":{");
	if (option == CTL_ARRAY_SEGMENTS_ARRAY)
		name_member(&job->segments, value);
	else
		path_member(&job->segments, value);
	ctl_text_puts(&job->segments.member, "}");
	return CTL_OK;
}

static enum ctl_exit set_lengths(const char **out, const char *option, const char *value)
{
	if (strspn(value, "0123456789,") != strlen(value) || *value == ',' ||
	    strstr(value, ",,") != NULL || (*value != '\0' && value[strlen(value) - 1] == ','))
		return ctl_fail(CTL_USAGE, "--%s: '%s' is not made of whole numbers", option,
				value);
	*out = value;
	return CTL_OK;
}

enum ctl_exit ctl_array_set(enum ctl_array_option option, struct ctl_job *job, const char *value)
{
	switch (option) {
	case CTL_ARRAY_DTYPE:
		job->dtype = value;
		return CTL_OK;
	case CTL_ARRAY_BYTEORDER:
		job->byteorder = value;
		return CTL_OK;
	case CTL_ARRAY_SLICE:
		return set_lengths(&job->slice, names[option], value);
	case CTL_ARRAY_SHAPE:
		return set_lengths(&job->shape, names[option], value);
	case CTL_ARRAY_OFFSET:
		return set_lengths(&job->offset, names[option], value);
	case CTL_ARRAY_FORMAT:
		job->format_name = value;
		return CTL_OK;
	case CTL_ARRAY_WITH:
	case CTL_ARRAY_WITH_FILE:
	case CTL_ARRAY_WITH_PATH:
	case CTL_ARRAY_WITH_ARRAY:
		return set_with(option, job, value);
	case CTL_ARRAY_SEGMENTS_FILE:
	case CTL_ARRAY_SEGMENTS_PATH:
	case CTL_ARRAY_SEGMENTS_ARRAY:
		return set_segments(option, job, value);
	default:
		return set_x(option, job, value);
	}
}

enum ctl_exit ctl_array_operand(struct ctl_job *job, const char *operand)
{
	struct ctl_source *x = &job->x;
	enum ctl_exit code;

	if (strcmp(operand, "-") == 0) {
		code = claim_x(job, "- (standard input)", false);
		if (code == CTL_OK)
			local(x, operand);
		return code;
	}
	if (*operand == '[') {
		code = claim_x(job, "a JSON array", false);
		return code == CTL_OK ? set_numbers(x, "the array", operand) : code;
	}
	code = claim_x(job, "numbers", true);
	if (code != CTL_OK)
		return code;
	ctl_text_puts(&x->member, x->kind == CTL_SOURCE_NONE ? "\"data\":[" : ",");
	x->kind = CTL_SOURCE_MEMBER;
	if (!ctl_number_to_json(&x->member, operand, strlen(operand)))
		return ctl_fail(CTL_USAGE, "'%s' is not a number (a local file is given by -f)",
				operand);
	return CTL_OK;
}

/* What --format means for an upload; the server judges it for its own files. */
static enum ctl_exit format_end(struct ctl_job *job)
{
	const char *name = job->format_name;

	if (name == NULL || job->x.kind != CTL_SOURCE_LOCAL)
		return CTL_OK;
	if (strcmp(name, "npy") == 0)
		job->format = CTL_FORMAT_NPY;
	else if (strcmp(name, "raw") == 0)
		job->format = CTL_FORMAT_RAW;
	else if (strcmp(name, "text") == 0)
		job->format = CTL_FORMAT_TEXT;
	else
		return ctl_fail(CTL_USAGE, "--format: an upload is npy, raw or text, not '%s'",
				name);
	/* Said by the content type. */
	job->format_name = NULL;
	return CTL_OK;
}

enum ctl_exit ctl_array_end(struct ctl_job *job)
{
	struct ctl_source *x = &job->x;

	if (x->kind == CTL_SOURCE_NONE)
		return ctl_fail(CTL_USAGE, "no array: give numbers, -f FILE, -, --path FILE or "
					   "--array NAME");
	if (x->what != NULL && (strcmp(x->what, "numbers") == 0 || strcmp(x->what, "--paths") == 0))
		ctl_text_puts(&x->member, "]");
	if (job->slice != NULL && strcmp(x->what, "--array") != 0)
		return ctl_fail(CTL_USAGE, "--slice goes with --array");
	if (job->slice != NULL)
		ctl_text_printf(&x->member, ",\"slice\":[%s]", job->slice);
	return format_end(job);
}
