"""What is proposed for a job that is not placed is proven: with it the job is placed, with a step less it is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import CONF, gang, group, manifests, node, pod, queue
from tests.clusters import clusters
from tests.explain.jobs.searching import find_remedies
from tests.properties import examples
from vqs.diff.findings import added_warnings
from vqs.explain.affected import bound_pods
from vqs.explain.cycles import run_cycles
from vqs.explain.jobs.case import Case
from vqs.explain.jobs.registry import parameters
from vqs.explain.jobs.remedies import FixSearch, NewerRelease, Remedy, remedies_of
from vqs.explain.jobs.search import smallest_step
from vqs.explain.jobs.trials import Progress, Trials, progress_of
from vqs.explain.outcome import Affected
from vqs.explain.simulate import SimulateOptions, run_session
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif.edits import Edit, apply, parse_edits
from vqs.snapshot.whatif.paths import write_value

FOLDER = Path(__file__).parents[3] / "scenarios"
SCENARIOS = sorted(set(FOLDER.glob("*.yaml")) - set(FOLDER.glob("*.plan.yaml")))
CAPACITY = CONF.replace("proportion", "capacity")
PREEMPT = CONF.replace("enqueue, allocate, backfill", "enqueue, allocate, preempt, reclaim, backfill")
NO_SECOND_TIER = PREEMPT.replace("  - name: drf\n", "")

VOLCANO_JOB: dict[str, Any] = {
    "apiVersion": "batch.volcano.sh/v1alpha1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": "ns"},
    "spec": {
        "schedulerName": "volcano",
        "tasks": [
            {
                "name": name,
                "replicas": replicas,
                "template": {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": 2}}}]}},
            }
            for name, replicas in (("launcher", 1), ("worker", 4))
        ],
    },
}


def reached(read: Manifests, job: str, edits: Sequence[Edit] = ()) -> Progress:
    """Return how far a session brings a job."""
    session = run_session(apply(read, edits), SimulateOptions()).session
    return progress_of(session, session.jobs[job])


def not_placed(read: Manifests) -> list[str]:
    """Return the jobs of which something waits and the minimum is not bound."""
    session = run_session(read, SimulateOptions()).session
    return [uid for uid, job in session.jobs.items() if progress_of(session, job) is not Progress.PLACED]


def bound(read: Manifests, name: str, edits: Sequence[Edit], sessions: int) -> int:
    """Return how many pods of a job have a node after a number of sessions."""
    cycles = run_cycles(apply(read, edits), SimulateOptions(), sessions).cycles
    return bound_pods(cycles[-1].simulation).get(name, 0)


def prove(read: Manifests, job: str) -> None:
    """Apply what is proposed, and a step less of it, each in sessions of its own, and count the pods of the job."""
    trials = Trials(read, SimulateOptions(), job, 80, ahead=True)
    trials.open()
    base, session = trials.run([]), trials.told.session
    case = Case(session, session.jobs[job], read, trials.told.manifests)
    for parameter in parameters(case) if case.pending else []:
        found = smallest_step(parameter, trials, base, 12)
        if found.trial is None or found.trial.refused:
            continue
        number = len(found.trial.pods)
        without = bound(read, base.called, [], number)
        own = bound(
            read, found.trial.called, parameter.edits(found.tried if found.step is None else found.step), number
        )
        assert own == found.trial.pods[-1].get(found.trial.called, 0)
        assert (own > without) is (found.step is not None)
        if found.step is not None and found.below:
            below = trials.run(parameter.edits(found.below))
            assert below.reaches(base) < found.trial.reaches(base)


def remedies(objects: list[Any], job: str = "ns/job", conf: str = CONF, **options: Any) -> FixSearch:
    """Find out what helps a job."""
    return find_remedies(manifests(objects, conf), SimulateOptions(), job, **options)


def the(found: FixSearch, knob: str, of: str = "") -> Remedy:
    """Return what was found of a knob."""
    return next(each for each in (*found.fixes, *found.ineffective) if each.parameter == knob and of in each.object)


@pytest.mark.thorough
@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_scenarios(file: Path) -> None:
    """What is proposed for the jobs of a bundled scenario is proven, and what is not does not help."""
    read = read_manifests([str(file)])
    for job in not_placed(read):
        prove(read, job)


@settings(max_examples=examples(20), deadline=None)
@given(clusters(), st.sampled_from([CONF, CAPACITY, PREEMPT]))
def test_random_clusters(objects: list[Any], conf: str) -> None:
    """On any cluster, what is proposed is proven."""
    read = manifests(objects, conf)
    for job in not_placed(read)[:2]:
        prove(read, job)


def test_weight() -> None:
    """The weight with which the queue deserves enough is found."""
    objects = [
        node("n", cpu=12, memory="100Gi"),
        queue("a"),
        queue("b"),
        gang("other", 12, 1, queue="a"),
        gang("job", 4, cpu=2, queue="b", created=1),
    ]
    weight = the(remedies(objects), "weight")
    assert (weight.from_value, weight.to, weight.failing_value, weight.exact) == (1, 2, 1, True)
    assert weight.edits == ["queue/b.spec.weight=2"]
    assert weight.decision == "committed"
    assert weight.cost is not None
    assert weight.cost.fewer_tasks == ["ns/other"]


def test_capability_in_whole_cores() -> None:
    """A capability is raised in whole cores where all figures are whole, else in the unit that they share."""
    objects = [
        node("n", cpu=40, memory="100Gi"),
        queue("a", capability={"cpu": 4}),
        gang("job", 3, cpu=3, queue="a", phase="Pending", minResources={"cpu": 9}),
    ]
    capability = the(remedies(objects), "capability")
    assert (capability.from_value, capability.to, capability.failing_value) == (4, 9, 8)
    objects[-1] = gang("job", 3, cpu="2500m", queue="a", phase="Pending", minResources={"cpu": "7500m"})
    capability = the(remedies(objects), "capability")
    assert (capability.from_value, capability.to, capability.failing_value) == (4, "7500m", 7)


def test_capability_of_queue_above() -> None:
    """Where a queue above is full, its capability is what helps; that of the queue itself may not be above it."""
    hierarchy = CAPACITY.replace("name: capacity", "name: capacity\n    enableHierarchy: true")
    objects = [
        node("n", cpu=40, memory="100Gi"),
        queue("root", capability={}),
        queue("team", parent="root", capability={"cpu": 4, "memory": "90Gi"}),
        queue("a", parent="team", capability={"cpu": 4, "memory": "90Gi"}),
        gang("job", 4, cpu=1, queue="a"),
        queue("b", parent="team", capability={"cpu": 4, "memory": "90Gi"}),
        group("run", phase="Running", queue="b"),
        pod("run-worker-0", "run", node="n"),
    ]
    found = remedies(objects, conf=hierarchy)
    above = the(found, "capability", "queue/team")
    assert (above.from_value, above.to, above.decision) == (4, 5, "committed")
    assert not [
        each
        for each in (*found.fixes, *found.ineffective)
        if each.object == "queue/a" and each.parameter == "capability"
    ]


def test_nodes_by_type() -> None:
    """Nodes that differ only in name are one type; those that are too small are not tried."""
    objects = [
        node("big-1", cpu=8, taints=[]),
        node("big-2", cpu=8),
        node("small", cpu=2),
        gang("job", 3, cpu=8, memory="1Gi"),
    ]
    found = remedies(objects)
    big = the(found, "nodes", "big")
    assert (big.object, big.from_value, big.to, big.failing_value) == ("node/big-1", 2, 3, 2)
    assert big.edits == ["clone-node big-1=1"]
    assert {each.object for each in (*found.fixes, *found.ineffective) if each.parameter == "nodes"} == {big.object}


def test_min_member() -> None:
    """The largest minimum that has room is found."""
    found = remedies([node("n", cpu=5, memory="100Gi"), gang("job", 9, 8)])
    least = the(found, "minMember")
    assert (least.from_value, least.to, least.failing_value, least.decision) == (8, 5, 6, "partially-committed")


def test_min_available_of_volcano_job() -> None:
    """Of a Volcano Job that has no PodGroup yet, the Job's own minimum is lowered; a task's with it does no more."""
    objects = [node("n", cpu=6, memory="100Gi"), VOLCANO_JOB]
    found = remedies(objects, "ns/train")
    of_job = next(each for each in found.fixes if (each.parameter, each.object) == ("minAvailable", "job/ns/train"))
    assert (of_job.from_value, of_job.to) == (5, 3)
    trials = Trials(manifests(objects), SimulateOptions(), "ns/train", ahead=True)
    trials.open()
    more = [*of_job.edits, "job/ns/train.spec.tasks[1].minAvailable=2"]
    with_both, alone = (trials.run(parse_edits(edits, trials.manifests)[0]) for edits in (more, of_job.edits))
    assert with_both.outlook == alone.outlook
    assert [each.edits for each in found.fixes if each.parameter == "minAvailable"] == [of_job.edits]


def priority_class(name: str, value: int) -> dict[str, Any]:
    """Make a priority class."""
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}


def test_priority_of_existing_class() -> None:
    """The lowest class that suffices is chosen, and who loses is named."""
    objects = [
        node("n", cpu=4, memory="100Gi"),
        *(priority_class(name, value) for name, value in (("high", 100), ("mid", 50), ("low", 10))),
        gang("first", 4, priorityClassName="low"),
        gang("job", 4, created=1),
    ]
    found = the(remedies(objects), "priority")
    assert (found.to, found.failing_value) == (50, 10)
    assert found.edits == ["podgroup/ns/job.spec.priorityClassName=mid"]
    assert found.cost is not None
    assert found.cost.no_longer_placed == ["ns/first"]


def test_priority_of_new_class() -> None:
    """Where no class is high enough, a new one is made that is no higher than it has to be."""
    objects = [
        node("n", cpu=4, memory="100Gi"),
        priority_class("low", 10),
        gang("first", 4, priorityClassName="low"),
        gang("job", 4, created=1),
    ]
    found = [each for each in remedies(objects).fixes if each.parameter == "priority"]
    assert [(each.to, each.failing_value) for each in found] == [(11, 10)]


def test_pipelined_is_told_apart() -> None:
    """A change that makes the job wait for others to leave is not one that places it, and names who has to leave."""
    objects = [
        node("n", cpu=4, memory="100Gi"),
        priority_class("high", 100),
        group("run", phase="Running", created=1),
        *(pod(f"run-worker-{number}", "run", node="n") for number in range(4)),
        gang("job", 2, created=2),
    ]
    found = remedies(objects, conf=NO_SECOND_TIER)
    priority = the(found, "priority")
    assert (priority.helps, priority.progress) == (True, "pipelined")
    assert priority.cost is not None
    assert len(priority.cost.evicted) == 2
    assert priority.outlook is not None
    assert priority.outlook.starts_in_session == 2
    assert priority.affected == [Affected(job="ns/run", pods_before=4, pods_after=2)]


def proven(read: Manifests, job: str, knob: str, of: str) -> Remedy:
    """Find what helps, apply it as text, and then the value that is said not to be enough."""
    remedy = the(find_remedies(read, SimulateOptions(), job), knob, of)
    assert remedy.helps
    assert remedy.exact
    text, *others = remedy.edits
    field, _, value = text.partition("=")
    assert value == write_value(remedy.to)
    assert reached(read, job, parse_edits(remedy.edits, read)[0]) is Progress.PIPELINED
    less = f"{field}={write_value(remedy.failing_value)}"
    assert reached(read, job, parse_edits([less, *others], read)[0]) is Progress.PENDING
    return remedy


def running(name: str, number: int, queue: str = "default", **more: Any) -> list[Any]:
    """Make a PodGroup of which so many pods run on node n."""
    min_member = more.pop("min_member", 1)
    pods = [pod(f"{name}-worker-{each}", name, node="n", **more) for each in range(number)]
    return [group(name, min_member, phase="Running", queue=queue), *pods]


@pytest.mark.parametrize("built_in", [False, True])
def test_reclaim_is_added(*, built_in: bool) -> None:
    """Where another queue holds too much, reclaim behind allocate helps, also with the built-in configuration."""
    objects = [
        node("n", cpu=4, memory="100Gi"),
        queue("a"),
        queue("b"),
        *running("train", 4, "a"),
        gang("job", 1, queue="b", created=1),
    ]
    read = manifests(objects, CONF)
    read = replace(read, configuration=None) if built_in else read
    actions = proven(read, "ns/job", "actions", "conf")
    assert actions.edits == ["conf.actions=enqueue, allocate, reclaim, backfill"]
    assert actions.cost is not None
    assert len(actions.cost.evicted) == 1


def test_preempt_is_added() -> None:
    """Where jobs of lower priority run in the same queue, preempt behind allocate helps, beside reclaim too."""
    objects = [
        node("n", cpu=4, memory="100Gi"),
        priority_class("high", 100),
        *running("train", 4),
        gang("job", 1, created=1, priorityClassName="high"),
    ]
    actions = proven(manifests(objects), "ns/job", "actions", "conf")
    assert actions.to == "enqueue, allocate, preempt, backfill"
    both = manifests(objects, CONF.replace("enqueue, allocate", "enqueue, reclaim, allocate"))
    assert proven(both, "ns/job", "actions", "conf").to == "enqueue, reclaim, allocate, preempt, backfill"


def test_no_eviction_without_anybody() -> None:
    """Where nothing runs, and where both actions are there, none is added."""
    objects = [node("n", cpu=4, memory="100Gi"), gang("job", 9)]
    found = remedies(objects)
    assert not [each for each in (*found.fixes, *found.ineffective) if each.parameter == "actions"]
    found = remedies([*objects, *running("train", 4)], conf=PREEMPT)
    assert not [each for each in (*found.fixes, *found.ineffective) if each.parameter == "actions"]


def test_minimum_of_those_spared() -> None:
    """Where gang spares the last that could be evicted, the minimum of their job is lowered."""
    read = read_manifests([str(SCENARIOS[0].parent / "preempt-spared-by-gang.yaml")])
    least = proven(read, "default/urgent", "minMember", "train")
    assert least.edits == [
        "podgroup/default/train.spec.minMember=3",
        'podgroup/default/train.spec.minResources={"cpu": "6"}',
    ]
    assert (least.from_value, least.to, least.failing_value) == (4, 3, 4)


def test_minimum_of_two_at_most() -> None:
    """Of jobs that are spared, the two with most tasks are looked at; where two have to go, it is lowered by two."""
    objects = [
        node("n", cpu=9, memory="100Gi"),
        priority_class("high", 100),
        *(each for number, name in enumerate("cab", 2) for each in running(name, number, min_member=number)),
        gang("job", 1, cpu=2, created=1, priorityClassName="high"),
    ]
    read = manifests(objects, NO_SECOND_TIER)
    assert proven(read, "ns/job", "minMember", "ns/b").to == 2
    assert proven(read, "ns/job", "minMember", "ns/a").to == 1
    found = remedies(objects, conf=NO_SECOND_TIER)
    others = {each.object for each in (*found.fixes, *found.ineffective) if each.parameter == "minMember"}
    assert others == {"podgroup/ns/a", "podgroup/ns/b"}


def test_minimum_of_volcano_job_that_is_spared() -> None:
    """Of a Volcano Job that has no PodGroup yet, the Job's own minimum is lowered."""
    owner = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "train", "uid": "t", "controller": True}
    victim = VOLCANO_JOB | {"metadata": {"name": "train", "namespace": "ns", "uid": "t"}}
    roles = [("launcher", 0), *(("worker", number) for number in range(4))]
    pods = [pod(f"train-{role}-{number}", "train-t", 2, node="n", role=role) for role, number in roles]
    for each in pods:
        each["metadata"]["ownerReferences"] = [owner]
    objects: list[Any] = [
        node("n", cpu=10, memory="100Gi"),
        priority_class("high", 100),
        victim,
        *pods,
        gang("job", 1, cpu=2, created=1, priorityClassName="high"),
    ]
    least = proven(manifests(objects, NO_SECOND_TIER), "ns/job", "minAvailable", "job/ns/train")
    assert (least.from_value, least.to, least.failing_value) == (5, 4, 5)


