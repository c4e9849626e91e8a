"""HTTP as foldd speaks it: framing, methods, codings, headers, connections."""

import gzip
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time

import numpy as np
import pytest

from harness.client import Client
from harness.daemon import Daemon
from harness.elements import npy

SUM = b'{"op": "sum", "data": [1, 2, 3]}'
HEAD = b"POST /v1/reduce HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
POST = HEAD + b"Content-Length: %d\r\n\r\n" % len(SUM) + SUM

PATHS = {
    "/v1/reduce": {"POST", "OPTIONS"},
    "/v1/scan": {"POST", "OPTIONS"},
    "/v1/batch": {"POST", "OPTIONS"},
    "/v1/merge": {"POST", "OPTIONS"},
    "/v1/arrays": {"GET", "HEAD", "OPTIONS"},
    "/v1/arrays/x": {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"},
    "/v1/arrays/x/data": {"GET", "HEAD", "OPTIONS"},
    "/healthz": {"GET", "HEAD", "OPTIONS"},
    "/readyz": {"GET", "HEAD", "OPTIONS"},
    "/v1/info": {"GET", "HEAD", "OPTIONS"},
    "/openapi.yaml": {"GET", "HEAD", "OPTIONS"},
}
# Of the interface, and not served by this version.
LATER = {
    "/v1/jobs": ("GET", "POST"),
    "/v1/jobs/7": ("GET", "DELETE"),
    "/v1/jobs/7/events": ("GET",),
    "/metrics": ("GET",),
    "/v1/stats": ("GET",),
    "/v1/stats/events": ("GET",),
    "/": ("GET",),
    "/v2": ("GET",),
    "/v2/health/ready": ("GET",),
    "/v2/models/sum/infer": ("POST",),
}


def total(response):
    assert response.status == 200, response
    return response.json()["results"]["sum"]


def test_health(client):
    for path in ("/healthz", "/readyz"):
        response = client.get(path)
        assert response.status == 200, response
        assert response.headers["content-type"].startswith("application/json")
    assert "cpu" in client.get("/readyz").text()


def test_info(client):
    info = client.get("/v1/info").json()
    text = json.dumps(info)
    for word in ("version", "cpu", "float16", "bfloat16", "logsumexp", "spool", "queue_jobs"):
        assert word in text, word


@pytest.mark.parametrize("path", PATHS)
def test_methods(client, path):
    allowed = PATHS[path]
    response = client.request("OPTIONS", path)
    assert response.status in (200, 204), response
    assert set(re.split(r"\s*,\s*", response.headers["allow"])) == allowed
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"):
        if method in allowed:
            continue
        response = client.request(method, path, b"" if method != "HEAD" else None)
        assert response.status == 405, (method, response)
        assert set(re.split(r"\s*,\s*", response.headers["allow"])) == allowed
        if method != "HEAD":
            assert response.problem()["code"] == "method_not_allowed"


@pytest.mark.parametrize("path", LATER)
def test_paths_of_later_versions(client, path):
    for method in LATER[path]:
        response = client.request(method, path, b"{}" if method in ("POST", "PUT") else None)
        assert response.status == 501, (method, response)
        problem = response.problem()
        assert problem["code"] == "not_implemented" and path in problem["detail"], problem
    assert client.request("PATCH", path, b"").status == 405


@pytest.mark.parametrize(
    "path", ("/v1", "/v1/", "/v1/reduce/", "/v1/Reduce", "/nothing", "/v1/../healthz", "//healthz")
)
def test_unknown_paths(client, path):
    response = client.get(path)
    assert response.status == 404, response
    assert response.problem()["code"] == "not_found"


@pytest.mark.parametrize(
    "path", ("/healthz", "/readyz", "/v1/info", "/openapi.yaml", "/v1/nothing")
)
def test_head_is_get_without_a_body(client, path):
    get, head = client.get(path), client.request("HEAD", path)
    assert head.status == get.status and head.body == b""
    assert head.headers.get("content-type") == get.headers.get("content-type")
    assert total(client.post("/v1/reduce", None, SUM)) == 6  # the connection is in step


def test_keep_alive(daemon):
    client = daemon.client()
    client.connect()
    for _ in range(50):
        client.send(POST)
        assert total(client.read_response()) == 6


def test_connection_close(daemon):
    client = daemon.client()
    client.send(POST.replace(b"Host: x", b"Host: x\r\nConnection: close"))
    assert total(client.read_response()) == 6
    assert client.read_closed()


def test_http_1_0(daemon):
    client = daemon.client()
    client.send(POST.replace(b"HTTP/1.1\r\nHost: x", b"HTTP/1.0"))
    assert total(client.read_response()) == 6
    assert client.read_closed()


def test_pipelining(daemon):
    client = daemon.client()
    client.send(POST * 50 + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + POST)
    for _ in range(50):
        assert total(client.read_response()) == 6
    assert client.read_response().status == 200
    assert total(client.read_response()) == 6


def test_pipelined_errors_keep_in_step(daemon):
    bad = POST.replace(b'"sum"', b'"nop"')
    client = daemon.client()
    client.send(bad + POST + bad + POST)
    assert [client.read_response().status for _ in range(4)] == [400, 200, 400, 200]


def test_byte_by_byte(daemon):
    client = daemon.client()
    client.connect()
    for i in range(len(POST)):
        client.send(POST[i : i + 1])
    assert total(client.read_response()) == 6


def test_many_connections_at_once(daemon):
    failures = []

    def work(number):
        client = Client(("127.0.0.1", daemon.port))
        array = np.arange(float(number * 100))
        for _ in range(20):
            answer = client.post("/v1/reduce", "op=sum", npy(array, "float64")).json()
            if answer["results"]["sum"] != array.sum():
                failures.append(answer)
        client.close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# -- framing -----------------------------------------------------------------------

SMUGGLING = {
    "length and chunked": b"Content-Length: 32\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n"
    + SUM
    + b"\r\n0\r\n\r\n",
    "chunked and length": b"Transfer-Encoding: chunked\r\nContent-Length: 32\r\n\r\n20\r\n"
    + SUM
    + b"\r\n0\r\n\r\n",
    "two lengths": b"Content-Length: 32\r\nContent-Length: 31\r\n\r\n" + SUM,
    "one length twice": b"Content-Length: 32\r\nContent-Length: 32\r\n\r\n" + SUM,
    "a list of lengths": b"Content-Length: 32, 32\r\n\r\n" + SUM,
    "a negative length": b"Content-Length: -32\r\n\r\n" + SUM,
    "a length with a sign": b"Content-Length: +32\r\n\r\n" + SUM,
    "a length beyond 64 bits": b"Content-Length: 99999999999999999999999\r\n\r\n" + SUM,
    "another transfer coding": b"Transfer-Encoding: gzip\r\n\r\n" + SUM,
    "a broken chunk size": b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + SUM + b"\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("name", SMUGGLING)
def test_ambiguous_framing_is_refused(daemon, name):
    assert len(SUM) == 32
    client = daemon.client(timeout=10)
    client.send(HEAD + SMUGGLING[name])
    try:
        response = client.read_response()
    except EOFError:
        return  # refused by closing
    assert 400 <= response.status < 500 or response.status == 501, response
    # What follows on the connection must not be taken for a request.
    client.buffer = b""
    assert client.read_closed()


def test_no_host(daemon):
    client = daemon.client()
    client.send(b"GET /healthz HTTP/1.1\r\n\r\n")
    assert client.read_response().status == 400


def test_an_oversized_header(daemon):
    client = daemon.client()
    client.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"y" * 400_000 + b"\r\n\r\n")
    try:
        assert client.read_response().status in (400, 413, 431)
    except (EOFError, ConnectionError):
        pass
    assert daemon.client().get("/healthz").status == 200


def test_too_many_parameters_leave_nothing_behind(start):
    """The parser gives such a request up without saying that it ended."""
    one = start("--set", "http.memory=256K")
    query = "&".join(f"a{i}=1" for i in range(15_000))
    request = f"POST /v1/reduce?{query} HTTP/1.1\r\nHost: x\r\n\r\n".encode()

    def memory_after(count):
        clients = [one.client() for _ in range(count)]
        for client in clients:
            client.send(request)
        time.sleep(1)
        for client in clients:
            client.close()
        time.sleep(2)
        return one.memory_now()

    before = memory_after(100)
    after = memory_after(100)
    if "ASAN_OPTIONS" not in os.environ and "TSAN_OPTIONS" not in os.environ:
        assert after < before + (8 << 20)  # 24 MiB of targets, if they stay
    assert one.client().get("/healthz").status == 200


def test_chunked_with_extensions_and_trailers(daemon):
    client = daemon.client()
    client.send(
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n10;name=value\r\n" + SUM[:16] + b"\r\n"
        b"10\r\n" + SUM[16:] + b"\r\n0\r\nX-Trailer: y\r\n\r\n" + POST
    )
    assert total(client.read_response()) == 6
    assert total(client.read_response()) == 6


def test_expect_continue(daemon):
    """The interim answer comes before the body does."""
    client = daemon.client()
    client.send(HEAD + b"Expect: 100-continue\r\nContent-Length: 32\r\n\r\n")
    client.socket.settimeout(10)
    interim = client.socket.recv(1000)
    assert interim.startswith(b"HTTP/1.1 100 "), interim
    client.send(SUM)
    assert total(client.read_response()) == 6


def test_expect_with_a_refusal(start):
    """Too large a body is refused without being asked for."""
    one = start("--limit", "body=1M")
    client = one.client()
    client.send(HEAD + b"Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n")
    response = client.read_response()
    assert response.status == 413
    assert response.problem()["code"] == "too_large"


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_curl_uploads_a_large_body(daemon, tmp_path):
    array = np.ones(3_000_000)
    (tmp_path / "x.npy").write_bytes(npy(array, "float64"))
    url = f"http://127.0.0.1:{daemon.port}/v1/reduce?op=sum,max"
    upload = ["curl", "-sS", "--data-binary", f"@{tmp_path}/x.npy", url]
    answer = json.loads(subprocess.run(upload, check=True, capture_output=True).stdout)
    assert answer["results"] == {"sum": 3e6, "max": 1.0}
    piped = ["curl", "-sS", "-T", "-", "-X", "POST", url]
    body = (tmp_path / "x.npy").read_bytes()
    answer = json.loads(subprocess.run(piped, check=True, capture_output=True, input=body).stdout)
    assert answer["results"]["sum"] == 3e6


def test_the_standard_librarys_client(daemon):
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=30)
    for body in (SUM, iter([SUM[:5], SUM[5:]])):
        connection.request("POST", "/v1/reduce", body, {"Content-Type": "application/json"})
        assert json.loads(connection.getresponse().read())["results"]["sum"] == 6
    connection.close()


