"""A restart in place (SIGUSR2): another process takes the sockets, no request fails."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from harness.client import Client
from harness.elements import npy
from harness.processes import processes, ready_count, wait_until

BODY = npy(np.arange(10.0), "float64")


def restart(daemon, pid=None):
    """Returns the new process."""
    before = ready_count(daemon)
    old = processes(daemon)
    os.kill(pid or daemon.process.pid, signal.SIGUSR2)
    wait_until(lambda: ready_count(daemon) > before)
    # A sanitizer's own process, when the old one ends, comes and goes.
    wait_until(lambda: len(set(processes(daemon)) - set(old)) == 1)
    return (set(processes(daemon)) - set(old)).pop()


def ended(daemon, pid):
    """The first process is this one's child: its status is told here."""
    if pid == daemon.process.pid:
        assert daemon.process.wait(40) == 0
    else:
        wait_until(lambda: pid not in processes(daemon), 40)


def reduce(client, **headers):
    response = client.post("/v1/reduce", {"op": "sum"}, BODY, headers=headers)
    assert response.status == 200 and response.json()["results"]["sum"] == 45.0, response
    return response


def test_another_process_answers(begin):
    daemon = begin()
    files = (daemon.port_file.read_text(), os.stat(daemon.unix).st_ino)
    for _ in range(3):
        old = processes(daemon)[0]
        new = restart(daemon, old)
        ended(daemon, old)
        assert processes(daemon) == [new]
        for client in (daemon.client(), daemon.unix_client()):
            reduce(client)
            client.close()
        # The same port and the same socket file.
        assert (daemon.port_file.read_text(), os.stat(daemon.unix).st_ino) == files
    os.kill(new, signal.SIGTERM)
    ended(daemon, new)
    assert not daemon.port_file.exists() and not daemon.unix.exists()


@contextmanager
def load(daemon, makers, count):
    """Clients that ask without pause; yields the counts and the failures."""
    stop, answers, failures = threading.Event(), [0] * count, []

    def ask(number):
        client = makers[number % len(makers)]()
        while not stop.is_set():
            try:
                if number % 4 == 0:  # a connection for each request
                    client = makers[number % len(makers)]()
                    reduce(client, Connection="close")
                else:
                    reduce(client)
                answers[number] += 1
            except Exception as error:  # told by the test
                failures.append(repr(error))
                return

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    yield answers, failures
    stop.set()
    for thread in threads:
        thread.join(60)


class Strict(Client):
    """Fails where a request on a kept connection finds it closed: a server that says
    "Connection: close" first never does that."""

    def _request(self, method, target, body, headers, pieces):
        if self.socket is None:
            self.connect()
        return self._exchange(method, target, body, headers, pieces)


def test_no_request_fails_under_load(begin):
    daemon = begin("--set", "http.connections=200")
    makers = [
        lambda: Strict(("127.0.0.1", daemon.port), 30),
        lambda: Strict(str(daemon.unix), 30),
    ]
    with load(daemon, makers, 8) as (answers, failures):
        pid = daemon.process.pid
        for _ in range(4):
            time.sleep(0.3)
            new = restart(daemon, pid)
            ended(daemon, pid)
            pid = new
        before = list(answers)
        time.sleep(0.3)
    assert not failures, failures[:3]
    assert all(a > b for a, b in zip(answers, before)), (answers, before)


def test_what_is_under_way_is_finished(begin):
    """An upload half sent and an idle connection outlive the restart."""
    daemon = begin()
    half, go, answers = threading.Event(), threading.Event(), []

    def pieces():
        yield BODY[:-8]
        half.set()
        assert go.wait(60)
        yield BODY[-8:]

    def upload():
        answers.append(daemon.client().post("/v1/reduce", {"op": "sum"}, pieces=pieces()))

    idle = Strict(("127.0.0.1", daemon.port), 30)
    reduce(idle)
    thread = threading.Thread(target=upload)
    thread.start()
    assert half.wait(30)
    new = restart(daemon)
    reduce(daemon.client())
    time.sleep(0.5)
    assert daemon.alive(), "it ended with an upload half sent"
    assert reduce(idle).headers["connection"] == "close"
    go.set()
    thread.join(30)
    assert answers[0].json()["results"]["sum"] == 45.0
    ended(daemon, daemon.process.pid)
    assert processes(daemon) == [new]


def test_idle_connections_are_closed_at_the_drain_limit(begin):
    daemon = begin("--set", "drain.limit=500ms")
    idle = daemon.client()
    reduce(idle)
    restart(daemon)
    ended(daemon, daemon.process.pid)
    assert idle.socket.recv(1) == b""
    reduce(daemon.client())


