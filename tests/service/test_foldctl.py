"""foldctl against a real daemon: where arrays come from, what is shown, exit codes."""

import io
import json
import math
import os
import re
import socket
import subprocess
import threading
import time

import numpy as np
import pytest

from harness.daemon import REPORTS, program

OK, FAILED, USAGE, UNREACHABLE, BUSY, LOCAL = range(6)


class Foldctl:
    """Runs foldctl against one server; every run is checked for sanitizers' reports."""

    def __init__(self, port):
        self.environment = {**os.environ, "FOLDD_URL": f"http://127.0.0.1:{port}"}

    def __call__(self, *words, stdin=b"", expect=OK, cwd=None, pass_fds=()):
        ended = subprocess.run(
            [str(program("foldctl")), *map(str, words)],
            input=stdin,
            capture_output=True,
            env=self.environment,
            cwd=cwd,
            pass_fds=pass_fds,
            timeout=300,
        )
        stderr = ended.stderr.decode(errors="replace")
        assert not REPORTS.search(stderr), stderr
        assert ended.returncode == expect, (ended.returncode, ended.stdout[-2000:], stderr)
        return ended.stdout, stderr

    def table(self, *words, **more):
        return self(*words, **more)[0].decode().splitlines()

    def json(self, *words, **more):
        return json.loads(self(*words, "--json", **more)[0])

    def results(self, *words, **more):
        return self.json(*words, **more)["results"]


@pytest.fixture
def foldctl(daemon):
    return Foldctl(daemon.port)


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


# -- where the array is ---------------------------------------------------


def test_numbers(foldctl):
    assert foldctl.results("reduce", "sum,max", 1, -2, 3.5) == {"sum": 2.5, "max": 3.5}
    assert foldctl.results("reduce", "sum", 9007199254740993, 1) == {"sum": 9007199254740994}
    assert foldctl.results("reduce", "max", "18446744073709551615") == {"max": 2**64 - 1}
    assert foldctl.results("reduce", "min", "-inf", "+.5") == {"min": "-Infinity"}
    assert foldctl.results("reduce", "sum", "--axis", 1, "[[1, 2], [3, 4]]") == {"sum": [3, 7]}
    assert foldctl.results("reduce", "sum", "--dtype", "float32", 0.1)["sum"] == 0.1
    assert foldctl.results("reduce", "any,all", "true", "false") == {"any": True, "all": False}


@pytest.mark.parametrize("text", ["1 2,3;4\n5\n", "[1, 2, 3, 4, 5]", "\n[[1],[2],[3],[4],[5]]\n"])
def test_text(foldctl, tmp_path, text):
    (tmp_path / "x").write_text(text)
    assert foldctl.results("reduce", "sum", "-", stdin=text.encode()) == {"sum": 15}
    assert foldctl.results("reduce", "sum", "-f", tmp_path / "x") == {"sum": 15}


def test_no_text_at_all(foldctl):
    assert foldctl.results("reduce", "sum,count", "-") == {"sum": 0.0, "count": 0}


def test_long_text_is_streamed(foldctl):
    values = np.random.default_rng(1).standard_normal(100_000).tolist()
    text = "\n".join(map(repr, values)).encode()
    assert foldctl.results("reduce", "sum", "--exact", "-", stdin=text) == {"sum": math.fsum(values)}


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("code", ["<f8", ">f4", "<i2", "?"])
def test_npy(foldctl, tmp_path, code, order):
    array = np.asarray(np.arange(24).reshape(2, 3, 4) % 7, dtype=code, order=order)
    np.save(tmp_path / "x.npy", array)
    expected = {"sum": array.sum(axis=(0, 2)).tolist()}
    words = ("reduce", "sum", "--axis", "0,-1")
    assert foldctl.results(*words, "-f", tmp_path / "x.npy") == expected
    assert foldctl.results(*words, "-", stdin=npy(array)) == expected


def test_raw(foldctl, tmp_path):
    array = np.arange(12, dtype=">i4").reshape(3, 4)
    (tmp_path / "x").write_bytes(array.tobytes())
    words = ("--dtype", "int32", "--shape", "3,4", "--byteorder", "big", "--axis", 0)
    expected = {"sum": array.sum(axis=0).tolist()}
    assert foldctl.results("reduce", "sum", "-f", tmp_path / "x", *words) == expected
    assert foldctl.results("reduce", "sum", "-", *words, stdin=array.tobytes()) == expected


def test_raw_that_begins_as_npy(foldctl, tmp_path):
    np.save(tmp_path / "x.npy", np.arange(4.0))
    data = (tmp_path / "x.npy").read_bytes()
    words = ("reduce", "sum,count", "--format", "raw", "--dtype", "uint8")
    expected = {"sum": sum(data), "count": len(data)}
    assert foldctl.results(*words, "-f", tmp_path / "x.npy") == expected
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    _, stderr = foldctl(*words, "-f", f"/dev/fd/{read}", expect=USAGE, pass_fds=(read,))
    os.close(read)
    assert "must be a file" in stderr


@pytest.mark.parametrize("content", [b"", b"1 2 3\n"])
def test_what_is_named_npy_is_npy(foldctl, tmp_path, content):
    """A download that broke is no array of nothing."""
    (tmp_path / "x.npy").write_bytes(content)
    _, stderr = foldctl("reduce", "sum", "-f", tmp_path / "x.npy", expect=FAILED)
    assert "bad_npy" in stderr
    (tmp_path / "x.npy").write_bytes(b"1 2 3\n")
    assert foldctl.results("reduce", "sum", "--format", "text", "-f", tmp_path / "x.npy") == {"sum": 6}


