"""Which tasks of a job are said to fare otherwise, also where their names come and go."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import CONF, group, node, pod
from tests.diff.mirror import comparable, mirrored, plain
from tests.diff.sides import diff, jobs
from tests.properties import examples
from vqs.diff.conditions import parse_conditions
from vqs.diff.outcome import Diff, JobDifference

Objects = list[Any]


def running(names: str, nodes: str = "n1", minimum: int = 1, cpu: int = 1) -> Objects:
    """Return a job with running pods on nodes, which are taken in turn."""
    on = nodes.split()
    pods = [pod(name, "job", cpu, node=on[number % len(on)]) for number, name in enumerate(names.split())]
    return [group("job", minimum, phase="Running"), *pods]


def pending(names: str, minimum: int = 1, cpu: int = 1, **more: Any) -> Objects:
    """Return a job with pending pods."""
    return [group("job", minimum), *(pod(name, "job", cpu, **more) for name in names.split())]


def told(result: Diff) -> JobDifference:
    """Return the only job that differs."""
    [job] = jobs(result).values()
    return job


def holds(before: Objects, after: Objects, conditions: str, conf: str = CONF, other: str = "") -> list[str]:
    """Return the conditions that hold."""
    fail_on = parse_conditions(conditions)
    return [each.condition for each in diff(before, after, conf, other, fail_on=fail_on).failures]


def test_pods_that_go_with_their_node_lose_their_places() -> None:
    """That nobody makes them anew is not the wish of their job: it is worse off, and asks for the same."""
    before = [node("n1", cpu=8), node("n2", cpu=8), *running("a b c", minimum=3)]
    after = [node("n2", cpu=8), group("job", 3, phase="Running")]
    job = told(diff(before, after))
    assert (job.changes, job.effect) == (["unplaced"], "loses")
    assert [(task.name, task.change, task.after) for task in job.tasks] == [
        (name, "unplaced", None)
        for name in (
            "ns/a",
            "ns/b",
            "ns/c",
        )
    ]
    assert holds(before, after, "unplaced,losers") == ["unplaced", "losers"]
    assert told(diff(after, before)).changes == ["placed"]


def test_pods_that_are_made_anew_stand_for_those_that_went_with_their_node() -> None:
    """Only those that nobody makes anew, and those that wait now, have lost their places."""
    before = [node("n1", cpu=8), node("n2", cpu=3), *running("a b c", "n1")]
    job = told(diff(before, [node("n2", cpu=3), *pending("d e")]))
    assert [(task.name, task.change) for task in job.tasks] == [("ns/a", "unplaced")]
    assert told(diff(before, [node("n2", cpu=1), *pending("d e f")])).changes == ["unplaced"]


def test_pods_with_new_names_stand_for_the_old_ones() -> None:
    """Where as many have a place, nothing differs; where fewer do, the job is worse off."""
    nodes = [node("n1", cpu=4)]
    assert diff([*nodes, *running("web-1 web-2")], [*nodes, *running("web-3 web-4")]).jobs == []
    job = told(diff([*nodes, *running("web-1 web-2", cpu=2)], [*nodes, *pending("web-3 web-4", cpu=4)]))
    assert (job.changes, job.effect, len(job.tasks)) == (["unplaced"], "loses", 1)
    [task] = job.tasks
    assert task.before is not None
    assert task.after is not None
    assert (task.name, task.before.name, task.after.name) == ("ns/web-1", "ns/web-1", "ns/web-4")


def test_a_larger_job_that_keeps_its_places_loses_nothing() -> None:
    """That new pods come before the old ones by name takes nobody's place."""
    nodes = [node("n1", cpu=2)]
    job = told(diff([*nodes, *pending("web-8 web-9")], [*nodes, *pending("web-1 web-2 web-8 web-9")]))
    assert (job.changes, job.effect) == (["request"], "neither")
    assert [task.change for task in job.tasks] == ["added", "added"]


def test_a_smaller_job_gives_up_what_it_does_not_need() -> None:
    """Of a job that asks for less, the pods that wait go first, and it is worse off where others lose places then."""
    job = told(diff([node("n1", cpu=2), *pending("a b c d")], [node("n1", cpu=2), *pending("a b")]))
    assert (job.changes, job.effect) == (["request"], "neither")
    job = told(diff([node("n1", cpu=2), *pending("a b c d")], [node("n1", cpu=1), *pending("a b")]))
    assert (job.changes, job.effect) == (["unplaced", "request"], "loses")


@pytest.mark.parametrize("more", [{"cpu": 4}, {"spec": {"nodeSelector": {"zone": "z"}}}])
def test_tasks_that_ask_for_something_else_are_not_alike(more: dict[str, Any]) -> None:
    """That a job has as many places as before is no comfort to the task that lost its own."""
    labels = {"zone": "z"}
    first, second = pod("a", "job", 4), pod("b", "job", more.get("cpu", 4), spec=more.get("spec", {}))
    first["spec"]["priority"], second["spec"]["priority"] = 1, 100
    first["spec"]["containers"][0]["resources"]["requests"]["cpu"] = 1 if "cpu" in more else 4
    objects = [node("n1", cpu=4, labels=labels), group("job", 1), first, second]
    other = CONF.replace("  - name: priority\n", "")
    assert other != CONF
    found = told(diff(objects, objects, CONF, other))
    assert (found.changes, found.effect) == (["unplaced", "placed"], "both")
    assert holds(objects, objects, "unplaced,losers", CONF, other) == ["unplaced", "losers"]


