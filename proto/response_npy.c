#include "config.h"
#include "proto/response_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "proto/npy.h"
#include "proto/zip.h"

#define PIECE 65536u    /* bytes copied at once: chosen; a multiple of 8 */
#define KEPT (1u << 20) /* bytes of an .npz kept in memory: chosen */

/* One operation's .npy: a header and the elements, NaN where they are null. */
struct image {
	const struct result_op *of;
	bool nulls;
	size_t header_size;
	uint64_t size; /* of the whole file */
	char header[]; /* header_size bytes */
};

typedef enum status (*image_sink)(void *context, const void *bytes, size_t size, struct error *err);

static enum status find_null(const struct result_op *of, bool *out, struct error *err)
{
	char piece[4096];
	uint64_t size = of->nulls != NULL ? spool_size(of->nulls) : 0;

	*out = false;
	for (uint64_t at = 0; at < size && !*out; at += sizeof(piece)) {
		uint64_t run = size - at < sizeof(piece) ? size - at : sizeof(piece);
		enum status status = spool_read(of->nulls, at, piece, run, err);

		if (status != STATUS_OK)
			return status;
		*out = memchr(piece, 1, run) != NULL;
	}
	return STATUS_OK;
}

static enum status image_create(const struct result *result, unsigned op, struct image **out,
				struct error *err)
{
	const struct result_op *of = &result->ops[op];
	struct array_desc desc;
	struct image *image;
	size_t header_size;
	bool nulls;
	enum status status = find_null(of, &nulls, err);

	if (status != STATUS_OK)
		return status;
	if (nulls && !dtype_is_float(of->dtype))
		return fail(err, STATUS_BAD_JOB,
			    "%s has nulls, which an .npy file of %s cannot hold: ask for JSON",
			    of->key, dtype_name(of->dtype));
	response_desc(&desc, result, op);
	header_size = npy_header_room(desc.ndim);
	image = malloc(sizeof(*image) + header_size);
	if (image == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an .npy header");
	image->of = of;
	image->nulls = nulls;
	image->header_size = header_size;
	image->size = header_size + spool_size(of->data);
	npy_header_write(image->header, header_size, &desc);
	*out = image;
	return STATUS_OK;
}

/* The positive quiet NaN of each float type (docs/numerics.md). */
static uint64_t nan_bits(enum dtype dtype)
{
	switch (dtype) {
	case DTYPE_FLOAT16:
		return 0x7e00;
	case DTYPE_BFLOAT16:
		return 0x7fc0;
	case DTYPE_FLOAT32:
		return 0x7fc00000;
	default:
		return UINT64_C(0x7ff8000000000000);
	}
}

/* Put NaN for what is null among the elements of one piece. */
static enum status patch_nulls(const struct image *image, char *bytes, uint64_t first,
			       uint64_t count, struct error *err)
{
	size_t size = dtype_size(image->of->dtype);
	uint64_t nan = nan_bits(image->of->dtype);
	unsigned char nulls[PIECE / 2];
	enum status status = spool_read(image->of->nulls, first, nulls, count, err);

	for (uint64_t i = 0; i < count && status == STATUS_OK; i++)
		if (nulls[i] != 0)
			memcpy(bytes + i * size, &nan, size); /* little-endian */
	return status;
}

static enum status image_write(const struct image *image, image_sink sink, void *context,
			       struct error *err)
{
	uint64_t left = image->size - image->header_size, at = 0;
	size_t size = dtype_size(image->of->dtype);
	char *piece = malloc(PIECE);
	enum status status;

	if (piece == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a piece of an .npy file");
	status = sink(context, image->header, image->header_size, err);
	while (left > 0 && status == STATUS_OK) {
		size_t run = left < PIECE ? (size_t)left : PIECE;

		status = spool_read(image->of->data, at, piece, run, err);
		if (status == STATUS_OK && image->nulls)
			status = patch_nulls(image, piece, at / size, run / size, err);
		if (status == STATUS_OK)
			status = sink(context, piece, run, err);
		at += run;
		left -= run;
	}
	free(piece);
	return status;
}

static enum status to_crc(void *context, const void *bytes, size_t size, struct error *err)
{
	uLong *crc = context;

	(void)err;
	*crc = crc32_z(*crc, bytes, size);
	return STATUS_OK;
}

static enum status to_spool(void *context, const void *bytes, size_t size, struct error *err)
{
	return spool_write(context, bytes, size, err);
}

static enum status to_memory(void *context, const void *bytes, size_t size, struct error *err)
{
	char **at = context;

