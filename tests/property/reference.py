"""What every result must be: operations on Python integers and fractions.

Shares nothing with the program under test. A reduction of a line of elements
gives an outcome: ("value", dtype, bits), ("null",) or ("error", code, detail).
"""

import math

from harness.elements import FLOATS, INTEGERS, UNSIGNED, WIDTH, integer_range, is_float

# significand bits, largest exponent of 2 (IEEE 754-2019 table 3.5; bfloat16: 8 bits of binary32)
FORMATS = {"float16": (11, 15), "bfloat16": (8, 127), "float32": (24, 127), "float64": (53, 1023)}
QUIET_NAN = {
    "float16": 0x7E00,
    "bfloat16": 0x7FC0,
    "float32": 0x7FC00000,
    "float64": 0x7FF8000000000000,
}

ADDITIVE = ("sum", "prod", "sumsq", "dot")
REAL = ("mean", "var", "std", "l1", "l2", "linf", "logsumexp")
VALUED = ADDITIVE + REAL + ("min", "max")
POSITIONS = ("argmin", "argmax")
COUNTS = ("count_nonzero", "count")
LOGICAL = ("any", "all")
OPERATIONS = VALUED + POSITIONS + COUNTS + LOGICAL
# float operations with an exact form
EXACT = ("sum", "mean", "sumsq", "dot", "l1", "l2", "var", "std")
# operations whose answer does not depend on the promise
FREE = ("min", "max", "linf") + POSITIONS + COUNTS + LOGICAL


class Failed(Exception):
    def __init__(self, code, **detail):
        super().__init__(code)
        self.outcome = ("error", code, detail)


def result_dtype(op, dtype):
    if op in LOGICAL:
        return "bool"
    if op in POSITIONS + COUNTS:
        return "int64"
    if op in ("min", "max") or is_float(dtype):
        return dtype
    if op in ADDITIVE:
        return "uint64" if dtype in UNSIGNED else "int64"
    return "float64"


# -- rounding ---------------------------------------------------------------


def infinity(dtype, negative=False):
    precision, top = FORMATS[dtype]
    return sign_bit(dtype, negative) | (2 * top + 1) << (precision - 1)


def sign_bit(dtype, negative):
    return int(bool(negative)) << (WIDTH[dtype] - 1)


def _encode(dtype, negative, floor_log2, units):
    """Round |value| half to even. units(q) gives the whole number of 2^q in it
    and the comparison of what is left with half a unit (-1, 0, 1; None: nothing left)."""
    precision, top = FORMATS[dtype]
    lowest = 2 - top - precision
    q = max(floor_log2 - precision + 1, lowest)
    whole, rest = units(q)
    if rest == 1 or (rest == 0 and whole & 1):
        whole += 1
    pattern = whole + ((q - lowest) << (precision - 1))
    return sign_bit(dtype, negative) | min(pattern, infinity(dtype))


def _floor_log2(top, bottom):
    guess = top.bit_length() - bottom.bit_length()
    if guess >= 0:
        return guess if top >= bottom << guess else guess - 1
    return guess if top << -guess >= bottom else guess - 1


def round_ratio(top, bottom, dtype):
    """top/bottom (bottom > 0) to the type's bits; zero is +0."""
    if top == 0:
        return 0
    magnitude = abs(top)

    def units(q):
        a, b = (magnitude, bottom << q) if q >= 0 else (magnitude << -q, bottom)
        whole, rest = divmod(a, b)
        return whole, None if rest == 0 else (2 * rest > b) - (2 * rest < b)

    return _encode(dtype, top < 0, _floor_log2(magnitude, bottom), units)


