"""The form of answers: envelope, digits, bits, nesting, NumPy files and archives."""

import io
import json
import zipfile
from fractions import Fraction

import numpy as np
import pytest

from harness.elements import FLOATS, from_bits, npy, raw, read_npy
from harness.results import Literal, loads
from reference import FORMATS, decode, infinity, round_ratio, sign_bit

TABLE = np.arange(24.0).reshape(2, 3, 4)
NPY = "application/x-npy"


def test_envelope(client):
    answer = client.reduce(["sum", "max"], data=[1.0, 2.0, 3.0]).json()
    assert answer["results"] == {"sum": 6.0, "max": 3.0}
    assert answer["dtype"] == {"sum": "float64", "max": "float64"}
    assert answer["count"] == 3
    assert answer["determinism"] == "ordered" and answer["order"] == 1
    assert answer["combine"] == {"sum": "two-pass", "max": "order-free"}
    assert answer["backend"] == "cpu"
    assert answer["batch"]["jobs"] == 1
    elapsed = answer["elapsed_us"]
    assert set(elapsed) == {"queue", "copy", "compute", "total"}
    assert all(isinstance(part, int) and part >= 0 for part in elapsed.values())
    assert "shape" not in answer and "bits" not in answer


def test_which_combine_served(client):
    def combine(op, **members):
        return client.reduce(op, **members).json()["combine"][op]

    assert combine("sum", data=[1.5], determinism="exact") == "superaccumulator"
    assert combine("sum", data=[1]) == "integer"
    assert combine("max", data=[1.5], determinism="exact") == "order-free"
    assert combine("var", data=[1.5], determinism="exact") == "superaccumulator"
    assert combine("lp:3", data=[1.5]) == "two-pass"
    assert combine("sum", data=[1.5], determinism="none") in ("two-pass", "atomic")


def test_the_key_is_the_text_sent(client):
    answer = client.reduce(["lp:2.50", "lp:2.5"], data=[3.0, 4.0]).json()
    assert set(answer["results"]) == {"lp:2.50", "lp:2.5"}
    assert len(set(answer["results"].values())) == 1


def literals(client, patterns, dtype):
    array = from_bits(patterns, dtype)
    job = {"op": "max", "axis": 1, "part": 0}
    job["parts"] = [{"size": array.nbytes, "dtype": dtype, "shape": [len(patterns), 1]}]
    return loads(client.multipart("/v1/reduce", job, [raw(array, dtype)]))["results"]["max"]


@pytest.mark.parametrize("dtype", FLOATS)
def test_fewest_digits(client, dtype):
    """As NumPy and Python find them; of bfloat16 by trial of every shorter text."""
    top = infinity(dtype)
    rng = np.random.default_rng(9)
    patterns = [0, 1, 2, 3, top - 1, top - 2, 1 << (FORMATS[dtype][0] - 1)]
    patterns += rng.integers(1, top, 400, dtype=np.uint64).tolist()
    patterns += [p | (1 << 63 >> (64 - 8 * from_bits([0], dtype).itemsize)) for p in patterns[:20]]
    for pattern, text in zip(patterns, literals(client, patterns, dtype)):
        assert isinstance(text, Literal) and ("." in text or "e" in text), text
        value = decode(pattern, dtype)
        assert str(float(text)) == str(value) or float_bits(text, dtype) == pattern, (text, value)
        assert float_bits(text, dtype) == pattern, (text, value)
        digits = len(significant(text))
        assert digits <= fewest(value, pattern, dtype), (text, value)


def float_bits(text, dtype):
    """The decimal text rounded once to the type."""
    exact = Fraction(text)
    if exact == 0:
        return sign_bit(dtype, text.startswith("-"))
    return round_ratio(exact.numerator, exact.denominator, dtype)


def significant(text):
    return text.lstrip("-").split("e")[0].replace(".", "").strip("0") or "0"


