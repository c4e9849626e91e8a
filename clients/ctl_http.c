#include "config.h"
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "clients/ctl_http.h"
#include "clients/ctl_progress.h"

#define CONNECT_TIMEOUT_S 10L /* chosen */
#define UPLOAD_BUFFER 262144L /* bytes; chosen */

void ctl_server_init(struct ctl_server *server)
{
	const char *url = getenv("FOLDD_URL");

	memset(server, 0, sizeof(*server));
	server->url = url != NULL && *url != '\0' ? url : CTL_HTTP_DEFAULT_URL;
	server->progress = isatty(STDERR_FILENO);
}

void ctl_answer_deinit(struct ctl_answer *answer)
{
	ctl_text_deinit(&answer->text);
}

/* One exchange, as libcurl's callbacks see it. */
struct exchange {
	const struct ctl_request *request;
	struct ctl_answer answer;
	struct ctl_progress progress;
	enum ctl_exit code; /* a failure of ours, said already */
	bool type_fits;     /* the answer's type is the one asked for */
};

static size_t on_read(char *out, size_t unit, size_t count, void *context)
{
	struct exchange *exchange = context;
	struct ctl_body *body = exchange->request->body;
	size_t got = 0;

	exchange->code = ctl_body_read(body, out, unit * count, &got);
	ctl_progress_update(&exchange->progress, body->sent);
	return exchange->code == CTL_OK ? got : CURL_READFUNC_ABORT;
}

/* libcurl rewinds when it must send again; a pipe cannot. */
static int on_seek(void *context, curl_off_t offset, int origin)
{
	(void)context;
	(void)offset;
	(void)origin;
	return CURL_SEEKFUNC_CANTSEEK;
}

/* The value of a header line when it is of this name, else NULL. */
static const char *header_value(const char *line, size_t size, const char *name, size_t *out_size)
{
	size_t length = strlen(name);

	if (size <= length || strncasecmp(line, name, length) != 0 || line[length] != ':')
		return NULL;
	line += length + 1;
	size -= length + 1;
	while (size != 0 && (*line == ' ' || *line == '\t')) {
		line++;
		size--;
	}
	while (size != 0 && (line[size - 1] == '\r' || line[size - 1] == '\n'))
		size--;
	*out_size = size;
	return line;
}

static size_t on_header(char *line, size_t unit, size_t count, void *context)
{
	struct exchange *exchange = context;
	const char *accept = exchange->request->accept;
	size_t value_size;
	const char *value = header_value(line, unit * count, "Content-Type", &value_size);

	/* A 100 Continue comes first, with headers of its own. */
	if (unit * count > 9 && memcmp(line, "HTTP/", 5) == 0) {
		exchange->answer.status = strtol(line + strcspn(line, " "), NULL, 10);
		exchange->type_fits = false;
	}
	if (value != NULL && accept != NULL)
		exchange->type_fits =
			value_size == strlen(accept) && strncasecmp(value, accept, value_size) == 0;
	value = header_value(line, unit * count, "Retry-After", &value_size);
	if (value != NULL)
		exchange->answer.retry_after = strtol(value, NULL, 10);
	return unit * count;
}

static size_t on_write(char *bytes, size_t unit, size_t count, void *context)
{
	struct exchange *exchange = context;
	struct ctl_answer *answer = &exchange->answer;
	size_t size = unit * count;

	if (exchange->request->sink != NULL && answer->status / 100 == 2 && exchange->type_fits) {
		answer->in_sink = true;
		exchange->code = ctl_sink_write(exchange->request->sink, bytes, size);
	} else {
		ctl_text_add(&answer->text, bytes, size);
		if (answer->text.failed)
			exchange->code = ctl_no_memory();
	}
	return exchange->code == CTL_OK ? size : 0;
}

/* The headers of the request; NULL when there is no memory. */
static struct curl_slist *headers_make(const struct ctl_request *request)
{
	struct ctl_text lines = {0};
	struct curl_slist *list = NULL;
	char *rest, *line;

	ctl_text_printf(&lines, "Accept: %s",
			request->accept != NULL ? request->accept : "application/json");
	if (request->body != NULL)
		ctl_text_printf(&lines, "\nContent-Type: %s", request->body->content_type);
	if (request->only_new)
		ctl_text_puts(&lines, "\nIf-None-Match: *");
	if (request->body != NULL && request->body->size < 0)
		ctl_text_puts(&lines, "\nTransfer-Encoding: chunked");
	if (request->body != NULL && request->body->job_length >= 0)
		ctl_text_printf(&lines, "\nFoldd-Job-Length: %lld",
				(long long)request->body->job_length);
	rest = lines.failed ? NULL : lines.bytes;
	while ((line = strsep(&rest, "\n")) != NULL) {
		struct curl_slist *longer = curl_slist_append(list, line);

		if (longer == NULL) {
			curl_slist_free_all(list);
			list = NULL;
			break;
		}
		list = longer;
	}
	ctl_text_deinit(&lines);
	return list;
}