def test_text_read_as_raw_is_warned_of(foldctl, tmp_path):
    (tmp_path / "x").write_bytes(b"1.5 2.5\n")
    words = ("reduce", "count", "-f", tmp_path / "x", "--dtype", "float32")
    assert "looks like text" in foldctl(*words)[1]
    assert foldctl(*words, "--format", "raw")[1] == ""
    assert foldctl(*words, "--format", "text")[1] == ""
    (tmp_path / "x").write_bytes(np.arange(4, dtype="<f4").tobytes())
    assert foldctl(*words)[1] == ""


def test_pipe_is_read_to_its_end(foldctl, daemon):
    """A pipe that has no size and stalls; foldctl and daemon hold none of it."""
    read, write = os.pipe()
    array = np.ones(1 << 20, "<f4")
    count = 24

    def feed():
        with os.fdopen(write, "wb") as stream:
            for _ in range(count):
                stream.write(array.tobytes())
                stream.flush()

    feeder = threading.Thread(target=feed)
    feeder.start()
    child = subprocess.Popen(
        [str(program("foldctl")), "reduce", "sum,count", "-", "--dtype", "float32", "--json"],
        stdin=read,
        stdout=subprocess.PIPE,
        env=foldctl.environment,
    )
    os.close(read)
    out, _ = child.communicate(timeout=120)
    feeder.join()
    assert child.returncode == OK
    expected = count << 20
    assert json.loads(out)["results"] == {"sum": float(expected), "count": expected}


def test_standard_input_is_a_file(foldctl, tmp_path):
    """Its size is known then: Content-Length, not chunked; from the offset on."""
    (tmp_path / "x").write_bytes(b"skipped!" + np.arange(3.0).tobytes())
    with open(tmp_path / "x", "rb") as file:
        os.lseek(file.fileno(), 8, os.SEEK_SET)
        ended = subprocess.run(
            [str(program("foldctl")), "reduce", "sum", "-", "--dtype", "float64", "--json"],
            stdin=file,
            capture_output=True,
            env=foldctl.environment,
        )
    assert ended.returncode == OK, ended.stderr
    assert json.loads(ended.stdout)["results"] == {"sum": 3.0}


def test_server_files(foldctl, roots):
    np.save(roots.read / "ctl 1,a.npy", np.array([1.0, 2.0]))
    np.save(roots.read / "ctl 2,a.npy", np.array([4.0]))
    (roots.read / "ctl.raw").write_bytes(b"\xff" * 8 + np.array([3, 4], "<i2").tobytes())
    assert foldctl.results("reduce", "sum", "--path", "ctl 1,a.npy") == {"sum": 3.0}
    assert foldctl.results("reduce", "sum", "--paths", "ctl ?,a.npy") == {"sum": 7.0}
    two = ("--paths", "ctl 2,a.npy", "--paths", "ctl 1,a.npy")
    assert foldctl.results("scan", "sum", *two) == {"sum": [4.0, 5.0, 7.0]}
    raw = ("--path", "ctl.raw", "--format", "raw", "--dtype", "int16", "--offset", 8)
    assert foldctl.results("reduce", "sum", *raw) == {"sum": 7}


def test_dot(foldctl, tmp_path, roots):
    x, y = np.arange(5.0), np.arange(5.0) + 1
    expected = {"dot": float(x @ y)}
    for folder in (tmp_path, roots.read):
        np.save(folder / "ctl-y.npy", y)
    np.save(tmp_path / "x.npy", x)
    numbers = [str(value) for value in x]
    withs = [
        ("--with", "1 2,3;4\n5", "--dtype", "float64"),
        ("--with", "[1.0, 2, 3, 4, 5]"),
        ("--with-path", "ctl-y.npy"),
        ("--with-file", tmp_path / "ctl-y.npy"),
    ]
    for words in withs:
        assert foldctl.results("reduce", "dot", *words, *numbers) == expected
        assert foldctl.results("reduce", "dot", *words, "-f", tmp_path / "x.npy") == expected
    raw = x.tobytes()
    (tmp_path / "x.raw").write_bytes(raw)
    (tmp_path / "y.raw").write_bytes(y.tobytes())
    words = ("-f", tmp_path / "x.raw", "--with-file", tmp_path / "y.raw", "--dtype", "float64")
    assert foldctl.results("reduce", "dot", *words) == expected


def test_segments(foldctl, tmp_path, roots):
    offsets = np.array([0, 2, 2, 5])
    for folder in (tmp_path, roots.read):
        np.save(folder / "ctl-offsets.npy", offsets)
    np.save(tmp_path / "x.npy", np.arange(5))
    sources = [("0", "1", "2", "3", "4"), ("-f", tmp_path / "x.npy")]
    for source in sources:
        for words in (
            ("--segments", "0,2,2,5"),
            ("--segments-file", tmp_path / "ctl-offsets.npy"),
            ("--segments-path", "ctl-offsets.npy"),
        ):
            got = foldctl.results("reduce", "max", "--empty-null", *words, *source)
            assert got == {"max": [1, None, 4]}


# -- the job's members ----------------------------------------------------


