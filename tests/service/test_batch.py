"""POST /v1/batch: many jobs, each with a result or a problem of its own."""

import numpy as np

from harness.elements import npy, raw

GOOD = {"kind": "reduce", "op": "sum", "data": [1, 2, 3]}


def entries(response, count):
    assert response.status == 200, response
    answer = response.json()["results"]
    assert len(answer) == count
    return answer


def test_good_and_bad_side_by_side(client, roots):
    path = roots.read / "batch.npy"
    path.write_bytes(npy(np.arange(4.0), "float64"))
    jobs = [
        GOOD,
        {"kind": "scan", "op": "sum", "data": [1, 2, 3]},
        {"kind": "reduce", "op": "nop", "data": [1]},
        {"kind": "reduce", "op": "sum", "data": [1], "opp": 1},
        {"op": "sum", "data": [1]},
        {"kind": "sum", "op": "sum", "data": [1]},
        {"kind": "reduce", "op": "max", "data": []},
        {"kind": "reduce", "op": "sum", "data": [[1], 2]},
        {"kind": "reduce", "op": ["min", "mean"], "file": "batch.npy"},
        {"kind": "reduce", "op": "sum", "file": "/etc/passwd"},
        {"kind": "scan", "op": "sum", "data": [1], "output": {"file": str(roots.write / "b.npy")}},
        17,
        GOOD,
    ]
    answer = entries(client.job("/v1/batch", {"jobs": jobs}), len(jobs))
    assert answer[0]["results"] == {"sum": 6} and answer[0]["count"] == 3
    assert answer[1]["results"] == {"sum": [1, 3, 6]}
    assert answer[8]["results"] == {"min": 0.0, "mean": 1.5}
    assert answer[10]["results"]["sum"]["shape"] == [1]
    assert np.load(roots.write / "b.npy").tolist() == [1]
    (roots.write / "b.npy").unlink()
    wanted = {
        2: (400, "unknown_op", "/op"),
        3: (400, "unknown_member", "/opp"),
        6: (422, "empty_input", None),
        7: (400, "bad_shape", None),
        9: (403, "path_forbidden", "/file"),
    }
    for index, (status, code, pointer) in wanted.items():
        problem = answer[index]
        assert (problem["status"], problem["code"]) == (status, code), problem
        assert pointer is None or problem["pointer"] == pointer, problem
        assert problem["type"] and problem["title"] and problem["detail"]
    for index in (4, 5, 11):
        assert answer[index]["status"] == 400 and answer[index]["code"], answer[index]
    assert answer[12]["results"] == {"sum": 6}


def test_an_empty_batch(client):
    assert entries(client.job("/v1/batch", {"jobs": []}), 0) == []


def test_a_bad_envelope_fails_whole(client):
    for body, code in (
        (b'{"jobs": [', "bad_json"),
        (b'{"jobs": 1}', None),
        (b'{"jobs": [], "more": 1}', "unknown_member"),
        (b"[]", "bad_job"),
    ):
        response = client.post("/v1/batch", None, body, "application/json")
        assert response.status == 400, response
        problem = response.problem()
        assert code is None or problem["code"] == code, problem


def test_a_thousand_small_jobs(client):
    jobs = [{"kind": "reduce", "op": "sum", "data": list(range(n))} for n in range(1000)]
    answer = entries(client.job("/v1/batch", {"jobs": jobs}), 1000)
    assert [entry["results"]["sum"] for entry in answer] == [n * (n - 1) // 2 for n in range(1000)]


def test_parts(client):
    """Kind 4: parts used by one job, by several, by none, as segments and as `with`."""
    x, y = np.arange(6.0), np.arange(6.0) * 2
    ends = np.array([0, 2, 6], dtype="<i8")
    bodies = [npy(x, "float64"), raw(y, "float32"), ends.tobytes(), b"unused"]
    parts = [
        {"size": len(bodies[0]), "format": "npy"},
        {"size": len(bodies[1]), "dtype": "float32", "shape": [2, 3]},
        {"size": len(bodies[2]), "dtype": "int64", "shape": [3]},
        {"size": 6, "dtype": "uint8", "shape": [6]},
    ]
    jobs = [
        {"kind": "reduce", "op": "sum", "part": 0},
        {"kind": "scan", "op": "sum", "part": 0},
        {"kind": "reduce", "op": "sum", "part": 0, "segments": {"part": 2}},
        {"kind": "reduce", "op": "sum", "part": 1, "axis": 0},
        {"kind": "reduce", "op": "dot", "part": 0, "with": {"part": 0}},
        {"kind": "reduce", "op": "dot", "part": 0, "with": {"data": [1, 0, 0, 0, 0, 1.0]}},
        {"kind": "reduce", "op": "dot", "part": 0, "with": {"part": 1}},
        {"kind": "reduce", "op": "sum", "part": 4},
        {"kind": "reduce", "op": "max", "data": [3]},
    ]
    response = client.multipart("/v1/batch", {"parts": parts, "jobs": jobs}, bodies)
    answer = entries(response, len(jobs))
    wanted = [15.0, [0, 1, 3, 6, 10, 15], [1.0, 14.0], [6.0, 10.0, 14.0], 55.0, 5.0]
    assert [next(iter(entry["results"].values())) for entry in answer[:6]] == wanted
    assert answer[6]["code"] == "bad_dtype"
    assert answer[7]["code"] in ("bad_value", "bad_job") and answer[7]["pointer"] == "/part"
    assert answer[8]["results"] == {"max": 3}


def test_parts_cut_anywhere(client):
    array = np.arange(5000.0)
    body = raw(array, "float64")
    job = {"jobs": [{"kind": "reduce", "op": "sum", "part": k} for k in (1, 0)]}
    job["parts"] = [{"size": len(body), "dtype": "float64", "shape": [5000]}] * 2
    for size in (1, 997, 8192):

        def cut(text, size=size):
            step = size if size > 1 else 4001
            return [text[:1], *(text[i : i + step] for i in range(1, len(text), step))]

        answer = entries(client.multipart("/v1/batch", job, [body, body], pieces=cut), 2)
        assert all(entry["results"]["sum"] == 12497500.0 for entry in answer)


def test_a_part_that_is_broken_fails_its_jobs_alone(client):
    good = raw(np.ones(3), "float64")
    parts = [
        {"size": 24, "format": "npy"},
        {"size": 24, "dtype": "float64", "shape": [3]},
        {"size": 24, "dtype": "float64", "shape": [4]},
    ]
    jobs = [{"kind": "reduce", "op": "sum", "part": k} for k in (0, 1, 2)]
    response = client.multipart("/v1/batch", {"jobs": jobs, "parts": parts}, [good] * 3)
    if response.status == 200:
        answer = entries(response, 3)
        assert answer[0]["code"] == "bad_npy"
        assert answer[1]["results"] == {"sum": 3.0}
        assert answer[2]["code"] == "bad_shape"
    else:  # a description that cannot be is a fault of the envelope
        assert response.problem()["code"] == "bad_shape"


def test_only_json_and_kind_4(client):
    response = client.post("/v1/batch", None, npy(np.ones(3), "float64"), "application/x-npy")
    assert response.status in (400, 415), response
    response.problem()