static void url_make(struct ctl_text *out, const struct ctl_server *server,
		     const struct ctl_request *request)
{
	/* The name is not looked up when there is a socket's path. */
	const char *base = server->unix_path != NULL ? "http://localhost" : server->url;
	size_t size = strlen(base);

	while (size != 0 && base[size - 1] == '/')
		size--;
	ctl_text_add(out, base, size);
	ctl_text_puts(out, request->path);
	if (request->body != NULL && request->body->query.size != 0)
		ctl_text_printf(out, "?%s", request->body->query.bytes);
}

static CURLcode set_upload(CURL *curl, struct exchange *exchange)
{
	int64_t size = exchange->request->body->size;
	CURLcode code = curl_easy_setopt(curl, CURLOPT_POST, 1L);

	/* -1: chunked, as the header says. */
	code = code ? code : curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_READFUNCTION, on_read);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_READDATA, exchange);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, on_seek);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_BUFFER);
	return code;
}

static CURLcode set_options(CURL *curl, const struct ctl_server *server, struct exchange *exchange,
			    const char *url, const struct curl_slist *headers)
{
	CURLcode code = curl_easy_setopt(curl, CURLOPT_URL, url);

	code = code ? code : curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	if (server->unix_path != NULL)
		code = code ? code
			    : curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, server->unix_path);
	/* The daemon is near: a proxy of the environment is for the web. */
	code = code ? code : curl_easy_setopt(curl, CURLOPT_PROXY, "");
	code = code ? code : curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_TIMEOUT_S);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_USERAGENT, "foldctl/" PACKAGE_VERSION);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_HEADERDATA, exchange);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_write);
	code = code ? code : curl_easy_setopt(curl, CURLOPT_WRITEDATA, exchange);
	if (exchange->request->body != NULL)
		code = code ? code : set_upload(curl, exchange);
	if (exchange->request->method != NULL)
		code = code ? code
			    : curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST,
					       exchange->request->method);
	return code;
}

static const char *server_name(const struct ctl_server *server)
{
	return server->unix_path != NULL ? server->unix_path : server->url;
}

/* libcurl's words, but of a socket's path: it would tell of a port 80. */
static enum ctl_exit unreachable(CURL *curl, CURLcode result, const char *why,
				 const struct ctl_server *server)
{
	long number = 0;

	if (*why == '\0')
		why = curl_easy_strerror(result);
	if (server->unix_path != NULL && result == CURLE_COULDNT_CONNECT &&
	    curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &number) == CURLE_OK && number != 0)
		why = strerror((int)number);
	return ctl_fail(CTL_UNREACHABLE, "%s: %s", server_name(server), why);
}

static enum ctl_exit perform(CURL *curl, struct exchange *exchange, const struct ctl_server *server)
{
	char why[CURL_ERROR_SIZE] = "";
	CURLcode result = curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
	const struct ctl_body *body = exchange->request->body;

	if (body != NULL)
		ctl_progress_start(&exchange->progress, server->progress, body->size);
	if (result == CURLE_OK)
		result = curl_easy_perform(curl);
	if (body != NULL)
		ctl_progress_end(&exchange->progress, body->sent);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, NULL);
	if (exchange->code != CTL_OK)
		return exchange->code;
	/* A server that refuses an upload answers and closes: the answer
	 * counts, not the broken pipe. */
	if (result != CURLE_OK &&
	    (exchange->answer.status < 400 || exchange->answer.text.size == 0))
		return unreachable(curl, result, why, server);
	return CTL_OK;
}

enum ctl_exit ctl_http_send(struct ctl_answer *out, const struct ctl_server *server,
			    const struct ctl_request *request)
{
	struct exchange exchange = {.request = request};
	struct curl_slist *headers = headers_make(request);
	struct ctl_text url = {0};
	CURL *curl = curl_easy_init();
	enum ctl_exit code;
	CURLcode set;

	url_make(&url, server, request);
	if (curl == NULL || headers == NULL || url.failed) {
		code = ctl_no_memory();
		goto clean_up;
	}
	set = set_options(curl, server, &exchange, url.bytes, headers);
	code = set == CURLE_OK ? perform(curl, &exchange, server)
			       : ctl_fail(CTL_UNREACHABLE, "%s: %s", server_name(server),
					  curl_easy_strerror(set));
	if (code == CTL_OK)
		*out = exchange.answer;
	else
		ctl_answer_deinit(&exchange.answer);

clean_up:
	curl_easy_cleanup(curl);
	curl_slist_free_all(headers);
	ctl_text_deinit(&url);
	return code;
}
