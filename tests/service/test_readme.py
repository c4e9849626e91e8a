"""README.md as a newcomer uses it: its blocks are pasted into bash."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest

from harness.daemon import SOURCE, build_folder

README = (SOURCE / "README.md").read_text()
PORT = 7460


def blocks():
    """The two blocks of bash: files and daemon; examples."""
    found = re.findall(r"^```sh\n(.*?)^```$", README, re.M | re.S)
    assert len(found) == 2
    return found


def examples():
    """Each command with what its comment says of its answer."""
    pairs = re.findall(r"^(?:# \d+\. .*\n)((?:.+\n)+?)# -> (.+)$", blocks()[1], re.M)
    return [(command.strip(), json.loads(said)) for command, said in pairs]


def port_is_free(port):
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """A function that runs pasted text where README's own files are."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "build").symlink_to(build_folder())
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)

    port = PORT
    listen = ""
    if not port_is_free(port):
        # Someone's daemon has the port: take another, and say so to both sides.
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        listen = f" --listen 127.0.0.1:{port}"

    def fit(text):
        return text.replace("build/foldd ", f"build/foldd{listen} ").replace(f":{PORT}", f":{port}")

    start = fit(blocks()[0])
    assert "build/foldd" in start and start.count(" &\n") == 1
    environment = {**os.environ, "FOLDD_URL": f"http://127.0.0.1:{port}"}
    with open(folder / "log", "wb") as log:
        daemon = subprocess.Popen(
            ["bash", "-e", "-c", start + "echo ready >ready\nwait %1\n"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    def run(command):
        return subprocess.run(
            ["bash", "-c", fit(command)], cwd=folder, capture_output=True, timeout=60, env=environment
        )

    try:
        for _ in range(600):
            if (folder / "ready").exists() or daemon.poll() is not None:
                break
            subprocess.run(["sleep", "0.1"], check=True)
        assert (folder / "ready").exists(), (folder / "log").read_text()
        yield run
    finally:
        os.killpg(daemon.pid, signal.SIGTERM)
        daemon.wait(60)


def said_by(answer):
    """The member `results`; of a batch, each entry's, or its code."""
    results = answer["results"]
    if isinstance(results, list):
        return [entry.get("results", entry.get("code")) for entry in results]
    return results


def test_there_are_ten():
    assert len(examples()) == 10
    assert blocks()[1].count("curl ") == 10


@pytest.mark.parametrize("number", range(10))
def test_example(shell, number):
    command, said = examples()[number]
    ended = shell(command)
    assert ended.returncode == 0, ended.stderr
    assert said_by(json.loads(ended.stdout)) == said


def test_foldctl_lines(shell):
    """The lines of the session with foldctl, and the table that it shows."""
    session = re.search(r"^```\n(\$ build/foldctl .*?)^```$", README, re.M | re.S).group(1)
    lines = session.splitlines()
    commands = [line[2:] for line in lines if line.startswith("$ ")]
    assert len(commands) == 4
    shown = [line for line in lines if not line.startswith("$ ")]
    shell(f"{sys.executable} -c 'import numpy as n; n.arange(9.0).tofile(\"h\")'; gzip -c h >huge.f64.gz")
    for number, command in enumerate(commands):
        ended = shell(command)
        assert ended.returncode == 0, (command, ended.stderr)
        if number == 0:
            got = ended.stdout.decode().splitlines()
            assert got[:-1] == shown[:-1]
            assert re.sub(r"\d+ us", "N us", got[-1]) == re.sub(r"\d+ us", "N us", shown[-1])
    loaded = shell(f"{sys.executable} -c 'import numpy as n; print(n.load(\"prefix.npy\")[-1])'")
    assert float(loaded.stdout) == np.arange(12.0).sum()


def test_what_is_not_served_is_said(client):
    (row,) = re.findall(r"^\| answers 501 yet \| (.*) \|$", README, re.M)
    said = set(re.findall(r"`([^`]+)`", row))
    missing = client.get("/v1/info").json()["not_implemented"]
    assert said == {word for words in missing.values() for word in words}


def test_exit_codes_are_those_of_the_manual():
    manual = (SOURCE / "docs" / "foldctl.md").read_text()
    rows = re.findall(r"^\| ([0-9]) \| ", README, re.M)
    assert rows == list("012345") == re.findall(r"^\| ([0-9]) \| ", manual, re.M)


def test_links_lead_somewhere():
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        if not link.startswith("http"):
            assert (SOURCE / link).exists(), link


def test_folders_and_files_exist():
    for name in re.findall(r"`((?:daemon|proto|engine|cpu|gpu|clients|tests|docs)/[\w./]*)`", README):
        assert (SOURCE / name).exists(), name
