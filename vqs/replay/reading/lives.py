"""When the pods of dumps began to run, and how long they ran.

A pod runs from ``status.startTime``, when the kubelet takes it. It ends when the last of its containers does; where no
container says so, when its condition Ready turned false because it was completed; else, when the dump was taken. A pod
that is in one dump and missing in the next ended half-way between the two. One that runs in the last dump: see
`vqs.replay.reading.remaining`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.model.durations import LONGEST
from vqs.model.keys import role_of
from vqs.replay.reading.remaining import whole_duration
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.manifests import Manifests

_DONE: Final = ("PodCompleted", "PodFailed")

Alike = tuple[str, str, str, str]
"""What pods have in common that run about equally long: namespace, kind and name of the controller, and task."""


@dataclass(slots=True)
class Life:
    """A pod as it was seen last, and in which dump; and how many seconds it runs in all, None where nothing says it."""

    pod: k8s.Pod
    dump: int
    seconds: float | None = None

    @property
    def is_service(self) -> bool:
        """Whether it comes from a controller that runs pods without end."""
        owner = controller_of(self.pod.metadata)
        return owner is not None and owner.kind in ("ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController")


def began(pod: k8s.Pod) -> datetime | None:
    """Return when a pod began to run, None where it has not."""
    if not pod.spec.node_name:
        return None
    scheduled = (each.last_transition_time for each in pod.status.conditions if each.type == "PodScheduled")
    return pod.status.start_time or next(scheduled, None)


def ended(pod: k8s.Pod) -> datetime | None:
    """Return when a pod ended, None where it has not, or nothing says when."""
    if pod.status.phase not in k8s.ENDED_PHASES:
        return None
    states = (each.state.terminated for each in pod.status.container_statuses)
    finished = [state.finished_at for state in states if state is not None and state.finished_at is not None]
    done = [each.last_transition_time for each in pod.status.conditions if each.reason in _DONE]
    return max(finished, default=None) or max((each for each in done if each is not None), default=None)


def is_running(pod: k8s.Pod) -> bool:
    """Tell whether a pod holds its node."""
    return bool(pod.spec.node_name) and pod.status.phase not in k8s.ENDED_PHASES


def lives(dumps: Sequence[Manifests], times: Sequence[datetime]) -> dict[str, Life]:
    """Return the pods of dumps by namespace/name, and how long each runs.

    Args:
        dumps: the dumps in the order of their times.
        times: when each was taken.
    """
    found: dict[str, Life] = {}
    for index, dump in enumerate(dumps):
        for pod in dump.pods:
            found[pod.metadata.key] = Life(pod, index)
    for life in found.values():
        life.seconds = _seen(life, times)
    _guess(found.values(), times)
    return found


def _seen(life: Life, times: Sequence[datetime]) -> float | None:
    """Return how long a pod ran, as far as dumps tell."""
    start, end = began(life.pod), ended(life.pod)
    if start is None:
        return None
    if end is None and life.pod.status.phase in k8s.ENDED_PHASES:
        end = times[life.dump]
    elif end is None and life.dump + 1 < len(times):
        end = times[life.dump] + (times[life.dump + 1] - times[life.dump]) / 2
    return None if end is None else min(max((end - start).total_seconds(), 0.0), LONGEST)


def _guess(found: Iterable[Life], times: Sequence[datetime]) -> None:
    """Say how long the others run: those that still run, and those that have not begun."""
    alike: defaultdict[Alike, list[Life]] = defaultdict(list)
    for life in found:
        if not life.is_service:
            alike[_alike(life.pod)].append(life)
    for group in alike.values():
        known = [life.seconds for life in group if life.seconds is not None]
        for life in group:
            start = began(life.pod)
            if life.seconds is None and start is not None and is_running(life.pod):
                age = max((times[-1] - start).total_seconds(), 0.0)
                life.seconds = min(whole_duration(age, known), LONGEST) or None
        guessed = [life.seconds for life in group if life.seconds is not None]
        for life in group:
            if life.seconds is None and guessed:
                life.seconds = float(median(guessed))


def _alike(pod: k8s.Pod) -> Alike:
    owner = controller_of(pod.metadata)
    kind, name = (owner.kind, owner.name) if owner is not None else ("Pod", pod.metadata.name)
    return pod.metadata.namespace, kind, name, role_of(pod.metadata)
