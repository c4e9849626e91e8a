"""Partial results: however an array is split, ordered and merged, the bytes of
the state are those of the whole's and of docs/partials.md, and the results those
of exact rational arithmetic."""

import base64
import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.elements import FLOATS, TYPES, from_bits, is_float, raw, values
from harness.results import check_outcome, check_values, loads
from partial_reference import partial_bytes
from reference import (
    ADDITIVE,
    COUNTS,
    EXACT,
    FREE,
    LOGICAL,
    OPERATIONS,
    POSITIONS,
    Options,
    reduce_line,
    result_dtype,
    round_float,
)
from strategies import arrays, flavours, out_dtypes, seeded

TYPED = [op for op in OPERATIONS if op not in POSITIONS + COUNTS + LOGICAL]


def mergeable(dtype):
    """Operations of one array that have a state."""
    if is_float(dtype):
        return [op for op in OPERATIONS if op in FREE + EXACT and op != "dot"]
    return [op for op in OPERATIONS if op not in ("dot", "logsumexp")]


def rules(options, ops, dtype):
    job = {"determinism": "exact", "partial": True, "nan": options.nan}
    if set(ops) & set(ADDITIVE + ("min", "max")):
        job["overflow"] = options.overflow
    return job


def partials_of(client, ops, dtype, options, pieces, others=None):
    """The state of each piece, one request for all; pieces: (index, array)."""
    jobs, parts, bodies = [], [], []
    for number, (start, piece) in enumerate(pieces):
        job = {"kind": "reduce", "op": ops, **rules(options, ops, dtype), "index_base": start}
        for array in (piece, others[number]) if others is not None else (piece,):
            bodies.append(raw(array, dtype))
            parts.append({"size": len(bodies[-1]), "dtype": dtype, "shape": [array.size]})
        job["part"] = len(parts) - 1
        if others is not None:
            job["part"], job["with"] = len(parts) - 2, {"part": len(parts) - 1}
        jobs.append(job)
    response = client.multipart("/v1/batch", {"jobs": jobs, "parts": parts}, bodies)
    assert response.status == 200, response
    entries = response.json()["results"]
    assert all("partial" in entry for entry in entries), entries
    return [entry["partial"] for entry in entries]


def split(array, bounds):
    edges = [0, *sorted(bounds), array.size]
    return [(a, array[a:b]) for a, b in zip(edges, edges[1:])]


def merge(client, partials, **members):
    return client.job("/v1/merge", {"partials": partials, **members})


def tree(client, partials, rng):
    """Any order, any tree: groups are merged to states until a few are left."""
    partials = list(partials)
    rng.shuffle(partials)
    while len(partials) > 1 and rng.randrange(4):
        size = rng.randint(1, len(partials))
        at = rng.randint(0, len(partials) - size)
        answer = merge(client, partials[at : at + size], partial=True)
        assert answer.status == 200, answer
        partials[at : at + size] = [answer.json()["partial"]]
        rng.shuffle(partials)
    return partials


def check_answer(response, ops, dtype, options, elements, other=None, hint=""):
    """A merge with `partial`: every operation, null where it has no result."""
    assert response.status == 200, (response, hint)
    answer = loads(response)
    assert answer["determinism"] == "exact" and answer["backend"] == "merge"
    for op in ops:
        chosen = Options(**{**vars(options), "out_dtype": (options.out_dtype or {}).get(op)})
        outcome = reduce_line(op, elements, dtype, chosen, other)
        kind = chosen.out_dtype or result_dtype(op, dtype)
        bits = outcome[2] if outcome[0] == "value" else None
        check_values(answer, op, kind, [bits], (op, dtype, vars(options), hint), scalar=True)


def check_split(client, array, dtype, options, ops, bounds, rng):
    elements = values(array, dtype)
    pieces = split(array, bounds)
    partials = partials_of(client, ops, dtype, options, pieces)
    for (start, piece), partial in zip(pieces[:3], partials):
        wanted = partial_bytes(
            ops, values(piece, dtype), dtype, options.nan, options.overflow, index_base=start
        )
        assert base64.b64decode(partial) == wanted, (ops, dtype, start, piece.tolist())
    (whole,) = partials_of(client, ops, dtype, options, [(0, array)])
    assert base64.b64decode(whole) == partial_bytes(ops, elements, dtype, options.nan, options.overflow)
    chosen = {"ddof": options.ddof} if {"var", "std"} & set(ops) else {}
    if options.out_dtype:
        chosen["out_dtype"] = options.out_dtype
    response = merge(client, tree(client, partials, rng), partial=True, bits=True, **chosen)
    check_answer(response, ops, dtype, options, elements)
    assert response.json()["partial"] == whole, (dtype, ops, bounds)
    return partials


@st.composite
def splits(draw):
    dtype = draw(st.sampled_from(TYPES))
    array = draw(arrays(dtype))
    if draw(st.booleans()):
        flavour = draw(st.sampled_from(flavours(dtype)))
        array = seeded(dtype, draw(st.integers(0, 300)), flavour, draw(st.integers(0, 99)))
    options = Options(
        nan=draw(st.sampled_from(("propagate", "omit", "error"))),
        overflow=draw(st.sampled_from(("error", "wrap", "saturate"))),
        ddof=draw(st.integers(0, 3)),
    )
    if options.nan == "error" and is_float(dtype) and any(x != x for x in values(array, dtype)):
        options.nan = "propagate"
    every = mergeable(dtype)
    ops = draw(st.lists(st.sampled_from(every), min_size=1, unique=True) | st.permutations(every))
    typed = draw(st.lists(st.sampled_from(TYPED), max_size=3))
    options.out_dtype = {
        op: draw(out_dtypes(op, dtype, result_dtype(op, dtype))) for op in typed if op in ops
    }
    bounds = draw(st.lists(st.integers(0, array.size), max_size=12))
    return array, dtype, options, ops, bounds, draw(st.integers(0, 2**32))


