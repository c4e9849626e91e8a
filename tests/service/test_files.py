"""Jobs over files: what may be opened, what is read, what is written."""

import os
import stat
import threading
import time

import numpy as np
import pytest

from harness.elements import npy, npy_file, raw, read_npy

COUNT = np.arange(1.0, 11.0)


def problem_of(response, code):
    problem = response.problem()
    assert problem["code"] == code, problem
    return problem


def total(response):
    assert response.status == 200, response
    return response.json()["results"]["sum"]


@pytest.fixture
def folder(roots, tmp_path_factory):
    """A folder of this test's own beneath the first root."""
    made = roots.read / tmp_path_factory.mktemp("files").name
    made.mkdir()
    return made


def put(path, array=COUNT, dtype="float64", **more):
    path.write_bytes(npy(np.asarray(array), dtype, **more))
    return path


# -- what may be opened ---------------------------------------------------------------


def test_absolute_and_relative_paths(client, folder):
    put(folder / "x.npy")
    assert total(client.reduce("sum", file=str(folder / "x.npy"))) == 55
    assert total(client.reduce("sum", file=f"{folder.name}/x.npy")) == 55
    assert total(client.post("/v1/reduce", {"op": "sum", "file": folder / "x.npy"})) == 55


def test_dots_inside_a_root(client, folder):
    put(folder / "x.npy")
    (folder / "sub").mkdir()
    assert total(client.reduce("sum", file=f"{folder.name}/sub/../x.npy")) == 55
    assert total(client.reduce("sum", file=f"./{folder.name}/./x.npy")) == 55


@pytest.mark.parametrize(
    "path",
    (
        "/etc/passwd",
        "/",
        "/etc/no-such-file",
        "../outside/x.npy",
        "../../../../../../etc/passwd",
        "sub/../../outside/x.npy",
        "/proc/self/environ",
        "/dev/zero",
    ),
)
def test_outside_of_every_root(client, path, folder):
    (folder.parent / "sub").mkdir(exist_ok=True)
    for job in ({"file": path}, {"files": [path]}):
        problem = problem_of(client.reduce("sum", dtype="uint8", **job), "path_forbidden")
        assert problem["status"] == 403


def test_a_root_is_not_a_prefix(client, roots):
    """/roots/read-more is not beneath /roots/read."""
    other = roots.read.with_name(roots.read.name + "-more")
    other.mkdir(exist_ok=True)
    put(other / "x.npy")
    problem_of(client.reduce("sum", file=str(other / "x.npy")), "path_forbidden")


def test_no_root_no_files(start, roots):
    put(roots.read / "plain.npy")
    client = start().client()
    problem_of(client.reduce("sum", file=str(roots.read / "plain.npy")), "path_forbidden")
    problem_of(client.reduce("sum", file="plain.npy"), "path_forbidden")
    problem_of(client.reduce("sum", files=["*.npy"]), "path_forbidden")
    response = client.scan("sum", data=[1], output={"file": str(roots.write / "o.npy")})
    problem_of(response, "path_forbidden")


def test_links(client, roots, folder):
    put(folder / "x.npy")
    put(roots.outside / "secret.npy")
    (folder / "near.npy").symlink_to("x.npy")
    (folder / "up.npy").symlink_to(f"../{folder.name}/x.npy")
    (folder / "out.npy").symlink_to(roots.outside / "secret.npy")
    (folder / "away").symlink_to(roots.outside)
    (folder / "loop").symlink_to("loop")
    (folder / "nowhere.npy").symlink_to("none.npy")
    base = folder.name
    assert total(client.reduce("sum", file=f"{base}/near.npy")) == 55
    assert total(client.reduce("sum", file=f"{base}/up.npy")) == 55
    for name in ("out.npy", "away/secret.npy"):
        problem_of(client.reduce("sum", file=f"{base}/{name}"), "path_forbidden")
    problem_of(client.reduce("sum", file=f"{base}/nowhere.npy"), "file_not_found")
    response = client.reduce("sum", file=f"{base}/loop")
    assert 400 <= response.status < 500
    response.problem()
    # A glob must not list what lies behind a link out of the root.
    response = client.reduce("sum", files=[f"{base}/away/*.npy"])
    assert response.problem()["code"] in ("path_forbidden", "file_not_found")