def test_members(foldctl, tmp_path):
    np.save(tmp_path / "x.npy", np.array([[1.0, np.nan], [3.0, 5.0]]))
    file = ("-f", tmp_path / "x.npy")
    assert foldctl.results("reduce", "sum", "--nan", "omit", *file) == {"sum": 9.0}
    words = ("--axis", 0, "--keepdims", "--nan", "omit")
    assert foldctl.results("reduce", "sum", *words, *file) == {"sum": [[4.0, 5.0]]}
    assert foldctl.results("reduce", "sum", "--axis", "[]", 1, 2) == {"sum": [1, 2]}
    assert foldctl.results("reduce", "var", "--ddof", 1, 1, 2, 4)["var"] == pytest.approx(7 / 3)
    assert foldctl.results("reduce", "argmax", "--index-base", 100, 1, 3, 2) == {"argmax": 101}
    assert foldctl.results("scan", "sum", "--exclusive", 1, 2, 3) == {"sum": [0, 1, 3]}
    big = (2**63 - 1, 1)
    assert foldctl.results("reduce", "sum", "--overflow", "saturate", *big) == {"sum": 2**63 - 1}
    assert foldctl.results("reduce", "sum", "--overflow", "wrap", *big) == {"sum": -(2**63)}
    assert foldctl.json("reduce", "sum", "--bits", 1.0)["bits"] == {"sum": "0x3ff0000000000000"}
    assert foldctl.json("reduce", "sum", "--backend", "cpu", 1)["backend"] == "cpu"
    assert foldctl.results("reduce", "sum", "--timeout", 30, 1) == {"sum": 1}
    assert "/cache" in foldctl("reduce", "sum", "--cache", "no", 1, expect=FAILED)[1]


def test_out_dtype(foldctl, tmp_path):
    assert foldctl.json("reduce", "mean", "--out-dtype", "float16", 1, 2)["dtype"] == {
        "mean": "float16"
    }
    np.save(tmp_path / "x.npy", np.arange(3))
    words = ("--out-dtype", "sum:float32,lp:1.5:float16", "-f", tmp_path / "x.npy")
    dtype = foldctl.json("reduce", "sum,mean,lp:1.5", *words)["dtype"]
    assert dtype == {"sum": "float32", "mean": "float64", "lp:1.5": "float16"}


def test_exact(foldctl):
    hard = ("1e16", "1", "-1e16")
    assert foldctl.results("reduce", "sum", "--exact", *hard) == {"sum": 1.0}
    answer = foldctl.json("reduce", "sum", "--determinism", "exact", *hard)
    assert answer["combine"] == {"sum": "superaccumulator"}


# -- what is shown --------------------------------------------------------


def test_table_of_scalars(foldctl):
    lines = foldctl.table("reduce", "sum,max", 1, 2, 3.5)
    assert lines[0].split() == ["op", "value", "dtype", "promise", "combine"]
    assert lines[1].split() == ["sum", "6.5", "float64", "ordered", "two-pass"]
    assert lines[2].split() == ["max", "3.5", "float64", "ordered", "order-free"]
    assert re.fullmatch(r"3 elements, backend cpu, order 1, \d+ us", lines[3])
    assert foldctl.table("reduce", "sum", "--bits", 1.0)[1].split()[-1] == "0x3ff0000000000000"
    # Exact integers, beyond what a JSON library's integer or double holds.
    assert "18446744073709551615" in foldctl.table("reduce", "max", 2**64 - 1)[1].split()


def test_table_of_arrays(foldctl):
    lines = foldctl.table("reduce", "sum,argmax", "--axis", 0, "[[1, 20], [3, 4]]")
    assert [line.split() for line in lines[2:5]] == [
        ["index", "sum", "argmax"],
        ["0", "4", "1"],
        ["1", "24", "0"],
    ]
    lines = foldctl.table("scan", "sum", "--axis", 1, "[[1, 20], [3, 4]]")
    assert [line.split() for line in lines[1:4]] == [
        ["0", "1"],
        ["0", "1", "21"],
        ["1", "3", "7"],
    ]
    lines = foldctl.table("scan", "sum", "--rows", 2, *range(100))
    assert [line.split() for line in lines[2:5]] == [["0", "0"], ["...", "..."], ["99", "4950"]]
    assert len(foldctl.table("scan", "sum", "--rows", 0, *range(100))) == 103


def test_npy_answers(foldctl, tmp_path):
    array = np.arange(6.0).reshape(2, 3)
    np.save(tmp_path / "x.npy", array)
    file = ("-f", tmp_path / "x.npy")
    out, _ = foldctl("scan", "sum", "--axis", 1, *file, "--npy", "-")
    assert np.array_equal(np.load(io.BytesIO(out)), array.cumsum(axis=1))
    foldctl("scan", "sum", "--axis", 1, *file, "--npy", tmp_path / "y.npy")
    assert np.array_equal(np.load(tmp_path / "y.npy"), array.cumsum(axis=1))
    foldctl("reduce", "sum,max", "--axis", 0, *file, "--npy", tmp_path / "y.npz")
    with np.load(tmp_path / "y.npz") as loaded:
        assert np.array_equal(loaded["sum"], array.sum(axis=0))
        assert np.array_equal(loaded["max"], array.max(axis=0))
    out, _ = foldctl("reduce", "mean", *file, "--npy", "-")
    assert np.load(io.BytesIO(out)).shape == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.npy", "y.npy", "y.npz"]


