"""tdm opens and closes revocable nodes by the time of day."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.build import Object, group, manifests, node, placements, pod, queue
from tests.engine.crowds import evicted
from tests.engine.plugins.votes import outcome
from vqs.engine import scheduler
from vqs.engine.framework import points
from vqs.engine.framework.session import Session, SessionOptions
from vqs.engine.framework.votes import Vote
from vqs.engine.nodes.sampling import ProcessState
from vqs.engine.plugins.tdm import most_victims
from vqs.model.codes import EvictionCode
from vqs.model.job import Job
from vqs.snapshot.cluster.build import build_cluster

ZONE = "volcano.sh/revocable-zone"
PREEMPTABLE = "volcano.sh/preemptable"
MIN_AVAILABLE = "volcano.sh/jdb-min-available"
MAX_UNAVAILABLE = "volcano.sh/jdb-max-unavailable"


def conf(actions: str = "allocate", flags: str = "", others: str = "", **arguments: str) -> str:
    """Write a configuration of tdm, with the zone day from 10:00 to 21:00 unless others are given."""
    given = arguments or {"tdm.revocable-zone.day": "10:00-21:00"}
    lines = "".join(f"      {name}: {value!r}\n" for name, value in given.items())
    return f'actions: "{actions}"\ntiers:\n- plugins:\n{others}  - name: tdm\n{flags}    arguments:\n{lines}'


def at(clock: str, day: int = 1) -> datetime:
    """Return a time of a day."""
    return datetime.fromisoformat(f"2026-01-{day:02d}T{clock}:00Z")


def opened(objects: list[Any], configuration: str, clock: str = "12:00", **more: Any) -> Session:
    """Open a session at a time of day."""
    read = manifests([queue("default"), *objects], configuration)
    return scheduler.open_session(build_cluster(read), read.scheduler, SessionOptions(now=at(clock), **more))


def ran(objects: list[Any], configuration: str, clock: str = "12:00", **more: Any) -> Session:
    """Run a session at a time of day."""
    return scheduler.run_actions(opened(objects, configuration, clock, **more))


def revocable(name: str, zone: str = "day") -> Object:
    """Make a node of a revocable zone."""
    return node(name, cpu=20, memory="100Gi", labels={ZONE: zone})


def job(name: str, *pods: Object, **annotations: str) -> list[Object]:
    """Make a job with annotations."""
    made = group(name, 1)
    made["metadata"]["annotations"] = dict(annotations)
    return [made, *pods]


def running(of: str, on: str, number: int, start: int = 0, **more: Any) -> list[Object]:
    """Make running pods of a job."""
    return [pod(f"{of}-{i}", of, node=on, **more) for i in range(start, start + number)]


# --- nodes for a task -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotations", "clock", "placed"),
    [
        ({ZONE: "*"}, "12:00", True),
        ({ZONE: "*"}, "09:59", False),
        ({ZONE: "day"}, "12:00", False),
        ({PREEMPTABLE: "true"}, "12:00", True),
        ({PREEMPTABLE: "true", ZONE: ""}, "12:00", False),
        ({}, "12:00", False),
    ],
)
def test_a_revocable_node_takes_pods_that_allow_it_while_its_zone_is_open(
    annotations: dict[str, str], clock: str, placed: bool
) -> None:
    """The value * allows all zones, and no other value any; without it, preemptable pods may go there."""
    objects = [revocable("n1"), *job("j", pod("j-0", "j", annotations=annotations))]
    assert placements(ran(objects, conf(), clock))["j-0"][1] == ("n1" if placed else None)


@pytest.mark.parametrize(
    ("zone", "annotations", "clock", "text"),
    [
        ("day", {ZONE: "*"}, "09:00", "current time beyond revocable zone day:10:00-21:00"),
        ("day", {}, "09:00", "current time beyond revocable zone day:10:00-21:00"),
        ("day", {}, "12:00", "not allow to dispatch to revocable node"),
        ("night", {ZONE: "*"}, "12:00", "revocable zone night not support"),
        ("odd", {ZONE: "*"}, "12:00", 'parsing time "25:00": hour out of range'),
    ],
)
def test_a_node_says_why_it_takes_no_pod(zone: str, annotations: dict[str, str], clock: str, text: str) -> None:
    """A closed zone is the reason before what the pod allows."""
    configuration = conf(**{"tdm.revocable-zone.day": "10:00-21:00", "tdm.revocable-zone.odd": "25:00-26:00"})
    session = ran([revocable("n1", zone), *job("j", pod("j-0", "j", annotations=annotations))], configuration, clock)
    assert session.jobs["ns/j"].fit_errors["j-0"].message() == f"0/1 nodes are unavailable: 1 {text}."


def test_pods_that_allow_it_go_to_revocable_nodes_first() -> None:
    """They score 100 there, and others go where they have to."""
    objects = [node("a", cpu=20), revocable("b"), *job("j", pod("j-0", "j", annotations={ZONE: "*"}), pod("j-1", "j"))]
    placed = placements(ran(objects, conf()))
    assert (placed["j-0"][1], placed["j-1"][1]) == ("b", "a")


def test_a_closed_node_has_no_score_at_all_where_the_filter_is_off() -> None:
    """The reference drops what all plugins score a node by where one of them fails."""
    weigh = "  - name: binpack\n    arguments: {binpack.weight: 10}\n"
    objects = [revocable("b"), node("a", cpu=20), *job("k", *running("k", "b", 10)), *job("j", pod("j-0", "j"))]
    off = "    enablePredicate: false\n"
    assert placements(ran(objects, conf(flags=off, others=weigh), "12:00"))["j-0"][1] == "b"
    assert placements(ran(objects, conf(flags=off, others=weigh), "09:00"))["j-0"][1] == "a"


# --- jobs -------------------------------------------------------------------------------------------------------------


def test_jobs_that_are_not_preemptable_come_first() -> None:
    """A PodGroup is not, unless it says so."""
    objects = [node("n1", cpu=1), *job("a", pod("a-0", "a"), **{PREEMPTABLE: "true"}), *job("b", pod("b-0", "b"))]
    assert placements(ran(objects, conf()))["b-0"][1] == "n1"


@pytest.mark.parametrize(("annotations", "starving"), [({}, True), ({PREEMPTABLE: "1"}, False)])
def test_a_job_starves_for_each_pending_task_unless_it_is_preemptable(
    annotations: dict[str, str], starving: bool
) -> None:
    """Whether its minimum runs does not count."""
    session = opened([node("n1"), *job("j", *running("j", "n1", 1), pod("j-9", "j"), **annotations)], conf())
    assert session.plugins.job_starving(session.jobs["ns/j"]) is starving


# --- preempt ----------------------------------------------------------------------------------------------------------


def vote(preemptor: dict[str, Any], objects: list[Any], clock: str = "12:00") -> Any:
    """Let tdm vote on all running tasks, by name, for a pending one."""
    session = opened([*objects, *job("want", pod("want-0", "want", **preemptor))], conf(), clock)
    [[(_, voter)]] = session.plugins.by_plugin(points.PREEMPTABLE)
    tasks = sorted((t for each in session.jobs.values() for t in each.tasks.values()), key=lambda task: task.name)
    [want] = [task for task in tasks if task.name == "want-0"]
    return voter.vote(want, [task for task in tasks if task.node])


NOT_PREEMPTABLE = {"annotations": {PREEMPTABLE: "false"}}


@pytest.mark.parametrize(
    "preemptor", [{}, {"annotations": {PREEMPTABLE: "true"}}, {"annotations": {PREEMPTABLE: "false", ZONE: "*"}}]
)
def test_a_task_that_may_be_evicted_itself_evicts_no_others(preemptor: dict[str, Any]) -> None:
    """Nor does one that may use revocable nodes; a pod is preemptable unless it says that it is not."""
    votes = vote(preemptor, [node("n1", cpu=20), *job("j", *running("j", "n1", 1))])
    assert votes.vote is Vote.REJECT
    assert outcome(votes) == ([], [EvictionCode.PREEMPTOR_IS_PREEMPTABLE])


def test_of_each_job_one_task_goes_at_a_time() -> None:
    """Only tasks that run, on nodes that are not revocable."""
    bound = pod("k-1", "k", node="n1", phase="Pending")
    objects = [
        node("n1", cpu=20),
        revocable("r1"),
        *job("j", *running("j", "n1", 3)),
        *job("k", *running("k", "n1", 1), bound, *running("k", "r1", 1, start=2)),
    ]
    names, codes = outcome(vote(NOT_PREEMPTABLE, objects))
    assert names == ["j-0", "k-0"]
    assert codes == [
        *[EvictionCode.EVICTIONS_OF_JOB] * 2,
        EvictionCode.NOT_RUNNING,
        EvictionCode.ON_REVOCABLE_NODE,
    ]


# --- how many go ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotations", "number"),
    [
        ({}, 1),
        ({MIN_AVAILABLE: "4"}, 2),
        ({MIN_AVAILABLE: "30%"}, 3),
        ({MIN_AVAILABLE: "8"}, 1),
        ({MIN_AVAILABLE: "some"}, 6),
        ({MIN_AVAILABLE: ""}, 1),
        ({MIN_AVAILABLE: "4", MAX_UNAVAILABLE: "10"}, 2),
        ({MAX_UNAVAILABLE: "3"}, 1),
        ({MAX_UNAVAILABLE: "2"}, 0),
        ({MAX_UNAVAILABLE: "55%"}, 3),
        ({MAX_UNAVAILABLE: "some"}, 0),
        ({MAX_UNAVAILABLE: ""}, 1),
    ],
)
def test_the_limits_of_a_job_say_how_many_tasks_go_at_a_time(annotations: dict[str, str], number: int) -> None:
    """Six of nine run, two are missing, one has ended; a limit that is already broken lets one go."""
    pods = [*running("j", "n1", 6), pod("j-6", "j"), pod("j-7", "j"), pod("j-8", "j", node="n1", phase="Succeeded")]
    session = opened([node("n1", cpu=20), *job("j", *pods, **annotations)], conf())
    found: Job = session.jobs["ns/j"]
    assert most_victims(found) == number


# --- shuffle ----------------------------------------------------------------------------------------------------------


def closing(**annotations: str) -> list[Any]:
    """Make a job that runs on two revocable nodes and on another one."""
    pods = [*running("j", "r1", 2), *running("j", "r2", 2, start=2), *running("j", "n1", 2, start=4)]
    return [revocable("r1"), revocable("r2"), node("n1", cpu=20), *job("j", *pods, **annotations)]


def test_tasks_leave_revocable_nodes_once_their_zone_is_closed() -> None:
    """As many of each job as may go at a time, of all nodes of the zone together."""
    assert evicted(ran(closing(), conf("shuffle"), "12:00")) == []
    assert evicted(ran(closing(), conf("shuffle"), "22:00")) == ["j-0"]
    assert evicted(ran(closing(**{MIN_AVAILABLE: "3"}), conf("shuffle"), "22:00")) == ["j-0", "j-1", "j-2"]


def test_a_limit_counts_for_each_zone_apart() -> None:
    """The reference asks for it anew in each."""
    objects = [revocable("r1", "a"), revocable("r2", "b"), *job("j", *running("j", "r1", 2), *running("j", "r2", 2, 2))]
    zones = {"tdm.revocable-zone.a": "10:00-11:00", "tdm.revocable-zone.b": "10:00-12:00"}
    assert evicted(ran(objects, conf("shuffle", **zones), "22:00")) == ["j-0", "j-2"]


def test_tasks_that_are_not_preemptable_stay() -> None:
    """So do those on nodes of zones that the arguments do not name."""
    objects = [
        revocable("r1"),
        revocable("r2", "other"),
        *job("j", *running("j", "r1", 1, annotations={PREEMPTABLE: "false"})),
    ]
    assert evicted(ran([*objects, *job("k", *running("k", "r2", 1))], conf("shuffle"), "22:00")) == []


@pytest.mark.parametrize(("period", "later"), [("1m", 0), ("59s", 1), ("1h", 0), ("0s", 1), ("soon", 0)])
def test_it_looks_for_tasks_once_in_each_period(period: str, later: int) -> None:
    """It begins with the first session, and the one 59 seconds later waits for the minute to be over."""
    arguments = {"tdm.revocable-zone.day": "10:00-21:00", "tdm.evict.period": period}
    process = ProcessState()
    assert evicted(ran(closing(), conf("shuffle", **arguments), "22:00", process=process)) == ["j-0"]
    process.looked_for_victims = datetime.fromisoformat("2026-01-01T21:59:01Z")
    assert len(evicted(ran(closing(), conf("shuffle", **arguments), "22:00", process=process))) == later


def test_shuffle_finds_nobody_the_second_time_in_a_session() -> None:
    """The period has not passed by then."""
    assert evicted(ran(closing(), conf("shuffle, shuffle"), "22:00")) == ["j-0"]


def test_a_seed_draws_who_goes() -> None:
    """The reference walks nodes and tasks as maps."""
    gone = {tuple(evicted(ran(closing(), conf("shuffle"), "22:00", seed=seed))) for seed in range(20)}
    assert len(gone) > 2