def round_root(top, bottom, dtype):
    """The square root of top/bottom, rounded once."""
    if top == 0:
        return 0

    def units(q):
        a, b = (top, bottom << 2 * q) if q >= 0 else (top << -2 * q, bottom)
        whole = math.isqrt(a // b)
        if whole * whole * b == a:
            return whole, None
        half = (2 * whole + 1) ** 2 * b  # against 4a
        return whole, (4 * a > half) - (4 * a < half)

    return _encode(dtype, False, _floor_log2(top, bottom) // 2, units)


def round_float(value, dtype):
    """A binary64 to the type's bits, NaN without sign or payload."""
    if value != value:
        return QUIET_NAN[dtype]
    if math.isinf(value):
        return infinity(dtype, value < 0)
    if value == 0:
        return sign_bit(dtype, math.copysign(1, value) < 0)
    return round_ratio(*value.as_integer_ratio(), dtype)


def decode(bits, dtype):
    """The value of a pattern: a float (exactly), or an integer."""
    if not is_float(dtype):
        if dtype in INTEGERS and dtype not in UNSIGNED and bits >> (WIDTH[dtype] - 1):
            return bits - (1 << WIDTH[dtype])
        return bits
    precision, top = FORMATS[dtype]
    negative = bits >> (WIDTH[dtype] - 1)
    fraction = bits & ((1 << (precision - 1)) - 1)
    exponent = (bits >> (precision - 1)) & (2 * top + 1)
    if exponent == 2 * top + 1:
        value = math.nan if fraction else math.inf
    elif exponent == 0:
        value = math.ldexp(fraction, 2 - top - precision)
    else:
        value = math.ldexp(fraction | 1 << (precision - 1), exponent - top - precision + 1)
    return -value if negative else value


def fit_integer(total, dtype, overflow, named=True):
    """An exact integer to an integer type by the overflow rule."""
    low, high = integer_range(dtype)
    if not low <= total <= high:
        if overflow == "error":
            raise Failed("integer_overflow", **({"value": str(total)} if named else {}))
        if overflow == "saturate":
            total = min(max(total, low), high)
    return total & ((1 << WIDTH[dtype]) - 1)


# -- exact sums ---------------------------------------------------------------


class Sum:
    """An exact sum of finite binary64 terms and products, with its specials."""

    def __init__(self):
        self.by_exponent = {}
        self.nan = self.positive = self.negative = False
        self.terms = self.minus_zeros = 0

    def add(self, value):
        self.terms += 1
        if value - value != 0:
            self._special(value)
            return
        if value == 0:
            self.minus_zeros += math.copysign(1, value) < 0
            return
        m, e = math.frexp(value)
        self._add(int(m * 9007199254740992.0), e)  # 2^53

    def add_product(self, a, b):
        product = a * b
        if a - a != 0 or b - b != 0:
            self.terms += 1
            self._special(product)
            return
        self.terms += 1
        if a == 0 or b == 0:
            self.minus_zeros += math.copysign(1, a) != math.copysign(1, b)
            return
        (m, e), (n, f) = math.frexp(a), math.frexp(b)
        self._add(int(m * 9007199254740992.0) * int(n * 9007199254740992.0), e + f - 53)

    def _special(self, value):
        if value != value:
            self.nan = True
        elif value > 0:
            self.positive = True
        else:
            self.negative = True

    def _add(self, m, e):
        self.by_exponent[e] = self.by_exponent.get(e, 0) + m

    def special(self):
        """NaN or an infinity when the sum is one, else None."""
        if self.nan or (self.positive and self.negative):
            return math.nan
        if self.positive or self.negative:
            return math.inf if self.positive else -math.inf
        return None

    def ratio(self):
        if not self.by_exponent:
            return 0, 1
        low = min(self.by_exponent)
        total = sum(m << (e - low) for e, m in self.by_exponent.items())
        scale = low - 53
        return (total << scale, 1) if scale >= 0 else (total, 1 << -scale)

    def only_minus_zeros(self):
        return self.terms > 0 and self.minus_zeros == self.terms


# -- reductions ---------------------------------------------------------------


class Options:
    def __init__(
        self,
        nan="propagate",
        overflow="error",
        ddof=0,
        out_dtype=None,
        empty=None,
        index_base=0,
        exclusive=False,
    ):
        self.nan = nan
        self.overflow = overflow
        self.ddof = ddof
        self.out_dtype = out_dtype
        self.empty = empty
        self.index_base = index_base
        self.exclusive = exclusive


def reduce_line(op, elements, dtype, options=None, other=None):
    """The outcome of one operation over one line under `exact`, or of one that
    is exact under every promise."""
    options = options or Options()
    try:
        return ("value", *_reduce(op, elements, dtype, options, other))
    except Failed as failure:
        if failure.outcome[1] == "empty_input" and options.empty == "null":
            return ("null",)
        return failure.outcome


def _taking_part(elements, dtype, options, other):
    """(index, x) of what takes part; of two arrays (index, x, y)."""
    if other is None:
        triples = [(i, x) for i, x in enumerate(elements)]
    else:
        triples = [(i, x, y) for i, (x, y) in enumerate(zip(elements, other))]
    if not is_float(dtype) or options.nan == "propagate":
        return triples
    kept = [item for item in triples if all(v == v for v in item[1:])]
    if options.nan == "error" and len(kept) < len(triples):
        index = next(item[0] for item in triples if any(v != v for v in item[1:]))
        raise Failed("nan_found", index=index + options.index_base)
    return kept


def count_line(elements, dtype, options, other=None):
    return len(_taking_part(elements, dtype, options, other))


def _reduce(op, elements, dtype, options, other=None):
    items = _taking_part(elements, dtype, options, other)
    out = options.out_dtype or result_dtype(op, dtype)
    xs = [item[1] for item in items]
    if op == "count":
        return "int64", len(xs)
    if op == "count_nonzero":
        return "int64", sum(1 for x in xs if x != 0)
    if op == "any":
        return "bool", int(any(x != 0 for x in xs))
    if op == "all":
        return "bool", int(all(x != 0 for x in xs))
    if not xs and op in POSITIONS + ("min", "max", "mean"):
        raise Failed("empty_input")
    if op in ("var", "std") and len(xs) < options.ddof + 1:
        raise Failed("empty_input")
    if op in POSITIONS:
        return "int64", items[position(op, xs)][0] + options.index_base
    if op in ("min", "max"):
        return out, store(xs[position(op.replace("m", "argm", 1), xs)], dtype, out, options)
    if op == "linf":
        if any(x != x for x in xs):
            return out, QUIET_NAN[out]
        return out, store(max((abs(x) for x in xs), default=0), dtype, out, options)
    if is_float(dtype):
        return out, _reduce_floats(op, items, out, options)
    return out, _reduce_integers(op, items, out, options)


def position(op, xs):
    """Where the extreme is: the first NaN, else the first of the extreme, -0 below +0."""
    for i, x in enumerate(xs):
        if x != x:
            return i
    sign = 1 if op == "argmax" else -1
    best = 0
    for i, x in enumerate(xs):
        if (sign * x, sign * math.copysign(1, x)) > (
            sign * xs[best],
            sign * math.copysign(1, xs[best]),
        ):
            best = i
    return best


def store(value, dtype, out, options):
    """An element's value as another type's bits."""
    if out in FLOATS:
        return round_float(value, out) if is_float(dtype) else round_ratio(int(value), 1, out)
    return fit_integer(int(value), out, options.overflow, named=False)


def _reduce_floats(op, items, out, options):
    count = len(items)
    total = Sum()
    if op in ("sum", "mean", "var", "std"):
        for item in items:
            total.add(item[1])
    elif op == "l1":
        for item in items:
            total.add(abs(item[1]))
    elif op == "dot":
        for item in items:
            total.add_product(item[1], item[2])
    squares = Sum()
    if op in ("sumsq", "l2", "var", "std"):
        for item in items:
            squares.add_product(item[1], item[1])
    if op in ("var", "std"):
        if total.special() is not None:
            return QUIET_NAN[out]
        return spread(op, total.ratio(), squares.ratio(), count, options.ddof, out)
    kept = squares if op in ("sumsq", "l2") else total
    special = kept.special()
    if special is not None:
        return round_float(special, out)
    top, bottom = kept.ratio()
    if op == "l2":
        return round_root(top, bottom, out)
    if top == 0:
        return sign_bit(out, kept.only_minus_zeros())
    return round_ratio(top, bottom * count if op == "mean" else bottom, out)


def spread(op, total, squares, count, ddof, out):
    """(n Q - S^2) / (n (n - ddof)) or its root, from exact S and Q."""
    (s, sd), (q, qd) = total, squares
    top = count * q * sd * sd - s * s * qd
    bottom = qd * sd * sd * count * (count - ddof)
    return round_root(top, bottom, out) if op == "std" else round_ratio(top, bottom, out)


def _reduce_integers(op, items, out, options):
    xs = [item[1] for item in items]
    count = len(xs)
    if op == "l2":
        return round_root(sum(x * x for x in xs), 1, out)
    if op == "mean":
        return round_ratio(sum(xs), count, out)
    if op in ("var", "std"):
        total, squares = (sum(xs), 1), (sum(x * x for x in xs), 1)
        return spread(op, total, squares, count, options.ddof, out)
    if op == "prod":
        total = product(xs)
    elif op == "l1":
        total = sum(abs(x) for x in xs)
    elif op == "sumsq":
        total = sum(x * x for x in xs)
    elif op == "dot":
        total = sum(item[1] * item[2] for item in items)
    else:
        total = sum(xs)
    if out in FLOATS:
        return round_ratio(total, 1, out)
    return fit_integer(total, out, options.overflow, named=op != "prod")


def product(xs):
    """Balanced, so that long lines cost less than quadratic time."""
    xs = list(xs) or [1]
    while len(xs) > 1:
        xs = [math.prod(xs[i : i + 8]) for i in range(0, len(xs), 8)]
    return xs[0]


# -- scans ----------------------------------------------------------------------


def scan_line(op, elements, dtype, options=None):
    """Outcome of an exact scan: ("values", dtype, [bits]) or an error. Floats:
    sum, min, max; integers: prod too."""
    options = options or Options()
    out = options.out_dtype or result_dtype(op, dtype)
    try:
        return ("values", out, _scan(op, elements, dtype, out, options))
    except Failed as failure:
        return failure.outcome


def _scan(op, elements, dtype, out, options):
    if is_float(dtype) and options.nan == "error":
        for i, x in enumerate(elements):
            if x != x:
                raise Failed("nan_found", index=i + options.index_base)
    state = _scan_state(op, dtype, out, options)
    result = []
    for i, x in enumerate(elements):
        try:
            if options.exclusive:
                result.append(state.bits())
            if not (is_float(dtype) and options.nan == "omit" and x != x):
                state.take(x)
            if not options.exclusive:
                result.append(state.bits())
        except Failed as failure:
            failure.outcome[2]["index"] = i
            raise
    return result


def _scan_state(op, dtype, out, options):
    if op in ("min", "max"):
        return _ExtremeScan(op, dtype, out, options)
    return (_FloatSum if is_float(dtype) else _IntegerScan)(op, dtype, out, options)


class _ExtremeScan:
    def __init__(self, op, dtype, out, options):
        self.op, self.dtype, self.out, self.options = op, dtype, out, options
        self.best = None

    def take(self, x):
        if self.best is None:
            self.best = x
        else:
            pair = [self.best, x]
            self.best = pair[position("arg" + self.op, pair)]

    def bits(self):
        if self.best is not None:
            return store(self.best, self.dtype, self.out, self.options)
        # nothing yet: the identity, in the type of the result
        if is_float(self.out):
            return infinity(self.out, self.op == "max")
        low, high = integer_range(self.out)
        return fit_integer(high if self.op == "min" else low, self.out, "error")


class _FloatSum:
    def __init__(self, op, dtype, out, options):
        assert op == "sum", op
        self.total, self.out = Sum(), out

    def take(self, x):
        self.total.add(x)

    def bits(self):
        special = self.total.special()
        if special is not None:
            return round_float(special, self.out)
        top, bottom = self.total.ratio()
        if top == 0:
            return sign_bit(self.out, self.total.only_minus_zeros())
        return round_ratio(top, bottom, self.out)


class _IntegerScan:
    def __init__(self, op, dtype, out, options):
        self.op, self.out, self.options = op, out, options
        self.total = 1 if op == "prod" else 0

    def take(self, x):
        self.total = self.total * x if self.op == "prod" else self.total + x

    def bits(self):
        if self.out in FLOATS:
            return round_ratio(self.total, 1, self.out)
        return fit_integer(self.total, self.out, self.options.overflow, self.op != "prod")
