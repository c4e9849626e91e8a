"""Partial results: `partial` of a job, and POST /v1/merge."""

import base64
import gzip
import io
import json
import random
import time

import numpy as np
import pytest

from harness.elements import npy, raw
from harness.transports import WAYS, send

X = [1e16, 1.0, 3.5, -1e16, 0.25, -7.0]
OPS = ["sum", "var", "argmax", "count", "l2"]


def part_of(client, data, op=OPS, **members):
    """The partial result of a job over data."""
    job = {"determinism": "exact", "dtype": "float64", "partial": True, **members}
    answer = client.reduce(op, data=data, **job)
    assert answer.status == 200, answer
    return answer.json()["partial"]


def merge(client, partials, headers=None, **members):
    return client.job("/v1/merge", {"partials": partials, **members}, headers)


def merged(client, partials, **members):
    answer = merge(client, partials, **members)
    assert answer.status == 200, answer
    return answer.json()


def refused(response, status, code, pointer, words=""):
    assert response.status == status, response
    problem = response.problem()
    assert (problem["code"], problem.get("pointer")) == (code, pointer), problem
    assert words in problem["detail"], problem
    return problem


def halves(client, **members):
    base = {} if "argmax" not in members.get("op", OPS) else {"index_base": 3}
    return [part_of(client, X[:3], **members), part_of(client, X[3:], **base, **members)]


# -- the job's member ---------------------------------------------------------


def test_a_partial_beside_the_results(client):
    answer = client.reduce("sum", data=X, determinism="exact", partial=True).json()
    assert answer["results"] == {"sum": -2.25}
    assert base64.b64decode(answer["partial"], validate=True)
    for job in ({}, {"partial": False}):
        assert "partial" not in client.reduce("sum", data=X, determinism="exact", **job).json()


def test_false_means_nothing(client):
    assert client.reduce("sum", data=[1.0], partial=False).status == 200
    assert client.scan("sum", data=[1.0], partial=False).status == 200


@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_gives_the_same_partial(client, roots, way):
    array = np.array(X, "<f8")
    sent = {"op": OPS, "determinism": "exact", "partial": True}
    response = send(client, roots.read, "/v1/reduce", array, "float64", sent, way, seed=4)
    assert response.status == 200, response
    assert response.json()["partial"] == part_of(client, X)


def test_fortran_order(client):
    array = np.arange(6.0).reshape(2, 3) * 0.1
    query = {"op": "sum,argmax", "determinism": "exact", "partial": True}
    answers = [
        client.post("/v1/reduce", query, npy(array, "float64", fortran=fortran)).json()
        for fortran in (False, True)
    ]
    assert answers[0]["partial"] == answers[1]["partial"]
    assert answers[1]["results"]["argmax"] == 5


def test_a_bare_name_in_a_query(client):
    response = client.post("/v1/reduce", "op=sum&determinism=exact&partial", npy(np.array(X), "float64"))
    assert response.json()["partial"] == part_of(client, X, "sum")


def test_batch(client):
    one = {"kind": "reduce", "op": OPS, "data": X, "determinism": "exact", "partial": True}
    jobs = [one, {**one, "partial": False}, {"kind": "scan", "op": "sum", "data": X, "partial": True}]
    first, second, third = client.job("/v1/batch", {"jobs": jobs}).json()["results"]
    assert first["partial"] == part_of(client, X)
    assert "partial" not in second
    assert (third["code"], third["pointer"]) == ("bad_job", "/partial")


def test_with_output(client, roots):
    target = roots.write / "merge-part.npy"
    job = {"data": X, "determinism": "exact", "partial": True, "output": {"file": str(target)}}
    answer = client.reduce("sum", **job).json()
    assert answer["results"]["sum"]["file"] == str(target)
    assert np.load(target) == -2.25
    assert answer["partial"] == part_of(client, X, "sum")
    target.unlink()
    job = {**job, "data": [], "dtype": "int64"}
    refused(client.reduce("max", **job), 400, "bad_job", "/partial", "null")
    assert not target.exists()


