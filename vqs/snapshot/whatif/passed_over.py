"""What a change brings that is not looked at: objects of kinds that are not used, and hidden files.

Nothing is known of what these do, so that it matters only whether they are the same on both sides.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from vqs.model import kubernetes as k8s
from vqs.model.keys import SCHEDULER_NAME
from vqs.paths import printable
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import JUDGED_ONLY, group_of, is_of_volcano
from vqs.snapshot.reading.reach import Reach, is_mounted
from vqs.snapshot.reading.sources import everything_in

HIDDEN_FILE: Final = "hidden file"
APPLIED: Final = (".json", ".yaml", ".yml")
"""How the names of files end that kubectl reads of a folder."""

_OF_VOLCANO: Final = "/vc-"
"""What names the images of Volcano's own programs."""

_UNREAD_FIELDS: Final = ("activeDeadlineSeconds", "image", "ttlSecondsAfterFinished")

Key = tuple[str, str]
"""The kind of something, and its name."""


class Report(Enum):
    """How a comparison reports that something is changed that is not looked at."""

    FINDING = "finding"
    COUNT = "count"
    COUNT_IF_CHANGED = "count if changed"
    """As a field of an object, which itself may come and go."""


class Touch(Enum):
    """When something that is not looked at could change what becomes of the jobs that Volcano schedules."""

    NEVER = "never"
    IF_TAKEN_AWAY = "if taken away"
    """As rights: one more takes nothing from anybody, and one less may be one that the scheduler needs."""
    ALWAYS = "always"


_TOUCH_OF: Final[Mapping[str, Touch]] = {
    "rbac.authorization.k8s.io": Touch.IF_TAKEN_AWAY,
    **dict.fromkeys(
        (
            "acme.cert-manager.io",
            "apiextensions.k8s.io",
            "bitnami.com",
            "cert-manager.io",
            "certificates.k8s.io",
            "cilium.io",
            "coordination.k8s.io",
            "crd.projectcalico.org",
            "external-secrets.io",
            "gateway.networking.k8s.io",
            "grafana.integreatly.org",
            "monitoring.coreos.com",
            "networking.istio.io",
            "projectcalico.org",
            "secrets-store.csi.x-k8s.io",
            "security.istio.io",
            "snapshot.storage.k8s.io",
            "telemetry.istio.io",
            "traefik.io",
        ),
        Touch.NEVER,
    ),
}
"""By API group, for what does not belong to Volcano; a group that is not here could do anything."""

_MAKE_PODS: Final = frozenset(
    {
        *(("", name) for name in ("Pod", "PodTemplate", "ReplicationController")),
        *(("apps", name) for name in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")),
        *(("batch", name) for name in ("CronJob", "Job")),
    }
)
"""Kinds that touch Volcano's jobs if their pods are for its scheduler."""


class PassedOver(NamedTuple):
    """Something that is not looked at.

    Attributes:
        digest: tells whether it is the same.
        file: where it stands.
        origin: the same in the file; None for a file as a whole.
        report: how it is reported.
        touch: when it could change what becomes of jobs.
    """

    digest: str
    file: str
    origin: Origin | None = None
    report: Report = Report.FINDING
    touch: Touch = Touch.ALWAYS

    def and_then(self, other: PassedOver) -> PassedOver:
        """One of this and another one of the same name."""
        touch = self.touch if other.touch is Touch.NEVER else other.touch
        return self._replace(digest=_digest(f"{self.digest} {other.digest}".encode()), touch=touch)


def of_object(
    value: Mapping[str, Any], kind: str, origin: Origin, report: Report = Report.FINDING
) -> tuple[Key, PassedOver]:
    """An object as something that is not looked at."""
    written = {key: part for key, part in value.items() if key != "status"}
    return (kind, _name(value)), PassedOver(
        _digest_of(written), origin.document.source.name, origin, report, _touch_of(value)
    )


def _touch_of(value: Mapping[str, Any]) -> Touch:
    group, kind = group_of(str(value.get("apiVersion"))), str(value.get("kind"))
    images = map(str, _values(value.get("spec"), "image"))
    if is_of_volcano(kind, value) or "volcano.sh" in _name(value) or any(_OF_VOLCANO in image for image in images):
        return Touch.ALWAYS
    if (group, kind) in _MAKE_PODS:
        is_ours = SCHEDULER_NAME in map(str, _values(value.get("spec") or value.get("template"), "schedulerName"))
        return Touch.ALWAYS if is_ours else Touch.NEVER
    return _TOUCH_OF.get(group, Touch.ALWAYS)


def of_fields(value: Mapping[str, Any], kind: str, origin: Origin) -> Iterator[tuple[Key, PassedOver]]:
    """Yield the fields of a workload or a pod that decide what runs and for how long, and that no scheduler reads."""
    name, file = _name(value), origin.document.source.name
    for field in _UNREAD_FIELDS:
        digest = _digest_of([*_values(value.get("spec"), field)])
        yield (f"{kind} {field}", name), PassedOver(digest, file, origin, Report.COUNT_IF_CHANGED)


def _values(value: Any, field: str) -> Iterator[Any]:
    """Yield the values of all fields of a name, wherever they are."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key == field:
                yield part
            else:
                yield from _values(part, field)
    elif isinstance(value, list):
        for part in value:
            yield from _values(part, field)


def _name(value: Mapping[str, Any]) -> str:
    metadata = value.get("metadata")
    known = metadata if isinstance(metadata, dict) else {}
    return "/".join(str(known[key]) for key in ("namespace", "name") if known.get(key))


def unused_as(typed: Any, kind: str) -> str:
    """What to call an object of a kind that is used, where it itself is not; an empty text for all others."""
    if isinstance(typed, (*JUDGED_ONLY, k8s.ReplicationController)):
        return kind
    if isinstance(typed, k8s.Pod):
        is_ours = typed.spec.scheduler_name == SCHEDULER_NAME or bool(typed.spec.node_name)
    elif isinstance(typed, k8s.Deployment | k8s.Job | k8s.ReplicaSet | k8s.StatefulSet):
        is_ours = typed.spec.template.spec.scheduler_name == SCHEDULER_NAME
    else:
        return ""
    return "" if is_ours else f"{kind} for another scheduler"


def hidden_files(folder: str, reach: Reach) -> Iterator[tuple[Key, PassedOver]]:
    """Yield the manifests in a folder that are hidden, or in a hidden folder: kubectl apply, given it, reads them.

    Raises:
        ReadRefused: there is too much to read.
    """
    for path in everything_in(folder, lambda name: name == ".git" or is_mounted(name)):
        inner = os.path.relpath(path, folder)
        if path.endswith(APPLIED) and any(part.startswith(".") for part in PurePath(inner).parts):
            content = reach.hidden_content(path)
            if content is not None:
                yield (HIDDEN_FILE, printable(inner)), PassedOver(_digest(content), printable(path))


def of_file(what: str, name: str, text: str, file: str, report: Report) -> tuple[Key, PassedOver]:
    """A file that is no manifest as something that is not looked at."""
    return (what, name), PassedOver(_digest(text.encode(errors="replace")), file, report=report)


def _digest_of(value: Any) -> str:
    return _digest(json.dumps(value, sort_keys=True, default=str).encode(errors="replace"))


def _digest(content: bytes) -> str:
    from hashlib import sha256  # noqa: PLC0415 - few snapshots pass anything over

    return sha256(content).hexdigest()
