"""Numbers as text, both ways, against rational arithmetic; .npy headers against
NumPy.

Drives $FOLDD_BUILD/tests/unit/proto/number_probe, which calls proto/numbers,
proto/number_write and proto/npy alone: no daemon.

    python tests/property/test_numbers.py CASES [SEED]

runs that many random literals of each float type and prints those that differ.
"""

import io
import math
import os
import random
import re
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

# precision in bits, exponent of the least bit, largest exponent
FORMATS = {
    "float16": (11, -24, 15),
    "bfloat16": (8, -133, 127),
    "float32": (24, -149, 127),
    "float64": (53, -1074, 1023),
}
CODES = {"float16": "<e", "float32": "<f", "float64": "<d"}

JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
# the ends of int64 and uint64, and what lies just beyond
EDGES = [-(2**63) - 1, -(2**63), -1, 0, 2**63 - 1, 2**63, 2**64 - 1, 2**64]
INTEGERS = st.integers(-(2**63) - 1, 2**64) | st.sampled_from(EDGES)


class Probe:
    """One process; ask() sends a line and returns the answer."""

    def __init__(self):
        build = Path(os.environ.get("FOLDD_BUILD", "build"))
        self.process = subprocess.Popen(
            [build / "tests/unit/proto/number_probe"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


@pytest.fixture(scope="module")
def probe():
    probe = Probe()
    yield probe
    probe.close()


def rounded(value, dtype):
    """A rational to the nearest of the type, half to even: exact, or inf."""
    precision, least, largest = FORMATS[dtype]
    if value == 0:
        return Fraction(0)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    ulp = Fraction(2) ** max(exponent - precision + 1, least)
    units = round(value / ulp)  # Fraction rounds half to even
    return math.inf if units * ulp >= Fraction(2) ** (largest + 1) else units * ulp


def decode(dtype, data):
    if dtype == "bfloat16":
        return struct.unpack("<f", b"\0\0" + data)[0]
    return struct.unpack(CODES[dtype], data)[0]


def value_of(literal):
    mantissa, _, exponent = literal.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = int(whole + fraction)
    return digits * Fraction(10) ** (int(exponent or 0) - len(fraction))


def decimal_text(value):
    """The exact decimal expansion of a dyadic rational."""
    places = value.denominator.bit_length() - 1
    digits = str(value.numerator * 5**places).rjust(places + 1, "0")
    return digits[:-places] + "." + digits[-places:] if places else digits


def random_literal(rand, dtype):
    precision, least, largest = FORMATS[dtype]
    shape = rand.randrange(8)
    if shape == 0:
        text = str(rand.getrandbits(rand.choice([3, 20, 53, 60, 64, 70, 200])))
    elif shape == 1:
        digits = "".join(rand.choice("0123456789") for _ in range(rand.randrange(1, 25)))
        text = f"{rand.randrange(1000)}.{digits}"
    elif shape == 2:
        exponent = rand.choice(["", "+", "-"]) + str(rand.randrange(rand.choice([25, 60, 330])))
        text = f"{rand.randrange(10)}.{rand.randrange(10**17)}e{exponent}"
    elif shape == 3:
        text = "0." + "0" * rand.randrange(50) + str(rand.randrange(1, 10 ** rand.randrange(1, 30)))
    elif shape == 4:
        text = repr(struct.unpack("<d", struct.pack("<Q", rand.getrandbits(62)))[0])
    else:
        # a value of the type, or halfway between two, and very near to it
        exponent = rand.randrange(least + precision - 1, largest + 1)
        if rand.random() < 0.2:
            exponent = rand.choice([largest, least + precision - 1])
        units = rand.choice([rand.getrandbits(precision), 2**precision - 1, 0, 1])
        text = decimal_text((2 * units + (shape > 5)) * Fraction(2) ** (exponent - precision))
        point = "" if "." in text else "."
        nudge = rand.randrange(3)
        if nudge == 1:
            text += point + "0" * rand.randrange(30) + "1"
        elif nudge == 2 and text[-1] != "0":
            text = text[:-1] + str(int(text[-1]) - 1) + point + "9" * rand.randrange(1, 30)
    return rand.choice(["", "-"]) + text


def check_literal(probe, dtype, literal):
    answer = probe.ask(f"read {dtype} {literal}")
    return is_value(dtype, literal, bytes.fromhex(answer))


def is_value(dtype, literal, data):
    got = decode(dtype, data)
    want = rounded(value_of(literal), dtype)
    same = abs(got) == want if want == math.inf or math.isinf(got) else Fraction(abs(got)) == want
    negative = math.copysign(1, got) < 0
    return same and negative == literal.startswith("-")


@pytest.mark.parametrize("dtype", FORMATS)
@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**64))
def test_literals_are_rounded_once(probe, dtype, seed):
    literal = random_literal(random.Random(seed), dtype)
    assert check_literal(probe, dtype, literal), literal


