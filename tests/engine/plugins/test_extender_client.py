"""The requests to an extender keep to their bounds, whatever the server does."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from contextlib import nullcontext, suppress
from http.server import BaseHTTPRequestHandler

import pytest

from tests.engine.plugins.extender_server import Raw, endless, extender, raw, redirect
from vqs.engine.framework import session
from vqs.engine.framework.session import ExtenderUse
from vqs.engine.plugins.extender import client as bounds
from vqs.engine.plugins.extender.client import Client
from vqs.engine.plugins.extender.wire import ExtenderError


def answer_of(url: str, seconds: float = 5.0) -> bytes:
    """Ask once, and return the answer."""
    client = Client(url, seconds, ExtenderUse())
    try:
        return client.post("verb", b'{"a": 1}')
    finally:
        client.close()


def failure_of(url: str, seconds: float = 5.0) -> str:
    """Ask once, and return why there is no answer."""
    with pytest.raises(ExtenderError) as raised:
        answer_of(url, seconds)
    return str(raised.value)


def test_a_request_is_a_post_of_json_below_the_prefix() -> None:
    """The verb follows the prefix after one slash, however many the prefix ends with."""
    with extender(verb={"status": 1}) as server:
        assert json.loads(answer_of(f"{server.url}//")) == {"status": 1}
    assert server.requests == [("verb", {"a": 1})]
    assert server.methods == ["POST"]


def test_connections_are_used_again() -> None:
    """Requests one after the other share a connection, as those of Go's client."""
    with extender(verb={}) as server:
        client = Client(server.url, 5.0, ExtenderUse())
        for _ in range(5):
            client.post("verb", b"{}")
        client.close()
    assert (len(server.requests), len(server.connections), client.sent) == (5, 1, 5)


def test_a_connection_that_the_server_has_closed_is_replaced() -> None:
    """A server that closes idle connections costs no request."""
    closes = raw("HTTP/1.1 200 OK\nContent-Length: 2\n\n{}")
    with extender(verb=closes) as server:
        client = Client(server.url, 5.0, ExtenderUse())
        answers = [client.post("verb", b"{}") for _ in range(3)]
        client.close()
    assert (answers, client.failures) == ([b"{}"] * 3, 0)


@pytest.mark.parametrize("status", [201, 204, 400, 404, 500, 503])
def test_any_status_but_200_is_a_failure(status: int) -> None:
    """The words are the reference's."""
    with extender(verb=status) as server:
        assert failure_of(server.url) == f"failed verb with extender at URL {server.url}/verb, code {status}"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_on_the_same_server_is_followed(status: int) -> None:
    """As Go's client, a request becomes a GET without a body where the status asks for that."""
    with extender(verb=redirect(status, "/other"), other={"status": 2}) as server:
        assert json.loads(answer_of(server.url)) == {"status": 2}
    stays = status in {307, 308}
    assert server.requests[1] == ("other", {"a": 1} if stays else None)
    assert server.methods == ["POST", "POST" if stays else "GET"]


def test_a_redirect_to_another_server_is_not_followed() -> None:
    """What is sent goes nowhere but where the configuration says, and the failure says so."""
    with extender(other={}) as other, extender(verb=redirect(307, f"{other.url}/other")) as server:
        assert failure_of(server.url) == (
            f'Post "{server.url}/verb": the redirect to {other.url}/other is not followed, as it leads elsewhere'
        )
        assert other.requests == []


@pytest.mark.parametrize("location", ["file:///etc/passwd", "https://127.0.0.1/verb", "//127.0.0.1:1/verb"])
def test_a_redirect_to_another_scheme_or_port_is_not_followed(location: str) -> None:
    """Only what the very same server says counts."""
    with extender(verb=redirect(302, location)) as server:
        failure_of(server.url)
        assert server.verbs() == ["verb"]


def test_redirects_without_end_are_followed_ten_times() -> None:
    """The number and the words are those of Go's client."""
    with extender(verb=redirect(307, "/verb")) as server:
        assert failure_of(server.url) == f'Post "{server.url}/verb": stopped after 10 redirects'
        assert len(server.requests) == 11


def test_a_redirect_that_leads_nowhere_is_its_status() -> None:
    """Without Location, Go's client returns the response as it is."""
    with extender(verb=302) as server:
        assert failure_of(server.url).endswith("code 302")


def test_a_server_that_does_not_answer_costs_the_timeout() -> None:
    """The timeout covers the whole exchange, and the failure has the words of Go's client."""
    with extender() as server:
        server.answers["verb"] = endless(server, b"")
        started = time.monotonic()
        failure = failure_of(server.url, 0.05)
        assert time.monotonic() - started < 2.0
    assert failure == (
        f'Post "{server.url}/verb": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    )


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b'{"status": "', id="a text without end"),
        pytest.param(b"[" * 50, id="lists without end"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_a_body_that_stops_halfway_costs_the_timeout(answer: bytes) -> None:
    """A value that is not complete is waited for until the timeout."""
    with extender() as server:
        server.answers["verb"] = endless(server, answer)
        assert "deadline exceeded" in failure_of(server.url, 0.05)


def test_a_body_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than the limit is read of a value, as fast as the server sends it."""
    monkeypatch.setattr(bounds, "MAX_BODY", 1 << 20)
    with extender() as server:
        server.answers["verb"] = endless(server, b'{"status": "', b"x" * (1 << 16))
        assert failure_of(server.url, 30.0) == "http: request body too large"


def test_what_follows_the_answer_is_not_read() -> None:
    """The first value is the answer, as for Go's decoder, however much follows."""
    with extender() as server:
        server.answers["verb"] = endless(server, b'{"status": "}\\""} {', b"x" * 1000)
        assert answer_of(server.url, 30.0) == b'{"status": "}\\""}'


def test_headers_without_end_cost_the_timeout() -> None:
    """A server that sends a byte now and then does not hold a request up for longer."""

    def drip(handler: BaseHTTPRequestHandler) -> None:
        while not server.closing.wait(0.01):
            handler.wfile.write(b"H")

    with extender() as server:
        server.answers["verb"] = Raw(drip)
        started = time.monotonic()
        assert "deadline exceeded" in failure_of(server.url, 0.1)
        assert time.monotonic() - started < 2.0


def test_a_handshake_without_end_costs_the_timeout() -> None:
    """A server that sends a byte of it now and then does not hold a request up for longer."""
    over = threading.Event()

    def drip() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(b"\x16\x03\x03\x40\x00")  # a record of 16 KiB begins
            while not over.wait(0.01):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=drip)
        thread.start()
        started = time.monotonic()
        failure = failure_of(f"https://127.0.0.1:{listening.getsockname()[1]}", 0.2)
        assert time.monotonic() - started < 2.0
        over.set()
        thread.join()
    assert "deadline exceeded" in failure


