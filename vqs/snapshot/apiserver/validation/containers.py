"""The containers of a pod, their variables and probes, and what runs when they start or stop.

Their names and what they request are judged elsewhere, by `vqs.lint`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.values import Options, Part
from vqs.snapshot.apiserver.validation.volumes import (
    judge_field_reference,
    judge_mounts,
    judge_resource_reference,
)

_ALWAYS: Final = "Always"


def judge_containers(spec: Part, options: Options) -> None:
    """Judge all containers of a pod."""
    containers = spec.children("containers")
    for container in containers:
        _container(container, spec, options)
        _running(container, spec, options)
        if container.given("restartPolicy"):
            container.refuse("only init containers have a restartPolicy of their own", "restartPolicy")
    _host_ports(containers, own_only=spec.is_true("hostNetwork"))
    for container in spec.children("initContainers"):
        _container(container, spec, options)
        _host_ports([container])
        container.choose("restartPolicy", (_ALWAYS,), empty=False)
        if container.text("restartPolicy") == _ALWAYS:
            _running(container, spec, options)
            continue
        for key in container.given(*_PROBES, "lifecycle"):
            container.refuse(f"{key} is for init containers with restartPolicy Always only", key)
    if spec.children("ephemeralContainers"):
        spec.refuse("ephemeralContainers come into running pods only", "ephemeralContainers")


def _container(container: Part, spec: Part, options: Options) -> None:
    image = container.text("image")
    if options.is_pod and image != image.strip():
        container.refuse(f"the image {image!r} begins or ends with a blank", "image")
    _ports(container)
    _environment(container, options)
    judge_mounts(container, spec)
    seen: set[str] = set()
    for policy in container.children("resizePolicy"):
        name = policy.text("resourceName")
        if spec.text("restartPolicy") == "Never" and policy.text("restartPolicy") == "RestartContainer":
            policy.refuse("a pod with restartPolicy Never restarts no container", "restartPolicy")
        if name in seen:
            policy.refuse(f"two policies are for {name}", "resourceName")
        seen.add(name)
    judge_container_security(container, spec)
    _claims(container, spec)


def _ports(container: Part) -> None:
    seen: set[str] = set()
    for port in container.children("ports"):
        name = port.text("name")
        if name and name in seen:
            port.refuse(f"two ports of the container are called {name}", "name")
        seen.add(name)
        if not port.number("containerPort"):
            port.refuse("containerPort is missing", "containerPort")
        for key in ("containerPort", "hostPort"):
            if number := port.number(key):
                port.refuse(names.port_number(number), key)


def _host_ports(containers: Sequence[Part], *, own_only: bool = False) -> None:
    """Refuse the ports of the node that some containers want twice, and those that have to be the container's own."""
    seen: set[tuple[str, str, int]] = set()
    for port in (port for container in containers for port in container.children("ports")):
        hosts, own = port.number("hostPort"), port.number("containerPort")
        if not hosts:
            continue
        wanted = port.text("protocol") or "TCP", port.text("hostIP"), hosts
        if wanted in seen:
            port.refuse(f"the hostPort {hosts} is asked for twice", "hostPort")
        seen.add(wanted)
        if own_only and hosts != own:
            port.refuse(f"with hostNetwork, the hostPort {hosts} has to be the containerPort, {own}", "hostPort")


def _claims(container: Part, spec: Part) -> None:
    known = {claim.text("name") for claim in spec.children("resourceClaims")}
    seen: set[tuple[str, str]] = set()
    for claim in container.child("resources").children("claims"):
        name, request = claim.text("name"), claim.text("request")
        if not name:
            claim.refuse("name is missing", "name")
        elif name not in known:
            claim.refuse(f"there is no resourceClaim {name!r} in the pod", "name")
        elif (name, request) in seen or (name, "") in seen or (not request and any(each == name for each, _ in seen)):
            claim.refuse(f"the claim {name} is named twice", "name")
        claim.name("request", names.label)
        seen.add((name, request))


# --- variables --------------------------------------------------------------------------------------------------------

_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef")
_FIELDS: Final = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)


def _environment(container: Part, options: Options) -> None:
    def judge(name: str) -> str:
        return names.environment_name(name, relaxed=options.relaxed)

    for variable in container.children("env"):
        variable.name("name", judge)
        if variable.given("valueFrom"):
            value_from = variable.child("valueFrom")
            value_from.one_given(_SOURCES, "valueFrom")
            if variable.text("value"):
                variable.refuse("value and valueFrom are both given", "valueFrom")
            if value_from.given("fieldRef"):
                judge_field_reference(value_from.child("fieldRef"), _FIELDS)
            if value_from.given("resourceFieldRef"):
                judge_resource_reference(value_from.child("resourceFieldRef"))
    for source in container.children("envFrom"):
        source.name("prefix", judge)
        source.one_given(("configMapRef", "secretRef"), "envFrom")


# --- what runs --------------------------------------------------------------------------------------------------------

_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_DEFAULT_GRACE: Final = 30


