/* partial_state.h - a partial result in memory; private to partial*.c.
 *
 * What the accumulators keep is split into terms, each kept once: var's sum is
 * that of sum and mean. Which terms there are follows from the operations. A
 * state in memory need not be canonical (docs/partials.md): encoding makes it
 * so. */
#ifndef ENGINE_PARTIAL_STATE_H
#define ENGINE_PARTIAL_STATE_H

#include "engine/partial.h"

/* In the order in which they are encoded. */
enum partial_term {
	TERM_SUM, /* of x */
	TERM_ABS,
	TERM_SQUARE,
	TERM_DOT,
	TERM_PRODUCT, /* integers alone */
	TERM_MIN,
	TERM_MAX,
	TERM_MAX_ABS,
	TERM_TALLY,
	TERM_COUNT
};

#define TERM_SUMS (TERM_DOT + 1)
#define TERM_EXTREMES (TERM_MAX_ABS - TERM_MIN + 1)

struct partial {
	/* As it would be asked for over everything: operations sorted by key,
	 * determinism exact, rules. */
	struct job job;
	enum dtype dtype;
	uint64_t length, count; /* elements that came; that took part */
	unsigned terms;         /* bit 1 << term: it is kept */

	union {
		struct exactsum exact; /* floats */
		struct int192 integer;
	} sums[TERM_SUMS];
	struct intprod product;
	struct extreme extremes[TERM_EXTREMES]; /* indices of the whole */
	struct tally tally;
};

bool partial_has(const struct partial *partial, enum partial_term term);
void *partial_slot(struct partial *partial, enum partial_term term);
const void *partial_term(const struct partial *partial, enum partial_term term);

/* Whether the state has the index of this extreme. */
bool partial_indexed(const struct partial *partial, enum partial_term term);

/* Whether -0 is told from +0 where this sum is zero. */
bool partial_signs_zero(const struct partial *partial, enum partial_term term);

/* A state that nothing came to, of a job like this one; the plan is the job's. */
struct partial *partial_blank(const struct plan *plan);

/* Terms that an accumulator is made of, as bits. */
unsigned partial_terms_of(enum accum accum);

/* More elements than an array may have: STATUS_BAD_VALUE. */
enum status partial_check_length(enum dtype dtype, uint64_t a, uint64_t b, struct error *err);

/* A finite sum: (-1)^negative * magnitude * 2^exponent. */
struct partial_number {
	struct bigint magnitude;
	bool negative;
	int64_t exponent;
};

/* False when NaN or an infinity decides the sum. */
bool partial_number_of(const struct partial *partial, enum partial_term term,
		       struct partial_number *out);

/* What no elements have, of a decoded state each term of which is possible alone;
 * NULL: nothing was found. */
const char *partial_contradiction(const struct partial *partial);

/* Of a decoded state: whether elements exist that leave it, as far as the final
 * steps rely on it. STATUS_BAD_VALUE names what cannot be. */
enum status partial_plausible(const struct partial *partial, struct error *err);

#endif