@pytest.mark.parametrize(
    ("spec", "edit", "steps"),
    [
        ({"minAvailable": 3}, "minAvailable=2", (3, 2, 3)),
        ({"maxUnavailable": 1}, "maxUnavailable=2", (1, 2, 1)),
        ({"minAvailable": "75%"}, 'minAvailable="50%"', ("75%", "50%", "75%")),
        ({"maxUnavailable": "25%"}, 'maxUnavailable="50%"', ("25%", "50%", "25%")),
    ],
)
def test_disruption_budget(spec: dict[str, Any], edit: str, steps: tuple[Any, ...]) -> None:
    """Where a disruption budget spares those who could go, its owner has to let as many go as are needed."""
    read = read_manifests([str(SCENARIOS[0].parent / "disruption-budget-protects.yaml")])
    [limits] = read.disruption_budgets
    limits.spec = msgspec.convert({**msgspec.to_builtins(limits.spec), "minAvailable": None, **spec}, type(limits.spec))
    budget = proven(read, "default/urgent", edit.partition("=")[0], "web")
    assert budget.edits == [f"poddisruptionbudget/default/web.spec.{edit}"]
    assert (budget.from_value, budget.to, budget.failing_value) == steps
    assert budget.cost is not None
    assert len(budget.cost.evicted) == 2


