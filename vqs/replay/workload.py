"""What a replay is about: the state at the start, the jobs that arrive, and what happens to nodes.

All times are in seconds since the start of the replay, which is `Workload.begin` on the calendar.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from heapq import merge
from operator import attrgetter
from typing import Final, Literal, Protocol

from vqs.model import kubernetes as k8s
from vqs.model.durations import parse_duration
from vqs.replay.autoscaler import Autoscaler
from vqs.replay.cost import Prices
from vqs.replay.distribution import Distribution
from vqs.replay.timing import Latencies
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.kubelet import TERMINATED
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests

EVERY_ROLE: Final = ""
"""The role whose timing holds for the pods of all roles that have none of their own."""

NodeChange = Literal["join", "leave", "fail", "recover", "drain", "uncordon"]


@dataclass(frozen=True, slots=True)
class Timing:
    """How the pods of a role run.

    Attributes:
        duration: how many seconds of work a pod has; None for one that never ends by itself.
        start_delay: the seconds from being bound to running; None for that of the replay.
        checkpoint: the seconds of work after which a pod saves what it has done, so that its successor goes on from
            there; None where an evicted pod loses all of its work.
        exit_code: what the pod's container ends with; another than 0 makes the pod fail.
        stop: the seconds that the containers take to stop where the pod is told to go, up to its grace period; None
            where they stop at once.
        stop_code: what they exit with then, unless they are killed.
    """

    duration: Distribution | None = None
    start_delay: Distribution | None = None
    checkpoint: float | None = None
    exit_code: int = 0
    stop: Distribution | None = None
    stop_code: int = TERMINATED


@dataclass(frozen=True, slots=True)
class Policy:
    """What the controller of a Volcano Job does when something happens to it or to one of its pods.

    Attributes:
        events: the events, such as PodEvicted; ``*`` stands for all.
        action: the action, such as RestartJob.
        exit_code: the exit code of a pod that fails, where the policy is for one.
        timeout: the seconds between the event and the action.
    """

    events: frozenset[str]
    action: str
    exit_code: int | None = None
    timeout: float = 0.0


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The parts of a Volcano Job that its controller acts on.

    Attributes:
        policies: those of the Job, which count after those of a task.
        of_tasks: the policies of tasks, by name.
        min_success: how many pods have to succeed for the Job to be completed; None where all have to end.
        max_retry: how many restarts end the Job as failed; None for no limit.
        task_minimums: `minAvailable` of the tasks that give one, by name.
        depends_on: the tasks whose pods are made only once others run.
    """

    policies: tuple[Policy, ...] = ()
    of_tasks: Mapping[str, tuple[Policy, ...]] = field(default_factory=dict)
    min_success: int | None = None
    max_retry: int | None = None
    task_minimums: Mapping[str, int] = field(default_factory=dict)
    depends_on: Mapping[str, k8s.DependsOn] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gang:
    """A PodGroup and its pods, as controllers make them.

    Attributes:
        group: the PodGroup, in the phase that it is created in.
        pods: all pods, without a node.
        claims: the claims on volumes that the controller of a Volcano Job makes with them.
        lifecycle: what the controller of the Volcano Job acts on; None where the pods come from something else, which
            creates them together with the PodGroup.
        comes_back: whether a pod that is evicted is made again, where there is no Volcano Job.
        stays: whether the PodGroup and the pods are left where they are when all pods have ended, as nothing deletes
            them.
    """

    group: k8s.PodGroup
    pods: tuple[k8s.Pod, ...]
    lifecycle: Lifecycle | None = None
    comes_back: bool = True
    stays: bool = False
    claims: tuple[k8s.PersistentVolumeClaim, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrival:
    """A job that is submitted.

    Attributes:
        time: when.
        job: what is submitted; of a Volcano Job, controllers make the PodGroup and the pods as it arrives.
        timing: how its pods run, by role.
    """

    time: float
    job: k8s.VolcanoJob | Gang
    timing: Mapping[str, Timing]


class Generator(Protocol):
    """Makes jobs that arrive."""

    @property
    def end(self) -> float:
        """The time at which it stops."""

    def expected(self, until: float) -> float:
        """Return how many jobs it makes up to some time, on average."""

    def arrivals(self, seed: int) -> Iterator[Arrival]:
        """Yield the jobs of a run with a seed, in the order of their times."""


@dataclass(frozen=True, slots=True)
class NodeEvent:
    """Something that happens to a node.

    A node that leaves or fails takes its pods with it: those of one that leaves are deleted at once, those of one that
    fails when Kubernetes gives it up. A drained node is cordoned, and its pods are evicted.

    Attributes:
        time: when.
        name: the node's name.
        change: what happens.
        node: the node that joins; None for one that was there before, as it was.
    """

    time: float
    name: str
    change: NodeChange
    node: k8s.Node | None = None


@dataclass(frozen=True, slots=True)
class TemplateChange:
    """A change of the template of a Deployment's pods.

    Attributes:
        time: when.
        deployment: the Deployment, as it is at the start.
        requests: what the first container requests from then on, of the resources that change.
    """

    time: float
    deployment: k8s.Deployment
    requests: k8s.ResourceList


@dataclass(frozen=True, slots=True)
class Present:
    """How pods that are there at the start run.

    Attributes:
        timing: how those of a PodGroup run, by role.
        lifecycle: that of the Volcano Job, where there is one.
        job: the Volcano Job as a cluster has stored it, with which its controller goes on; None where none has.
        remaining: the seconds of work that running pods still have, by namespace/name, where they are known or drawn;
            of others, all of it.
    """

    timing: Mapping[str, Timing] = field(default_factory=dict)
    lifecycle: Lifecycle | None = None
    job: k8s.VolcanoJob | None = None
    remaining: Mapping[str, float | Distribution] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Workload:
    """All that a replay is about.

    Attributes:
        name: what it is called.
        begin: the point in time of second 0.
        start: the objects that are there at the start; the scheduler's configuration is among them.
        present: how the pods run that are there at the start, by the namespace/name of their PodGroup.
        arrivals: in the order of their times. It is gone through once for each run, so that it may be long.
        generators: what makes further arrivals, which depend on the seed of a run.
        node_events: in the order of their times.
        rollouts: what happens to Deployments, in the order of their times.
        start_delays: from being bound to running, by patterns of the images of containers; the first that matches
            counts. What `Timing` says of a role goes before.
        latencies: how long everything beside the sessions takes.
        prices: what nodes cost; None where nothing says it.
        autoscaler: how nodes come and go; None where they only do by `node_events`.
    """

    name: str
    begin: datetime
    start: Manifests
    present: Mapping[str, Present] = field(default_factory=dict)
    arrivals: Sequence[Arrival] = ()
    generators: tuple[Generator, ...] = ()
    node_events: tuple[NodeEvent, ...] = ()
    rollouts: tuple[TemplateChange, ...] = ()
    start_delays: tuple[tuple[str, Distribution], ...] = ()
    latencies: Latencies = field(default_factory=Latencies)
    prices: Prices | None = None
    autoscaler: Autoscaler | None = None

    def expected_arrivals(self, until: float) -> float:
        """Return how many jobs arrive up to some time; of those made at random, as many as there are on average."""
        generated = sum(each.expected(until) for each in self.generators)
        return bisect_right(self.arrivals, until, key=attrgetter("time")) + generated

    def arriving(self, seed: int) -> Iterator[Arrival]:
        """Yield all jobs that arrive in a run with a seed, in the order of their times."""
        generated = (generator.arrivals(seed) for generator in self.generators)
        return merge(self.arrivals, *generated, key=attrgetter("time"))


def timing_of(role: str, timing: Mapping[str, Timing]) -> Timing:
    """Return how the pods of a role run."""
    return timing.get(role) or timing.get(EVERY_ROLE) or Timing()


# --- what controllers make --------------------------------------------------------------------------------------------

_DEFAULT_RETRIES = 3


def gang_of(job: k8s.VolcanoJob, base: Manifests, origin: Origin, groups: Sequence[k8s.PodGroup] = ()) -> Gang:
    """Return the PodGroup and all pods that the controller makes for a Volcano Job; `groups` are there already.

    Raises:
        InputErrors: it asks for too many pods.
    """
    made = made_of(job, base, origin, groups)
    [group] = made.pod_groups
    return Gang(group, tuple(made.pods), lifecycle_of(job.spec), claims=tuple(made.claims))


def made_of(
    owner: k8s.VolcanoJob | k8s.Deployment, base: Manifests, origin: Origin, groups: Sequence[k8s.PodGroup] = ()
) -> Manifests:
    """Return all that controllers make for an object, beside PodGroups that are there already.

    Raises:
        InputErrors: it asks for too many pods.
    """
    list_name = "deployments" if isinstance(owner, k8s.Deployment) else "volcano_jobs"
    alone = Manifests(
        pod_groups=[*groups],
        priority_classes=base.priority_classes,
        runtime_classes=base.runtime_classes,
        limit_ranges=base.limit_ranges,
        release=base.release,
        installed=base.installed,
        shipped_by=base.shipped_by,
        scenarios=base.scenarios,
        newest_timestamp=base.newest_timestamp,
        origins={
            list_name: [origin],
            "pod_groups": [origin] * len(groups),
            "priority_classes": base.origins.get("priority_classes", []),
            "runtime_classes": base.origins.get("runtime_classes", []),
            "limit_ranges": base.origins.get("limit_ranges", []),
        },
    )
    return complete(replace(alone, **{list_name: [owner]}))  # type: ignore[arg-type]


def lifecycle_of(spec: k8s.VolcanoJobSpec) -> Lifecycle:
    """Return the parts of a Volcano Job's spec that its controller acts on."""
    return Lifecycle(
        policies=tuple(_policies(spec.policies)),
        of_tasks={task.name: tuple(_policies(task.policies)) for task in spec.tasks if task.policies},
        min_success=spec.min_success,
        max_retry=spec.max_retry or _DEFAULT_RETRIES,
        task_minimums={task.name: task.min_available for task in spec.tasks if task.min_available is not None},
        depends_on={task.name: task.depends_on for task in spec.tasks if task.depends_on is not None},
    )


def _policies(policies: list[k8s.LifecyclePolicy]) -> Iterator[Policy]:
    for each in policies:
        events = frozenset(filter(None, (each.event, *each.events)))
        yield Policy(events, each.action, each.exit_code, parse_duration(each.timeout) or 0.0)
