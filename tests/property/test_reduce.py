"""Reductions against exact rational arithmetic: every type, operation and rule."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.elements import TYPES, flatten, is_float, raw, to_json, values
from harness.results import check_outcome, check_problem, check_value, check_values, loads
from harness.transports import send
from reference import (
    ADDITIVE,
    COUNTS,
    EXACT,
    FREE,
    LOGICAL,
    OPERATIONS,
    POSITIONS,
    Options,
    count_line,
    reduce_line,
    result_dtype,
)
from strategies import LENGTHS, arrays, element_bits, flavours, from_bits, out_dtypes, seeded


def answerable(dtype, determinism="exact"):
    """Operations of one array whose bits the exact reference gives."""
    if not is_float(dtype):
        # lp and logsumexp of integers are float operations
        return [op for op in OPERATIONS if op not in ("dot", "logsumexp")]
    names = FREE + EXACT if determinism == "exact" else FREE
    return [op for op in OPERATIONS if op in names and op != "dot"]


def members(options, determinism):
    """The job members that say the options."""
    job = {"determinism": determinism, "bits": True}
    if options.nan != "propagate":
        job["nan"] = options.nan
    if options.overflow != "error":
        job["overflow"] = options.overflow
    if options.ddof:
        job["ddof"] = options.ddof
    if options.out_dtype:
        job["out_dtype"] = options.out_dtype
    if options.index_base:
        job["index_base"] = options.index_base
    if options.empty:
        job["empty"] = options.empty
    return job


@st.composite
def single_jobs(draw):
    dtype = draw(st.sampled_from(TYPES))
    determinism = draw(st.sampled_from(("exact", "exact", "ordered", "none")))
    op = draw(st.sampled_from(answerable(dtype, determinism)))
    options = Options(nan=draw(st.sampled_from(("propagate", "omit", "error"))))
    if op in ADDITIVE + ("min", "max"):
        options.overflow = draw(st.sampled_from(("error", "wrap", "saturate")))
    if op in ("var", "std"):
        options.ddof = draw(st.integers(0, 3))
    if op not in POSITIONS + COUNTS + LOGICAL and draw(st.booleans()):
        options.out_dtype = draw(out_dtypes(op, dtype, result_dtype(op, dtype)))
    if op in POSITIONS and draw(st.booleans()):
        options.index_base = draw(st.integers(0, 2**40))
    return dtype, determinism, op, options, draw(arrays(dtype))


@settings(max_examples=settings().max_examples * 5)
@given(single_jobs(), st.sampled_from(("npy", "json", "raw", "part-raw")))
def test_one_operation(client, roots, job, way):
    dtype, determinism, op, options, array = job
    elements = values(array, dtype)
    outcome = reduce_line(op, elements, dtype, options)
    sent = {"op": op, **members(options, determinism)}
    response = send(client, roots.read, "/v1/reduce", array, dtype, sent, way)
    hint = (dtype, sent, elements)
    check_outcome(response, op, outcome, hint)
    if response.status == 200:
        assert loads(response)["count"] == count_line(elements, dtype, options), hint


@st.composite
def dots(draw):
    dtype = draw(st.sampled_from(TYPES))
    size = draw(st.integers(0, 30))
    element = element_bits(dtype)
    pair = [
        from_bits(draw(st.lists(element, min_size=size, max_size=size)), dtype) for _ in range(2)
    ]
    options = Options(nan=draw(st.sampled_from(("propagate", "omit", "error"))))
    options.overflow = draw(st.sampled_from(("error", "wrap", "saturate")))
    if draw(st.booleans()):
        options.out_dtype = draw(out_dtypes("dot", dtype, result_dtype("dot", dtype)))
    return dtype, options, pair


@given(dots(), st.booleans())
def test_dot(client, job, as_json):
    """Exact products: none overflows or is lost below the subnormals."""
    dtype, options, (x, y) = job
    outcome = reduce_line("dot", values(x, dtype), dtype, options, values(y, dtype))
    sent = {"op": "dot", **members(options, "exact")}
    if as_json:
        sent.update(dtype=dtype, data=to_json(x, dtype))
        sent["with"] = {"data": to_json(y, dtype), "dtype": dtype}
        response = client.job("/v1/reduce", sent)
    else:
        bodies = [raw(x, dtype), raw(y, dtype)]
        parts = [{"size": len(b), "dtype": dtype, "shape": [x.size]} for b in bodies]
        sent.update({"part": 0, "with": {"part": 1}, "parts": parts})
        response = client.multipart("/v1/reduce", sent, bodies)
    check_outcome(response, "dot", outcome, (sent, values(x, dtype), values(y, dtype)))


def several(client, roots, array, dtype, options, determinism, ops, way):
    """All operations in one reading; those that must fail are asked for alone."""
    elements = values(array, dtype)
    outcomes = {op: reduce_line(op, elements, dtype, _options_for(op, options)) for op in ops}
    good = [op for op in ops if outcomes[op][0] == "value"]
    hint = (dtype, array.size, determinism, options.nan, way)
    if good:
        wide = Options(nan=options.nan)
        wide.overflow = options.overflow if set(good) & {*ADDITIVE, "min", "max"} else "error"
        wide.ddof = options.ddof if set(good) & {"var", "std"} else 0
        sent = {"op": good, **members(wide, determinism)}
        response = send(client, roots.read, "/v1/reduce", array, dtype, sent, way)
        assert response.status == 200, (response, hint)
        answer = loads(response)
        assert answer["count"] == count_line(elements, dtype, options), hint
        assert answer["determinism"] == determinism
        for op in good:
            check_value(answer, op, *outcomes[op][1:], hint)
    for op in ops:
        if outcomes[op][0] == "error":
            sent = {"op": op, **members(_options_for(op, options), determinism)}
            response = send(client, roots.read, "/v1/reduce", array, dtype, sent, way)
            check_problem(response, outcomes[op], (op, hint))


def _options_for(op, options):
    """The options without those that mean nothing for the operation."""
    return Options(
        nan=options.nan,
        overflow=options.overflow if op in ADDITIVE + ("min", "max") else "error",
        ddof=options.ddof if op in ("var", "std") else 0,
    )


GRID_WAYS = ("npy", "raw", "raw-big-endian", "npy-chunked", "part-chunked", "file-npy", "files")


@pytest.mark.heavy
@pytest.mark.parametrize("dtype", TYPES)
def test_grid(client, roots, dtype):
    """Types x operations x promises x special values x odd lengths."""
    ways = itertools.cycle(GRID_WAYS)
    rules = itertools.cycle(("propagate", "omit", "error") if is_float(dtype) else ("propagate",))
    overflows = itertools.cycle(("wrap", "error", "saturate"))
    for count, flavour in itertools.product(LENGTHS, flavours(dtype)):
        array = seeded(dtype, count, flavour, 1)
        for determinism in ("exact", "ordered", "none"):
            options = Options(nan=next(rules), overflow=next(overflows), ddof=count % 3)
            ops = answerable(dtype, determinism)
            several(client, roots, array, dtype, options, determinism, ops, next(ways))


@pytest.mark.heavy
@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32", "float64", "int64", "uint8"))
def test_a_million_and_one(client, roots, dtype):
    flavour = "wide" if is_float(dtype) else "small"
    array = seeded(dtype, 10**6 + 1, flavour, 7)
    ops = [op for op in answerable(dtype) if op != "prod"]
    several(client, roots, array, dtype, Options(ddof=1), "exact", ops, "raw-chunked")


@st.composite
def axis_jobs(draw):
    dtype = draw(st.sampled_from(TYPES))
    shape = tuple(draw(st.lists(st.integers(0, 5), min_size=1, max_size=4)))
    axes = draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=len(shape)))
    axes = [
        a for i, a in enumerate(axes) if a % len(shape) not in [b % len(shape) for b in axes[:i]]
    ]
    ops = [op for op in answerable(dtype) if op not in POSITIONS or len(axes) == 1]
    op = draw(st.sampled_from(ops))
    options = Options(
        nan=draw(st.sampled_from(("propagate", "omit"))),
        empty=draw(st.sampled_from((None, "null"))),
    )
    if op in ADDITIVE:
        options.overflow = draw(st.sampled_from(("wrap", "saturate")))
    if op in ("var", "std"):
        options.ddof = draw(st.integers(0, 2))
    count = int(np.prod(shape))
    element = element_bits(dtype)
    flat = draw(st.lists(element, min_size=count, max_size=count))
    array = from_bits(flat, dtype).reshape(shape)
    return dtype, op, options, array, axes, draw(st.booleans())


@settings(max_examples=settings().max_examples * 2)
@given(
    axis_jobs(), st.sampled_from(("npy", "npy-f", "json", "file-npy", "part-npy-f", "raw-chunked"))
)
def test_axes(client, roots, job, way):
    """Any set of axes of C- and Fortran-order arrays, with and without keepdims."""
    dtype, op, options, array, axes, keepdims = job
    fortran = way.endswith("-f")
    way = way.removesuffix("-f")
    if array.size == 0 and way == "json":
        way = "part-npy"  # lists say nothing of the axes within an empty one
    outcomes, counts, shape = lines(op, array, dtype, options, axes, keepdims)
    axis = axes[0] if len(axes) == 1 and keepdims else axes
    sent = {"op": op, "axis": axis, "keepdims": keepdims, **members(options, "exact")}
    if axis == [] and way not in ("json", "file-npy", "part-npy"):
        way = "part-npy"  # an empty list has its plain form in JSON only
    hint = (sent, dtype, array.tolist(), way, fortran)
    response = send(client, roots.read, "/v1/reduce", array, dtype, sent, way, fortran=fortran)
    check_lines(response, op, outcomes, counts, shape, hint)


def lines(op, array, dtype, options, axes, keepdims=False):
    """Outcomes and counts of the lines over the axes in C order, and their shape."""
    ndim = array.ndim
    reduced = sorted(a % ndim for a in axes)
    kept = [a for a in range(ndim) if a not in reduced]
    shape = [array.shape[a] for a in kept]
    length = int(np.prod([array.shape[a] for a in reduced]))
    table = array.transpose(kept + reduced).reshape(int(np.prod(shape)), length)
    rows = [values(row, dtype) for row in table]
    outcomes = [reduce_line(op, row, dtype, options) for row in rows]
    counts = [count_line(row, dtype, options) for row in rows]
    if keepdims:
        shape = [1 if a in reduced else array.shape[a] for a in range(ndim)]
    return outcomes, counts, shape


def check_lines(response, op, outcomes, counts, shape, hint):
    errors = [outcome for outcome in outcomes if outcome[0] == "error"]
    if errors:
        assert response.status == 422, (response, errors, hint)
        assert response.problem()["code"] in {error[1] for error in errors}, (response, hint)
        return
    assert response.status == 200, (response, hint)
    answer = loads(response)
    patterns = [None if outcome[0] == "null" else outcome[2] for outcome in outcomes]
    natural = next((outcome[1] for outcome in outcomes if outcome[0] == "value"), None)
    scalar = not isinstance(answer["results"][op], list)
    if not scalar:
        assert answer["shape"][op] == list(shape), (answer["shape"], shape, hint)
    else:
        assert shape == [], (shape, hint)
    check_values(answer, op, natural or answer["dtype"][op], patterns, hint, scalar=scalar)
    assert flatten(answer["count"]) == counts, (answer["count"], counts, hint)


@st.composite
def segment_jobs(draw):
    dtype = draw(st.sampled_from(TYPES))
    array = draw(arrays(dtype, 60))
    inner = draw(st.lists(st.integers(0, array.size), max_size=8))
    offsets = [0, *sorted(inner), array.size]
    op = draw(st.sampled_from(answerable(dtype)))
    options = Options(
        nan=draw(st.sampled_from(("propagate", "omit"))),
        empty=draw(st.sampled_from((None, "null"))),
    )
    if op in ADDITIVE:
        options.overflow = draw(st.sampled_from(("wrap", "saturate")))
    return dtype, op, options, array, offsets


@given(segment_jobs(), st.sampled_from(("list", "part")))
def test_segments(client, job, way):
    """A segment is answered as if it had been sent alone."""
    dtype, op, options, array, offsets = job
    elements = values(array, dtype)
    pieces = [elements[a:b] for a, b in zip(offsets, offsets[1:])]
    outcomes = [reduce_line(op, piece, dtype, options) for piece in pieces]
    counts = [count_line(piece, dtype, options) for piece in pieces]
    bodies = [raw(array, dtype), np.array(offsets, dtype="<i8").tobytes()]
    parts = [{"size": len(bodies[0]), "dtype": dtype, "shape": [array.size]}]
    sent = {"op": op, "part": 0, "parts": parts, **members(options, "exact")}
    if way == "list":
        sent["segments"] = offsets
        del bodies[1]
    else:
        sent["segments"] = {"part": 1}
        parts.append({"size": len(bodies[1]), "dtype": "int64", "shape": [len(offsets)]})
    response = client.multipart("/v1/reduce", sent, bodies)
    hint = (sent, elements)
    check_lines(response, op, outcomes, counts, [len(pieces)], hint)
