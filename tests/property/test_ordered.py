"""`ordered` over HTTP, bit for bit against docs/orders.md in Python (orders.py):
whole arrays, segments, axes of both orders, scans, with and without NaN left out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orders
from harness.elements import FLOATS, raw, values
from harness.results import check_value, check_values, loads
from harness.transports import send
from reference import Options, decode, reduce_line, round_float
from strategies import FLOAT_FLAVOURS, LENGTHS, arrays, seeded

# rule 1.1: which accumulator serves an operation
ACCUMULATORS = {
    "sum": "sum",
    "mean": "sum",
    "l1": "abs",
    "sumsq": "square",
    "prod": "prod",
    "lp:2.5": "power",
    "var": "moments",
    "std": "moments",
    "logsumexp": "logsum",
    "l2": "square",
}
OPERATIONS = tuple(ACCUMULATORS)


def final(op, numbers, count, ddof=0):
    """The final step (rule 4.9), in binary64; None: empty_input."""
    v = numbers[0]
    if op == "mean":
        return v / count if count else None
    if op in ("var", "std"):
        if count < ddof + 1:
            return None
        variance = numbers[2] / (count - ddof)
        return math.sqrt(variance) if op == "std" and variance == variance else variance
    if op == "logsumexp":
        return v if math.isinf(v) or v != v else v + orders.log(numbers[1])
    if count == 0 and op != "prod":
        return 0.0
    if op == "l2":
        return math.sqrt(v) if v == v else v
    if op == "lp:2.5":
        return v if v == 0 or math.isinf(v) or v != v else orders.power(v, 1 / 2.5)
    return v


def wanted(op, xs, order, omit, out, ddof=0):
    """The result's bits, or None where it is empty_input."""
    count = sum(1 for x in xs if not (omit and x != x))
    numbers = orders.reduce(ACCUMULATORS[op], order, xs, None, omit, 2.5)
    value = final(op, numbers, count, ddof)
    return None if value is None else round_float(value, out)


def asked(dtype):
    # the final step of a float64 l2 is no rule of the page: test_scaled_norm
    return [op for op in OPERATIONS if not (op == "l2" and dtype == "float64")]


def job(ops, omit, out=None, **more):
    sent = {"op": ops, "determinism": "ordered", "bits": True, **more}
    if omit:
        sent["nan"] = "omit"
    if out:
        sent["out_dtype"] = out
    return sent


def check_whole(client, array, dtype, omit, out=None):
    xs = values(array, dtype)
    bits = {op: wanted(op, xs, "canonical", omit, out or dtype) for op in asked(dtype)}
    ops = [op for op in bits if bits[op] is not None]
    query = {**job(ops, omit, out), "dtype": dtype}
    response = client.post("/v1/reduce", query, raw(array, dtype))
    assert response.status == 200, response
    answer = loads(response)
    for op in ops:
        check_value(answer, op, out or dtype, bits[op], (dtype, array.size, omit))
    for op in set(bits) - set(ops):
        response = client.post("/v1/reduce", {**query, "op": op}, raw(array, dtype))
        assert response.problem()["code"] == "empty_input"


@pytest.mark.heavy
@pytest.mark.parametrize("dtype", FLOATS)
def test_grid(client, dtype):
    for count in LENGTHS:
        for number, flavour in enumerate(FLOAT_FLAVOURS):
            array = seeded(dtype, count, flavour, 41)
            check_whole(client, array, dtype, number % 2 == 0, "float64" if count % 2 else None)


@pytest.mark.heavy
def test_two_levels_of_tiles(client):
    """More than 4,096 tiles would take long in Python; several are enough for the rule."""
    check_whole(client, seeded("float64", 9 * 4096 + 77, "wide", 43), "float64", False)


@given(
    st.sampled_from(FLOATS).flatmap(lambda t: st.tuples(st.just(t), arrays(t, 200))), st.booleans()
)
def test_any_elements(client, drawn, omit):
    dtype, array = drawn
    check_whole(client, array, dtype, omit)


@pytest.mark.parametrize("dtype", ("float64", "bfloat16"))
@pytest.mark.parametrize("way", ("npy", "file-npy", "npy-chunked"))
def test_axes(client, roots, dtype, way):
    """The last axis is canonical, every other one strided (rule 3)."""
    array = seeded(dtype, 3 * 131 * 35, "some-nan", 47).reshape(3, 131, 35)
    for axis, order in ((2, "canonical"), (1, "strided"), (0, "strided"), ([1, 2], "canonical")):
        axes = axis if isinstance(axis, list) else [axis]
        kept = [a for a in range(3) if a not in axes]
        table = array.transpose(kept + axes)
        lines = table.reshape(int(np.prod([array.shape[a] for a in kept])), -1)
        for omit in (False, True):
            ops = asked(dtype)
            response = send(
                client, roots.read, "/v1/reduce", array, dtype, job(ops, omit, axis=axis), way
            )
            assert response.status == 200, response
            answer = loads(response)
            for op in ops:
                bits = [wanted(op, values(line, dtype), order, omit, dtype) for line in lines]
                check_values(answer, op, dtype, bits, (axis, order, omit))