def test_disruption_budget_that_counts_no_pods() -> None:
    """Of a budget of which nobody knows how many pods it has, nothing is proposed: its status is not the owner's."""
    read = read_manifests([str(SCENARIOS[0].parent / "disruption-budget-protects.yaml")])
    read.disruption_budgets[0].status.expected_pods = 0
    found = find_remedies(read, SimulateOptions(), "default/urgent")
    assert not [each for each in (*found.fixes, *found.ineffective) if "disruptionbudget" in each.object]


def test_sessions_are_bounded() -> None:
    """No more sessions are run than allowed, and what was not tried for that is named."""
    objects = [node("n", cpu=5, memory="100Gi"), queue("a"), gang("other", 3, queue="a"), gang("job", 9, created=1)]
    found = remedies(objects, sessions=6, per_parameter=2)
    assert found.sessions == 6
    assert max(each.sessions for each in (*found.fixes, *found.ineffective)) == 2
    assert found.not_tried
    assert remedies(objects, sessions=0).sessions == 0


def test_edges_of_bounded_search() -> None:
    """Where sessions run out before the search ends, the gap is told."""
    found = remedies([node("n", cpu=40, memory="900Gi"), gang("job", 100, cpu=1)], per_parameter=3)
    least = the(found, "minMember")
    assert least.helps
    assert isinstance(least.to, int)
    assert isinstance(least.failing_value, int)
    assert least.to <= 40 < least.failing_value or not least.exact


