"""The table of error codes: for each a request that provokes it.

A row's `ask` gets a Context and gives the response. `pointer` is the member at
fault (RFC 6901), None where there is no job object to point into.
"""

import gzip
import os
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

from harness.elements import npy, npy_file

ONE = np.arange(1.0, 4.0)


@dataclass
class Context:
    client: object
    roots: object


@dataclass
class Row:
    name: str
    status: int
    code: str
    ask: Callable
    pointer: Optional[str] = None
    detail: str = ""  # must be found in the problem's detail


def reduce(**members):
    return lambda c: c.client.job("/v1/reduce", members)


def scan(**members):
    return lambda c: c.client.job("/v1/scan", members)


def text(body, path="/v1/reduce", content_type="application/json", query=None):
    body = body if isinstance(body, bytes) else body.encode()
    return lambda c: c.client.post(path, query, body, content_type)


def upload(body, query, path="/v1/reduce", headers=None):
    return lambda c: c.client.post(path, query, body, headers=headers)


def multipart(job, *parts, path="/v1/reduce"):
    return lambda c: c.client.multipart(path, job, list(parts))


def on_file(make, **members):
    """A job over what make(path) leaves at a path beneath the readable root."""

    def ask(c):
        path = c.roots.read / "errors-file"
        make(path)
        try:
            return c.client.job("/v1/reduce", {"op": "sum", "file": str(path), **members})
        finally:
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            elif path.is_symlink() or path.exists():
                path.unlink()

    return ask


def outside(c):
    target = c.roots.outside / "there.npy"
    target.write_bytes(npy(ONE, "float64"))
    return c.client.job("/v1/reduce", {"op": "sum", "file": str(target)})


def nowhere_outside(c):
    return c.client.job("/v1/reduce", {"op": "sum", "file": str(c.roots.outside / "no.npy")})


def existing_output(c):
    target = c.roots.write / "errors-exists.npy"
    target.write_bytes(b"mine")
    try:
        job = {"op": "sum", "data": [1, 2], "output": {"file": str(target)}}
        return c.client.job("/v1/scan", job)
    finally:
        assert target.read_bytes() == b"mine"
        target.unlink()


def output_outside(c):
    job = {"op": "sum", "data": [1, 2], "output": {"file": str(c.roots.outside / "x.npy")}}
    return c.client.job("/v1/scan", job)


def output_under_readable(c):
    job = {"op": "sum", "data": [1, 2], "output": {"file": str(c.roots.read / "x.npy")}}
    return c.client.job("/v1/scan", job)


def merge(*jobs, partials=(), **members):
    """The partial results of jobs, and words that are none, merged."""

    def ask(c):
        sent = []
        for job in jobs:
            answer = c.client.reduce(partial=True, determinism="exact", **job)
            assert answer.status == 200, answer
            sent.append(answer.json()["partial"])
        return c.client.job("/v1/merge", {"partials": [*sent, *partials], **members})

    return ask


def twice(c):
    """An array put again where only a new one may be."""
    only_new = {"If-None-Match": "*"}
    body = npy(ONE, "float64")
    c.client.request("PUT", "/v1/arrays/errors", body, only_new)
    try:
        return c.client.request("PUT", "/v1/arrays/errors", body, only_new)
    finally:
        assert c.client.request("DELETE", "/v1/arrays/errors").status == 204


def sliced(*bounds):
    def ask(c):
        c.client.request("PUT", "/v1/arrays/errors", npy(ONE, "float64"))
        try:
            return c.client.reduce("sum", array="errors", slice=list(bounds))
        finally:
            assert c.client.request("DELETE", "/v1/arrays/errors").status == 204

    return ask


def header(shape="(3,)", descr="'<f8'", order="False", more=""):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, {more}}}"


DATA = {"data": [1.0, 2.0]}
SUM = {"op": "sum", **DATA}
DEEP = "[" * 33 + "1" + "]" * 33
PART = {"size": 16, "dtype": "float64", "shape": [2]}
TWO = ONE[:2].tobytes()

