#include "config.h"
#include "proto/response_parts.h"

#define RETRY_READY 1 /* seconds until asking again makes sense: chosen */

/* Those that work, or those that do not any more. */
static void write_names(struct text *text, const struct engine *engine, const char *member,
			bool working)
{
	unsigned backends = engine != NULL ? engine_backend_count(engine) : 0;
	bool first = true;

	text_puts(text, ",");
	text_quote(text, member);
	text_puts(text, ":[");
	for (unsigned i = 0; i < backends; i++) {
		struct backend_caps caps;

		if ((engine_backend_state(engine, i, NULL) == STATUS_OK) != working)
			continue;
		engine_backend_describe(engine, i, &caps);
		text_puts(text, first ? "" : ",");
		text_quote(text, caps.name);
		first = false;
	}
	text_puts(text, "]");
}

void response_of_health(struct response *out, struct engine *engine, bool ready, const char *why)
{
	struct text text;

	text_init(&text, 256);
	text_puts(&text, ready ? "{\"status\":\"ok\"" : "{\"status\":\"unavailable\"");
	if (why != NULL) {
		text_puts(&text, ",\"reason\":");
		text_quote(&text, why);
	}
	write_names(&text, engine, "backends", true);
	write_names(&text, engine, "lost", false);
	text_puts(&text, "}");
	response_init_text(out, ready ? 200 : 503, "application/json", &text);
	if (!ready)
		out->retry_after = RETRY_READY;
}
