"""The search for fixes: its order, its budget, its processes, and what it says of changes that it did not try."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.build import CONF, gang, group, manifests, node, pod, queue
from tests.conformance.reading import read_scenario, unpacked
from tests.explain.jobs.searching import find_remedies
from vqs.explain.jobs import remedies as module
from vqs.explain.jobs.case import Case, Parameter
from vqs.explain.jobs.registry import parameters
from vqs.explain.jobs.remedies import FixSearch, remedies_of
from vqs.explain.jobs.search import goal_for, refined, smallest_step
from vqs.explain.jobs.trials import Goal, Trials
from vqs.explain.simulate import SimulateOptions, run_session
from vqs.model.job import WAITING_STATUSES
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.edits import parse_edits

CAPACITY = CONF.replace("proportion", "capacity")
RECORDED = sorted(unpacked("random").glob("*.yaml"))
SMALL = random.Random(30).sample([path for path in RECORDED if path.stat().st_size < 20_000], 50)


def begun(read: Manifests, job: str = "ns/job") -> Trials:
    """Find out what becomes of a job as it is."""
    trials = Trials(read, SimulateOptions(), job, ahead=True)
    trials.open()
    return trials


def crowded() -> Manifests:
    """A queue that holds what it deserves, and a job that waits in it."""
    return manifests(
        [
            node("n", cpu=12, memory="100Gi"),
            queue("a"),
            queue("b"),
            gang("other", 12, 1, queue="a"),
            gang("more", 6, 1, queue="b"),
            gang("job", 4, cpu=2, queue="b", created=1),
        ]
    )


def test_processes_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where processes share the kinds of changes, what is found and its order are those of one process."""
    alone = find_remedies(crowded(), SimulateOptions(), "ns/job")
    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(module, "cores", lambda: 3)
    assert remedies_of(begun(crowded()), 600, everything=True) == alone
    assert len(alone.fixes) > 3


def test_an_error_in_a_process_is_one_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong where kinds are shared is not taken for a change that does not help."""
    trials = begun(crowded())
    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(module, "cores", lambda: 2)
    monkeypatch.setattr(Trials, "_run", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        remedies_of(trials, 600)


def test_time_only_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found in less time is the beginning of what is found in more, and the rest is named."""
    every = find_remedies(crowded(), SimulateOptions(), "ns/job")
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1.0
        return now

    monkeypatch.setattr("vqs.explain.jobs.trials.time.monotonic", clock)
    some = find_remedies(crowded(), SimulateOptions(), "ns/job", seconds=12)
    assert some.ended == "time"
    assert 0 < some.sessions < every.sessions
    tried = [each.edits for each in (*some.fixes, *some.ineffective)]
    assert tried
    assert all(edits in [each.edits for each in (*every.fixes, *every.ineffective)] for edits in tried)
    assert some.not_tried
    assert (every.ended, every.not_tried) == ("", [])


