"""Workloads for tests: jobs of a few lines on nodes that are alike."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from hypothesis import strategies as st

from vqs.model import kubernetes as k8s
from vqs.model.keys import GROUP_NAME, TASK_SPEC
from vqs.replay.distribution import Fixed
from vqs.replay.workload import EVERY_ROLE, Arrival, Gang, Lifecycle, NodeEvent, Policy, Timing, Workload
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Job(NamedTuple):
    """A job that arrives: how many pods it has, how many it needs, what each requests and how long it runs."""

    name: str
    arrival: float = 0.0
    pods: int = 1
    least: int = 1
    cpu: int = 1
    seconds: float = 10.0
    queue: str = "default"
    priority: str = ""
    checkpoint: float | None = None
    exit_code: int = 0
    stop: float | None = None
    stop_code: int = 143
    grace: int | None = None


def arrival_of(job: Job, lifecycle: Lifecycle | None) -> Arrival:
    """Return what arrives: a Volcano Job with a lifecycle, else pods with a PodGroup."""
    requests: k8s.ResourceList = {"cpu": str(job.cpu)}
    spec = k8s.PodSpec(
        scheduler_name="volcano",
        priority_class_name=job.priority,
        termination_grace_period_seconds=job.grace,
        containers=[k8s.Container(name="c", resources=k8s.ResourceRequirements(requests=requests))],
    )
    pods = tuple(
        k8s.Pod(
            metadata=k8s.ObjectMeta(
                name=f"{job.name}-worker-{number}",
                namespace="ns",
                annotations={GROUP_NAME: job.name, TASK_SPEC: "worker"},
            ),
            spec=spec,
            status=k8s.PodStatus(phase="Pending"),
        )
        for number in range(job.pods)
    )
    group = k8s.PodGroup(
        metadata=k8s.ObjectMeta(name=job.name, namespace="ns"),
        spec=k8s.PodGroupSpec(
            min_member=job.least,
            queue=job.queue,
            priority_class_name=job.priority,
            min_resources={"cpu": str(job.cpu * job.least)},
        ),
        status=k8s.PodGroupStatus(phase="Pending"),
    )
    timing = Timing(
        Fixed(job.seconds),
        checkpoint=job.checkpoint,
        exit_code=job.exit_code,
        stop=None if job.stop is None else Fixed(job.stop),
        stop_code=job.stop_code,
    )
    return Arrival(job.arrival, Gang(group, pods, lifecycle), {EVERY_ROLE: timing})


def node(name: str, cpu: int = 8) -> k8s.Node:
    """Return a node."""
    amounts: k8s.ResourceList = {"cpu": str(cpu), "memory": "64Gi", "pods": "110"}
    return k8s.Node(
        metadata=k8s.ObjectMeta(name=name), status=k8s.NodeStatus(allocatable=amounts, capacity=dict(amounts))
    )


def workload(
    jobs: Sequence[Job],
    nodes: int = 1,
    cpu: int = 8,
    *,
    start: Manifests | None = None,
    action: str = "",
    event: str = "PodEvicted",
    lifecycle: Lifecycle | None = None,
    controlled: bool = True,
    node_events: tuple[NodeEvent, ...] = (),
) -> Workload:
    """Return a workload on nodes that are alike.

    `action` is the policy of all jobs for an event; where they are not `controlled`, they are no Volcano Jobs.
    """
    policies = (Policy(frozenset([event]), action),) if action else ()
    there = Manifests() if start is None else start
    there.nodes += [node(f"n{number}", cpu) for number in range(nodes)]
    there.origins.setdefault("nodes", [])
    acts = (lifecycle or Lifecycle(policies)) if controlled else None
    arrivals = [arrival_of(job, acts) for job in sorted(jobs, key=lambda job: job.arrival)]
    return Workload("test", BEGIN, there, arrivals=arrivals, node_events=node_events)


PREEMPT = """
apiVersion: vqs/v1
kind: Scenario
name: preempt
priorityClasses: {low: 1, high: 100}
scheduler: |
  actions: "enqueue, allocate, preempt, backfill"
  tiers:
  - plugins:
    - name: priority
    - name: gang
      enablePreemptable: false
    - name: conformance
  - plugins:
    - name: predicates
    - name: proportion
    - name: nodeorder
"""


def preempting() -> Manifests:
    """Return a cluster without nodes in which jobs of a high priority preempt others."""
    return read_manifests(["-"], stdin=io.BytesIO(PREEMPT.encode()))


def generous() -> Manifests:
    """Return a cluster without nodes in which every job is admitted."""
    without_gates = PREEMPT.replace("preempt, ", "").replace("    - name: proportion\n", "")
    return read_manifests(["-"], stdin=io.BytesIO(without_gates.encode()))


def with_queues() -> Manifests:
    """Return two queues of other weights than the default one."""
    weights = {"a": 1, "b": 3}
    return Manifests(
        queues=[
            k8s.Queue(metadata=k8s.ObjectMeta(name=name), spec=k8s.QueueSpec(weight=weight))
            for name, weight in weights.items()
        ]
    )


@st.composite
def job_lists(
    draw: st.DrawFn, *, priorities: Sequence[str] = ("",), queues: Sequence[str] = ("default",), most: int = 8
) -> list[Job]:
    """Make a few jobs that arrive over half a minute, some of which need several pods at once."""
    rnd = random.Random(draw(st.integers(0, 10**9)))
    jobs = []
    for number in range(rnd.randint(1, most)):
        pods = rnd.randint(1, 4)
        jobs.append(
            Job(
                f"j{number}",
                arrival=rnd.choice([0.0, rnd.random() * 30]),
                pods=pods,
                least=rnd.randint(1, pods),
                cpu=rnd.randint(1, 4),
                seconds=rnd.choice([0.5, 5.0, rnd.random() * 30]),
                queue=rnd.choice(queues),
                priority=rnd.choice(priorities),
                checkpoint=rnd.choice([None, 2.0]),
            )
        )
    return jobs