def test_numpy_answers_leave_it_out(client):
    job = {"op": "sum", "data": X, "determinism": "exact", "partial": True}
    for accept in ("application/x-npy", "application/zip"):
        response = client.job("/v1/reduce", job, {"Accept": accept})
        assert response.status == 200 and response.headers["content-type"] == accept
        told = json.loads(response.headers["foldd-job"])
        assert "partial" not in told and told["results"] == {"sum": -2.25}


@pytest.mark.parametrize(
    "job, words",
    [
        ({"op": "sum"}, "sum of float64"),
        ({"op": ["max", "mean"]}, "mean of float64"),
        ({"op": "l2", "determinism": "none"}, "l2 of float64"),
        ({"op": "var"}, "var"),
        ({"op": "prod"}, "prod"),
        ({"op": "lp:3"}, "lp:3"),
        ({"op": "logsumexp"}, "logsumexp"),
        ({"op": "sum", "axis": 0, "determinism": "exact"}, "axes"),
        ({"op": "max", "axis": []}, "axes"),
        ({"op": "max", "segments": [0, 2]}, "segments"),
    ],
)
def test_refused_jobs(client, job, words):
    refused(client.reduce(data=[1.5, 2.0], partial=True, **job), 400, "bad_job", "/partial", words)


def test_refused_scan(client):
    refused(client.scan("max", data=[1, 2], partial=True), 400, "bad_job", "/partial", "scan")


def test_refused_in_a_query(client):
    body = raw(np.array(X), "float64")
    refused(client.post("/v1/reduce", "op=sum&dtype=float64&partial", body), 400, "bad_job", "/partial")
    answer = client.post("/v1/reduce", "op=sum&dtype=float64&partial=yes", body)
    refused(answer, 400, "bad_value", "/partial")


@pytest.mark.parametrize("determinism", ("none", "ordered", "exact"))
def test_what_is_exact_under_every_promise(client, determinism):
    ops = ["min", "max", "argmin", "argmax", "linf", "count", "count_nonzero", "any", "all"]
    wanted = part_of(client, X, ops)
    assert part_of(client, X, ops, determinism=determinism) == wanted
    ints = part_of(client, [1, 2, 3], ["sum", "prod", "var", "l2"], dtype="int16")
    again = part_of(client, [1, 2, 3], ["sum", "prod", "var", "l2"], dtype="int16", determinism=determinism)
    assert again == ints


def test_canonical(client):
    """Neither order of elements nor of operations, nor what a merge chooses, is in it."""
    ops = ["sum", "var", "max", "count"]
    wanted = part_of(client, X, ops)
    assert part_of(client, X[::-1], ops) == wanted
    assert part_of(client, X, ops[::-1]) == wanted
    assert part_of(client, X, ops, ddof=1, bits=True) == wanted
    assert part_of(client, X, ops, out_dtype={"sum": "float32"}) == wanted
    assert part_of(client, X[:-1], ops) != wanted
    assert part_of(client, X, ops, nan="omit") != wanted


# -- what a merge answers -----------------------------------------------------


def test_halves(client):
    whole = client.reduce(OPS, data=X, determinism="exact", bits=True, partial=True).json()
    for partials in (halves(client), halves(client)[::-1]):
        answer = merged(client, partials, bits=True, partial=True)
        for member in ("results", "dtype", "bits", "count", "determinism", "order", "combine", "partial"):
            assert answer[member] == whole[member], member
        assert answer["backend"] == "merge" and answer["batch"] == {"jobs": 1}
        assert set(answer["elapsed_us"]) == {"queue", "copy", "compute", "total"}
        assert "shape" not in answer
    plain = merged(client, halves(client))
    assert "bits" not in plain and "partial" not in plain


def test_one_and_the_same_twice(client):
    part = part_of(client, [1.5], ["sum", "count"])
    assert merged(client, [part])["results"] == {"sum": 1.5, "count": 1}
    assert merged(client, [part, part])["results"] == {"sum": 3.0, "count": 2}


