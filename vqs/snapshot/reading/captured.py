"""What a captured snapshot says of itself: which kinds were asked for, and what could not be read.

It stands among the objects, so that it stays with them whatever they are copied into.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from msgspec import Struct, to_builtins

from vqs.snapshot.reading.diagnostics import Diagnostic
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
        """Return what stands in a snapshot."""
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
