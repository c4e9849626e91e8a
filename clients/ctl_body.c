#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "clients/ctl_body.h"

/* The text of a new piece; it takes `local` over. */
static struct ctl_text *add_piece(struct ctl_body *body, enum ctl_piece_kind kind,
				  const struct ctl_local *local)
{
	struct ctl_piece *piece = &body->pieces[body->piece_count++];

	ctl_piece_init(piece, kind, local);
	return &piece->text;
}

void ctl_body_close(struct ctl_body *body)
{
	for (unsigned i = 0; i < body->piece_count; i++)
		ctl_piece_deinit(&body->pieces[i]);
	ctl_text_deinit(&body->query);
	memset(body, 0, sizeof(*body));
}

enum ctl_exit ctl_body_read(struct ctl_body *body, char *out, size_t size, size_t *got)
{
	size_t n = 0;

	while (body->piece_at < body->piece_count) {
		enum ctl_exit code = ctl_piece_read(&body->pieces[body->piece_at], out, size, &n);

		if (code != CTL_OK)
			return code;
		if (n != 0)
			break;
		body->piece_at++;
	}
	body->sent += n;
	*got = n;
	return CTL_OK;
}

/* Bytes of the whole, when every piece knows its own. */
static int64_t size_of(const struct ctl_body *body)
{
	int64_t size = 0;

	for (unsigned i = 0; i < body->piece_count; i++) {
		int64_t piece = ctl_piece_size(&body->pieces[i]);

		if (piece < 0)
			return -1;
		size += piece;
	}
	return size;
}

/* *out becomes body, unless code says that making it failed. */
static enum ctl_exit finish(struct ctl_body *out, struct ctl_body *body, enum ctl_exit code)
{
	bool failed = body->query.failed;

	for (unsigned i = 0; i < body->piece_count; i++)
		failed |= body->pieces[i].text.failed;
	if (code == CTL_OK && failed)
		code = ctl_no_memory();
	if (code != CTL_OK) {
		ctl_body_close(body);
		return code;
	}
	body->size = size_of(body);
	*out = *body;
	return CTL_OK;
}

static void add_member(struct ctl_text *json, const struct ctl_text *member)
{
	if (member->size != 0)
		ctl_text_printf(json, "%s%s", json->bytes[json->size - 1] == '{' ? "" : ",",
				member->bytes);
}

/* A member that begins with a comma, which the first of an object has not. */
static void add_next(struct ctl_text *json, const char *member)
{
	ctl_text_puts(json,
		      json->size > 0 && json->bytes[json->size - 1] == '{' ? member + 1 : member);
}

/* "with": the second array is of the first one's type. */
static void add_with(struct ctl_text *json, const struct ctl_job *job)
{
	ctl_text_printf(json, ",\"with\":{%s", job->with.member.bytes);
	if (job->dtype != NULL) {
		ctl_text_puts(json, ",\"dtype\":");
		ctl_text_json_string(json, job->dtype);
	}
	if (job->byteorder != NULL && job->with.is_path) {
		ctl_text_puts(json, ",\"byteorder\":");
		ctl_text_json_string(json, job->byteorder);
	}
	ctl_text_puts(json, "}");
}

/* {"op":"sum" ... : everything but what is uploaded, and the closing brace. */
static void add_job(struct ctl_text *json, const struct ctl_job *job, bool describe)
{
	struct ctl_text described = {0};

	ctl_text_puts(json, "{");
	add_member(json, &job->json);
	if (describe)
		ctl_job_describe_data(job, &described, NULL);
	add_member(json, &described);
	json->failed |= described.failed;
	ctl_text_deinit(&described);
	if (job->with.kind == CTL_SOURCE_MEMBER)
		add_with(json, job);
	if (job->x.kind == CTL_SOURCE_MEMBER)
		add_member(json, &job->x.member);
	if (job->segments.kind == CTL_SOURCE_MEMBER)
		add_member(json, &job->segments.member);
}

/* dtype: the type of its elements, if they are raw; NULL: not known. */
static enum ctl_format format_of(const struct ctl_job *job, const struct ctl_local *local,
				 const char *dtype)
{
	if (job->format != CTL_FORMAT_AUTO)
		return job->format;
	/* An empty or broken x.npy is an error, as on the server. */
	if (ctl_local_is_npy(local) || ctl_local_is_named_npy(local))
		return CTL_FORMAT_NPY;
	if (dtype != NULL && ctl_local_is_numbers(local))
		ctl_fail(CTL_OK,
			 "%s looks like text and is read as raw %s: --format text reads numbers, "
			 "--format raw is silent",
			 local->name, dtype);
	return dtype != NULL ? CTL_FORMAT_RAW : CTL_FORMAT_TEXT;
}

