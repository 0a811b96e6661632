"""Requests to an extender, within bounds: a server that is slow, endless or wrong costs a request, and not the session.

An answer counts as with Go's client: status 200, and the first JSON value of the body, of at most 10 MiB, within the
timeout for the whole exchange. What differs, so that a configuration decides as little as possible about where requests
go and how long they take:

* A redirect is followed on the same scheme, host and port only, at most ten times. As with Go, 301, 302 and 303 make
  the request a GET without a body. Go follows redirects to other hosts as well.
* No request takes longer than a minute, also where the timeout is longer, or 0, which is none in Go. After twenty
  timeouts in a row, or ten minutes of requests, a command sends no more: they fail at once.
* No proxy is used, whatever the environment says.

References: pkg/scheduler/plugins/extender/extender.go (send), and net/http of Go's standard library.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse
from threading import Timer
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from vqs.engine.framework.session import ExtenderUse
from vqs.engine.plugins.extender.wire import ExtenderError, ValueEnd

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_BODY: Final = 10 << 20
MAX_REDIRECTS: Final = 10
MAX_SECONDS: Final = 60.0

_OK: Final = 200
_BECOMES_GET: Final = frozenset({301, 302, 303})
_STAYS_POST: Final = frozenset({307, 308})
_CHUNK: Final = 1 << 16
_PORTS: Final = {"http": 80, "https": 443}
_CONTENT_TYPE: Final = {"Content-Type": "application/json"}

Origin = tuple[str, str, int]
"""Scheme, host and port."""


class TimedSocket:
    """A socket with one deadline for all that is sent and received until it is set again."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        self._socket = connected
        self.deadline = deadline

    def arm(self) -> None:
        """Let what is done next take no longer than until the deadline."""
        self._socket.settimeout(left_until(self.deadline))

    def sendall(self, data: bytes) -> None:
        """Send some bytes."""
        self.arm()
        self._socket.sendall(data)

    def makefile(self, _: str) -> io.BufferedReader:
        """What a response is read from; the socket stays open until both are closed."""
        return io.BufferedReader(_Reader(self, self._socket.makefile("rb", buffering=0)))

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class _Reader(io.RawIOBase):
    """What is received on a socket, until its deadline."""

    def __init__(self, source: TimedSocket, received: socket.SocketIO) -> None:
        super().__init__()
        self._source = source
        self._received = received

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        self._source.arm()
        return self._received.readinto(buffer)

    def close(self) -> None:
        self._received.close()
        super().close()


class _Connection(HTTPConnection):
    """A connection that is made once, and never again by itself."""

    sock: TimedSocket  # http.client asks no more of a socket than this
    auto_open = 0


