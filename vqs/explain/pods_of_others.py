"""Pods that ask for another scheduler: Volcano leaves them to it, whatever it has room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vqs.explain.outcome import LeftToOthers, Owner
from vqs.model import kubernetes as k8s
from vqs.model.keys import DEFAULT_SCHEDULER, SCHEDULER_NAME, pod_group_of
from vqs.model.wording import first_names
from vqs.snapshot.controllers.job import Owners
from vqs.snapshot.reading.kinds import group_of
from vqs.snapshot.reading.manifests import Manifests


@dataclass(frozen=True, slots=True)
class PodsOfOthers:
    """Pods that ask for another scheduler and have no node: those of one controller, or one that nothing controls.

    Attributes:
        called: their namespace and name, and the kind where other such pods have the same.
        names: what they may be named by without a namespace: each pod's name, and those of all that is above it.
        pods: the pods.
        maker: the topmost controller; None where nothing controls them.
    """

    called: str
    names: frozenset[str]
    pods: Sequence[k8s.Pod]
    maker: Owner | None

    @property
    def name(self) -> str:
        """What they are called together, in their namespace."""
        return self.pods[0].metadata.name if self.maker is None else self.maker.name

    def is_called(self, name: str) -> bool:
        """Whether a name, with or without a namespace, stands for them."""
        namespace, _, short = name.rpartition("/")
        return name in (self.called, self.called.partition("/")[2]) or (
            short in self.names and namespace in ("", self.pods[0].metadata.namespace)
        )

    @property
    def schedulers(self) -> list[str]:
        """The schedulers that they ask for."""
        return [*dict.fromkeys(each.spec.scheduler_name or DEFAULT_SCHEDULER for each in self.pods)]

    @property
    def why(self) -> str:
        """Say whose they are."""
        names = first_names(self.schedulers)
        who = "its pod asks" if len(self.pods) == 1 else f"its {len(self.pods):,} pods ask"
        return (
            f"{who if self.maker else 'it asks'} for the scheduler {names}, and Volcano looks only at pods with "
            f"schedulerName {SCHEDULER_NAME}"
        )


def pods_of_others(manifests: Manifests) -> list[PodsOfOthers]:
    """Return the pods that are left to other schedulers, those with the same topmost controller together."""
    owners = Owners(manifests)
    found: dict[tuple[str, str, str, str], tuple[list[k8s.Pod], set[str], Owner | None]] = {}
    for pod in manifests.pods:
        metadata = pod.metadata
        if pod.spec.scheduler_name == SCHEDULER_NAME or pod.spec.node_name or pod.status.phase not in ("", "Pending"):
            continue
        above = [*owners.above(metadata)]
        top = above[-1] if above else k8s.OwnerReference("v1", "Pod", metadata.name)
        maker = Owner(api_version=top.api_version, kind=top.kind, name=top.name) if above else None
        key = metadata.namespace, top.name, group_of(top.api_version), top.kind
        pods, names, _ = found.setdefault(key, ([], set(), maker))
        pods.append(pod)
        names |= {metadata.name, *(each.name for each in above)}
    shared = Counter(key[:2] for key in found)
    return [
        PodsOfOthers(
            f"{namespace}/{name} ({kind})" if shared[namespace, name] > 1 else f"{namespace}/{name}",
            frozenset(names),
            pods,
            maker,
        )
        for (namespace, name, _, kind), (pods, names, maker) in found.items()
    ]


def left_to_others(manifests: Manifests) -> list[LeftToOthers]:
    """Return what waits for another scheduler and is no job: controllers of pods, and pods that nothing controls."""
    groups = {each.metadata.key for each in manifests.pod_groups}
    return [
        LeftToOthers(name=each.called, pods=len(each.pods), schedulers=each.schedulers)
        for each in pods_of_others(manifests)
        if not any(pod_group_of(pod.metadata) in groups for pod in each.pods)
    ]
