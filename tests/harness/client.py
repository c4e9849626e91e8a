"""A small HTTP/1.1 client with full say over framing, over TCP or a UNIX socket."""

import json
import socket
import urllib.parse
import zlib

from harness import backend


class Response:
    def __init__(self, status, headers, body, reason=""):
        self.status = status
        self.reason = reason
        self.headers = headers  # lower-case name -> value (the last one)
        self.body = body

    def json(self):
        return json.loads(self.text())

    def text(self):
        body = self.body
        if self.headers.get("content-encoding") == "gzip":
            body = zlib.decompress(body, 31)
        return body.decode()

    def problem(self):
        """The problem of a failed request, checked for form."""
        content_type = self.headers.get("content-type", "")
        assert content_type.startswith("application/problem+json"), (self.status, self.body[:400])
        problem = self.json()
        assert problem["status"] == self.status, problem
        for member in ("type", "title", "detail", "code"):
            assert isinstance(problem[member], str) and problem[member], problem
        return problem

    def __repr__(self):
        return f"<{self.status} {self.headers} {self.body[:600]!r}>"


class Client:
    """Keeps one connection open; opens another when the server has closed it."""

    def __init__(self, address, timeout=60):
        self.address = address  # (host, port), or a path
        self.timeout = timeout
        self.socket = None
        self.buffer = b""

    def connect(self):
        self.close()
        if isinstance(self.address, str):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(self.timeout)
            self.socket.connect(self.address)
        else:
            self.socket = socket.create_connection(self.address, self.timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    # -- one request ------------------------------------------------------

    def request(self, method, target, body=None, headers=None, pieces=None):
        """body: bytes, sent with Content-Length; pieces: an iterable of bytes,
        sent chunked, one chunk each."""
        response = self._request(method, target, body, headers, pieces)
        backend.count(target, response)
        return response

    def _request(self, method, target, body, headers, pieces):
        fresh = self.socket is None
        if fresh:
            self.connect()
        try:
            return self._exchange(method, target, body, headers, pieces)
        except (ConnectionError, EOFError):
            # A kept connection may have been closed between two requests.
            if fresh or pieces is not None and not isinstance(pieces, (list, tuple)):
                self.close()
                raise
        self.connect()
        return self._exchange(method, target, body, headers, pieces)

    def _exchange(self, method, target, body, headers, pieces):
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if pieces is not None:
            lines.append("Transfer-Encoding: chunked")
        elif body is not None and "Content-Length" not in (headers or {}):
            lines.append(f"Content-Length: {len(body)}")
        head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        broken = None
        try:
            if pieces is not None:
                self.socket.sendall(head)
                for piece in pieces:
                    if piece:
                        self.socket.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
                self.socket.sendall(b"0\r\n\r\n")
            elif body is not None and len(body) > 1 << 16:
                self.socket.sendall(head)
                self.socket.sendall(body)
            else:
                self.socket.sendall(head + (body or b""))
        except ConnectionError as error:
            broken = error  # an early answer may be there all the same
        try:
            response = self.read_response(method)
        except (ConnectionError, EOFError):
            raise broken or EOFError("closed without an answer")
        if broken or response.headers.get("connection", "").lower() == "close":
            self.close()
        return response

    def send(self, data):
        if self.socket is None:
            self.connect()
        self.socket.sendall(data)

    def read_response(self, method="GET"):
        """The next response on the connection; 1xx ones are passed over."""
        while True:
            head = self._read_until(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            _, status, *reason = lines[0].split(" ", 2)
            if not 100 <= int(status) < 200:
                break
        headers = {}
        for line in lines[1:]:
            if line:
                name, _, value = line.partition(":")
                headers[name.strip().lower()] = value.strip()
        status = int(status)
        body = b""
        if method == "HEAD" or status in (204, 304):
            pass
        elif headers.get("transfer-encoding", "").lower() == "chunked":
            body = self._read_chunked()
        elif "content-length" in headers:
            body = self._read_exactly(int(headers["content-length"]))
        else:
            body = self._read_to_end()
        return Response(status, headers, body, " ".join(reason))

    def read_closed(self):
        """True when the server closes the connection, and says nothing more."""
        return self._read_to_end() == b""

    def _more(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError("connection closed")
        self.buffer += data

    def _read_until(self, mark):
        while mark not in self.buffer:
            self._more()
        head, _, self.buffer = self.buffer.partition(mark)
        return head

    def _read_exactly(self, size):
        parts = [self.buffer[:size]]
        self.buffer = self.buffer[size:]
        missing = size - len(parts[0])
        while missing:
            data = self.socket.recv(min(missing, 1 << 20))
            if not data:
                raise EOFError("connection closed in a body")
            parts.append(data)
            missing -= len(data)
        return b"".join(parts)

    def _read_chunked(self):
        parts = []
        while True:
            size = int(self._read_until(b"\r\n").split(b";")[0], 16)
            if size == 0:
                while self._read_until(b"\r\n"):
                    pass
                return b"".join(parts)
            parts.append(self._read_exactly(size))
            self._read_exactly(2)

    def _read_to_end(self):
        try:
            while True:
                self._more()
        except (EOFError, ConnectionError):
            data, self.buffer = self.buffer, b""
            self.close()
            return data

    # -- the interface ----------------------------------------------------

    def get(self, target, headers=None):
        return self.request("GET", target, headers=headers)

    def post(self, path, query=None, body=b"", content_type=None, headers=None, pieces=None):
        query = backend.ask(path, query)
        target = path + ("?" + query_string(query) if query else "")
        headers = dict(headers or {})
        if content_type:
            headers["Content-Type"] = content_type
        return self.request("POST", target, None if pieces else body, headers, pieces)

    def job(self, path, job, headers=None):
        """A body of kind 1."""
        body = json.dumps(backend.ask(path, job)).encode()
        return self.post(path, None, body, "application/json", headers=headers)

    def reduce(self, op=None, **members):
        return self.job("/v1/reduce", {"op": op, **members} if op is not None else members)

    def scan(self, op=None, **members):
        return self.job("/v1/scan", {"op": op, **members} if op is not None else members)

    def multipart(self, path, job, parts, headers=None, pieces=None):
        """A body of kind 4: the job object, then the parts back to back."""
        text = json.dumps(backend.ask(path, job)).encode()
        headers = {**(headers or {}), "Foldd-Job-Length": len(text)}
        body = text + b"".join(parts)
        return self.post(
            path,
            None,
            body,
            "application/vnd.foldd",
            headers,
            None if pieces is None else pieces(body),
        )


def query_string(members):
    """Job members as a query string; bytes and text stand as they are."""
    if isinstance(members, str):
        return members
    words = []
    for name, value in members.items():
        if value is True or value is False:
            value = "true" if value else "false"
        elif isinstance(value, (list, tuple)):
            value = ",".join(str(item) for item in value)
        words.append(f"{name}={urllib.parse.quote(str(value), safe=',:/*-.~')}")
    return "&".join(words)
