"""Start and end, queues and deadlines: "timeout", "queue_full", "draining", "out_of_memory"."""

import json
import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

from harness.client import Client
from harness.daemon import program
from harness.elements import npy

SMALL = {"op": "sum", "data": [1, 2, 3]}


@pytest.fixture
def slow_file(tmp_path):
    """A file whose powers take seconds: 2^27 float64 zeros, no blocks on disk."""
    with open(tmp_path / "slow.bin", "wb") as file:
        file.truncate(1 << 30)
    return {
        "file": "slow.bin",
        "dtype": "float64",
        "op": ["lp:3", "lp:4", "lp:5", "lp:6"],
    }


class Asking(threading.Thread):
    """A request in a thread of its own."""

    def __init__(self, client, job, path="/v1/reduce"):
        super().__init__()
        self.client, self.job, self.path = client, job, path
        self.response = self.failure = None
        self.start()

    def run(self):
        try:
            self.response = self.client.job(self.path, self.job)
        except Exception as error:  # for the thread that joins
            self.failure = error

    def answer(self):
        self.join()
        if self.failure:
            raise self.failure
        return self.response


def problem_of(response, status, code):
    assert response.status == status, response
    problem = response.problem()
    assert problem["code"] == code, problem
    return problem


# -- deadlines -------------------------------------------------------------------------


def test_timeout(start, tmp_path, slow_file):
    one = start("--root", tmp_path, "--threads", 1)
    client = one.client()
    began = time.monotonic()
    problem_of(client.job("/v1/reduce", {**slow_file, "timeout_ms": 50}), 504, "timeout")
    assert time.monotonic() - began < 5
    assert client.job("/v1/reduce", SMALL).status == 200


def test_configured_timeout(start, tmp_path, slow_file):
    one = start("--root", tmp_path, "--threads", 1, "--limit", "timeout=50ms")
    problem_of(one.client().job("/v1/reduce", slow_file), 504, "timeout")
    job = {**SMALL, "timeout_ms": 60000}
    assert one.client().job("/v1/reduce", job).status == 200


def test_timeout_while_queued(start, tmp_path, slow_file):
    """A job's time runs while it waits; it is answered in time, not when its turn comes."""
    one = start("--root", tmp_path, "--threads", 1, "--workers", 1)
    first = Asking(one.client(), {**slow_file, "timeout_ms": 3000})
    time.sleep(0.3)
    began = time.monotonic()
    problem_of(one.client().job("/v1/reduce", {**slow_file, "timeout_ms": 100}), 504, "timeout")
    assert time.monotonic() - began < 2.5
    assert first.answer().status in (200, 504)


def test_timeout_leaves_no_output(start, tmp_path, slow_file):
    one = start("--root", tmp_path, "--write-root", tmp_path, "--threads", 1)
    job = {"op": "sum", "file": "slow.bin", "dtype": "float64", "determinism": "exact"}
    job.update(timeout_ms=50, output={"file": str(tmp_path / "out.npy")})
    before = set(os.listdir(tmp_path))
    problem_of(one.client().job("/v1/scan", job), 504, "timeout")
    assert set(os.listdir(tmp_path)) == before


# -- queues ----------------------------------------------------------------------------


def test_queue_full(start, tmp_path, slow_file):
    one = start("--root", tmp_path, *("--threads", 1, "--workers", 1), "--limit", "queue_jobs=1")
    slow = {**slow_file, "timeout_ms": 120000}
    running = Asking(one.client(), slow)
    time.sleep(0.5)
    waiting = Asking(one.client(), slow)
    time.sleep(0.5)
    response = one.client().job("/v1/reduce", slow)
    problem_of(response, 429, "queue_full")
    assert int(response.headers["retry-after"]) >= 1
    assert one.client().job("/v1/reduce", SMALL).status == 200  # small ones are answered at once
    assert one.client().get("/readyz").status == 200  # full queues are no fault
    assert running.answer().status == 200
    assert waiting.answer().status == 200


