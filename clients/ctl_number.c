#include "config.h"
#include <string.h>
#include <strings.h>
#include "clients/ctl_number.h"

static size_t digits(const char *text, size_t size)
{
	size_t n = 0;

	while (n < size && text[n] >= '0' && text[n] <= '9')
		n++;
	return n;
}

static bool is_word(const char *text, size_t size, const char *word)
{
	return size == strlen(word) && strncasecmp(text, word, size) == 0;
}

/* nan, inf, true, ...; text comes after the sign. */
static const char *word_to_json(const char *text, size_t size, char sign)
{
	if (is_word(text, size, "nan"))
		return "\"NaN\"";
	if (is_word(text, size, "inf") || is_word(text, size, "infinity"))
		return sign == '-' ? "\"-Infinity\"" : "\"Infinity\"";
	if (sign == '\0' && is_word(text, size, "true"))
		return "true";
	if (sign == '\0' && is_word(text, size, "false"))
		return "false";
	return NULL;
}

/* A decimal number cut into its digits. */
struct decimal {
	const char *whole, *fraction, *exponent; /* exponent with its sign */
	size_t whole_size, fraction_size, exponent_size;
	bool point;
};

static bool decimal_cut(struct decimal *out, const char *text, size_t size)
{
	const char *end = text + size;

	out->whole = text;
	out->whole_size = digits(text, size);
	text += out->whole_size;
	out->point = text < end && *text == '.';
	if (out->point)
		text++;
	out->fraction = text;
	out->fraction_size = out->point ? digits(text, (size_t)(end - text)) : 0;
	text += out->fraction_size;
	if (out->whole_size + out->fraction_size == 0)
		return false;
	out->exponent_size = 0;
	if (text < end && (*text == 'e' || *text == 'E')) {
		size_t sign, count;

		text++;
		sign = text < end && (*text == '+' || *text == '-');
		count = digits(text + sign, (size_t)(end - text) - sign);
		if (count == 0)
			return false;
		out->exponent = text;
		out->exponent_size = sign + count;
		text += sign + count;
	}
	return text == end;
}

bool ctl_number_to_json(struct ctl_text *out, const char *token, size_t size)
{
	struct decimal decimal;
	const char *word;
	char sign = '\0';

	if (size != 0 && (*token == '-' || *token == '+')) {
		sign = *token++;
		size--;
	}
	word = word_to_json(token, size, sign);
	if (word != NULL) {
		ctl_text_puts(out, word);
		return true;
	}
	if (!decimal_cut(&decimal, token, size))
		return false;
	/* JSON has no leading zeros and wants digits around a point. */
	while (decimal.whole_size > 1 && *decimal.whole == '0') {
		decimal.whole++;
		decimal.whole_size--;
	}
	if (sign == '-')
		ctl_text_puts(out, "-");
	if (decimal.whole_size == 0)
		ctl_text_puts(out, "0");
	ctl_text_add(out, decimal.whole, decimal.whole_size);
	if (decimal.point) {
		ctl_text_puts(out, ".");
		ctl_text_add(out, decimal.fraction, decimal.fraction_size);
		if (decimal.fraction_size == 0)
			ctl_text_puts(out, "0");
	}
	if (decimal.exponent_size != 0) {
		ctl_text_puts(out, "e");
		ctl_text_add(out, decimal.exponent, decimal.exponent_size);
	}
	return true;
}

bool ctl_number_is_negative_operand(const char *argument)
{
	const char *rest = argument + 1;

	if (argument[0] != '-')
		return false;
	return (*rest >= '0' && *rest <= '9') || *rest == '.' ||
	       word_to_json(rest, strlen(rest), '-') != NULL;
}