/* Kind 1: everything in JSON; a local text becomes its member data. */
static void build_json(struct ctl_body *body, const struct ctl_job *job, struct ctl_local *text)
{
	struct ctl_text *head = add_piece(body, CTL_PIECE_TEXT, NULL);

	body->content_type = "application/json";
	add_job(head, job, true);
	if (text != NULL) {
		add_next(head, ",\"data\":");
		add_piece(body, CTL_PIECE_NUMBERS, text);
		head = add_piece(body, CTL_PIECE_TEXT, NULL);
	}
	ctl_text_puts(head, "}");
}

/* Kinds 2 and 3: the file is the body, the job is the query string. */
static void build_single(struct ctl_body *body, const struct ctl_job *job, struct ctl_local *local,
			 enum ctl_format format)
{
	body->content_type =
		format == CTL_FORMAT_NPY ? "application/x-npy" : "application/octet-stream";
	ctl_text_add(&body->query, job->query.bytes, job->query.size);
	ctl_job_describe_data(job, NULL, &body->query);
	add_piece(body, CTL_PIECE_LOCAL, local);
}

/* One part: its entry in `parts`, and the piece, which takes local over. */
static enum ctl_exit add_part(struct ctl_body *body, const struct ctl_job *job,
			      struct ctl_text *parts, const struct ctl_local *local, bool is_x,
			      const char *dtype)
{
	enum ctl_format format = format_of(job, local, dtype);

	add_piece(body, CTL_PIECE_LOCAL, local);
	if (local->size < 0)
		return ctl_fail(CTL_USAGE,
				"%s: its size is not known ahead, which this job needs (%s): give "
				"a file",
				local->name,
				job->only_json != NULL ? job->only_json : "several uploads");
	if (format == CTL_FORMAT_TEXT || (format == CTL_FORMAT_RAW && dtype == NULL))
		return ctl_fail(
			CTL_USAGE, "%s: this job (%s) takes .npy files, or raw ones with --dtype",
			local->name, job->only_json != NULL ? job->only_json : "several uploads");
	ctl_text_printf(parts, "%s{\"size\":%" PRId64, parts->size == 0 ? "" : ",", local->size);
	if (format == CTL_FORMAT_NPY) {
		ctl_text_puts(parts, ",\"format\":\"npy\"}");
		return CTL_OK;
	}
	ctl_text_printf(parts, ",\"dtype\":");
	ctl_text_json_string(parts, dtype);
	if (is_x && job->shape != NULL)
		ctl_text_printf(parts, ",\"shape\":[%s]", job->shape);
	if (job->byteorder != NULL) {
		ctl_text_puts(parts, ",\"byteorder\":");
		ctl_text_json_string(parts, job->byteorder);
	}
	ctl_text_puts(parts, "}");
	return CTL_OK;
}

/* Kind 4: a job object, then parts. The first array is the last part, so that
 * it can be worked on while it arrives. x: that array, if open already; it is
 * taken over. */
static enum ctl_exit build_parts(struct ctl_body *body, const struct ctl_job *job,
				 const struct ctl_local *x)
{
	const struct {
		const struct ctl_source *source;
		const char *before, *after, *dtype;
	} parts[] = {
		{&job->segments, ",\"segments\":{\"part\":", "}", "int64"},
		{&job->with, ",\"with\":{\"part\":", "}", job->dtype},
		{&job->x, ",\"part\":", "", job->dtype},
	};
	struct ctl_text *head = add_piece(body, CTL_PIECE_TEXT, NULL);
	struct ctl_text list = {0};
	enum ctl_exit code = CTL_OK;
	unsigned count = 0;

	body->content_type = "application/vnd.foldd";
	add_job(head, job, job->x.kind != CTL_SOURCE_LOCAL);
	for (unsigned i = 0; i < 3 && code == CTL_OK; i++) {
		const struct ctl_source *source = parts[i].source;
		struct ctl_local local;

		if (source->kind != CTL_SOURCE_LOCAL)
			continue;
		add_next(head, parts[i].before);
		ctl_text_printf(head, "%u%s", count++, parts[i].after);
		if (source == &job->x && x != NULL)
			local = *x;
		else
			code = ctl_local_open(&local, source->local);
		if (code == CTL_OK)
			code = add_part(body, job, &list, &local, source == &job->x,
					parts[i].dtype);
	}
	ctl_text_printf(head, ",\"parts\":[%s]}", list.size == 0 ? "" : list.bytes);
	head->failed |= list.failed;
	ctl_text_deinit(&list);
	body->job_length = (int64_t)head->size;
	return code;
}