def fewest(value, pattern, dtype):
    for digits in range(0, 17):
        if float_bits(f"{value:.{digits}e}", dtype) == pattern:
            return digits + 1
    raise AssertionError(value)


def test_float_forms(client):
    def text(value):
        return str(literals(client, [int(np.float64(value).view(np.uint64))], "float64")[0])

    assert text(6.0) == "6.0"
    assert text(-0.0) == "-0.0"
    assert text(1e22) == "1e+22"
    assert text(0.1) == "0.1"
    assert text(5e-324) == "5e-324"
    assert text(float("inf")) == "Infinity"
    assert text(float("-inf")) == "-Infinity"
    assert text(float("nan")) == "NaN"
    json.loads(text(1e100))  # and every form is JSON


def test_integers_are_exact(client):
    body = b'{"op": "sum", "data": [18446744073709551614, 1]}'
    assert b"18446744073709551615" in client.post("/v1/reduce", None, body).body
    body = b'{"op": "sum", "data": [-9223372036854775807, -1]}'
    assert b"-9223372036854775808" in client.post("/v1/reduce", None, body).body


def test_overflow_tells_the_value(client):
    problem = client.reduce("sumsq", data=[2**63 - 1, 2**63 - 1]).problem()
    assert problem["value"] == str(2 * (2**63 - 1) ** 2)
    problem = client.reduce("sum", data=[-(2**63), -1]).problem()
    assert problem["value"] == str(-(2**63) - 1)
    assert "value" not in client.reduce("prod", data=[2**62, 2]).problem()
    problem = client.scan("sum", data=[1, 2**63 - 1, 5]).problem()
    assert problem["value"] == str(2**63)


@pytest.mark.parametrize(
    "dtype, bits",
    (
        ("bool", "0x01"),
        ("int8", "0xff"),
        ("int16", "0xffff"),
        ("int32", "0xffffffff"),
        ("int64", "0xffffffffffffffff"),
        ("uint8", "0x01"),
        ("uint64", "0x0000000000000001"),
        ("float16", "0xbc00"),
        ("bfloat16", "0xbf80"),
        ("float32", "0xbf800000"),
        ("float64", "0xbff0000000000000"),
    ),
)
def test_bits(client, dtype, bits):
    value = True if dtype == "bool" else 1 if dtype.startswith("u") else -1
    answer = client.reduce("max", data=[value], dtype=dtype, bits=True).json()
    assert answer["bits"]["max"] == bits
    answer = client.scan("max", data=[[value], [value]], axis=0, dtype=dtype, bits=True).json()
    assert answer["bits"]["max"] == [[bits], [bits]]


def test_nan_is_the_quiet_one(client):
    for dtype, nan in (
        ("float16", 0xFE01),
        ("bfloat16", 0xFFFF),
        ("float32", 0xFF800001),
        ("float64", 0xFFF0000000000001),
    ):
        array = from_bits([nan], dtype)
        for op in ("sum", "min", "max", "mean", "prod", "l1", "l2", "linf", "logsumexp", "var"):
            query = f"op={op}&dtype={dtype}&bits"
            answer = client.post("/v1/reduce", query, raw(array, dtype)).json()
            wanted = {"float16": "0x7e00", "bfloat16": "0x7fc0", "float32": "0x7fc00000"}
            assert answer["bits"][op] == wanted.get(dtype, "0x7ff8000000000000"), (op, dtype)
        for op in ("sum", "min", "max", "prod", "logsumexp"):
            query = f"op={op}&dtype={dtype}&bits"
            answer = client.post("/v1/scan", query, raw(array, dtype)).json()
            assert answer["bits"][op] == [wanted.get(dtype, "0x7ff8000000000000")], (op, dtype)


# -- arrays -------------------------------------------------------------------------------


