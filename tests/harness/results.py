"""Comparing an answer with what it must be, bit for bit."""

import json
import math

from harness.elements import WIDTH, flatten, is_float
from reference import decode, round_float


class Literal(str):
    """A number as it was written."""


def loads(response):
    """JSON with floats kept as their text."""
    return json.loads(response.text(), parse_float=Literal)


def hex_bits(bits, dtype):
    width = 2 if dtype == "bool" else WIDTH[dtype] // 4
    return f"0x{bits:0{width}x}"


def number(item, dtype):
    """A result's value from its JSON form, checking the form."""
    if item in ("NaN", "Infinity", "-Infinity"):
        assert is_float(dtype), (item, dtype)
        return float(item.replace("Infinity", "inf"))
    if dtype == "bool":
        assert item is True or item is False, item
        return int(item)
    if is_float(dtype):
        assert isinstance(item, Literal), f"{item!r}: a float needs a '.' or an exponent"
        return float(item)
    assert isinstance(item, int) and not isinstance(item, bool), item
    return item


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        if a != a or b != b:
            return a != a and b != b
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return a == b


def check_value(answer, key, dtype, bits, hint=""):
    """One scalar result: type, bits, and text that rounds to the same bits."""
    check_values(answer, key, dtype, [bits], hint, scalar=True)


def check_values(answer, key, dtype, patterns, hint="", scalar=False):
    """A result's elements in C order; None is null. Needs a job with `bits`."""
    assert answer["dtype"][key] == dtype, (key, answer["dtype"], dtype, hint)
    given = answer["bits"][key]
    assert isinstance(given, list) != scalar, given
    given = flatten(given)
    wanted = [None if bits is None else hex_bits(bits, dtype) for bits in patterns]
    if given != wanted:
        assert len(given) == len(wanted), (key, len(given), len(wanted), hint)
        index = next(i for i in range(len(wanted)) if given[i] != wanted[i])
        text = flatten(answer["results"][key])[index]
        raise AssertionError(
            f"{key}[{index}]: {given[index]} ({text}), must be {wanted[index]} {hint}"
        )
    for item, bits in zip(flatten(answer["results"][key]), patterns):
        if bits is None:
            assert item is None, (key, item)
            continue
        value = number(item, dtype)
        if is_float(dtype):
            assert round_float(value, dtype) == bits, (key, item, hex_bits(bits, dtype), hint)
        else:
            assert value == decode(bits, dtype), (key, item, hint)


def check_outcome(response, key, outcome, hint=""):
    """A whole-array answer against an outcome of reference.reduce_line()."""
    if outcome[0] == "error":
        check_problem(response, outcome, hint)
        return
    assert response.status == 200, (response, outcome, hint)
    answer = loads(response)
    if outcome[0] == "null":
        assert answer["results"][key] is None, (answer, hint)
    else:
        check_value(answer, key, outcome[1], outcome[2], hint)


def check_problem(response, outcome, hint=""):
    _, code, detail = outcome
    assert response.status == 422, (response, outcome, hint)
    problem = response.problem()
    assert problem["code"] == code, (problem, outcome, hint)
    if "value" in detail:
        assert problem["value"] == detail["value"], (problem, outcome, hint)
    if "index" in detail:
        assert problem["index"] == detail["index"], (problem, outcome, hint)
