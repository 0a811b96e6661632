"""The securityContext of pods and containers."""

from __future__ import annotations

from typing import Final

from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.values import Part

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
    context.choose("fsGroupChangePolicy", ("OnRootMismatch", "Always"), empty=False)
    context.choose("supplementalGroupsPolicy", ("Merge", "Strict"), empty=False)
    context.choose("seLinuxChangePolicy", ("Recursive", "MountOption"), empty=False)
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
    context.choose("procMount", ("Default", "Unmasked"), empty=False)
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
        profile.require("type")
        profile.choose("type", _PROFILES)
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
