"""URLs, as Go reads them. References: net/url of Go; urls.go of k8s.io/apiserver/pkg/cel/library (v0.34)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final
from urllib.parse import quote, unquote, unquote_plus, unquote_to_bytes

from vqs.engine.cel.values import URL, EvaluationError

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_WRONG_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@\[\]%/-]*", re.ASCII)
_NOT_ESCAPED: Final = "$&+,/:;=@~"
_USER: Final = re.compile(r"[A-Za-z0-9._:~!$&'()*+,;=%@-]*", re.ASCII)
_HOST: Final = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:\[\]<>\"-]|[^\x00-\x7f]|%[89A-Fa-f][0-9A-Fa-f]|%25)*")
_BRACKETS: Final = re.compile(r"\[.*\](?::[0-9]*)?", re.ASCII | re.DOTALL)
_SHOWN: Final = 100
"""How many characters of a URL a message shows."""


def is_url(text: str) -> bool:
    """Tell whether a text is a URL, or an absolute path, that a request may be about."""
    try:
        _parsed(text)
    except EvaluationError:
        return False
    return True


def url(text: str) -> URL:
    """Return a URL, or an absolute path.

    Raises:
        EvaluationError: it is none.

    >>> url("https://example.com:80/a%20b?x=1#y").host
    'example.com:80'
    """
    _parsed(text)  # in a request, what follows # is part of the path or the query
    rest, _, fragment = text.partition("#")
    wrong = _WRONG_ESCAPE.search(fragment)
    if wrong:
        raise _failure(text, _escape_fault(wrong))
    return replace(_parsed(rest), fragment=f"#{fragment}" if fragment else "")


def _parsed(text: str) -> URL:
    if text == "*":
        return URL("", "", "", text, "", "")
    if fault := _control_fault(text):
        raise _failure(text, fault)
    found = _SCHEME.fullmatch(text)
    scheme, rest = (found[1].lower(), found[2]) if found else ("", text)
    path, mark, query = rest.partition("?")
    if scheme and not path.startswith("/"):
        return URL(scheme, "", "", path, mark + query, "", is_opaque=True)
    if not path.startswith("/"):
        raise _failure(text, "invalid URI for request")
    user = host = ""
    if scheme and path.startswith("//"):
        authority, slash, after = path[2:].partition("/")
        path = slash + after
        user, at, host = authority.rpartition("@")
        if fault := _authority_fault(user, host):
            raise _failure(text, fault)
        user += at
    if wrong := _WRONG_ESCAPE.search(path):
        raise _failure(text, _escape_fault(wrong))
    return URL(scheme, user, unquote(host), path, mark + query, "")


def _failure(text: str, fault: str) -> EvaluationError:
    return EvaluationError(f'URL parse error during conversion from string: parse "{text[:_SHOWN]}": {fault}')


def _control_fault(text: str) -> str:
    if _CONTROL.search(text):
        return "net/url: invalid control character in URL"
    if text.startswith(":"):
        return "missing protocol scheme"
    return "" if text else "empty url"


def _escape_fault(wrong: re.Match[str]) -> str:
    return f'invalid URL escape "{wrong[0]}"'


def _authority_fault(user: str, host: str) -> str:
    if _USER.fullmatch(user) is None or _WRONG_ESCAPE.search(user):
        return "net/url: invalid userinfo"
    if not _has_valid_port(host):
        return "invalid port after host"
    return "" if _HOST.fullmatch(host) else "invalid character in host name"


def _has_valid_port(host: str) -> bool:
    if host.startswith("["):
        return _BRACKETS.fullmatch(host) is not None
    digits = host.rpartition(":")[2] if ":" in host else ""
    return not digits or (digits.isascii() and digits.isdigit())


def hostname(given: URL) -> str:
    """Return the host without its port, and without brackets."""
    if given.host.startswith("["):
        return given.host[1 : given.host.rfind("]")]
    return given.host.rpartition(":")[0] if ":" in given.host else given.host


def port(given: URL) -> str:
    """Return the port, if there is one."""
    after = given.host[given.host.rfind("]") + 1 :]
    return after.rpartition(":")[2] if ":" in after else ""


def escaped_path(given: URL) -> str:
    """Return the path as it is written, or with escapes where it needs them."""
    if given.is_opaque:
        return ""
    if _PLAIN_PATH.fullmatch(given.path):
        return given.path
    return quote(unquote_to_bytes(given.path), safe=_NOT_ESCAPED)


def query_values(given: URL) -> dict[str, list[str]]:
    """Return the values of each key of the query; parts that cannot be read are left out."""
    found: dict[str, list[str]] = {}
    for part in given.query.removeprefix("?").split("&"):
        key, _, value = part.partition("=")
        if part and ";" not in part and not _WRONG_ESCAPE.search(part):
            found.setdefault(unquote_plus(key), []).append(unquote_plus(value))
    return found
