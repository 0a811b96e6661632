"""Requests to a cluster through the user's own kubectl, which has its address and credentials.

``kubectl get --raw`` prints the API server's answer to one request, page by page, without any discovery. Its stderr
gives the reason of a failure; only messages that are known to hold no secrets are passed on, as some releases quote the
file with the credentials.

The pages of a list are all of one moment, which the API server remembers for some minutes; after that the list has to
be begun again. No more than a page is in memory. A cluster that has answered before is asked again where an answer does
not come or breaks off.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from subprocess import CompletedProcess
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

import msgspec

_KUBECTL: Final = "kubectl"
_INSTALL: Final = "https://kubernetes.io/docs/tasks/tools/"

_ANSWERED: Final = re.compile(r"^Error from server(?: \((?P<reason>\w+)\))?: (?P<message>.*)", re.MULTILINE)
_LOGIN: Final = re.compile(r"^error: You must be logged in to the server", re.MULTILINE)
_TOO_OLD: Final = re.compile(r"^(?:Error|error): unknown flag: (?P<flag>--\S+)", re.MULTILINE)
_CONFIGURATION: Final = re.compile(r'^error: error loading config file "(?P<file>[^"\n]*)"', re.MULTILINE)
_UNREACHABLE: Final = re.compile(
    r"^(?:Unable to connect to the server: |The connection to the server |"
    r"error: (?=.*(?:EOF|connection|timeout|deadline|stream error|http2|broken pipe)))(?P<message>.*)",
    re.MULTILINE,
)
_ERROR: Final = re.compile(r"^error: (?P<message>.*)", re.MULTILINE)

_SLOW: Final = re.compile(r"Client\.Timeout|context deadline exceeded")
_TIME: Final = re.compile(r"(?:\d+(?:\.\d+)?(?:h|m|s|ms))+|\d+")
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)?")
_SECONDS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "": 1.0}
_PATIENCE: Final = "60s"
_TO_LOG_IN: Final = 60.0
"""The seconds that kubectl has besides those for the request itself."""

_USER: Final = re.compile(r"(?<=://)[^/\s@]+@")
_QUOTED: Final = re.compile(r"(?<=`)[^`]*(?=`)")
_MOST: Final = 300


class ClusterError(Exception):
    """A cluster cannot be asked; the message says why, and what would show more."""


class ForbiddenError(ClusterError):
    """There is no right to read this."""


class AbsentError(ClusterError):
    """The cluster has nothing of that name."""


class ExpiredError(ClusterError):
    """The cluster does not remember the list any more that a page was asked of."""


class UnansweredError(ClusterError):
    """No answer came, or not a whole one; it may come if the question is put again."""


_ENDING: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

_REASONS: Final = {
    "Forbidden": ForbiddenError,
    "NotFound": AbsentError,
    "MethodNotAllowed": AbsentError,
    "Expired": ExpiredError,
    "Gone": ExpiredError,
    "BadRequest": ClusterError,
    "Invalid": ClusterError,
    "NotAcceptable": ClusterError,
}
"""What the API server's reasons mean here; all others are troubles of its own, which may pass."""


class Kubectl:
    """The kubectl that is found first, and the options that choose a cluster."""

    def __init__(self, options: Sequence[str] = (), timeout: str | None = None) -> None:
        self.options = options
        self.timeout = timeout or _PATIENCE

    def get(self, path: str) -> bytes:
        """The answer of the API server to a path.

        Raises:
            ClusterError: there is no answer, or it is a refusal; its class tells what may be done about it.
        """
        command = [_KUBECTL, *self.options, f"--request-timeout={self.timeout}", "get", "--raw", path]
        english = {**os.environ, "LC_ALL": "C"}  # what it says is looked into
        try:
            done = _run(command, english, _limit(self.timeout))
        except subprocess.TimeoutExpired:
            raise self._too_slow() from None
        except FileNotFoundError:
            raise ClusterError(
                f"kubectl is not installed, or not in PATH; vqs asks clusters through it ({_INSTALL})"
            ) from None
        except OSError as error:
            raise ClusterError(f"kubectl cannot be run: {error.strerror}") from None
        if done.returncode != 0:
            raise self._failure(done.stderr.decode(errors="replace"))
        return done.stdout

    def _failure(self, told: str) -> ClusterError:
        """The error that kubectl fails with."""
        if answered := _ANSWERED.search(told):
            return _REASONS.get(answered["reason"], UnansweredError)(
                f"the cluster answers with an error: {_safe(answered['message'])}{self._more()}"
            )
        if _LOGIN.search(told):
            return ClusterError(f"the cluster rejects your credentials: log in again{self._more()}")
        if configuration := _CONFIGURATION.search(told):
            return ClusterError(f"kubectl cannot read its configuration in {configuration['file']}{self._more()}")
        if too_old := _TOO_OLD.search(told):
            return ClusterError(f"this kubectl is too old: it has no {too_old['flag']} ({_INSTALL})")
        if _SLOW.search(told):
            return self._too_slow()
        if unreachable := _UNREACHABLE.search(told):
            return UnansweredError(f"the cluster cannot be reached: {_safe(unreachable['message'])}{self._more()}")
        if error := _ERROR.search(told):
            return ClusterError(f"kubectl fails: {_safe(error['message'])}{self._more()}")
        return ClusterError(f"kubectl fails{self._more()}")

    def _too_slow(self) -> UnansweredError:
        return UnansweredError(
            f"the cluster does not answer within {self.timeout}; --request-timeout gives it more time{self._more()}"
        )

    def _more(self) -> str:
        """Name a command that shows more."""
        return f" (try: {shlex.join([_KUBECTL, *self.options, 'get', 'nodes'])})"