def test_a_client_that_leaves_frees_its_worker(start, tmp_path, slow_file):
    one = start("--root", tmp_path, "--threads", 1, "--workers", 1)
    job = {**slow_file, "op": "max", "timeout_ms": 60000}

    def seconds():
        began = time.monotonic()
        assert one.client().job("/v1/reduce", job).status == 200
        return time.monotonic() - began

    seconds()  # the file is in memory from here on
    alone = seconds()
    body = json.dumps(slow_file).encode()
    for _ in range(3):
        client = Client(("127.0.0.1", one.port))
        client.send(
            b"POST /v1/reduce HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body) + body
        )
        time.sleep(0.2)
        client.close()
    # Were the three still computed, this one would wait for all of them.
    assert seconds() < 3 * alone + 1
    assert one.log_text().count("client_gone") == 3


# -- the end ----------------------------------------------------------------------------


def test_drain(start, tmp_path, slow_file):
    """SIGTERM: what runs is answered, what comes is refused, idle clients do not matter."""
    one = start("--root", tmp_path, "--threads", 1)
    idle = one.client()
    assert idle.get("/healthz").status == 200
    kept = [one.client() for _ in range(2)]
    for client in kept:
        assert client.get("/readyz").status == 200
    running = Asking(one.client(), {**slow_file, "timeout_ms": 25000})
    time.sleep(0.3)
    one.terminate()
    time.sleep(0.3)
    assert one.alive()
    response = kept[0].get("/readyz")
    assert response.status == 503 and "draining" in response.text(), response
    response = kept[1].job("/v1/reduce", SMALL)
    problem_of(response, 503, "draining")
    assert int(response.headers["retry-after"]) >= 1
    with pytest.raises(OSError):
        fresh = Client(("127.0.0.1", one.port), timeout=5)
        fresh.get("/healthz")
    assert running.answer().status == 200
    one.finish(20)


def test_drain_under_load(start):
    """Every request sent is answered in full, or not taken at all."""
    one = start()
    stop, torn, counts = threading.Event(), [], []

    def work():
        client = Client(("127.0.0.1", one.port), timeout=20)
        array = npy(np.arange(1000.0), "float64")
        done = 0
        while not stop.is_set():
            try:
                response = client.post("/v1/reduce", "op=sum", array)
            except (OSError, EOFError):
                break
            if response.status == 200:
                done += 1
                if response.json()["results"]["sum"] != 499500.0:
                    torn.append(response)
            elif response.status != 503:
                torn.append(response)
                break
            else:
                break
        counts.append(done)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    one.terminate()
    one.finish(30)
    stop.set()
    for thread in threads:
        thread.join()
    assert not torn, torn[:3]
    assert min(counts) > 0


def test_idle_connections_do_not_delay_the_end(start):
    one = start()
    clients = [one.client() for _ in range(20)]
    for client in clients:
        assert client.get("/healthz").status == 200
    half = one.client()
    half.send(b"POST /v1/reduce HTTP/1.1\r\nHost: x\r\n")
    began = time.monotonic()
    one.terminate()
    one.finish(20)
    assert time.monotonic() - began < 10


def test_sigint_ends_too(start):
    one = start()
    one.process.send_signal(signal.SIGINT)
    one.finish(20)


def test_the_second_signal_ends_at_once(start, tmp_path, slow_file):
    one = start("--root", tmp_path, "--threads", 1)
    running = Asking(one.client(), slow_file)
    time.sleep(0.3)
    one.terminate()
    time.sleep(0.2)
    assert one.alive()
    one.terminate()
    one.process.wait(10)
    running.join()


# -- the beginning --------------------------------------------------------------------------


def run(*options, timeout=20):
    return subprocess.run(
        [str(program("foldd")), *map(str, options)], capture_output=True, text=True, timeout=timeout
    )