def test_a_good_answer_ends_the_search_of_a_large_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three kinds of changes that place all of it are enough, if one takes nothing from others; the rest is named."""
    objects: list[Any] = [node(f"n{number}", cpu=4, memory="64Gi") for number in range(2)]
    objects += [queue("default"), queue("low"), gang("job", 2, requests={"cpu": 5}), gang("other", 2, queue="low")]
    every = find_remedies(manifests(objects), SimulateOptions(), "ns/job")
    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(module, "_ENOUGH", 1)
    monkeypatch.setattr(module, "cores", lambda: 1)
    some = remedies_of(begun(manifests(objects)), 600)
    assert (some.ended, every.ended) == ("enough", "")
    assert some.not_tried
    assert {each.parameter for each in some.fixes} < {each.parameter for each in (*every.fixes, *every.ineffective)}
    assert not remedies_of(begun(manifests(objects)), 600, everything=True).ended


def shared() -> Manifests:
    """A queue of low weight, in which a gang waits that needs more than its share of the cluster."""
    nodes = [node(f"n{number}", cpu=20, memory="100Gi") for number in range(10)]
    objects: list[Any] = [*nodes, queue("a", weight=70), queue("b", weight=10)]
    return manifests([*objects, gang("other", 170, 1, queue="a"), gang("job", 60, cpu=1, queue="b", created=1)])


@pytest.mark.parametrize("processes", [1, 3])
def test_a_large_snapshot_is_searched_in_two_rounds(monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    """A few steps of each parameter are tried first; then the smallest one of the fixes that are shown is found."""
    every = {each.edits[0]: each for each in find_remedies(shared(), SimulateOptions(), "ns/job").fixes}
    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(module, "cores", lambda: processes)
    rounds: list[int] = []

    def counted(found: Any, *more: Any) -> Any:
        rounds.append(len(found))
        return refined(found, *more)

    monkeypatch.setattr(module, "refined", counted)
    found = remedies_of(begun(shared()), 600)
    assert rounds[0] > 0
    assert all(each.exact and each.edits[0] in every for each in found.fixes[:5])
    monkeypatch.setattr(module, "refined", lambda found, *_: iter([search for _, search in found]))
    coarse = remedies_of(begun(shared()), 600)
    assert coarse.sessions < found.sessions
    ranks = [(each.lost, each.left_out, len(each.cost.evicted), not each.exact) for each in coarse.fixes if each.cost]
    assert any(is_vague for *_, is_vague in ranks)
    assert ranks == sorted(ranks)


def test_a_search_goes_on_where_it_ended() -> None:
    """What is known of a parameter is not tried again, and the step that is found is the one of a whole search."""
    trials = begun(shared())
    session = trials.told.session
    case = Case(session, session.jobs["ns/job"], trials.manifests, trials.told.manifests)
    [weight] = [each for each in parameters(case) if each.what == "weight"]
    base = trials.run([])
    whole = smallest_step(weight, trials, base, 20)
    trials.forget()
    coarse = smallest_step(weight, trials, base, 20, coarse=True)
    assert coarse.is_vague
    [better] = refined([(weight, coarse)], trials, 20, 1)
    assert (better.step, better.below) == (whole.step, whole.below)
    assert coarse.trials < better.trials <= whole.trials + 3


def test_nodes_for_a_queue_whose_share_is_too_small() -> None:
    """Nodes are first tried by as many as it takes for the queue's share of the cluster to be large enough."""
    trials = begun(shared())
    session = trials.told.session
    case = Case(session, session.jobs["ns/job"], trials.manifests, trials.told.manifests)
    [nodes] = [each for each in parameters(case) if each.what == "nodes"]
    found = smallest_step(nodes, trials, trials.run([]), 20)
    assert found.step is not None
    assert nodes.guess > 1
    assert found.step in range(nodes.guess // 2, nodes.guess + 2)


def test_less_than_the_guess() -> None:
    """Where neither the guess helps nor more than that, half of it is tried: a weight may be too large for the job."""
    found = find_remedies(read_scenario(unpacked("random") / "running-0103.yaml"), SimulateOptions(), "team/job-06")
    [weight] = [each for each in found.fixes if each.parameter == "weight"]
    assert (weight.to, weight.failing_value, weight.places_all) == (6, 5, True)


# --- two changes together ---------------------------------------------------------------------------------------------


def pairs(found: FixSearch) -> list[tuple[str, str | int]]:
    """What was found of two changes together, and their values."""
    return [(each.parameter, each.to) for each in found.fixes if len(each.edits) > 1 and " and " in str(each.to)]


def both_short() -> list[Any]:
    """A task that no node has the cores for, nor the memory."""
    return [
        node("n", cpu=4, memory="8Gi"),
        queue("default"),
        gang("job", 1, requests={"cpu": 6, "memory": "12Gi"}),
    ]


def test_two_changes_where_one_is_not_enough() -> None:
    """A task that asks for too much of two resources needs less of both; neither is proposed alone.

    A node that is large enough is another way, and the last.
    """
    found = find_remedies(manifests(both_short()), SimulateOptions(), "ns/job")
    [remedy, last] = found.fixes
    assert last.is_of_a_new_kind
    assert remedy.parameter == "requests cpu and requests memory"
    assert (remedy.from_value, remedy.to) == ("6 and 12Gi", "4 and 8Gi")
    assert remedy.outlook is not None
    assert remedy.outlook.starts_in_session == 1
    trials = begun(manifests(both_short()))
    for number in range(len(remedy.edits)):
        left = [each for at, each in enumerate(remedy.edits) if at != number]
        alone = trials.run(parse_edits(left, trials.manifests)[0])
        assert alone.reaches(trials.run([])) is Goal.NOTHING


def test_capability_and_deserved() -> None:
    """A queue that may not have enough, and deserves too little of it, is given more of both."""
    spec: dict[str, Any] = {"capability": {"cpu": 4}, "deserved": {"cpu": 4}}
    objects: list[Any] = [
        node("n", cpu=16, memory="64Gi"),
        queue("q", **spec),
        queue("other", deserved={"cpu": 12}),
        gang("job", 2, cpu=4, queue="q", phase="Pending", minResources={"cpu": 8}),
    ]
    found = find_remedies(manifests(objects, CAPACITY), SimulateOptions(), "ns/job")
    assert all(each.outlook and each.outlook.starts_in_session for each in found.fixes)
    assert found.fixes


def test_two_changes_where_one_is_new_hardware_or_a_wait() -> None:
    """Where a job starts alone only on another node, or once others end, two changes of what is there are tried.

    No change that does it alone is a part of them, and they come after it where they take pods of others.
    """
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    runs = [group("low", 1, "Running"), pod("low-0", "low", 3, node="n")]
    waits = gang("job", 1, cpu=3, created=1, priorityClassName="high", phase="Pending", minResources={"cpu": 3})
    conf = CONF.replace("allocate,", "allocate, preempt,").replace("  - name: drf\n", "")
    read = manifests([node("n", cpu=4), high, *runs, *waits], conf)
    found = find_remedies(read, SimulateOptions(), "ns/job")
    assert {each.parameter for each in found.fixes if not each.changes} == {"nodes", "end"}
    both = found.fixes[2:]
    assert [[change.parameter for change in each.changes or ()] for each in both] == [
        ["overcommit-factor", "enablePreemptable and enableReclaimable"],
        ["actions", "enablePreemptable and enableReclaimable"],
    ]
    trials = begun(read)
    for change in (change for each in both for change in each.changes or ()):
        alone = trials.run(parse_edits(change.edits, trials.manifests)[0])
        assert alone.reaches(trials.run([])) is Goal.NOTHING


def test_all_that_is_tried_has_two_changes_together() -> None:
    """Where everything is asked for, two changes are tried also where one of a queue starts the job."""
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    runs = [group("low", 1, "Running", queue="q", minResources={"cpu": 3}), pod("low-0", "low", 3, node="n")]
    waits = gang("job", 1, cpu=3, created=1, priorityClassName="high", queue="q", phase="Pending")
    waits[0]["spec"]["minResources"] = {"cpu": 3}
    conf = CAPACITY.replace("allocate,", "allocate, preempt,").replace("  - name: drf\n", "")
    read = manifests([node("n", cpu=8), queue("q", capability={"cpu": 4}), high, *runs, *waits], conf)
    assert not [each for each in remedies_of(begun(read), math.inf).fixes if each.changes]
    [both] = [each for each in remedies_of(begun(read), math.inf, everything=True).fixes if each.changes]
    assert both.parameter == "actions of conf, with a change of enablePreemptable and enableReclaimable"


# --- no single change -------------------------------------------------------------------------------------------------


def steps(parameter: Parameter) -> Sequence[int]:
    """All steps of a parameter where they are few, else as many, evenly apart."""
    every = range(1, parameter.most + 1)
    return [*every[:: max(len(every) // 12, 1)], parameter.most]


def prove_that_nothing_helps(read: Manifests, job: str) -> bool:
    """Try every step of every parameter where the search says that none helps; false where it says something else."""
    found = find_remedies(read, SimulateOptions(), job)
    starting = [each for each in found.fixes if each.starts and " and " not in str(each.to)]
    if found.ended or found.not_tried or starting or not found.ineffective:
        return False
    trials = begun(read, job)
    base, session = trials.run([]), trials.told.session
    if base.starts:
        return False
    for parameter in parameters(Case(session, session.jobs[job], read, trials.told.manifests)):
        for step in steps(parameter):
            trial = trials.run(parameter.edits(step))
            reached = Goal.NOTHING if trial.denied else trial.reaches(base)
            assert reached < goal_for(base), f"{parameter.name}: {parameter.value(step)}"
            assert reached is Goal.NOTHING or found.fixes, f"{parameter.name}: {parameter.value(step)}"
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_no_single_change_helps_where_that_is_said(path: Path) -> None:
    """In recorded clusters, no value of any parameter starts a job of which it is said that no single change does."""
    read = read_scenario(path)
    session = run_session(read, SimulateOptions()).session
    waiting = [uid for uid, job in session.jobs.items() if any(map(job.having, WAITING_STATUSES))]
    for job in sorted(waiting)[:1]:
        prove_that_nothing_helps(read, job)


NO_CHANGE = {
    "capacity-0100": "job-04",
    "capacity-0106": "job-06",
    "capacity-0108": "job-04",
    "controller-0100": "job-03",
    "controller-0106": "job-05 job-07",
    "enqueue-0101": "job-01",
    "enqueue-0102": "job-01 job-05",
    "enqueue-0104": "job-08",
    "enqueue-0107": "job-02 job-07",
    "hierarchy-0103": "job-03",
    "hierarchy-0111": "job-04 job-05",
    "nodegroup-0108": "job-05",
    "reclaim-hierarchy-0100": "job-03 job-04",
    "reclaim-hierarchy-0101": "job-05",
    "reclaim-hierarchy-0103": "job-03 job-04",
    "reclaim-hierarchy-0107": "job-04 job-05",
    "reclaim-hierarchy-0110": "job-01 job-02",
    "reclaim-hierarchy-0111": "job-04 job-05",
}
"""Jobs of recorded clusters of which it is said that no single change starts them, or only one that webhooks deny."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", NO_CHANGE)
def test_what_is_said_of_no_single_change_holds(name: str) -> None:
    """No step of any parameter starts a job, where the search says that none of its changes does."""
    read = read_scenario(unpacked("random") / f"{name}.yaml")
    for job in NO_CHANGE[name].split():
        assert prove_that_nothing_helps(read, f"team/{job}")


def test_no_single_change_helps() -> None:
    """Every step of every parameter is tried in vain where the search finds nothing, or two changes together."""
    assert not prove_that_nothing_helps(manifests(both_short()), "ns/job")
    short = gang("job", 1, requests={"cpu": 600, "memory": "12Gi"})
    both = manifests([node("n", cpu=400, memory="8Gi"), queue("default"), short])
    assert len(pairs(find_remedies(both, SimulateOptions(), "ns/job"))) == 1
    assert prove_that_nothing_helps(both, "ns/job")
    taint = {"key": "example.com/for-others", "effect": "NoSchedule"}
    least = node("n", cpu=4, taints=[taint])
    read = manifests([least, queue("default"), gang("job", 1, requests={"cpu": 6, "example.com/x": 1})])
    assert prove_that_nothing_helps(read, "ns/job")