	(void)err;
	memcpy(*at, bytes, size);
	*at += size;
	return STATUS_OK;
}

/* A descriptor of the response's own for a file whose data it gives. */
static enum status share_fd(struct response *out, const struct spool *spool, struct error *err)
{
	int fd = fcntl(spool_fd(spool), F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return fail(err, STATUS_INTERNAL, "cannot duplicate a descriptor: %s",
			    strerror(errno));
	out->fd = fd;
	out->fd_offset = 0;
	out->fd_size = spool_size(spool);
	return STATUS_OK;
}

static enum status image_to_memory(struct response *out, const struct image *image,
				   struct error *err)
{
	char *head = malloc(image->size), *at = head;
	enum status status;

	if (head == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an answer of %llu bytes",
			    (unsigned long long)image->size);
	status = image_write(image, to_memory, &at, err);
	if (status != STATUS_OK) {
		free(head);
		return status;
	}
	out->head = head;
	out->head_size = image->size;
	return STATUS_OK;
}

static enum status image_with_fd(struct response *out, const struct image *image, struct error *err)
{
	char *head = malloc(image->header_size);
	enum status status;

	if (head == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an .npy header");
	memcpy(head, image->header, image->header_size);
	status = share_fd(out, image->of->data, err);
	if (status != STATUS_OK) {
		free(head);
		return status;
	}
	out->head = head;
	out->head_size = image->header_size;
	return STATUS_OK;
}

/* A spool as the whole body. */
static enum status spool_to_body(struct response *out, const struct spool *spool, struct error *err)
{
	size_t size = spool_size(spool);
	char *head;
	enum status status;

	if (spool_fd(spool) >= 0)
		return share_fd(out, spool, err);
	head = malloc(size);
	if (head == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an answer of %zu bytes",
			    size);
	status = spool_read(spool, 0, head, size, err);
	if (status != STATUS_OK) {
		free(head);
		return status;
	}
	out->head = head;
	out->head_size = size;
	return STATUS_OK;
}

static struct spool *body_spool(struct engine *engine)
{
	return spool_create(&(struct spool_config){
		.directory = engine_spool_directory(engine),
		.memory = KEPT,
		.limit = engine_limits(engine)->spool,
	});
}

/* A file with nulls: its data is written anew. */
static enum status image_by_spool(struct response *out, struct engine *engine,
				  const struct image *image, struct error *err)
{
	struct spool *spool = body_spool(engine);
	enum status status;

	if (spool == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an answer");
	status = image_write(image, to_spool, spool, err);
	if (status == STATUS_OK)
		status = spool_to_body(out, spool, err);
	spool_destroy(spool);
	return status;
}

enum status response_npy_body(struct response *out, struct engine *engine,
			      const struct result *result, struct error *err)
{
	struct image *image;
	enum status status;

	if (result->op_count > 1)
		return fail(err, STATUS_BAD_JOB,
			    "an .npy file holds one array, the job has %u operations: ask for "
			    "application/zip (an .npz)",
			    result->op_count);
	status = image_create(result, 0, &image, err);
	if (status != STATUS_OK)
		return status;
	if (spool_fd(image->of->data) < 0)
		status = image_to_memory(out, image, err);
	else if (image->nulls)
		status = image_by_spool(out, engine, image, err);
	else
		status = image_with_fd(out, image, err);
	free(image);
	return status;
}

static enum status spool_text(struct spool *spool, struct text *text, struct error *err)
{
	enum status status;

	if (text->failed)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for the headers of an .npz file");
	status = spool_write(spool, text->bytes, text->size, err);
	text->size = 0;
	return status;
}

/* One member: read for its CRC, which stands before it, then written. */
static enum status npz_member(struct zip *zip, struct spool *spool, struct text *text,
			      const struct result *result, unsigned op, struct error *err)
{
	char name[OP_KEY_SIZE + 8];
	struct image *image;
	uLong crc = crc32_z(0, NULL, 0);
	enum status status = image_create(result, op, &image, err);

	if (status != STATUS_OK)
		return status;
	snprintf(name, sizeof(name), "%s.npy", result->ops[op].key);
	status = image_write(image, to_crc, &crc, err);
	if (status == STATUS_OK) {
		zip_member(zip, text, name, image->size, (uint32_t)crc);
		status = spool_text(spool, text, err);
	}
	if (status == STATUS_OK)
		status = image_write(image, to_spool, spool, err);
	free(image);
	return status;
}

enum status response_npz_body(struct response *out, struct engine *engine,
			      const struct result *result, struct error *err)
{
	struct spool *spool = body_spool(engine);
	struct text text;
	struct zip zip;
	enum status status = STATUS_OK;

	if (spool == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for an answer");
	text_init(&text, 0);
	zip_init(&zip);
	for (unsigned op = 0; op < result->op_count && status == STATUS_OK; op++)
		status = npz_member(&zip, spool, &text, result, op, err);
	if (status == STATUS_OK) {
		zip_end(&zip, &text);
		status = spool_text(spool, &text, err);
	}
	if (status == STATUS_OK)
		status = spool_to_body(out, spool, err);
	zip_deinit(&zip);
	text_deinit(&text);
	spool_destroy(spool);
	return status;
}
