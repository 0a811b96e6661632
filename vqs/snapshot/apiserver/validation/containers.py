"""The containers of a pod. Their names and what they request are judged elsewhere, by `vqs.lint`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.environment import environment
from vqs.snapshot.apiserver.validation.handlers import PROBES, lifecycle, probes
from vqs.snapshot.apiserver.validation.options import Options
from vqs.snapshot.apiserver.validation.rules import choice, named, required
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
