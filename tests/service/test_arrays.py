"""Resident arrays: put in every way, used in every place, replaced while they are used."""

import base64
import gzip
import io
import json
import os
import socket
import threading
import time

import numpy as np
import pytest

from harness.elements import npy

X = np.arange(12.0).reshape(4, 3) / 7
NAMES = ["a", "x.npy", "A-1_b.c", "n" * 255]
BAD_NAMES = [".hidden", "a%20b", "a%2Fb", "%C3%BC", "n" * 256, "n" * 3000, "a+b"]


@pytest.fixture
def arrays(client):
    """The session's daemon, without arrays before and after."""
    yield client
    for array in client.get("/v1/arrays").json()["arrays"]:
        assert client.request("DELETE", f"/v1/arrays/{array['name']}").status == 204


def put(client, name, body=b"", query="", content_type=None, **more):
    headers = dict(more.pop("headers", {}))
    if content_type:
        headers["Content-Type"] = content_type
    target = f"/v1/arrays/{name}" + (f"?{query}" if query else "")
    if "pieces" in more:
        body = None
    return client.request("PUT", target, body, headers, **more)


def put_npy(client, name, array, **more):
    return put(client, name, npy(array, array.dtype.name), content_type="application/x-npy", **more)


def put_json(client, name, members, **more):
    return put(client, name, json.dumps(members).encode(), content_type="application/json", **more)


def fortran(array):
    out = io.BytesIO()
    np.save(out, np.asfortranarray(array))
    return out.getvalue()


def data(client, name):
    answer = client.get(f"/v1/arrays/{name}/data")
    assert answer.status == 200, answer
    assert answer.headers["content-type"] == "application/x-npy"
    return np.load(io.BytesIO(answer.body))


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# ---- put and get ------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_put_get_delete(arrays, name):
    answer = put_npy(arrays, name, X)
    assert answer.status == 201, answer
    told = answer.json()
    created = told.pop("created")
    assert told == {
        "name": name,
        "dtype": "float64",
        "shape": [4, 3],
        "order": "C",
        "bytes": 96,
        "backend": "cpu",
        "copy": "host",
    }
    assert time.strptime(created, "%Y-%m-%dT%H:%M:%SZ")
    assert arrays.get(f"/v1/arrays/{name}").json() == {**told, "created": created}
    assert same(data(arrays, name), X)
    listed = arrays.get("/v1/arrays").json()
    assert [array["name"] for array in listed["arrays"]] == [name]
    assert listed["bytes"] == 96 and listed["budget"] > 1 << 20
    gone = arrays.request("DELETE", f"/v1/arrays/{name}")
    assert gone.status == 204 and gone.body == b""
    assert arrays.get("/v1/arrays").json()["arrays"] == []
    assert arrays.get("/v1/arrays").json()["bytes"] == 0


def bodies(client, roots):
    file = roots.read / "arrays-x.npy"
    file.write_bytes(npy(X, "float64"))
    raw = roots.read / "arrays-x.bin"
    raw.write_bytes(b"skip" + X.astype(">f8").tobytes())
    text = {"size": 96, "dtype": "float64", "shape": [4, 3]}

    def parts(job, *sent):
        words = json.dumps(job).encode()
        headers = {"Foldd-Job-Length": len(words), "Content-Type": "application/vnd.foldd"}
        return lambda: client.request("PUT", "/v1/arrays/x", words + b"".join(sent), headers)

    raw_query = "dtype=float64&shape=4,3"
    return {
        "npy": lambda: put_npy(client, "x", X),
        "npy, sniffed": lambda: put(client, "x", npy(X, "float64")),
        "npy in chunks": lambda: put(
            client, "x", pieces=[npy(X, "float64")[i : i + 7] for i in range(0, 224, 7)]
        ),
        "raw": lambda: put(client, "x", X.tobytes(), raw_query),
        "raw, big": lambda: put(
            client, "x", X.astype(">f8").tobytes(), raw_query + "&byteorder=big"
        ),
        "raw in chunks": lambda: put(client, "x", query=raw_query, pieces=[X.tobytes()]),
        "json": lambda: put_json(client, "x", {"data": X.tolist()}),
        "base64": lambda: put_json(
            client,
            "x",
            {
                "base64": base64.b64encode(X.tobytes()).decode(),
                "dtype": "float64",
                "shape": [4, 3],
            },
        ),
        "file": lambda: put_json(client, "x", {"file": str(file)}),
        "files": lambda: put_json(client, "x", {"files": [str(file)]}),
        "file in the query": lambda: put(client, "x", query=f"file={file}"),
        "raw file": lambda: put_json(
            client,
            "x",
            {
                "file": str(raw),
                "dtype": "float64",
                "shape": [4, 3],
                "byteorder": "big",
                "offset": 4,
            },
        ),
        "part": parts({"part": 0, "parts": [text]}, X.tobytes()),
        "second part": parts(
            {"parts": [{"size": 3, "dtype": "int8"}, text], "part": 1}, b"abc", X.tobytes()
        ),
        "npy part": parts(
            {"part": 0, "parts": [{"size": len(npy(X, "float64")), "format": "npy"}]},
            npy(X, "float64"),
        ),
    }