def test_nothing_to_do() -> None:
    """For a job that is placed, nothing is tried."""
    found = remedies([node("n"), gang("job", 2)])
    assert (found.progress, found.sessions, found.fixes) == ("placed", 0, [])


def test_same_every_time() -> None:
    """The same input gives the same answer, and the manifests stay as they are."""
    objects: list[Any] = [node("n", cpu=5), queue("a"), gang("other", 3, queue="a"), gang("job", 9, created=1)]
    read = manifests(objects)
    assert find_remedies(read, SimulateOptions(), "ns/job") == find_remedies(read, SimulateOptions(), "ns/job")
    assert len(read.nodes) == 1


def test_figures_of_the_only_queue_are_not_tried_where_nodes_refuse() -> None:
    """No guarantee makes a node larger: the sessions are kept for what may help, unless another queue could give."""
    short: list[Any] = [node("a", cpu=4), node("b", cpu=4), queue("default"), gang("job", 1, requests={"cpu": 5})]
    alone = find_remedies(manifests(short, CONF), SimulateOptions(), "ns/job")
    assert not {"guarantee", "deserved"} & {each.parameter for each in (*alone.fixes, *alone.ineffective)}
    beside = [*short, queue("other"), gang("served", 1, queue="other")]
    both = find_remedies(manifests(beside, CONF), SimulateOptions(), "ns/job")
    assert "guarantee" in {each.parameter for each in (*both.fixes, *both.ineffective)}