def _running(container: Part, spec: Part, options: Options) -> None:
    """Judge the probes of a container, and what is run when it starts or stops."""
    for kind in container.given(*_PROBES):
        probe = container.child(kind)
        probe.judge()
        probe.one_given(("exec", "httpGet", "tcpSocket", "grpc"), "the probe")
        _handler(probe)
        if kind != "readinessProbe" and probe.number("successThreshold") not in (None, 0, 1):
            probe.refuse(f"the successThreshold of a {kind} has to be 1", "successThreshold")
        period = "terminationGracePeriodSeconds"
        seconds = probe.number(period)
        if kind == "readinessProbe" and seconds is not None:
            probe.refuse(f"a readinessProbe has no {period}", period)
        elif seconds is not None and seconds < 1:
            probe.refuse(f"{period} {seconds} is below 1", period)
    hooks = container.child("lifecycle")
    hooks.judge()
    grace = spec.number("terminationGracePeriodSeconds")
    grace = _DEFAULT_GRACE if grace is None else grace
    least = 0 if options.relaxed else 1
    for key in hooks.given("postStart", "preStop"):
        hook = hooks.child(key)
        hook.one_given(("exec", "httpGet", "tcpSocket", "sleep"), key)
        _handler(hook)
        seconds = hook.child("sleep").number("seconds") or 0
        if hook.given("sleep") and not least <= seconds <= grace:
            message = f"{seconds} is not from {least} to the terminationGracePeriodSeconds, {grace}"
            hook.refuse(message, "sleep", "seconds")


def _handler(handler: Part) -> None:
    for key in handler.given("httpGet", "tcpSocket", "grpc"):
        action = handler.child(key)
        port = action.value.get("port", 0)
        wrong = names.port_name(port) if isinstance(port, str) else names.port_number(action.number("port") or 0)
        action.refuse(wrong, "port")
        if key == "httpGet":
            for header in action.children("httpHeaders"):
                header.refuse(names.header_name(header.text("name")), "name")


# --- security ---------------------------------------------------------------------------------------------------------


_PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_NETWORK: Final = ("net.",)
_IPC: Final = ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")


def judge_pod_security(spec: Part) -> None:
    """Judge the securityContext of a pod, and what it shares with its node."""
    context = spec.child("securityContext")
    _ids(context, "runAsUser", "runAsGroup", "fsGroup")
    groups = context.value.get("supplementalGroups")
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        if isinstance(group, int):
            context.refuse(names.user_id(group), "supplementalGroups", index)
    _profiles(context)
    seen: set[str] = set()
    for parameter in context.children("sysctls"):
        name = parameter.text("name")
        wrong = names.sysctl(name) if name else "name is missing"
        wrong = wrong or (f"{name} is given twice" if name in seen else "")
        for key, groups in (("hostNetwork", _NETWORK), ("hostIPC", _IPC)):
            if not wrong and spec.is_true(key) and name.replace("/", ".").startswith(groups):
                wrong = f"{name} cannot be set where {key} is true"
        parameter.refuse(wrong, "name")
        seen.add(name)
    if spec.is_true("shareProcessNamespace") and spec.is_true("hostPID"):
        spec.refuse("shareProcessNamespace and hostPID are both true", "shareProcessNamespace")
    if spec.value.get("hostUsers") is False:
        for key in ("hostNetwork", "hostPID", "hostIPC"):
            if spec.is_true(key):
                spec.refuse(f"{key} is true, and hostUsers is false", key)


def judge_container_security(container: Part, spec: Part) -> None:
    """Judge the securityContext of a container."""
    context = container.child("securityContext")
    _ids(context, "runAsUser", "runAsGroup")
    _profiles(context)
    if context.text("procMount") == "Unmasked" and spec.value.get("hostUsers") is not False:
        context.refuse("Unmasked needs hostUsers: false", "procMount")
    if context.value.get("allowPrivilegeEscalation") is False:
        key = "allowPrivilegeEscalation"
        if context.is_true("privileged"):
            context.refuse(f"{key} is false, and privileged is true", key)
        if "CAP_SYS_ADMIN" in context.child("capabilities").texts("add"):
            context.refuse(f"{key} is false, and CAP_SYS_ADMIN is added", key)


def _ids(context: Part, *keys: str) -> None:
    for key in keys:
        found = context.number(key)
        if found is not None:
            context.refuse(names.user_id(found), key)


def _profiles(context: Part) -> None:
    for key in context.given("seccompProfile", "appArmorProfile"):
        profile, is_path = context.child(key), key == "seccompProfile"
        local, kind = profile.value.get("localhostProfile"), profile.text("type")
        wrong = ""
        if kind != "Localhost":
            if local is not None and (is_path or kind in _PROFILES):
                wrong = "localhostProfile is for the type Localhost only"
        elif local is None or (not is_path and not str(local).strip()):
            wrong = "localhostProfile is missing"
        elif is_path:
            wrong = names.local_path(str(local))
        elif str(local) != str(local).strip():
            wrong = "localhostProfile begins or ends with a blank"
        profile.refuse(wrong, "localhostProfile")
