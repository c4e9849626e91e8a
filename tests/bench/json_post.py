"""POST of a million numbers as JSON: megabytes of body a second on one core.

The daemon is held on one CPU, with one HTTP thread; the client and jansson,
alone with the same text, run on another. Time is from the first byte sent to
the whole answer, over one kept connection.
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
RUNS = 25
WARM = 3
TARGET_MB_S = 450  # what foldd is to reach; jansson alone reads about 44


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
            ["taskset", "-c", str(cpu), str(peer), file.name, "10"], check=True, capture_output=True
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
    for digits in (17, 9):
        body = body_of(digits)
        numbers = [float(x) for x in body.split(b"[")[1].rstrip(b"]}").split(b",")]
        wanted = math.fsum(numbers)
        seconds, total = time_posts(client, body)
        assert total == wanted, (total, wanted)
        peer = time_jansson(body, own)
        megabytes = len(body) / 1e6
        rows.append(
            {
                "digits": digits,
                "body_mb": round(megabytes, 2),
                "foldd_best_mb_s": round(megabytes / min(seconds), 1),
                "foldd_median_mb_s": round(megabytes / statistics.median(seconds), 1),
                "jansson_best_mb_s": round(megabytes / peer["best_s"], 1),
                "jansson_median_mb_s": round(megabytes / peer["median_s"], 1),
            }
        )
    daemon.stop()
    return {
        "benchmark": "json_post",
        "numbers": COUNT,
        "requests": RUNS,
        "cpus": {"daemon": server, "client": own},
        "one_cpu_for_both": server == own,
        "target_mb_s": TARGET_MB_S,
        "rows": rows,
    }


def main():
    report = measure()
    Path(sys.argv[1]).write_text(json.dumps(report, indent=1) + "\n")
    print(f"POST of {COUNT:,} numbers as JSON, MB of body a second on one core ({RUNS} requests)")
    print(
        f"{'digits':>6} {'body MB':>8} {'foldd best':>11} {'median':>8} {'jansson best':>13} {'median':>8} {'times':>6}"
    )
    for row in report["rows"]:
        times = row["foldd_best_mb_s"] / row["jansson_best_mb_s"]
        print(
            f"{row['digits']:>6} {row['body_mb']:>8} {row['foldd_best_mb_s']:>11} "
            f"{row['foldd_median_mb_s']:>8} {row['jansson_best_mb_s']:>13} "
            f"{row['jansson_median_mb_s']:>8} {times:>6.1f}"
        )
    best = report["rows"][0]["foldd_best_mb_s"]
    print(f"17 digits, best: {best} MB/s; the aim is over {TARGET_MB_S}")


if __name__ == "__main__":
    main()