def test_failed_npy_leaves_nothing(foldctl, tmp_path):
    (tmp_path / "y.npy").write_bytes(b"before")
    foldctl("reduce", "max", "[]", "--npy", tmp_path / "y.npy", expect=FAILED)
    foldctl("reduce", "max", "1", "--npy", tmp_path / "no" / "y.npy", expect=LOCAL)
    assert (tmp_path / "y.npy").read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["y.npy"]


def test_output_on_the_server(foldctl, roots, tmp_path):
    words = ("scan", "sum", 1, 2, 3, "--output", roots.write / "ctl out.npy")
    (line, _) = foldctl.table(*words)
    assert line == f"sum: int64 [3] written to {roots.write / 'ctl out.npy'}"
    assert np.load(roots.write / "ctl out.npy").tolist() == [1, 3, 6]
    _, stderr = foldctl(*words, expect=FAILED)
    assert "file_exists" in stderr
    np.save(tmp_path / "x.npy", np.arange(4.0))
    foldctl(*words[:2], "-f", tmp_path / "x.npy", *words[5:], "--overwrite")
    assert np.load(roots.write / "ctl out.npy").tolist() == [0, 1, 3, 6]


def test_json_is_the_servers(foldctl, client):
    out, _ = foldctl("reduce", "sum", "--json", 1, 2.5)
    body = b'{"op": "sum", "data": [1, 2.5]}'
    answer = client.request(
        "POST", "/v1/reduce", body, {"Content-Type": "application/json"}
    ).text()
    ignore = r'"elapsed_us": ?\{[^}]*\}'
    assert re.sub(ignore, "", out.decode().rstrip("\n")) == re.sub(ignore, "", answer.rstrip("\n"))


def test_info(foldctl):
    info = foldctl.json("info")
    text = "\n".join(foldctl.table("info"))
    assert info["version"] in text
    assert info["backends"][0]["name"] in text
    assert "logsumexp" in text


# -- batches --------------------------------------------------------------

JOBS = [
    {"kind": "reduce", "op": "sum", "data": [1, 2, 3]},
    {"kind": "scan", "op": "max", "data": [2, 1, 3]},
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"jobs": JOBS}),
        json.dumps({"jobs": JOBS}, indent=2),
        json.dumps(JOBS),
        "\n" + "\n\n".join(map(json.dumps, JOBS)) + "\n",
        "\r\n".join(map(json.dumps, JOBS)),
    ],
)
def test_batch(foldctl, tmp_path, text):
    (tmp_path / "jobs").write_text(text)
    for words, stdin in ((("batch", tmp_path / "jobs"), b""), (("batch",), text.encode())):
        results = foldctl.results(*words, stdin=stdin)
        assert [entry["results"] for entry in results] == [{"sum": 6}, {"max": [2, 2, 3]}]
        lines = foldctl.table(*words, stdin=stdin)
        assert lines[0] == "job 0" and lines[2].split()[:2] == ["sum", "6"]
        assert "job 1" in lines


def test_batch_with_failures(foldctl):
    jobs = [*JOBS, {"kind": "reduce", "op": "summ", "data": [1]}]
    text = "\n".join(map(json.dumps, jobs)).encode()
    out, stderr = foldctl("batch", "-", stdin=text, expect=FAILED)
    assert b"job 0" in out and b"job 1" in out and b"job 2" not in out
    assert re.search(r"job 2: unknown_op: .*\(at /op\)", stderr)
    out, _ = foldctl("batch", "--json", stdin=text, expect=FAILED)
    assert json.loads(out)["results"][2]["code"] == "unknown_op"
    _, stderr = foldctl("batch", stdin=b'{"jobs": 3}', expect=FAILED)
    assert "/jobs" in stderr


# -- parts ----------------------------------------------------------------

HARD = [1e16, 1.0, 0.5, -1e16, 3.0]


def part(foldctl, target, values, op="sum,max"):
    out, _ = foldctl("reduce", op, "--exact", "-o", target, "--", *values)
    return out


def test_partial_options(foldctl, tmp_path):
    words = ("reduce", "sum,max", "--exact", *HARD)
    plain = foldctl.table(*words)
    table = foldctl.table(*words, "--partial")
    assert table[-1].startswith("partial: ") and table[:3] == plain[:3]
    text = table[-1].removeprefix("partial: ")
    assert foldctl.json(*words, "--partial")["partial"] == text
    assert "partial" not in foldctl.json(*words)
    assert foldctl.table(*words, "-o", tmp_path / "a")[:3] == plain[:3]
    assert (tmp_path / "a").read_text() == text + "\n"
    assert foldctl.table(*words, "--partial-file", "-") == [text]
    assert foldctl.json(*words, "--partial", "-o", tmp_path / "b")["partial"] == text
    assert (tmp_path / "b").read_text() == text + "\n"
    np.save(tmp_path / "x.npy", np.array(HARD))
    assert foldctl.table("reduce", "max,sum", "--exact", "-f", tmp_path / "x.npy", "-o", "-") == [text]


