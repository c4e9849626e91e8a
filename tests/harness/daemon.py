"""Starting and stopping a foldd of the build under test."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
from pathlib import Path

from harness.client import Client

SOURCE = Path(__file__).resolve().parents[2]
# A sanitizer's words on standard error: the test that meets them has failed.
REPORTS = re.compile(
    r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:|SUMMARY: \w+Sanitizer"
)


def build_folder():
    return Path(os.environ.get("FOLDD_BUILD", SOURCE / "build")).resolve()


def program(name):
    path = build_folder() / name
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: build first, or set FOLDD_BUILD")
    return path


class Daemon:
    """One foldd on a free port. `options` go to its command line as they stand."""

    def __init__(
        self,
        *options,
        folder=None,
        prefix=(),
        environment=None,
        unix=False,
        executable=None,
        pass_fds=(),
    ):
        self.folder = Path(folder or tempfile.mkdtemp(prefix="foldd-test-"))
        if folder is None:
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.mkdir(exist_ok=True)
        self.port_file = self.folder / "port"
        self.port_file.unlink(missing_ok=True)
        self.log = self.folder / "log"
        self.unix = self.folder / "socket" if unix else None
        command = [*prefix, str(executable or program("foldd")), "--listen", "127.0.0.1:0"]
        command += ["--port-file", str(self.port_file)]
        if unix:
            command += ["--unix", str(self.unix)]
        command += [str(option) for option in options]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **(environment or {})},
                pass_fds=pass_fds,
            )
        self.port = self._wait_for_port()
        self._clients = []

    def _wait_for_port(self, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"foldd ended at start:\n{self.log_text()}")
            if self.port_file.exists():
                found = re.search(r"127\.0\.0\.1:(\d+)", self.port_file.read_text())
                if found:
                    return int(found.group(1))
            time.sleep(0.01)
        self.process.kill()
        raise RuntimeError(f"foldd wrote no port in {seconds} s:\n{self.log_text()}")

    def log_text(self):
        return self.log.read_text(errors="replace")

    def client(self, timeout=60):
        client = Client(("127.0.0.1", self.port), timeout)
        self._clients.append(client)
        return client

    def unix_client(self, timeout=60):
        client = Client(str(self.unix), timeout)
        self._clients.append(client)
        return client

    def alive(self):
        return self.process.poll() is None

    def memory_peak(self):
        """VmHWM in bytes."""
        return self._status_bytes("VmHWM")

    def memory_now(self):
        """VmRSS in bytes."""
        return self._status_bytes("VmRSS")

    def _status_bytes(self, field):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.M).group(1)) * 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def stop(self, seconds=60):
        """SIGTERM; the exit status must be 0 and no sanitizer may have spoken."""
        for client in self._clients:
            client.close()
        if self.alive():
            self.terminate()
        self.finish(seconds)

    def finish(self, seconds=60):
        """Wait for an end asked for already, and check it."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"foldd did not end in {seconds} s:\n{self.log_text()[-4000:]}")
        text = self.log_text()
        assert not REPORTS.search(text), text[-8000:]
        assert status == 0, f"exit status {status}\n{text[-4000:]}"

    def kill(self):
        """For a test that has failed already."""
        if self.alive():
            self.process.kill()
            self.process.wait()