def test_a_process_that_does_not_start_changes_nothing(begin, tmp_path):
    config = tmp_path / "foldd.conf"
    config.write_text("[limits]\njobs = 10\n")
    daemon = begin("--config", config)
    config.write_text("[limits]\njobs = many\n")
    os.kill(daemon.process.pid, signal.SIGUSR2)
    wait_until(lambda: "the restart failed" in daemon.log_text())
    assert "ended with status 1" in daemon.log_text() and "foldd.conf:2" in daemon.log_text()
    client = daemon.client()
    reduce(client)
    client.close()
    config.write_text("[limits]\njobs = 20\n")
    restart(daemon)
    ended(daemon, daemon.process.pid)
    assert daemon.client().get("/v1/info").json()["limits"]["jobs"] == 20


def test_a_signal_during_a_restart(begin):
    daemon = begin()
    os.kill(daemon.process.pid, signal.SIGUSR2)
    os.kill(daemon.process.pid, signal.SIGUSR2)
    wait_until(lambda: ready_count(daemon) == 2)
    ended(daemon, daemon.process.pid)
    assert len(processes(daemon)) == 1
    reduce(daemon.client())


def test_a_new_process_that_is_killed(begin):
    """Before it is ready: the old one serves on."""
    daemon = begin()
    os.kill(daemon.process.pid, signal.SIGUSR2)
    wait_until(lambda: len(processes(daemon)) == 2)
    new = next(pid for pid in processes(daemon) if pid != daemon.process.pid)
    os.kill(new, signal.SIGKILL)
    wait_until(lambda: "ended by signal 9" in daemon.log_text() or ready_count(daemon) == 2)
    if ready_count(daemon) == 1:  # it was not faster than this test
        reduce(daemon.client())
        assert daemon.alive()


def put(client, name, body, content_type="application/x-npy"):
    return client.request("PUT", f"/v1/arrays/{name}", body, {"Content-Type": content_type})


def test_arrays_on_disk_are_handed_over(begin, tmp_path):
    (tmp_path / "state").mkdir()
    np.save(tmp_path / "x.npy", np.arange(7.0))
    daemon = begin(
        *("--array-dir", tmp_path / "state", "--set", "arrays.copy=disk", "--root", tmp_path)
    )
    client = daemon.client()
    assert put(client, "body", BODY).status == 201
    assert put(client, "file", b'{"file": "x.npy"}', "application/json").status == 201
    pid = daemon.process.pid
    for _ in range(2):
        new = restart(daemon, pid)
        client.close()
        client = daemon.client()
        for name, total in (("body", 45.0), ("file", 21.0)):
            answer = client.reduce("sum", array=name)
            assert answer.json()["results"]["sum"] == total
        # The lock came along: arrays are put, deleted, and the next process finds that.
        assert put(client, f"more-{pid}", BODY).status == 201
        pid = new
    names = {array["name"] for array in client.get("/v1/arrays").json()["arrays"]}
    assert len(names) == 4 and "arrays end" not in daemon.log_text()


def test_arrays_that_end_are_told(begin):
    daemon = begin()
    assert put(daemon.client(), "x", BODY).status == 201
    restart(daemon)
    assert "1 arrays end with this process" in daemon.log_text()


def test_arrays_are_not_changed_meanwhile(begin):
    """What the new process does not know of is refused, and may be sent again."""
    daemon = begin()
    kept = daemon.client()
    assert kept.get("/v1/arrays").status == 200
    restart(daemon)
    response = put(kept, "x", BODY)  # on the old process's connection
    assert response.status == 503 and response.problem()["code"] == "draining"
    assert int(response.headers["retry-after"]) > 0
    assert put(daemon.client(), "x", BODY).status == 201


@pytest.mark.parametrize("value", ["x", "7", "3 tcp", "99 tcp 127.0.0.1:0", "1 ready"])
def test_a_bad_handover_is_refused(start, value):
    with pytest.raises(RuntimeError, match="FOLDD_HANDOVER|no listening socket"):
        start(environment={"FOLDD_HANDOVER": value})


def test_what_is_no_socket_is_refused(start, tmp_path):
    with open(tmp_path / "file", "w") as file, pytest.raises(RuntimeError, match="no listening"):
        fd = file.fileno()
        start(
            environment={"FOLDD_HANDOVER": f"{fd} tcp 127.0.0.1:0"},
            pass_fds=[fd],
        )
