"""A raw upload from a pipe, 8 GiB or FOLDD_SOAK_GIB: the right answer, and the
daemon's peak memory under 256 MiB."""

import json
import os
import subprocess
import sys
import time

import numpy as np

from harness.daemon import Daemon
from reference import Sum, decode, round_ratio

GIB = float(os.environ.get("FOLDD_SOAK_GIB", 8))
BLOCK = 1 << 23  # float64 elements of the block that is repeated: 64 MiB
MOST = 256 << 20


def exact_sum(block, times):
    total = Sum()
    for value in block.tolist():
        total.add(value)
    top, bottom = total.ratio()
    return decode(round_ratio(top * times, bottom, "float64"), "float64")


def main():
    times = int(GIB * 2**30) // (BLOCK * 8)
    block = np.random.default_rng(8).standard_normal(BLOCK)
    block *= 2.0 ** (np.arange(BLOCK) % 40)
    daemon = Daemon()
    query = "op=sum,max,min,count,argmax&dtype=float64&determinism=exact"
    url = f"http://127.0.0.1:{daemon.port}/v1/reduce?{query}"
    curl = subprocess.Popen(
        ["curl", "-sS", "-X", "POST", "-H", "Expect:", "-T", "-", url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    text = block.tobytes()
    began = time.monotonic()
    for _ in range(times):
        curl.stdin.write(text)
    answer = curl.communicate()[0]
    took = time.monotonic() - began
    peak = daemon.memory_peak()
    daemon.stop()
    results = json.loads(answer)["results"]
    wanted = {
        "sum": exact_sum(block, times),
        "max": float(block.max()),
        "min": float(block.min()),
        "count": BLOCK * times,
        "argmax": int(block.argmax()),
    }
    size = times * len(text)
    print(
        f"{size / 2**30:.1f} GiB in {took:.1f} s ({size / took / 1e9:.2f} GB/s), peak {peak / 2**20:.0f} MiB"
    )
    print(f"answer {results}")
    assert results == wanted, wanted
    assert peak < MOST, peak
    return 0


if __name__ == "__main__":
    sys.exit(main())
