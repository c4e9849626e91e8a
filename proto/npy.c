#include "config.h"
#include "proto/npy.h"

#include <stdio.h>
#include <string.h>

#define MAGIC_AND_VERSION 8u

enum status npy_header_size(const void *bytes, size_t size, uint64_t *out, struct error *err)
{
	const unsigned char *b = bytes;
	size_t magic = size < NPY_MAGIC_SIZE ? size : NPY_MAGIC_SIZE;
	uint64_t length, prefix;

	if (memcmp(b, NPY_MAGIC, magic) != 0)
		return fail(err, STATUS_BAD_NPY,
			    "not a .npy file: it does not begin with \\x93NUMPY");
	if (size < MAGIC_AND_VERSION + 2)
		return fail(err, STATUS_BAD_NPY, "the .npy file ends inside its header");
	if (b[6] < 1 || b[6] > 3 || b[7] != 0)
		return fail(err, STATUS_BAD_NPY,
			    ".npy format version %u.%u is not known (1.0, 2.0, 3.0 are)", b[6],
			    b[7]);
	length = (uint64_t)b[8] | (uint64_t)b[9] << 8;
	prefix = MAGIC_AND_VERSION + 2;
	if (b[6] > 1) {
		if (size < NPY_PREFIX_SIZE)
			return fail(err, STATUS_BAD_NPY, "the .npy file ends inside its header");
		length |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
		prefix = NPY_PREFIX_SIZE;
	}
	if (length > NPY_MAX_HEADER)
		return fail(err, STATUS_BAD_NPY, ".npy header of %llu bytes; at most %u are read",
			    (unsigned long long)length, NPY_MAX_HEADER);
	*out = prefix + length;
	return STATUS_OK;
}

/* The header is a Python dictionary literal of three keys. */
struct cursor {
	const char *p, *end;
};

struct text {
	const char *at;
	size_t size;
};

static void skip_space(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r'))
		c->p++;
}

static bool take(struct cursor *c, const char *token)
{
	size_t size = strlen(token);

	skip_space(c);
	if ((size_t)(c->end - c->p) < size || memcmp(c->p, token, size) != 0)
		return false;
	c->p += size;
	return true;
}

/* A string in single or double quotes, without escapes. */
static bool take_string(struct cursor *c, struct text *out)
{
	char quote;

	skip_space(c);
	if (c->p == c->end || (*c->p != '\'' && *c->p != '"'))
		return false;
	quote = *c->p++;
	out->at = c->p;
	while (c->p < c->end && *c->p != quote && *c->p != '\\' && *c->p != '\n')
		c->p++;
	out->size = (size_t)(c->p - out->at);
	if (c->p == c->end || *c->p != quote)
		return false;
	c->p++;
	return true;
}

static enum status garbage(struct error *err, const char *what)
{
	return fail(err, STATUS_BAD_NPY, "the .npy header %s", what);
}

/* An axis: decimal digits, with the L of Python 2. */
static bool take_length(struct cursor *c, uint64_t *out)
{
	uint64_t value = 0;
	const char *first;

	skip_space(c);
	first = c->p;
	for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
		if (value > (uint64_t)INT64_MAX / 10)
			return false;
		value = value * 10 + (uint64_t)(*c->p - '0');
	}
	if (c->p == first || value > INT64_MAX)
		return false;
	if (c->p < c->end && *c->p == 'L')
		c->p++;
	*out = value;
	return true;
}

static enum status read_shape(struct cursor *c, struct array_desc *desc, struct error *err)
{
	bool comma = true;

	if (!take(c, "("))
		return garbage(err, "has a shape that is no tuple");
	desc->ndim = 0;
	while (!take(c, ")")) {
		if (!comma)
			return garbage(err, "has a malformed shape");
		if (desc->ndim == ARRAY_MAX_NDIM)
			return garbage(err, "has over 32 axes");
		if (!take_length(c, &desc->shape[desc->ndim]))
			return garbage(err,
				       "has an axis whose length is no integer from 0 to 2^63-1");
		desc->ndim++;
		comma = take(c, ",");
	}
	if (desc->ndim == 1 && !comma)
		return garbage(err, "has a shape that is no tuple");
	return STATUS_OK;
}

