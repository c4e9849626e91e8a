"""Scans against exact prefixes: types, identities, NaN rules, segments, axes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.elements import TYPES, is_float, raw, values
from harness.results import check_problem, check_values, loads
from harness.transports import send
from reference import Options, result_dtype, scan_line
from strategies import LENGTHS, arrays, element_bits, flavours, from_bits, out_dtypes, seeded


def operations(dtype):
    """Scans whose every prefix is exact."""
    return ("sum", "min", "max") if is_float(dtype) else ("sum", "prod", "min", "max")


def members(options):
    job = {"determinism": "exact", "bits": True, "nan": options.nan}
    if options.overflow != "error":
        job["overflow"] = options.overflow
    if options.exclusive:
        job["exclusive"] = True
    if options.out_dtype:
        job["out_dtype"] = options.out_dtype
    return job


@st.composite
def rules(draw, op, dtype, split=False):
    options = Options(
        nan=draw(
            st.sampled_from(("propagate", "omit") if split else ("propagate", "omit", "error"))
        ),
        overflow=draw(
            st.sampled_from(("wrap", "saturate") if split else ("error", "wrap", "saturate"))
        ),
        exclusive=draw(st.booleans()),
    )
    if draw(st.integers(0, 3)) == 0:
        options.out_dtype = draw(out_dtypes(op, dtype, result_dtype(op, dtype)))
    return options


@st.composite
def scans(draw):
    dtype = draw(st.sampled_from(TYPES))
    op = draw(st.sampled_from(operations(dtype)))
    return dtype, op, draw(rules(op, dtype)), draw(arrays(dtype))


def check(response, op, outcome, shape, hint):
    if outcome[0] == "error":
        check_problem(response, outcome, hint)
        return
    assert response.status == 200, (response, hint)
    answer = loads(response)
    assert answer["shape"][op] == list(shape), (answer["shape"], hint)
    check_values(answer, op, outcome[1], outcome[2], hint)


@settings(max_examples=settings().max_examples * 3)
@given(scans(), st.sampled_from(("npy", "json", "raw-chunked", "part-raw", "file-npy", "files")))
def test_scan(client, roots, job, way):
    dtype, op, options, array = job
    elements = values(array, dtype)
    sent = {"op": op, **members(options)}
    response = send(client, roots.read, "/v1/scan", array, dtype, sent, way)
    outcome = scan_line(op, elements, dtype, options)
    check(response, op, outcome, [array.size], (dtype, sent, elements))


@st.composite
def split_scans(draw):
    dtype = draw(st.sampled_from(TYPES))
    op = draw(st.sampled_from(operations(dtype)))
    array = draw(arrays(dtype, 60))
    inner = draw(st.lists(st.integers(0, array.size), max_size=8))
    return dtype, op, draw(rules(op, dtype, True)), array, [0, *sorted(inner), array.size]


@given(split_scans())
def test_segments_restart(client, job):
    dtype, op, options, array, offsets = job
    elements = values(array, dtype)
    patterns = []
    for a, b in zip(offsets, offsets[1:]):
        patterns += scan_line(op, elements[a:b], dtype, options)[2]
    body = raw(array, dtype)
    sent = {"op": op, "segments": offsets, "part": 0, **members(options)}
    sent["parts"] = [{"size": len(body), "dtype": dtype, "shape": [array.size]}]
    response = client.multipart("/v1/scan", sent, [body])
    natural = options.out_dtype or result_dtype(op, dtype)
    check(response, op, ("values", natural, patterns), [array.size], (sent, elements))


@st.composite
def axis_scans(draw):
    dtype = draw(st.sampled_from(TYPES))
    op = draw(st.sampled_from(operations(dtype)))
    shape = tuple(draw(st.lists(st.integers(0, 5), min_size=1, max_size=3)))
    axis = draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    count = int(np.prod(shape))
    element = element_bits(dtype)
    flat = draw(st.lists(element, min_size=count, max_size=count))
    array = from_bits(flat, dtype).reshape(shape)
    return dtype, op, draw(rules(op, dtype, True)), array, axis


@settings(max_examples=settings().max_examples * 2)
@given(axis_scans(), st.sampled_from(("npy", "npy-f", "json", "file-npy-f", "raw-chunked")))
def test_axis(client, roots, job, way):
    """Along one axis the shape is the input's; without one the array is flat in C order."""
    dtype, op, options, array, axis = job
    sent = {"op": op, **members(options)}
    if axis is None:
        shape, patterns = [array.size], scan_line(op, values(array, dtype), dtype, options)[2]
    else:
        sent["axis"] = axis
        shape = list(array.shape)
        patterns = prefixes(op, array, dtype, options, axis)
    fortran = way.endswith("-f")
    way = way.removesuffix("-f")
    if array.size == 0 and way == "json":
        way = "part-npy"  # lists say nothing of the axes within an empty one
    response = send(client, roots.read, "/v1/scan", array, dtype, sent, way, fortran=fortran)
    natural = options.out_dtype or result_dtype(op, dtype)
    check(response, op, ("values", natural, patterns), shape, (sent, array.tolist(), way, fortran))


def prefixes(op, array, dtype, options, axis):
    """Patterns of the scan along an axis, in C order of the array."""
    lines = np.moveaxis(array, axis, -1)
    out = np.empty(lines.shape, dtype=object)
    for place in np.ndindex(lines.shape[:-1]):
        out[place] = scan_line(op, values(lines[place], dtype), dtype, options)[2]
    return np.moveaxis(out, -1, axis).reshape(-1).tolist()


@pytest.mark.heavy
@pytest.mark.parametrize("dtype", TYPES)
def test_grid(client, roots, dtype):
    for count in LENGTHS:
        for flavour in flavours(dtype):
            array = seeded(dtype, count, flavour, 3)
            elements = values(array, dtype)
            if flavour in ("any-bits", "wide") and dtype in ("float64", "bfloat16", "float32"):
                # thousands of exact prefixes of two thousand bits are slow in Python
                array, elements = array[:600], elements[:600]
            for op in operations(dtype):
                options = Options(nan="omit", overflow="wrap", exclusive=count % 2 == 0)
                if op == "prod":
                    elements = elements[:300]
                    array = array[:300]
                sent = {"op": op, **members(options)}
                outcome = scan_line(op, elements, dtype, options)
                response = send(client, roots.read, "/v1/scan", array, dtype, sent, "npy-chunked")
                check(response, op, outcome, [array.size], (dtype, op, flavour, count))


def test_a_long_scan_ends_in_the_reduction(client, roots):
    """Of exact sums and of integers the last prefix has the reduction's bits."""
    for dtype in ("float32", "float64", "int32"):
        flavour = "cancelling" if is_float(dtype) else "any"
        array = seeded(dtype, 10**5 + 3, flavour, 5)
        sent = {"op": "sum", "determinism": "exact", "bits": True}
        whole = loads(send(client, roots.read, "/v1/reduce", array, dtype, sent, "raw"))
        prefix = loads(send(client, roots.read, "/v1/scan", array, dtype, sent, "raw-chunked"))
        assert prefix["bits"]["sum"][-1] == whole["bits"]["sum"]
        assert len(prefix["results"]["sum"]) == array.size
