"""docs/orders.md in Python, whose floats are IEEE binary64.

Written from that page alone: it shares nothing with the C sources. Run as a program it writes the
test vectors to tests/cases/order_vectors.json.
"""

import json
import math
import struct
import sys
from pathlib import Path

INF = math.inf
NAN = math.nan
MASK = (1 << 64) - 1

# ---------------------------------------------------------------- bits


def bits_of(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def from_bits(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def hex_of(x):
    return "0x7ff8000000000000" if x != x else f"0x{bits_of(x):016x}"


# ---------------------------------------------------------------- section 5
# Pairs (hi, lo) are unevaluated sums.


def fast_sum(a, b):
    s = a + b
    return s, b - (s - a)


def full_sum(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def split(a):
    t = 134217729.0 * a
    hi = t - (t - a)
    return hi, a - hi


def product(a, b):
    p = a * b
    a_hi, a_lo = split(a)
    b_hi, b_lo = split(b)
    return p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


LN2_HI = float.fromhex("0x1.62e42fefa3800p-1")
LN2_LO = float.fromhex("0x1.ef35793c76730p-45")
PER_LN2 = float.fromhex("0x1.71547652b82fep+0")
FACTORIALS = [1.0 / math.factorial(n) for n in range(14, 2, -1)]
ODD = [1.0 / n for n in range(27, 5, -2)]
THIRD = 1.0 / 3.0, float.fromhex("0x1.5555555555555p-56")
FIFTH = 1.0 / 5.0, float.fromhex("-0x1.999999999999ap-57")
ROUNDER = 1.5 * 2.0**52


def exp_pair(hi, lo):
    kd = (hi * PER_LN2 + ROUNDER) - ROUNDER
    k = int(kd)
    r, r_lo = full_sum(hi - kd * LN2_HI, lo - kd * LN2_LO)
    p = FACTORIALS[0]
    for c in FACTORIALS[1:]:
        p = c + r * p
    p = (r * r) * (0.5 + r * p) + (r_lo + r_lo * r)
    s, s_lo = fast_sum(r, p)
    t, t_lo = fast_sum(1.0, s)
    t_lo = t_lo + s_lo
    if k > -1022 or (k == -1022 and t >= 1.0):
        if k > 1023:
            return (t + t_lo) * 2.0**1023 * 2.0
        return (t + t_lo) * 2.0**k
    if k < -1080:
        return 0.0
    scale = 2.0 ** (k + 1022)
    s, s_lo = fast_sum(1.0, t * scale)
    return ((s + (s_lo + t_lo * scale)) - 1.0) * 2.0**-1022


def exp(x):
    if x != x:
        return x
    if x > 710.0:
        return INF
    if x < -746.0:
        return 0.0
    return exp_pair(x, 0.0)


def log_pair(x):
    k = 0
    if x < 2.0**-1022:
        x *= 2.0**54
        k = -54
    m, e = math.frexp(x)  # exact; m in [1/2, 1)
    if m < float.fromhex("0x1.6a09e667f3bcdp-1"):
        m, e = 2.0 * m, e - 1
    k += e
    f = m - 1.0
    g, g_lo = fast_sum(1.0, m)
    s = f / g
    q, q_lo = product(s, g)
    s_lo = (((f - q) - q_lo) - s * g_lo) / g
    z, z_lo = product(s, s)
    z, z_lo = fast_sum(z, z_lo + 2.0 * (s * s_lo))
    p = ODD[0]
    for c in ODD[1:]:
        p = c + z * p
    a, a_lo = fast_sum(FIFTH[0], z * p)
    a_lo = a_lo + FIFTH[1]
    b, b_lo = product(z, a)
    b_lo = b_lo + (z * a_lo + z_lo * a)
    a, a_lo = fast_sum(THIRD[0], b)
    a_lo = a_lo + (THIRD[1] + b_lo)
    b, b_lo = product(z, a)
    b_lo = b_lo + (z * a_lo + z_lo * a)
    a, a_lo = product(s, b)
    a_lo = a_lo + (s * b_lo + s_lo * b)
    t, t_lo = fast_sum(s, a)
    t_lo = t_lo + (s_lo + a_lo)
    kd = float(k)
    a, a_lo = full_sum(kd * LN2_HI, 2.0 * t)
    a_lo = a_lo + (kd * LN2_LO + 2.0 * t_lo)
    return fast_sum(a, a_lo)


def log(x):
    if x != x or x == INF:
        return x
    if x == 0.0:
        return -INF
    if x < 0.0:
        return NAN
    return log_pair(x)[0]


def power(x, y):
    """pow for x >= 0 or NaN and finite y >= 1: what the accumulator asks for."""
    if x == 1.0:
        return 1.0
    if x != x:
        return x
    if x in (0.0, INF):
        return x
    if y > 2.0**64:
        return INF if x > 1.0 else 0.0
    hi, lo = log_pair(x)
    p, p_lo = product(y, hi)
    p, p_lo = fast_sum(p, p_lo + y * lo)
    if p > 710.0:
        return INF
    if p < -746.0:
        return 0.0
    return exp_pair(p, p_lo)


# ---------------------------------------------------------------- sections 1 and 4


def add(a, b):
    return a + b


def chan(a, b):
    if b[0] == 0.0:
        return a
    if a[0] == 0.0:
        return b
    n = a[0] + b[0]
    delta = b[1] - a[1]
    w = b[0] / n
    return n, a[1] + delta * w, (a[2] + b[2]) + (delta * delta) * (a[0] * w)


def log_merge(a, b):
    if a[0] != a[0]:
        return a
    if b[0] != b[0]:
        return b
    if a[0] == b[0]:
        return a[0], a[1] + b[1]
    if b[0] < a[0]:
        return a[0], a[1] + b[1] * exp(b[0] - a[0])
    return b[0], a[1] * exp(a[0] - b[0]) + b[1]


def scaled_term(x):
    if abs(x) > 2.0**486:
        return (x * 2.0**-538) * (x * 2.0**-538), -0.0, -0.0
    if 0.0 < abs(x) < 2.0**-511:
        return -0.0, -0.0, (x * 2.0**537) * (x * 2.0**537)
    return -0.0, x * x, -0.0


class Accumulator:
    def __init__(self, identity, join, term):
        self.identity, self.join, self.term = identity, join, term


def accumulator(name, p):
    zeros = (-0.0, -0.0, -0.0)
    return {
        "sum": Accumulator(-0.0, add, lambda x, y: x),
        "abs": Accumulator(-0.0, add, lambda x, y: abs(x)),
        "square": Accumulator(-0.0, add, lambda x, y: x * x),
        "dot": Accumulator(-0.0, add, lambda x, y: x * y),
        "prod": Accumulator(1.0, lambda a, b: a * b, lambda x, y: x),
        "power": Accumulator(-0.0, add, lambda x, y: power(abs(x), p)),
        "scaled": Accumulator(zeros, lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2]),
                              lambda x, y: scaled_term(x)),
        "moments": Accumulator((0.0, 0.0, 0.0), chan, None),
        "logsum": Accumulator((-INF, 0.0), log_merge,
                              lambda x, y: (-INF, 0.0) if x == -INF else (x, 1.0)),
    }[name]


# ---------------------------------------------------------------- section 2


def lane_combination(values, identity, join):
    lanes = [identity] * 128
    for i, v in enumerate(values):
        lanes[i % 128] = join(lanes[i % 128], v)
    h = 64
    while h:
        for i in range(h):
            lanes[i] = join(lanes[i], lanes[i + h])
        h //= 2
    return lanes[0]


def lane_sum(values):
    return lane_combination(values, -0.0, add)


def corrected(q, c, n):
    m2 = q - c * (c / n)
    return 0.0 if m2 < 0.0 else m2


def moments_tile(xs, left_out):
    taken = [x for x, out in zip(xs, left_out) if not out]
    n = float(len(taken))
    if not taken:
        return 0.0, 0.0, 0.0
    s = lane_sum(-0.0 if out else x for x, out in zip(xs, left_out))
    if abs(s) < INF:
        g = s / n
    else:
        first = taken[0]
        g = first + lane_sum(-0.0 if out else x - first for x, out in zip(xs, left_out)) / n
    ds = [-0.0 if out else x - g for x, out in zip(xs, left_out)]
    c = lane_sum(ds)
    q = lane_sum(-0.0 if out else d * d for d, out in zip(ds, left_out))
    if q == INF:
        return n, g, q
    return n, g + c / n, corrected(q, c, n)


def logsum_tile(xs, left_out):
    taken = [x for x, out in zip(xs, left_out) if not out]
    if any(x != x for x in taken):
        return NAN, NAN
    top = max(taken, default=-INF)
    if top == -INF:
        return -INF, 0.0
    return top, lane_sum(-0.0 if out else 1.0 if x == top else exp(x - top)
                         for x, out in zip(xs, left_out))


def omitted(xs, ys, omit):
    return [omit and (x != x or y != y) for x, y in zip(xs, ys)]


def canonical(name, xs, ys, omit, p):
    acc = accumulator(name, p)
    left_out = omitted(xs, ys, omit)
    values = []
    for at in range(0, len(xs), 4096):
        x, y, out = xs[at:at + 4096], ys[at:at + 4096], left_out[at:at + 4096]
        if name == "moments":
            values.append(moments_tile(x, out))
        elif name == "logsum":
            values.append(logsum_tile(x, out))
        else:
            terms = (acc.identity if o else acc.term(a, b) for a, b, o in zip(x, y, out))
            values.append(lane_combination(terms, acc.identity, acc.join))
    while len(values) > 1:
        values = [lane_combination(values[at:at + 4096], acc.identity, acc.join)
                  for at in range(0, len(values), 4096)]
    return values[0] if values else acc.identity


# ---------------------------------------------------------------- section 3


def moments_run(taken):
    if not taken:
        return 0.0, 0.0, 0.0
    n, first, s, q = float(len(taken)), taken[0], -0.0, -0.0
    for x in taken:
        d = x - first
        s = s + d
        q = q + d * d
    mean = first + s / n
    return n, mean, q if q == INF and abs(s) < INF else corrected(q, s, n)


def balanced(values, leaves, acc):
    if not values:
        return acc.identity
    if leaves == 1:
        return values[0]
    half = leaves // 2
    return acc.join(balanced(values[:half], half, acc), balanced(values[half:], half, acc))


def strided(name, xs, ys, omit, p):
    acc = accumulator(name, p)
    left_out = omitted(xs, ys, omit)
    values = []
    for at in range(0, len(xs), 32):
        taken = [i for i in range(at, min(at + 32, len(xs))) if not left_out[i]]
        if name == "moments":
            values.append(moments_run([xs[i] for i in taken]))
            continue
        v = acc.identity
        for i in taken:
            v = acc.join(v, acc.term(xs[i], ys[i]))
        values.append(v)
    leaves = 1
    while leaves < len(values):
        leaves *= 2
    return balanced(values, leaves, acc)


def reduce(name, order, xs, ys=None, omit=False, p=1.0):
    """The numbers of the accumulator's value."""
    way = canonical if order == "canonical" else strided
    value = way(name, xs, ys or [0.0] * len(xs), omit, p)
    return list(value) if isinstance(value, tuple) else [value]


# ---------------------------------------------------------------- section 6


def kogge_stone(values, join):
    d = 1
    while d < 32:
        values = values[:d] + [join(values[j - d], values[j]) for j in range(d, 32)]
        d *= 2
    return values


def scan(op, xs, omit=False, exclusive=False):
    """Prefixes in binary64."""
    acc = accumulator({"logsumexp": "logsum"}.get(op, op), None)
    join, identity = acc.join, acc.identity
    nothing = {"sum": 0.0, "prod": 1.0, "logsumexp": -INF}[op]
    takes_part = [not (omit and x != x) for x in xs]
    terms = [acc.term(x, None) if t else identity for x, t in zip(xs, takes_part)]
    terms += [identity] * (-len(xs) % 4096)
    tiles = len(terms) // 4096

    before_lane, aggregates = [], []
    for tile in range(tiles):
        rows = identity
        for row in range(32):
            at = tile * 4096 + row * 128
            sums = []
            for lane in range(32):
                x = terms[at + lane * 4:at + lane * 4 + 4]
                sums.append(join(join(join(x[0], x[1]), x[2]), x[3]))
            prefix = kogge_stone(sums, join)
            before_lane += [join(rows, e) for e in [identity, *prefix[:-1]]]
            rows = join(rows, prefix[-1])
        aggregates.append(rows)

    before_tile, group = [], identity
    for at in range(0, tiles, 32):
        some = aggregates[at:at + 32]
        prefix = kogge_stone(some + [identity] * (32 - len(some)), join)
        before_tile += [group] + [join(group, a) for a in prefix[:-1]]
        group = join(group, prefix[-1])

    def finish(value, any_yet):
        if not any_yet:
            return nothing
        return value[0] + log(value[1]) if op == "logsumexp" else value

    out, any_yet, run = [], False, identity
    for i in range(len(xs)):
        if i % 4 == 0:
            run = join(before_tile[i // 4096], before_lane[i // 4])
        earlier = finish(run, any_yet)
        run = join(run, terms[i])
        any_yet = any_yet or takes_part[i]
        out.append(earlier if exclusive else finish(run, any_yet))
    return out


# ---------------------------------------------------------------- section 8


def splitmix(seed, i):
    z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def element(kind, seed, i):
    w = splitmix(seed, i)
    unit = (w >> 11) * 2.0**-52 - 1.0
    if kind == "unit":
        return unit
    if kind == "wide":
        exponent = 723 + (w >> 52 & 0x7FF) % 600
        return from_bits((w >> 63) << 63 | exponent << 52 | w & (1 << 52) - 1)
    if kind == "near1":
        return 1.0 + unit * 2.0**-8
    if kind == "log":
        return 40.0 * unit
    assert kind == "same"
    return 0.1


def generate(kind, seed, count, omit):
    return [NAN if omit and splitmix(seed + 1, i) % 5 == 0 else element(kind, seed, i)
            for i in range(count)]


def digest(xs):
    h = 0xCBF29CE484222325
    for x in xs:
        h = (h * 0x100000001B3 & MASK) ^ int(hex_of(x), 16)
    return f"0x{h:016x}"


def inputs_of(vector):
    """(xs, ys) of a vector; ys is None but for dot."""
    kind, seed, count, omit = (vector[key] for key in ("kind", "seed", "count", "omit"))
    xs = generate(kind, seed, count, omit)
    ys = generate(kind, seed + 2, count, omit) if vector.get("reduce") == "dot" else None
    return xs, ys


def answer(vector):
    """What the vector's "value", or "last" and "digest", must be."""
    xs, ys = inputs_of(vector)
    if "reduce" in vector:
        numbers = reduce(vector["reduce"], vector["order"], xs, ys, vector["omit"], 2.5)
        return {"value": [hex_of(x) for x in numbers]}
    prefixes = scan(vector["scan"], xs, vector["omit"], vector["exclusive"])
    return {"last": hex_of(prefixes[-1]), "digest": digest(prefixes)}


REDUCTIONS = ("sum", "abs", "square", "dot", "prod", "power", "scaled", "moments", "logsum")
SCANS = ("sum", "prod", "logsumexp")


def questions():
    kinds = {"prod": "near1", "logsum": "log", "logsumexp": "log", "power": "unit"}
    for name in REDUCTIONS:
        for order in ("canonical", "strided"):
            for count in (1, 3, 33, 129, 4097, 12289):
                for omit in (False, True):
                    yield {"reduce": name, "order": order, "kind": kinds.get(name, "unit"),
                           "seed": 1, "count": count, "omit": omit}
    for name in ("sum", "square", "scaled", "moments"):
        for order in ("canonical", "strided"):
            yield {"reduce": name, "order": order, "kind": "wide", "seed": 2, "count": 12289,
                   "omit": False}
            yield {"reduce": name, "order": order, "kind": "same", "seed": 0, "count": 5000,
                   "omit": False}
    for order in ("canonical", "strided"):
        yield {"reduce": "sum", "order": order, "kind": "unit", "seed": 3, "count": 128 * 4096 + 1,
               "omit": False}
    for name in SCANS:
        for count in (1, 5, 131, 4097, 9000):
            for omit in (False, True):
                for exclusive in (False, True):
                    yield {"scan": name, "kind": kinds.get(name, "unit"), "seed": 1,
                           "count": count, "omit": omit, "exclusive": exclusive}
    yield {"scan": "sum", "kind": "wide", "seed": 4, "count": 33 * 4096 + 7, "omit": False,
           "exclusive": False}


VECTORS = Path(__file__).resolve().parent.parent / "cases" / "order_vectors.json"


def main():
    lines = [json.dumps(vector | answer(vector)) for vector in questions()]
    VECTORS.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(lines)} vectors written to {VECTORS}", file=sys.stderr)


if __name__ == "__main__":
    main()
