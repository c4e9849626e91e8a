#include "config.h"
#include "proto/response_parts.h"

#define RETRY_READY 1 /* seconds until asking again makes sense: chosen */

void response_of_health(struct response *out, struct engine *engine, bool ready, const char *why)
{
	unsigned backends = engine != NULL ? engine_backend_count(engine) : 0;
	struct text text;

	text_init(&text, 256);
	text_puts(&text, ready ? "{\"status\":\"ok\"" : "{\"status\":\"unavailable\"");
	if (why != NULL) {
		text_puts(&text, ",\"reason\":");
		text_quote(&text, why);
	}
	text_puts(&text, ",\"backends\":[");
	for (unsigned i = 0; i < backends; i++) {
		struct backend_caps caps;

		engine_backend_describe(engine, i, &caps);
		if (i > 0)
			text_puts(&text, ",");
		text_quote(&text, caps.name);
	}
	text_puts(&text, "]}");
	response_init_text(out, ready ? 200 : 503, "application/json", &text);
	if (!ready)
		out->retry_after = RETRY_READY;
}
