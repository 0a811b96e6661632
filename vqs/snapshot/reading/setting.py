"""The setting of a session: all that changes it in the files, and is no object of a cluster.

Whoever runs a comparison decides on it. A change has no say: its sessions run in the setting of the base. To the
setting belongs what a captured snapshot says of itself: which kinds were asked for, and what could not be read. It
stands among the objects, so that it stays with them whatever they are copied into.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from msgspec import Struct, to_builtins

from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import METRICS_KIND, PLAN_KINDS, SCENARIO_KIND
from vqs.snapshot.reading.wanted_kinds import BY_NAME, CONFIGURATION

CAPTURE_KIND: Final = "Capture"
_API_VERSION: Final = "vqs/v1"

Reason = Literal["forbidden", "absent"]
"""Whether there was no right to read a kind, or there is nothing of that name in the cluster."""


class Missing(Struct, frozen=True):
    """A kind, by the name that kubectl takes, that could not be read, and why."""

    resource: str
    reason: Reason

    @property
    def is_forbidden(self) -> bool:
        """Whether there may be objects of the kind, unknown to us."""
        return self.reason == "forbidden"

    def __str__(self) -> str:
        """Say what is missing, and what that means for an answer."""
        if self.resource == CONFIGURATION.kubectl_name:
            what = "not allowed to read the ConfigMap" if self.is_forbidden else "there is no ConfigMap"
            return f"{what} with the scheduler's configuration; {CONFIGURATION.without}"
        what = "not allowed to list" if self.is_forbidden else "the cluster does not serve"
        wanted = BY_NAME.get(self.resource)
        return f"{what} {self.resource}" + (f"; without them, {wanted.without}" if wanted else "")


class Capture(Struct, frozen=True, omit_defaults=True):
    """How a snapshot was captured.

    Attributes:
        namespace: the only one whose objects were read; empty for all.
        resources: the kinds that were read, by the names that kubectl takes; of some there may be no object.
        missing: what could not be read.
    """

    namespace: str = ""
    resources: list[str] = []
    missing: list[Missing] = []

    def as_object(self) -> dict[str, Any]:
        """What stands in a snapshot."""
        head = {"apiVersion": _API_VERSION, "kind": CAPTURE_KIND, "metadata": {"name": "capture"}}
        return {**head, **to_builtins(self)}


def partial(namespace: str) -> str:
    """Say what is not known where only a namespace was captured."""
    return (
        f"only namespace {namespace} was captured; what pods of others use of nodes and queues is unknown, "
        "so there seems to be more room than there is"
    )


def remarks(capture: Capture, file: str) -> Iterator[Diagnostic]:
    """Yield what a reader of the answer has to know."""
    if capture.namespace:
        yield Diagnostic(code="not-captured", severity="warning", message=partial(capture.namespace), file=file)
    for each in capture.missing:
        severity: Literal["warning", "note"] = "warning" if each.is_forbidden else "note"
        yield Diagnostic(code="not-captured", severity=severity, message=str(each), file=file)


SETTING_OF_SCENARIO: Final[Mapping[str, str]] = {
    "autoscaler": "how nodes come and go",
    "behaviours": "behaviours of Volcano",
    "expect": "what is expected",
    "flags": "flags of the scheduler",
    "latencies": "how long the API server, controllers and kubelets take",
    "nodeEvents": "what happens to nodes",
    "nodeGroups": "which nodes come and go",
    "now": "the time of the sessions",
    "prices": "what nodes cost",
    "rollouts": "which Deployments are rolled out when",
    "startDelays": "how long pods take to start",
    "volcano": "the release of Volcano",
}
"""The keys of a scenario that are its setting, and what each sets."""

SETTING_OF_KIND: Final[Mapping[str, str]] = {
    CAPTURE_KIND: "which parts of the cluster are known",
    METRICS_KIND[1]: "how busy nodes are",
    **dict.fromkeys(PLAN_KINDS, "what is to be simulated"),
}
"""The kinds of documents that are setting as a whole, and what each sets."""


class SettingKey(NamedTuple):
    """A part of a setting: the kind of document that it stands in, its key there, and what it says."""

    kind: str
    key: str
    said: str


Setting = dict[SettingKey, Origin]
"""The parts of a setting, each with the document that it stands in."""


def setting_of_scenario(value: Mapping[str, Any], origin: Origin) -> Setting:
    """What a scenario sets."""
    return {SettingKey(SCENARIO_KIND, key, _text(value[key])): origin for key in SETTING_OF_SCENARIO if key in value}


def setting_of_document(value: Mapping[str, Any], origin: Origin) -> Setting:
    """What a document sets that is setting as a whole."""
    return {SettingKey(value["kind"], "", _text(value)): origin}


def setting_changes(base: Setting, own: Setting) -> Iterator[Diagnostic]:
    """Yield a warning for each part of the setting that a change adds, edits or removes: it is not used."""
    new, gone = sorted(own.keys() - base.keys()), sorted(base.keys() - own.keys())
    edited = {(key.kind, key.key) for key in new}
    for key in new:
        yield _warning(key, "sets", own[key])
    for key in gone:
        if (key.kind, key.key) not in edited:
            yield _warning(key, "no longer sets", base[key])


def _warning(key: SettingKey, verb: str, origin: Origin) -> Diagnostic:
    what = SETTING_OF_SCENARIO[key.key] if key.key else SETTING_OF_KIND[key.kind]
    message = (
        f"a {key.kind} of the change {verb} {what}, which has no effect in a cluster: the comparison keeps the base's"
    )
    return origin.diagnostic("not-applied", message, (key.key or "kind",), severity="warning")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