def test_where_a_partial_goes(foldctl, tmp_path):
    """Files are replaced through links and keep their mode; what is no file is written."""
    words = ("reduce", "sum", "--exact", 1.5)
    text = foldctl.table(*words, "-o", "-")[0] + "\n"
    file, link, fifo = (tmp_path / name for name in ("file", "link", "fifo"))
    file.write_text("before")
    file.chmod(0o640)
    link.symlink_to("file")
    foldctl(*words, "-o", link)
    assert link.is_symlink() and file.read_text() == text and file.stat().st_mode & 0o7777 == 0o640
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    foldctl(*words, "-o", fifo)
    assert fifo.is_fifo() and os.read(reader, 4096).decode() == text
    os.close(reader)
    foldctl(*words, "-o", "/dev/null")
    assert not os.path.isfile("/dev/null")
    assert text in foldctl(*words, "-o", "/dev/stdout")[0].decode()
    with open(file, "ab") as stream:  # a shell's >>
        foldctl(*words, "-o", f"/dev/fd/{stream.fileno()}", pass_fds=[stream.fileno()])
        foldctl(*words, "--npy", f"/dev/fd/{stream.fileno()}", pass_fds=[stream.fileno()])
    content = file.read_bytes()
    assert content.startswith(2 * text.encode()) and content[2 * len(text) :][:6] == b"\x93NUMPY"


def test_merge(foldctl, tmp_path):
    whole = foldctl.json("reduce", "max,sum", "--exact", "--bits", "--partial", *HARD)
    a, b = tmp_path / "a", tmp_path / "b"
    part(foldctl, a, HARD[:2])
    part(foldctl, b, HARD[2:])
    words = ("merge", a, b)
    for files in ((a, b), (b, a)):
        answer = foldctl.json("merge", *files, "--bits", "--partial")
        for member in ("results", "bits", "dtype", "count", "partial"):
            assert answer[member] == whole[member]
    table = foldctl.table(*words, "--bits")
    assert table[0].split() == ["op", "value", "dtype", "promise", "combine", "bits"]
    assert table[2].split() == ["sum", "4.5", "float64", "exact", "superaccumulator", whole["bits"]["sum"]]
    assert re.fullmatch(r"5 elements, backend merge, order 1, \d+ us", table[3])
    assert foldctl.table(*words, "-o", "-") == [whole["partial"]]
    foldctl(*words, "-o", tmp_path / "c")
    assert foldctl.results("merge", tmp_path / "c") == whole["results"]
    again = (tmp_path / "c").read_bytes()
    assert foldctl.results("merge", "-", stdin=again) == whole["results"]


def test_merge_takes_answers(foldctl, tmp_path):
    """Of foldctl, of a batch, lists, and several in one file."""
    answers = [
        foldctl("reduce", "sum,max", "--exact", "--partial", "--json", *values)[0]
        for values in (HARD[:1], HARD[1:3], HARD[3:])
    ]
    wanted = {"max": 1e16, "sum": 4.5}
    files = [tmp_path / f"{i}.json" for i in range(3)]
    for file, answer in zip(files, answers):
        file.write_bytes(answer)
    assert foldctl.results("merge", *files) == wanted
    partials = [json.loads(answer)["partial"] for answer in answers]
    mixed = [partials[0], json.loads(answers[1]), [partials[2]]]
    for text in (
        b"[" + b",".join(answers) + b"]",
        json.dumps(mixed).encode(),
        "\n".join(partials).encode(),
        json.dumps({"results": mixed}).encode(),
    ):
        assert foldctl.results("merge", "-", stdin=text) == wanted
    jobs = [
        {"kind": "reduce", "op": ["sum", "max"], "data": [x], "determinism": "exact", "partial": True}
        for x in HARD
    ]
    batch, _ = foldctl("batch", "--json", stdin=json.dumps(jobs).encode())
    assert foldctl.results("merge", "-", stdin=batch) == wanted


def test_merge_takes_broken_lines(foldctl, tmp_path):
    """As base64(1) and mail write them, two in one file, and behind a mark of UTF-8."""
    parts = [foldctl.table("reduce", "sum,max", "--exact", "-o", "-", "--", x, *HARD)[0] for x in (1, 2)]
    broken = "".join(f"{part[i : i + 64]}\r\n" for part in parts for i in range(0, len(part), 64))
    assert broken.count("\n") > 2
    for text in (broken.encode(), b"\xef\xbb\xbf" + broken.encode()):
        assert foldctl.results("merge", "-", stdin=text) == {"max": 1e16, "sum": 12.0}


def test_merge_choices(foldctl, tmp_path):
    part(foldctl, tmp_path / "a", (1, 2.5, 4), "var,sum")
    answer = foldctl.json("merge", tmp_path / "a", "--ddof", 1, "--out-dtype", "sum:float32")
    assert answer["results"] == {"sum": 7.5, "var": 2.25}
    assert answer["dtype"] == {"sum": "float32", "var": "float64"}


def test_merge_names_the_file(foldctl, tmp_path):
    good, other, several = (tmp_path / name for name in ("good", "other", "several"))
    part(foldctl, good, (1.5,))
    part(foldctl, other, (1.5,), "sum")
    several.write_text(good.read_text() * 2 + "Zm9v\n")
    _, stderr = foldctl("merge", good, other, expect=FAILED)
    assert stderr.startswith(f"foldctl: {other}: partials_differ: ") and "(at /partials/1)" in stderr
    _, stderr = foldctl("merge", good, several, expect=FAILED)
    assert stderr.startswith(f"foldctl: {several}, partial result 3: bad_value: ")
    out, stderr = foldctl("merge", "-", other, "--json", stdin=good.read_bytes(), expect=FAILED)
    assert json.loads(out)["code"] == "partials_differ" and f"{other}: partials_differ" in stderr
    _, stderr = foldctl("merge", other, good, "-o", tmp_path / "no", expect=FAILED)
    assert f"{good}: partials_differ" in stderr and not (tmp_path / "no").exists()
    _, stderr = foldctl("merge", good, "--ddof", 1, expect=FAILED)
    assert stderr.startswith("foldctl: bad_job: ") and "(at /ddof)" in stderr