/* "<f8" and the like. */
static bool descr_parse(struct text descr, enum dtype *out, bool *swap, bool *void2)
{
	static const struct {
		char name[3];
		enum dtype dtype;
	} types[] = {{"b1", DTYPE_BOOL},    {"?", DTYPE_BOOL},     {"i1", DTYPE_INT8},
		     {"i2", DTYPE_INT16},   {"i4", DTYPE_INT32},   {"i8", DTYPE_INT64},
		     {"u1", DTYPE_UINT8},   {"u2", DTYPE_UINT16},  {"u4", DTYPE_UINT32},
		     {"u8", DTYPE_UINT64},  {"f2", DTYPE_FLOAT16}, {"f4", DTYPE_FLOAT32},
		     {"f8", DTYPE_FLOAT64}, {"V2", DTYPE_BFLOAT16}};
	const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	bool other = false;
	size_t i;

	if (descr.size > 0 && strchr("<>|=", descr.at[0]) != NULL && descr.at[0] != '\0') {
		other = descr.at[0] == (little ? '>' : '<');
		descr.at++;
		descr.size--;
	}
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strlen(types[i].name) == descr.size &&
		    memcmp(types[i].name, descr.at, descr.size) == 0) {
			*out = types[i].dtype;
			*void2 = types[i].dtype == DTYPE_BFLOAT16;
			*swap = other && dtype_size(types[i].dtype) > 1;
			return true;
		}
	}
	return false;
}

/* Foreign bytes as printable text for a message. */
static void printable(char *out, size_t size, struct text text)
{
	size_t i;

	for (i = 0; i + 1 < size && i < text.size; i++)
		out[i] = text.at[i] >= ' ' && text.at[i] <= '~' ? text.at[i] : '?';
	out[i] = '\0';
}

static enum status use_descr(struct npy_header *header, struct text descr, const enum dtype *as,
			     struct error *err)
{
	char name[64];
	bool void2 = false;

	printable(name, sizeof(name), descr);
	if (!descr_parse(descr, &header->desc.dtype, &header->swap, &void2))
		return fail(err, STATUS_BAD_DTYPE,
			    "descr '%s' is not an element type of this service", name);
	if (void2 && as == NULL)
		return fail(err, STATUS_BAD_DTYPE, "descr '%s' is read with dtype bfloat16 only",
			    name);
	if (as != NULL && *as != header->desc.dtype)
		return fail(err, STATUS_BAD_DTYPE, "descr '%s' is %s, but the job says dtype %s",
			    name, void2 ? "bfloat16 at best" : dtype_name(header->desc.dtype),
			    dtype_name(*as));
	return STATUS_OK;
}

/* A structured descr is a list: to its end, to be named. */
static bool take_list(struct cursor *c, struct text *out)
{
	int depth = 0;

	skip_space(c);
	if (c->p == c->end || *c->p != '[')
		return false;
	out->at = c->p;
	for (; c->p < c->end; c->p++) {
		depth += *c->p == '[' ? 1 : *c->p == ']' ? -1 : 0;
		if (depth == 0) {
			c->p++;
			out->size = (size_t)(c->p - out->at);
			return true;
		}
	}
	return false;
}

enum { KEY_DESCR = 1, KEY_FORTRAN = 2, KEY_SHAPE = 4, KEY_ALL = 7 };

static bool key_is(struct text key, const char *name)
{
	return key.size == strlen(name) && memcmp(key.at, name, key.size) == 0;
}

static enum status read_entry(struct cursor *c, struct npy_header *header, struct text *descr,
			      unsigned *seen, struct error *err)
{
	struct text key;
	unsigned bit;

	if (!take_string(c, &key) || !take(c, ":"))
		return garbage(err, "is no dictionary of keys and values");
	bit = key_is(key, "descr")           ? KEY_DESCR
	      : key_is(key, "fortran_order") ? KEY_FORTRAN
	      : key_is(key, "shape")         ? KEY_SHAPE
					     : 0u;
	if (bit == 0 || (*seen & bit) != 0)
		return garbage(err, "must have the keys descr, fortran_order and shape, once each");
	*seen |= bit;
	if (bit == KEY_SHAPE)
		return read_shape(c, &header->desc, err);
	if (bit == KEY_DESCR)
		return take_string(c, descr) || take_list(c, descr)
			       ? STATUS_OK
			       : garbage(err, "has a descr that is no string");
	if (take(c, "True"))
		header->desc.fortran = true;
	else if (take(c, "False"))
		header->desc.fortran = false;
	else
		return garbage(err, "has a fortran_order that is neither True nor False");
	return STATUS_OK;
}

