"""What is said to differ between two sessions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from tests.build import CONF, gang, group, job_task, node, pod, queue, stored_job
from tests.diff.mirror import comparable, mirrored, plain
from tests.diff.sides import diff, jobs, side
from vqs.diff.compare import DiffOptions, compare, since
from vqs.diff.conditions import parse_conditions
from vqs.diff.outcome import Cause, Diff, Failure, JobSince, LintDifference, Since
from vqs.diff.run import opened, run_both
from vqs.diff.why import told
from vqs.explain.simulate import SimulateOptions
from vqs.lint.outcome import FindingResult
from vqs.model.kubernetes import PodGroup
from vqs.report.diff.page import since_lines
from vqs.report.diff.phrases import headline

PREEMPT = CONF.replace("allocate, backfill", "allocate, preempt, backfill")
NODES = [node("n1", cpu=4), node("n2", cpu=4)]


def test_nothing_differs() -> None:
    """The same twice is no difference, and does not fail."""
    objects = [*NODES, *gang("a", 4)]
    result = diff(objects, objects)
    assert (result.differs, result.failed, result.jobs, result.first_divergence) == (False, False, [], "")


def test_placed_and_not_placed() -> None:
    """A job that finds room only in the candidate gains, and the reason names both decisions."""
    small, large = [node("n1", cpu=2), gang("a", 4)], [node("n1", cpu=4), gang("a", 4)]
    result = diff(small, large)
    job = jobs(result)["a"]
    assert (job.changes, job.effect, len(job.tasks)) == (["placed"], "gains", 4)
    assert job.before is not None
    assert job.after is not None
    assert (job.before.statuses, job.after.statuses) == ({"Pending": 4}, {"Binding": 4})
    assert job.after.nodes == {"n1": 4}
    assert job.why.after == "allocate places 4 tasks on n1"
    cause = "gang-exceeds-cluster: its gang needs 4 tasks, which together request 4 cpu, and all nodes together have 2"
    assert job.why.before == f"the job is blocked ({cause})"
    assert job.why.text == f"before, {job.why.before}; after, {job.why.after}"
    assert (result.summary.gain, result.summary.lose, result.differs) == (1, 0, True)
    back = jobs(diff(large, small))["a"]
    assert (back.changes, back.effect) == (["unplaced"], "loses")


def test_waits_instead_of_being_placed() -> None:
    """A job whose room is only being released in the candidate waits instead of being placed."""
    waits = [node("n1", cpu=2), group("old", phase="Running"), *gang("a", 2)]
    leaving = [pod("old-0", "old", 2, node="n1", deleted=True)]
    result = diff(waits, [*waits, *leaving])
    assert jobs(result)["a"].changes == ["waits-instead"]
    assert jobs(diff([*waits, *leaving], waits))["a"].changes == ["placed-at-once"]


def eviction_objects() -> list[object]:
    """Return a cluster full of a job of low priority, and a job of high priority."""
    low = group("low", phase="Running", priorityClassName="low", min_member=1)
    running = [pod(f"low-worker-{number}", "low", 2, node="n1") for number in range(2)]
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("low", 1), ("high", 100))
    ]
    for each in running:
        each["spec"]["priorityClassName"] = "low"
        each["spec"]["priority"] = 1
    urgent = gang("urgent", 1, cpu=2, priorityClassName="high")
    urgent[1]["spec"]["priorityClassName"] = "high"
    urgent[1]["spec"]["priority"] = 100
    return [node("n1", cpu=4), *classes, low, *running, *urgent]


def test_evictions() -> None:
    """An action that evicts adds evictions, which are those of the job that loses its tasks."""
    objects = eviction_objects()
    conf = PREEMPT.replace("  - name: proportion\n", "")
    result = diff(objects, objects, CONF.replace("  - name: proportion\n", ""), conf)
    assert [(each.change, each.job, each.evictor, each.action) for each in result.evictions] == [
        ("added", "ns/low", "ns/urgent-worker-0", "preempt")
    ]
    assert (jobs(result)["low"].changes, jobs(result)["low"].effect) == (["evicted"], "loses")
    assert jobs(result)["low"].after is not None
    assert (result.figures_before.evicted, result.figures_after.evicted) == (0, 1)
    assert [setting.key for setting in result.settings] == ["actions"]
    assert "in favour of ns/urgent" in jobs(result)["low"].why.after
    back = diff(objects, objects, conf, CONF.replace("  - name: proportion\n", ""))
    assert (back.evictions[0].change, jobs(back)["low"].changes) == ("gone", ["spared"])


def test_each_task_has_its_cause() -> None:
    """Where tasks of a job are evicted in favour of two others, the second is named as well, with what differs."""
    third = pod("low-worker-2", "low", 2, node="n1")
    third["spec"] |= {"priorityClassName": "low", "priority": 1}
    other = gang("vital", 1, cpu=2, priorityClassName="high")
    other[1]["spec"] |= {"priorityClassName": "high", "priority": 100}
    objects = [node("n1", cpu=6), *eviction_objects()[1:], third, *other]
    without, preempt = (conf.replace("  - name: proportion\n", "") for conf in (CONF, PREEMPT))
    why = jobs(diff(objects, objects, without, preempt))["low"].why
    (cause,) = why.others
    assert "in favour of ns/urgent" in why.after
    assert "in favour of ns/vital" in cause.after
    assert why.before == cause.before
    assert why.text == f"before, {why.before}; after, {why.after}; {cause.tasks[0]}: after, {cause.after}"


def test_further_causes_are_counted() -> None:
    """A sentence on many decisions tells of the first few, and counts the tasks of the rest."""
    others = [Cause(tasks=[f"t{number}", f"u{number}"], before="a", after=str(number)) for number in range(5)]
    assert list(told("a", "b", others))[1:] == [
        "2 more tasks (t0 and u0): after, 0",
        "2 more tasks (t1 and u1): after, 1",
        "2 more tasks (t2 and u2): after, 2",
        "other decisions about 4 more tasks",
    ]


def test_evictions_that_are_taken_back_are_none() -> None:
    """A gang for half of which somebody is evicted, and for the other half nobody can be, evicts nobody."""
    objects = eviction_objects()
    gang_of_two = gang("urgent", 2, cpu=2, priorityClassName="high")
    for each in gang_of_two[1:]:
        each["spec"] |= {"priorityClassName": "high", "priority": 100}
    objects = [*objects[:-2], *gang_of_two]
    conf = PREEMPT.replace("  - name: proportion\n", "")
    without = CONF.replace("  - name: proportion\n", "")
    given = side(objects, conf)
    finished, _ = run_both((given, given), (opened(given, SimulateOptions()), opened(given, SimulateOptions())))
    taken_back = [each for each in finished.statements if each.result == "discard"]
    assert any(operation.op == "evict" for each in taken_back for operation in each.operations)
    result = diff(objects, objects, without, conf)
    assert (result.evictions, result.summary.evictions_added) == ([], 0)
    assert "low" not in jobs(result)


def controlled(name: str, pods: int, kind: str, controller: str) -> list[Any]:
    """Return a gang whose PodGroup says that a controller has made it."""
    made = gang(name, pods)
    reference = {"apiVersion": "example.com/v1", "kind": kind, "name": controller, "uid": "", "controller": True}
    made[0]["metadata"]["ownerReferences"] = [reference]
    return made


def test_a_job_that_its_controller_made_anew() -> None:
    """It is the same job under another PodGroup, unless the change has written that PodGroup itself."""
    before = side([*NODES, *controlled("old", 2, "Thing", "train")])
    after = side([*NODES, *controlled("new", 1, "Thing", "train")])
    conditions = parse_conditions("removed")
    [job] = compare(before, after, DiffOptions(fail_on=conditions)).jobs
    assert (job.display_name, job.changes) == ("ns/train", ["request"])
    forged = replace(after, proposed=frozenset({(PodGroup, "ns/new")}))
    result = compare(before, forged, DiffOptions(fail_on=conditions))
    assert [each.changes for each in result.jobs] == [["added"], ["removed"]]
    assert [each.text for each in result.failures] == ["removed is 1"]


@pytest.mark.parametrize("before", [gang("train", 2), controlled("old", 2, "Thing", "train")])
def test_a_job_of_another_controller_of_the_same_name(before: list[Any]) -> None:
    """A PodGroup whose author gives it the name of a job that is gone does not take its place."""
    result = diff([*NODES, *before], [*NODES, *controlled("new", 2, "Other", "train")])
    assert sorted(each.changes[0] for each in result.jobs) == ["added", "removed"]
    assert {each.display_name for each in result.jobs} == {"ns/train"}


def test_jobs_that_come_and_go() -> None:
    """A job that is only in one snapshot is new, or gone, whatever becomes of it."""
    result = diff([*NODES, *gang("a", 1)], [*NODES, *gang("b", 1)])
    assert {name: (job.changes, job.effect) for name, job in jobs(result).items()} == {
        "a": (["removed"], "loses"),
        "b": (["added"], "gains"),
    }
    assert jobs(result)["b"].before is None
    assert jobs(result)["b"].why.before == "the job does not exist"


@pytest.mark.parametrize(
    ("before", "after", "cores", "effect"),
    [
        ((2, 2), (4, 4), (8, 8), "neither"),
        ((4, 1), (2, 1), (8, 8), "neither"),
        ((4, 1), (8, 1), (2, 2), "neither"),
        ((8, 1), (4, 1), (8, 2), "loses"),
        ((8, 1), (4, 1), (2, 4), "gains"),
        ((2, 2), (4, 4), (2, 2), "loses"),
    ],
)
def test_a_job_that_asks_for_something_else(
    before: tuple[int, int], after: tuple[int, int], cores: tuple[int, int], effect: str
) -> None:
    """A job that asks for more or less is neither better nor worse off for having that; else it is.

    Given are the numbers of its tasks, of which it needs so many, and of the cores that there are for them.
    """
    sides = [
        [node("n1", cpu=cpu), *gang("a", tasks, minimum)]
        for (tasks, minimum), cpu in zip((before, after), cores, strict=True)
    ]
    job = jobs(diff(sides[0], sides[1]))["a"]
    assert "request" in job.changes
    assert job.effect == effect
    assert {task.change for task in job.tasks} & {"added", "removed"}
    opposite = {"gains": "loses", "loses": "gains"}
    assert jobs(diff(sides[1], sides[0]))["a"].effect == opposite.get(effect, effect)


def test_a_job_without_its_queue() -> None:
    """A job whose queue goes is left alone, which is worse, and the reason says that there is no such queue."""
    objects = [*NODES, *gang("a", 1, queue="q")]
    job = jobs(diff([*objects, queue("q")], objects))["a"]
    assert (job.changes, job.effect, job.after) == (["left-alone"], "loses", None)
    assert jobs(diff(objects, [*objects, queue("q")]))["a"].changes == ["taken-up"]
    assert job.why.after == "the job is orphaned: queue q does not exist"


def test_held_back_by_something_else() -> None:
    """A job that stays pending for another reason is told, and is neither better nor worse off."""
    objects = [node("n1", cpu=2), queue("q"), *gang("a", 4, queue="q")]
    closed = [node("n1", cpu=2), queue("q", state="Closed"), *objects[2:]]
    job = jobs(diff(objects, closed))["a"]
    assert (job.changes, job.effect) == (["verdict"], "neither")


def test_queues() -> None:
    """Of a queue it is told which figures differ, and whether it is better off."""
    many = [*gang("a", 8, 1, queue="a"), *gang("b", 8, 1, queue="b")]
    result = diff([*NODES, queue("a"), queue("b"), *many], [*NODES, queue("a", 3), queue("b"), *many])
    queues = {each.name: each for each in result.queues}
    assert (queues["a"].change, queues["a"].effect, queues["b"].effect) == ("changed", "gains", "loses")
    assert {"weight", "deserved", "allocated"} <= set(queues["a"].fields)
    assert queues["a"].before is not None
    assert queues["a"].after is not None
    assert (queues["a"].before.deserved["cpu"], queues["a"].after.deserved["cpu"]) == (4, 6)


def test_nodes() -> None:
    """A node that is new, gone, or cordoned is told."""
    result = diff([node("n1"), node("n2"), *gang("a", 1)], [node("n1", unschedulable=True), node("n3"), *gang("a", 1)])
    told = {each.name: each.change for each in result.nodes}
    assert told == {"n1": "changed", "n2": "removed", "n3": "added"}
    assert result.differs


def test_findings() -> None:
    """What lint finds only in the candidate is new."""
    result = diff([*NODES, queue("a"), *gang("a", 1)], [*NODES, queue("a", parent="nobody"), *gang("a", 1)])
    assert {each.change for each in result.findings} == {"new"}
    assert any(each.finding.object == "Queue a" for each in result.findings)
    assert diff([*NODES], [*NODES, queue("a", parent="nobody")], lint=False).findings == []


def test_the_parting_is_the_first_difference() -> None:
    """Where the traces first differ is told, for all jobs together."""
    result = diff([*NODES, *gang("a", 4), *gang("z", 4)], [*NODES, *gang("a", 2), *gang("z", 4)])
    assert result.first_divergence.startswith("before, ")
    assert "; after, " in result.first_divergence


@pytest.mark.parametrize("seeds", [1, 3])
def test_mirror_with_seeds(seeds: int) -> None:
    """Swapping the sides mirrors the difference under several ways to break ties, too."""
    one, other = side([*NODES, *gang("a", 3), *gang("b", 3)]), side([node("n1", cpu=4), *gang("a", 3), *gang("b", 3)])
    options = DiffOptions(seeds=seeds)
    there, back = compare(one, other, options), compare(other, one, options)
    assert comparable(plain(back)) == mirrored(there)
    assert sum(there.summary.changes.values()) <= there.summary.jobs <= len(there.jobs)


def test_fail_on() -> None:
    """With conditions, only these make it fail."""
    before, after = [node("n1", cpu=4), *gang("a", 4)], [node("n1", cpu=2), *gang("a", 4)]
    held = diff(before, after, fail_on=parse_conditions("evictions,unplaced"))
    assert (held.failed, [each.condition for each in held.failures]) == (True, ["unplaced"])
    passed = diff(before, after, fail_on=parse_conditions("evictions"))
    assert (passed.differs, passed.failed, passed.fail_on) == (True, False, ["evictions"])


# --- pods that do not exist yet ---------------------------------------------------------------------------------------


def test_pods_that_do_not_exist_yet_are_tried() -> None:
    """Each side runs until the pods of what it admits have been tried, and says in how many sessions."""
    small = [node("n1", cpu=1), *stored_job("new", job_task(), minimum=2)]
    large = [node("n1", cpu=4), *stored_job("new", job_task(), minimum=2)]
    result = diff(small, large)
    assert (result.before.session.sessions, result.after.session.sessions) == (2, 2)
    assert headline(result).endswith("2 sessions, until all pods of admitted jobs have been tried")
    job = jobs(result)["new-uid-new"]
    assert job.effect == "gains"
    assert job.after is not None
    assert job.after.statuses == {"Binding": 2}
    assert not diff(large, large).differs


def test_a_job_that_is_admitted_on_one_side_does_not_change_others() -> None:
    """Both sides run as many sessions: a job that only waits for time to go by is not said to gain from the change."""
    limits = [queue("a", capability={"cpu": number}) for number in ("500m", 1)]
    leaving = [group("old", phase="Running"), pod("old-0", "old", 4, node="n1", deleted=True)]
    own = node("n2", cpu=1, taints=[{"key": "new", "effect": "NoSchedule"}])
    task = job_task(replicas=1)
    task["template"]["spec"]["tolerations"] = [{"key": "new", "operator": "Exists"}]
    common = [node("n1", cpu=4), own, *leaving, *gang("waits", 4, created=1)]
    new = stored_job("new", task, minimum=1, queue="a", created=2)
    conf = CONF.replace("  - name: overcommit\n", "")
    result = diff([*common, limits[0], *new], [*common, limits[1], *new], conf)
    assert result.before.session.sessions == result.after.session.sessions == 2
    assert "waits" not in jobs(result)
    back = diff([*common, limits[1], *new], [*common, limits[0], *new], conf)
    assert comparable(plain(back)) == mirrored(result)


def test_pods_that_are_made_again_are_told_of_once() -> None:
    """A Job that restarts as it is evicted awaits pods of the old names; each pod is one task all the same."""
    owner = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "low", "uid": "low", "controller": True}
    low = [group("low", 2, "Running"), *(pod(f"low-worker-{index}", "low", node="n1") for index in range(4))]
    for each in low:
        each["metadata"]["ownerReferences"] = [owner]
    policies = [{"event": "PodEvicted", "action": "RestartJob"}]
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "low", "namespace": "ns", "uid": "low"},
        "spec": {"minAvailable": 2, "schedulerName": "volcano", "policies": policies, "tasks": [job_task(replicas=4)]},
        "status": {"state": {"phase": "Running"}},
    }
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    preempting = gang("high", 2, priorityClassName="high", created=1)
    room = [node("n1", cpu=4, memory="100Gi"), node("n2", cpu=1, taints=[{"key": "x", "effect": "NoSchedule"}])]
    given = side([*room, high, *low, job, *preempting, *stored_job("new", job_task(), minimum=1, created=2)], PREEMPT)
    finished, _ = run_both((given, given), (opened(given, SimulateOptions()), opened(given, SimulateOptions())))
    names = [task.name for task in finished.simulation.tasks]
    assert len(names) == len(set(names))


OVERCOMMIT = "overcommit\n    arguments: {{overcommit-factor: {}}}"
CLUSTER = [node("n1", cpu=4), *gang("one", 2, queue="a"), *gang("two", 2, queue="b")]


def test_jobs_and_conditions_that_are_otherwise_are_named() -> None:
    """A job that the change no longer touches, one that it touches now, and the conditions; what is the same is not."""
    base = [*CLUSTER, queue("a"), queue("b")]
    first = diff(base, [*CLUSTER, queue("a", capability={"cpu": 1}), queue("b")])
    second = diff(base, [*CLUSTER, queue("a"), queue("b", capability={"cpu": 1})])
    [lost], [other] = first.jobs, second.jobs
    losers, unplaced, evictions = (Failure(condition=each, text="t") for each in ("losers", "unplaced", "evictions"))
    first = structs.replace(first, failures=[losers, unplaced], findings=[])
    second = structs.replace(second, failures=[losers, evictions], findings=[])
    found = since(first, second)
    assert found == Since(
        jobs=[
            JobSince(name="ns/one", before=lost.says, after=""),
            JobSince(name="ns/two", before="", after=other.says),
        ],
        failures_new=["evictions"],
        failures_gone=["unplaced"],
    )
    conditions = "condition evictions holds; condition unplaced holds no longer"
    jobs = f"ns/one: as in the base (before: {lost.says}); ns/two: {other.says} (before: as in the base)"
    assert [*since_lines(structs.replace(second, since=found))] == [
        f"Since the comparison before: {conditions}; {jobs}"
    ]


def test_nothing_that_is_otherwise_is_said_too() -> None:
    """It is the answer to a second push that makes no difference."""
    base = [*CLUSTER, queue("a"), queue("b")]
    found = diff(base, [*CLUSTER, queue("a", capability={"cpu": 1}), queue("b")])
    assert [*since_lines(found)] == []
    told = structs.replace(found, since=since(found, found))
    assert [*since_lines(told)] == [
        "Since the comparison before: the same for all jobs, conditions, settings and findings"
    ]


def test_settings_and_findings_that_are_otherwise_are_named() -> None:
    """A setting with another value than before, one that is as in the base again, and what lint says."""
    objects = [*CLUSTER, queue("a"), queue("b")]

    def changed(factor: float, *, backfill: bool) -> Diff:
        conf = CONF if backfill else CONF.replace(", backfill", "")
        return diff(objects, objects, other=conf.replace("overcommit", OVERCOMMIT.format(factor)))

    first, second = changed(1.5, backfill=False), changed(1.7, backfill=True)
    message = "pods that request nothing stay pending"
    warned = FindingResult(code="no-backfill", severity="note", message=message, fingerprint="f")
    first = structs.replace(first, findings=[LintDifference(change="new", finding=warned)])
    found = since(first, second)
    assert found.settings == ["actions", "overcommit.overcommit-factor"]
    assert (found.findings_new, found.findings_gone) == ([], [f"no-backfill: {message}"])
    assert [*since_lines(structs.replace(second, since=found))] == [
        (
            "Since the comparison before: setting actions: as in the base; setting overcommit.overcommit-factor: 1.2 "
            f"→ 1.7; vqs lint warns no longer of no-backfill: {message}"
        )
    ]
    assert since(second, first).findings_new == found.findings_gone
