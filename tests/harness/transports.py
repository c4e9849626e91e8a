"""The ways an array can reach foldd: every one must give the same bits."""

import base64
import gzip
import itertools
import json
import random

import numpy as np

from harness.backend import ask
from harness.client import query_string
from harness.elements import npy, raw, to_json

WAYS = (
    "json",
    "json-chunked",
    "base64",
    "npy",
    "npy-big-endian",
    "npy-chunked",
    "npy-v2",
    "raw",
    "raw-big-endian",
    "raw-chunked",
    "raw-gzip",
    "part-raw",
    "part-npy",
    "part-chunked",
    "file-npy",
    "file-raw",
    "files",
    "files-glob",
    "array",
    "array-slice",
)
# Ways that keep no NaN payload, or whose text form has another stored order.
FORTRAN_WAYS = ("npy", "part-npy", "file-npy", "array", "array-slice")
_serial = itertools.count()


def cut(body, rng):
    """Random pieces, some of them tiny and none on element bounds."""
    pieces, start = [], 0
    while start < len(body):
        size = rng.choice((1, 3, 7, 64, 1000, 4096, 65537, len(body) // 2 + 1))
        pieces.append(body[start : start + size])
        start += size
    return pieces


def send(client, folder, path, array, dtype, job, way, seed=0, fortran=False):
    """POST job over the array by one of the WAYS; folder: a readable root."""
    rng = random.Random(seed)
    shape = list(array.shape)
    if fortran:
        assert way in FORTRAN_WAYS, way
    if way in ("json", "json-chunked"):
        job = ask(path, job)
        body = json.dumps({**job, "dtype": dtype, "data": to_json(array, dtype)}).encode()
        pieces = cut(body, rng) if way == "json-chunked" else None
        return client.post(path, None, body, "application/json", pieces=pieces)
    if way == "base64":
        text = base64.b64encode(raw(array, dtype)).decode()
        return client.job(path, {**job, "dtype": dtype, "shape": shape, "base64": text})
    named = {"dtype": dtype} if dtype == "bfloat16" else {}
    if way.startswith("npy"):
        body = npy(
            array,
            dtype,
            ">" if way == "npy-big-endian" else "<",
            fortran,
            (2, 0) if way == "npy-v2" else (1, 0),
        )
        pieces = cut(body, rng) if way == "npy-chunked" else None
        return client.post(path, query_of({**job, **named}), body, pieces=pieces)
    if way.startswith("raw"):
        order = ">" if way == "raw-big-endian" else "<"
        body = raw(array, dtype, order)
        query = {**job, "dtype": dtype, "shape": shape}
        if order == ">":
            query["byteorder"] = "big"
        headers, pieces = {}, None
        if way == "raw-gzip":
            headers["Content-Encoding"] = "gzip"
            body = gzip.compress(body, 1)
        if way == "raw-chunked":
            pieces = cut(body, rng) or None
        return client.post(path, query_of(query), body, None, headers, pieces)
    if way.startswith("part"):
        if way == "part-npy":
            body = npy(array, dtype, "<", fortran)
            part = {"size": len(body), "format": "npy", **named}
        else:
            body = raw(array, dtype)
            part = {"size": len(body), "dtype": dtype, "shape": shape}
        whole = {**job, "part": 0, "parts": [part]}
        pieces = (lambda text: cut(text, rng)) if way == "part-chunked" else None
        return client.multipart(path, whole, [body], pieces=pieces)
    if way.startswith("array"):
        return _send_array(client, path, array, dtype, job, way, rng, fortran, named)
    return _send_file(client, folder, path, array, dtype, job, way, rng, fortran, named)


def _send_array(client, path, array, dtype, job, way, rng, fortran, named):
    """As a resident array, or as a slice of a longer one."""
    name, source = f"way-{next(_serial)}", {}
    if way == "array-slice" and array.ndim > 0:
        start, more = rng.randint(0, 3), rng.randint(0, 3)
        around = np.zeros((1, *array.shape[1:]), array.dtype)
        array = np.concatenate([around] * start + [array] + [around] * more)
        source = {"slice": [start, array.shape[0] - more]}
    query = query_of(named)
    body = npy(array, dtype, rng.choice("<>"), fortran)
    put = client.request("PUT", f"/v1/arrays/{name}{'?' if query else ''}{query}", body)
    assert put.status == 201, put
    try:
        return client.job(path, {**job, "array": name, **source})
    finally:
        assert client.request("DELETE", f"/v1/arrays/{name}").status == 204


def _send_file(client, folder, path, array, dtype, job, way, rng, fortran, named):
    base = folder / f"way-{next(_serial)}"
    base.mkdir()
    try:
        if way == "file-npy":
            (base / "x.npy").write_bytes(npy(array, dtype, rng.choice("<>"), fortran))
            return client.job(path, {**job, **named, "file": str(base / "x.npy")})
        if way == "file-raw":
            (base / "x.bin").write_bytes(b"head" + raw(array, dtype))
            source = {"file": f"{base.name}/x.bin", "offset": 4, "dtype": dtype}
            return client.job(path, {**job, **source, "shape": list(array.shape)})
        names = []
        for i, piece in enumerate(_split(array, rng)):
            names.append(base / f"{i:03}.npy")
            names[-1].write_bytes(npy(piece, dtype, rng.choice("<>"), False))
        if way == "files-glob":
            return client.job(path, {**job, **named, "files": [f"{base}/*.n[p]y"]})
        return client.job(path, {**job, **named, "files": [str(name) for name in names]})
    finally:
        for name in base.iterdir():
            name.unlink()
        base.rmdir()


def _split(array, rng):
    if array.ndim == 0:
        return [array.reshape(1)]
    count = array.shape[0]
    places = sorted(rng.randint(0, count) for _ in range(rng.randint(0, 4)))
    bounds = [0, *places, count]
    return [array[a:b] for a, b in zip(bounds, bounds[1:])]


def query_of(job):
    """A job object's members as a query string."""
    words = {}
    for name, value in job.items():
        if isinstance(value, dict):
            raise ValueError(f"{name} has no form in a query string here")
        words[name] = value
    return query_string(words)
