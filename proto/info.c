#include "config.h"
#include "proto/response_parts.h"

#include "engine/op.h"
#include "engine/order.h"
#include "proto/member.h"

/* What docs/api.md describes and this version answers with 501; members are
 * told by their own table. Ends with NULL. */
static const char *const later_paths[] = {"/", "/metrics", "/v1/jobs", "/v1/stats", "/v2", NULL};
static const char *const later_formats[] = {"npz", "csv", "hdf5", NULL};

static void write_strings(struct text *text, const char *name, const char *const *strings)
{
	text_quote(text, name);
	text_puts(text, ":[");
	for (size_t i = 0; strings[i] != NULL; i++) {
		if (i > 0)
			text_puts(text, ",");
		text_quote(text, strings[i]);
	}
	text_puts(text, "]");
}

static void write_not_implemented(struct text *text)
{
	bool first = true;

	text_puts(text, ",\"not_implemented\":{");
	write_strings(text, "paths", later_paths);
	text_puts(text, ",");
	write_strings(text, "formats", later_formats);
	text_puts(text, ",\"members\":[");
	for (int i = 0; i < MEMBER_COUNT; i++) {
		const struct member_info *member = member_info((enum member)i);

		if (member->served)
			continue;
		if (!first)
			text_puts(text, ",");
		text_quote(text, member->name);
		first = false;
	}
	text_puts(text, "]}");
}

static void write_number(struct text *text, const char *name, uint64_t value)
{
	text_puts(text, ",");
	text_quote(text, name);
	text_puts(text, ":");
	text_uint(text, value);
}

static uint64_t to_integer(double value)
{
	return value > 0 && value < 0x1p64 ? (uint64_t)value : 0;
}

static void write_backends(struct text *text, struct engine *engine)
{
	text_puts(text, ",\"backends\":[");
	for (unsigned i = 0; i < engine_backend_count(engine); i++) {
		struct backend_caps caps;
		struct error why = {0};

		engine_backend_describe(engine, i, &caps);
		text_puts(text, i == 0 ? "{\"name\":" : ",{\"name\":");
		text_quote(text, caps.name);
		text_puts(text, ",\"device\":");
		text_quote(text, caps.device);
		if (caps.simd[0] != '\0') {
			text_puts(text, ",\"simd\":");
			text_quote(text, caps.simd);
		}
		write_number(text, "threads", caps.threads);
		write_number(text, "memory", caps.memory);
		write_number(text, "launch_ns", caps.launch_ns);
		write_number(text, "bytes_per_second", to_integer(caps.bytes_per_second));
		write_number(text, "in_bytes_per_second", to_integer(caps.in_bytes_per_second));
		write_number(text, "out_bytes_per_second", to_integer(caps.out_bytes_per_second));
		if (engine_backend_state(engine, i, &why) != STATUS_OK) {
			text_puts(text, ",\"lost\":");
			text_quote(text, why.text);
		}
		text_puts(text, "}");
	}
	text_puts(text, "],\"absent_backends\":[");
	for (unsigned i = 0; i < engine_absent_count(engine); i++) {
		const struct backend_absent *absent = engine_absent(engine, i);

		text_puts(text, i == 0 ? "{\"name\":" : ",{\"name\":");
		text_quote(text, absent->name);
		text_puts(text, ",\"why\":");
		text_quote(text, absent->why);
		text_puts(text, "}");
	}
	text_puts(text, "]");
}

static void write_dtypes(struct text *text)
{
	text_puts(text, ",\"dtypes\":");
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
		text_puts(text, dtype == 0 ? "[{\"name\":" : ",{\"name\":");
		text_quote(text, dtype_name((enum dtype)dtype));
		write_number(text, "size", dtype_size((enum dtype)dtype));
		text_puts(text, "}");
	}
	text_puts(text, "]");
}

/* The types of which an operation (or its scan) has an exact form. */
static void write_exact(struct text *text, const struct op_spec *spec, bool scan)
{
	bool first = true;

	text_puts(text, scan ? ",\"scan_exact\":[" : ",\"exact\":[");
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
		if (!op_has_exact(spec, (enum dtype)dtype, scan))
			continue;
		if (!first)
			text_puts(text, ",");
		text_quote(text, dtype_name((enum dtype)dtype));
		first = false;
	}
	text_puts(text, "]");
}

static void write_op(struct text *text, enum op op)
{
	/* lp has an exact form for two of its P only: told of the others. */
	struct op_spec spec = {.op = op, .p = 3};
	bool scans = op_scans(op);

	text_puts(text, "{\"name\":");
	text_quote(text, op == OP_LP ? "lp:P" : op_name(op));
	text_puts(text, ",\"result_dtype\":");
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
		text_puts(text, dtype == 0 ? "{" : ",");
		text_quote(text, dtype_name((enum dtype)dtype));
		text_puts(text, ":");
		text_quote(text, dtype_name(op_result_dtype(op, (enum dtype)dtype)));
	}
	text_puts(text, op_takes_out_dtype(op) ? "},\"out_dtype\":true" : "},\"out_dtype\":false");
	write_exact(text, &spec, false);
	text_puts(text, scans ? ",\"scan\":true" : ",\"scan\":false");
	if (scans)
		write_exact(text, &spec, true);
	text_puts(text, "}");
}

static void write_limits(struct text *text, const struct limits *limits)
{
	text_puts(text, ",\"limits\":{\"body\":");
	text_uint(text, limits->body);
	write_number(text, "json", limits->json);
	write_number(text, "depth", limits->depth);
	write_number(text, "jobs", limits->jobs);
	write_number(text, "state", limits->state);
	write_number(text, "spool", limits->spool);
	write_number(text, "json_elements", limits->json_elements);
	write_number(text, "inline_ns", limits->inline_ns);
	write_number(text, "queue_jobs", limits->queue_jobs);
	write_number(text, "timeout_ms", limits->timeout_ms);
	write_number(text, "files", limits->files);
	text_puts(text, "}");
}

void response_of_info(struct response *out, struct engine *engine)
{
	struct text text;

	text_init(&text, 16384);
	text_puts(&text, "{\"name\":\"foldd\",\"version\":");
	text_quote(&text, PACKAGE_VERSION);
	write_number(&text, "order", ORDER_VERSION);
	write_backends(&text, engine);
	write_dtypes(&text);
	text_puts(&text, ",\"operations\":[");
	for (int op = 0; op < OP_COUNT_OF_OPS; op++) {
		if (op > 0)
			text_puts(&text, ",");
		write_op(&text, (enum op)op);
	}
	text_puts(&text, "]");
	write_limits(&text, engine_limits(engine));
	write_not_implemented(&text);
	text_puts(&text, "}");
	response_init_text(out, 200, "application/json", &text);
}
