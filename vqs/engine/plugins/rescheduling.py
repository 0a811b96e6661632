"""rescheduling: move pods from busy nodes, as long as others are not; it is asked by the action shuffle only.

Its one strategy is `lowNodeUtilization`. A node is low where both its cpu and its memory are used less than the
thresholds say, and high where one of them is used more than the target thresholds say. From high nodes, busiest first,
pods go, those of low priority first, then those that ask for least (by quality of service), until the node is not above
its target any more. How busy nodes are is in no manifest: `--usage FILE` or NodeMetrics in a dump say so.

As in the reference, all that is left to low nodes is looked at only for being exactly zero; a pod is looked up by its
name alone, whatever its namespace; and no plugin is asked whether a pod may be evicted at all.

Arguments: `strategies` (default: lowNodeUtilization, which is the only one), a list of `name` and `params`, these with
`thresholds` and `targetThresholds` (`cpu` and `memory`, whole numbers in percent, default 100 each); `metricsPeriod`
(default 5m): the use of nodes is known for 10m only, and for any other period nodes count as idle; `interval` (default
5m): assumed to be over, so that every session looks for pods to move.
Reference: pkg/scheduler/plugins/rescheduling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vqs.engine.framework import points
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.usage import PERIOD, UNKNOWN_USAGE, NodeUsage
from vqs.model.codes import USAGE_UNKNOWN
from vqs.model.job import Task
from vqs.model.kubernetes import Pod
from vqs.model.node import Node
from vqs.model.quantity import milli_value, value
from vqs.model.resource import CPU, MEMORY

NAME = "rescheduling"

STRATEGY = "lowNodeUtilization"
RESOURCES = (CPU, MEMORY)
DEFAULT_THRESHOLD = 100.0


class ReschedulingPlugin(Plugin):
    """Name the tasks that should go."""

    def on_session_open(self, session: Session) -> None:
        """Read how busy the nodes are, and add the answer."""
        self.session = session
        given = self.option.arguments.get("strategies")
        strategies = (
            {STRATEGY: {}}
            if not isinstance(given, list) or not given
            else {str(each.get("name")): each.get("params") for each in given if isinstance(each, dict)}
        )
        if STRATEGY not in strategies:
            return
        params = strategies[STRATEGY]
        found = {key: dict.fromkeys(RESOURCES, DEFAULT_THRESHOLD) for key in ("thresholds", "targetThresholds")}
        for key, amounts in found.items():
            given = params.get(key, {}) if isinstance(params, dict) else {}
            if not isinstance(given, dict):
                break  # what is malformed ends the reading
            amounts.update({name: float(given[name]) for name in RESOURCES if isinstance(given.get(name), int)})
        self.low, self.target = found["thresholds"], found["targetThresholds"]
        self.usage = NodeUsage.of(session)
        if not self.usage.known:
            session.warn(
                USAGE_UNKNOWN,
                f"plugin {NAME}: the usage of nodes is unknown, so all count as idle; "
                "give it with --usage FILE, or add nodes.metrics.k8s.io to the kubectl get that takes the snapshot",
                unknown=[UNKNOWN_USAGE],
            )
        if self.option.arguments.string("metricsPeriod") != PERIOD:
            self.usage = NodeUsage(
                known=False, percent={name: dict.fromkeys(RESOURCES, 0.0) for name in session.nodes.names}
            )
        self.option.arguments.string("interval")
        session.plugins.add(points.VICTIM_TASKS, NAME, self.victims)

    def victims(self, tasks: Sequence[Task]) -> list[Task]:
        """Which of some running tasks should go."""
        low, high = list[Node](), list[Node]()
        for node in self.session.nodes.nodes:
            used = self.usage.percent[node.name]
            if not node.object.spec.unschedulable and all(used[name] < self.low[name] for name in RESOURCES):
                low.append(node)
            elif any(used[name] > self.target[name] for name in RESOURCES):
                high.append(node)
        if not low or not high:
            return []
        # What low nodes may take up to their targets, in millicores and bytes.
        left = dict.fromkeys(RESOURCES, 0)
        for node in low:
            have = _amounts(node.object.status.allocatable or node.object.status.capacity)
            for name in RESOURCES:
                left[name] += int(self.target[name] * have[name] * 0.01)
                left[name] -= int(self.usage.percent[node.name][name] * have[name] * 0.01)
        by_name: dict[str, Task] = {}
        for task in tasks:
            by_name.setdefault(task.name, task)
        found: dict[str, Task] = {}
        for node in sorted(high, key=lambda node: -sum(self.usage.percent[node.name].values())):
            for task in self._tasks_leaving(node, by_name, left):
                found[task.uid] = task
        return list(found.values())

    def _tasks_leaving(self, node: Node, by_name: Mapping[str, Task], left: dict[str, int]) -> list[Task]:
        """The tasks that should leave a busy node; `left` counts them as taken up elsewhere."""
        used, have = dict(self.usage.percent[node.name]), _amounts(node.object.status.capacity)
        going: list[Task] = []
        tasks = [*self.session.tasks(), *self.session.cluster.other_tasks]
        for pod in sorted(
            [task.pod for task in tasks if task.node == node.name],
            key=lambda pod: (
                pod.spec.priority is not None,
                pod.spec.priority or 0,
                _quality(pod),
                pod.metadata.namespace,
                pod.metadata.name,
            ),
        ):
            if not any(used[name] >= self.target[name] for name in RESOURCES) or 0 in left.values():
                break
            task = by_name.get(pod.metadata.name)
            if task is None:
                continue
            for name, amount in ((CPU, int(task.request.milli_cpu)), (MEMORY, int(task.request.memory))):
                left[name] -= amount
                # A part in percent, as Go divides floats: in cores, or in bytes.
                of, unit = have[name], 1000 if name == CPU else 1
                none = float("inf") if amount else float("nan")
                used[name] -= amount / unit * 100 / (of / unit) if of else none
            going.append(task)
        return going


def _amounts(resources: Mapping[str, Any] | None) -> dict[str, int]:
    given = resources or {}
    return {CPU: milli_value(given.get(CPU, 0)), MEMORY: value(given.get(MEMORY, 0))}


def _quality(pod: Pod) -> int:
    """0 for pods that ask for neither cpu nor memory, 2 for those whose requests are their limits, else 1.

    Reference: k8s.io/kubernetes/pkg/apis/core/v1/helper/qos (ComputePodQOS).
    """
    containers = [*pod.spec.containers, *pod.spec.init_containers]
    requests = _sum([each.resources.requests for each in containers])
    limits = _sum([each.resources.limits for each in containers])
    if not requests and not limits:
        return 0
    limited = all(len(_sum([each.resources.limits])) == len(RESOURCES) for each in containers)
    return 2 if limited and requests == limits else 1


def _sum(resources: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Add up cpu and memory; what is not asked for is left out."""
    amounts = [_amounts(each) for each in resources]
    totals = {name: sum(amount[name] for amount in amounts) for name in RESOURCES}
    return {name: total for name, total in totals.items() if total > 0}
