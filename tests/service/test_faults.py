"""When the device breaks, no job is lost: a foldd whose CUDA device is one in host memory
(tests/unit/gpu), or with FOLDD_FAULTY a real one that breaks when it is told to."""

import json
import math
import os
import threading

import numpy as np
import pytest

from harness.daemon import Daemon, build_folder
from harness.elements import npy
from harness.processes import ready_count, wait_until

FAULTY = os.environ.get("FOLDD_FAULTY")
PROGRAM = FAULTY or build_folder() / "tests/unit/gpu/foldd_fake"
# What an upload of 8 GB is made of; a fake device is no place for it.
BIG_PIECES = 2048 if FAULTY and os.environ.get("FOLDD_LONG") == "1" else 16
PIECE = np.random.default_rng(5).integers(-(1 << 53), 1 << 53, 1 << 19).astype("f8")

pytestmark = pytest.mark.skipif(
    not os.path.exists(PROGRAM), reason="built without CUDA: no fake device"
)


@pytest.fixture
def broken(tmp_path):
    """A daemon whose device breaks as `fault` says, and a client of it."""
    started = []

    def make(fault, *options):
        one = Daemon(
            *("--root", tmp_path, "--write-root", tmp_path, *options),
            folder=tmp_path / f"daemon-{len(started)}",
            executable=PROGRAM,
            environment={"FOLDD_FAULT": fault},
        )
        started.append(one)
        return one, one.client()

    yield make
    for one in started:
        one.stop()


def numbers(seed, count=5_000):
    return np.random.default_rng(seed).standard_normal(count) * 10.0**seed


def body_of(array):
    return npy(array, "float64")


def job(op="sum", **more):
    return {"op": op, "determinism": "exact", "backend": "cuda", **more}


def right(array):
    return math.fsum(array.tolist())


def reduce_body(client, array, pieces=None):
    query = job()
    body = body_of(array)
    if pieces is not None:
        return client.post("/v1/reduce", query, pieces=pieces(body))
    return client.post("/v1/reduce", query, body)


def expect(response, value, backend=None):
    assert response.status == 200, response
    answer = response.json()
    assert answer["results"]["sum"] == value
    if backend:
        assert answer["backend"] == backend
    return answer


def send(way, client, folder, array):
    if way == "json":
        return client.job("/v1/reduce", job(data=array.tolist()))
    if way == "file":
        (folder / "x.npy").write_bytes(body_of(array))
        return client.job("/v1/reduce", job(file="x.npy"))
    if way == "files":
        (folder / "a.npy").write_bytes(body_of(array[:1000]))
        (folder / "b.npy").write_bytes(body_of(array[1000:]))
        return client.job("/v1/reduce", job(files=["a.npy", "b.npy"]))
    if way == "part":
        body = body_of(array)
        parts = [{"size": len(body), "format": "npy"}]
        return client.multipart("/v1/reduce", job(part=0, parts=parts), [body])
    if way == "chunked":
        return reduce_body(client, array, lambda body: [body[:99], body[99:7_000], body[7_000:]])
    return reduce_body(client, array)


@pytest.mark.parametrize("way", ["json", "file", "files", "part", "chunked", "body"])
def test_a_job_that_meets_a_broken_device(broken, tmp_path, way):
    daemon, client = broken("lost:2")
    array = numbers(3)
    expect(send(way, client, tmp_path, array), right(array), "cuda:0")
    for _ in range(3):
        expect(send(way, client, tmp_path, array), right(array), "cpu")
    ready = client.get("/readyz")
    assert ready.status == 200
    assert ready.json()["backends"] == ["cpu"] and ready.json()["lost"] == ["cuda:0"]
    backends = {one["name"]: one for one in client.get("/v1/info").json()["backends"]}
    assert "cuda:0 is lost" in backends["cuda:0"]["lost"] and "lost" not in backends["cpu"]
    assert daemon.log_text().count("cuda:0 is lost") == 1


@pytest.mark.parametrize("op", ["sum", "max", "argmin", "var", "l2", "logsumexp"])
def test_the_bits_are_those_of_the_device(broken, op):
    _, client = broken("lost:2")
    query = {"op": op, "backend": "cuda", "bits": True}
    answers = [client.post("/v1/reduce", query, body_of(numbers(0))).json() for _ in range(2)]
    assert [answer["backend"] for answer in answers] == ["cuda:0", "cpu"]
    assert answers[0]["bits"] == answers[1]["bits"]


