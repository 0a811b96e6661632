"""The securityContext of pods and containers."""

from __future__ import annotations

from typing import Final

from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.rules import choice, required
from vqs.snapshot.apiserver.validation.values import (
    Faults,
    Object,
    below,
    child,
    children,
    is_given,
    is_true,
    number,
    numbers,
    text,
    texts,
)

_PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_NETWORK: Final = ("net.",)
_IPC: Final = ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")


def of_pod(spec: Object) -> Faults:
    """Judge the securityContext of a pod, and what it shares with its node."""
    context = child(spec, "securityContext")
    yield from below(("securityContext",), _ids(context, "runAsUser", "runAsGroup", "fsGroup"))
    for index, group in enumerate(numbers(context, "supplementalGroups")):
        if wrong := names.user_id(group):
            yield ("securityContext", "supplementalGroups", index), wrong
    yield from below(("securityContext",), _choices(context))
    yield from below(("securityContext",), _profiles(context))
    yield from below(("securityContext",), _sysctls(context, spec))
    if is_true(spec, "shareProcessNamespace") and is_true(spec, "hostPID"):
        yield ("shareProcessNamespace",), "shareProcessNamespace and hostPID are both true"
    if spec.get("hostUsers") is False:
        for key in ("hostNetwork", "hostPID", "hostIPC"):
            if is_true(spec, key):
                yield (key,), f"{key} is true, and hostUsers is false"


def _choices(context: Object) -> Faults:
    yield from choice(context, "fsGroupChangePolicy", ("OnRootMismatch", "Always"), empty=False)
    yield from choice(context, "supplementalGroupsPolicy", ("Merge", "Strict"), empty=False)
    yield from choice(context, "seLinuxChangePolicy", ("Recursive", "MountOption"), empty=False)


def _sysctls(context: Object, spec: Object) -> Faults:
    seen: set[str] = set()
    for index, parameter in enumerate(children(context, "sysctls")):
        name = text(parameter, "name")
        wrong = "" if name else "name is missing"
        wrong = wrong or names.sysctl(name) or (f"{name} is given twice" if name in seen else "")
        dotted = name.replace("/", ".")
        if not wrong and is_true(spec, "hostNetwork") and dotted.startswith(_NETWORK):
            wrong = f"{name} cannot be set where hostNetwork is true"
        if not wrong and is_true(spec, "hostIPC") and dotted.startswith(_IPC):
            wrong = f"{name} cannot be set where hostIPC is true"
        if wrong:
            yield ("sysctls", index, "name"), wrong
        seen.add(name)


def of_container(container: Object, spec: Object) -> Faults:
    """Judge the securityContext of a container."""
    yield from below(("securityContext",), _context(child(container, "securityContext"), spec))


def _context(context: Object, spec: Object) -> Faults:
    yield from _ids(context, "runAsUser", "runAsGroup")
    yield from _profiles(context)
    yield from choice(context, "procMount", ("Default", "Unmasked"), empty=False)
    if text(context, "procMount") == "Unmasked" and spec.get("hostUsers") is not False:
        yield ("procMount",), "Unmasked needs hostUsers: false"
    if context.get("allowPrivilegeEscalation") is False:
        if is_true(context, "privileged"):
            yield ("allowPrivilegeEscalation",), "allowPrivilegeEscalation is false, and privileged is true"
        if "CAP_SYS_ADMIN" in texts(child(context, "capabilities"), "add"):
            yield ("allowPrivilegeEscalation",), "allowPrivilegeEscalation is false, and CAP_SYS_ADMIN is added"


def _ids(context: Object, *keys: str) -> Faults:
    for key in keys:
        found = number(context, key)
        if found is not None and (wrong := names.user_id(found)):
            yield (key,), wrong


def _profiles(context: Object) -> Faults:
    for key in ("seccompProfile", "appArmorProfile"):
        if is_given(context, key):
            yield from below((key,), _profile(child(context, key), is_path=key == "seccompProfile"))


def _profile(profile: Object, *, is_path: bool) -> Faults:
    yield from required(profile, "type")
    yield from choice(profile, "type", _PROFILES)
    local, kind = profile.get("localhostProfile"), text(profile, "type")
    if kind != "Localhost":
        if local is not None and (is_path or kind in _PROFILES):
            yield ("localhostProfile",), "localhostProfile is for the type Localhost only"
    elif local is None or (not is_path and not str(local).strip()):
        yield ("localhostProfile",), "localhostProfile is missing"
    elif is_path and (wrong := names.local_path(str(local))):
        yield ("localhostProfile",), wrong
    elif not is_path and str(local) != str(local).strip():
        yield ("localhostProfile",), "localhostProfile begins or ends with a blank"
