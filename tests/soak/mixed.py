"""All kinds of requests from several clients for minutes (FOLDD_SOAK_SECONDS, 300):
every answer right, memory and descriptors flat."""

import gzip
import os
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from harness.client import Client
from harness.daemon import Daemon
from harness.elements import npy, raw

SECONDS = float(os.environ.get("FOLDD_SOAK_SECONDS", 300))
CLIENTS = 6
GROWTH = 16 << 20  # bytes that memory may gain after the first fifth


class Worker(threading.Thread):
    def __init__(self, address, folder, seed, stop):
        super().__init__()
        self.address, self.folder, self.stop = address, folder, stop
        self.rng = random.Random(seed)
        self.seed = seed
        self.done = 0
        self.failure = None

    def run(self):
        client = Client(self.address)
        asks = (
            self.json,
            self.npy,
            self.raw,
            self.zipped,
            self.file,
            self.scan,
            self.batch,
            self.merge,
            self.bad,
            self.leave,
        )
        try:
            while not self.stop.is_set():
                self.rng.choice(asks)(client)
                self.done += 1
        except Exception as error:  # reported by main
            self.failure = error
            self.stop.set()

    def array(self):
        size = self.rng.choice((1, 100, 5000, 200_000))
        return np.arange(size, dtype="f8") * self.rng.choice((1.0, 0.5))

    def check(self, response, wanted, op="sum"):
        assert response.status == 200, response
        assert response.json()["results"][op] == wanted, (response, wanted)

    def json(self, client):
        numbers = [self.rng.randrange(1000) for _ in range(self.rng.choice((1, 10, 3000)))]
        self.check(client.reduce("sum", data=numbers), sum(numbers))

    def npy(self, client):
        array = self.array()
        self.check(client.post("/v1/reduce", "op=sum", npy(array, "float64")), array.sum())

    def raw(self, client):
        body = raw(self.array(), "float64")
        pieces = [body[i : i + 9999] for i in range(0, len(body), 9999)]
        response = client.post(
            "/v1/reduce", "op=max,sum&dtype=float64&determinism=exact", pieces=pieces
        )
        self.check(response, np.frombuffer(body).max(), "max")

    def zipped(self, client):
        array = self.array()
        body = gzip.compress(npy(array, "float64"), 1)
        response = client.post("/v1/reduce", "op=sum", body, headers={"Content-Encoding": "gzip"})
        self.check(response, array.sum())

    def file(self, client):
        path = self.folder / f"{self.seed}.npy"
        array = self.array()
        path.write_bytes(npy(array, "float64"))
        self.check(client.reduce("sum", file=str(path)), array.sum())

    def scan(self, client):
        output = {"file": str(self.folder / f"out-{self.seed}.npy"), "overwrite": True}
        assert client.scan("sum", data=[1, 2, 3], output=output).status == 200
        self.check(client.scan("sum", data=[1, 2, 3]), [1, 3, 6])

    def batch(self, client):
        jobs = [{"kind": "reduce", "op": "sum", "data": [n]} for n in range(50)]
        response = client.job("/v1/batch", {"jobs": jobs})
        assert [entry["results"]["sum"] for entry in response.json()["results"]] == list(range(50))

    def merge(self, client):
        array = self.array()
        cut = self.rng.randrange(len(array) + 1)
        partials = []
        for part in (array[:cut], array[cut:]):
            query = "op=sum&determinism=exact&partial=true"
            response = client.post("/v1/reduce", query, npy(part, "float64"))
            self.check(response, part.sum())
            partials.append(response.json()["partial"])
        self.check(client.job("/v1/merge", {"partials": partials}), array.sum())

    def bad(self, client):
        body = self.rng.choice((b"{", b'{"op": "nop", "data": [1]}', b"\x93NUMPY\x01\x00\xff\xff{"))
        assert client.post("/v1/reduce", None, body).status == 400

    def leave(self, client):
        other = Client(self.address)
        other.send(b"POST /v1/reduce?op=sum HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
        other.send(npy(np.ones(1000), "float64"))
        other.close()


def main():
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "root"
        folder.mkdir()
        daemon = Daemon("--root", folder, "--write-root", folder, folder=Path(base) / "daemon")
        stop = threading.Event()
        address = ("127.0.0.1", daemon.port)
        workers = [Worker(address, folder, seed, stop) for seed in range(CLIENTS)]
        for worker in workers:
            worker.start()
        stop.wait(SECONDS / 5)
        early, descriptors = daemon.memory_now(), daemon.descriptors()
        end = time.monotonic() + SECONDS * 4 / 5
        while time.monotonic() < end and not stop.is_set():
            stop.wait(min(30, max(0.1, end - time.monotonic())))
            done = sum(worker.done for worker in workers)
            print(f"{done} requests, {daemon.memory_now() >> 20} MiB", flush=True)
        stop.set()
        for worker in workers:
            worker.join()
        late = daemon.memory_now()
        print(f"{early >> 20} MiB early, {late >> 20} MiB late; {descriptors} descriptors then")
        failures = [worker.failure for worker in workers if worker.failure]
        assert not failures, failures
        assert late - early < GROWTH, (early, late)
        time.sleep(2)
        assert daemon.descriptors() <= descriptors + CLIENTS, daemon.descriptors()
        daemon.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
