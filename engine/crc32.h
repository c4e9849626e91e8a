/* crc32.h - the CRC-32 of gzip, PNG and Ethernet (polynomial 0x04C11DB7,
 * reflected: ISO/IEC 8802-3). The library links no zlib. */
#ifndef ENGINE_CRC32_H
#define ENGINE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const void *bytes, size_t size);

#endif