def test_every_kind_of_body(arrays, roots):
    for kind, ask in bodies(arrays, roots).items():
        arrays.request("DELETE", "/v1/arrays/x")
        answer = ask()
        assert answer.status == 201, (kind, answer)
        assert same(data(arrays, "x"), X), kind
        answer = ask()
        assert answer.status == 200, (kind, answer)
        assert same(data(arrays, "x"), X), kind
        assert arrays.get("/v1/arrays").json()["bytes"] == 96, kind


def test_a_file_is_told(arrays, roots):
    file = roots.read / "arrays-x.npy"
    file.write_bytes(npy(X, "float64"))
    told = put(arrays, "x", query=f"file={file}").json()
    assert (told["file"], told["copy"]) == (str(file), "file")


@pytest.mark.parametrize(
    "array",
    [
        np.float32(7.5),
        np.zeros((0,), "i8"),
        np.zeros((3, 0, 2), "f2"),
        np.arange(5, dtype="u1"),
        np.array([True, False]),
    ],
    ids=str,
)
def test_shapes(arrays, array):
    array = np.asarray(array)
    assert put_npy(arrays, "x", array).status == 201
    assert same(data(arrays, "x"), array)
    mine = arrays.reduce("count", array="x").json()
    assert mine["results"]["count"] == array.size


def test_fortran_order_stays(arrays):
    assert put(arrays, "x", fortran(X)).json()["order"] == "F"
    back = data(arrays, "x")
    assert back.flags.f_contiguous and not back.flags.c_contiguous and (back == X).all()


def test_another_array_or_a_slice_of_it(arrays):
    put_npy(arrays, "x", X)
    assert put_json(arrays, "y", {"array": "x", "slice": [1, 3]}).status == 201
    assert same(data(arrays, "y"), X[1:3])
    assert put_json(arrays, "x", {"array": "x", "slice": [2, 4]}).status == 200
    assert same(data(arrays, "x"), X[2:4])


def test_unknown_length_grows(arrays):
    x = np.random.default_rng(1).integers(0, 1 << 60, 700001)
    pieces = [x.tobytes()[i : i + 100003] for i in range(0, x.nbytes, 100003)]
    assert put(arrays, "x", query="dtype=int64", pieces=pieces).status == 201
    assert same(data(arrays, "x"), x)
    assert arrays.get("/v1/arrays").json()["bytes"] == x.nbytes


def test_compressed(arrays):
    body = gzip.compress(npy(X, "float64"))
    assert put(arrays, "x", body, headers={"Content-Encoding": "gzip"}).status == 201
    assert same(data(arrays, "x"), X)


# ---- methods, heads, names --------------------------------------------------


def test_head(arrays):
    put_npy(arrays, "x", X)
    for path in ("/v1/arrays", "/v1/arrays/x", "/v1/arrays/x/data"):
        head, got = arrays.request("HEAD", path), arrays.get(path)
        assert head.status == 200 and head.body == b""
        assert head.headers["content-length"] == str(len(got.body))
        assert head.headers["content-type"] == got.headers["content-type"]
    assert arrays.request("HEAD", "/v1/arrays/none").status == 404