# -- codings and headers --------------------------------------------------------------


@pytest.mark.parametrize("chunked", (False, True))
@pytest.mark.parametrize("members", (1, 3))
def test_gzip_request(client, chunked, members):
    """Also of several members, as RFC 1952 allows."""
    body = npy(np.arange(100_000.0), "float64")
    size = len(body) // members + 1
    packed = b"".join(gzip.compress(body[i : i + size], 1) for i in range(0, len(body), size))
    pieces = [packed[i : i + 777] for i in range(0, len(packed), 777)] if chunked else None
    headers = {"Content-Encoding": "gzip"}
    response = client.post("/v1/reduce", "op=sum", packed, headers=headers, pieces=pieces)
    assert total(response) == 4999950000.0


def test_gzip_of_json(client):
    headers = {"Content-Encoding": "gzip"}
    response = client.post("/v1/reduce", None, gzip.compress(SUM), "application/json", headers)
    assert total(response) == 6


@pytest.mark.parametrize(
    "tail",
    (b"x", b"\x1f\x8b", gzip.compress(b"1", mtime=0)[:-1]),
    ids=("a byte", "a magic", "half a member"),
)
def test_gzip_with_more_behind(client, tail):
    packed = gzip.compress(npy(np.ones(3), "float64")) + tail
    response = client.post("/v1/reduce", "op=sum", packed, headers={"Content-Encoding": "gzip"})
    assert 400 <= response.status < 500, response
    response.problem()


