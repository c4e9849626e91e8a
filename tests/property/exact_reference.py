"""What the exact modules must answer, by rational arithmetic.

Independent of the C sources: fractions and whole numbers of Python only.
Elements are Python ints, or floats (binary64) for float types.
"""

import math
import struct
from fractions import Fraction

# significant bits, least exponent, greatest exponent, bytes
FORMATS = {
    "float16": (11, -14, 15, 2),
    "bfloat16": (8, -126, 127, 2),
    "float32": (24, -126, 127, 4),
    "float64": (53, -1022, 1023, 8),
}

# least, greatest, bytes
INTEGERS = {"bool": (0, 1, 1)}
for _bytes in (1, 2, 4, 8):
    INTEGERS[f"int{8 * _bytes}"] = (-(1 << (8 * _bytes - 1)), (1 << (8 * _bytes - 1)) - 1, _bytes)
    INTEGERS[f"uint{8 * _bytes}"] = (0, (1 << (8 * _bytes)) - 1, _bytes)


class Overflow(Exception):
    """An integer result out of range; its value as text, or ''."""


def bits_of(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def infinity(fmt, negative):
    precision, _, greatest, size = FORMATS[fmt]
    return (negative << (8 * size - 1)) | ((2 * greatest + 1) << (precision - 1))


def not_a_number(fmt):
    return infinity(fmt, False) | (1 << (FORMATS[fmt][0] - 2))


def floor_log2(x):
    """The greatest e with 2^e <= x, of a positive rational."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def half_even_root(x):
    """sqrt of a rational, to the nearest integer, ties to even."""
    low = math.isqrt(math.floor(x))
    middle = Fraction(2 * low + 1, 2) ** 2
    if x > middle or (x == middle and low % 2 == 1):
        return low + 1
    return low


def encode(x, fmt, negative_zero=False, root=False):
    """Bits of the rational x, or of its square root, rounded once."""
    precision, least, greatest, size = FORMATS[fmt]
    negative = x < 0 or (x == 0 and negative_zero)
    sign = negative << (8 * size - 1)
    x = abs(x)
    if x == 0:
        return sign
    exponent = floor_log2(x) // 2 if root else floor_log2(x)
    unit = max(exponent, least) - precision + 1
    scaled = x / Fraction(2) ** (2 * unit if root else unit)
    whole = half_even_root(scaled) if root else round(scaled)  # round() is half to even
    if whole == 0:
        return sign
    if whole.bit_length() > precision:
        whole //= 2
        unit += 1
    if whole.bit_length() - 1 + unit > greatest:
        return infinity(fmt, negative)
    if whole.bit_length() < precision:
        assert unit == least - precision + 1
        return sign | whole
    biased = unit + precision - 1 + greatest
    return sign | (biased << (precision - 1)) | (whole - (1 << (precision - 1)))


def to_integer(value, dtype, overflow, shown=True):
    least, greatest, size = INTEGERS[dtype]
    if not least <= value <= greatest:
        if overflow == "error":
            raise Overflow(str(value) if shown else "")
        if overflow == "saturate":
            value = min(max(value, least), greatest)
        else:
            value %= 1 << 64
    return value & (1 if dtype == "bool" else (1 << (8 * size)) - 1)


def float_terms(op, xs, ys):
    """The terms of a sum of floats: rationals, or the floats that are not."""
    for x, y in zip(xs, ys):
        if op == "l1":
            x = abs(x)
        if op in ("sumsq", "l2", "var2"):
            y = x
        elif op != "dot":
            y = 1.0
        finite = math.isfinite(x) and math.isfinite(y)
        yield Fraction(x) * Fraction(y) if finite else x * y, math.copysign(1, x) * math.copysign(1, y)


def float_sum(op, xs, ys):
    """(sum, all terms are -0), or a float that is not finite."""
    terms = list(float_terms(op, xs, ys))
    special = [t for t, _ in terms if isinstance(t, float)]
    if special:
        return sum(special), False
    total = sum((t for t, _ in terms), Fraction(0))
    return total, bool(terms) and all(t == 0 and s < 0 for t, s in terms)


def reduce_floats(op, result, ddof, xs, ys):
    n = len(xs)
    if op in ("var", "std"):
        total, _ = float_sum("sum", xs, ys)
        squares, _ = float_sum("var2", xs, ys)
        if isinstance(total, float) or isinstance(squares, float):
            return not_a_number(result)
        variance = (n * squares - total * total) / (n * (n - ddof))
        return encode(variance, result, root=op == "std")
    total, negative_zero = float_sum(op, xs, ys)
    if isinstance(total, float):
        return not_a_number(result) if math.isnan(total) else infinity(result, total < 0)
    if op == "mean":
        total /= n
    return encode(total, result, negative_zero, root=op == "l2")


def reduce_integers(op, result, ddof, overflow, xs, ys):
    n = len(xs)
    values = {
        "sum": lambda: sum(xs),
        "sumsq": lambda: sum(x * x for x in xs),
        "dot": lambda: sum(x * y for x, y in zip(xs, ys)),
        "prod": lambda: math.prod(xs),
        "mean": lambda: Fraction(sum(xs), n),
        "l1": lambda: sum(map(abs, xs)),
        "l2": lambda: sum(x * x for x in xs),
        "var": lambda: Fraction(n * sum(x * x for x in xs) - sum(xs) ** 2, n * (n - ddof)),
    }
    values["std"] = values["var"]
    value = values[op]()
    if result in FORMATS:
        return encode(Fraction(value), result, root=op in ("l2", "std"))
    return to_integer(value, result, overflow, shown=op != "prod")


EMPTY_VALUES = {"sum": 0, "prod": 1, "sumsq": 0, "dot": 0, "l1": 0, "l2": 0}


def reduce(op, dtype, result, ddof, overflow, xs, ys):
    """The answer of exact_probe: "ok BITS" or "CODE VALUE"."""
    n = len(xs)
    if n <= ddof if op in ("var", "std") else n == 0:
        if op not in EMPTY_VALUES:
            return "empty_input "
        value = EMPTY_VALUES[op]
        bits = encode(Fraction(value), result) if result in FORMATS else value
    elif dtype in FORMATS:
        bits = reduce_floats(op, result, ddof, xs, ys)
    else:
        try:
            bits = reduce_integers(op, result, ddof, overflow, xs, ys)
        except Overflow as error:
            return f"integer_overflow {error}"
    size = FORMATS[result][3] if result in FORMATS else INTEGERS[result][2]
    return f"ok {bits:0{2 * size}x}"


def canonical(xs):
    """lo, hi and the digits of an exact sum, as engine/exactsum.h defines them."""
    base, low = 1 << 32, -2176
    value = int(sum(map(Fraction, xs), Fraction(0)) / Fraction(2) ** low)
    if value == 0:
        return "0 -1"
    lo = 0
    while value % base == 0:
        value //= base
        lo += 1
    digits = []
    while abs(value) >= base:
        digits.append(value % base)
        value //= base
    digits.append(value)
    return " ".join(map(str, [lo, lo + len(digits) - 1, *digits]))