def test_merge_of_other_files(foldctl, tmp_path):
    file = tmp_path / "x"
    for content, words in (
        (b"", "holds no partial result"),
        (npy(np.arange(3)), "NUL"),
        (b'{"results": {"sum": 1}}', "without `partial`"),
        (b'{"code": "empty_input", "status": 422}', "failed job (empty_input)"),
        (b'{"partial": ', "is no JSON"),
        (b'{"partial": "Zm9v"} x', "is no JSON"),
        (b'{"partial": "Zm9v"}\n{"partial": "Zm9v"}\n', "holds more than one JSON value"),
        (b'{"count": 1.5}[]', "holds more than one JSON value"),
        (b'{"partial": true}', "its `partial` is no string"),
        (b"a-b", "'a-b' is no partial result"),
    ):
        file.write_bytes(content)
        _, stderr = foldctl("merge", file, expect=LOCAL)
        assert stderr.startswith(f"foldctl: {file}: ") and words in stderr
    foldctl("merge", tmp_path / "missing", expect=LOCAL)
    part(foldctl, file, (1.5,))
    foldctl("merge", file, "-o", tmp_path / "no" / "x", expect=LOCAL)


# -- what goes wrong ------------------------------------------------------


def test_problems(foldctl):
    out, stderr = foldctl("reduce", "summ", 1, expect=FAILED)
    assert out == b""
    assert re.search(r"unknown_op: .+ \(at /op\)", stderr)
    out, stderr = foldctl("reduce", "max", "[]", "--json", expect=FAILED)
    assert json.loads(out)["code"] == "empty_input"
    assert "empty_input" in stderr
    _, stderr = foldctl("reduce", "sum", "[[1], 2]", expect=FAILED)
    assert "bad_shape" in stderr
    _, stderr = foldctl("reduce", "sum", "--path", "/etc/passwd", expect=FAILED)
    assert "path_forbidden" in stderr
    _, stderr = foldctl("reduce", "sum", 1, "--dtype", "float33", expect=FAILED)
    assert '"float33" (at /dtype)' in stderr


def test_a_problem_of_the_whole_job_has_no_place(foldctl):
    _, stderr = foldctl("batch", stdin=b"[1]", expect=FAILED)
    assert stderr.startswith("foldctl: job 0: bad_job: ") and "(at" not in stderr


def test_refused_upload(foldctl, start, tmp_path):
    """The server answers before the body is through: its reason is shown."""
    small = Foldctl(start("--limit", "body=1M").port)
    with open(tmp_path / "x", "wb") as file:
        file.truncate(64 << 20)
    _, stderr = small("reduce", "sum", "-f", tmp_path / "x", "--dtype", "float64", expect=FAILED)
    assert "too_large" in stderr


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("frobnicate",),
        ("reduce",),
        ("reduce", "sum"),
        ("reduce", "sum", "x.npy"),
        ("reduce", "sum", "1", "-f", "x"),
        ("reduce", "sum", "1", "--nonsense"),
        ("reduce", "sum", "[1, 2"),
        ("reduce", "sum", '[1], "op": [2]'),
        ("reduce", "dot", "1", "--with", "[1"),
        ("info", "--url", ""),
        ("info", "--unix", ""),
        ("info", "--unix", "s", "--url", "http://127.0.0.1:1"),
        ("scan", "sum", "1", "--ddof", "1"),
        ("info", "1"),
        ("batch", "a", "b"),
        ("merge",),
        ("merge", "a", "--npy", "x"),
        ("merge", "a", "-o", "-", "--json"),
        ("reduce", "sum", "1", "--partial", "--npy", "x"),
        ("scan", "sum", "1", "--partial"),
    ],
)
def test_usage(foldctl, words):
    out, stderr = foldctl(*words, expect=USAGE)
    assert out == b"" and "foldctl" in stderr


def test_local_errors(foldctl, tmp_path):
    foldctl("reduce", "sum", "-f", tmp_path / "missing", expect=LOCAL)
    foldctl("reduce", "sum", "-f", tmp_path, expect=LOCAL)
    _, stderr = foldctl("reduce", "sum", "-", stdin=b"1\n2 3\nx\n", expect=LOCAL)
    assert "line 3" in stderr and "'x'" in stderr
    _, stderr = foldctl("reduce", "sum", "-", stdin=b"1 \x1b[31m", expect=LOCAL)
    assert "'\\x1b[31m'" in stderr
    foldctl("batch", tmp_path / "missing", expect=LOCAL)


@pytest.mark.parametrize("words", [("reduce", "sum", "1"), ("info",), ("--help",), ("scan", "--help")])
def test_full_disk(foldctl, words):
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [str(program("foldctl")), *words], stdout=full, stderr=subprocess.PIPE, env=foldctl.environment
        )
    assert ended.returncode == LOCAL and b"standard output" in ended.stderr


def test_a_bad_text_breaks_the_upload_off(foldctl, daemon):
    """The daemon has seen half a job then, and must go on working."""
    text = b"1 " * 200_000 + b"oops"
    _, stderr = foldctl("reduce", "sum", "-", stdin=text, expect=LOCAL)
    assert "oops" in stderr
    assert foldctl.results("reduce", "sum", 1) == {"sum": 1}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_unreachable(foldctl, tmp_path):
    foldctl("info", "--url", f"http://127.0.0.1:{free_port()}", expect=UNREACHABLE)
    _, stderr = foldctl("info", "--unix", tmp_path / "none", expect=UNREACHABLE)
    assert "none: No such file or directory" in stderr
    foldctl("info", "--url", "ftp://127.0.0.1", expect=UNREACHABLE)