@pytest.mark.parametrize("fortran", (False, True))
@pytest.mark.parametrize("axis", (0, 1, 2, [0, 2], [2, 1], [], [0, 1, 2], -1))
@pytest.mark.parametrize("keepdims", (False, True))
def test_nesting_as_numpy_does(client, fortran, axis, keepdims):
    axes = tuple(axis) if isinstance(axis, list) else axis
    wanted = TABLE.sum(axis=axes, keepdims=keepdims)
    body = npy(TABLE, "float64", fortran=fortran)
    job = {"op": ["sum", "count"], "axis": axis, "keepdims": keepdims, "part": 0}
    job["parts"] = [{"size": len(body), "format": "npy"}]
    answer = client.multipart("/v1/reduce", job, [body]).json()
    assert answer["results"]["sum"] == wanted.tolist()
    counts = np.broadcast_to(TABLE.size // max(wanted.size, 1), wanted.shape)
    assert answer["results"]["count"] == counts.tolist() == answer["count"]
    if wanted.ndim:
        assert answer["shape"] == {"sum": list(wanted.shape), "count": list(wanted.shape)}


@pytest.mark.parametrize("shape", ((0, 3), (3, 0), (0,), (2, 0, 3)))
def test_empty_axes(client, shape):
    body = npy(np.zeros(shape), "float64")
    for axis in range(len(shape)):
        answer = client.post("/v1/reduce", f"op=sum,any,all&axis={axis}", body).json()
        for op, function in (("sum", np.sum), ("any", np.any), ("all", np.all)):
            assert answer["results"][op] == function(np.zeros(shape), axis=axis).tolist(), (
                axis,
                op,
            )
        answer = client.post("/v1/scan", f"op=sum&axis={axis}", body).json()
        assert answer["results"]["sum"] == np.zeros(shape).tolist()


def test_null_where_nothing_is_left(client):
    job = {"data": [1.0, "NaN", 2.0], "segments": [0, 0, 1, 2, 3], "nan": "omit", "empty": "null"}
    answer = client.reduce(["max", "sum", "argmin", "mean"], bits=True, **job).json()
    assert answer["results"]["max"] == [None, 1.0, None, 2.0]
    assert answer["results"]["sum"] == [0.0, 1.0, 0.0, 2.0]
    assert answer["results"]["argmin"] == [None, 0, None, 0]
    assert answer["bits"]["max"][0] is None
    assert answer["count"] == [0, 1, 0, 1]
    del job["empty"]
    assert client.reduce("max", **job).problem()["code"] == "empty_input"
    assert client.reduce("sum", **job).json()["results"]["sum"] == [0.0, 1.0, 0.0, 2.0]


# -- NumPy files and archives ----------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ("bool", "int8", "uint64", "float16", "bfloat16", "float32", "float64")
)
def test_npy_answer(client, dtype):
    array = np.arange(6).reshape(2, 3) % 2
    if dtype == "bfloat16":
        array = array * 0x3F80
    query = {"op": "max", "axis": 1, "dtype": dtype, "shape": [2, 3]}
    response = client.post("/v1/reduce", query, raw(array, dtype), headers={"Accept": NPY})
    assert response.status == 200, response
    assert response.headers["content-type"].startswith(NPY)
    out = read_npy(response.body, dtype)
    assert out.tolist() == array.max(axis=1).tolist() and out.shape == (2,)
    rest = json.loads(response.headers["foldd-job"])
    assert rest["dtype"] == {"max": dtype} and rest["determinism"] == "ordered"
    assert rest["shape"] == {"max": [2]} and "max" not in rest.get("results", {})


def test_npy_answer_of_a_scalar(client):
    headers = {"Accept": f"text/html;q=0.5, {NPY}"}
    response = client.job("/v1/reduce", {"op": "sum", "data": [1.5, 2]}, headers)
    out = read_npy(response.body)
    assert out.shape == () and out == 3.5
    assert json.loads(response.headers["foldd-job"])["count"] == 2


