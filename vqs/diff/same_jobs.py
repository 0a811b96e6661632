"""The jobs that are the same on both sides of a comparison, though they are created again under other PodGroups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any, NamedTuple

from vqs.model import kubernetes as k8s
from vqs.model.job_name import JobName
from vqs.snapshot.reading.kinds import KIND_OF, LISTS, group_of, key_of
from vqs.snapshot.reading.manifests import Manifests

_Controller = tuple[str, str, str, str]
"""API group, kind, namespace and name."""

_Held = frozenset[tuple[_Controller, str]]
"""Controllers with their uids."""


class SideJobs(NamedTuple):
    """The jobs of one side.

    Attributes:
        names: what they are called, by the namespace and name of their PodGroups.
        created: when their PodGroups were created, as far as that is known.
    """

    names: Mapping[str, JobName]
    created: Mapping[str, datetime]

    @classmethod
    def of(cls, manifests: Manifests, names: Mapping[str, JobName]) -> SideJobs:
        """Return the jobs of a snapshot."""
        metadata = (each.metadata for each in manifests.pod_groups)
        return cls(names, {each.key: each.creation_timestamp for each in metadata if each.creation_timestamp})

    def newest(self, uids: Iterable[str]) -> str:
        """Return the PodGroup that was created last, the first by name of several."""
        known = sorted(uids)
        return max(known, key=lambda uid: self.created[uid].timestamp() if uid in self.created else 0.0)


def same_jobs(
    before: SideJobs, after: SideJobs, candidate: Manifests, proposed: AbstractSet[tuple[type, str]]
) -> dict[str, str]:
    """Return the base's PodGroup of each job that is created again and has another PodGroup in the candidate.

    Two jobs are the same if a controller has both, and no other job on one of the sides. Where it has several on the
    other side, the newest PodGroup is the same job. Controllers next to the PodGroup count first: the PodGroup of a
    ReplicaSet that is in both sides is the same job, whatever else its Deployment has.

    A PodGroup that a change writes itself is a new job, whichever controller it names as its owner, unless the change
    has the controller as well, with the uid that the PodGroup names: then it is a part of a dump.
    """
    written = {uid for type_, uid in proposed if type_ is k8s.PodGroup} - before.names.keys()
    held = _held(candidate, proposed) if written else frozenset()
    jobs_before = _by_controller({uid: _above(name) for uid, name in before.names.items()})
    jobs_after = _by_controller(
        {uid: _above(name, held) if uid in written else _above(name) for uid, name in after.names.items()}
    )
    same: dict[str, str] = {}
    for controller, new in jobs_after.items():
        old = jobs_before.get(controller, set())
        if len(old) > 1 and len(new) > 1:
            continue
        gone, made = old - after.names.keys() - set(same.values()), new - before.names.keys() - same.keys()
        if gone and made:
            same[after.newest(made)] = before.newest(gone)
    return same


def _above(name: JobName, only: _Held | None = None) -> list[_Controller]:
    """Return the controllers of a job, the nearest first; if only some count, those of them."""
    above = (
        ((group_of(owner.api_version), owner.kind, name.namespace, owner.name), owner.uid)
        for owner in reversed(name.owners)
    )
    return [controller for controller, uid in above if only is None or (controller, uid) in only]


def _by_controller(above: Mapping[str, list[_Controller]]) -> dict[_Controller, set[str]]:
    """Return the PodGroups of each controller, the controllers that are next to PodGroups first."""
    found: defaultdict[_Controller, set[str]] = defaultdict(set)
    for height in range(max(map(len, above.values()), default=0)):
        for uid, controllers in above.items():
            for controller in controllers[height : height + 1]:
                found[controller].add(uid)
    return found


def _held(candidate: Manifests, proposed: AbstractSet[tuple[type, str]]) -> _Held:
    """Return the objects of a change that have a uid, as only those of a cluster do."""
    return frozenset(
        _identities(each for list_name in LISTS for each in getattr(candidate, list_name) if key_of(each) in proposed)
    )


def _identities(objects: Iterable[Any]) -> Iterator[tuple[_Controller, str]]:
    for each in objects:
        kind, metadata = KIND_OF[type(each)], each.metadata
        if metadata.uid:
            yield (kind.group, kind.name, metadata.namespace, metadata.name), metadata.uid