@pytest.mark.parametrize("dtype", FORMATS)
@settings(max_examples=200, deadline=None)
@given(rows=st.integers(1, 4), columns=st.integers(1, 40), seed=st.integers(0, 2**64))
def test_arrays_of_literals(probe, dtype, rows, columns, seed):
    rand = random.Random(seed)
    literals = [random_literal(rand, dtype) for _ in range(rows * columns)]
    text = ""
    for i, literal in enumerate(literals):
        text += "[" if i % columns == 0 else rand.choice([",", ",", ", ", " ,", ",  ", ",\t"])
        text += literal + ("]," if i % columns == columns - 1 else "")
    data = bytes.fromhex(probe.ask(f"read {dtype} [{text[:-1]}]"))
    size = len(data) // len(literals)
    for i, literal in enumerate(literals):
        assert is_value(dtype, literal, data[i * size : (i + 1) * size]), literal


@settings(max_examples=300, deadline=None)
@given(
    pieces=st.lists(
        st.sampled_from(["0", "1", "5", "00", "27", "1234567890123", ".", "e", "E", "+", "-"]),
        min_size=1,
        max_size=7,
    )
)
def test_grammar_is_that_of_json(probe, pieces):
    text = "".join(pieces)
    if JSON_NUMBER.fullmatch(text) is None:
        for dtype in FORMATS:
            assert probe.ask(f"read {dtype} {text}") == "bad_json", text
        # what stands before the mistake may be out of range
        assert probe.ask(f"read - [0.5,{text}]") in ("bad_json", "bad_value")
        assert probe.ask(f"read int64 {text}") in ("bad_json", "bad_value")
        return
    small = abs(int(text.lower().partition("e")[2] or 0)) < 1000  # Python would take for ever
    for dtype in FORMATS:
        assert not small or check_literal(probe, dtype, text), text
    # after a float, and to an integer type, numbers go other ways
    name, _, data = probe.ask(f"read - [0.5,{text}]").partition(" ")
    if text.lstrip("-").isdigit() and not -(2**63) <= int(text) < 2**64:
        assert name == "bad_value"
    else:
        assert name == "float64"
        assert bytes.fromhex(data)[8:] == struct.pack("<d", float(text))
    if small:
        value = value_of(text) * (-1 if text[0] == "-" else 1)
        fits = value.denominator == 1 and -(2**63) <= value < 2**63
        answer = probe.ask(f"read int64 {text}")
        assert answer == (struct.pack("<q", int(value)).hex() if fits else "bad_value")


@settings(max_examples=300, deadline=None)
@given(values=st.lists(INTEGERS, min_size=1, max_size=5))
def test_integers_are_inferred(probe, values):
    name, _, data = probe.ask("read - [" + ",".join(map(str, values)) + "]").partition(" ")
    if max(values) >= 2**64:
        assert name == "bad_value"
    elif min(values) >= -(2**63) and max(values) < 2**63:
        assert name == "int64"
        assert list(struct.unpack(f"<{len(values)}q", bytes.fromhex(data))) == values
    elif min(values) >= 0:
        assert name == "uint64"
        assert list(struct.unpack(f"<{len(values)}Q", bytes.fromhex(data))) == values
    elif min(values) >= -(2**63):
        assert name == "float64"
        assert list(struct.unpack(f"<{len(values)}d", bytes.fromhex(data))) == [
            float(v) for v in values
        ]
    else:
        assert name == "bad_value"


