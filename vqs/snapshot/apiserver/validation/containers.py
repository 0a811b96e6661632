"""The containers of a pod, their probes, and what runs when they start or stop.

Their names and what they request are judged elsewhere, by `vqs.lint`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.environment import environment
from vqs.snapshot.apiserver.validation.options import Options
from vqs.snapshot.apiserver.validation.rules import at_least, choice, named, one_given, required
from vqs.snapshot.apiserver.validation.security import of_container
from vqs.snapshot.apiserver.validation.values import (
    Faults,
    Object,
    below,
    child,
    children,
    is_given,
    is_true,
    number,
    text,
)
from vqs.snapshot.apiserver.validation.volumes import mounts

_ALWAYS: Final = "Always"
_PULLS: Final = ("Always", "IfNotPresent", "Never")


def containers(spec: Object, options: Options) -> Faults:
    """Judge all containers of a pod."""
    for index, container in enumerate(children(spec, "containers")):
        path = ("containers", index)
        yield from below(path, _container(container, spec, options))
        yield from below(path, probes(container))
        yield from below(path, lifecycle(container, spec, options))
        if is_given(container, "restartPolicy"):
            yield (*path, "restartPolicy"), "only init containers have a restartPolicy of their own"
    yield from _host_ports(children(spec, "containers"), "containers", spec)
    yield from _init_containers(spec, options)
    if children(spec, "ephemeralContainers"):
        yield ("ephemeralContainers",), "ephemeralContainers come into running pods only"


def _init_containers(spec: Object, options: Options) -> Faults:
    for index, container in enumerate(children(spec, "initContainers")):
        path = ("initContainers", index)
        yield from below(path, _container(container, spec, options))
        yield from _host_ports([container], "initContainers", spec, first=index)
        yield from below(path, choice(container, "restartPolicy", (_ALWAYS,), empty=False))
        if text(container, "restartPolicy") == _ALWAYS:
            yield from below(path, probes(container))
            yield from below(path, lifecycle(container, spec, options))
            continue
        for key in (*PROBES, "lifecycle"):
            if is_given(container, key):
                yield (*path, key), f"{key} is for init containers with restartPolicy Always only"


def _container(container: Object, spec: Object, options: Options) -> Faults:
    yield from required(container, "image")
    image = text(container, "image")
    if options.is_pod and image != image.strip():
        yield ("image",), f"the image {image!r} begins or ends with a blank"
    yield from choice(container, "imagePullPolicy", _PULLS)
    yield from choice(container, "terminationMessagePolicy", ("File", "FallbackToLogsOnError"))
    yield from _ports(container)
    yield from environment(container, options)
    yield from mounts(container, spec)
    yield from _resizing(container, spec)
    yield from of_container(container, spec)
    yield from _claims(container, spec)


def _ports(container: Object) -> Faults:
    seen: set[str] = set()
    for index, port in enumerate(children(container, "ports")):
        path = ("ports", index)
        yield from below(path, named(port, "name", names.port_name))
        name = text(port, "name")
        if name and name in seen:
            yield (*path, "name"), f"two ports of the container are called {name}"
        seen.add(name)
        own, hosts = number(port, "containerPort"), number(port, "hostPort")
        if not own:
            yield (*path, "containerPort"), "containerPort is missing"
        for key, value in (("containerPort", own), ("hostPort", hosts)):
            if value and (wrong := names.port_number(value)):
                yield (*path, key), wrong
        yield from below(path, choice(port, "protocol", ("TCP", "UDP", "SCTP")))


def _host_ports(group: Sequence[Object], key: str, spec: Object, first: int = 0) -> Faults:
    """Yield the ports of the node that some containers want twice, and those that cannot be others than their own."""
    seen: set[tuple[str, str, int]] = set()
    for number_, container in enumerate(group, first):
        for index, port in enumerate(children(container, "ports")):
            hosts, own = number(port, "hostPort"), number(port, "containerPort")
            path = (key, number_, "ports", index, "hostPort")
            if not hosts:
                continue
            wanted = text(port, "protocol") or "TCP", text(port, "hostIP"), hosts
            if wanted in seen:
                yield path, f"the hostPort {hosts} is asked for twice"
            seen.add(wanted)
            if is_true(spec, "hostNetwork") and hosts != own and key == "containers":
                yield path, f"with hostNetwork, the hostPort {hosts} has to be the containerPort, {own}"


def _resizing(container: Object, spec: Object) -> Faults:
    seen: set[str] = set()
    for index, policy in enumerate(children(container, "resizePolicy")):
        path = ("resizePolicy", index)
        yield from below(path, required(policy, "resourceName", "restartPolicy"))
        yield from below(path, choice(policy, "resourceName", ("cpu", "memory")))
        yield from below(path, choice(policy, "restartPolicy", ("NotRequired", "RestartContainer")))
        if text(spec, "restartPolicy") == "Never" and text(policy, "restartPolicy") == "RestartContainer":
            yield (*path, "restartPolicy"), "a pod with restartPolicy Never restarts no container"
        name = text(policy, "resourceName")
        if name in seen:
            yield (*path, "resourceName"), f"two policies are for {name}"
        seen.add(name)


def _claims(container: Object, spec: Object) -> Faults:
    known = {text(claim, "name") for claim in children(spec, "resourceClaims")}
    seen: set[tuple[str, str]] = set()
    for index, claim in enumerate(children(child(container, "resources"), "claims")):
        name, request = text(claim, "name"), text(claim, "request")
        path = ("resources", "claims", index)
        if not name:
            yield (*path, "name"), "name is missing"
        elif name not in known:
            yield (*path, "name"), f"there is no resourceClaim {name!r} in the pod"
        elif (name, request) in seen or (name, "") in seen or (not request and any(each == name for each, _ in seen)):
            yield (*path, "name"), f"the claim {name} is named twice"
        if request and (wrong := names.label(request)):
            yield (*path, "request"), wrong
        seen.add((name, request))


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
