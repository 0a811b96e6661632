"""Small clusters that are full, for the actions that evict; written by hand, and at random."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from tests.build import group, node, open_session, pod, queue
from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import Op, Operation, StatementResult
from vqs.engine.scheduler import run_actions

PLUGINS = """
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
"""

PREEMPT = 'actions: "preempt"' + PLUGINS
RECLAIM = 'actions: "reclaim"' + PLUGINS

CLASSES = {"low": 10, "mid": 100, "high": 1000}


def classes() -> list[Any]:
    """Make the priority classes low, mid and high."""
    return [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in CLASSES.items()
    ]


def running(name: str, *nodes: str, min_member: int = 1, cpu: str | int = 1, **spec: Any) -> list[Any]:
    """Make a job with a running pod on each of some nodes; `of_pod` goes to the pods, the rest into its spec."""
    of_pod = spec.pop("of_pod", {})
    return [
        group(name, min_member, phase="Running", **spec),
        *[pod(f"{name}-worker-{i}", name, cpu, node=on, **of_pod) for i, on in enumerate(nodes)],
    ]


def steps(session: Session, op: Op, result: StatementResult = StatementResult.COMMIT) -> list[Operation]:
    """Return the steps of a kind in the statements that ended so."""
    return [
        operation
        for record in session.trace.statements
        if record.result is result
        for operation in record.operations
        if operation.op is op
    ]


def evicted(session: Session) -> list[str]:
    """Name the tasks that were evicted for good, in the order in which they were."""
    return [operation.task.name for operation in steps(session, Op.EVICT)]


def promised(session: Session) -> dict[str, str]:
    """Return the tasks that were promised room for good, with their nodes."""
    return {operation.task.name: operation.node for operation in steps(session, Op.PIPELINE)}


def run_watching(objects: list[Any], conf: str, *watch: str) -> Session:
    """Open a session in which some tasks or jobs are watched, run its actions and close it."""
    session = open_session(objects, conf)
    session.options.watch = frozenset(watch)
    return run_actions(session)


# --- at random --------------------------------------------------------------------------------------------------------


def _conf(rnd: random.Random) -> str:
    actions = rnd.choice(
        ["preempt", "reclaim", "allocate, preempt", "reclaim, allocate, preempt", "enqueue, allocate, preempt, reclaim"]
    )
    queues = rnd.choice(["proportion", "capacity", "capacity\n    enableHierarchy: true"])

    def plugin(name: str, *flags: str) -> str:
        off = [flag for flag in flags if rnd.random() < 0.3]
        return f"  - name: {name}\n" + "".join(f"    {flag}: false\n" for flag in off)

    first = plugin("priority", "enablePreemptable") + plugin("gang", "enablePreemptable", "enableReclaimable")
    second = plugin("drf", "enablePreemptable") + plugin("predicates") + plugin(queues) + plugin("nodeorder")
    second += plugin(rnd.choice(["cdp", "pdb", "conformance"]))
    topology = f"  arguments: {{enableTopologyAwarePreemption: {str(rnd.random() < 0.3).lower()}}}\n"
    return (
        f'actions: "{actions}"\ntiers:\n- plugins:\n{first}- plugins:\n{second}'
        f"configurations:\n- name: preempt\n{topology}"
    )


@st.composite
def crowds(draw: st.DrawFn) -> tuple[list[Any], str]:
    """Make full clusters in which jobs starve, and configurations with actions that evict."""
    rnd = random.Random(draw(st.integers(0, 10**9)))
    room = {f"n{i}": rnd.randint(3, 8) for i in range(rnd.randint(1, 4))}
    objects: list[Any] = classes()
    objects += [node(name, cpu, pods=rnd.choice([4, 110]), labels={"zone": "z"}) for name, cpu in room.items()]
    queues = [f"q{i}" for i in range(rnd.randint(1, 3))]
    objects += [
        queue(name, rnd.randint(1, 4), reclaimable=rnd.random() < 0.8, deserved={"cpu": rnd.randint(1, 6)})
        for name in queues
    ]
    for number in range(rnd.randint(1, 4)):
        objects += _filler(rnd, f"run{number}", room, rnd.choice(queues))
    for number in range(rnd.randint(1, 5)):
        objects += _waiting(rnd, f"job{number}", rnd.choice(queues))
    return objects, _conf(rnd)


def _filler(rnd: random.Random, name: str, room: dict[str, int], in_queue: str) -> list[Any]:
    """Make a job that runs where there is still room."""
    cpu = rnd.randint(1, 2)
    nodes = rnd.choices(sorted(room), k=rnd.randint(1, 5))
    members = []
    for number, on in enumerate(nodes):
        if room[on] >= cpu:
            room[on] -= cpu
            made = pod(
                f"{name}-worker-{number}",
                name,
                cpu,
                node=on,
                labels={"app": rnd.choice("ab")},
                phase=rnd.choice(["Running", "Running", "Pending"]),
                annotations={"volcano.sh/preemptable": "false"} if rnd.random() < 0.1 else {},
                deleted=rnd.random() < 0.1,
            )
            members.append(made)
    if not members:
        return []
    minimum = rnd.randint(1, len(members))
    spec = {"queue": in_queue, "priorityClassName": rnd.choice(["low", "low", "mid"])}
    return [group(name, minimum, phase="Running", created=rnd.randint(0, 9), **spec), *members]


def _waiting(rnd: random.Random, name: str, in_queue: str) -> list[Any]:
    size, cpu = rnd.randint(1, 4), rnd.randint(0, 4)
    far = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [far]}}
    members = [
        pod(
            f"{name}-worker-{number}",
            name,
            cpu,
            best_effort=not cpu,
            role=rnd.choice(["worker", "worker", ""]),
            labels={"app": rnd.choice("ab")},
            spec={"affinity": affinity} if rnd.random() < 0.2 else {},
        )
        for number in range(size)
    ]
    spec = {"queue": in_queue, "priorityClassName": rnd.choice(["high", "high", "mid", "low"])}
    return [group(name, rnd.randint(1, size), created=rnd.randint(10, 20), **spec), *members]