@settings(max_examples=300, deadline=None)
@given(
    integers=st.lists(INTEGERS, max_size=4),
    floats=st.lists(
        st.sampled_from(["1.5", "-0.0", "1e5", "-9223372036854775809.0", "NaN", "-Infinity", "-0"]),
        min_size=1,
        max_size=3,
    ),
    rand=st.randoms(use_true_random=False),
)
def test_integers_among_floats(probe, integers, floats, rand):
    texts = [str(n) for n in integers] + ["0.5"] + floats
    rand.shuffle(texts)
    name, _, data = probe.ask("read - [" + ",".join(texts) + "]").partition(" ")
    if all(-(2**63) <= n < 2**64 for n in integers):
        assert name == "float64"
        assert bytes.fromhex(data) == b"".join(struct.pack("<d", float(t)) for t in texts)
    else:
        assert name == "bad_value"


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("signed", [False, True])
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_integer_types_take_integral_literals(probe, bits, signed, data):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)
    value = data.draw(st.integers(low - 2, high + 1))
    zeros = data.draw(st.integers(0, 3))
    literal = data.draw(
        st.sampled_from([f"{value}", f"{value}.{'0' * (zeros + 1)}", f"{value}{'0' * zeros}e-{zeros}"])
    )
    dtype = ("int" if signed else "uint") + str(bits)
    answer = probe.ask(f"read {dtype} {literal}")
    if low <= value < high:
        assert int.from_bytes(bytes.fromhex(answer), "little", signed=signed) == value
    else:
        assert answer == "bad_value"
    assert probe.ask(f"read {dtype} {value}.5") == "bad_value"


@settings(max_examples=500, deadline=None)
@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_float64_is_written_as_python_writes_it(probe, value):
    assert probe.ask(f"write float64 {struct.pack('<d', value).hex()}") == repr(value)


@settings(max_examples=500, deadline=None)
@given(value=st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_float32_has_the_fewest_digits(probe, value):
    text = probe.ask(f"write float32 {struct.pack('<f', value).hex()}")
    fewest = numpy.format_float_scientific(numpy.float32(value), trim="-")
    assert Fraction(value_of(text)) == Fraction(value_of(fewest.replace("e+", "e")))


def significant(text):
    return len(text.lstrip("-").partition("e")[0].replace(".", "").strip("0"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_floats_have_the_fewest_digits(probe, dtype):
    for bits in range(1, 0x8000):
        data = struct.pack("<H", bits)
        value = decode(dtype, data)
        if math.isnan(value) or math.isinf(value):
            continue
        text = probe.ask(f"write {dtype} {data.hex()}")
        exact = Fraction(value)
        assert rounded(value_of(text), dtype) == exact, text
        digits = significant(text) - 1
        if digits == 0:
            continue
        # no decimal of fewer digits, below or above, rounds to the value
        place = Fraction(10) ** (math.floor(math.log10(value)) - digits + 1)
        below = exact // place
        for units in (below - 1, below, below + 1, below + 2):
            assert rounded(abs(units) * place, dtype) != exact, (text, units)


@settings(max_examples=200, deadline=None)
@given(
    dtype=st.sampled_from(["bool", "int8", "uint16", "int32", "uint64", "float16", "float64"]),
    shape=st.lists(st.integers(0, 3), max_size=5),
    order=st.sampled_from("CF"),
)
def test_numpy_reads_our_headers(probe, dtype, shape, order):
    words = " ".join([order, *map(str, shape)])
    header = bytes.fromhex(probe.ask(f"npy {dtype} {words}"))
    assert len(header) % 64 == 0
    count = math.prod(shape)
    data = numpy.arange(count).astype(dtype)
    array = numpy.load(io.BytesIO(header + data.tobytes()), allow_pickle=False)
    assert array.dtype == numpy.dtype(dtype)
    assert array.tolist() == data.reshape(shape, order=order).tolist()


def main():
    cases = int(sys.argv[1])
    rand = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    probe = Probe()
    wrong = 0
    for dtype in FORMATS:
        for _ in range(cases):
            literal = random_literal(rand, dtype)
            if not check_literal(probe, dtype, literal):
                wrong += 1
                print(f"{dtype} {literal}")
    probe.close()
    print(f"{cases} literals of each of {len(FORMATS)} types, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