@pytest.mark.parametrize("lost", ["cordoned", "not ready"])
def test_nodes_to_add_are_judged_as_well(lost: str) -> None:
    """A node like a cordoned or a lost one is new and well, and lint says nothing; what it warns of is not proposed."""
    full = node("n", cpu=1, unschedulable=lost == "cordoned")
    full["status"]["conditions"] = [{"type": "Ready", "status": "True" if lost == "cordoned" else "Unknown"}]
    given = manifests([full, *gang("job", 2)], CONF)
    trials = Trials(given, SimulateOptions(), "ns/job", ahead=True)
    trials.open()
    found = remedies_of(trials, math.inf, judge=added_warnings)
    assert "nodes" in {each.parameter for each in found.fixes}
    found = remedies_of(trials, math.inf, judge=lambda before, after: ["no"] * (len(after.nodes) - len(before.nodes)))
    assert all("nodes" in each.parameter for each in found.warned)
    assert found.warned
    assert not any("nodes" in each.parameter for each in found.fixes)


GROUPS = """  - name: nodegroup
    arguments:
      strict: "false"
"""


def test_a_newer_release() -> None:
    """Quotation marks around a boolean are read by v1.15 alone; the release is not looked for where none helps."""
    objects = [node("n", cpu=4), *gang("job", 1)]
    found = find_remedies(manifests(objects, CONF + GROUPS), SimulateOptions(), "ns/job").newer
    assert isinstance(found, NewerRelease)
    assert (found.volcano, found.pods, found.behaviours) == ("1.15", 1, ["text-as-boolean"])
    assert not find_remedies(manifests([node("n", cpu=1), *gang("job", 2)], CONF), SimulateOptions(), "ns/job").newer


