"""The engine's exact arithmetic against rational arithmetic.

Drives $FOLDD_BUILD/tests/unit/engine/exact_probe, which links the modules
alone: no daemon. The answers come from exact_reference.py.

    python tests/property/test_exact.py CASES [SEED]

runs that many random cases and prints the first that differs.
"""

import math
import os
import random
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exact_reference as reference

FLOATS = list(reference.FORMATS)
INTEGERS = list(reference.INTEGERS)
FLOAT_OPS = ["sum", "mean", "sumsq", "dot", "l1", "l2", "var", "std"]
INTEGER_OPS = [*FLOAT_OPS, "prod"]
TO_INTEGER = ["sum", "sumsq", "dot", "prod"]
RULES = ["error", "wrap", "saturate"]


class Probe:
    """One process; ask() sends a line and returns the answer."""

    def __init__(self):
        build = Path(os.environ.get("FOLDD_BUILD", "build"))
        self.process = subprocess.Popen(
            [build / "tests/unit/engine/exact_probe"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer.endswith("\n"), f"exact_probe ended at: {words}"
        return answer[:-1]

    def ask_all(self, questions):
        """The answers to many questions of a few words, with few waits."""
        for first in range(0, len(questions), 500):  # both pipes hold as many
            piece = questions[first:first + 500]
            self.process.stdin.write("".join(f"{question}\n" for question in piece))
            self.process.stdin.flush()
            for question in piece:
                answer = self.process.stdout.readline()
                assert answer.endswith("\n"), f"exact_probe ended at: {question}"
                yield answer[:-1]

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


@pytest.fixture(scope="module")
def probe():
    probe = Probe()
    yield probe
    probe.close()


def domain_hex(dtype, x):
    return f"{reference.bits_of(x) if dtype in FLOATS else x & (1 << 64) - 1:x}"


def check_reduce(probe, op, dtype, result, ddof, overflow, parts, xs, ys):
    words = [domain_hex(dtype, x) for x in xs]
    if op == "dot":
        words += ["/", *(domain_hex(dtype, y) for y in ys)]
    got = probe.ask("reduce", op, dtype, result, f"{ddof:x}", overflow, parts, *words)
    wanted = reference.reduce(op, dtype, result, ddof, overflow, xs, ys)
    assert got == wanted, (op, dtype, result, ddof, overflow, parts, xs, ys)


# Elements that meet: ties, cancellation, both ends of the range, subnormals.


def narrow(dtype, x):
    """The element of a float type nearest to x, or an infinity."""
    bits = reference.encode(Fraction(x), dtype) if math.isfinite(x) else None
    if bits is None:
        return x
    return widen(dtype, bits)


def widen(dtype, bits):
    precision, least, greatest, size = reference.FORMATS[dtype]
    if dtype == "float64":
        return struct.unpack("<d", struct.pack("<Q", bits))[0]
    if dtype == "float32":
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    if dtype == "bfloat16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def random_float(rng, dtype):
    precision, least, greatest, size = reference.FORMATS[dtype]
    kind = rng.randrange(12)
    if kind == 0:
        return rng.choice([0.0, -0.0])
    if kind == 1 and rng.randrange(8) == 0:
        return rng.choice([math.inf, -math.inf, math.nan])
    if kind <= 3:  # any bits
        x = widen(dtype, rng.getrandbits(8 * size))
        return x if math.isfinite(x) else 1.0
    if kind <= 5:  # near an end of the range
        exponent = rng.choice([least - precision + 1, least - 1, least, greatest])
    elif kind <= 8:  # about one
        exponent = rng.randint(-3, 3)
    else:
        exponent = rng.randint(least - precision + 1, greatest)
    mantissa = rng.choice([1, 3, (1 << precision) - 1, (1 << (precision - 1)) + 1,
                           rng.getrandbits(precision) | 1])
    x = Fraction(mantissa) * Fraction(2) ** (exponent - mantissa.bit_length() + 1)
    x = narrow(dtype, float(x))
    return rng.choice([x, -x])


def random_integer(rng, dtype):
    least, greatest, _ = reference.INTEGERS[dtype]
    return rng.choice([least, greatest, 0, 1, max(least, -1), rng.randint(least, greatest),
                       rng.randint(max(least, -9), min(greatest, 9)),
                       min(greatest, 1 << rng.randrange(64))])


def random_length(rng):
    return rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, rng.randint(9, 40)])