def test_other_shapes(broken, tmp_path):
    """Axes, scans, segments, two arrays, a result that goes to a file."""
    x, y = numbers(1).reshape(50, 100), numbers(2).reshape(50, 100)
    (tmp_path / "x.npy").write_bytes(body_of(x))
    (tmp_path / "y.npy").write_bytes(body_of(y))
    jobs = [
        ("/v1/reduce", {"op": "sum", "file": "x.npy", "axis": 0}),
        ("/v1/reduce", {"op": ["max", "std"], "file": "x.npy", "axis": 1, "determinism": "ordered"}),
        ("/v1/reduce", {"op": "sum", "file": "x.npy", "segments": [0, 5, 2_000, 5_000]}),
        ("/v1/reduce", {"op": "dot", "file": "x.npy", "with": {"file": "y.npy"}}),
        ("/v1/scan", {"op": "sum", "file": "x.npy", "axis": 1, "determinism": "ordered"}),
    ]
    for path, members in jobs:
        _, client = broken("lost:1")
        answer = client.job(path, {**members, "backend": "cuda"})
        again = client.job(path, {**members, "backend": "cpu"})
        assert answer.status == again.status == 200, (answer, again)
        assert answer.json()["results"] == again.json()["results"], members
        assert answer.json()["backend"] == "cpu"
    _, client = broken("lost:1")
    target = tmp_path / "sums.npy"
    members = {"op": "sum", "file": "x.npy", "axis": 1, "output": {"file": str(target)}}
    assert client.job("/v1/reduce", job(**members)).status == 200
    assert np.load(target).tolist() == [right(row) for row in x]


def test_a_device_without_memory_is_not_lost(broken, tmp_path):
    _, client = broken("memory:1")
    for way, backend in (("body", "cpu"), ("body", "cuda:0"), ("file", "cuda:0")):
        expect(send(way, client, tmp_path, numbers(4)), right(numbers(4)), backend)
    assert client.get("/readyz").json()["lost"] == []


def test_a_fault_that_is_none(broken):
    _, client = broken("fire")
    response = reduce_body(client, numbers(0, 10))
    assert response.problem()["code"] == "internal" and "FOLDD_FAULT" in response.problem()["detail"]


def put(client, name, body, **headers):
    response = client.request("PUT", f"/v1/arrays/{name}", body, headers)
    assert response.status in (200, 201), response


def put_file(client, folder, name, array):
    (folder / f"{name}.npy").write_bytes(body_of(array))
    put(client, name, json.dumps({"file": f"{name}.npy"}).encode(), **{"Content-Type": "application/json"})


def lose(client):
    """Any job: the first breaks the device, and is answered."""
    expect(reduce_body(client, numbers(0, 1000)), right(numbers(0, 1000)), "cpu")


def test_a_body_too_large_to_be_kept(broken):
    """Beyond a quarter of limits.spool it goes with the device, which the answer says."""
    _, client = broken("lost:1", "--limit", "spool=1M")
    body = npy(np.ones(1_200_000), "float64")  # 9.6 MB: 8 MiB are kept in any case
    problem = client.post("/v1/reduce", job(), body).problem()
    assert problem["code"] == "backend_unavailable" and "cuda:0 is lost" in problem["detail"]
    expect(client.post("/v1/reduce", job(), body), 1.2e6, "cpu")


@pytest.mark.parametrize("copy", ["host", "disk"])
def test_arrays_with_a_copy_or_a_file_outlive_the_device(broken, tmp_path, copy):
    (tmp_path / "state").mkdir()
    _, client = broken(
        "lost:1", "--set", f"arrays.copy={copy}", "--set", f"arrays.directory={tmp_path / 'state'}"
    )
    array = numbers(5)
    put(client, "body", body_of(array))
    put_file(client, tmp_path, "file", array)
    lose(client)
    for name in ("body", "file"):
        expect(client.job("/v1/reduce", job(array=name)), right(array), "cpu")
        sliced = client.job("/v1/reduce", job(array=name, slice=[7, 1234]))
        expect(sliced, right(array[7:1234]), "cpu")
        assert client.get(f"/v1/arrays/{name}/data").body == body_of(array)


def test_arrays_without_a_copy_are_lost(broken, tmp_path):
    _, client = broken("lost:1", "--set", "arrays.copy=none")
    put(client, "body", body_of(numbers(6)))
    put_file(client, tmp_path, "changed", numbers(6))
    put_file(client, tmp_path, "kept", numbers(6))
    lose(client)
    (tmp_path / "changed.npy").write_bytes(body_of(numbers(7, 20)))
    for name, cause in (("body", "no copy"), ("changed", "changed")):
        response = client.job("/v1/reduce", job(array=name))
        problem = response.problem()
        assert problem["code"] == "array_lost" and response.status == 503, problem
        assert cause in problem["detail"] and "cuda:0 is lost" in problem["detail"]
        assert int(response.headers["retry-after"]) > 0
    expect(client.job("/v1/reduce", job(array="kept")), right(numbers(6)), "cpu")


