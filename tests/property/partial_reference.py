"""The bytes of a partial result, written from docs/partials.md alone: from the
elements, in Python integers. Shares nothing with the program."""

import math
import struct
import zlib

from harness.elements import TYPES, UNSIGNED, is_float
from reference import Sum, position

LIMIT = 1088  # bits of a product that is kept in full
LOWEST = 70  # digits of 32 bits below the point: more than any sum has

MAY_OVERFLOW = {"sum", "prod", "sumsq", "dot", "min", "max"}
NEEDS = (
    ({"sum", "mean", "var", "std"}, "sum"),
    ({"l1"}, "abs"),
    ({"sumsq", "l2", "var", "std"}, "squares"),
    ({"dot"}, "dot"),
    ({"prod"}, "prod"),
    ({"min", "argmin"}, "argmin"),
    ({"max", "argmax"}, "argmax"),
    ({"linf"}, "linf"),
    ({"count_nonzero", "any", "all"}, "tally"),
)


def partial_bytes(ops, elements, dtype, nan="propagate", overflow="error", other=None, index_base=0):
    ops = sorted(ops, key=str.encode)
    pairs = list(enumerate(zip(elements, other if other is not None else elements)))
    if is_float(dtype) and nan == "omit":
        pairs = [(i, (x, y)) for i, (x, y) in pairs if x == x and y == y]
    if is_float(dtype) or not MAY_OVERFLOW & set(ops):
        overflow = "error"
    body = struct.pack(
        "<BBBBQQ",
        TYPES.index(dtype),
        ("propagate", "omit", "error").index(nan),
        ("error", "wrap", "saturate").index(overflow),
        len(ops),
        len(elements),
        len(pairs),
    )
    body += b"".join(bytes([len(op)]) + op.encode() for op in ops)
    for users, term in NEEDS:
        if pairs and users & set(ops):
            body += _term(term, ops, pairs, dtype, index_base)
    return b"FDPR" + struct.pack("<II", 1, zlib.crc32(body)) + body


def _term(term, ops, pairs, dtype, index_base):
    xs = [x for _, (x, _) in pairs]
    if term == "tally":
        return struct.pack("<Q", sum(1 for x in xs if x != 0))
    if term == "prod":
        return _product(math.prod(xs))
    if term in ("argmin", "argmax", "linf"):
        return _extreme(term, pairs, xs, dtype, term != "linf" and term in ops, index_base)
    if not is_float(dtype):
        terms = {
            "sum": xs,
            "abs": [abs(x) for x in xs],
            "squares": [x * x for x in xs],
            "dot": [x * y for _, (x, y) in pairs],
        }[term]
        return (sum(terms) % (1 << 192)).to_bytes(24, "little")
    total = Sum()
    for _, (x, y) in pairs:
        if term == "sum":
            total.add(x)
        elif term == "abs":
            total.add(abs(x))
        else:
            total.add_product(x, x if term == "squares" else y)
    signed = term == "dot" or (term == "sum" and {"sum", "mean"} & set(ops))
    return _float_sum(total, signed)


def _float_sum(total, signed):
    special = total.special()
    if special is not None:
        return b"\6" if special != special else b"\4" if special > 0 else b"\5"
    top, bottom = total.ratio()
    if top == 0:
        return b"\3" if signed and total.only_minus_zeros() else b"\0"
    scaled, rest = divmod(abs(top) << 32 * LOWEST, bottom)
    assert rest == 0
    place = -LOWEST
    while scaled & 0xFFFFFFFF == 0:
        scaled >>= 32
        place += 1
    count = (scaled.bit_length() + 31) // 32
    return struct.pack("<BhH", 1 if top > 0 else 2, place, count) + scaled.to_bytes(4 * count, "little")


def _product(product):
    if product == 0:
        return b"\0"
    if abs(product) >= 1 << LIMIT:
        return struct.pack("<BQ", 3 if product > 0 else 4, product % (1 << 64))
    words = (abs(product).bit_length() + 63) // 64
    return bytes([1 if product > 0 else 2, words]) + abs(product).to_bytes(8 * words, "little")


def _extreme(term, pairs, xs, dtype, indexed, index_base):
    if term == "linf":
        xs = [abs(x) for x in xs]
    at = position("argmax" if term == "linf" else term, xs)
    value = xs[at]
    out = b"\1" if value != value else b"\0"
    if value == value and is_float(dtype):
        out += struct.pack("<d", value)
    elif value == value:
        out += struct.pack("<Q" if dtype in UNSIGNED or term == "linf" else "<q", value)
    if indexed:
        out += struct.pack("<Q", pairs[at][0] + index_base)
    return out
