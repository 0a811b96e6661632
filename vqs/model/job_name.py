"""What people call a job: the controller it comes from, not the PodGroup, whose name often ends in a uid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from vqs.model.kubernetes import OwnerReference

POD_GROUP = "PodGroup"


class JobName(NamedTuple):
    """The names of one job.

    Attributes:
        uid: the namespace and name of its PodGroup.
        display: the namespace and the name that people know it by; no other job has the same.
        owners: the controllers it comes from, the topmost first.
        owner: the one it is called after, else the topmost; None for a PodGroup without a controller.
    """

    uid: str
    display: str
    owners: tuple[OwnerReference, ...] = ()
    owner: OwnerReference | None = None

    @property
    def namespace(self) -> str:
        """The job's namespace."""
        return self.uid.partition("/")[0]

    @property
    def of_pod_group(self) -> str:
        """The PodGroup in a sentence: by its own name only where that is what the job is called."""
        return f"PodGroup {self.uid}" if self.display == self.uid else f"the PodGroup of {self.display}"

    @property
    def short(self) -> str:
        """The display name without the namespace."""
        return self.display.partition("/")[2]


# --- names for all jobs of a snapshot ---------------------------------------------------------------------------------


def named_after_owners(owners: Mapping[str, Sequence[OwnerReference]]) -> dict[str, JobName]:
    """Name jobs after their controllers.

    A job is called what its topmost controller is called, unless that controller has other jobs as well: then what the
    next one below is called, in the end the PodGroup. Where controllers of several kinds have one name, the kind
    follows it; should the kinds be the same too, jobs are called after their PodGroups.

    Args:
        owners: the controllers of each job, the topmost first, by the namespace and name of its PodGroup.
    """
    controllers = ({_identity(uid, owner) for owner in above} for uid, above in owners.items())
    jobs_of = Counter(chain.from_iterable(controllers))
    after = {
        uid: next((owner for owner in above if jobs_of[_identity(uid, owner)] == 1), None)
        for uid, above in owners.items()
    }
    texts = {uid: f"{uid.partition('/')[0]}/{owner.name}" if owner else uid for uid, owner in after.items()}
    turn = dict.fromkeys(texts, 0)
    named: dict[str, dict[str, None]] = {}
    for uid, text in texts.items():
        named.setdefault(text, {})[uid] = None
    shared = [text for text, uids in named.items() if len(uids) > 1]
    while shared:
        moving = [uid for text in shared for uid in named[text] if turn[uid] + 1 < len(_forms(uid, after[uid]))]
        for uid in moving:
            del named[texts[uid]][uid]
            turn[uid] += 1
            texts[uid] = _forms(uid, after[uid])[turn[uid]]
            named.setdefault(texts[uid], {})[uid] = None
        shared = [text for text in dict.fromkeys(texts[uid] for uid in moving) if len(named[text]) > 1]
    return {
        uid: JobName(uid, texts[uid], tuple(above), after[uid] or next(iter(above), None))
        for uid, above in owners.items()
    }


def _identity(uid: str, owner: OwnerReference) -> tuple[str, str, str, str]:
    return uid.partition("/")[0], owner.api_version.rpartition("/")[0], owner.kind, owner.name


def _forms(uid: str, owner: OwnerReference | None) -> tuple[str, ...]:
    """What a job could be called, the shortest form first."""
    own = (uid, f"{uid} ({POD_GROUP})")
    if owner is None:
        return own
    name = f"{uid.partition('/')[0]}/{owner.name}"
    return (name, f"{name} ({owner.kind})", *own)


# --- finding one ------------------------------------------------------------------------------------------------------


def jobs_called(name: str, names: Iterable[JobName]) -> list[JobName]:
    """The jobs that a name stands for, with or without a namespace.

    What jobs are displayed as comes first, then PodGroups, then any other controller that jobs come from.
    """
    known = list(names)
    is_whole = "/" in name
    spellings: tuple[Callable[[JobName], Iterable[str]], ...] = (
        lambda each: (each.display,),
        lambda each: (each.uid,),
        lambda each: (f"{each.namespace}/{owner.name}" for owner in each.owners),
    )
    for spelled in spellings:
        found = [
            each
            for each in known
            if any(name == (text if is_whole else text.partition("/")[2]) for text in spelled(each))
        ]
        if found:
            return found
    return []
