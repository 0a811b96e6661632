"""Probes, and what is run when a container starts or stops."""

from __future__ import annotations

from typing import Final

from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.options import Options
from vqs.snapshot.apiserver.validation.rules import at_least, choice, one_given, required
from vqs.snapshot.apiserver.validation.values import Faults, Object, below, child, children, is_given, number, text

PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_OF_PROBES: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_OF_LIFECYCLES: Final = ("exec", "httpGet", "tcpSocket", "sleep")
_COUNTS: Final = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_DEFAULT_GRACE: Final = 30


def probes(container: Object) -> Faults:
    """Judge the probes of a container."""
    for kind in PROBES:
        if is_given(container, kind):
            yield from below((kind,), _probe(child(container, kind), kind))


def _probe(probe: Object, kind: str) -> Faults:
    yield from one_given(probe, _OF_PROBES, "the probe")
    yield from _handler(probe)
    for key in _COUNTS:
        yield from at_least(probe, key, 0)
    threshold, grace = number(probe, "successThreshold"), number(probe, "terminationGracePeriodSeconds")
    if kind != "readinessProbe" and threshold not in (None, 0, 1):
        yield ("successThreshold",), f"the successThreshold of a {kind} has to be 1"
    if kind == "readinessProbe" and grace is not None:
        yield ("terminationGracePeriodSeconds",), "a readinessProbe has no terminationGracePeriodSeconds"
    else:
        yield from at_least(probe, "terminationGracePeriodSeconds", 1)


def lifecycle(container: Object, spec: Object, options: Options) -> Faults:
    """Judge what is run when a container starts or stops."""
    hooks = child(container, "lifecycle")
    for key in ("postStart", "preStop"):
        if is_given(hooks, key):
            hook = child(hooks, key)
            yield from below(("lifecycle", key), one_given(hook, _OF_LIFECYCLES, key))
            yield from below(("lifecycle", key), _handler(hook))
            yield from below(("lifecycle", key), _sleep(hook, spec, options))


def _sleep(hook: Object, spec: Object, options: Options) -> Faults:
    seconds, grace = number(child(hook, "sleep"), "seconds"), number(spec, "terminationGracePeriodSeconds")
    grace = _DEFAULT_GRACE if grace is None else grace
    least = 0 if options.relaxed else 1
    if is_given(hook, "sleep") and not least <= (seconds or 0) <= grace:
        at = ("sleep", "seconds")
        yield at, f"{seconds or 0} is not from {least} to the terminationGracePeriodSeconds, {grace}"


def _handler(handler: Object) -> Faults:
    if is_given(handler, "exec"):
        yield from below(("exec",), required(child(handler, "exec"), "command"))
    if is_given(handler, "httpGet"):
        yield from below(("httpGet",), _http(child(handler, "httpGet")))
    for key in ("tcpSocket", "grpc"):
        if is_given(handler, key):
            yield from below((key,), _port(child(handler, key)))


def _http(action: Object) -> Faults:
    yield from _port(action)
    yield from choice(action, "scheme", ("HTTP", "HTTPS"))
    for index, header in enumerate(children(action, "httpHeaders")):
        if wrong := names.header_name(text(header, "name")):
            yield ("httpHeaders", index, "name"), wrong


def _port(action: Object) -> Faults:
    port = action.get("port", 0)
    wrong = names.port_name(port) if isinstance(port, str) else names.port_number(number(action, "port") or 0)
    if wrong:
        yield ("port",), wrong
