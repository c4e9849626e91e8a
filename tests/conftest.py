"""Fixtures of all tests against a running foldd (service/, property/)."""

import os
import signal
from types import SimpleNamespace

import hypothesis
import pytest

from harness import backend
from harness.daemon import Daemon
from harness.processes import processes, wait_until

LONG = os.environ.get("FOLDD_LONG") == "1"
SKIP_GRID = os.environ.get("FOLDD_SKIP_GRID") == "1"

# Examples are paid for in requests; a slow machine is no fault of the program.
COMMON = {
    "deadline": None,
    "suppress_health_check": list(hypothesis.HealthCheck),
    "derandomize": not LONG,
    "database": None,
    "print_blob": True,
}
hypothesis.settings.register_profile("everyday", max_examples=300, **COMMON)
hypothesis.settings.register_profile("short", max_examples=60, **COMMON)
hypothesis.settings.register_profile("long", max_examples=20000, **COMMON)
hypothesis.settings.load_profile("long" if LONG else "short" if SKIP_GRID else "everyday")


def pytest_collection_modifyitems(items):
    for item in items:
        if SKIP_GRID and item.get_closest_marker("heavy"):
            item.add_marker(pytest.mark.skip(reason="FOLDD_SKIP_GRID=1"))
        if not LONG and item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="needs FOLDD_LONG=1"))


# --- FOLDD_TEST_BACKEND: who computed --------------------------------------------------


def pytest_sessionfinish(session):
    """A worker of pytest-xdist hands its counts over. A run in which the backend asked for
    computed nothing shows nothing of it: it has failed."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["computed"] = dict(backend.computed)
    elif backend.ASKED and not any(name.startswith(backend.ASKED) for name in backend.computed):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    backend.computed.update(getattr(node, "workeroutput", {}).get("computed", {}))


def pytest_terminal_summary(terminalreporter):
    if backend.ASKED:
        found = ", ".join(f"{name}: {n}" for name, n in sorted(backend.computed.items()))
        terminalreporter.write_line(f"answers by backend: {found or 'none'}")


@pytest.fixture(scope="session")
def roots(tmp_path_factory):
    """A readable and a writable root of the session's daemon."""
    base = tmp_path_factory.mktemp("roots")
    folders = SimpleNamespace(read=base / "read", write=base / "write", outside=base / "outside")
    for folder in vars(folders).values():
        folder.mkdir()
    return folders


@pytest.fixture(scope="session")
def _session(roots, tmp_path_factory):
    """The daemon of the session, started anew after a test that killed it."""
    held = SimpleNamespace(daemon=None, client=None)

    def running():
        if held.daemon is None or not held.daemon.alive():
            held.daemon = Daemon(
                *("--root", roots.read, "--root", roots.write, "--write-root", roots.write),
                folder=tmp_path_factory.mktemp("daemon"),
                unix=True,
            )
            held.client = held.daemon.client()
        return held

    yield running
    if held.daemon is not None and held.daemon.alive():
        held.daemon.stop()


@pytest.fixture
def daemon(_session):
    """The daemon that most tests use: file roots, TCP and a UNIX socket."""
    running = _session().daemon
    yield running
    assert (
        running.alive()
    ), f"killed by this test ({running.process.poll()}):\n{running.log_text()[-8000:]}"


@pytest.fixture
def client(_session, daemon):
    return _session().client


@pytest.fixture
def start(tmp_path_factory):
    """A factory of daemons with other options, stopped (and checked) at the end."""
    started = []

    def make(*options, **more):
        one = Daemon(*options, folder=tmp_path_factory.mktemp("daemon"), **more)
        started.append(one)
        return one

    yield make
    for one in started:
        if one.alive():
            one.stop()
        else:
            one.kill()


@pytest.fixture
def begin(start):
    """As start, of daemons that restart: the last process of each is ended, too."""
    begun = []

    def make(*options, **more):
        one = start(*options, **{"unix": True, **more})
        begun.append(one)
        return one

    yield make
    for one in begun:
        for pid in processes(one):
            if pid != one.process.pid:
                os.kill(pid, signal.SIGTERM)
                wait_until(lambda pid=pid, one=one: pid not in processes(one))
