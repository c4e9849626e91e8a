"""The three promises: the same bits by every way in, at any number of threads,
in any pieces; exact sums in any order; the error bound of `none`."""

import decimal
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.elements import FLOATS, TYPES, is_float, raw, values
from harness.results import loads
from harness.transports import FORTRAN_WAYS, WAYS, send
from reference import EXACT, OPERATIONS, Options, decode, reduce_line
from strategies import seeded

UNIT = 2.0**-53


def all_operations(dtype, determinism):
    names = [op for op in OPERATIONS if op != "dot"] + ["lp:3", "lp:1.5"]
    if determinism == "exact" and is_float(dtype):
        names = [op for op in names if op not in ("prod", "logsumexp") and "lp" not in op]
    if determinism == "exact":
        names = [op for op in names if op != "logsumexp" and "lp" not in op]
    return names


def bits_of(response, hint=""):
    assert response.status == 200, (response, hint)
    answer = loads(response)
    return answer["bits"], answer["count"]


def job(op, determinism, dtype):
    sent = {"op": op, "determinism": determinism, "bits": True}
    if not is_float(dtype):
        sent["overflow"] = "wrap"
    return sent


@pytest.mark.heavy
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("determinism", ("ordered", "exact"))
def test_every_way_in_gives_the_same_bits(client, roots, dtype, determinism):
    ops = all_operations(dtype, determinism)
    for count in (1, 129, 4097, 20011):
        array = seeded(dtype, count, "plain" if is_float(dtype) else "any", 11)
        sent = job(ops, determinism, dtype)
        seen = {}
        for number, way in enumerate(WAYS):
            response = send(client, roots.read, "/v1/reduce", array, dtype, sent, way, seed=number)
            seen[way] = bits_of(response, (way, count))
        assert all(bits == seen["npy"] for bits in seen.values()), seen


@pytest.mark.heavy
@pytest.mark.parametrize("op", ("sum", "prod", "logsumexp", "min"))
@pytest.mark.parametrize("determinism", ("ordered", "exact"))
def test_scans_too(client, roots, op, determinism):
    if determinism == "exact" and op in ("prod", "logsumexp"):
        dtype = "int64" if op == "prod" else None
    else:
        dtype = "float64"
    if dtype is None:
        pytest.skip("logsumexp has no exact form")
    for count in (1, 129, 4097, 20011):
        array = seeded(dtype, count, "plain" if is_float(dtype) else "any", 12)
        sent = job(op, determinism, dtype)
        seen = [
            bits_of(send(client, roots.read, "/v1/scan", array, dtype, sent, way, seed=number))
            for number, way in enumerate(WAYS)
        ]
        assert all(bits == seen[0] for bits in seen)


@pytest.mark.parametrize("way", FORTRAN_WAYS)
@pytest.mark.parametrize("dtype", ("float64", "float16", "int32"))
def test_stored_order_rules(client, roots, way, dtype):
    """A Fortran-order file is reduced as the transposed C-order array is."""
    array = seeded(dtype, 60 * 71, "plain" if is_float(dtype) else "any", 13).reshape(60, 71)
    ops = [op for op in all_operations(dtype, "ordered") if not op.startswith("arg")]
    sent = job(ops, "ordered", dtype)
    transposed = np.ascontiguousarray(array.T)
    seen = bits_of(send(client, roots.read, "/v1/reduce", array, dtype, sent, way, fortran=True))
    assert seen == bits_of(send(client, roots.read, "/v1/reduce", transposed, dtype, sent, "npy"))
    for axis in (0, 1):
        one = {**sent, "axis": axis}
        other = {**sent, "axis": 1 - axis}
        seen = bits_of(send(client, roots.read, "/v1/reduce", array, dtype, one, way, fortran=True))
        assert seen == bits_of(
            send(client, roots.read, "/v1/reduce", transposed, dtype, other, "npy")
        )