def random_elements(rng, dtype, count):
    draw = random_float if dtype in FLOATS else random_integer
    xs = [draw(rng, dtype) for _ in range(count)]
    if count > 1 and rng.randrange(3) == 0:  # what cancels
        xs[1::2] = [-x if dtype in FLOATS or -x in range_of(dtype) else x for x in xs[:-1:2]]
        rng.shuffle(xs)
    if count > 1 and rng.randrange(6) == 0:  # nearly constant
        xs = [xs[0] if rng.randrange(5) else x for x in xs]
    return xs


def range_of(dtype):
    least, greatest, _ = reference.INTEGERS[dtype]
    return range(least, greatest + 1)


def random_case(rng):
    dtype = rng.choice(FLOATS + INTEGERS + ["float64"] * 4)
    op = rng.choice(FLOAT_OPS if dtype in FLOATS else INTEGER_OPS)
    if dtype in INTEGERS and op in TO_INTEGER and rng.randrange(3):
        result = rng.choice(INTEGERS)
    else:
        result = rng.choice(FLOATS + [dtype] if dtype in FLOATS else FLOATS)
    count = random_length(rng)
    return (op, dtype, result, rng.choice([0, 0, 1, 2]) if op in ("var", "std") else 0,
            rng.choice(RULES), rng.randint(1, 8),
            random_elements(rng, dtype, count), random_elements(rng, dtype, count))


@pytest.mark.parametrize("seed", range(8))
def test_random_reductions(probe, seed):
    rng = random.Random(seed)
    for _ in range(1000):
        check_reduce(probe, *random_case(rng))


@given(st.sampled_from(FLOAT_OPS), st.sampled_from(FLOATS), st.integers(1, 8), st.integers(0, 2),
       st.lists(st.tuples(st.floats(), st.floats()), max_size=12))
@settings(max_examples=500, deadline=None)
def test_any_float64(probe, op, result, parts, ddof, pairs):
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    check_reduce(probe, op, "float64", result, ddof if op in ("var", "std") else 0, "error", parts,
                 xs, ys)


@given(st.sampled_from(INTEGER_OPS), st.sampled_from(INTEGERS), st.sampled_from(RULES),
       st.integers(1, 8), st.booleans(), st.data())
@settings(max_examples=500, deadline=None)
def test_any_integer(probe, op, dtype, overflow, parts, to_float, data):
    least, greatest, _ = reference.INTEGERS[dtype]
    element = st.integers(least, greatest)
    pairs = data.draw(st.lists(st.tuples(element, element), max_size=12))
    whole = op in TO_INTEGER and not to_float
    result = data.draw(st.sampled_from(INTEGERS if whole else FLOATS))
    check_reduce(probe, op, dtype, result, 0, overflow, parts, [x for x, _ in pairs],
                 [y for _, y in pairs])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40),
       st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_equal_sums_have_equal_digits(probe, xs, rng):
    wanted = reference.canonical(xs)
    for parts in (1, 2, 5, 8):
        rng.shuffle(xs)
        assert probe.ask("canonical", parts, *(domain_hex("float64", x) for x in xs)) == wanted


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=60))
@settings(max_examples=300, deadline=None)
def test_sum_is_fsum(probe, xs):
    try:
        wanted = math.fsum(xs)
    except OverflowError:
        return  # fsum has no answer where a partial sum overflows
    if wanted == 0:
        wanted = math.copysign(0.0, -1 if all(math.copysign(1, x) < 0 for x in xs) else 1)
    answer = probe.ask("reduce", "sum", "float64", "float64", 0, "error", 3,
                       *(domain_hex("float64", x) for x in xs))
    assert answer == f"ok {reference.bits_of(wanted):016x}"


