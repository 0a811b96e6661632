"""The searches for victims: how far each came, the votes of the plugins, and what stopped it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.build import CONF, gang, group, manifests, node, pod
from tests.conformance.reading import read_scenario, unpacked
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.jobs.report import explain_job
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.reader import read_manifests

ROOT = Path(__file__).parents[3]
CONTESTED = [
    path
    for family in ("preempt", "reclaim", "cooldown")
    for path in sorted(unpacked("random").glob(f"{family}-*0[0-5].yaml"))
]


def explained(scenario: str, job: str, **options: Any) -> JobReport:
    """Explain a job of a scenario."""
    read = read_manifests([str(ROOT / "scenarios" / f"{scenario}.yaml")])
    return explain_job(read, SimulateOptions(), job, **options)


def test_votes_on_every_candidate() -> None:
    """Those that are spared are told with who spared them and why, as those that go are."""
    [first, second] = explained("reclaim-from-overused", "frontend").searches
    assert (first.nodes, first.candidates, first.voted_nodes, first.result) == (2, 8, 1, "commit")
    assert (first.victims, second.victims) == (["default/nightly-worker-1"], ["default/nightly-worker-0"])
    [poll] = [poll for poll in first.node_votes if poll.node == first.node]
    fates = [(each.task[-1], each.evictable, each.evicted) for each in poll.candidates]
    assert fates == [("0", True, False), ("1", True, True), ("2", False, False), ("3", False, False)]
    spared = poll.candidates[2].votes[-1]
    assert (spared.plugin, spared.tier, spared.evictable) == ("proportion", 1, False)
    assert (
        spared.reason
        == "its queue batch holds 6 cpu, no more than the 6 that it deserves, once those before it are gone"
    )


@pytest.mark.parametrize(
    ("scenario", "job", "plugin", "why"),
    [
        (
            "preempt-spared-by-gang",
            "urgent",
            "gang",
            "evicting it would leave 3 tasks of default/train; its gang needs 4",
        ),
        (
            "preempt-same-priority-nobody",
            "second",
            "priority",
            "its job has priority 100, and only a priority below 100 may be evicted",
        ),
        (
            "reclaim-no-victim",
            "frontend",
            "proportion",
            "its queue batch holds 4 cpu, no more than the 4 that it deserves",
        ),
        (
            "reclaim-guarantee-protected",
            "service",
            "capacity",
            "queue research would fall below its guarantee of 5 cpu; it holds 6",
        ),
    ],
)
def test_who_spared_the_last(scenario: str, job: str, plugin: str, why: str) -> None:
    """Where nobody was left, the plugin whose vote did that is named, and what it said."""
    search = explained(scenario, job).searches[0]
    assert search.spared_by == {plugin: search.voted_nodes}
    assert (search.victims, search.result, search.node) == ([], "", "")
    votes = [vote for poll in search.node_votes for each in poll.candidates for vote in each.votes]
    assert why in {vote.reason for vote in votes if vote.plugin == plugin}
    assert not any(each.evictable for poll in search.node_votes for each in poll.candidates)


def test_who_has_to_change_for_a_task_to_go() -> None:
    """Where every tier spares all, it is the plugin that spares what the others of its tier allow, not the last one."""
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    runs = [group("low", 1, "Running"), pod("low-0", "low", 3, node="n")]
    objects = [node("n", cpu=4), high, *runs, *gang("job", 1, cpu=3, created=1, priorityClassName="high")]
    read = manifests(objects, CONF.replace("allocate,", "allocate, preempt,"))
    report = explain_job(read, SimulateOptions(), "ns/job")
    search = report.searches[0]
    assert search.spared_by == {"gang": 1}
    assert [each.spared_by for each in search.node_votes] == ["gang"]
    votes = [vote for each in search.node_votes[0].candidates for vote in each.votes if not vote.evictable]
    assert [vote.plugin for vote in votes] == ["gang", "drf"]
    assert "gang spares the one candidate on the one node, such as ns/low-0: evicting it would leave" in report.answer


def test_one_that_may_go_and_is_not_enough() -> None:
    """A budget lets one go, and it stays, as room for two is needed."""
    search = explained("disruption-budget-protects", "urgent").searches[0]
    [poll] = search.node_votes
    assert [each.evictable for each in poll.candidates].count(True) == 1
    assert not any(each.evicted for each in poll.candidates)
    assert {vote.reason for each in poll.candidates for vote in each.votes if vote.plugin == "pdb"} == {
        "",
        "disruption budget web allows 1 of its pods to be evicted now, and those before it use that up",
    }


def test_cooldown() -> None:
    """Who was given its node a moment ago is spared, with the time until when."""
    [search] = explained("cooldown-protects", "urgent").searches
    [poll] = search.node_votes
    [fresh] = [each for each in poll.candidates if each.task == "default/fresh-0"]
    assert "it is protected until 2026-03-02T12:09:00Z, by its cooldown time" in {vote.reason for vote in fresh.votes}
    assert search.victims == ["default/old-worker-1"]


def test_the_tier_that_decided() -> None:
    """Where the first tier agrees on nobody, the next is asked, and both votes are told."""
    [search] = explained("ping-pong", "poor").searches
    [poll] = [poll for poll in search.node_votes if poll.node == search.node]
    assert poll.tier == 2
    [victim] = [each for each in poll.candidates if each.evicted]
    assert [(vote.plugin, vote.tier, vote.evictable) for vote in victim.votes] == [
        ("conformance", 1, True),
        ("priority", 1, False),
        ("drf", 2, True),
    ]


def test_losses() -> None:
    """A job is told which of its tasks go, for whom, and who let them."""
    report = explained("preempt-higher-priority", "sweep")
    assert Counter(loss.evictor for loss in report.evictions) == {
        "default/urgent-worker-0": 2,
        "default/urgent-worker-1": 2,
    }
    assert {(loss.action, loss.evictor_queue, loss.tier) for loss in report.evictions} == {("preempt", "team-a", 1)}
    assert all(vote.evictable for loss in report.evictions for vote in loss.votes)


@pytest.mark.parametrize(
    ("scenario", "job", "why"),
    [
        (
            "preempt-higher-priority",
            "sweep",
            (
                "tasks are evicted for starving jobs only, and "
                "this job was not starving at that time: it had its minimum, and 12 of 12 tasks had a node"
            ),
        ),
        (
            "preempt-higher-priority",
            "service",
            (
                "tasks are evicted for starving jobs only, and "
                "this job was not starving: it had its minimum, and 4 of 4 tasks had a node"
            ),
        ),
    ],
)
def test_who_was_not_asked_for(scenario: str, job: str, why: str) -> None:
    """An action that did not look for anybody says why."""
    [appeal] = explained(scenario, job).eviction_actions
    assert (appeal.action, appeal.searched, appeal.reason) == ("preempt", False, why)


def test_where_no_plugin_says_who_starves() -> None:
    """That is what is told, and not that the job has its minimum."""
    conf = CONF.replace("enqueue, allocate, backfill", "preempt, preempt").replace("gang", "conformance")
    conf = conf.replace("priority", "conformance")
    report = explain_job(manifests([node("n"), gang("job", 1)], conf), SimulateOptions(), "ns/job")
    [appeal] = report.eviction_actions
    assert appeal.reason == "no plugin says which jobs are starving, and only for those are tasks evicted"


def test_every_vote() -> None:
    """Without being asked, searches in vain that came to the same keep the votes of the first, on a few nodes."""
    usual = explained("preempt-same-priority-nobody", "second").searches
    every = explained("preempt-same-priority-nobody", "second", every_vote=True).searches
    assert [len(search.node_votes) for search in every if search.victims_from == "queue"] == [2, 2]
    assert [len(search.node_votes) for search in usual if search.victims_from == "queue"] == [2, 0]


@pytest.mark.thorough
@pytest.mark.parametrize("path", CONTESTED, ids=lambda path: path.stem)
def test_recorded(path: Path) -> None:
    """On any cluster, who is evicted in the trace is who is told, and all of the deciding tier agreed on each."""
    read = read_scenario(path)
    result = simulate(read, SimulateOptions())
    gone = {
        step.task for each in result.trace if each.result == "commit" for step in each.operations if step.op == "evict"
    }
    victims: set[str] = set()
    losses: set[str] = set()
    for job in result.jobs:
        report = explain_job(read, SimulateOptions(), f"{job.namespace}/{job.name}")
        victims.update(task for search in report.searches if search.result == "commit" for task in search.victims)
        losses.update(loss.task for loss in report.evictions)
        for search in report.searches:
            for poll in search.node_votes:
                for each in poll.candidates:
                    assert each.evictable or not each.evicted
    assert victims == losses == gone
