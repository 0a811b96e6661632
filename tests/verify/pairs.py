"""Pairs of dumps: a small cluster, and what a later dump of it shows."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from tests.build import CONF, Object, gang, group, manifests, node, pod, queue
from vqs.explain.cycles import run_cycles
from vqs.explain.simulate import SimulateOptions
from vqs.verify.compare import predict
from vqs.verify.outcome import Verification
from vqs.verify.run import VerifyOptions, verify

LATER = "2026-01-01T00:00:09Z"
PREEMPT = CONF.replace("enqueue, allocate, backfill", "enqueue, allocate, preempt, backfill").replace(
    "  - name: drf\n", ""
)


def flat(objects: Iterable[Object | list[Object]]) -> list[Object]:
    """Return objects in one list."""
    return [each for entry in objects for each in (entry if isinstance(entry, list) else [entry])]


def cluster() -> list[Object]:
    """Make a cluster with room for the job `fits`, and not for `large`."""
    nodes = [node("n0", cpu=4), node("n1", cpu=2)]
    for each in nodes:
        each["metadata"]["uid"] = f"uid-{each['metadata']['name']}"
    return flat([*nodes, queue("default"), gang("fits", 4), gang("large", 3, cpu=2, created=1)])


def crowded() -> list[Object]:
    """Make a node full of pods of two jobs, of which two pods have to leave for a job of a higher priority."""
    low = [
        pod(f"{name}-worker-{number}", name, node="n", spec={"priority": 0})
        for name in ("low", "lower")
        for number in range(2)
    ]
    groups = [group(name, phase="Running") for name in ("low", "lower")]
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    return flat(
        [node("n", cpu=4), queue("default"), high, *groups, *low, gang("high", 2, priorityClassName="high", created=1)]
    )


def lucky() -> list[Object]:
    """Make a cluster in which a tie decides which of two jobs finds room on the node that it needs."""
    nodes = [node("a", cpu=2), node("b", cpu=2)]
    first = gang("first", 1)
    second = gang("second", 1, cpu=2, created=1)
    second[1]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "a"}
    third = gang("third", 1, cpu=2, created=2)
    third[1]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "b"}
    return flat([*nodes, queue("default"), first, second, third])


def verified(
    before: Sequence[Object],
    after: Later | Sequence[Object],
    conf: str = CONF,
    conf_after: str = "",
    **options: Any,
) -> Verification:
    """Hold vqs against a later dump."""
    later = after.objects if isinstance(after, Later) else after
    return verify(manifests(before, conf), manifests(later, conf_after or conf), VerifyOptions(**options))


def obedient(before: Sequence[Object], conf: str = CONF, seed: int | None = None) -> Later:
    """Return the later dump of a cluster that does what vqs says."""
    earlier = manifests(before, conf)
    cycles = run_cycles(earlier, SimulateOptions(seed=seed), 1).cycles
    decisions = predict(cycles, {pod.metadata.key for pod in earlier.pods}).decisions
    later = Later(before)
    for key, chosen in decisions.bound.items():
        later.bind(key, node=chosen)
    later.evict(*(key for key in decisions.evicted))
    for key, phase in decisions.phases.items():
        later.group(key, phase, decisions.conditions.get(key, ""))
    for key, message in decisions.messages.items():
        if message and key not in decisions.bound:
            later.refuse(message, key)
    return later


class Later:
    """A later dump: a copy of an earlier one, in which things have happened since.

    Objects are called by namespace/name, or by their name where that is enough.
    """

    def __init__(self, earlier: Iterable[Object], time: str = LATER) -> None:
        self.objects = copy.deepcopy(list(earlier))
        self.time = time

    def find(self, kind: str, name: str) -> Object:
        """Return an object."""
        namespace, _, own = name.rpartition("/")
        return next(
            each
            for each in self.objects
            if (each["kind"], each["metadata"]["name"]) == (kind, own)
            and namespace in ("", each["metadata"].get("namespace"))
        )

    def remove(self, kind: str, name: str) -> Later:
        """Take an object away."""
        self.objects.remove(self.find(kind, name))
        return self

    def bind(self, *names: str, node: str = "n0") -> Later:
        """Give pods a node."""
        for name in names:
            pod = self.find("Pod", name)
            pod["spec"]["nodeName"] = node
            self._set_condition(pod, type="PodScheduled", status="True")
        return self

    def evict(self, *names: str, by_scheduler: bool = True) -> Later:
        """Tell pods to go."""
        for name in names:
            pod = self.find("Pod", name)
            pod["metadata"]["deletionTimestamp"] = self.time
            if by_scheduler:
                self._set_condition(pod, type="DisruptionTarget", status="True", reason="PreemptionByScheduler")
        return self

    def replace(self, name: str, **annotations: str) -> Later:
        """Let a controller make a pod again."""
        pod = self.find("Pod", name)
        pod["metadata"]["uid"] = f"{name}-again"
        pod["metadata"]["annotations"].update(annotations)
        pod["spec"].pop("nodeName", None)
        pod["status"] = {"phase": "Pending"}
        return self

    def end(self, *names: str) -> Later:
        """Let pods end."""
        for name in names:
            self.find("Pod", name)["status"]["phase"] = "Succeeded"
        return self

    def refuse(self, message: str, *names: str) -> Later:
        """Write on pods why they wait."""
        for name in names:
            self._set_condition(
                self.find("Pod", name), type="PodScheduled", status="False", reason="Unschedulable", message=message
            )
        return self

    def group(self, name: str, phase: str, condition: str = "") -> Later:
        """Give a PodGroup a phase, and a condition Unschedulable."""
        group = self.find("PodGroup", name)
        group.setdefault("status", {})["phase"] = phase
        if condition:
            self._set_condition(
                group, type="Unschedulable", status="True", message=condition, transitionID=f"id-{condition}"
            )
        return self

    def _set_condition(self, each: Object, **condition: str) -> None:
        status = each.setdefault("status", {})
        kept = [old for old in status.get("conditions", []) if old["type"] != condition["type"]]
        status["conditions"] = [*kept, {**condition, "lastTransitionTime": self.time}]