def test_npy_answer_of_a_scan(client):
    body = raw(np.arange(100_000), "int32")
    query = "op=sum&dtype=int32&shape=100,1000&axis=0"
    response = client.post("/v1/scan", query, body, headers={"Accept": NPY})
    out = read_npy(response.body)
    assert (out == np.cumsum(np.arange(100_000).reshape(100, 1000), axis=0)).all()
    assert out.dtype == np.int64


def test_npy_of_several_operations(client):
    response = client.job("/v1/reduce", {"op": ["sum", "max"], "data": [1]}, {"Accept": NPY})
    assert response.status == 400 and "zip" in response.problem()["detail"]


def test_npy_keeps_nulls_as_nan(client):
    job = {"op": "max", "data": [1.0], "segments": [0, 0, 1], "empty": "null"}
    out = read_npy(client.job("/v1/reduce", job, {"Accept": NPY}).body)
    assert np.isnan(out[0]) and out[1] == 1
    job["data"] = [1]
    assert client.job("/v1/reduce", job, {"Accept": NPY}).status == 400


def test_archive(client):
    ops = ["sum", "max", "argmax", "lp:3"]
    job = {"op": ops, "data": TABLE.tolist(), "axis": 2}
    plain = client.job("/v1/reduce", job).json()
    response = client.job("/v1/reduce", job, {"Accept": "application/zip"})
    assert response.headers["content-type"].startswith("application/zip")
    assert zipfile.ZipFile(io.BytesIO(response.body)).testzip() is None
    archive = np.load(io.BytesIO(response.body))
    assert sorted(archive.files) == sorted(ops)
    for op in ops:
        assert archive[op].tolist() == plain["results"][op]
        assert archive[op].dtype.name == plain["dtype"][op]
    assert json.loads(response.headers["foldd-job"])["dtype"] == plain["dtype"]


def test_errors_are_json_whatever_is_accepted(client):
    for accept in (NPY, "application/zip", "text/html"):
        response = client.job("/v1/reduce", {"op": "nop", "data": [1]}, {"Accept": accept})
        assert response.problem()["code"] == "unknown_op"


def test_accept_of_something_else_is_json(client):
    for accept in (
        "*/*",
        "application/*",
        "text/html",
        "application/json, application/x-npy;q=0.1",
    ):
        response = client.job("/v1/reduce", {"op": "sum", "data": [1]}, {"Accept": accept})
        assert response.json()["results"] == {"sum": 1}, accept


def test_a_json_array_too_long_asks_for_npy(start):
    client = start("--limit", "json_elements=1000").client()
    body = bytes(1001)
    response = client.post("/v1/scan", "op=sum&dtype=int8", body)
    assert response.status == 413
    problem = response.problem()
    assert problem["code"] == "too_large" and "npy" in problem["detail"]
    response = client.post("/v1/scan", "op=sum&dtype=int8", body, headers={"Accept": NPY})
    assert read_npy(response.body).size == 1001
    assert client.post("/v1/scan", "op=sum&dtype=int8", body[1:]).status == 200


def test_a_json_array_too_long_is_refused_before_the_data_is_read(start, tmp_path):
    nans = np.full(1001, np.nan)
    np.save(tmp_path / "x.npy", nans)
    client = start("--limit", "json_elements=1000", "--root", tmp_path).client()
    job = {"op": "sum", "file": "x.npy", "nan": "error"}
    assert client.job("/v1/scan", job).problem()["code"] == "too_large"
    assert client.job("/v1/scan", job, {"Accept": NPY}).problem()["code"] == "nan_found"
    batch = client.job("/v1/batch", {"jobs": [{**job, "kind": "scan"}]}, {"Accept": NPY}).json()
    assert batch["results"][0]["code"] == "too_large"


def test_scan_counts(client):
    answer = client.scan("sum", data=[1.0, "NaN", 2.0], nan="omit").json()
    assert answer["results"]["sum"] == [1.0, 1.0, 3.0]
    assert answer["count"] == 2
