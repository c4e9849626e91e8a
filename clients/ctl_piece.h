/* ctl_piece.h - one piece of a body: something sent as it is, or made from a
 * local text while that is read. */
#ifndef CLIENTS_CTL_PIECE_H
#define CLIENTS_CTL_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "clients/ctl_exit.h"
#include "clients/ctl_local.h"
#include "clients/ctl_numbers.h"
#include "clients/ctl_text.h"

enum ctl_piece_kind {
	CTL_PIECE_TEXT,    /* `text`, complete */
	CTL_PIECE_LOCAL,   /* the bytes of a local file */
	CTL_PIECE_NUMBERS, /* its numbers, as a JSON array */
	CTL_PIECE_LINES    /* its lines, with commas between them */
};

struct ctl_piece {
	enum ctl_piece_kind kind;
	struct ctl_text text; /* to be sent next, from text_sent on */
	size_t text_sent;
	struct ctl_local local; /* owned */
	bool local_ended;
	struct ctl_numbers numbers;
	bool any_line, in_line; /* LINES: one has begun; it goes on */
};

/* Takes local over; NULL for TEXT. */
void ctl_piece_init(struct ctl_piece *piece, enum ctl_piece_kind kind,
		    const struct ctl_local *local);
void ctl_piece_deinit(struct ctl_piece *piece);

/* Bytes in all; -1: not known ahead. */
int64_t ctl_piece_size(const struct ctl_piece *piece);

/* The next bytes; *got is 0 only at the end. */
enum ctl_exit ctl_piece_read(struct ctl_piece *piece, char *out, size_t size, size_t *got);

#endif