@pytest.mark.parametrize("path", ("", "x\0y", "a" * 5000, "/" * 3000 + "x"))
def test_impossible_paths(client, path):
    response = client.reduce("sum", file=path)
    assert 400 <= response.status < 500, response
    response.problem()


def test_what_is_no_regular_file(client, folder):
    os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir()
    for name in ("fifo", "folder"):
        problem = problem_of(client.reduce("sum", file=f"{folder.name}/{name}"), "file_unreadable")
        assert name in problem["detail"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(client, folder):
    path = put(folder / "x.npy")
    path.chmod(0)
    problem_of(client.reduce("sum", file=str(path)), "file_unreadable")


def test_missing(client, folder):
    problem = problem_of(client.reduce("sum", file=f"{folder.name}/no.npy"), "file_not_found")
    assert "no.npy" in problem["detail"]
    problem_of(client.reduce("sum", file="no-folder/x.npy"), "file_not_found")
    put(folder / "x.npy")
    response = client.reduce("sum", file=f"{folder.name}/x.npy/y")
    assert response.problem()["code"] in ("file_not_found", "file_unreadable")


# -- what is read ----------------------------------------------------------------------


def test_raw_files(client, folder):
    (folder / "x.bin").write_bytes(b"junk" + raw(COUNT, "float32", ">"))
    job = {"file": f"{folder.name}/x.bin", "dtype": "float32", "byteorder": "big", "offset": 4}
    assert total(client.reduce("sum", **job)) == 55
    answer = client.reduce("sum", shape=[2, 5], axis=0, **job).json()
    assert answer["results"]["sum"] == [7, 9, 11, 13, 15]
    problem_of(client.reduce("sum", shape=[11], **job), "bad_shape")
    problem_of(client.reduce("sum", **{**job, "offset": 3}), "bad_shape")
    response = client.reduce("sum", file=f"{folder.name}/x.bin")
    assert response.problem()["code"] in ("bad_job", "bad_dtype", "bad_value")


def test_format_is_found_by_first_bytes_or_said(client, folder):
    put(folder / "no-suffix")
    assert total(client.reduce("sum", file=f"{folder.name}/no-suffix")) == 55
    job = {"file": f"{folder.name}/no-suffix", "format": "raw", "dtype": "uint8"}
    size = (folder / "no-suffix").stat().st_size
    assert client.reduce("count", **job).json()["results"]["count"] == size
    (folder / "y.bin").write_bytes(b"12345678")
    job = {"file": f"{folder.name}/y.bin", "format": "npy"}
    problem_of(client.reduce("sum", **job), "bad_npy")


def test_truncated(client, folder):
    (folder / "short.npy").write_bytes(npy(COUNT, "float64")[:-3])
    problem_of(client.reduce("sum", file=f"{folder.name}/short.npy"), "file_truncated")
    (folder / "head.npy").write_bytes(npy(COUNT, "float64")[:20])
    response = client.reduce("sum", file=f"{folder.name}/head.npy")
    assert response.problem()["code"] in ("bad_npy", "file_truncated")
    (folder / "empty.npy").write_bytes(b"")
    response = client.reduce("sum", file=f"{folder.name}/empty.npy")
    assert 400 <= response.status < 500
    response.problem()


def test_a_file_that_grows_or_is_touched_is_an_error(start, tmp_path):
    """Changed while it is read: a slow enough read for the change to fall into it."""
    path = tmp_path / "large.bin"
    size = 256 << 20
    with open(path, "wb") as file:
        file.truncate(size)
    one = start("--root", tmp_path, "--threads", 1)
    stop = threading.Event()

    def touch():
        while not stop.is_set():
            os.utime(path)
            time.sleep(0.001)

    thread = threading.Thread(target=touch)
    thread.start()
    try:
        job = {"file": "large.bin", "dtype": "float64", "determinism": "exact"}
        response = one.client().reduce(["sum", "var"], **job)
    finally:
        stop.set()
        thread.join()
    assert response.status == 409, response
    problem_of(response, "file_changed")
    assert one.client().reduce("sum", **job).status == 200


def test_a_file_that_shrinks_is_an_error(start, tmp_path):
    path = tmp_path / "large.bin"
    with open(path, "wb") as file:
        file.truncate(512 << 20)
    one = start("--root", tmp_path, "--threads", 1)
    answer = {}

    def ask():
        job = {"file": "large.bin", "dtype": "float32", "determinism": "exact"}
        answer["response"] = one.client().reduce(["sum", "var"], **job)

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.1)
    os.truncate(path, 1000)
    thread.join()
    response = answer["response"]
    assert response.status in (409, 422), response
    assert response.problem()["code"] in ("file_changed", "file_truncated")


