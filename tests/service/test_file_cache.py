"""Files that jobs read are kept for the jobs after (`cache`)."""

import os
import threading

import numpy as np
import pytest

from harness.daemon import build_folder
from harness.elements import npy

MiB = 1 << 20


@pytest.fixture
def cached(start, tmp_path):
    """A daemon with 16 MiB for arrays, 8 of them for files; its root."""

    def make(*options):
        one = start("--root", tmp_path, "--set", "arrays.budget=16M", *options)
        return one.client()

    return make


def figures(client):
    return client.get("/v1/arrays").json()["cache"]


def save(path, array):
    np.save(path, array)
    return array


def kept(client, **members):
    """Asked for until it is kept: in the host's memory a file is at its second reading."""
    total(client, **members)
    return total(client, **members)


def total(client, **members):
    response = client.reduce("sum", determinism="exact", **members)
    assert response.status == 200, response
    return response.json()["results"]["sum"]


def test_the_second_job_does_not_read(cached, tmp_path):
    client = cached()
    x = save(tmp_path / "x.npy", np.arange(1000.0))
    assert figures(client) == {"bytes": 0, "limit": 8 * MiB, "files": 0, "hits": 0, "misses": 0}
    for asked, files, hits in ((1, 0, 0), (2, 1, 0), (3, 1, 1), (4, 1, 2)):
        assert total(client, file="x.npy") == x.sum()
        found = figures(client)
        assert (found["bytes"], found["files"]) == (8000 * files, files)
        assert (found["hits"], found["misses"]) == (hits, asked - hits)
    # Other operations, axes, scans: the elements are what is kept.
    assert client.reduce(["max", "l2"], file="x.npy", axis=0).status == 200
    assert client.scan("sum", file="x.npy").json()["results"]["sum"][-1] == x.sum()
    assert figures(client)["hits"] == 4


@pytest.mark.parametrize("how", ["content", "replaced", "longer"])
def test_a_file_that_changed_is_read_again(cached, tmp_path, how):
    client = cached()
    path = tmp_path / "x.npy"
    save(path, np.arange(100.0))
    assert kept(client, file="x.npy") == 4950
    if how == "replaced":
        save(tmp_path / "y.npy", np.arange(100.0) + 1)
        times = os.stat(path)
        os.utime(tmp_path / "y.npy", ns=(times.st_atime_ns, times.st_mtime_ns))
        os.rename(tmp_path / "y.npy", path)
    elif how == "longer":
        save(path, np.arange(101.0))
    else:
        with open(path, "r+b") as file:
            file.seek(-8, os.SEEK_END)
            file.write(np.float64(199).tobytes())
        os.utime(path, ns=(0, 1))
    want = {"content": 5050, "replaced": 5050, "longer": 5050}[how]
    assert kept(client, file="x.npy") == want
    assert figures(client)["hits"] == 0
    assert total(client, file="x.npy") == want
    assert figures(client)["hits"] == 1