def upload(daemon, half, go, answers):
    """One that is half sent when the device breaks."""
    client = daemon.client(timeout=600)
    whole = BIG_PIECES * len(PIECE)
    header = make_header(whole)

    def pieces():
        yield header
        for i in range(BIG_PIECES):
            if i == BIG_PIECES // 2:
                half.set()
                assert go.wait(300)
            yield PIECE.tobytes()

    response = client.post("/v1/reduce", job(), pieces=pieces())
    answers.append(response)


def make_header(count):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({count},), }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def held_body(daemon, array, barrier, answers):
    """All but the last bytes are there when the device breaks."""
    body = body_of(array)

    def pieces():
        yield body[:-8]
        barrier.wait(300)
        yield body[-8:]

    answers.append((array, daemon.client(timeout=300).post("/v1/reduce", job(), pieces=pieces())))


def held_source(daemon, members, array, barrier, answers):
    barrier.wait(300)
    answers.append((array, daemon.client(timeout=300).job("/v1/reduce", job(**members))))


def test_two_hundred_jobs_in_flight(broken, tmp_path):
    """Inline bodies, files, arrays put by body and by file, one upload half sent."""
    options = ("--set", "limits.queue_jobs=1000", "--set", "http.connections=1000")
    daemon, client = broken("lost:10", *options)
    arrays = [numbers(i % 7, 500 + i) for i in range(20)]
    for i, array in enumerate(arrays):
        (tmp_path / f"x{i}.npy").write_bytes(body_of(array))
        put(client, f"body{i}", body_of(array))
        put_file(client, tmp_path, f"file{i}", array)

    half, go, uploads, answers, threads = threading.Event(), threading.Event(), [], [], []
    barrier = threading.Barrier(200)
    threads.append(threading.Thread(target=upload, args=(daemon, half, go, uploads)))
    for i in range(199):
        k = i % 20
        source = ({"file": f"x{k}.npy"}, {"array": f"body{k}"}, {"array": f"file{k}"})[i % 3]
        args = (daemon, source, arrays[k], barrier, answers)
        if i % 4 == 0:
            thread = threading.Thread(target=held_body, args=(daemon, arrays[k], barrier, answers))
        else:
            thread = threading.Thread(target=held_source, args=args)
        threads.append(thread)
    for thread in threads:
        thread.start()
    assert half.wait(300)
    barrier.wait(300)  # the 200th: all go on, and the tenth to compute breaks the device
    for thread in threads[1:]:
        thread.join(300)
    go.set()
    threads[0].join(600)

    assert len(answers) == 199
    for array, response in answers:
        expect(response, right(array))
    backends = [response.json()["backend"] for _, response in answers]
    assert backends.count("cuda:0") >= 1 and backends.count("cpu") >= 100
    expect(uploads[0], float(sum(map(int, PIECE.tolist())) * BIG_PIECES), "cpu")
    assert daemon.log_text().count("cuda:0 is lost") == 1


def test_a_restart_brings_the_device_back(begin, tmp_path):
    """By itself, and not when the process is too young, or an array would end."""
    np.save(tmp_path / "x.npy", numbers(2))
    (tmp_path / "state").mkdir()
    options = ("--root", tmp_path, "--array-dir", tmp_path / "state")
    daemon = begin(
        *options,
        *("--set", "compute.restart_age=0"),
        executable=PROGRAM,
        environment={"FOLDD_FAULT": "lost:2"},
    )
    client = daemon.client()
    put_file(client, tmp_path, "kept", numbers(2))
    expect(reduce_body(client, numbers(3)), right(numbers(3)), "cuda:0")
    expect(reduce_body(client, numbers(3)), right(numbers(3)), "cpu")
    wait_until(lambda: ready_count(daemon) == 2)
    client.close()
    client = daemon.client()
    expect(client.job("/v1/reduce", job(array="kept")), right(numbers(2)), "cuda:0")
    assert client.get("/readyz").json()["lost"] == []


@pytest.mark.parametrize(
    "age, named, why", [("60s", False, "younger than"), ("0", True, "1 arrays would end")]
)
def test_when_there_is_no_restart(broken, age, named, why):
    daemon, client = broken("lost:1", "--set", f"compute.restart_age={age}")
    if named:
        put(client, "body", body_of(numbers(1)))
    lose(client)
    wait_until(lambda: "no restart for the device" in daemon.log_text())
    assert why in daemon.log_text() and ready_count(daemon) == 1
    expect(reduce_body(client, numbers(3)), right(numbers(3)), "cpu")