@pytest.mark.parametrize(
    "path, allow",
    [
        ("/v1/arrays", {"GET", "HEAD", "OPTIONS"}),
        ("/v1/arrays/x", {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}),
        ("/v1/arrays/x/data", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_methods(arrays, path, allow):
    answer = arrays.request("OPTIONS", path)
    assert answer.status == 204
    assert set(answer.headers["allow"].split(", ")) == allow
    for method in {"GET", "PUT", "POST", "DELETE", "PATCH"} - allow:
        answer = arrays.request(method, path, b"" if method != "GET" else None)
        assert answer.problem()["code"] == "method_not_allowed"
        assert set(answer.headers["allow"].split(", ")) == allow


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_names(arrays, name):
    for answer in (
        put_npy(arrays, name, X),
        arrays.get(f"/v1/arrays/{name}"),
        arrays.get(f"/v1/arrays/{name}/data"),
        arrays.request("DELETE", f"/v1/arrays/{name}"),
    ):
        assert answer.status == 400 and answer.problem()["code"] == "bad_value", answer


def test_the_type_of_the_body_comes_before_the_name(arrays):
    answer = put(arrays, ".x", b"x", content_type="text/plain")
    assert answer.problem()["code"] == "unsupported_media_type"


def test_no_such_array(arrays):
    for answer in (
        arrays.get("/v1/arrays/none"),
        arrays.get("/v1/arrays/none/data"),
        arrays.request("DELETE", "/v1/arrays/none"),
        arrays.reduce("sum", array="none"),
    ):
        assert answer.status == 404 and answer.problem()["code"] == "no_such_array"
    assert arrays.reduce("sum", array="none").problem()["pointer"] == "/array"


def test_only_new(arrays):
    only_new = {"If-None-Match": "*"}
    assert put_npy(arrays, "x", X, headers=only_new).status == 201
    again = put_npy(arrays, "x", X + 1, headers=only_new)
    assert again.status == 412 and again.problem()["code"] == "array_exists"
    assert same(data(arrays, "x"), X)
    big = put_npy(arrays, "x", np.zeros(1 << 20), headers=only_new)
    assert big.status == 412
    assert put_npy(arrays, "y", X, headers=only_new).status == 201


# ---- jobs -------------------------------------------------------------------


def bits(answer):
    """All of an answer but its times, a problem's too."""
    told = answer.json()
    assert answer.status in (200, 422), answer
    for name in ("elapsed_us", "batch"):
        told.pop(name, None)
    return told


@pytest.mark.parametrize("order", "CF")
def test_the_bits_of_the_same_data_in_a_body(arrays, order):
    x = np.random.default_rng(3).standard_normal((37, 11, 5))
    put(arrays, "x", fortran(x) if order == "F" else npy(x, "float64"))
    for start, stop in ((None, None), (0, 37), (0, 0), (5, 6), (3, 30), (37, 37)):
        part = x if start is None else x[start:stop]
        slices = {} if start is None else {"slice": [start, stop]}
        body = fortran(part) if order == "F" else npy(part, "float64")
        for job in (
            {"op": "sum,mean,min,argmax,count"},
            {"op": "sum,l2", "determinism": "exact"},
            {"op": "sum", "axis": "0", "empty": "null"},
            {"op": "prod,std", "axis": "1,2", "empty": "null"},
            {"op": "sum", "axis": "2"},
        ):
            query = {**job, "bits": True}
            mine = arrays.post("/v1/reduce", {**query, "array": "x", **slices})
            assert bits(mine) == bits(arrays.post("/v1/reduce", query, body)), (job, start, stop)
        for job in ({"op": "sum"}, {"op": "max", "axis": "0"}, {"op": "sum", "axis": "1"}):
            query = {**job, "bits": True}
            mine = arrays.post("/v1/scan", {**query, "array": "x", **slices})
            assert bits(mine) == bits(arrays.post("/v1/scan", query, body)), (job, start, stop)


@pytest.mark.parametrize("order", "CF")
def test_long_arrays(arrays, order):
    """Some pieces long, so that slices of Fortran order are gathered over them."""
    x = np.random.default_rng(4).standard_normal((400003, 3)).astype("f4")
    body = fortran if order == "F" else lambda array: npy(array, "float32")
    put(arrays, "x", body(x))
    for start, stop in ((0, 400003), (1, 400003), (199999, 300001)):
        for axis in ({}, {"axis": "0"}, {"axis": "1"}):
            query = {"op": "sum,max", "bits": True, **axis}
            part = x[start:stop]
            mine = arrays.post(
                "/v1/reduce",
                {**query, "array": "x", "slice": [start, stop]},
                headers={"Accept": "application/zip"},
            )
            theirs = arrays.post(
                "/v1/reduce", query, body(part), headers={"Accept": "application/zip"}
            )
            assert mine.status == 200 and mine.body == theirs.body, (start, stop, axis)


@pytest.mark.parametrize("order", "CF")
def test_dot(arrays, order):
    x = np.random.default_rng(5).standard_normal((50, 7))
    y = np.random.default_rng(6).standard_normal((50, 7))
    body = fortran if order == "F" else lambda array: npy(array, "float64")
    put(arrays, "x", body(x))
    put(arrays, "y", npy(y, "float64"))
    expected = None
    for slices in ({}, {"slice": [10, 30]}):
        begin, end = slices.get("slice", (0, 50))
        jobs = [
            {"array": "x", **slices, "with": {"array": "y", **slices}},
            {"array": "x", **slices, "with": {"data": y[begin:end].tolist()}},
            {"data": x[begin:end].tolist(), "with": {"array": "y", **slices}},
        ]
        told = [arrays.reduce("dot", bits=True, **job).json()["bits"] for job in jobs]
        assert told[0] == told[1] == told[2]
        assert told[0] != expected
        expected = told[0]
    short = arrays.reduce("dot", array="x", **{"with": {"array": "y", "slice": [0, 49]}})
    assert short.problem()["code"] == "bad_shape"


def test_segments(arrays):
    x = np.arange(10.0)
    put_npy(arrays, "x", x)
    put_npy(arrays, "s", np.array([0, 3, 3, 10]))
    put_npy(arrays, "t", np.array([9, 0, 3, 10, 4]))
    segments = {"array": "s"}
    assert arrays.reduce("sum", array="x", segments=segments).json()["results"]["sum"] == [
        3.0,
        0.0,
        42.0,
    ]
    assert arrays.reduce("sum", data=x.tolist(), segments=segments).status == 200
    sliced = arrays.reduce("sum", array="x", segments={"array": "t", "slice": [1, 4]})
    assert sliced.json()["results"]["sum"] == [3.0, 42.0]
    wrong = arrays.reduce("sum", array="x", segments={"array": "x"}).problem()
    assert (wrong["code"], wrong["pointer"]) == ("bad_dtype", "/segments")
    none = arrays.reduce("sum", array="x", segments={"array": "none"}).problem()
    assert (none["code"], none["pointer"]) == ("no_such_array", "/segments/array")


def test_batches_and_parts(arrays):
    put_npy(arrays, "x", X)
    answer = arrays.job(
        "/v1/batch",
        {
            "jobs": [
                {"kind": "reduce", "op": "sum", "array": "x"},
                {"kind": "scan", "op": "max", "array": "x", "slice": [1, 2]},
                {"kind": "reduce", "op": "sum", "array": "none"},
                {"kind": "reduce", "op": "sum", "array": "x", "slice": [0, 5]},
            ]
        },
    ).json()["results"]
    assert answer[0]["results"]["sum"] == pytest.approx(X.sum())
    assert answer[1]["results"]["max"] == X[1].tolist()
    assert answer[2]["code"] == "no_such_array"
    assert (answer[3]["code"], answer[3]["pointer"]) == ("bad_value", "/slice")
    part = {"size": 96, "dtype": "float64", "shape": [4, 3]}
    both = arrays.multipart(
        "/v1/reduce",
        {"op": "dot", "array": "x", "with": {"part": 0}, "parts": [part]},
        [X.tobytes()],
    )
    other = arrays.multipart(
        "/v1/reduce",
        {"op": "dot", "part": 0, "with": {"array": "x"}, "parts": [part]},
        [X.tobytes()],
    )
    assert both.status == 200 and bits(both) == bits(other)


def test_output_file(arrays, roots):
    put_npy(arrays, "x", X)
    path = roots.write / "arrays-out.npy"
    answer = arrays.scan("sum", array="x", axis=0, output={"file": str(path)})
    assert answer.status == 200
    assert (np.load(path) == np.cumsum(X, 0)).all()
    path.unlink()


SLICES = [
    ([0, 5], "bad_value"),
    ([3, 2], "bad_value"),
    ([-1, 2], "bad_value"),
    ([0], "bad_value"),
    ([0, 1, 2], "bad_value"),
    ([0, 1.5], "bad_value"),
    ("0,1", "bad_value"),
    (1, "bad_value"),
]


@pytest.mark.parametrize("bounds, code", SLICES, ids=str)
def test_bad_slices(arrays, bounds, code):
    put_npy(arrays, "x", X)
    problem = arrays.reduce("sum", array="x", slice=bounds).problem()
    assert (problem["code"], problem["pointer"]) == (code, "/slice")
    problem = arrays.reduce("dot", data=[1], **{"with": {"array": "x", "slice": bounds}}).problem()
    assert (problem["code"], problem["pointer"]) == (code, "/with/slice")


def test_bad_members(arrays):
    put_npy(arrays, "x", X)
    put_npy(arrays, "scalar", np.asarray(1.0))

    def code(**job):
        problem = arrays.reduce("sum", **job).problem()
        return problem["code"], problem["pointer"]

    assert code(array="scalar", slice=[0, 1]) == ("bad_value", "/slice")
    assert code(data=[1], slice=[0, 1]) == ("bad_job", "/slice")
    assert code(array="x", data=[1]) == ("bad_job", "/data")
    assert code(array="x", shape=[12]) == ("bad_job", "/shape")
    assert code(array="x", dtype="float32") == ("bad_dtype", "/dtype")
    assert code(array=".x") == ("bad_value", "/array")
    assert code(array=1) == ("bad_value", "/array")
    assert arrays.reduce("sum", array="x", dtype="float64").status == 200
    problem = put_json(arrays, "y", {"data": [1], "op": "sum"}).problem()
    assert (problem["code"], problem["pointer"]) == ("bad_job", "/op")
    problem = put_json(arrays, "y", {"dtype": "int8"}).problem()
    assert problem["code"] == "bad_job"
    problem = put_json(arrays, "y", {"data": [1], "colour": 1}).problem()
    assert problem["code"] == "unknown_member"
    assert put(arrays, "y").problem()["code"] == "bad_json"
    assert arrays.get("/v1/arrays/y").status == 404


# ---- replaced, aborted, over the budget -------------------------------------


def test_a_failed_put_leaves_the_old_one(arrays, roots):
    put_npy(arrays, "x", X)
    whole = npy(np.zeros(1000), "float64")
    missing = roots.read / "no-such-file.npy"
    for answer, code in (
        (put(arrays, "x", whole[:-1]), "bad_npy"),
        (put(arrays, "x", whole + b"1"), "bad_npy"),
        (put(arrays, "x", pieces=[whole[:-1]]), "bad_npy"),
        (put(arrays, "x", whole[:-1], "dtype=float64"), "bad_npy"),
        (put(arrays, "x", b"1234567", "dtype=float64"), "bad_shape"),
        (put(arrays, "x", pieces=[b"1234567"], query="dtype=float64"), "bad_shape"),
        (put(arrays, "x", query=f"file={missing}"), "file_not_found"),
        (put(arrays, "x", query="file=/etc/passwd&dtype=int8"), "path_forbidden"),
        (put_json(arrays, "x", {"data": [1, [2]]}), "bad_shape"),
        (put(arrays, "x", b"x", content_type="text/plain"), "unsupported_media_type"),
    ):
        assert answer.problem()["code"] == code
        assert same(data(arrays, "x"), X)
        assert arrays.get("/v1/arrays").json()["bytes"] == X.nbytes


@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_an_upload_that_breaks_off(arrays, daemon, framing):
    put_npy(arrays, "x", X)
    body = npy(np.zeros(1 << 17), "float64")
    before = daemon.descriptors()
    with socket.create_connection(("127.0.0.1", daemon.port)) as broken:
        head = "Content-Length: %d" % len(body)
        if framing == "chunked":
            head = "Transfer-Encoding: chunked"
            body = b"%x\r\n" % len(body) + body
        broken.sendall(f"PUT /v1/arrays/x HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n".encode())
        broken.sendall(body[: len(body) // 2])
        end = time.monotonic() + 20
        while arrays.get("/v1/arrays").json()["bytes"] == X.nbytes:
            assert time.monotonic() < end
            time.sleep(0.01)
    while arrays.get("/v1/arrays").json()["bytes"] != X.nbytes:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert same(data(arrays, "x"), X)
    assert daemon.descriptors() <= before


def test_budget(start):
    one = start("--set", "arrays.budget=1000")
    client = one.client()
    cache = {"bytes": 0, "limit": 500, "files": 0, "hits": 0, "misses": 0}
    empty = {"arrays": [], "bytes": 0, "budget": 1000, "cache": cache}
    assert client.get("/v1/arrays").json() == empty
    assert put_npy(client, "x", np.zeros(100)).status == 201
    for answer in (
        put_npy(client, "y", np.zeros(26)),
        put_npy(client, "x", np.zeros(26)),
        put(client, "y", bytes(26 * 8), "dtype=float64"),
        put(client, "y", pieces=[bytes(26 * 8)], query="dtype=float64"),
        put_json(client, "y", {"data": [0.5] * 26}),
    ):
        assert answer.status == 507 and answer.problem()["code"] == "out_of_memory"
    assert same(data(client, "x"), np.zeros(100))
    assert put_npy(client, "y", np.zeros(25)).status == 201
    assert client.get("/v1/arrays").json()["bytes"] == 1000
    assert client.request("DELETE", "/v1/arrays/x").status == 204
    assert client.get("/v1/arrays").json()["bytes"] == 200


def test_a_huge_announcement_takes_nothing(arrays):
    head = {"Content-Length": 1 << 61}
    answer = arrays.request("PUT", "/v1/arrays/x?dtype=int8", bytes(100), head)
    assert answer.status == 507 and answer.problem()["code"] == "out_of_memory"


def test_jobs_keep_the_array_they_began_with(start, tmp_path):
    one = start("--threads", 1, "--workers", 1)
    client = one.client()
    values = [np.full(3_000_000, float(k)) for k in range(3)]
    sums = {float(v.sum()) for v in values}
    put_npy(client, "x", values[0])
    stop, seen, wrong = threading.Event(), [], []

    def ask():
        mine = one.client()
        while not stop.is_set():
            answer = mine.reduce("sum", array="x", determinism="exact")
            if answer.status != 200 or answer.json()["results"]["sum"] not in sums:
                wrong.append(answer)
            else:
                seen.append(answer.json()["results"]["sum"])
            answer = mine.get("/v1/arrays/x/data")
            part = np.frombuffer(answer.body[128:], "f8")
            if answer.status != 200 or len(set(part.tolist())) != 1:
                wrong.append(answer.status)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for k in range(12):
        assert put_npy(client, "x", values[k % 3]).status == 200
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong and len(set(seen)) > 1
    assert client.get("/v1/arrays").json()["bytes"] == values[0].nbytes
    assert client.request("DELETE", "/v1/arrays/x").status == 204
    assert client.get("/v1/arrays").json()["bytes"] == 0


def test_two_at_once_with_only_new(start):
    one = start()
    for turn in range(10):
        got = []

        def ask(k):
            mine = one.client()
            answer = put_npy(mine, f"x{turn}", X + k, headers={"If-None-Match": "*"})
            got.append((answer.status, k))

        threads = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(status for status, _ in got) == [201, 412, 412, 412]
        winner = next(k for status, k in got if status == 201)
        assert same(data(one.client(), f"x{turn}"), X + winner)


# ---- over a restart ---------------------------------------------------------


@pytest.fixture
def kept(start, tmp_path):
    """Starts daemons that keep their arrays in one directory."""
    keep, root = tmp_path / "keep", tmp_path / "root"
    keep.mkdir()
    root.mkdir()

    def make(copy="disk", *more):
        options = ("--array-dir", keep, "--set", f"arrays.copy={copy}", "--root", root, *more)
        return start(*options)

    make.keep, make.root = keep, root
    return make


def test_a_restart_with_copies_on_disk(kept):
    one = kept()
    client = one.client()
    file = kept.root / "f.npy"
    file.write_bytes(npy(X + 5, "float64"))
    big = kept.root / "f.bin"
    big.write_bytes(b"ab" + (X * 3).astype(">f8").tobytes())
    put_npy(client, "x", X + 1)
    put_npy(client, "x", X)
    put(client, "f", fortran(X))
    put(client, "grown", pieces=[X.tobytes()], query="dtype=float64")
    put_npy(client, "deleted", X)
    put_npy(client, "scalar", np.asarray(np.float32(3)))
    put(client, "file", query=f"file={file}")
    query = f"file={big}&dtype=float64&byteorder=big&offset=2"
    assert put(client, "big", query=query).status == 201
    put(client, "failed", npy(X, "float64")[:-1])
    client.request("DELETE", "/v1/arrays/deleted")
    told = client.get("/v1/arrays").json()
    assert {array["name"]: array["copy"] for array in told["arrays"]} == {
        "x": "disk",
        "f": "disk",
        "grown": "disk",
        "scalar": "disk",
        "file": "file",
        "big": "file",
    }
    one.stop()
    assert sorted(path.suffix for path in kept.keep.iterdir()) == [".array"] * 6 + [".data"] * 4
    two = kept()
    client = two.client()
    assert client.get("/v1/arrays").json() == told
    assert same(data(client, "x"), X)
    assert (data(client, "f") == X).all()
    assert same(data(client, "grown"), X.ravel())
    assert same(data(client, "file"), X + 5)
    assert same(data(client, "big"), (X * 3).ravel())
    # numbers go on: nothing of before is written over
    assert put_npy(client, "new", X).status == 201
    two.stop()
    assert same(data(kept().client(), "x"), X)


def test_without_copies_only_files_survive(kept):
    one = kept("host")
    file = kept.root / "f.npy"
    file.write_bytes(npy(X, "float64"))
    put_npy(one.client(), "x", X)
    put(one.client(), "file", query=f"file={file}")
    one.stop()
    listed = kept("host").client().get("/v1/arrays").json()["arrays"]
    assert [array["name"] for array in listed] == ["file"]


def lost(client, name):
    answer = client.reduce("sum", array=name)
    assert answer.status == 503 and answer.problem()["code"] == "array_lost", answer
    assert int(answer.headers["retry-after"]) > 0
    assert client.get(f"/v1/arrays/{name}/data").problem()["code"] == "array_lost"
    told = client.get(f"/v1/arrays/{name}").json()
    assert told["lost"]
    return told["lost"]


def test_what_cannot_be_read_again_is_lost(kept):
    one = kept()
    client = one.client()
    names = ("changed", "gone", "short", "fine")
    for name in names[:2]:
        (kept.root / name).write_bytes(npy(X, "float64"))
        assert put(client, name, query=f"file={kept.root / name}").status == 201
    put_npy(client, "short", X)
    put_npy(client, "fine", X)
    one.stop()
    os.utime(kept.root / "changed", (1, 1))
    (kept.root / "gone").unlink()
    data_files = sorted(kept.keep.glob("*.data"))
    data_files[0].write_bytes(b"short")
    (kept.keep / "0000000000000077.array").write_text("no record\n")
    (kept.keep / "0000000000000078.data").write_text("of no record\n")
    (kept.keep / "0000000000000079.tmp").write_text("half\n")
    two = kept()
    client = two.client()
    assert "changed" in lost(client, "changed")
    lost(client, "gone")
    assert "ends early" in lost(client, "short")
    assert same(data(client, "fine"), X)
    assert not (kept.keep / "0000000000000078.data").exists()
    assert not (kept.keep / "0000000000000079.tmp").exists()
    assert "no record" in two.log_text() and "is lost" in two.log_text()
    assert client.get("/v1/arrays").json()["bytes"] == X.nbytes
    # it can be put again, or deleted
    assert put_npy(client, "changed", X).status == 200
    assert same(data(client, "changed"), X)
    assert client.request("DELETE", "/v1/arrays/gone").status == 204
    two.stop()
    assert same(data(kept().client(), "changed"), X)


def test_killed(kept):
    one = kept()
    put_npy(one.client(), "x", X)
    one.kill()
    assert same(data(kept().client(), "x"), X)


def test_no_room_after_a_restart(kept):
    one = kept()
    put_npy(one.client(), "x", X)
    one.stop()
    assert "arrays.budget" in lost(kept("disk", "--set", "arrays.budget=95").client(), "x")


def test_a_directory_is_one_daemons(kept):
    kept()
    with pytest.raises(RuntimeError, match="another process has it"):
        kept()


@pytest.mark.parametrize(
    "options, said",
    [
        (("arrays.copy=disk",), "needs arrays.directory"),
        (("arrays.copy=tape",), "not host, disk or none"),
        (("arrays.directory=/nowhere",), "arrays.directory /nowhere"),
    ],
)
def test_bad_configuration(start, options, said):
    words = [word for option in options for word in ("--set", option)]
    with pytest.raises(RuntimeError, match=said):
        start(*words)
