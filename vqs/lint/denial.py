"""Who does not let objects in with which reading finds fault."""

from __future__ import annotations

from typing import Final

from vqs.lint.finding import Denier
from vqs.model import kubernetes as k8s
from vqs.snapshot.diagnostics import Path

_DECODED_BY_WEBHOOKS: Final = (k8s.VolcanoJob, k8s.Queue)
"""Kinds with a mutating webhook, which decodes every value before the API server checks it."""

_UNJUDGED: Final = (k8s.PodGroup, k8s.HyperNode)
"""Kinds that may have amounts below zero."""


def denier(code: str, type_: type | None, path: Path) -> Denier | None:
    """Return who does not let an object of a type in for what reading calls by a code; None where it gets in.

    >>> denier("wrong-type", k8s.Queue, ("spec", "reclaimable")), denier("wrong-type", k8s.Pod, ("spec", "priority"))
    ('webhook', 'apiserver')
    >>> denier("negative-quantity", k8s.PodGroup, ("spec", "minResources", "cpu"))
    """
    match code:
        case "job-denied":
            return "webhook"
        case "missing-name" | "invalid-weight":
            return "apiserver"
        case "wrong-type" if path[:1] == ("metadata",):
            return "apiserver"
        case "wrong-type" | "invalid-quantity":
            return "webhook" if type_ in _DECODED_BY_WEBHOOKS else "apiserver"
        case "negative-quantity" if type_ in _UNJUDGED:
            return None
        case "negative-quantity":
            return "webhook" if type_ in _DECODED_BY_WEBHOOKS else "apiserver"
        case "invalid-value":
            return "webhook" if type_ is k8s.VolcanoJob and "template" in path else "apiserver"
        case _:
            return None
