"""Random arrays, 100,000 or FOLDD_SOAK_ARRAYS, of all types, flavours, lengths and
rules, against the exact reference."""

import os
import random
import sys
import tempfile
from pathlib import Path

from harness.client import Client
from harness.daemon import Daemon
from harness.elements import TYPES, is_float, raw, values
from harness.results import check_outcome
from reference import (
    ADDITIVE,
    COUNTS,
    EXACT,
    FREE,
    LOGICAL,
    OPERATIONS,
    POSITIONS,
    Options,
    reduce_line,
)
from strategies import flavours, seeded

COUNT = int(os.environ.get("FOLDD_SOAK_ARRAYS", 100_000))


def one(client, number):
    rng = random.Random(number)
    dtype = rng.choice(TYPES)
    size = rng.choice(
        (rng.randrange(10), rng.randrange(200), rng.randrange(200), rng.randrange(5000))
    )
    array = seeded(dtype, size, rng.choice(flavours(dtype)), number)
    exact = rng.random() < 0.8
    if is_float(dtype):
        ops = [op for op in FREE + (EXACT if exact else ()) if op != "dot"]
    else:
        ops = [op for op in OPERATIONS if op not in ("dot", "logsumexp")]
    op = rng.choice(ops)
    options = Options(nan=rng.choice(("propagate", "omit", "error")))
    if op in ADDITIVE + ("min", "max"):
        options.overflow = rng.choice(("error", "wrap", "saturate"))
    if op in ("var", "std"):
        options.ddof = rng.randrange(3)
    if op not in POSITIONS + COUNTS + LOGICAL and rng.random() < 0.3:
        options.out_dtype = rng.choice(("float16", "bfloat16", "float32", "float64"))
    query = {"op": op, "dtype": dtype, "bits": True, "nan": options.nan}
    query["determinism"] = "exact" if exact else rng.choice(("ordered", "none"))
    if options.overflow != "error":
        query["overflow"] = options.overflow
    if options.ddof:
        query["ddof"] = options.ddof
    if options.out_dtype:
        query["out_dtype"] = options.out_dtype
    response = client.post("/v1/reduce", query, raw(array, dtype))
    outcome = reduce_line(op, values(array, dtype), dtype, options)
    check_outcome(response, op, outcome, (number, query, size))


def main():
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(folder=Path(folder) / "daemon")
        client = Client(("127.0.0.1", daemon.port))
        for number in range(COUNT):
            one(client, number)
            if (number + 1) % 10_000 == 0:
                print(f"{number + 1} arrays", flush=True)
        client.close()
        daemon.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
