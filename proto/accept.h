/* accept.h - which form of an answer a client asks for (RFC 9110, 12.5.1). */
#ifndef PROTO_ACCEPT_H
#define PROTO_ACCEPT_H

#include <stdbool.h>

enum accept_form { ACCEPT_JSON, ACCEPT_NPY, ACCEPT_ZIP, ACCEPT_FORM_COUNT };

/* The best of the forms offered: highest q; then the one named most exactly,
 * then first in the header, then JSON. A header that takes none of the offered
 * (or NULL) gives JSON, but for one that takes npy alone, which gives npy:
 * the answer then says why it cannot be had. */
enum accept_form accept_choose(const char *header, bool offer_npy);

#endif