def test_choices_of_the_end(client):
    parts = halves(client)
    for choice in (
        {"ddof": 1},
        {"out_dtype": {"sum": "float32", "var": "float16"}},
        {"ddof": 2, "out_dtype": {"var": "bfloat16"}},
        {"out_dtype": {}},
    ):
        whole = client.reduce(OPS, data=X, determinism="exact", bits=True, **choice).json()
        answer = merged(client, parts, bits=True, **choice)
        for member in ("bits", "results", "dtype"):
            assert answer[member] == whole[member], choice
    one = merged(client, [part_of(client, X, ["sum", "l1"])], out_dtype="float16")
    assert set(one["dtype"].values()) == {"float16"}


def test_trees(client):
    left, right = halves(client)
    empty = part_of(client, [])
    inner = merged(client, [empty, right], partial=True)["partial"]
    assert inner == right
    outer = merged(client, [inner, empty, left], partial=True)
    assert outer["partial"] == part_of(client, X)


def test_index_base(client):
    """The first of the greatest, wherever its part was cut and read."""
    data = [5.0, 7.0, 1.0, 7.0, 0.0]
    for cut in range(6):
        parts = [
            part_of(client, data[:cut], ["argmax", "argmin"]),
            part_of(client, data[cut:], ["argmax", "argmin"], index_base=cut),
        ]
        answer = merged(client, parts[::-1])
        assert answer["results"] == {"argmax": 1, "argmin": 4}, cut
    # it means something with `partial`, whatever the operations
    assert part_of(client, data, "max", index_base=5) == part_of(client, data, "max")


def test_parts_without_a_result(client):
    job = {"determinism": "exact", "partial": True, "dtype": "float64"}
    empty = client.reduce(["max", "sum", "mean"], data=[], bits=True, **job).json()
    assert empty["results"] == {"max": None, "sum": 0.0, "mean": None}
    assert empty["bits"]["max"] is None
    part = part_of(client, [2.0], ["max", "sum", "mean"])
    assert merged(client, [empty["partial"], part])["results"] == {"max": 2.0, "sum": 2.0, "mean": 2.0}
    refused(merge(client, [empty["partial"]]), 422, "empty_input", None)
    goes_on = merged(client, [empty["partial"]] * 2, partial=True)
    assert goes_on["results"]["max"] is None and goes_on["partial"] == empty["partial"]
    omitted = client.reduce("mean", data=["NaN"], nan="omit", **job).json()
    assert omitted["results"] == {"mean": None} and omitted["count"] == 0


def test_overflow_on_the_way(client):
    """A part out of range is brought back by another."""
    big = 2**63 - 1
    one = client.reduce("sum", data=[big, 5], partial=True)
    assert one.status == 200 and one.json()["results"] == {"sum": None}, one
    two = client.reduce("sum", data=[-10], partial=True).json()
    assert merged(client, [one.json()["partial"], two["partial"]])["results"] == {"sum": big - 5}
    problem = refused(merge(client, [one.json()["partial"]]), 422, "integer_overflow", None)
    assert problem["value"] == str(big + 5)
    for rule, wanted in (("wrap", -(2**63) + 4), ("saturate", big)):
        part = client.reduce("sum", data=[big, 5], overflow=rule, partial=True).json()["partial"]
        assert merged(client, [part])["results"] == {"sum": wanted}
        problem = refused(merge(client, [part, two["partial"]]), 422, "partials_differ", "/partials/1")


def test_numpy_forms(client):
    parts = halves(client)
    one = [part_of(client, X, "sum")]
    response = merge(client, one, {"Accept": "application/x-npy"})
    assert response.headers["content-type"] == "application/x-npy", response
    assert np.load(io.BytesIO(response.body)) == -2.25
    told = json.loads(response.headers["foldd-job"])
    assert told["backend"] == "merge" and "partial" not in told
    response = merge(client, parts, {"Accept": "application/zip"}, partial=True)
    assert response.headers["content-type"] == "application/zip"
    with np.load(io.BytesIO(response.body)) as loaded:
        assert loaded["sum"] == -2.25 and loaded["argmax"] == 0
    refused(merge(client, parts, {"Accept": "application/x-npy"}), 400, "bad_job", None)


# -- how it is asked ----------------------------------------------------------