class Client:
    """Sends an extender's requests, as long as their use may go on; several threads may use it at once.

    Attributes:
        sent: the number of requests.
        failures: the number of those without an answer that counts.
        first_failure: why the first of these has none.
    """

    def __init__(self, url_prefix: str, seconds: float, use: ExtenderUse) -> None:
        self._prefix = url_prefix.rstrip("/")
        self._seconds = min(seconds, MAX_SECONDS) if seconds > 0 else MAX_SECONDS
        self._idle: list[_Connection] = []
        self._use = use
        self.sent = 0
        self.failures = 0
        self.first_failure = ""

    def post(self, verb: str, body: bytes, *, wants_answer: bool = True) -> bytes:
        """Send a request and return the first JSON value of its answer, nothing where none is wanted.

        Raises:
            ExtenderError: there is no answer that counts.
        """
        self.sent += 1
        url = f"{self._prefix}/{verb}"
        deadline = time.monotonic() + self._seconds
        try:
            with self._use.requesting():
                answer = self._exchange(verb, url, body, deadline, wants_answer=wants_answer)
        except ExtenderError as error:
            self.note_failure(error)
            raise
        self._use.timeouts = 0
        return answer

    def note_failure(self, error: ExtenderError) -> None:
        """Count a request that has no answer that counts."""
        self.failures += 1
        self.first_failure = self.first_failure or str(error)

    def close(self) -> None:
        """Close all connections."""
        while self._idle:
            self._idle.pop().close()

    def _exchange(self, verb: str, url: str, body: bytes, deadline: float, *, wants_answer: bool) -> bytes:
        """Send a request and follow redirects, as long as requests may be sent."""
        if self._use.exhausted:
            raise ExtenderError(f'Post "{url}": not sent, as {self._use.exhausted}')
        first = origin_of(url)
        method, at = "POST", url
        for _ in range(MAX_REDIRECTS + 1):
            with self._failing_as(at), self._answered(first, method, at, body, deadline) as response:
                location = response.getheader("Location", "")
                if not location or response.status not in _BECOMES_GET | _STAYS_POST:
                    if response.status != _OK:
                        text = f"failed {verb} with extender at URL {url}, code {response.status}"
                        raise ExtenderError(text)
                    return _body(response) if wants_answer else b""
                if response.status in _BECOMES_GET:
                    method, body = "GET", b""
            target = urljoin(at, location)
            if origin_of(target) != first:
                raise ExtenderError(f'Post "{at}": the redirect to {target} is not followed, as it leads elsewhere')
            at = target
        raise ExtenderError(f'Post "{at}": stopped after {MAX_REDIRECTS} redirects')

    @contextmanager
    def _answered(self, origin: Origin, method: str, url: str, body: bytes, deadline: float) -> Iterator[HTTPResponse]:
        """Send a request; where its answer is read to its end, the connection is kept for the next one.

        A connection that the server has closed in the meantime is replaced, once.
        """
        connection, response = self._resent(method, url, body, deadline)
        if connection is None or response is None:
            scheme, host, port = origin
            connected = socket.create_connection((host, port), left_until(deadline))
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if scheme == "https":
                connected = _encrypted(connected, host, deadline)
            connection = _Connection(host, port)
            connection.sock = TimedSocket(connected, deadline)
            with _closed_on_failure(connection):
                response = _sent(connection, method, url, body, deadline)
        try:
            yield response
        finally:
            is_read = response.length == 0 and not response.will_close
            response.close()
            if is_read:
                self._idle.append(connection)
            else:
                connection.close()

    def _resent(
        self, method: str, url: str, body: bytes, deadline: float
    ) -> tuple[_Connection, HTTPResponse] | tuple[None, None]:
        """Send a request on a connection that is open, if there is one that still works."""
        try:
            connection = self._idle.pop()
        except IndexError:
            return None, None
        try:
            with _closed_on_failure(connection):
                return connection, _sent(connection, method, url, body, deadline)
        except (ConnectionError, HTTPException):
            return None, None

    @contextmanager
    def _failing_as(self, url: str) -> Iterator[None]:
        """Raise what goes wrong as Go's client words it."""
        try:
            yield
        except TimeoutError:
            self._use.timeouts += 1
            text = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
            raise ExtenderError(f'Post "{url}": {text}') from None
        except ConnectionRefusedError:
            host, port = origin_of(url)[1:]
            text = f"dial tcp {host}:{port}: connect: connection refused"
            raise ExtenderError(f'Post "{url}": {text}') from None
        except socket.gaierror:
            raise ExtenderError(f'Post "{url}": dial tcp: lookup {origin_of(url)[1]}: no such host') from None
        except (HTTPException, OSError, ValueError) as error:
            text = "EOF" if isinstance(error, ConnectionError) else " ".join(f"{type(error).__name__}: {error}".split())
            raise ExtenderError(f'Post "{url}": {text}') from None


def left_until(deadline: float) -> float:
    """The seconds that are left; raises TimeoutError where there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def origin_of(url: str) -> Origin:
    """Where a request to a URL goes.

    Raises:
        ExtenderError: it is no URL of http or https.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError as error:
        raise ExtenderError(f'parse "{url}": {error}') from None
    if parts.scheme not in _PORTS:
        raise ExtenderError(f'Post "{url}": unsupported protocol scheme "{parts.scheme}"')
    if not host:
        raise ExtenderError(f'Post "{url}": http: no Host in request URL')
    return parts.scheme, host, port


def _encrypted(connected: socket.socket, host: str, deadline: float) -> socket.socket:
    """A socket after the handshake, which is broken off at the deadline, however much of it has come.

    It does not begin where making it ready, with the certificates to read, takes until then.
    """
    context = ssl.create_default_context()
    encrypted = context.wrap_socket(connected, server_hostname=host, do_handshake_on_connect=False)
    try:
        timer = Timer(left_until(deadline), partial(socket.socket.shutdown, encrypted, socket.SHUT_RDWR))
        timer.daemon = True
        timer.start()
        try:
            encrypted.do_handshake()
        finally:
            timer.cancel()
    except OSError:
        encrypted.close()
        left_until(deadline)
        raise
    return encrypted


@contextmanager
def _closed_on_failure(connection: _Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _sent(connection: _Connection, method: str, url: str, body: bytes, deadline: float) -> HTTPResponse:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection.sock.deadline = deadline
    connection.request(method, target, body or None, _CONTENT_TYPE if method == "POST" else {})
    return connection.getresponse()


def _body(response: HTTPResponse) -> bytes:
    """Read a body until its first JSON value is complete."""
    body, end = bytearray(), ValueEnd()
    while chunk := response.read1(_CHUNK):
        body += chunk
        length = end.after(chunk)
        if length is not None and length <= MAX_BODY:
            return bytes(body[:length])
        if len(body) > MAX_BODY:
            raise ExtenderError("http: request body too large")
    return bytes(body)