# -- several files ----------------------------------------------------------------------


def test_several_files(client, folder):
    put(folder / "b.npy", [1.0, 2.0])
    put(folder / "a.npy", [10.0], byteorder=">")
    put(folder / "c.npy", [])
    put(folder / "10.npy", [100.0])
    job = {"files": [f"{folder.name}/b.npy", f"{folder.name}/a.npy"]}
    answer = client.reduce(["sum", "argmax"], **job).json()
    assert answer["results"] == {"sum": 13.0, "argmax": 2}  # in the order given
    answer = client.scan("sum", files=[f"{folder.name}/*.npy"]).json()
    assert answer["results"]["sum"] == [100, 110, 111, 113]  # a pattern's in byte order
    job = {"files": [f"{folder.name}/[ab].npy", str(folder / "b.npy")]}
    assert total(client.reduce("sum", **job)) == 16  # twice is twice
    answer = client.post("/v1/reduce", f"op=sum&files={folder.name}/?.npy").json()
    assert answer["results"]["sum"] == 13


def test_glob_characters(client, folder):
    for name in ("a*b.npy", "axb.npy", ".hidden.npy", "[x].npy", "sub"):
        if name == "sub":
            (folder / name).mkdir()
            put(folder / name / "deep.npy", [1000.0])
        else:
            put(folder / name, [1.0])
    base = folder.name

    def count(pattern):
        response = client.reduce("count", files=[pattern])
        return 0 if response.status == 404 else response.json()["results"]["count"]

    assert count(f"{base}/a*b.npy") == 2
    assert count(f"{base}/a\\*b.npy") == 1
    assert count(f"{base}/\\[x\\].npy") == 1
    assert count(f"{base}/*.npy") == 3  # no hidden ones, none of another folder
    assert count(f"{base}/.*.npy") == 1
    assert count(f"{base}/*/*.npy") == 1
    assert count(f"{base}/[!x]*.npy") == 3
    assert count(f"{base}/**/deep.npy") in (0, 1)  # no `**`: at most one level
    assert count(f"{base}/nothing*") == 0
    problem = problem_of(client.reduce("sum", files=[f"{base}/zz*"]), "file_not_found")
    assert problem["pointer"] == "/files"
    # `file` is a path, never a pattern
    assert total(client.reduce("sum", file=f"{base}/a*b.npy")) == 1
    problem_of(client.reduce("sum", file=f"{base}/a?b.npy"), "file_not_found")


def test_patterns_that_go_round_end(client, folder):
    for i in range(8):
        (folder / f"d{i}").mkdir()
    for pattern in ("*/../" * 30 + "zz*", "*/../" * 30 + "zz", "*/../" * 30 + "*"):
        began = time.monotonic()
        response = client.reduce("sum", files=[f"{folder.name}/{pattern}"])
        problem = problem_of(response, "too_large")
        assert problem["pointer"] == "/files"
        assert time.monotonic() - began < 60  # without a limit: years