def test_a_gzip_bomb_meets_the_limit(start):
    one = start("--limit", "json=1M")
    packed = gzip.compress(b" " * 300_000_000, 9)
    headers = {"Content-Encoding": "gzip"}
    response = one.client().post("/v1/reduce", None, packed, "application/json", headers)
    assert response.status == 413 and response.problem()["code"] == "too_large"
    assert one.memory_peak() < 280 << 20  # less than what it unpacks to


def test_gzip_answer(client):
    headers = {"Accept-Encoding": "gzip"}
    large = client.scan("sum", data=[1] * 1000)
    packed = client.job("/v1/scan", {"op": "sum", "data": [1] * 1000}, headers)
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < len(large.body)
    assert packed.json()["results"] == large.json()["results"]
    assert "content-encoding" not in large.headers
    small = client.get("/healthz", headers)
    assert "content-encoding" not in small.headers
    refused = client.job(
        "/v1/scan", {"op": "sum", "data": [1] * 1000}, {"Accept-Encoding": "gzip;q=0, identity"}
    )
    assert "content-encoding" not in refused.headers


def test_gzip_answer_of_the_openapi_file(client):
    plain = client.get("/openapi.yaml").body
    packed = client.get("/openapi.yaml", {"Accept-Encoding": "br, gzip"})
    assert packed.headers["content-encoding"] == "gzip" and gzip.decompress(packed.body) == plain