def test_every_tie_and_neighbour_of_the_narrow_types(probe):
    """All elements of a 16-bit type, the midpoints between them, and what lies beside those."""
    for dtype in ("float16", "bfloat16"):
        precision, least, greatest, size = reference.FORMATS[dtype]
        values = [widen(dtype, bits) for bits in range(reference.infinity(dtype, False))]
        values.append(2.0 ** (greatest + 1))
        cases = []
        for below, above in zip(values, values[1:]):
            middle = (below + above) / 2
            beside = math.nextafter(middle, 0), math.nextafter(middle, math.inf)
            cases += [(x, reference.encode(Fraction(x), dtype)) for x in (below, middle, *beside)]
        cases += [(-x, wanted | 0x8000) for x, wanted in cases]
        answers = probe.ask_all([f"round {dtype} {domain_hex('float64', x)}" for x, _ in cases])
        for (x, wanted), answer in zip(cases, answers):
            assert int(answer, 16) == wanted, (dtype, x)


def test_every_narrow_element_widens(probe):
    for dtype in ("float16", "bfloat16"):
        answers = probe.ask_all([f"widen {dtype} {bits:x}" for bits in range(1 << 16)])
        for bits, answer in enumerate(answers):
            x = widen(dtype, bits)
            if math.isnan(x):
                assert int(answer, 16) & ~(1 << 63) > reference.infinity("float64", False)
            else:
                assert int(answer, 16) == reference.bits_of(x), (dtype, bits)


@given(st.floats(), st.sampled_from(FLOATS))
@settings(max_examples=1000, deadline=None)
def test_round_of_float64(probe, x, dtype):
    if math.isnan(x):
        wanted = reference.not_a_number(dtype)
    elif math.isinf(x):
        wanted = reference.infinity(dtype, x < 0)
    else:
        wanted = reference.encode(Fraction(x), dtype, math.copysign(1, x) < 0)
    assert int(probe.ask("round", dtype, domain_hex("float64", x)), 16) == wanted


@given(st.sampled_from(FLOATS), st.booleans(), st.integers(0, 1 << 4400), st.integers(1, 1 << 130),
       st.integers(-2300, 2300), st.booleans())
@settings(max_examples=1000, deadline=None)
def test_ratio_and_root(probe, dtype, root, num, den, exponent, negative):
    negative = negative and not root
    x = Fraction(num, den) * Fraction(2) ** exponent * (-1 if negative else 1)
    wanted = reference.encode(x, dtype, negative, root)
    got = probe.ask("ratio", dtype, int(root), int(negative), exponent, f"{num:x}", f"{den:x}")
    assert int(got, 16) == wanted


@given(st.sampled_from(FLOATS), st.integers(0, 1 << 53), st.integers(-1100, 1100),
       st.sampled_from([-1, 0, 1]), st.integers(0, 40) | st.integers(100, 4000))
@settings(max_examples=2000, deadline=None)
def test_root_beside_a_tie(probe, dtype, bits, exponent, side, far):
    """Squares of numbers with one bit more than the type has, and their neighbours."""
    extra = 1 << reference.FORMATS[dtype][0]
    half = extra | bits % extra | 1
    num = (half * half << far) + side
    value = Fraction(num, 1 << far) * Fraction(4) ** exponent
    wanted = reference.encode(value, dtype, root=True)
    got = probe.ask("ratio", dtype, 1, 0, 2 * exponent - far, f"{num:x}", "1")
    assert int(got, 16) == wanted


@given(st.sampled_from(FLOATS), st.integers(0, 1 << 53), st.integers(-1100, 1100),
       st.sampled_from([-1, 0, 1]), st.integers(0, 4000), st.integers(1, 1 << 70))
@settings(max_examples=2000, deadline=None)
def test_ratio_beside_a_tie(probe, dtype, bits, exponent, side, far, den):
    extra = 1 << reference.FORMATS[dtype][0]
    num = ((extra | bits % extra | 1) * den << far) + side
    value = Fraction(num, den << far) * Fraction(2) ** exponent
    wanted = reference.encode(value, dtype)
    got = probe.ask("ratio", dtype, 0, 0, exponent - far, f"{num:x}", f"{den:x}")
    assert int(got, 16) == wanted


def pieces(num, exponent):
    """num * 2^exponent as binary64 numbers, the lowest first."""
    sign = -1.0 if num < 0 else 1.0
    num = abs(num)
    while num:
        zeros = (num & -num).bit_length() - 1
        num, exponent = num >> zeros, exponent + zeros
        low = num & (1 << 53) - 1
        yield sign * math.ldexp(low, exponent)
        num, exponent = num >> 53, exponent + 53


