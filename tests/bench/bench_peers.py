"""Who is measured: foldd and plain loops in cpu_bench, NumPy, DuckDB and xsum here.

Each gives measure(runs): the nanoseconds of each run and the last run's values.
"""

import json
import os
import subprocess
import time
from pathlib import Path

import duckdb
import numpy as np
import xsum


class Failed(Exception):
    """A benchmark gave no figure, or a wrong answer."""


class Bench:
    """tests/bench/cpu_bench, one command at a time."""

    def __init__(self, build):
        program = Path(build) / "tests" / "bench" / "cpu_bench"
        self.process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.info = self.ask("info")

    def ask(self, *words, payload=None):
        line = " ".join(str(word) for word in words)
        self.process.stdin.write(line.encode() + b"\n")
        if payload is not None:
            self.process.stdin.write(payload)
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise Failed(f"cpu_bench ended with status {self.process.wait()} at: {line}")
        answer = json.loads(answer)
        if "error" in answer:
            raise Failed(f"{line}: {answer['error']}")
        return answer

    def load(self, name, block, copies=1):
        shape = "x".join(str(n) for n in block.shape)
        self.ask("load", name, block.dtype.name, shape, copies, payload=block.tobytes())

    def close(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise Failed(f"cpu_bench ended with status {self.process.returncode}")


def _measured(answer):
    return answer["ns"], [float.fromhex(value) for value in answer["values"]]


class Foldd:
    """A job; `simd` None: the best instruction set here."""

    def __init__(self, bench, array, promise, ops, threads="one", axis="-", simd=None):
        self.bench, self.simd = bench, simd or bench.info["simd"]
        self.name = f"foldd {promise} {ops}"
        self.ops = ops.split(",")
        self.exact = promise == "exact"
        self.words = (promise, ops, threads, axis)
        self.array = array

    def measure(self, runs):
        self.bench.ask("simd", self.simd)
        return _measured(self.bench.ask("job", self.array, runs, *self.words))


class Plain:
    """A loop with so many vectors, fetching so many bytes ahead."""

    LOOP = {"sum": "sum", "mean": "sum", "max": "max", "l2": "squares"}

    def __init__(self, bench, array, count, op, level, vectors, ahead, threads):
        self.bench, self.op, self.array, self.count = bench, op, array, count
        self.name = f"plain {level} x{vectors}" + (f" +{ahead}" if ahead else "")
        self.words = (self.LOOP[op], level, vectors, ahead, threads)
        self.how = (level, vectors, ahead)

    def measure(self, runs):
        ns, (value,) = _measured(self.bench.ask("plain", self.array, runs, *self.words))
        if self.op == "l2":
            value = value**0.5
        return ns, [value / self.count if self.op == "mean" else value]


class Tiles:
    """Exact sums of tiles of 1,024 elements, each from an empty accumulator."""

    def __init__(self, bench, array, rounds):
        self.bench, self.array, self.rounds = bench, array, rounds
        self.name = "foldd exact sum of 1,024"

    def measure(self, runs):
        self.bench.ask("simd", self.bench.info["simd"])
        return _measured(self.bench.ask("tile", self.array, runs, self.rounds))


class Call:
    """A function in this process."""

    def __init__(self, name, function):
        self.name, self.function = name, function

    def measure(self, runs):
        times, value = [], None
        for _ in range(runs):
            begin = time.perf_counter_ns()
            value = self.function()
            times.append(time.perf_counter_ns() - begin)
        return times, np.ravel(value).astype(np.float64).tolist()


def numpy_call(op, x, axis=None):
    function = {"sum": np.sum, "mean": np.mean, "max": np.max, "l2": np.linalg.norm}[op]
    return Call("NumPy", lambda: function(x, axis=axis))


class Duck:
    """An in-memory table of one column."""

    SQL = {"sum": "sum(x)", "mean": "avg(x)", "max": "max(x)", "l2": "sqrt(sum(x * x))"}

    def __init__(self, x):
        self.connection = duckdb.connect()
        self.connection.register("elements", {"x": x})
        self.connection.execute("create table t as select x from elements")
        self.connection.unregister("elements")

    def call(self, op, threads):
        count = 1 if threads == "one" else len(os.sched_getaffinity(0))
        query = f"select {self.SQL[op]} from t"

        def run():
            return self.connection.execute(query).fetchone()[0]

        self.connection.execute(f"set threads = {count}")
        return Call("DuckDB", run)

    def close(self):
        self.connection.close()


def xsum_call(x):
    def run():
        total = xsum.xsum_large()
        total.add(x)
        return total.round()

    return Call("xsum large", run)