def test_request_id(client, daemon):
    response = client.get("/healthz", {"X-Request-Id": "abc-123.Z"})
    assert response.headers["x-request-id"] == "abc-123.Z"
    response = client.post("/v1/reduce", None, b"{", headers={"X-Request-Id": "of-a-failure"})
    assert response.headers["x-request-id"] == "of-a-failure"
    made = {client.get("/healthz").headers["x-request-id"] for _ in range(20)}
    assert len(made) == 20 and all(made)
    logged(daemon, "abc-123.Z")


def logged(daemon, word, seconds=5):
    end = time.monotonic() + seconds
    while word not in daemon.log_text():
        assert time.monotonic() < end, f"{word} is not in the log"
        time.sleep(0.02)


@pytest.mark.parametrize("identifier", ("x" * 5000, 'a"b\\c', "caf\xe9", "a b"))
def test_request_id_is_not_trusted(daemon, identifier):
    """Whatever is sent, header and log stay one line of printable characters."""
    client = daemon.client()
    client.send(
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: "
        + identifier.encode("latin-1")
        + b"\r\n\r\n"
    )
    response = client.read_response()
    assert response.status == 200
    given = response.headers["x-request-id"]
    assert given and len(given) <= 128 and given.isascii() and given.isprintable()


# -- limits ---------------------------------------------------------------------------


def test_body_limit(start):
    one = start("--limit", "body=10000")
    client = one.client()
    array = np.ones(2000)
    body = npy(array, "float64")
    assert client.post("/v1/reduce", "op=sum", body).status == 413
    pieces = [body[i : i + 1000] for i in range(0, len(body), 1000)]
    response = client.post("/v1/reduce", "op=sum", pieces=pieces)
    assert response.status == 413 and response.problem()["code"] == "too_large"
    packed = gzip.compress(body)
    assert len(packed) < 1000
    response = client.post("/v1/reduce", "op=sum", packed, headers={"Content-Encoding": "gzip"})
    assert response.status == 413
    assert total(client.post("/v1/reduce", "op=sum", npy(array[:100], "float64"))) == 100.0


@pytest.mark.parametrize("path", ("/v1/reduce", "/v1/batch"))
def test_json_that_would_grow_in_memory(start, path):
    """20 MB of empty objects would be 1.5 GB of jansson's."""
    one = start()
    body = b'{"op":"sum","data":[1],"jobs":[' + b"{}," * 7_000_000 + b"{}]}"
    response = one.client().post(path, None, body, "application/json")
    assert response.status == 413 and response.problem()["code"] == "too_large"
    assert one.memory_peak() < 400 << 20


