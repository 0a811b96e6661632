"""Whether the API server or a webhook denies an object that has an error."""

from __future__ import annotations

from typing import Final

from vqs.lint.finding import Denier
from vqs.model import kubernetes as k8s
from vqs.snapshot.diagnostics import Path

_DECODED_BY_WEBHOOKS: Final = (k8s.VolcanoJob, k8s.Queue)
"""Kinds with a mutating webhook, which decodes every value before the API server checks it."""

_UNJUDGED: Final = (k8s.PodGroup, k8s.HyperNode)
"""Kinds in which no check refuses negative amounts."""


def denier(code: str, type_: type | None, path: Path) -> Denier | None:
    """Return what denies an object of a type with an error of a code; None where the object is admitted.

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
