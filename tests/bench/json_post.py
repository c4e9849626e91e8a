"""POST of a million numbers as JSON: megabytes of body a second on one core.

usage: json_post.py, with a report as JSON on standard output

The daemon is held on one CPU, with one HTTP thread; the client and jansson,
alone with the same text, run on another, in turn with the daemon. Time is from
the first byte sent to the whole answer, over one kept connection.
"""

import json
import math
import os
import subprocess
import tempfile
import time

import numpy as np
from bench_turns import Times

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
    ns, answer = [], None
    for run in range(WARM + RUNS):
        begin = time.perf_counter_ns()
        client.send(head)
        client.socket.sendall(body)
        answer = client.read_response()
        took = time.perf_counter_ns() - begin
        assert answer.status == 200, answer
        if run >= WARM:
            ns.append(took)
    return ns, answer.json()["results"]["sum"]


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
        times, peer_times = Times(), Times()
        for _ in range(TURNS):
            ns, total = time_posts(client, body)
            assert total == wanted, (total, wanted)
            times.ns += ns
            peer = time_jansson(body, own)
            assert math.isclose(peer["sum"], wanted, rel_tol=1e-9), (peer, wanted)
            peer_times.ns += peer["ns"]
        rows.append(
            {
                "digits": digits,
                "body_bytes": len(body),
                "foldd": times.report(),
                "jansson": peer_times.report(),
            }
        )
    daemon.stop()
    return {
        "cpus": {"daemon": server, "client": own},
        "one_cpu_for_both": server == own,
        "target_mb_s": TARGET_MB_S,
        "target_digits": TARGET_DIGITS,
        "rows": rows,
    }


def main():
    print(json.dumps(measure()))


if __name__ == "__main__":
    main()