def test_depth_limit(start):
    client = start("--limit", "depth=4").client()
    assert client.reduce("sum", data=[[[1]]]).status in (200, 400)
    response = client.reduce("sum", data=[[[[[1]]]]])
    assert response.problem()["code"] == "bad_json"


def test_batch_limit(start):
    client = start("--limit", "jobs=3").client()
    one = {"kind": "reduce", "op": "sum", "data": [1]}
    assert client.job("/v1/batch", {"jobs": [one] * 3}).status == 200
    response = client.job("/v1/batch", {"jobs": [one] * 4})
    assert response.status == 413 and response.problem()["code"] == "too_large"


def test_state_limit(start):
    """What a job needs in memory or on disk is refused whatever the data is."""
    client = start("--limit", "state=2M", "--limit", "spool=1M").client()
    query = "op=l2&axis=0&dtype=float64&shape=2,1000000"
    response = client.post("/v1/reduce", query, bytes(16_000_000))
    assert response.status == 413 and response.problem()["code"] == "too_large"
    query = "op=sum&dtype=float64&shape=1000000"
    response = client.post("/v1/scan", query, bytes(8_000_000))
    assert response.status == 413 and response.problem()["code"] == "too_large"


def test_file_count_limit(start, tmp_path):
    for i in range(4):
        (tmp_path / f"{i}.npy").write_bytes(npy(np.ones(2), "float64"))
    client = start("--limit", "files=3", "--root", tmp_path).client()
    assert client.reduce("sum", files=["[012].npy"]).status == 200
    response = client.reduce("sum", files=["*.npy"])
    assert response.status == 413 and response.problem()["code"] == "too_large"


# -- UNIX socket --------------------------------------------------------------------------


def test_unix_socket(daemon):
    client = daemon.unix_client()
    for _ in range(3):
        assert total(client.post("/v1/reduce", None, SUM)) == 6


def test_unix_socket_is_removed_at_the_end(start):
    one = start(unix=True)
    assert one.unix_client().get("/healthz").status == 200
    one.stop()
    assert not one.unix.exists()


def test_a_stale_unix_socket_is_taken_over(start, tmp_path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(path))
    one = start("--unix", path)
    assert Client(str(path)).get("/healthz").status == 200
    one.stop()


def test_a_living_unix_socket_is_not(daemon):
    with pytest.raises(RuntimeError, match="foldd ended at start"):
        Daemon("--unix", daemon.unix)
    assert daemon.unix_client().get("/healthz").status == 200


# -- clients that go ---------------------------------------------------------------------


@pytest.mark.parametrize("pause", (0, 0.05))
def test_disconnect_in_an_upload(start, pause):
    """Seen at once, or (when the end comes in one packet with data) after `idle`."""
    one = start("--set", "http.idle=2s")
    client = one.client()
    body = npy(np.ones(1_000_000), "float64")
    assert total(client.post("/v1/reduce", "op=sum", body)) == 1e6
    before = one.descriptors()
    for cut in (0, 1, 50, 127, 128, 5000, len(body) - 1):
        other = Client(("127.0.0.1", one.port))
        other.send(
            b"POST /v1/reduce?op=sum HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
        )
        other.send(body[:cut])
        time.sleep(pause)
        other.close()
    end = time.monotonic() + 20
    while one.descriptors() > before:
        assert time.monotonic() < end, (before, one.descriptors())
        time.sleep(0.05)
    assert total(client.post("/v1/reduce", "op=sum", body)) == 1e6


def test_a_half_closed_client_is_answered(daemon):
    client = daemon.client()
    client.send(POST)
    client.socket.shutdown(socket.SHUT_WR)
    assert total(client.read_response()) == 6


def test_a_slow_reader_gets_all(daemon):
    """An answer of many megabytes, taken in small sips."""
    client = daemon.client()
    body = bytes(3_000_000)
    client.send(
        b"POST /v1/scan?op=sum&dtype=int8 HTTP/1.1\r\nHost: x\r\nAccept: application/x-npy\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body)
    )
    client.send(body)
    time.sleep(0.3)
    response = client.read_response()
    assert response.status == 200 and len(response.body) > 24_000_000