TABLE = [
    # 400 bad_json
    Row("half a document", 400, "bad_json", text('{"op": "sum", "data": [1, 2')),
    Row("no JSON at all", 400, "bad_json", text("sum 1 2 3")),
    Row("nothing", 400, "bad_json", text("")),
    Row("two documents", 400, "bad_json", text('{"op":"sum","data":[1]} {}')),
    Row("duplicate member", 400, "bad_json", text('{"op":"sum","op":"max","data":[1]}')),
    Row("duplicate data", 400, "bad_json", text('{"op":"sum","data":[1],"data":[2]}')),
    Row("too deep", 400, "bad_json", text('{"op":"sum","data":%s}' % DEEP)),
    Row(
        "leading zero",
        400,
        "bad_json",
        text('{"op":"sum","data":[01]}'),
        "/data",
    ),
    Row(
        "plus sign",
        400,
        "bad_json",
        text('{"op":"sum","data":[+1]}'),
        "/data",
    ),
    Row(
        "trailing comma",
        400,
        "bad_json",
        text('{"op":"sum","data":[1,]}'),
        "/data",
    ),
    Row("not UTF-8", 400, "bad_json", text(b'{"op":"s\xffm","data":[1]}')),
    Row(
        "job object of a multipart body",
        400,
        "bad_json",
        lambda c: c.client.post(
            "/v1/reduce", None, b"{nope", "application/vnd.foldd", {"Foldd-Job-Length": 5}
        ),
    ),
    # 400 bad_job
    Row("not an object", 400, "bad_job", text("[1, 2]"), ""),
    Row("no operation", 400, "bad_job", reduce(**DATA), "/op"),
    Row("no source", 400, "bad_job", reduce(op="sum"), ""),
    Row("two sources", 400, "bad_job", reduce(op="sum", **DATA, file="x.npy"), "/file"),
    Row("no operations", 400, "bad_value", reduce(op=[], **DATA), "/op"),
    Row("the same operation twice", 400, "bad_job", reduce(op=["sum", "sum"], **DATA), "/op/1"),
    Row("ddof of a sum", 400, "bad_job", reduce(op="sum", ddof=1, **DATA), "/ddof"),
    Row(
        "exclusive reduction",
        400,
        "bad_job",
        reduce(op="sum", exclusive=True, **DATA),
        "/exclusive",
    ),
    Row("keepdims of a scan", 400, "bad_job", scan(op="sum", keepdims=True, **DATA), "/keepdims"),
    Row("two scans", 400, "bad_job", scan(op=["sum", "max"], **DATA), "/op"),
    Row("no scan of means", 400, "bad_job", scan(op="mean", **DATA), "/op"),
    Row(
        "overflow of a mean",
        400,
        "bad_job",
        reduce(op="mean", overflow="wrap", **DATA),
        "/overflow",
    ),
    Row("empty of a whole array", 400, "bad_job", reduce(op="max", empty="null", **DATA), "/empty"),
    Row(
        "axis and segments",
        400,
        "bad_job",
        reduce(op="sum", axis=0, segments=[0, 2], **DATA),
        "/segments",
    ),
    Row("dot of one array", 400, "bad_job", reduce(op="dot", **DATA), "/with"),
    Row("with without dot", 400, "bad_job", reduce(op="sum", **DATA, **{"with": DATA}), "/with"),
    Row(
        "argmax over two axes",
        400,
        "bad_job",
        reduce(op="argmax", axis=[0, 1], data=[[1]]),
        "/axis",
    ),
    Row("query beside JSON", 400, "bad_job", text('{"op":"sum","data":[1]}', query={"op": "sum"})),
    Row("kind outside a batch", 400, "bad_job", reduce(op="sum", kind="reduce", **DATA), "/kind"),
    Row("part without parts", 400, "bad_job", reduce(op="sum", part=0), "/part"),
    Row(
        "repeated member of a query",
        400,
        "bad_job",
        upload(npy(ONE, "float64"), "op=sum&ddof=1&ddof=2"),
        "/ddof",
    ),
    Row("batch without jobs", 400, "bad_job", text("{}", "/v1/batch"), "/jobs"),
    Row("merge without partials", 400, "bad_job", text("{}", "/v1/merge"), "/partials"),
    Row("ddof of merged sums", 400, "bad_job", merge(SUM, SUM, ddof=1), "/ddof"),
    Row(
        "out_dtype of an operation that was not merged",
        400,
        "bad_job",
        merge(SUM, out_dtype={"max": "float32"}),
        "/out_dtype/max",
    ),
    Row("partial of an ordered sum", 400, "bad_job", reduce(op="sum", partial=True, **DATA), "/partial"),
    Row("partial of a scan", 400, "bad_job", scan(op="max", partial=True, **DATA), "/partial"),
    Row(
        "partial over an axis",
        400,
        "bad_job",
        reduce(op="max", axis=0, partial=True, **DATA),
        "/partial",
    ),
    # 400 unknown_member
    Row("unknown member", 400, "unknown_member", reduce(op="sum", opp=1, **DATA), "/opp"),
    Row(
        "its name escaped",
        400,
        "unknown_member",
        reduce(op="sum", **DATA, **{"a/b~": 1}),
        "/a~1b~0",
    ),
    Row(
        "unknown in a query",
        400,
        "unknown_member",
        upload(npy(ONE, "float64"), "op=sum&opp=1"),
        "/opp",
    ),
    Row("unknown of a batch", 400, "unknown_member", text('{"jobs":[],"x":1}', "/v1/batch"), "/x"),
    Row("unknown of a merge", 400, "unknown_member", merge(SUM, op="sum"), "/op"),
    Row(
        "unknown of output",
        400,
        "unknown_member",
        scan(op="sum", **DATA, output={"file": "x.npy", "mode": 1}),
        "/output/mode",
    ),
    # 400 unknown_op
    Row("unknown operation", 400, "unknown_op", reduce(op="summ", **DATA), "/op"),
    Row("the second of a list", 400, "unknown_op", reduce(op=["sum", "nop"], **DATA), "/op/1"),
    Row("unknown in a query", 400, "unknown_op", upload(npy(ONE, "float64"), "op=summ"), "/op"),
    # 400 bad_dtype
    Row("unknown type", 400, "bad_dtype", reduce(op="sum", dtype="float128", **DATA), "/dtype"),
    Row(
        "complex file",
        400,
        "bad_dtype",
        upload(npy_file(header("(1,)", "'<c16'"), b"\0" * 16), "op=sum"),
        None,
        "c16",
    ),
    Row(
        "structured file",
        400,
        "bad_dtype",
        upload(npy_file(header("(1,)", "[('a', '<f8')]"), b"\0" * 8), "op=sum"),
    ),
    Row(
        "dates",
        400,
        "bad_dtype",
        upload(npy_file(header("(1,)", "'<M8[s]'"), b"\0" * 8), "op=sum"),
        None,
        "M8[s]",
    ),
    Row(
        "V2 without a type",
        400,
        "bad_dtype",
        upload(npy_file(header("(1,)", "'<V2'"), b"\0" * 2), "op=sum"),
        None,
        "V2",
    ),
    Row(
        "another type than the file's",
        400,
        "bad_dtype",
        upload(npy(ONE, "float64"), "op=sum&dtype=float32"),
    ),
    Row(
        "out_dtype of argmax",
        400,
        "bad_dtype",
        reduce(op="argmax", out_dtype="int32", **DATA),
        "/out_dtype",
    ),
    Row(
        "a float sum as integer",
        400,
        "bad_dtype",
        reduce(op="sum", out_dtype="int64", **DATA),
        "/out_dtype",
    ),
    Row(
        "unknown out_dtype",
        400,
        "bad_dtype",
        reduce(op="sum", out_dtype="f8", **DATA),
        "/out_dtype",
    ),
    Row(
        "base64 without a type",
        400,
        "bad_job",
        reduce(op="sum", base64="AAAA"),
        "/dtype",
    ),
    Row(
        "dot of two types",
        400,
        "bad_dtype",
        reduce(op="dot", dtype="float32", **DATA, **{"with": {"data": [1, 2], "dtype": "float64"}}),
        "/with",
    ),
    # 400 bad_shape
    Row(
        "ragged",
        400,
        "bad_shape",
        reduce(op="sum", data=[[1, 2], [3]]),
        "/data/1",
    ),
    Row(
        "number beside list",
        400,
        "bad_shape",
        reduce(op="sum", data=[1, [2]]),
        "/data/1",
    ),
    Row(
        "raw bytes that make no elements",
        400,
        "bad_shape",
        upload(b"1234567", "op=sum&dtype=float64"),
    ),
    Row(
        "raw bytes of another shape",
        400,
        "bad_shape",
        upload(TWO, "op=sum&dtype=float64&shape=3"),
        "/shape",
    ),
    Row(
        "parts that do not add up",
        400,
        "bad_shape",
        multipart({"op": "sum", "part": 0, "parts": [PART]}, TWO + b"more"),
        "/parts",
    ),
    Row(
        "parts that end early",
        400,
        "bad_shape",
        multipart({"op": "sum", "part": 0, "parts": [PART]}, TWO[:-1]),
        "/parts",
    ),
    Row(
        "dot of two lengths",
        400,
        "bad_shape",
        reduce(op="dot", data=[1, 2], **{"with": {"data": [1, 2, 3]}}),
        "/with",
    ),
    # 400 bad_value
    Row(
        "integer out of both ranges",
        400,
        "bad_value",
        text('{"op":"sum","data":[1,18446744073709551616]}'),
        "/data/1",
    ),
    Row(
        "a fraction as integer",
        400,
        "bad_value",
        reduce(op="sum", dtype="int8", data=[[1, 2.5]]),
        "/data/0/1",
    ),
    Row("beyond int8", 400, "bad_value", reduce(op="sum", dtype="int8", data=[128]), "/data/0"),
    Row(
        "booleans and numbers",
        400,
        "bad_value",
        reduce(op="sum", data=[True, 1]),
        "/data/1",
    ),
    Row(
        "a word",
        400,
        "bad_value",
        reduce(op="sum", data=["one"]),
        "/data/0",
    ),
    Row("axis out of range", 400, "bad_value", reduce(op="sum", axis=1, **DATA), "/axis"),
    Row("axis twice", 400, "bad_value", reduce(op="sum", axis=[0, -2], data=[[1]]), "/axis/1"),
    Row(
        "unknown promise",
        400,
        "bad_value",
        reduce(op="sum", determinism="fast", **DATA),
        "/determinism",
    ),
    Row("unknown NaN rule", 400, "bad_value", reduce(op="sum", nan="skip", **DATA), "/nan"),
    Row("negative ddof", 400, "bad_value", reduce(op="var", ddof=-1, **DATA), "/ddof"),
    Row("P below 1", 400, "bad_value", reduce(op="lp:0.5", **DATA), "/op"),
    Row(
        "segments that fall",
        400,
        "bad_value",
        reduce(op="sum", segments=[0, 2, 1, 2], **DATA),
        "/segments/2",
    ),
    Row(
        "segments that end early",
        400,
        "bad_value",
        reduce(op="sum", segments=[0, 1], **DATA),
        "/segments",
    ),
    Row(
        "broken base64", 400, "bad_value", reduce(op="sum", dtype="int8", base64="AA=A"), "/base64"
    ),
    Row(
        "broken gzip",
        400,
        "bad_value",
        upload(
            gzip.compress(npy(ONE, "float64"))[:-9], "op=sum", headers={"Content-Encoding": "gzip"}
        ),
    ),
    Row(
        "a boolean of a query",
        400,
        "bad_value",
        upload(npy(ONE, "float64"), "op=sum&bits=maybe"),
        "/bits",
    ),
    Row(
        "a part that is not there",
        400,
        "bad_value",
        multipart({"op": "sum", "part": 1, "parts": [PART]}, TWO),
        "/part",
    ),
    Row("nothing to merge", 400, "bad_value", merge(), "/partials"),
    Row("a number among partials", 400, "bad_value", merge(SUM, partials=[1]), "/partials/1"),
    Row("a partial that is no base64", 400, "bad_value", merge(SUM, partials=["A"]), "/partials/1"),
    Row(
        "base64 that is no partial", 400, "bad_value", merge(SUM, partials=["AAAA"]), "/partials/1"
    ),
    # 400 bad_npy
    Row("half a header", 400, "bad_npy", upload(b"\x93NUMPY\x01\x00\x76\x00{'descr'", "op=sum")),
    Row("a version of tomorrow", 400, "bad_npy", upload(npy_file(header(), TWO, (9, 0)), "op=sum")),
    Row(
        "fewer bytes than the header says",
        400,
        "bad_npy",
        upload(npy(ONE, "float64")[:-1], "op=sum"),
    ),
    Row(
        "more bytes than the header says",
        400,
        "bad_npy",
        upload(npy(ONE, "float64") + b"x", "op=sum"),
    ),
    Row("a negative length", 400, "bad_npy", upload(npy_file(header("(-3,)")), "op=sum")),
    Row(
        "a shape beyond 64 bits",
        400,
        "bad_npy",
        upload(npy_file(header("(4294967296, 4294967296, 4294967296)")), "op=sum"),
    ),
    Row("a key too many", 400, "bad_npy", upload(npy_file(header(more="'x': 1, ")), "op=sum")),
    # 400 no_such_backend
    Row(
        "a GPU that this build has not",
        400,
        "no_such_backend",
        reduce(op="sum", backend="cuda:63", **DATA),
        "/backend",
    ),
    # 403
    Row("a file outside", 403, "path_forbidden", outside, "/file"),
    Row("outside, and not there", 403, "path_forbidden", nowhere_outside, "/file"),
    Row("out by ..", 403, "path_forbidden", reduce(op="sum", file="../outside/there.npy"), "/file"),
    Row(
        "out by a link",
        403,
        "path_forbidden",
        on_file(lambda p: os.symlink("/etc/passwd", p)),
        "/file",
    ),
    Row("output outside", 403, "path_forbidden", output_outside, "/output"),
    Row(
        "output where only reading is allowed",
        403,
        "path_forbidden",
        output_under_readable,
        "/output",
    ),
    # 404, 405
    Row("unknown path", 404, "not_found", lambda c: c.client.get("/v1/nothing")),
    Row("no such file", 404, "file_not_found", reduce(op="sum", file="no.npy"), "/file"),
    Row("nothing matches", 404, "file_not_found", reduce(op="sum", files=["no*.npy"]), "/files"),
    Row("GET of a job", 405, "method_not_allowed", lambda c: c.client.get("/v1/reduce")),
    Row("POST of health", 405, "method_not_allowed", lambda c: c.client.post("/healthz")),
    Row("no such array", 404, "no_such_array", reduce(op="sum", array="none"), "/array", "none"),
    Row(
        "nothing to delete",
        404,
        "no_such_array",
        lambda c: c.client.request("DELETE", "/v1/arrays/none"),
    ),
    Row("array of no name", 400, "bad_value", reduce(op="sum", array=".x"), "/array"),
    Row("slice beyond the end", 400, "bad_value", sliced(0, 4), "/slice"),
    Row("slice of what is no array", 400, "bad_job", reduce(op="sum", slice=[0, 1], **DATA), "/slice"),
    # 412
    Row("array put twice", 412, "array_exists", twice),
    # 409
    Row("output exists", 409, "file_exists", existing_output, "/output"),
    # 413, 415
    Row(
        "a JSON array too long",
        413,
        "too_large",
        lambda c: c.client.post("/v1/scan", "op=sum&dtype=int8", bytes(4_000_001)),
    ),
    Row(
        "more memory than a job may have",
        413,
        "too_large",
        upload(bytes(8_000_000), "op=sum&axis=0&dtype=float16&shape=2,2000000&determinism=exact"),
    ),
    Row(
        "a form", 415, "unsupported_media_type", text("op=sum", content_type="multipart/form-data")
    ),
    Row(
        "plain text",
        415,
        "unsupported_media_type",
        text('{"op":"sum","data":[1]}', content_type="text/plain"),
    ),
    Row(
        "an array to merge",
        415,
        "unsupported_media_type",
        upload(npy(ONE, "float64"), "", path="/v1/merge"),
    ),
    Row(
        "another content coding",
        415,
        "unsupported_media_type",
        upload(npy(ONE, "float64"), "op=sum", headers={"Content-Encoding": "br"}),
    ),
    # 422
    Row("maximum of nothing", 422, "empty_input", reduce(op="max", data=[])),
    Row("variance of one, ddof 1", 422, "empty_input", reduce(op="var", ddof=1, data=[1.0])),
    Row("mean of only NaN", 422, "empty_input", reduce(op="mean", nan="omit", data=["NaN"])),
    Row(
        "a NaN",
        422,
        "nan_found",
        reduce(op="sum", nan="error", data=[1.0, "NaN", "NaN"]),
        None,
        "1",
    ),
    Row("merged parts of nothing", 422, "empty_input", merge({"op": "max", "data": []})),
    Row(
        "parts of two types",
        422,
        "partials_differ",
        merge(SUM, SUM, {**SUM, "dtype": "float32"}),
        "/partials/2",
        "float32",
    ),
    Row(
        "parts of other operations",
        422,
        "partials_differ",
        merge(SUM, {**SUM, "op": "max"}),
        "/partials/1",
        "max",
    ),
    Row("beyond int64", 422, "integer_overflow", reduce(op="sum", data=[9223372036854775807, 1])),
    Row(
        "a product beyond int64",
        422,
        "integer_overflow",
        reduce(op="prod", data=[1 << 40, 1 << 40]),
    ),
    Row(
        "a prefix beyond",
        422,
        "integer_overflow",
        scan(op="sum", data=[9223372036854775807, 1, -1]),
    ),
    Row(
        "exact product of floats",
        422,
        "exact_unsupported",
        reduce(op="prod", determinism="exact", **DATA),
        "/op",
    ),
    Row(
        "exact logsumexp",
        422,
        "exact_unsupported",
        reduce(op=["sum", "logsumexp"], determinism="exact", **DATA),
        "/op/1",
    ),
    Row(
        "a file shorter than its header says",
        422,
        "file_truncated",
        on_file(lambda p: p.write_bytes(npy(ONE, "float64")[:-8])),
        "/file",
    ),
    Row("a FIFO", 422, "file_unreadable", on_file(os.mkfifo), "/file"),
    Row("a folder", 422, "file_unreadable", on_file(os.mkdir), "/file"),
    # 501: named in the detail
    Row("background jobs", 501, "not_implemented", text("{}", "/v1/jobs"), None, "/v1/jobs"),
    Row("metrics", 501, "not_implemented", lambda c: c.client.get("/metrics"), None, "/metrics"),
    Row("the status page", 501, "not_implemented", lambda c: c.client.get("/")),
    Row(
        "open inference protocol", 501, "not_implemented", lambda c: c.client.get("/v2/health/live")
    ),
    Row(
        "priority",
        501,
        "not_implemented",
        reduce(op="sum", priority=1, **DATA),
        "/priority",
        "priority",
    ),
    Row(
        "CSV",
        501,
        "not_implemented",
        reduce(op="sum", file="x.csv", format="csv"),
        "/format",
        "csv",
    ),
]

# Provoked by a test of its own, for the daemon's options or timing it needs.
ELSEWHERE = {
    "file_changed": "test_files.py",
    "queue_full": "test_lifecycle.py",
    "draining": "test_lifecycle.py",
    "array_lost": "test_arrays.py",
    "timeout": "test_lifecycle.py",
    "out_of_memory": "test_lifecycle.py",
}

# Codes that no request provokes in this version, and why.
NOT_YET = {
    "unauthorized": "tokens come later",
    "forbidden": "rights of tokens come later",
    "no_such_job": "background jobs come later",
    "job_expired": "background jobs come later",
    "rate_limited": "limits by client come later",
    "internal": "a fault of foldd itself: a request that provokes one is a bug to be mended",
    "backend_unavailable": "the only backend, the CPU, cannot be lost",
}