def test_indices_are_in_c_order(client, roots):
    array = np.zeros((3, 5))
    array[1, 3] = 7
    array[2, 0] = -7
    sent = {"op": "argmax,argmin"}
    response = send(client, roots.read, "/v1/reduce", array, "float64", sent, "npy", fortran=True)
    assert response.json()["results"] == {"argmax": 8, "argmin": 10}


@pytest.mark.heavy
def test_threads_change_no_bit(start, roots, tmp_path):
    """Large enough for the team of workers to share: bodies and files, both promises."""
    arrays = {
        dtype: seeded(dtype, 3_000_017, "plain" if is_float(dtype) else "any", 17)
        for dtype in ("float64", "float32", "bfloat16", "int64")
    }
    table = seeded("float64", 1500 * 1400, "plain", 18).reshape(1500, 1400)
    seen = []
    for threads in (1, 2, 3, 7):
        one = start("--threads", threads, "--root", tmp_path, "--http-threads", 2)
        client = one.client()
        answers = []
        for dtype, array in arrays.items():
            for determinism in ("ordered", "exact"):
                ops = all_operations(dtype, determinism)
                if dtype == "int64":
                    ops.remove("prod")
                sent = job(ops, determinism, dtype)
                for way in ("raw", "file-raw"):
                    response = send(client, tmp_path, "/v1/reduce", array, dtype, sent, way)
                    answers.append(bits_of(response))
            sent = {"op": "sum", "determinism": "ordered"}
            query = {"op": "sum", "dtype": dtype, "overflow": "wrap"}
            scan = client.post(
                "/v1/scan", query, raw(array, dtype), headers={"Accept": "application/x-npy"}
            )
            assert scan.status == 200, scan
            answers.append(scan.body)
        for axis in (0, 1, [0, 1]):
            sent = {"op": ["sum", "var", "l2"], "axis": axis, "bits": True}
            response = send(client, tmp_path, "/v1/reduce", table, "float64", sent, "file-npy")
            answers.append(bits_of(response))
        client.close()
        seen.append(answers)
    for other in seen[1:]:
        assert other == seen[0]


def test_a_batch_changes_no_bit(client):
    """Sixty jobs of all promises in one request, and each alone."""
    rng = random.Random(5)
    jobs, parts = [], []
    for number in range(60):
        dtype = rng.choice(TYPES)
        array = seeded(
            dtype, rng.choice((1, 5, 129, 4097)), "plain" if is_float(dtype) else "any", 21
        )
        determinism = rng.choice(("none", "ordered", "exact"))
        ops = all_operations(dtype, determinism)
        op = rng.choice(ops)
        parts.append((array, dtype))
        one = {"kind": "reduce", "op": op, "determinism": determinism, "bits": True, "part": number}
        if op in ("sum", "prod", "sumsq"):
            one["overflow"] = "wrap"
        jobs.append(one)
    bodies = [raw(array, dtype) for array, dtype in parts]
    described = [
        {"size": len(body), "dtype": dtype, "shape": [array.size]}
        for body, (array, dtype) in zip(bodies, parts)
    ]
    response = client.multipart("/v1/batch", {"jobs": jobs, "parts": described}, bodies)
    assert response.status == 200, response
    for one, body, part, entry in zip(jobs, bodies, described, response.json()["results"]):
        alone = {key: value for key, value in one.items() if key != "kind"}
        alone["part"] = 0
        answer = client.multipart("/v1/reduce", {**alone, "parts": [part]}, [body]).json()
        assert entry["bits"] == answer["bits"], (one, entry, answer)
        assert entry["dtype"] == answer["dtype"]
        assert entry["combine"] == answer["combine"]


