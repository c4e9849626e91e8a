#include "config.h"
#include "proto/zip.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of APPNOTE.TXT, by section. */
#define SIGNATURE_LOCAL 0x04034b50u   /* 4.3.7 */
#define SIGNATURE_CENTRAL 0x02014b50u /* 4.3.12 */
#define SIGNATURE_END64 0x06064b50u   /* 4.3.14 */
#define SIGNATURE_LOCATOR 0x07064b50u /* 4.3.15 */
#define SIGNATURE_END 0x06054b50u     /* 4.3.16 */
#define SIZE_END64 56u                /* 4.3.14 */
#define EXTRA_ZIP64 0x0001u           /* 4.5.3 */
#define VERSION_STORED 20u            /* 4.4.3.2 */
#define VERSION_ZIP64 45u
#define MADE_BY_UNIX (3u << 8)       /* 4.4.2 */
#define MODE_FILE (0100644u << 16)   /* 4.4.15: st_mode of a Unix file */
#define DOS_DATE ((1u << 5) | 1u)    /* 4.4.6: 1980-01-01: equal answers, equal bytes */
#define ELSEWHERE16 UINT64_C(0xffff) /* the number is in the ZIP64 field */
#define ELSEWHERE32 UINT64_C(0xffffffff)

static void put(struct text *out, uint64_t value, unsigned size)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < size; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	text_add(out, bytes, size);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What a local and a central header have in common, from the version needed
 * to the length of the name. */
static void put_common(struct text *out, const char *name, uint64_t size, uint32_t crc, bool big)
{
	put(out, big ? VERSION_ZIP64 : VERSION_STORED, 2);
	put(out, 0, 2); /* flags */
	put(out, 0, 2); /* method: stored */
	put(out, 0, 2); /* time */
	put(out, DOS_DATE, 2);
	put(out, crc, 4);
	put(out, least(size, ELSEWHERE32), 4); /* compressed */
	put(out, least(size, ELSEWHERE32), 4);
	put(out, strlen(name), 2);
}

void zip_init(struct zip *zip)
{
	*zip = (struct zip){0};
	text_init(&zip->directory, 0);
}

void zip_deinit(struct zip *zip)
{
	text_deinit(&zip->directory);
}

static void central(struct text *out, const char *name, uint64_t size, uint32_t crc,
		    uint64_t offset)
{
	bool far = offset >= ELSEWHERE32, big = size >= ELSEWHERE32;
	unsigned extra = (big ? 16u : 0u) + (far ? 8u : 0u);

	put(out, SIGNATURE_CENTRAL, 4);
	put(out, MADE_BY_UNIX | VERSION_ZIP64, 2);
	put_common(out, name, size, crc, big || far);
	put(out, extra > 0 ? extra + 4 : 0, 2);
	put(out, 0, 2); /* comment */
	put(out, 0, 2); /* disk */
	put(out, 0, 2); /* internal attributes */
	put(out, MODE_FILE, 4);
	put(out, least(offset, ELSEWHERE32), 4);
	text_puts(out, name);
	if (extra > 0) {
		put(out, EXTRA_ZIP64, 2);
		put(out, extra, 2);
	}
	if (big) {
		put(out, size, 8);
		put(out, size, 8);
	}
	if (far)
		put(out, offset, 8);
}

void zip_member(struct zip *zip, struct text *out, const char *name, uint64_t size, uint32_t crc)
{
	size_t before = out->size;
	bool big = size >= ELSEWHERE32;

	central(&zip->directory, name, size, crc, zip->offset);

	put(out, SIGNATURE_LOCAL, 4);
	put_common(out, name, size, crc, big);
	put(out, big ? 20 : 0, 2);
	text_puts(out, name);
	if (big) {
		put(out, EXTRA_ZIP64, 2);
		put(out, 16, 2);
		put(out, size, 8);
		put(out, size, 8);
	}
	zip->offset += out->size - before + size;
	zip->count++;
}

void zip_end(struct zip *zip, struct text *out)
{
	uint64_t start = zip->offset, size = zip->directory.size;

	if (zip->directory.failed)
		out->failed = true;
	text_add(out, zip->directory.bytes, zip->directory.size);
	if (start >= ELSEWHERE32 || size >= ELSEWHERE32 || zip->count >= ELSEWHERE16) {
		put(out, SIGNATURE_END64, 4);
		put(out, SIZE_END64 - 12, 8); /* of what follows */
		put(out, MADE_BY_UNIX | VERSION_ZIP64, 2);
		put(out, VERSION_ZIP64, 2);
		put(out, 0, 4); /* this disk */
		put(out, 0, 4); /* the directory's disk */
		put(out, zip->count, 8);
		put(out, zip->count, 8);
		put(out, size, 8);
		put(out, start, 8);

		put(out, SIGNATURE_LOCATOR, 4);
		put(out, 0, 4);
		put(out, start + size, 8);
		put(out, 1, 4); /* disks */
	}
	put(out, SIGNATURE_END, 4);
	put(out, 0, 2);
	put(out, 0, 2);
	put(out, least(zip->count, ELSEWHERE16), 2);
	put(out, least(zip->count, ELSEWHERE16), 2);
	put(out, least(size, ELSEWHERE32), 4);
	put(out, least(start, ELSEWHERE32), 4);
	put(out, 0, 2); /* comment */
}
