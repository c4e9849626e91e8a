"""POST of a million numbers as JSON: megabytes of body a second on one core.

usage: json_post.py OUT.json

The daemon is held on one CPU, with one HTTP thread; the client and jansson,
alone with the same text, run on another, in turn with the daemon. Time is from
the first byte sent to the whole answer, over one kept connection.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from harness.daemon import Daemon, build_folder

COUNT = 1_000_000
TURNS = 5
RUNS = 5  # requests in a turn
WARM = 2
PEER_RUNS = 2
TARGET_MB_S = 450  # what foldd is to reach with TARGET_DIGITS
TARGET_DIGITS = 17


def body_of(digits):
    """A job over doubles written with so many digits, and its exact sum."""
    rng = np.random.default_rng(1)
    texts = [f"{x:.{digits}g}" for x in rng.standard_normal(COUNT).tolist()]
    return b'{"op":"sum","determinism":"exact","data":[' + ",".join(texts).encode() + b"]}"


def time_posts(client, body):
    head = b"POST /v1/reduce HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head += b"Content-Length: %d\r\n\r\n" % len(body)
    seconds, answer = [], None
    for run in range(WARM + RUNS):
        begin = time.perf_counter()
        client.send(head)
        client.socket.sendall(body)
        answer = client.read_response()
        took = time.perf_counter() - begin
        assert answer.status == 200, answer
        if run >= WARM:
            seconds.append(took)
    return seconds, answer.json()["results"]["sum"]


def time_jansson(body, cpu):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(body)
        file.flush()
        peer = build_folder() / "tests" / "bench" / "jansson_read"
        done = subprocess.run(
            ["taskset", "-c", str(cpu), str(peer), file.name, str(PEER_RUNS)],
            check=True,
            capture_output=True,
        )
    return json.loads(done.stdout)


def times_report(seconds, runs):
    return {
        "best_ns": min(seconds) * 1e9,
        "median_ns": statistics.median(seconds) * 1e9,
        "runs": runs,
    }


def measure():
    cpus = sorted(os.sched_getaffinity(0))
    server, own = cpus[0], cpus[-1]
    os.sched_setaffinity(0, {own})
    rows = []
    daemon = Daemon(
        *("--http-threads", 1, "--threads", 1, "--workers", 1),
        prefix=("taskset", "-c", str(server)),
    )
    client = daemon.client()
    client.connect()
    for digits in (TARGET_DIGITS, 9):
        body = body_of(digits)
        numbers = [float(x) for x in body.split(b"[")[1].rstrip(b"]}").split(b",")]
        wanted = math.fsum(numbers)
        seconds, peer_seconds = [], []
        for _ in range(TURNS):
            its, total = time_posts(client, body)
            assert total == wanted, (total, wanted)
            seconds += its
            peer = time_jansson(body, own)
            assert math.isclose(peer["sum"], wanted, rel_tol=1e-9), (peer, wanted)
            peer_seconds += [peer["best_s"], peer["median_s"]]
        rows.append(
            {
                "digits": digits,
                "body_bytes": len(body),
                "foldd": times_report(seconds, TURNS * RUNS),
                "jansson": times_report(peer_seconds, TURNS * PEER_RUNS),
            }
        )
    daemon.stop()
    return {
        "benchmark": "json_post",
        "numbers": COUNT,
        "requests": TURNS * RUNS,
        "cpus": {"daemon": server, "client": own},
        "one_cpu_for_both": server == own,
        "target_mb_s": TARGET_MB_S,
        "target_digits": TARGET_DIGITS,
        "rows": rows,
    }


def main():
    Path(sys.argv[1]).write_text(json.dumps(measure(), indent=1) + "\n")


if __name__ == "__main__":
    main()