class Fake:
    """A server that answers every request alike, or hangs up."""

    def __init__(self, answer):
        self.answer = answer
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        connection, _ = self.socket.accept()
        with connection:
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(65536)
            head, _, body = data.partition(b"\r\n\r\n")
            size = re.search(rb"Content-Length: (\d+)", head)
            while size and len(body) < int(size.group(1)):
                body += connection.recv(65536)
            connection.sendall(self.answer)

    def __enter__(self):
        return ("--url", f"http://127.0.0.1:{self.socket.getsockname()[1]}/")

    def __exit__(self, *_):
        self.thread.join()
        self.socket.close()


def http(status, body, *headers):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_busy(foldctl, status):
    problem = {"code": "queue_full", "status": int(status[:3]), "detail": "come again"}
    with Fake(http(status, json.dumps(problem).encode(), "Retry-After: 7")) as url:
        _, stderr = foldctl("reduce", "sum", 1, *url, expect=BUSY)
    assert "queue_full: come again" in stderr and "try again in 7 s" in stderr


@pytest.mark.parametrize(
    "answer, code",
    [
        (b"", UNREACHABLE),
        (b"SSH-2.0-x\r\n", UNREACHABLE),
        (http("200 OK", b"<html>"), UNREACHABLE),
        (http("200 OK", b"{}"), UNREACHABLE),
        (http("200 OK", b"[1]"), UNREACHABLE),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", UNREACHABLE),
        (http("400 Bad Request", b"<html>no</html>"), FAILED),
        (http("500 Internal Server Error", b""), FAILED),
    ],
)
def test_not_a_foldd(foldctl, answer, code):
    with Fake(answer) as url:
        foldctl("reduce", "sum", 1, *url, expect=code)


def test_broken_download_leaves_nothing(foldctl, tmp_path):
    answer = http("200 OK", b"x" * 100, "Content-Type: application/x-npy")[:-10]
    with Fake(answer) as url:
        foldctl("reduce", "sum", 1, "--npy", tmp_path / "y.npy", *url, expect=UNREACHABLE)
    assert list(tmp_path.iterdir()) == []


def test_draining(start):
    """A daemon that is asked to end turns foldctl away with 4, or is gone: 3."""
    daemon = start()
    foldctl = Foldctl(daemon.port)
    foldctl("reduce", "sum", 1)
    daemon.stop()
    foldctl("reduce", "sum", 1, expect=UNREACHABLE)


# -- the rest -------------------------------------------------------------


def test_unix_socket(foldctl, daemon):
    out, _ = foldctl("reduce", "sum", 1, 2, "--unix", daemon.unix, "--json")
    assert json.loads(out)["results"] == {"sum": 3}


def test_proxies_are_not_used(daemon):
    foldctl = Foldctl(daemon.port)
    foldctl.environment["http_proxy"] = f"http://127.0.0.1:{free_port()}"
    assert foldctl.results("reduce", "sum", 1) == {"sum": 1}


