"""An extender for tests: a real server on this machine, with an answer for each verb."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Raw:
    """What writes a whole response, and then closes the connection."""

    write: Callable[[BaseHTTPRequestHandler], None]


Answer = dict[str, Any] | bytes | int | Raw | Callable[[dict[str, Any]], dict[str, Any]]
"""What is answered: an object, bytes as they are, a status, a whole response, or what makes an object of a request."""


@dataclass
class Extender:
    """The server: its answers by verb, and the requests that it has had, as verbs with their objects."""

    url: str
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[tuple[str, Any]] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    connections: set[Any] = field(default_factory=set)
    closing: threading.Event = field(default_factory=threading.Event)

    def verbs(self) -> list[str]:
        """Return the verbs of all requests, in their order."""
        return [verb for verb, _ in self.requests]

    def asked(self, verb: str) -> list[Any]:
        """Return the requests of one verb."""
        return [request for each, request in self.requests if each == verb]


def raw(text: str) -> Raw:
    """Return a response as it is written, with its header."""
    content = text.replace("\n", "\r\n").encode()

    def write(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(content)

    return Raw(write)


def redirect(status: int, location: str) -> Raw:
    """Return a redirect."""
    return raw(f"HTTP/1.1 {status} Elsewhere\nLocation: {location}\nContent-Length: 0\n\n")


def endless(server: Extender, first: bytes, more: bytes = b"") -> Raw:
    """Return a body without end: what it begins with, and what follows again and again, if anything does."""

    def write(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n" + first)
        handler.wfile.flush()
        while not server.closing.is_set():
            if more:
                handler.wfile.write(more)
            else:
                server.closing.wait()

    return Raw(write)


@contextmanager
def extender(**answers: Answer) -> Iterator[Extender]:
    """Run a server that answers each verb as is said; a verb that is not named is not found."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            verb = self.path.lstrip("/")
            server.requests.append((verb, json.loads(body) if body else None))
            server.methods.append(self.command)
            server.connections.add(self.client_address)
            self._answer(server.answers.get(verb, 404), body)

        do_GET = do_POST  # noqa: N815 - the name is that of the standard library

        def _answer(self, answer: Answer, body: bytes) -> None:
            if isinstance(answer, Raw):
                self.close_connection = True
                answer.write(self)
                return
            if callable(answer):
                answer = answer(json.loads(body))
            content = json.dumps(answer).encode() if isinstance(answer, dict) else answer
            self.send_response(content if isinstance(content, int) else 200)
            content = b"" if isinstance(content, int) else content
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Write no log."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """Leave out what a client that has gone leads to."""

    with Server(("127.0.0.1", 0), Handler) as http:
        server = Extender(f"http://127.0.0.1:{http.server_port}", answers)
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            http.shutdown()
            thread.join()