def check_leading(probe, dtype, how, num, exponent, den=1):
    value = Fraction(num, den) * Fraction(2) ** exponent
    wanted = reference.encode(value, dtype, root=how == "root")
    words = [f"{reference.bits_of(x):x}" for x in pieces(num, exponent)]
    got = probe.ask("leading", dtype, how, f"{den:x}", *words)
    assert int(got, 16) == wanted, (dtype, how, num, exponent, den)


SIGNS = st.sampled_from([-1, 1])
COUNTS = (st.integers(1, 100) | st.integers(1, (1 << 64) - 1)
          | st.integers(0, 63).map(lambda k: 1 << k))


@given(st.sampled_from(FLOATS), SIGNS, st.integers(0, 1 << 53), st.integers(-1100, 1000),
       st.sampled_from([-1, 0, 1]), st.integers(0, 1900), COUNTS, st.booleans())
@settings(max_examples=4000, deadline=None)
def test_sum_or_mean_beside_a_tie(probe, dtype, sign, bits, exponent, side, far, den, mean):
    """A number with one bit more than the type has, times the count, and its neighbours."""
    extra = 1 << reference.FORMATS[dtype][0]
    den = den if mean else 1
    half = (extra | bits % extra | 1) * den
    far = min(far, exponent + 1074)  # binary64 has nothing lower
    if far < 0 or exponent + half.bit_length() > 1020:
        return
    check_leading(probe, dtype, "mean" if mean else "sum", sign * ((half << far) + side),
                  exponent - far, den)


@given(st.sampled_from(FLOATS), st.integers(0, 1 << 53), st.integers(-530, 450),
       st.sampled_from([-1, 0, 1]), st.integers(0, 1900))
@settings(max_examples=3000, deadline=None)
def test_root_of_a_sum_beside_a_tie(probe, dtype, bits, exponent, side, far):
    extra = 1 << reference.FORMATS[dtype][0]
    half = extra | bits % extra | 1
    far = min(far, 2 * exponent + 1074)
    if far >= 0:
        check_leading(probe, dtype, "root", (half * half << far) + side, 2 * exponent - far)


@given(st.sampled_from(FLOATS), st.sampled_from(["sum", "mean", "root"]), SIGNS,
       st.integers(0, 1 << 2090), st.integers(0, 2090), COUNTS)
@settings(max_examples=3000, deadline=None)
def test_leading_bits_of_any_sum(probe, dtype, how, sign, num, shift, den):
    num >>= shift
    check_leading(probe, dtype, how, num * (1 if how == "root" else sign), -1074,
                  den if how == "mean" else 1)


def whole_numbers():
    """Long integers with runs of equal bits: where carries and trial digits go wrong."""
    runs = st.lists(st.tuples(st.booleans(), st.integers(1, 130)), max_size=24)
    return runs.map(lambda parts: int("".join("01"[bit] * length for bit, length in parts) or "0",
                                      2))


@given(whole_numbers(), whole_numbers())
@settings(max_examples=1000, deadline=None)
def test_bigint(probe, a, b):
    def ask(op, x, y):
        value, rest = probe.ask("bigint", op, f"{x:x}", f"{y:x}").split()
        return int(value, 16), rest == "1"

    assert ask("add", a, b)[0] == a + b
    assert ask("sub", max(a, b), min(a, b))[0] == abs(a - b)
    assert ask("mul", a, b)[0] == a * b
    if b > 0:
        assert ask("divide", a, b) == (a // b, a % b != 0)
        assert ask("divide", a * b, b) == (a, False)
    assert ask("sqrt", a, 0) == (math.isqrt(a), math.isqrt(a) ** 2 != a)
    assert ask("sqrt", a * a, 0) == (a, False)
    for shift in (0, 1, 63, 64, 65, 200):
        assert ask("left", a, shift)[0] == a << shift
        assert ask("right", a, shift) == (a >> shift, a & ((1 << shift) - 1) != 0)


def main():
    cases = int(sys.argv[1])
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else None)
    probe = Probe()
    for _ in range(cases):
        check_reduce(probe, *random_case(rng))
    probe.close()
    print(f"{cases} cases agree")


if __name__ == "__main__":
    main()