def test_forms_of_the_body(client):
    parts = halves(client)
    body = json.dumps({"partials": parts}).encode()
    wanted = merged(client, parts)["results"]
    asked = [
        client.post("/v1/merge", None, body),
        client.post("/v1/merge", None, body, "application/json; charset=utf-8"),
        client.post("/v1/merge", None, body, "application/octet-stream"),
        client.post("/v1/merge", None, body, "application/x-www-form-urlencoded"),
        client.post("/v1/merge", None, gzip.compress(body), headers={"Content-Encoding": "gzip"}),
        client.post("/v1/merge", None, body, pieces=[body[:1], body[1:50], body[50:]]),
        client.post("/v1/merge", None, body.replace(b"/", b"\\/")),
        client.post("/v1/merge", None, b" \n" + json.dumps({"partials": parts}, indent=2).encode()),
    ]
    for response in asked:
        assert response.status == 200, response
        assert response.json()["results"] == wanted
    answer = client.post("/v1/merge", None, body, headers={"Accept-Encoding": "gzip"})
    assert answer.json()["results"] == wanted


def test_not_asked_so(client):
    body = json.dumps({"partials": halves(client)}).encode()
    words = "a merge takes its members in the body"
    refused(client.post("/v1/merge", "bits=true", body), 400, "bad_job", None, words)
    refused(client.post("/v1/merge", None, b""), 400, "bad_json", None)
    refused(client.post("/v1/merge", "partials=AAAA", b""), 400, "bad_json", None)
    refused(client.post("/v1/merge", None, body, "text/plain"), 415, "unsupported_media_type", None)
    refused(client.post("/v1/merge", None, body, "application/x-npy"), 415, "unsupported_media_type", None)
    array = npy(np.array(X), "float64")
    refused(client.post("/v1/merge", None, array), 415, "unsupported_media_type", None)
    answer = client.multipart("/v1/merge", {"partials": []}, [])
    refused(answer, 415, "unsupported_media_type", None)
    for method in ("GET", "HEAD", "PUT"):
        answer = client.request(method, "/v1/merge")
        assert answer.status == 405 and answer.headers["allow"] == "POST, OPTIONS"


# -- what is wrong ------------------------------------------------------------


@pytest.mark.parametrize(
    "members, code, pointer",
    [
        ({"partials": []}, "bad_value", "/partials"),
        ({"partials": None}, "bad_value", "/partials"),
        ({"partials": "Zm9v"}, "bad_value", "/partials"),
        ({"partials": {"0": "Zm9v"}}, "bad_value", "/partials"),
        ({"partials": [7]}, "bad_value", "/partials/0"),
        ({"partials": [["Zm9v"]]}, "bad_value", "/partials/0"),
        ({"partials": [""]}, "bad_value", "/partials/0"),
        ({"partials": ["Zm9v"]}, "bad_value", "/partials/0"),
        ({"partials": ["Zm9"]}, "bad_value", "/partials/0"),
        ({"partials": ["Zm9v\n"]}, "bad_value", "/partials/0"),
        ({"partials": ["ß"]}, "bad_value", "/partials/0"),
        ({}, "bad_job", "/partials"),
        ({"op": "sum", "partials": []}, "unknown_member", "/op"),
        ({"bits": "yes"}, "bad_value", "/bits"),
        ({"ddof": 1.5}, "bad_value", "/ddof"),
        ({"out_dtype": ["float32"]}, "bad_value", "/out_dtype"),
        ({"out_dtype": {"sum": "f4"}}, "bad_dtype", "/out_dtype/sum"),
    ],
)
def test_members(client, members, code, pointer):
    refused(client.job("/v1/merge", members), 400, code, pointer)


def test_members_that_fit_no_operation(client):
    parts = [part_of(client, X, ["sum", "argmax"])]
    refused(merge(client, parts, ddof=1), 400, "bad_job", "/ddof")
    refused(merge(client, parts, out_dtype={"max": "float32"}), 400, "bad_job", "/out_dtype/max")
    refused(merge(client, parts, out_dtype={"argmax": "int32"}), 400, "bad_dtype", "/out_dtype", "argmax")
    refused(merge(client, parts, out_dtype={"sum": "int32"}), 400, "bad_dtype", "/out_dtype", "sum")


