"""Whether the API server or a webhook denies an object that has an error."""

from __future__ import annotations

from typing import Final

from vqs.lint.finding import Denier
from vqs.model import kubernetes as k8s
from vqs.releases.profile import Profile
from vqs.snapshot.reading.diagnostics import Path

_DECODED_BY_WEBHOOKS: Final = (k8s.VolcanoJob, k8s.Queue)
"""Kinds with a mutating webhook, which decodes every value before the API server checks it."""

_VOLCANO: Final = (k8s.VolcanoJob, k8s.PodGroup, k8s.Queue, k8s.HyperNode)

_BOUNDED: Final = ("minMember", "priority", "tier", "highestTierAllowed")
"""Numbers of Volcano's kinds that only a schema with bounds checks."""

_COUNTS_OF_A_JOB: Final = ("minAvailable", "replicas")
"""Numbers that the webhook for Jobs checks where no schema does."""

_UNJUDGED: Final = (k8s.PodGroup, k8s.HyperNode)
"""Kinds in which no check refuses negative amounts."""


def denier(code: str, type_: type | None, path: Path, profile: Profile) -> Denier | None:
    """Return what denies an object of a type with an error of a code; None where the object is admitted.

    >>> from vqs.releases.profile import DEFAULT_PROFILE as release
    >>> denier("wrong-type", k8s.Queue, ("spec", "weight"), release), denier("wrong-type", k8s.Pod, ("spec",), release)
    ('webhook', 'apiserver')
    >>> denier("negative-quantity", k8s.PodGroup, ("spec", "minResources", "cpu"), release)
    """
    if code == "negative-quantity" and _admits_negative(type_, path, profile):
        return None
    if code == "invalid-value" and type_ in _VOLCANO and profile.schemas.schema_bounds == "few":
        if path[-1] in _BOUNDED:
            return None
        if path[-1] in _COUNTS_OF_A_JOB:
            return "webhook"
    return _denier(code, type_, path)


def _admits_negative(type_: type | None, path: Path, profile: Profile) -> bool:
    """Tell whether negative amounts are admitted; compared as lists, no amount is less than a negative limit."""
    webhook = profile.webhooks
    is_limit = "guarantee" not in path and webhook.queue_amounts == "lists"
    return type_ in _UNJUDGED or (type_ is k8s.Queue and webhook.queue_quantities == "unchecked" and not is_limit)


def _denier(code: str, type_: type | None, path: Path) -> Denier | None:
    """Return what denies an object that every release denies."""
    match code:
        case "job-denied":
            return "webhook"
        case "missing-name" | "invalid-weight":
            return "apiserver"
        case "wrong-type" if path[:1] == ("metadata",):
            return "apiserver"
        case "wrong-type" | "invalid-quantity" | "negative-quantity":
            return "webhook" if type_ in _DECODED_BY_WEBHOOKS else "apiserver"
        case "invalid-value":
            return "webhook" if type_ is k8s.VolcanoJob and "template" in path else "apiserver"
        case _:
            return None
