"""What fixes do to other jobs: who loses pods, also by the controllers, and who has too few then."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import gang, manifests, node
from tests.explain.jobs.searching import find_remedies
from tests.explain.test_cycles import BREAKING_GANGS, BY_PRIORITY, VOLCANO, crowded, volcano_job
from tests.report.writers import as_table
from vqs.explain.affected import lost_in_all
from vqs.explain.jobs.remedies import Remedy, remedies_of
from vqs.explain.jobs.report import explain_job
from vqs.explain.jobs.trials import Trials
from vqs.explain.outcome import JobLoss
from vqs.explain.simulate import SimulateOptions
from vqs.report.formats import View
from vqs.snapshot.reading.manifests import Manifests

NOBODY_EVICTS = BREAKING_GANGS.replace(" preempt,", "")


def restarting(*policies: dict[str, str], conf: str = NOBODY_EVICTS, **spec: Any) -> Manifests:
    """Make a cluster that is full of the pods of a Volcano Job with policies, two of which a job needs the room of."""
    return manifests([*crowded(VOLCANO), volcano_job(policies=list(policies), **spec)], conf)


def the(read: Manifests, parameter: str) -> Remedy:
    """Return the fix of a kind for ns/high."""
    found = find_remedies(read, SimulateOptions(), "ns/high")
    return next(each for each in found.fixes if each.parameter == parameter)


@pytest.mark.parametrize(
    ("action", "lost", "said"),
    [
        ("RestartJob", 4, "restarts all 4 pods of ns/low (policy PodEvicted: RestartJob)"),
        ("RestartTask", 4, "restarts 4 pods of ns/low (policy PodEvicted: RestartTask)"),
        ("AbortJob", 4, "ends all 4 pods of ns/low (policy PodEvicted: AbortJob)"),
        ("RestartPod", 2, ""),
    ],
)
def test_policies_count(action: str, lost: int, said: str) -> None:
    """A fix that evicts two pods costs what the policy of their job takes away then, in its data and in its row."""
    read = restarting({"event": "PodEvicted", "action": action})
    fix = the(read, "actions")
    [loss] = fix.losses
    assert (loss.job, loss.evicted, loss.pods_lost, loss.policy_action) == ("ns/low", 2, lost, action)
    assert fix.lost == max(lost, sum(each.pods_before - each.pods_after for each in fix.affected))
    report = explain_job(read, SimulateOptions(), "ns/high", sessions=80)
    [told] = [each for each in report.fixes if each.edits == fix.edits]
    assert told.losses == fix.losses
    text = " ".join(as_table(report, View()).split())
    assert report.fix_search is not None
    for each in report.fix_search.fixes:
        for one in each.losses:
            one.sessions = 2
    twice = " ".join(as_table(report, View()).split())
    assert (f"{lost} pods of ns/low in 2 sessions (policy" in twice) is bool(said)
    assert said in text
    assert ("(policy" in text) is bool(said)


def test_a_fix_that_restarts_more_comes_later() -> None:
    """Of two fixes that evict as many pods, that is first whose evictions cost the other job less in the end."""
    ranked = find_remedies(restarting({"event": "PodEvicted", "action": "RestartJob"}), SimulateOptions(), "ns/high")
    lost = [each.lost for each in ranked.fixes]
    assert lost == sorted(lost)
    assert max(lost) == 4


def test_what_is_lost_without_a_fix_is_none_of_its_costs() -> None:
    """A job of which as many pods are evicted without a fix has no losses by it."""
    tainted = node("m", cpu=1, taints=[{"key": "k", "effect": "NoSchedule"}])
    objects = [*crowded(VOLCANO), volcano_job(policies=[]), tainted, *gang("more", 1, created=2)]
    trials = Trials(manifests(objects, BREAKING_GANGS), SimulateOptions(), "ns/more", ahead=True)
    trials.open()
    assert trials.run([]).losses["ns/low"].pods_lost == 2
    [fix] = [each for each in remedies_of(trials, 60).fixes if each.parameter == "tolerations"]
    assert fix.losses == []


def test_losses_of_several_sessions_are_one() -> None:
    """What a job loses in two sessions is added up, and is not said to be all of its pods."""
    one = JobLoss(job="ns/a", evicted=1, pods_lost=1, restarted=1)
    more = JobLoss(
        job="ns/a", evicted=1, pods_lost=4, restarted=4, policy_action="RestartJob", policy_event="PodEvicted"
    )
    found = lost_in_all([one, more])["ns/a"]
    assert (found.evicted, found.pods_lost, found.restarted, found.sessions) == (2, 5, 5, 2)
    assert (found.policy_action, found.policy_event) == ("RestartJob", "PodEvicted")
    assert (one.pods_lost, more.sessions or 1) == (1, 1)


def test_the_minimum_is_the_one_with_the_fix() -> None:
    """A job whose minimum a fix lowers to as many pods as it keeps does not have fewer than its minimum then."""
    read = restarting(conf=BY_PRIORITY, minAvailable=4)
    read.pod_groups[0].spec.min_member = 4
    fix = the(read, "minAvailable")
    [other] = fix.affected
    assert (fix.to, other.pods_after, fix.below_minimum) == (2, 2, [])