enum status npy_header_parse(struct npy_header *out, const void *bytes, size_t size,
			     const enum dtype *as, struct error *err)
{
	struct npy_header header = {0};
	struct text descr = {NULL, 0};
	struct cursor c;
	unsigned seen = 0;
	uint64_t whole, count;
	bool comma = true;
	enum status status = npy_header_size(bytes, size, &whole, err);

	if (status != STATUS_OK)
		return status;
	if (size < whole)
		return garbage(err, "is cut short");
	header.data_offset = whole;
	c.p = (const char *)bytes + (((const unsigned char *)bytes)[6] > 1 ? 12 : 10);
	c.end = (const char *)bytes + whole;
	if (!take(&c, "{"))
		return garbage(err, "is no dictionary");
	while (!take(&c, "}")) {
		if (!comma)
			return garbage(err, "is no dictionary of keys and values");
		status = read_entry(&c, &header, &descr, &seen, err);
		if (status != STATUS_OK)
			return status;
		comma = take(&c, ",");
	}
	skip_space(&c);
	if (seen != KEY_ALL)
		return garbage(err, "must have the keys descr, fortran_order and shape, once each");
	if (c.p != c.end)
		return garbage(err, "goes on after its dictionary");
	status = use_descr(&header, descr, as, err);
	if (status != STATUS_OK)
		return status;
	header.desc.fortran = header.desc.fortran && header.desc.ndim > 1;
	if (array_count(&header.desc, &count, NULL) != STATUS_OK)
		return garbage(err, "has a shape of 2^63 bytes or more");
	*out = header;
	return STATUS_OK;
}

size_t npy_header_room(unsigned ndim)
{
	/* prefix, the dictionary without its shape, 20 digits and ", " an axis */
	size_t bytes = NPY_PREFIX_SIZE + 60 + 22 * (size_t)ndim;

	return (bytes + 63) / 64 * 64;
}

static const char *descr_of(enum dtype dtype)
{
	static const char *const little[DTYPE_COUNT] = {
		[DTYPE_BOOL] = "|b1",    [DTYPE_INT8] = "|i1",     [DTYPE_INT16] = "<i2",
		[DTYPE_INT32] = "<i4",   [DTYPE_INT64] = "<i8",    [DTYPE_UINT8] = "|u1",
		[DTYPE_UINT16] = "<u2",  [DTYPE_UINT32] = "<u4",   [DTYPE_UINT64] = "<u8",
		[DTYPE_FLOAT16] = "<f2", [DTYPE_BFLOAT16] = "<V2", [DTYPE_FLOAT32] = "<f4",
		[DTYPE_FLOAT64] = "<f8"};

	return little[dtype];
}

void npy_header_write(void *out, size_t size, const struct array_desc *desc)
{
	const char *descr = descr_of(desc->dtype);
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	unsigned char *b = out;
	const size_t prefix = size - 10 > UINT16_MAX ? 12 : 10;
	size_t length = size - prefix;
	char *p = (char *)out + prefix;
	unsigned i;

	memset(out, ' ', size);
	memcpy(b, NPY_MAGIC, NPY_MAGIC_SIZE);
	b[6] = prefix == 12 ? 2 : 1;
	b[7] = 0;
	b[8] = (unsigned char)length;
	b[9] = (unsigned char)(length >> 8);
	if (prefix == 12) {
		b[10] = (unsigned char)(length >> 16);
		b[11] = (unsigned char)(length >> 24);
	}
	p += sprintf(p, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
		     big && descr[0] == '<' ? '>' : descr[0], descr + 1,
		     desc->fortran ? "True" : "False");
	for (i = 0; i < desc->ndim; i++)
		p += sprintf(p, i > 0 ? ", %llu" : "%llu", (unsigned long long)desc->shape[i]);
	p += sprintf(p, desc->ndim == 1 ? ",), }" : "), }");
	*p = ' ';
	b[size - 1] = '\n';
}