def _run(command: Sequence[str], environment: Mapping[str, str], seconds: float | None) -> CompletedProcess[bytes]:
    """Run a command, and end it where this process is to end; the library does not while the command starts."""
    process = None
    try:
        with _held_back():
            process = subprocess.Popen(  # noqa: S603 - no shell is involved
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
            )
        out, err = process.communicate(timeout=seconds)
    except BaseException:
        if process is not None:
            process.kill()
        raise
    finally:
        if process is not None:
            with process:
                pass  # its pipes are closed, and it is waited for
    return CompletedProcess(command, process.returncode, out, err)


@contextmanager
def _held_back() -> Iterator[None]:
    """Defer the signals that end this process until something is done."""
    held: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in _ENDING} if is_main else {}
    heeded = {number: each for number, each in handlers.items() if each not in (signal.SIG_IGN, None)}
    for number in heeded:
        signal.signal(number, lambda number, _: held.append(number))
    try:
        yield
    finally:
        for number, each in heeded.items():
            signal.signal(number, each)
    for number in held:
        signal.raise_signal(number)


def _limit(timeout: str) -> float | None:
    """The seconds that kubectl may take; what it cannot read as a time it refuses by itself.

    >>> _limit("1m30s"), _limit("0")
    (150.0, None)
    """
    parts = _PART.findall(timeout) if _TIME.fullmatch(timeout) else [(_PATIENCE[:-1], _PATIENCE[-1])]
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    return seconds + _TO_LOG_IN if seconds else None


def _safe(message: str) -> str:
    """Take out of a message what may be a secret: who logs in at an address, and quoted pieces of files."""
    return _QUOTED.sub("...", _USER.sub("", message.strip()))[:_MOST]


# --- lists ------------------------------------------------------------------------------------------------------------

Answer = TypeVar("Answer")

TRIES: Final = 5
"""So often a question is put."""
_VERSION: Final = "/version"


class _Metadata(msgspec.Struct, rename="camel"):
    """What a list says of itself."""

    continue_: str | None = msgspec.field(default=None, name="continue")
    remaining_item_count: int | None = None


class Page(msgspec.Struct):
    """A part of a list, its items undecoded."""

    items: list[msgspec.Raw] | None = None
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


decode_object: Final = msgspec.json.Decoder(dict[str, Any]).decode
_decode: Final = msgspec.json.Decoder(Page).decode


class Connection:
    """A cluster that is asked for lists, patiently once it is known to be there."""

    def __init__(self, get: Callable[[str], bytes], pause: Callable[[float], None] = time.sleep) -> None:
        self._get = get
        self._pause = pause
        self._is_there = False

    def pages(self, path: str, size: int, **parameters: str) -> Iterator[Page]:
        """Yield the pages of a list.

        Raises:
            ClusterError: there is no such list, or it does not come to its end.
        """
        more: dict[str, str] = {}
        seen: set[str] = set()
        while True:
            query = urlencode({"limit": str(size), **parameters, **more})
            page = self._patiently(f"{path}?{query}", _decode)
            yield page
            if not page.metadata.continue_:
                return
            if page.metadata.continue_ in seen:
                raise ClusterError("the answer is not from a Kubernetes API server: its list has no end")
            seen.add(page.metadata.continue_)
            more = {"continue": page.metadata.continue_}

    def one(self, path: str) -> dict[str, Any]:
        """An object.

        Raises:
            ClusterError: there is none, or it cannot be read.
        """
        return self._patiently(path, decode_object)

    def _patiently(self, path: str, read: Callable[[bytes], Answer]) -> Answer:
        """Ask, and ask again after a while, which doubles each time."""
        for tried in range(TRIES - 1):
            try:
                return self._once(path, read)
            except UnansweredError:
                if not self._is_there:  # it is asked what is cheap to answer; a refusal is an answer too
                    with suppress(ClusterError):
                        self._once(_VERSION, msgspec.json.decode)
                if not self._is_there:
                    raise
                self._pause(2**tried)
        return self._once(path, read)

    def _once(self, path: str, read: Callable[[bytes], Answer]) -> Answer:
        try:
            answer = read(self._get(path))
        except (AbsentError, ExpiredError, ForbiddenError):
            self._is_there = True
            raise
        except msgspec.ValidationError:
            raise ClusterError(
                "the answer is not from a Kubernetes API server: it is neither a list nor an object"
            ) from None
        except RecursionError:
            raise ClusterError("the cluster's answer is nested too deeply") from None
        except msgspec.DecodeError:
            raise UnansweredError("the cluster's answer is not JSON, or is incomplete") from None
        self._is_there = True
        return answer