def test_a_pod_that_has_failed_has_lost_its_place() -> None:
    """One that succeeded has not."""
    before = [node("n1", cpu=2), *running("a b")]
    for phase, changes in (("Failed", ["unplaced"]), ("Succeeded", ["phase"])):
        after = [node("n1", cpu=2), *running("a b")]
        after[-1]["status"]["phase"] = phase
        assert told(diff(before, after)).changes == changes


def test_the_plugin_that_holds_a_job_back_is_no_difference() -> None:
    """What holds it back, and where, is; which of two plugins found that is not."""
    objects = [node("n1", cpu=2), *pending("a")]
    closed = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "default"}}
    closed |= {"spec": {"weight": 1}, "status": {"state": "Closed"}}
    assert diff([*objects, closed], [*objects, closed], CONF, CONF.replace("proportion", "capacity")).jobs == []


def test_a_place_that_is_lost_along_a_chain_is_lost() -> None:
    """Of pods that take each other's places in turn, the last one has none: that is no change of places."""
    one = [group("job", 1, phase="Running"), pod("a", "job", node="n1"), pod("b", "job", node="n2"), pod("c", "job", 9)]
    other = [group("job", 1, phase="Running"), pod("a", "job", node="n2"), pod("b", "job"), pod("c", "job", 9)]
    nodes = [node("n1", cpu=1, unschedulable=True), node("n2", cpu=1)]
    other[2]["spec"]["containers"][0]["resources"]["requests"]["cpu"] = 1
    assert "unplaced" in told(diff([*nodes, *one], [*nodes, *other])).changes


def test_a_new_pod_that_would_have_got_a_node_that_is_gone_is_not_lost() -> None:
    """Only who held a node in the snapshot goes with it."""
    before = [node("n1", cpu=2), node("n2", cpu=1), *pending("a b c")]
    job = told(diff(before, [node("n1", cpu=2), *pending("a b")]))
    assert (job.changes, job.effect) == (["request"], "neither")


def test_moves_count_beside_names_that_come_and_go() -> None:
    """A task that is there in both sessions has moved, whatever becomes of the others."""
    sides = [node("n1", cpu=4), *running("a b")], [node("n1", cpu=4, unschedulable=True), node("n2", cpu=4)]
    after = [*sides[1], *running("a", "n2"), pod("c", "job", node="n2")]
    assert told(diff(sides[0], after, placements=True)).changes == ["moved"]


def test_evictions_of_pods_that_stand_for_each_other_are_the_same() -> None:
    """A job whose pods were created again loses the same number of them to evictions."""
    low = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "low"}, "value": 1}
    high = {**low, "metadata": {"name": "high"}, "value": 100}
    conf = CONF.replace("  - name: proportion\n", "").replace("allocate, backfill", "allocate, preempt, backfill")

    def objects(names: str) -> Objects:
        first, *pods = running(names, cpu=2)
        first["spec"]["priorityClassName"] = "low"
        for each in pods:
            each["spec"] |= {"priorityClassName": "low", "priority": 1}
        urgent = pod("u", "urgent", 2)
        urgent["spec"] |= {"priorityClassName": "high", "priority": 100}
        return [node("n1", cpu=4), low, high, first, *pods, group("urgent", 1, priorityClassName="high"), urgent]

    result = diff(objects("a-1 a-2"), objects("a-3 a-4"), conf)
    assert (result.figures_after.evicted, result.evictions, result.jobs) == (1, [], [])


PODS = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from([1, 2]), st.sampled_from(["", "n1", "n2"])),
    unique_by=lambda each: each[0],
    max_size=6,
)


@settings(max_examples=examples(60), deadline=None)
@given(before=PODS, after=PODS, nodes=st.tuples(*[st.sampled_from(["n1", "n2", "n1 n2"])] * 2))
def test_swapping_the_sides_mirrors_names_that_come_and_go(
    before: list[tuple[str, int, str]], after: list[tuple[str, int, str]], nodes: tuple[str, str]
) -> None:
    """Whatever pods and nodes come and go, gains are losses the other way round."""
    sides = [
        [
            *(node(name, cpu=4) for name in on.split()),
            group("job", 1),
            *(
                pod(name, "job", cpu, **({"node": where} if where else {}))
                for name, cpu, where in pods
                if not where or where in on.split()
            ),
        ]
        for pods, on in ((before, nodes[0]), (after, nodes[1]))
    ]
    there, back = diff(sides[0], sides[1], lint=False), diff(sides[1], sides[0], lint=False)
    assert comparable(plain(back)) == mirrored(there)