def test_files_that_do_not_fit_together(client, folder):
    put(folder / "f.npy", [1.0])
    put(folder / "i.npy", np.array([1]), "int64")
    put(folder / "t.npy", [[1.0, 2.0]])
    put(folder / "u.npy", [[1.0, 2.0, 3.0]])
    base = folder.name
    problem_of(client.reduce("sum", files=[f"{base}/f.npy", f"{base}/i.npy"]), "bad_dtype")
    both = [f"{base}/t.npy", f"{base}/u.npy"]
    assert total(client.reduce("sum", files=both)) == 9  # joined flat without an axis
    problem_of(client.reduce("sum", files=both, axis=0), "bad_shape")
    same = [f"{base}/t.npy", f"{base}/t.npy"]
    answer = client.reduce("sum", files=same, axis=0).json()
    assert answer["results"]["sum"] == [2.0, 4.0]
    answer = client.reduce("sum", files=same, axis=1).json()
    assert answer["results"]["sum"] == [3.0, 3.0]
    missing = client.reduce("sum", files=[f"{base}/t.npy", f"{base}/no.npy"])
    problem_of(missing, "file_not_found")


def test_fortran_files(client, folder):
    table = np.arange(12.0).reshape(3, 4)
    put(folder / "f.npy", table, fortran=True)
    put(folder / "c.npy", table)
    for axis in (0, 1, [0, 1]):
        answers = [
            client.reduce(["sum", "max", "var"], file=f"{folder.name}/{name}.npy", axis=axis).json()
            for name in "fc"
        ]
        assert answers[0]["results"] == answers[1]["results"]
    answers = [client.scan("sum", file=f"{folder.name}/{name}.npy").json() for name in "fc"]
    assert answers[0]["results"] == answers[1]["results"]


def test_dot_of_two_files(client, folder):
    put(folder / "x.npy")
    put(folder / "y.npy", COUNT[::-1])
    job = {"file": f"{folder.name}/x.npy", "with": {"file": f"{folder.name}/y.npy"}}
    assert client.reduce("dot", **job).json()["results"]["dot"] == float(COUNT @ COUNT[::-1])
    job["with"] = {"data": COUNT.tolist()}
    assert client.reduce("dot", **job).json()["results"]["dot"] == float(COUNT @ COUNT)


def test_segments_of_a_file(client, folder):
    put(folder / "x.npy")
    put(folder / "s.npy", np.array([0, 3, 3, 10]), "int64")
    job = {"file": f"{folder.name}/x.npy", "segments": {"file": f"{folder.name}/s.npy"}}
    assert client.reduce("sum", **job).json()["results"]["sum"] == [6.0, 0.0, 49.0]


# -- what is written ----------------------------------------------------------------------