def test_a_handshake_does_not_begin_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where reading the certificates takes all the time, the server is told nothing, and the connection is closed."""
    usual = ssl.create_default_context

    def slow() -> ssl.SSLContext:
        time.sleep(0.3)
        return usual()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setattr(ssl, "create_default_context", slow)
        failure = failure_of(f"https://127.0.0.1:{listening.getsockname()[1]}", 0.2)
        connection, _ = listening.accept()
        with connection:
            connection.settimeout(2.0)
            assert connection.recv(1) == b""
    assert "deadline exceeded" in failure


@pytest.mark.parametrize(
    ("prefix", "failure"),
    [
        ("", 'Post "/verb": unsupported protocol scheme ""'),
        ("ftp://host", 'Post "ftp://host/verb": unsupported protocol scheme "ftp"'),
        ("file:///etc", 'Post "file:///etc/verb": unsupported protocol scheme "file"'),
        ("http://", 'Post "http:/verb": http: no Host in request URL'),
    ],
)
def test_only_http_is_spoken(prefix: str, failure: str) -> None:
    """Nothing else is opened, and the failure has the words of Go's client."""
    assert failure_of(prefix) == failure


def test_a_port_that_is_none_is_a_failure() -> None:
    """A URL that cannot be read is told of."""
    assert failure_of("http://host:port").startswith('parse "http://host:port/verb": ')


def test_a_server_that_is_not_there_is_a_failure() -> None:
    """The words are those of Go's client."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        assert failure_of(f"http://127.0.0.1:{port}") == (
            f'Post "http://127.0.0.1:{port}/verb": dial tcp 127.0.0.1:{port}: connect: connection refused'
        )


@pytest.mark.parametrize("text", ["", "garbage\n\n", "HTTP/1.1 abc\n\n"])
def test_a_response_that_is_none_is_a_failure(text: str) -> None:
    """What is no HTTP leads to no other error."""
    with extender(verb=raw(text)) as server:
        assert failure_of(server.url).startswith(f'Post "{server.url}/verb": ')


def test_a_chunked_answer_is_read() -> None:
    """Go's servers send long answers in chunks."""
    with extender(verb=raw('HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n7\n{"a": 1\n1\n}\n0\n\n')) as server:
        assert json.loads(answer_of(server.url)) == {"a": 1}


def test_nothing_more_is_sent_after_many_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that never answers does not hold a session up for longer than some timeouts."""
    monkeypatch.setattr(session, "MAX_TIMEOUTS", 2)
    with extender() as server:
        server.answers["verb"] = endless(server, b"")
        client = Client(server.url, 0.3, ExtenderUse())
        for _ in range(5):
            with pytest.raises(ExtenderError):
                client.post("verb", b"{}")
        client.close()
        assert (len(server.requests), client.failures) == (2, 5)


def test_nothing_more_is_sent_when_the_time_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """All requests together are bounded, also where each is answered."""
    monkeypatch.setattr(session, "MAX_TOTAL_SECONDS", 1e-9)
    with extender(verb={}) as server:
        client = Client(server.url, 5.0, ExtenderUse())
        client.post("verb", b"{}")
        with pytest.raises(ExtenderError, match="requests have taken 0 s already"):
            client.post("verb", b"{}")
        client.close()
        assert len(server.requests) == 1


def test_the_time_counts_for_all_sessions_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one client has used up, another one of the same command has not."""
    monkeypatch.setattr(session, "MAX_TOTAL_SECONDS", 1e-9)
    use = ExtenderUse()
    with extender(verb={}) as server:
        for sent in (True, False):
            client = Client(server.url, 5.0, use)
            with nullcontext() if sent else pytest.raises(ExtenderError, match="requests have taken"):
                client.post("verb", b"{}")
            client.close()
        assert len(server.requests) == 1


@pytest.mark.parametrize("seconds", [0.0, -1.0, 3600.0])
def test_no_timeout_is_longer_than_the_bound(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Go waits for ever with a timeout of 0; here, each request ends."""
    monkeypatch.setattr(bounds, "MAX_SECONDS", 0.05)
    with extender() as server:
        server.answers["verb"] = endless(server, b"")
        assert "deadline exceeded" in failure_of(server.url, seconds)


def test_a_request_without_answer_is_not_read() -> None:
    """The reference does not look at what onSessionOpen is answered."""
    with extender() as server:
        server.answers["verb"] = endless(server, b"{", b"x" * 1000)
        client = Client(server.url, 30.0, ExtenderUse())
        assert client.post("verb", b"{}", wants_answer=False) == b""
        client.close()