def test_refresh_and_no(cached, tmp_path):
    client = cached()
    path = tmp_path / "x.npy"
    save(path, np.ones(10))
    assert total(client, file="x.npy", cache="no") == 10
    assert figures(client)["files"] == 0
    assert kept(client, file="x.npy") == 10
    # What the marks do not show.
    times = os.stat(path)
    with open(path, "r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write(np.float64(2).tobytes())
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert total(client, file="x.npy", cache="use") == 10
    assert total(client, file="x.npy", cache="no") == 11
    assert total(client, file="x.npy") == 10
    assert total(client, file="x.npy", cache="refresh") == 11
    assert total(client, file="x.npy") == 11
    assert figures(client)["files"] == 1


def test_the_same_bytes_as_other_elements(cached, tmp_path):
    client = cached()
    x = np.arange(64, dtype="<i4")
    (tmp_path / "x.bin").write_bytes(x.tobytes())

    def views():
        yield {"dtype": "int32"}, int(x.sum())
        yield {"dtype": "int32", "byteorder": "big"}, int(x.view(">i4").astype("i8").sum())
        yield {"dtype": "uint8"}, int(x.view("u1").sum())
        yield {"dtype": "int32", "offset": 4}, int(x[1:].sum())
        yield {"dtype": "int32", "shape": [8, 8]}, int(x.sum())

    for _ in range(3):
        for members, want in views():
            assert total(client, file="x.bin", **members) == want, members
    assert figures(client)["files"] == 5 and figures(client)["hits"] == 5
    answer = client.reduce("sum", file="x.bin", dtype="int32", shape=[8, 8], axis=1).json()
    assert answer["results"]["sum"] == x.reshape(8, 8).sum(1).tolist()


def test_lists_globs_orders_and_pairs(cached, tmp_path):
    client = cached()
    x = np.arange(12.0).reshape(4, 3)
    np.save(tmp_path / "f.npy", np.asfortranarray(x))
    np.save(tmp_path / "a1.npy", x)
    np.save(tmp_path / "a2.npy", x + 1)
    for _ in range(3):
        assert client.reduce("sum", file="f.npy", axis=0).json()["results"]["sum"] == x.sum(0).tolist()
        assert total(client, files=["a1.npy", "a2.npy"]) == 2 * x.sum() + 12
        assert client.reduce("argmax", files=["a2.npy", "a1.npy"]).json()["results"]["argmax"] == 11
        assert total(client, files="a*.npy") == 2 * x.sum() + 12
        dot = client.reduce("dot", file="a1.npy", **{"with": {"file": "a2.npy"}})
        assert dot.json()["results"]["dot"] == (x * (x + 1)).sum()
    assert figures(client)["hits"] >= 7


def test_the_least_recently_used_goes_first(cached, tmp_path):
    client = cached()
    for name in "abcd":
        save(tmp_path / f"{name}.npy", np.full(2 * MiB // 8, ord(name), dtype="f8"))
        assert kept(client, file=f"{name}.npy") == ord(name) * 2 * MiB / 8
    assert figures(client)["files"] == 4 and figures(client)["bytes"] == 8 * MiB
    total(client, file="a.npy")
    save(tmp_path / "e.npy", np.zeros(2 * MiB // 8))
    kept(client, file="e.npy")  # b goes
    before = figures(client)["hits"]
    for name, hit in (("a", 1), ("e", 1), ("b", 0)):
        total(client, file=f"{name}.npy")
        found = figures(client)["hits"]
        assert found - before == hit, name
        before = found


def test_what_does_not_fit_is_not_kept(cached, tmp_path):
    client = cached()
    save(tmp_path / "small.npy", np.ones(10))
    save(tmp_path / "large.npy", np.ones(9 * MiB // 8))
    kept(client, file="small.npy")
    for _ in range(3):
        assert total(client, file="large.npy") == 9 * MiB / 8
    assert figures(client)["files"] == 1 and figures(client)["hits"] == 0
    total(client, file="small.npy")
    assert figures(client)["hits"] == 1


def test_arrays_come_first(cached, tmp_path):
    client = cached()
    save(tmp_path / "x.npy", np.ones(7 * MiB // 8))
    kept(client, file="x.npy")
    assert figures(client)["files"] == 1
    body = npy(np.zeros(12 * MiB // 8), "float64")
    headers = {"Content-Type": "application/x-npy"}
    assert client.request("PUT", "/v1/arrays/big", body, headers).status == 201
    assert figures(client)["files"] == 0
    # No room is left: the file is read as before.
    assert total(client, file="x.npy") == 7 * MiB / 8
    assert figures(client)["files"] == 0
    assert client.request("PUT", "/v1/arrays/more", body, headers).status == 507
    assert client.request("DELETE", "/v1/arrays/big").status == 204
    total(client, file="x.npy")
    assert figures(client)["files"] == 1


def test_off(cached, tmp_path):
    client = cached("--set", "arrays.cache=0")
    save(tmp_path / "x.npy", np.ones(10))
    for _ in range(3):
        assert total(client, file="x.npy") == 10
    found = figures(client)
    assert (found["limit"], found["files"], found["hits"]) == (0, 0, 0)


def test_rights_are_asked_first(cached, tmp_path):
    """A path that is no longer allowed, or gone, is no hit."""
    client = cached()
    outside = tmp_path.parent / "outside.npy"
    save(outside, np.ones(5))
    save(tmp_path / "real.npy", np.ones(4))
    link = tmp_path / "link.npy"
    link.symlink_to("real.npy")
    assert kept(client, file="link.npy") == 4
    link.unlink()
    link.symlink_to(outside)
    assert client.reduce("sum", file="link.npy").problem()["code"] == "path_forbidden"
    link.unlink()
    assert client.reduce("sum", file="link.npy").problem()["code"] == "file_not_found"
    if os.geteuid() != 0:
        (tmp_path / "real.npy").chmod(0)
        assert client.reduce("sum", file="real.npy").status != 200


def test_a_member_of_files_only(cached, tmp_path):
    client = cached()
    save(tmp_path / "x.npy", np.ones(3))
    problem = client.reduce("sum", data=[1], cache="no").problem()
    assert problem["code"] == "bad_job" and problem["pointer"] == "/cache"
    problem = client.reduce("sum", file="x.npy", cache="never").problem()
    assert problem["code"] == "bad_value" and problem["pointer"] == "/cache"
    answer = client.post("/v1/reduce", "op=sum&file=x.npy&cache=refresh")
    assert answer.json()["results"]["sum"] == 3
    with_file = {"with": {"file": "x.npy"}, "cache": "no"}
    assert client.reduce("dot", data=[1.0, 2.0, 3.0], **with_file).json()["results"]["dot"] == 6


def test_an_error_in_a_file_keeps_nothing(cached, tmp_path):
    client = cached()
    save(tmp_path / "x.npy", np.array([1.0, np.nan]))
    assert client.reduce("sum", file="x.npy", nan="error").problem()["code"] == "nan_found"
    assert total(client, file="x.npy", nan="omit") == 1  # the elements are good
    with open(tmp_path / "x.npy", "r+b") as file:
        file.truncate(100)
    assert client.reduce("sum", file="x.npy").status == 422
    assert figures(client)["files"] == 1


def test_many_at_once(cached, tmp_path):
    """Readers of the same files, some made anew, while entries come and go."""
    client = cached()
    client.close()
    wants = {}
    for i in range(6):
        wants[f"x{i}.npy"] = save(tmp_path / f"x{i}.npy", np.full(3 * MiB // 16, i, "f8")).sum()
    failures = []

    def ask(seed):
        mine = client.__class__(client.address)
        rng = np.random.default_rng(seed)
        for _ in range(40):
            name = f"x{rng.integers(6)}.npy"
            rule = ["use", "use", "use", "refresh", "no"][rng.integers(5)]
            got = mine.reduce("sum", determinism="exact", file=name, cache=rule).json()
            if got["results"]["sum"] != wants[name]:
                failures.append((name, rule, got))

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failures, failures[:3]
    found = figures(client)
    assert found["bytes"] <= found["limit"] and found["hits"] > 0
    assert client.get("/v1/arrays").json()["bytes"] == 0  # nothing is held that nobody has


FAKE = build_folder() / "tests/unit/gpu/foldd_fake"


@pytest.mark.skipif(not FAKE.exists(), reason="built without CUDA: no fake device")
def test_a_device_keeps_at_once_and_computes(start, tmp_path):
    one = start("--root", tmp_path, executable=FAKE)
    client = one.client()
    x = save(tmp_path / "x.npy", np.arange(1000.0))
    for hits in range(2):
        answer = client.reduce("sum", file="x.npy").json()
        assert answer["results"]["sum"] == x.sum() and answer["backend"] == "cuda:0"
        assert figures(client)["files"] == 1 and figures(client)["hits"] == hits
    assert client.reduce("sum", file="x.npy", backend="cpu").json()["backend"] == "cpu"