/* Raw elements that begin as a NumPy file does. */
static enum ctl_exit build_raw_part(struct ctl_body *body, const struct ctl_job *job,
				    struct ctl_local *local)
{
	if (local->size >= 0)
		return build_parts(body, job, local);
	ctl_local_close(local);
	return ctl_fail(CTL_USAGE,
			"%s: begins as a .npy file does: to be read as raw it must be a file",
			local->name);
}

enum ctl_exit ctl_body_open(struct ctl_body *out, const struct ctl_job *job)
{
	struct ctl_body body = {.job_length = -1};
	struct ctl_local local;
	enum ctl_format format;
	enum ctl_exit code;

	if (job->json.failed || job->query.failed || job->x.member.failed ||
	    job->with.member.failed || job->segments.member.failed)
		return ctl_no_memory();
	if (job->with.kind == CTL_SOURCE_LOCAL || job->segments.kind == CTL_SOURCE_LOCAL)
		return finish(out, &body, build_parts(&body, job, NULL));
	if (job->x.kind != CTL_SOURCE_LOCAL) {
		build_json(&body, job, NULL);
		return finish(out, &body, CTL_OK);
	}
	code = ctl_local_open(&local, job->x.local);
	if (code != CTL_OK)
		return code;
	format = format_of(job, &local, job->dtype);
	if (format == CTL_FORMAT_TEXT) {
		build_json(&body, job, &local);
	} else if (job->with.kind != CTL_SOURCE_NONE || job->only_json != NULL) {
		code = build_parts(&body, job, &local);
	} else if (format == CTL_FORMAT_RAW && job->dtype == NULL) {
		ctl_local_close(&local);
		code = ctl_fail(CTL_USAGE, "%s: raw elements need --dtype", local.name);
	} else if (format == CTL_FORMAT_RAW && ctl_local_is_npy(&local)) {
		/* As a body of its own the server would take it for what it looks like. */
		code = build_raw_part(&body, job, &local);
	} else {
		build_single(&body, job, &local, format);
	}
	return finish(out, &body, code);
}

/* An envelope's first member is jobs; a job has none of that name. */
static bool is_envelope(const char *head)
{
	if (*head != '{')
		return false;
	head++;
	head += strspn(head, " \t\r\n");
	return strncmp(head, "\"jobs\"", 6) == 0;
}

enum ctl_exit ctl_body_open_batch(struct ctl_body *out, const char *name)
{
	struct ctl_body body = {.job_length = -1, .content_type = "application/json"};
	struct ctl_local local;
	enum ctl_exit code = ctl_local_open(&local, name);
	const char *first;

	if (code != CTL_OK)
		return code;
	first = local.head + strspn(local.head, " \t\r\n");
	if (is_envelope(first)) {
		add_piece(&body, CTL_PIECE_LOCAL, &local);
		return finish(out, &body, CTL_OK);
	}
	ctl_text_puts(add_piece(&body, CTL_PIECE_TEXT, NULL),
		      *first == '[' ? "{\"jobs\":" : "{\"jobs\":[");
	add_piece(&body, *first == '[' ? CTL_PIECE_LOCAL : CTL_PIECE_LINES, &local);
	ctl_text_puts(add_piece(&body, CTL_PIECE_TEXT, NULL), *first == '[' ? "}" : "]}");
	return finish(out, &body, CTL_OK);
}

enum ctl_exit ctl_body_open_merge(struct ctl_body *out, const struct ctl_job *job,
				  const struct ctl_text *partials)
{
	struct ctl_body body = {.job_length = -1, .content_type = "application/json"};
	struct ctl_text *text = add_piece(&body, CTL_PIECE_TEXT, NULL);

	ctl_text_puts(text, "{");
	add_member(text, &job->json);
	ctl_text_puts(text, job->json.size == 0 ? "\"partials\":[" : ",\"partials\":[");
	ctl_text_add(text, partials->bytes, partials->size);
	ctl_text_puts(text, "]}");
	text->failed |= job->json.failed;
	return finish(out, &body, CTL_OK);
}
