#include "config.h"
#include <string.h>
#include "clients/ctl_piece.h"

#define READ_SIZE 65536u /* bytes of a local text converted at a time; chosen */

void ctl_piece_init(struct ctl_piece *piece, enum ctl_piece_kind kind,
		    const struct ctl_local *local)
{
	memset(piece, 0, sizeof(*piece));
	piece->kind = kind;
	piece->local.fd = -1;
	if (local != NULL)
		piece->local = *local;
	if (kind == CTL_PIECE_NUMBERS)
		ctl_numbers_init(&piece->numbers, local->name);
}

void ctl_piece_deinit(struct ctl_piece *piece)
{
	ctl_text_deinit(&piece->text);
	ctl_local_close(&piece->local);
}

int64_t ctl_piece_size(const struct ctl_piece *piece)
{
	if (piece->kind == CTL_PIECE_TEXT)
		return (int64_t)piece->text.size;
	return piece->kind == CTL_PIECE_LOCAL ? piece->local.size : -1;
}

/* Jobs one a line: a comma before each line but the first. */
static void lines_feed(struct ctl_piece *piece, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = bytes[i];

		if (c == '\n') {
			piece->in_line = false;
		} else if (!piece->in_line && c != ' ' && c != '\t' && c != '\r') {
			if (piece->any_line)
				ctl_text_puts(&piece->text, ",");
			piece->any_line = piece->in_line = true;
		}
		ctl_text_add(&piece->text, &c, 1);
	}
}

/* Convert some more of the local text into piece->text. */
static enum ctl_exit piece_refill(struct ctl_piece *piece)
{
	char bytes[READ_SIZE];
	size_t got = 0;
	enum ctl_exit code = ctl_local_read(&piece->local, bytes, sizeof(bytes), &got);

	if (code != CTL_OK)
		return code;
	piece->text.size = piece->text_sent = 0;
	piece->local_ended = got == 0;
	if (piece->kind == CTL_PIECE_LINES)
		lines_feed(piece, bytes, got);
	else if (got == 0)
		code = ctl_numbers_end(&piece->numbers, &piece->text);
	else
		code = ctl_numbers_feed(&piece->numbers, &piece->text, bytes, got);
	if (code == CTL_OK && piece->text.failed)
		code = ctl_no_memory();
	return code;
}

enum ctl_exit ctl_piece_read(struct ctl_piece *piece, char *out, size_t size, size_t *got)
{
	size_t left;

	if (piece->kind == CTL_PIECE_LOCAL)
		return ctl_local_read(&piece->local, out, size, got);
	while (piece->kind != CTL_PIECE_TEXT && !piece->local_ended &&
	       piece->text_sent == piece->text.size) {
		enum ctl_exit code = piece_refill(piece);

		if (code != CTL_OK)
			return code;
	}
	left = piece->text.size - piece->text_sent;
	*got = left < size ? left : size;
	if (*got != 0)
		memcpy(out, piece->text.bytes + piece->text_sent, *got);
	piece->text_sent += *got;
	return CTL_OK;
}