def test_a_body_that_is_no_object(client):
    refused(client.post("/v1/merge", None, b"[]"), 400, "bad_job", "")
    refused(client.post("/v1/merge", None, b'{"partials": ["'), 400, "bad_json", None)
    refused(client.post("/v1/merge", None, b'{"partials": ["AAAA",]}'), 400, "bad_json", None)
    refused(client.post("/v1/merge", None, b'{"partials": ["a\x01"]}'), 400, "bad_json", None)


def test_damage(client):
    """No changed, missing or added byte goes unseen, and each is told at its place."""
    good = part_of(client, X)
    data = base64.b64decode(good)
    rng = random.Random(8)
    damaged = [data[:size] for size in range(len(data))] + [data + b"\0", data + data]
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1 << rng.randrange(8)
        damaged.append(bytes(changed))
    for bad in damaged:
        answer = merge(client, [good, base64.b64encode(bad).decode(), good])
        refused(answer, 400, "bad_value", "/partials/1")


@pytest.mark.parametrize(
    "other, words",
    [
        ({"op": ["sum", "max"]}, "max"),
        ({"op": "mean"}, "mean"),
        ({"dtype": "float32"}, "float32"),
        ({"dtype": "int64"}, "int64"),
        ({"nan": "omit"}, "omit"),
        ({"nan": "error"}, "error"),
    ],
)
def test_parts_that_differ(client, other, words):
    mine = part_of(client, [1, 2], "sum")
    theirs = part_of(client, [1, 2], **{"op": "sum", **other})
    for partials, at in (([mine, mine, theirs], 2), ([theirs, mine, theirs], 1)):
        refused(merge(client, partials), 422, "partials_differ", f"/partials/{at}", words)


def test_400_before_422(client):
    parts = [part_of(client, [1.0], "sum"), part_of(client, [1.0], "max")]
    refused(merge(client, parts), 422, "partials_differ", "/partials/1")
    refused(merge(client, [*parts, "Zm9v"]), 400, "bad_value", "/partials/2")
    refused(merge(client, parts, ddof=-1), 400, "bad_value", "/ddof")


# -- many ---------------------------------------------------------------------


@pytest.mark.heavy
def test_very_many(start):
    """A hundred thousand in one request: in linear time, and in memory for the body."""
    one = start("--http-threads", 1)
    client = one.client()
    rng = random.Random(3)
    values = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-30, 30) for _ in range(50)]
    parts = [part_of(client, [x], ["sum", "max"]) for x in values]
    seconds = {}
    for count in (10_000, 100_000):
        body = json.dumps({"partials": [parts[i % 50] for i in range(count)]}).encode()
        best = 1e9
        for _ in range(3):
            begun = time.monotonic()
            answer = client.post("/v1/merge", None, body, "application/json")
            best = min(best, time.monotonic() - begun)
            assert answer.status == 200, answer
        seconds[count] = best
        assert answer.json()["count"] == count
        whole = client.reduce(["max", "sum"], data=values * (count // 50), determinism="exact")
        assert answer.json()["results"] == whole.json()["results"]
    assert seconds[100_000] < 20 * seconds[10_000] + 0.5, seconds
    # the body, as it comes and grown by doubling, the job above likewise; not a
    # state for each of them
    assert one.memory_peak() < 6 * len(body) + (64 << 20), (one.memory_peak(), len(body))
    client.close()


def test_the_limit_of_json(start):
    one = start("--limit", "json=1000")
    client = one.client()
    part = part_of(client, [1.0], "sum")
    refused(merge(client, [part] * 1000), 413, "too_large", None)
    client.close()


def test_timeout(start):
    """A merge that takes longer than its time is given up, at a part that it names."""
    one = start("--http-threads", 1, "--set", "limits.timeout=1ms")
    client = one.client()
    part = part_of(client, [1.5], ["sum", "max"], timeout_ms=60_000)
    answer = merge(client, [part] * 100_000)
    assert answer.status == 504, answer
    assert answer.problem()["code"] == "timeout"
    assert "at part" in answer.problem()["detail"]
    assert merge(client, [part]).status == 200
    client.close()