@given(
    st.sampled_from(FLOATS), st.integers(0, 2**32), st.sampled_from(("wide", "cancelling", "plain"))
)
def test_exact_is_the_same_after_any_shuffle(client, dtype, seed, flavour):
    array = seeded(dtype, 1 + seed % 700, flavour, seed)
    query = {"op": [op for op in EXACT if op != "dot"], "determinism": "exact", "bits": True}
    query["dtype"] = dtype
    first = bits_of(client.post("/v1/reduce", query, raw(array, dtype)))
    shuffled = np.random.default_rng(seed).permutation(array)
    assert bits_of(client.post("/v1/reduce", query, raw(shuffled, dtype))) == first


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=60))
def test_exact_sum_is_fsum(client, numbers):
    """math.fsum is an independent correctly rounded sum, where it is defined."""
    try:
        wanted = math.fsum(numbers)
    except OverflowError:
        return
    array = np.array(numbers, dtype="<f8")
    query = {"op": "sum", "determinism": "exact", "dtype": "float64"}
    answer = client.post("/v1/reduce", query, array.tobytes()).json()
    assert answer["results"]["sum"] == wanted, numbers


@pytest.mark.parametrize("count", (10**6 + 1, 4097))
def test_long_exact_sum_is_fsum(client, count):
    array = seeded("float64", count, "wide", 23)
    array = np.ldexp(array, -40)  # no sum leaves the range
    query = {"op": "sum", "determinism": "exact", "dtype": "float64"}
    answer = client.post("/v1/reduce", query, array.tobytes()).json()
    assert answer["results"]["sum"] == math.fsum(array.tolist())


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("flavour", ("plain", "cancelling", "wide"))
@pytest.mark.parametrize("determinism", ("none", "ordered"))
def test_error_bound(client, dtype, flavour, determinism):
    """|answer - exact| <= k u sum|terms|, k as docs/orders.md says in section 7."""
    for count in (10, 4097, 100003):
        array = seeded(dtype, count, flavour, 29)
        if dtype == "float64":
            # no square leaves the range
            array = np.where(abs(array) > 2.0**500, np.ldexp(array, -600), array)
        elements = values(array, dtype)
        query = {"op": "sum,mean,sumsq,l1", "determinism": determinism, "bits": True}
        query.update(dtype=dtype, out_dtype="float64")
        answer = loads(client.post("/v1/reduce", query, raw(array, dtype)))
        size = math.fsum(abs(x) for x in elements)
        squares = math.fsum(x * x for x in elements)
        scale = {"sum": size, "mean": size / count, "sumsq": squares, "l1": size}
        k = 2 + 32 + 7 * (1 if count <= 4096 else 2)  # division or square, chain, levels
        for op, most in scale.items():
            exact = decode(
                reduce_line(op, elements, dtype, Options(out_dtype="float64"))[2], "float64"
            )
            got = float(answer["results"][op].replace("Infinity", "inf"))
            assert got == exact or abs(got - exact) <= k * UNIT * most, (op, got, exact, count)


@pytest.mark.parametrize("dtype", ("float32", "float64", "int32", "bool"))
def test_float_only_operations(client, dtype):
    """lp and logsumexp, within their documented error of sums in higher precision."""
    decimal.getcontext().prec = 60
    array = seeded(dtype, 1000, "plain" if is_float(dtype) else "small", 31)
    elements = values(array, dtype)
    query = {"op": "lp:3,lp:1.5,lp:2.25,logsumexp,prod", "dtype": dtype, "out_dtype": "float64"}
    if not is_float(dtype):
        query["op"] = query["op"].removesuffix(",prod")
    results = client.post("/v1/reduce", query, raw(array, dtype)).json()["results"]
    D = decimal.Decimal
    for p in ("3", "1.5", "2.25"):
        total = sum(D(abs(x)) ** D(p) for x in elements if x)
        wanted = total ** (1 / D(p))
        assert abs(D(results[f"lp:{p}"]) / wanted - 1) < D("1e-14"), (p, results, wanted)
    wanted = sum(D(x).exp() for x in elements).ln()
    assert abs(D(results["logsumexp"]) / wanted - 1) < D("1e-14"), (results, wanted)
    if "prod" in results:
        wanted = math.prod(Fraction(x) for x in elements)
        got = results["prod"]
        assert wanted == 0 or abs(Fraction(got) / wanted - 1) < 1e-12 or abs(wanted) < 2.0**-1000