def leftovers(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def target(roots, tmp_path_factory):
    made = roots.write / tmp_path_factory.mktemp("output").name
    made.mkdir()
    return made


def test_a_scan_to_a_file(client, target):
    path = target / "out.npy"
    job = {"data": [1.5, 2.0, 3.0], "output": {"file": str(path)}}
    response = client.scan("sum", **job)
    assert response.status == 200, response
    answer = response.json()["results"]["sum"]
    assert answer == {"file": str(path), "shape": [3], "dtype": "float64"}
    assert np.load(path).tolist() == [1.5, 3.5, 6.5]
    assert stat.S_ISREG(path.stat().st_mode) and path.stat().st_mode & 0o600 == 0o600
    problem_of(client.scan("sum", **job), "file_exists")
    assert np.load(path).tolist() == [1.5, 3.5, 6.5]
    job["output"]["overwrite"] = True
    assert client.scan("max", **job).status == 200
    assert np.load(path).tolist() == [1.5, 2.0, 3.0]
    assert leftovers(target) == ["out.npy"]


@pytest.mark.parametrize("dtype", ("bool", "int8", "uint64", "float16", "bfloat16", "float32"))
def test_types_and_shapes_of_outputs(client, target, dtype):
    array = np.arange(24).reshape(2, 3, 4) % 2
    if dtype == "bfloat16":
        array = array.astype(np.uint16) * 0x3F80
    body = npy(array, dtype, fortran=True)
    named = "&dtype=bfloat16" if dtype == "bfloat16" else ""
    path = target / "max.npy"
    query = f"op=max&axis=1&output={path}{named}"
    assert client.post("/v1/scan", query, body).status == 200
    out = read_npy(path.read_bytes(), dtype)
    assert out.shape == (2, 3, 4)
    assert (out == np.maximum.accumulate(array, axis=1)).all()
    path = target / "reduced.npy"
    query = f"op=max&axis=1&output={path}{named}"
    answer = client.post("/v1/reduce", query, body).json()
    assert answer["results"]["max"] == {"file": str(path), "shape": [2, 4], "dtype": dtype}
    assert (read_npy(path.read_bytes(), dtype) == array.max(axis=1)).all()


def test_output_to_a_file_is_whole_or_not_there(client, roots, target):
    """Every failure leaves nothing: of the data, the source, the path."""
    path = str(target / "x.npy")
    (roots.read / "cut.npy").write_bytes(npy(COUNT, "float64")[:-3])
    failures = [
        ("nan_found", client.scan("sum", data=[1.0, "NaN"], nan="error", output={"file": path})),
        ("integer_overflow", client.scan("sum", data=[2**63 - 1, 1], output={"file": path})),
        ("file_truncated", client.scan("sum", file="cut.npy", output={"file": path})),
        ("bad_npy", client.post("/v1/scan", f"op=sum&output={path}", npy(COUNT, "float64")[:-1])),
        ("path_forbidden", client.scan("sum", data=[1], output={"file": "/tmp/foldd-no.npy"})),
        ("path_forbidden", client.scan("sum", data=[1], output={"file": f"{target}/../../o.npy"})),
    ]
    for code, response in failures:
        problem_of(response, code)
    response = client.scan("sum", data=[1], output={"file": f"{target}/no-folder/x.npy"})
    assert response.problem()["code"] == "file_not_found"
    response = client.scan("sum", data=[1], output={"file": str(target)})
    assert 400 <= response.status < 500
    assert leftovers(target) == []


def test_an_upload_given_up_leaves_no_file(daemon, target):
    before = daemon.descriptors()
    client = daemon.client()
    client.send(
        b"POST /v1/scan?op=sum&dtype=float64&output=%s/x.npy HTTP/1.1\r\nHost: x\r\n"
        b"Content-Length: 8000000\r\n\r\n" % str(target).encode()
    )
    client.send(bytes(4_000_000))
    time.sleep(0.2)
    client.close()
    end = time.monotonic() + 20
    while daemon.descriptors() > before:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert leftovers(target) == []


def test_links_in_the_writable_root(client, roots, target):
    (target / "away").symlink_to(roots.outside)
    response = client.scan("sum", data=[1], output={"file": f"{target}/away/x.npy"})
    problem_of(response, "path_forbidden")
    (target / "link.npy").symlink_to(roots.outside / "victim.npy")
    job = {"data": [1], "output": {"file": f"{target}/link.npy", "overwrite": True}}
    client.scan("sum", **job)
    assert not (roots.outside / "victim.npy").exists()


def test_a_reader_never_sees_half_a_file(client, target):
    """Overwritten again and again while another reads it."""
    path = target / "hot.npy"
    body = {size: raw(np.full(size, float(size)), "float64") for size in (1000, 300_000)}
    failures, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            if path.exists():
                try:
                    array = np.load(path)
                    if array.size not in body or array[0] != array.size:
                        failures.append(array.shape)
                except Exception as error:  # any failure at all is the finding
                    failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    for _ in range(20):
        for size in body:
            job = {"op": "sum", "part": 0, "output": {"file": str(path), "overwrite": True}}
            job["parts"] = [{"size": 8 * size, "dtype": "float64", "shape": [size]}]
            assert client.multipart("/v1/scan", job, [body[size]]).status == 200
    stop.set()
    thread.join()
    assert not failures, failures[:3]


@pytest.mark.heavy
def test_a_hole_of_four_gigabytes(client, roots):
    """Lengths beyond 32 bits: a sparse file of 2^32 + 8 one-byte elements."""
    path = roots.read / "hole.npy"
    count = 2**32 + 8
    header = npy_file(f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({count},), }}")
    with open(path, "wb") as file:
        file.write(header)
        file.seek(len(header) + count - 1)
        file.write(b"\x05")
    try:
        answer = client.reduce(["sum", "argmax", "count"], file="hole.npy").json()
    finally:
        path.unlink()
    assert answer["results"] == {"sum": 5, "argmax": count - 1, "count": count}