def test_version_and_help():
    assert "foldd" in run("--version").stdout
    text = run("--help").stdout
    for option in (
        "--listen",
        "--unix",
        "--root",
        "--write-root",
        "--threads",
        "--check",
        "--limit",
    ):
        assert option in text, option


def test_check(tmp_path):
    assert run("--check", "--root", tmp_path, "--listen", "127.0.0.1:0").returncode == 0
    done = run("--check", "--root", tmp_path / "no-such-folder")
    assert done.returncode == 1 and "no-such-folder" in done.stderr


@pytest.mark.parametrize(
    "text, word",
    (
        ("[http]\nno_such_key = 1\n", "no_such_key"),
        ("[no_such_section]\nx = 1\n", "no_such_section"),
        ("this is no assignment\n", ":1"),
    ),
)
def test_check_names_file_and_line(tmp_path, text, word):
    path = tmp_path / "foldd.conf"
    path.write_text(text)
    done = run("--check", "--config", path)
    assert done.returncode == 1
    assert str(path) in done.stderr and word in done.stderr, done.stderr


@pytest.mark.parametrize(
    "options",
    (
        ("--no-such-option",),
        ("--limit", "nothing=1"),
        ("--limit", "json=many"),
        ("--threads", "0x"),
        ("--listen", "127.0.0.1:notaport"),
        ("--listen", "127.0.0.1:99999"),
        ("--config", "/no/such/file.conf"),
        ("positional",),
    ),
)
def test_bad_options_are_refused(options):
    done = run("--check", *options)
    assert done.returncode not in (0, -signal.SIGSEGV, -signal.SIGABRT), done
    assert done.stderr.strip(), options


def test_spool_directory_must_be_there(tmp_path):
    words = ("--spool-dir", tmp_path / "gone", "--listen", "127.0.0.1:0", "--port-file", tmp_path / "p")
    for more in ((), ("--check",)):
        done = run(*words, *more)
        assert done.returncode == 1 and "gone: No such file" in done.stderr


@pytest.mark.parametrize("option", ("--help", "--version", "--check"))
def test_full_disk(option):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([str(program("foldd")), option], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"standard output" in done.stderr


def test_only_loopback_unless_told(tmp_path):
    done = run("--listen", "0.0.0.0:0", "--port-file", tmp_path / "p")
    assert done.returncode != 0 and "0.0.0.0" in done.stderr


def test_a_port_in_use(daemon):
    done = run("--listen", f"127.0.0.1:{daemon.port}")
    assert done.returncode != 0 and str(daemon.port) in done.stderr


# -- memory -----------------------------------------------------------------------------------


@pytest.mark.skipif(
    "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ,
    reason="sanitizers reserve terabytes of addresses",
)
def test_out_of_memory(start):
    """With two gigabytes of addresses a job for six is answered 507, and others go on."""
    one = start(
        *("--threads", 1, "--http-threads", 1, "--workers", 1),
        *("--limit", "state=64G", "--limit", "json=8G"),
        prefix=("prlimit", "--as=2147483648"),
    )
    client = one.client()
    query = "op=sum&axis=0&dtype=float16&shape=2,10000000&determinism=exact"
    response = client.post(
        "/v1/reduce", query, bytes(40_000_000), headers={"Accept": "application/x-npy"}
    )
    problem_of(response, 507, "out_of_memory")
    assert one.client().job("/v1/reduce", SMALL).status == 200


def test_a_streamed_body_costs_no_memory(start):
    """512 MiB through a daemon whose memory stays small."""
    one = start("--threads", 2)
    piece = np.ones(1 << 17).tobytes()
    response = one.client().post(
        "/v1/reduce", "op=sum,max&dtype=float64", pieces=(piece for _ in range(512))
    )
    assert response.json()["results"] == {"sum": float(512 << 17), "max": 1.0}
    if "ASAN_OPTIONS" not in os.environ and "TSAN_OPTIONS" not in os.environ:
        assert one.memory_peak() < 128 << 20
