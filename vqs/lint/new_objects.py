"""Objects that have yet to be made, as they are written, and what denies them: the API server or a webhook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vqs.lint.rule import Denier, LintContext, Place, once
from vqs.model import kubernetes as k8s
from vqs.releases.profile import Profile
from vqs.releases.schemas import SchemaBehaviours
from vqs.snapshot.apiserver.validation.schema import KUBERNETES
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.kinds import KIND_OF, KINDS, key_of, name_of

CUSTOM: Final = (
    k8s.VolcanoJob,
    k8s.CronJob,
    k8s.PodGroup,
    k8s.Queue,
    k8s.HyperNode,
    k8s.JobFlow,
    k8s.JobTemplate,
)
"""The kinds that come from Volcano's custom resource definitions."""

_LISTS: Final = tuple(dict.fromkeys(kind.list_name for kind in KINDS.values()))


@dataclass(frozen=True, slots=True)
class NewObject:
    """An object that has yet to be made: what was understood of it, what is written, and where."""

    typed: Any
    value: Mapping[str, Any]
    place: Place

    @property
    def kind(self) -> str:
        """The name of its type, in `vqs.snapshot.apiserver.validation.schema`."""
        return type(self.typed).__name__

    def schemas(self, profile: Profile) -> SchemaBehaviours:
        """The definition of its kind: those of Kubernetes itself are the same with any release of Volcano."""
        return profile.schemas if isinstance(self.typed, CUSTOM) else KUBERNETES

    @property
    def what(self) -> str:
        """Its kind and name."""
        return f"{KIND_OF[type(self.typed)].name} {name_of(self.typed)}"

    def at(self, path: Path) -> Place:
        """The place of a value in it."""
        return Place(self.place.list_name, self.place.index, path)


@once
def new_objects(context: LintContext) -> Sequence[NewObject]:
    """All new objects that are not shared; what a scenario says in short is none that anybody submits.

    Rules that ask for them judge each object by itself.
    """
    new = []
    written, shared = context.written, context.shared
    for list_name in _LISTS:
        for typed, place in context.objects(list_name):
            if id(typed) in shared or key_of(typed) in context.manifests.made_by:
                continue
            value = {} if context.is_stored(typed) else written.get(list_name, place.index)
            if value:
                new.append(NewObject(typed, value, place))
    return new


def made_objects(context: LintContext) -> Iterator[NewObject]:
    """Yield what other objects stand for, such as the Job of a CronJob, each with what is written of it there."""
    for list_name in _LISTS:
        for typed, place in context.objects(list_name):
            if key_of(typed) in context.manifests.made_by and id(typed) not in context.shared:
                yield NewObject(typed, context.written.get(list_name, place.index), place)


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
    """The denier of an object of a type with an error of a code; None where the object is admitted.

    >>> from vqs.releases.profile import DEFAULT_PROFILE as release
    >>> denier("wrong-type", k8s.Queue, ("spec", "weight"), release), denier("wrong-type", k8s.Pod, ("spec",), release)
    ('webhook', 'apiserver')
    >>> denier("negative-quantity", k8s.PodGroup, ("spec", "minResources", "cpu"), release)
    """
    if code == "negative-quantity":
        # Compared as lists, no amount is less than a negative limit.
        is_limit = "guarantee" not in path and profile.webhooks.queue_amounts == "lists"
        unchecked = profile.webhooks.queue_quantities == "unchecked" and not is_limit
        if type_ in _UNJUDGED or (type_ is k8s.Queue and unchecked):
            return None
    if code == "invalid-value" and type_ in _VOLCANO and profile.schemas.schema_bounds == "few":
        if path[-1] in _BOUNDED:
            return None
        if path[-1] in _COUNTS_OF_A_JOB:
            return "webhook"
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
