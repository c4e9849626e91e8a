/* oracle.h - the orders of docs/orders.md, written down as plainly as C can:
 * one element after another, no vectors, no streaming. Slow on purpose. Every
 * backend is compared with it bit by bit; it shares elementary.h and order.h
 * with them and nothing else. */
#ifndef CPU_ORACLE_H
#define CPU_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/accum.h"
#include "engine/op.h"

enum oracle_order { ORACLE_CANONICAL, ORACLE_STRIDED };

/* The value (accum.h) of an ordered accumulator over count elements; y for
 * ACCUM_DOT, p for ACCUM_POWER. STATUS_OUT_OF_MEMORY. */
enum status oracle_reduce(enum accum accum, enum oracle_order order, const double *x,
			  const double *y, uint64_t count, double p, bool omit, void *value,
			  struct error *err);

/* Prefixes in binary64, not rounded to a result type: OP_SUM, OP_PROD,
 * OP_LOGSUMEXP. */
enum status oracle_scan(enum op op, const double *x, uint64_t count, bool omit, bool exclusive,
			double *out, struct error *err);

#endif