def parameters_of_fixes(*objects: Any) -> list[str]:
    """Return which kinds of fixes there are for a job, in their order."""
    return [each.parameter for each in find_remedies(manifests([*objects], CONF), SimulateOptions(), "ns/job").fixes]


def test_what_is_repaired_comes_before_what_gets_the_job_less() -> None:
    """A limit that is raised, or a node that is uncordoned, before a smaller request or gang; new nodes come last."""
    small, cordoned = node("n", cpu=4), node("cordoned", cpu=8, unschedulable=True)
    order = parameters_of_fixes(small, cordoned, queue("default"), *gang("job", 1, cpu=6))
    assert order.index("uncordon") < order.index("nodes")
    order = parameters_of_fixes(small, node("m", cpu=5), queue("default"), *gang("job", 1, cpu=6))
    assert order[0] == "requests"
    limited = [queue("a", capability={"cpu": 2}), queue("b"), *gang("job", 2, cpu=2, queue="a")]
    order = parameters_of_fixes(node("n", cpu=8), *limited)
    assert order.index("capability") < order.index("queue") < order.index("minMember")


@pytest.mark.parametrize(("own", "first"), [("team", "tolerations"), ("other", "uncordon")])
def test_a_taint_that_the_job_tolerates_with_another_value_is_a_mistake(own: str, first: str) -> None:
    """To tolerate it is first then; the nodes of a taint that the job tolerates in no form are others' to give."""
    taint = {"key": "team", "value": "ml", "effect": "NoSchedule"}
    nodes = [node("cordoned", cpu=8, unschedulable=True), node("large", cpu=8, taints=[taint])]
    made, task = gang("job", 1, cpu=6)
    task["spec"]["tolerations"] = [{"key": own, "operator": "Equal", "value": "mi", "effect": "NoSchedule"}]
    order = parameters_of_fixes(*nodes, queue("default"), made, task)
    assert order[0] == first
    assert "tolerations" in order


def test_the_control_plane_is_the_last_place_for_a_job() -> None:
    """To tolerate its taint comes behind all that takes no pods; that of a passing state is not tolerated."""
    taints = [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]
    passing = [{"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}]
    runs = [group("runs", 1, "Running"), pod("runs-0", "runs", 4, node="n")]
    nodes = [node("n", cpu=4), node("master", cpu=4, taints=taints), node("pressed", cpu=4, taints=passing)]
    fixes = find_remedies(manifests([*nodes, *runs, *gang("job", 1, cpu=4)]), SimulateOptions(), "ns/job").fixes
    assert [each.parameter for each in fixes] == ["ready", "nodes", "tolerations", "end"]
    assert [each.lost for each in fixes] == [0, 0, 0, 1]
    assert fixes[2].to == "node-role.kubernetes.io/control-plane=:NoSchedule"