def test_progress(foldctl):
    """A slow upload says how far it is, on standard error only."""
    child = subprocess.Popen(
        [str(program("foldctl")), "reduce", "sum", "-", "--dtype", "uint8", "--progress", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=foldctl.environment,
    )
    for _ in range(10):
        child.stdin.write(bytes(100_000))
        child.stdin.flush()
        time.sleep(0.15)
    out, stderr = child.communicate(timeout=60)
    assert child.returncode == OK
    assert json.loads(out)["results"] == {"sum": 0}
    lines = stderr.decode().splitlines()
    assert len(lines) >= 2
    assert all(re.fullmatch(r"sent [\d.]+ (B|kB|MB), [\d.]+ (B|kB|MB)/s", line) for line in lines)
    assert lines[-1].startswith("sent 1.00 MB, ")


@pytest.mark.parametrize("command", ["reduce", "scan", "batch", "merge", "array", "info"])
def test_help_names_every_option(foldctl, command):
    text = foldctl(command, "--help")[0].decode()
    assert text.startswith(f"Usage: foldctl {command}")
    assert max(map(len, text.splitlines())) <= 80
    for code in range(6):
        assert f"\n  {code}  " in text
    everywhere = {"url", "unix", "json"}
    jobs = {
        *("file", "path", "paths", "dtype", "shape", "byteorder", "offset", "format", "axis"),
        *("segments", "segments-file", "segments-path", "determinism", "exact", "nan", "overflow"),
        *("out-dtype", "index-base", "bits", "backend", "timeout", "npy", "output", "overwrite"),
        *("cache", "rows", "columns", "progress", "array", "slice", "segments-array"),
    }
    options = {
        "reduce": everywhere
        | jobs
        | {"with", "with-file", "with-path", "with-array", "keepdims", "ddof", "empty-null"}
        | {"partial", "partial-file"},
        "scan": everywhere | jobs | {"exclusive"},
        "batch": everywhere | {"rows", "columns", "progress"},
        "merge": everywhere
        | {"ddof", "out-dtype", "bits", "partial", "partial-file", "progress"}
        | {"exact"},  # in its example
        "array": everywhere
        | {"path", "paths", "dtype", "shape", "byteorder", "offset", "format"}
        | {"new", "npy", "progress", "array", "slice"},  # two in its example
        "info": everywhere,
    }[command]
    assert options == set(re.findall(r"--([a-z][a-z-]*[a-z])", text)) - {"help", "version"}


def test_main_help(foldctl):
    text = foldctl("--help")[0].decode()
    for command in ("reduce", "scan", "batch", "merge", "info"):
        assert f"\n  {command} " in text
    assert foldctl("--version")[0].decode().startswith("foldctl ")


# -- arrays that stay -------------------------------------------------------


@pytest.fixture
def no_arrays(foldctl):
    yield foldctl
    for array in foldctl.json("array", "list")["arrays"]:
        foldctl("array", "delete", array["name"])


def test_arrays(no_arrays, tmp_path):
    foldctl = no_arrays
    x = np.arange(12.0).reshape(4, 3)
    file = tmp_path / "x.npy"
    np.save(file, x)
    assert foldctl.table("array", "list") == [
        f"0 arrays, 0 of {foldctl.json('array', 'list')['budget']} bytes"
    ]
    shown = foldctl.table("array", "put", "x", file)
    assert shown == foldctl.table("array", "show", "x")
    assert "shape    (4, 3)" in shown
    foldctl("array", "get", "x", "-o", tmp_path / "y.npy")
    assert (np.load(tmp_path / "y.npy") == x).all()
    assert foldctl("array", "get", "x", "--npy", "-")[0] == file.read_bytes()
    assert foldctl.results("reduce", "sum,max", "--array", "x") == {"sum": 66.0, "max": 11.0}
    assert foldctl.results("reduce", "sum", "--array", "x", "--slice", "1,2") == {"sum": 12.0}
    assert foldctl.results("scan", "sum", "--array", "x", "--slice", "0,1") == {
        "sum": [0.0, 1.0, 3.0]
    }
    assert foldctl.results("reduce", "dot", "--array", "x", "--with-array", "x") == {"dot": 506.0}
    dot = foldctl.results("reduce", "dot", "--with-array", "x", "-f", file)
    assert dot == {"dot": 506.0}
    foldctl("array", "put", "s", "-", "--dtype", "int64", stdin=np.array([0, 4, 12]).tobytes())
    for array in (("--array", "x"), ("-f", file)):
        segments = foldctl.results("reduce", "sum", *array, "--segments-array", "s")
        assert segments == {"sum": [6.0, 60.0]}
    rows = foldctl.table("array", "list")
    assert rows[0].split() == "name dtype shape order bytes backend copy created".split()
    assert [row.split()[0] for row in rows[1:]] == ["s", "x", "2"]
    assert "412" not in foldctl("array", "put", "x", "--new", file, expect=FAILED)[1]
    foldctl("array", "delete", "x")
    said = foldctl("array", "show", "x", expect=FAILED)[1]
    assert said == "foldctl: no_such_array: there is no array x\n"


@pytest.mark.parametrize(
    "content, options, dtype, elements",
    [
        (b"1 2 3", (), "int64", [1, 2, 3]),
        (b"[[1.5], [2]]", (), "float64", [[1.5], [2.0]]),
        (b"1 2", ("--dtype", "float32", "--format", "text"), "float32", [1.0, 2.0]),
        (b"\x00\x01\x00\x02", ("--dtype", "uint16", "--byteorder", "big"), "uint16", [1, 2]),
        (b"\x93NUMPY", ("--dtype", "uint8", "--shape", "2,3", "--format", "raw"), "uint8", None),
    ],
)
def test_put_of_what_reduce_takes(no_arrays, tmp_path, content, options, dtype, elements):
    file = tmp_path / "file"
    file.write_bytes(content)
    assert no_arrays.json("array", "put", "x", file, *options)["dtype"] == dtype
    if elements is None:
        elements = np.frombuffer(content, "u1").reshape(2, 3).tolist()
    back = np.load(io.BytesIO(no_arrays("array", "get", "x", "-o", "-")[0]))
    assert back.tolist() == elements and back.dtype == dtype


def test_put_of_the_servers_files(no_arrays, roots):
    for k in range(2):
        np.save(roots.read / f"kept-{k}.npy", np.arange(3.0) + k)
    told = no_arrays.json("array", "put", "x", "--path", roots.read / "kept-0.npy")
    assert (told["copy"], told["file"]) == ("file", str(roots.read / "kept-0.npy"))
    no_arrays("array", "put", "x", "--paths", roots.read / "kept-*.npy")
    assert no_arrays.results("reduce", "sum", "--array", "x") == {"sum": 9.0}


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("take", "x"),
        ("put",),
        ("put", "x"),
        ("put", "x", "file", "more"),
        ("put", "x", "file", "--path", "other"),
        ("put", "x", "file", "-o", "out"),
        ("list", "x"),
        ("show",),
        ("show", "x", "--dtype", "int8"),
        ("get", "x"),
        ("get", "x", "-o", "-", "--json"),
        ("delete", "x", "--new"),
        ("delete", "x", "--exact"),
    ],
    ids=" ".join,
)
def test_array_words_that_make_no_sense(foldctl, words):
    assert "foldctl array --help" in foldctl("array", *words, expect=USAGE)[1]


def test_slice_goes_with_array(foldctl):
    said = foldctl("reduce", "sum", "1", "2", "--slice", "0,1", expect=USAGE)[1]
    assert "--slice goes with --array" in said
    foldctl("reduce", "sum", "--array", "x", "--slice", "0:1", expect=USAGE)