def test_segments(client):
    array = seeded("float64", 9000, "some-nan", 53)
    offsets = [0, 0, 1, 130, 4226, 4227, 9000]
    body = raw(array, "float64")
    ops = ["sum", "l1", "prod", "logsumexp"]
    sent = job(ops, True, segments=offsets, part=0)
    sent["parts"] = [{"size": len(body), "dtype": "float64", "shape": [array.size]}]
    answer = loads(client.multipart("/v1/reduce", sent, [body]))
    xs = values(array, "float64")
    for op in ops:
        pieces = [xs[a:b] for a, b in zip(offsets, offsets[1:])]
        bits = [wanted(op, piece, "canonical", True, "float64") for piece in pieces]
        check_values(answer, op, "float64", bits)


def test_dot(client):
    for dtype in FLOATS:
        for count in (0, 1, 128, 4097, 9001):
            x = seeded(dtype, count, "some-nan", 59)
            y = seeded(dtype, count, "plain", 61)
            bodies = [raw(x, dtype), raw(y, dtype)]
            parts = [{"size": len(body), "dtype": dtype, "shape": [count]} for body in bodies]
            for omit in (False, True):
                sent = job("dot", omit, part=0, parts=parts)
                sent["with"] = {"part": 1}
                answer = loads(client.multipart("/v1/reduce", sent, bodies))
                xs, ys = values(x, dtype), values(y, dtype)
                taken = [1 for a, b in zip(xs, ys) if not omit or a == a and b == b]
                value = orders.reduce("dot", "canonical", xs, ys, omit)[0] if taken else 0.0
                check_value(answer, "dot", dtype, round_float(value, dtype), (dtype, count, omit))


@pytest.mark.heavy
@pytest.mark.parametrize("op", orders.SCANS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_scans(client, op, dtype):
    for number, count in enumerate((0, 1, 3, 127, 128, 129, 4097, 9001)):
        for flavour in ("plain", "some-nan", "wide", "minus-zeros"):
            array = seeded(dtype, count, flavour, 67)
            omit, exclusive = flavour == "some-nan", number % 2 == 0
            query = {**job(op, omit), "dtype": dtype, "exclusive": exclusive}
            response = client.post("/v1/scan", query, raw(array, dtype))
            assert response.status == 200, response
            prefixes = orders.scan(op, values(array, dtype), omit, exclusive) if count else []
            bits = [round_float(value, dtype) for value in prefixes]
            check_values(loads(response), op, dtype, bits, (op, dtype, count, flavour, exclusive))


def test_scan_along_an_axis(client):
    """Adjacent or not, a line's prefixes are those of the line alone."""
    array = seeded("float64", 200 * 150, "plain", 71).reshape(200, 150)
    for axis in (0, 1):
        query = {**job("sum", False), "dtype": "float64", "shape": [200, 150], "axis": axis}
        answer = loads(client.post("/v1/scan", query, raw(array, "float64")))
        lines = np.moveaxis(array, axis, -1)
        prefixes = [orders.scan("sum", line.tolist()) for line in lines]
        bits = np.moveaxis(np.array(prefixes), -1, axis).reshape(-1).view(np.uint64)
        check_values(answer, "sum", "float64", bits.tolist(), axis)


@pytest.mark.parametrize("exponent", (-1060, -800, -538, -300, 0, 300, 486, 800, 1015))
def test_scaled_norm(client, exponent):
    """l2 of float64 neither overflows nor underflows: within 200 units of the exact root."""
    for count in (1, 2, 1000, 4097):
        array = np.ldexp(np.random.default_rng(count).uniform(1, 2, count), exponent)
        array[::3] *= 2.0**-20
        answer = loads(client.post("/v1/reduce", "op=l2&dtype=float64", raw(array, "float64")))
        exact = decode(reduce_line("l2", array.tolist(), "float64", Options())[2], "float64")
        got = float(answer["results"]["l2"].replace("Infinity", "inf"))
        assert got == exact or abs(got - exact) <= 200 * math.ulp(exact), (got, exact)
