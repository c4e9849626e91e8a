#include "config.h"
#include "proto/gzip.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* the largest window; 16: a gzip frame (zlib.h) */
#define GZIP_LEVEL 1
#define GZIP_MEMORY 8       /* deflate's default */
#define GUNZIP_PIECE 65536u /* bytes given to the sink at once: chosen */

/* RFC 1952: a stream is one or more members, one after another. */
struct gunzip {
	z_stream stream;
	bool whole;  /* the last member has ended */
	bool second; /* a member has ended before */
	bool broken; /* a failure: nothing more can be read */
	unsigned char piece[GUNZIP_PIECE];
};

struct gunzip *gunzip_create(void)
{
	struct gunzip *gunzip = malloc(sizeof(*gunzip));

	if (gunzip == NULL)
		return NULL;
	gunzip->stream = (z_stream){0};
	gunzip->whole = gunzip->second = gunzip->broken = false;
	if (inflateInit2(&gunzip->stream, GZIP_WINDOW) != Z_OK) {
		free(gunzip);
		return NULL;
	}
	return gunzip;
}

void gunzip_destroy(struct gunzip *gunzip)
{
	if (gunzip == NULL)
		return;
	inflateEnd(&gunzip->stream);
	free(gunzip);
}

static enum status explain(const struct gunzip *gunzip, int code, struct error *err)
{
	const z_stream *stream = &gunzip->stream;

	if (code == Z_MEM_ERROR)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory to decompress the body");
	if (gunzip->second && stream->total_out == 0)
		return fail(err, STATUS_BAD_VALUE,
			    "after the end of its gzip data the body goes on with something else");
	return fail(err, STATUS_BAD_VALUE, "the body is not valid gzip data: %s",
		    stream->msg != NULL ? stream->msg : "it asks for a preset dictionary");
}

/* Inflate all that the stream has as input. */
static enum status run(struct gunzip *gunzip,
		       enum status (*sink)(void *context, const void *bytes, size_t size,
					   struct error *err),
		       void *context, struct error *err)
{
	z_stream *stream = &gunzip->stream;
	bool full = false; /* the last piece was: more may be waiting */

	while (stream->avail_in > 0 || full) {
		enum status status = STATUS_OK;
		int code;

		if (gunzip->whole) {
			inflateReset(stream);
			gunzip->second = true;
		}
		stream->next_out = gunzip->piece;
		stream->avail_out = GUNZIP_PIECE;
		code = inflate(stream, Z_NO_FLUSH);
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
			return explain(gunzip, code, err);

		gunzip->whole = code == Z_STREAM_END;
		full = code == Z_OK && stream->avail_out == 0;
		if (stream->avail_out < GUNZIP_PIECE)
			status =
				sink(context, gunzip->piece, GUNZIP_PIECE - stream->avail_out, err);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

enum status gunzip_feed(struct gunzip *gunzip, const void *bytes, size_t size,
			enum status (*sink)(void *context, const void *bytes, size_t size,
					    struct error *err),
			void *context, struct error *err)
{
	const unsigned char *in = bytes;

	if (gunzip->broken)
		return fail(err, STATUS_BAD_VALUE, "the body could not be decompressed");
	while (size > 0) {
		uInt piece = size < UINT_MAX ? (uInt)size : UINT_MAX;
		enum status status;

		gunzip->stream.next_in = (z_const Bytef *)in;
		gunzip->stream.avail_in = piece;
		status = run(gunzip, sink, context, err);
		if (status != STATUS_OK) {
			gunzip->broken = true;
			return status;
		}
		in += piece;
		size -= piece;
	}
	return STATUS_OK;
}

enum status gunzip_end(const struct gunzip *gunzip, struct error *err)
{
	if (gunzip->broken)
		return fail(err, STATUS_BAD_VALUE, "the body could not be decompressed");
	if (!gunzip->whole)
		return fail(err, STATUS_BAD_VALUE, "the gzip data of the body ends early");
	return STATUS_OK;
}

/* Deflate everything into out[0..room); 0 when it does not fit. */
static size_t deflate_into(z_stream *stream, const unsigned char *in, size_t size,
			   unsigned char *out, size_t room)
{
	size_t taken = 0, given = 0;
	int code = Z_OK;

	while (code != Z_STREAM_END) {
		uInt piece = size - taken < UINT_MAX ? (uInt)(size - taken) : UINT_MAX;
		uInt space = room - given < UINT_MAX ? (uInt)(room - given) : UINT_MAX;

		if (space == 0)
			return 0;
		stream->next_in = (z_const Bytef *)(in + taken);
		stream->avail_in = piece;
		stream->next_out = out + given;
		stream->avail_out = space;
		code = deflate(stream, taken + piece == size ? Z_FINISH : Z_NO_FLUSH);
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
			return 0;
		taken += piece - stream->avail_in;
		given += space - stream->avail_out;
	}
	return given;
}

void *gzip_all(const void *bytes, size_t size, size_t *out_size)
{
	z_stream stream = {0};
	unsigned char *out;
	size_t won = 0;

	if (size < 2)
		return NULL;
	out = malloc(size - 1); /* more than that wins nothing */
	if (out == NULL)
		return NULL;
	if (deflateInit2(&stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) == Z_OK) {
		won = deflate_into(&stream, bytes, size, out, size - 1);
		deflateEnd(&stream);
	}
	if (won == 0) {
		free(out);
		return NULL;
	}
	*out_size = won;
	return out;
}