@given(splits())
def test_any_split(client, drawn):
    array, dtype, options, ops, bounds, seed = drawn
    check_split(client, array, dtype, options, ops, bounds, random.Random(seed))


@given(splits())
def test_errors_are_those_of_one_job(client, drawn):
    """Without `partial` a merge fails as the whole does, or answers alike."""
    array, dtype, options, ops, bounds, seed = drawn
    op = ops[0]
    options.out_dtype = (options.out_dtype or {}).get(op)
    options.ddof = options.ddof if op in ("var", "std") else 0
    partials = partials_of(client, [op], dtype, options, split(array, bounds))
    chosen = {"out_dtype": options.out_dtype} if options.out_dtype else {}
    if options.ddof:
        chosen["ddof"] = options.ddof
    response = merge(client, tree(client, partials, random.Random(seed)), bits=True, **chosen)
    check_outcome(response, op, reduce_line(op, values(array, dtype), dtype, options), (op, dtype))


@given(
    st.sampled_from(TYPES),
    st.sampled_from(("propagate", "omit")),
    st.integers(0, 99),
    st.lists(st.integers(0, 60), max_size=6),
    st.data(),
)
@settings(max_examples=max(50, settings().max_examples // 2))
def test_dot(client, dtype, nan, seed, bounds, data):
    x, y = (
        seeded(dtype, 60, data.draw(st.sampled_from(flavours(dtype))), seed + i) for i in (0, 1000)
    )
    options = Options(nan=nan, overflow="wrap")
    pieces = split(x, bounds)
    others = [piece for _, piece in split(y, bounds)]
    partials = partials_of(client, ["dot"], dtype, options, pieces, others)
    response = merge(client, tree(client, partials, random.Random(seed)), partial=True, bits=True)
    xs, ys = values(x, dtype), values(y, dtype)
    check_answer(response, ["dot"], dtype, options, xs, ys)
    wanted = partial_bytes(["dot"], xs, dtype, nan, "wrap", other=ys)
    assert base64.b64decode(response.json()["partial"]) == wanted


@pytest.mark.heavy
@pytest.mark.parametrize(
    "dtype, flavour",
    [
        (dtype, flavour)
        for dtype in TYPES
        for flavour in (
            ("wide", "some-nan", "cancelling", "any-bits") if is_float(dtype) else flavours(dtype)
        )
    ],
)
def test_a_thousand_parts(client, dtype, flavour):
    """Many of them empty, all orders of magnitude, and a tree of random merges."""
    rng = random.Random(f"{dtype} {flavour}")
    array = seeded(dtype, 2000, flavour, 41)
    bounds = [rng.randint(0, 2000) for _ in range(999)]
    bounds[:200] = [bounds[0]] * 200  # empty ones
    options = Options(nan="omit" if flavour == "some-nan" else "propagate", overflow="wrap", ddof=1)
    partials = check_split(client, array, dtype, options, mergeable(dtype), bounds, rng)
    assert len(partials) == 1000


@pytest.mark.heavy
def test_states_of_large_arrays(start):
    """Pieces, threads and kernels leave no trace in a state."""
    arrays_ = {
        dtype: seeded(dtype, 600_011, "wide" if is_float(dtype) else "any", 5)
        for dtype in ("float64", "float32", "bfloat16", "int64", "uint8")
    }
    seen = []
    for environment, threads in (({"FOLDD_SIMD": "portable"}, 1), ({}, 1), ({}, 3)):
        client = start("--threads", threads, environment=environment).client()
        states = []
        for dtype, array in arrays_.items():
            ops = [op for op in mergeable(dtype) if op != "prod"]
            job = {"op": ops, "dtype": dtype, **rules(Options(overflow="wrap"), ops, dtype)}
            answer = client.post("/v1/reduce", job, raw(array, dtype))
            assert answer.status == 200, answer
            states.append(answer.json()["partial"])
        client.close()
        seen.append(states)
    assert seen[1] == seen[0] and seen[2] == seen[0]
    for state, dtype in zip(seen[0], arrays_):
        ops = [op for op in mergeable(dtype) if op != "prod"]
        elements = values(arrays_[dtype], dtype)
        assert base64.b64decode(state) == partial_bytes(ops, elements, dtype, overflow="wrap"), dtype


@pytest.mark.parametrize("dtype", FLOATS)
def test_specials_of_different_parts(client, dtype):
    """Each alone, and what they come to together."""
    rng = random.Random(dtype)
    ops = ["sum", "l1", "max", "argmax", "l2", "var"]
    specials = [1.5, math.inf, -math.inf, math.nan, -0.0, 0.0]
    for pair in itertools.product(specials, repeat=2):
        array = from_bits([round_float(x, dtype) for x in pair], dtype)
        check_split(client, array, dtype, Options(), ops, [1], rng)
    minus_zero = from_bits([round_float(-0.0, dtype)], dtype)
    for ops in (["sum", "mean"], ["var"], ["max", "sum"]):
        check_split(client, minus_zero, dtype, Options(), ops, [0, 1], rng)
