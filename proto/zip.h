/* zip.h - the headers of a ZIP archive of stored members, in one pass.
 *
 * Makes bytes only: the caller puts each local header and its member's content
 * where they belong, in order, then the end. ZIP64 fields appear where 32 bits
 * do not do. Source of the format: PKWARE APPNOTE.TXT 6.3.9. */
#ifndef PROTO_ZIP_H
#define PROTO_ZIP_H

#include <stdint.h>
#include "proto/text.h"

struct zip {
	struct text directory; /* central directory so far */
	uint64_t offset;       /* where the next local header goes */
	uint64_t count;        /* members */
};

void zip_init(struct zip *zip);
void zip_deinit(struct zip *zip);

/* Append to out the local header of a member, whose content of size bytes
 * comes next. crc: CRC-32 of the content. */
void zip_member(struct zip *zip, struct text *out, const char *name, uint64_t size, uint32_t crc);

/* Append the central directory and the end records; out->failed when memory
 * ran out anywhere. */
void zip_end(struct zip *zip, struct text *out);

#endif
