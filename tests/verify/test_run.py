"""vqs is held against a cluster: what agrees, and what luck or a change explains."""

from __future__ import annotations

import pytest

from tests.build import gang, group, node, pod, queue
from tests.verify.pairs import PREEMPT, Later, cluster, crowded, flat, lucky, obedient, verified
from vqs.verify.outcome import Difference, Verification


def explained(result: Verification) -> list[tuple[str, str, str]]:
    """Return what differs, of which job, and what explains it."""
    return [(each.aspect, each.pod_group, each.explanation.kind) for each in result.differences]


def victims(later: Later) -> list[str]:
    """Return the pods that are told to go."""
    return [each["metadata"]["name"] for each in later.objects if "deletionTimestamp" in each["metadata"]]


def job_of(pod_name: str) -> str:
    """Return the job of a pod."""
    return pod_name.partition("-")[0]


def only(result: Verification) -> Difference:
    """Return the one difference."""
    (difference,) = result.differences
    return difference


def test_a_cluster_that_does_what_vqs_says() -> None:
    """All of it agrees, and no more than one session is run."""
    result = verified(cluster(), obedient(cluster()))
    tallies = result.tallies
    assert (result.agreement, result.differences, result.sessions, result.seeds) == (100.0, [], 1, 0)
    counted = tallies.bound, tallies.phases, tallies.conditions, tallies.messages, tallies.nodes
    assert [tally.total for tally in counted] == [4, 2, 1, tallies.messages.matching, 4]
    assert result.elapsed == 8.0


def test_evictions_that_agree() -> None:
    """Pods that are told to go are counted by PodGroup."""
    result = verified(crowded(), obedient(crowded(), PREEMPT), PREEMPT)
    assert (result.agreement, result.tallies.evicted.matching, result.tallies.evicted.total) == (100.0, 2, 2)


def test_nothing_happened() -> None:
    """Where no session ran in between, what vqs says is not there."""
    result = verified(cluster(), cluster())
    assert explained(result) == [("bound", "ns/fits", "nothing")]
    assert (only(result).observed, only(result).predicted, result.unexplained) == (0, 4, 1)
    assert result.agreement == 33.3


def test_agreement_is_rounded_down() -> None:
    """Of many decisions one differs, and that is not 100 per cent."""
    before = flat([node("n", cpu=2000, memory="4000Gi", pods=2000), queue("default"), gang("many", 1500, 1)])
    after = obedient(before)
    after.find("Pod", "many-worker-7")["spec"].pop("nodeName")
    assert verified(before, after, seeds=0).agreement == 99.9


def test_a_message_that_differs() -> None:
    """It is told with the pod, and who controls the job."""
    before = Later(cluster())
    before.find("PodGroup", "large")["metadata"]["ownerReferences"] = [
        {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "train", "controller": True}
    ]
    difference = only(verified(before.objects, obedient(before.objects).refuse("out of luck", "large-worker-0")))
    assert (difference.aspect, difference.pod, difference.job) == ("message", "ns/large-worker-0", "Job train")
    assert difference.observed == "out of luck"
    assert difference.explanation.kind == "nothing"


def test_which_node_a_message_names_is_not_compared() -> None:
    """Which node it is may be luck."""
    before = crowded()
    after = obedient(before, PREEMPT)
    after.refuse("Pod ns/high-worker-0 can possibly be assigned to n, once resource is released", "high-worker-0")
    named = verified(before, after, PREEMPT)
    after.refuse("Pod ns/high-worker-0 can possibly be assigned to m, once resource is released", "high-worker-0")
    assert [each.pod for each in named.differences] == [
        each.pod for each in verified(before, after, PREEMPT).differences
    ]


def test_a_phase_and_a_condition_that_differ() -> None:
    """What the cluster has and what vqs says are told."""
    result = verified(cluster(), obedient(cluster()).group("large", "Pending", "no room"))
    assert explained(result) == [("phase", "ns/large", "nothing"), ("condition", "ns/large", "nothing")]
    assert [each.observed for each in result.differences] == ["Pending", "no room"]


def test_nodes_are_compared_without_ties() -> None:
    """Where no nodes are tied, a pod on another node is a difference."""
    after = obedient(cluster()).bind("fits-worker-2", node="n9")
    difference = only(verified(cluster(), after))
    assert (difference.aspect, difference.pod, difference.observed) == ("node", "ns/fits-worker-2", "n9")


def test_nodes_are_not_compared_where_some_are_tied() -> None:
    """Where the scheduler picks at random, it is told how many are on the predicted node."""
    before = flat([node("a"), node("b"), queue("default"), gang("one", 1)])
    result = verified(before, obedient(before).bind("one-worker-0", node="b"))
    assert (result.differences, result.tallies.nodes.total) == ([], 0)
    (unsaid,) = result.not_compared
    assert unsaid.reason == "ties"
    assert "(1 time here); 0 of 1 pods are on the predicted node" in unsaid.text


# --- luck -------------------------------------------------------------------------------------------------------------


def test_what_another_way_to_break_ties_does_is_luck() -> None:
    """A difference that is not there under some seed is explained by tie-breaking."""
    seeds = [
        seed
        for seed in range(1, 6)
        if "nodeName" in obedient(lucky(), seed=seed).find("Pod", "second-worker-0")["spec"]
    ]
    assert seeds
    result = verified(lucky(), obedient(lucky(), seed=seeds[0]))
    assert {each.explanation.kind for each in result.differences} == {"luck"}
    bound = [each for each in result.differences if each.aspect == "bound"]
    assert [(each.pod_group, each.observed, each.predicted) for each in bound] == [
        ("ns/second", 1, 0),
        ("ns/third", 0, 1),
    ]
    assert {each.explanation.seeds for each in bound} == {len(seeds)}
    assert (result.unexplained, result.seeds) == (0, 5)


def test_luck_without_seeds() -> None:
    """Without other runs, ties explain who is bound where as many are."""
    after = obedient(lucky(), seed=2)
    result = verified(lucky(), after, seeds=0)
    assert {each.explanation.kind for each in result.differences if each.aspect == "bound"} <= {"luck"}
    assert result.seeds == 0


def test_victims_that_no_seed_names_are_no_luck() -> None:
    """Where vqs evicts the same under all seeds, other victims are not explained by as many being gone."""
    after = obedient(crowded(), PREEMPT)
    chosen = victims(after)
    spared = {"low-worker-0", "low-worker-1", "lower-worker-0", "lower-worker-1"} - set(chosen)
    for name in chosen:
        del after.find("Pod", name)["metadata"]["deletionTimestamp"]
    after.evict(chosen[0], next(name for name in sorted(spared) if job_of(name) == job_of(chosen[0])))
    result = verified(crowded(), after, PREEMPT)
    assert {(each.aspect, each.explanation.kind) for each in result.differences} == {("evicted", "nothing")}


def test_more_evictions_are_not_luck_where_nothing_is_tied() -> None:
    """One more is told, and that a deletion looks the same."""
    after = obedient(crowded(), PREEMPT)
    for name in ("low-worker-0", "low-worker-1", "lower-worker-0", "lower-worker-1"):
        after.evict(name)
    result = verified(crowded(), after, PREEMPT)
    assert {(each.aspect, each.explanation.kind) for each in result.differences} == {("evicted", "nothing")}
    assert "deleted by hand" in result.differences[0].explanation.text


# --- sessions ---------------------------------------------------------------------------------------------------------


def test_two_sessions_where_one_is_not_enough() -> None:
    """One more is run as long as that agrees better: the second binds what the first made room for."""
    after = obedient(crowded(), PREEMPT)
    for name in victims(after):
        after.remove("Pod", name)
    after.bind("high-worker-0", "high-worker-1", node="n")
    result = verified(crowded(), after, PREEMPT)
    assert [each.sessions for each in result.tried] in ([1, 2], [1, 2, 3])
    assert (result.sessions, result.tallies.bound.matching, result.tallies.bound.total) == (2, 2, 2)


def test_the_number_of_sessions_can_be_given() -> None:
    """Then no other is tried."""
    result = verified(cluster(), cluster(), sessions=2, seeds=0)
    assert (result.sessions, result.tried) == (2, [])


def test_pods_that_are_made_again_are_those_that_vqs_evicts() -> None:
    """An evicted pod is gone when the dump is taken, and its controller has made another."""
    before = crowded()
    after = obedient(before, PREEMPT)
    gone = victims(after)
    for name in gone:
        del after.find("Pod", name)["metadata"]["deletionTimestamp"]
        after.replace(name)
    result = verified(before, after, PREEMPT)
    assert (result.agreement, result.tallies.evicted.matching) == (100.0, 2)
    assert [(each.reason, each.names) for each in result.not_compared] == [
        ("made-since", sorted(f"ns/{name}" for name in gone))
    ]


# --- changes ----------------------------------------------------------------------------------------------------------


def test_a_job_that_was_deleted() -> None:
    """Its pods are gone, and nothing is compared of it; its difference is explained."""
    after = Later(cluster()).remove("PodGroup", "fits")
    for number in range(4):
        after.remove("Pod", f"fits-worker-{number}")
    after.group("large", "Inqueue")
    result = verified(cluster(), after)
    assert ("bound", "ns/fits", "change") in explained(result)
    assert {each.object: each.text for each in result.changes} == {"job ns/fits": "it was deleted"}
    assert {each.reason for each in result.not_compared} == {"gone", "gone-pod-groups"}


def test_a_node_that_came_in_between() -> None:
    """What was bound to it is explained by it."""
    after = obedient(cluster())
    after.objects.append(node("n2", cpu=8))
    after.bind("large-worker-0", "large-worker-1", "large-worker-2", node="n2")
    result = verified(cluster(), after)
    assert ("bound", "ns/large", "change") in explained(result)
    assert [each.text for each in result.changes if each.object == "node n2"] == ["is new"]
    assert result.unexplained == 0


@pytest.mark.parametrize(
    ("kind", "name", "path", "value", "changed"),
    [
        ("Queue", "default", "weight", 7, "queue default"),
        ("PodGroup", "fits", "minMember", 3, "job ns/fits"),
        ("Node", "n0", "unschedulable", True, "node n0"),
    ],
)
def test_what_was_changed_explains_what_it_touches(
    kind: str, name: str, path: str, value: object, changed: str
) -> None:
    """A job whose queue, PodGroup or node was changed may do something else."""
    after = Later(cluster())
    after.find(kind, name)["spec"][path] = value
    result = verified(cluster(), after)
    assert explained(result) == [("bound", "ns/fits", "change")]
    assert [each.object for each in result.changes] == [changed]


def test_another_configuration_explains_everything() -> None:
    """Nothing can be expected of a scheduler that was configured anew."""
    result = verified(cluster(), cluster(), conf_after=PREEMPT)
    assert explained(result) == [("bound", "ns/fits", "change")]
    assert [each.object for each in result.changes] == ["configuration"]


def test_pods_that_ended_are_a_change() -> None:
    """Their job is said to have changed, and their node to have room."""
    before = [*cluster(), group("old", phase="Running"), pod("old-0", "old", node="n0")]
    after = Later(before).end("old-0")
    found = {each.object: each.text for each in verified(before, after, seeds=0).changes}
    assert found["job ns/old"] == "1 of its pods ended, or were deleted"
    assert found["node n0"].startswith("its pods changed: room was freed")


def test_pods_that_were_deleted_explain_as_many() -> None:
    """One pod that is gone does not explain that two were not bound."""
    gone = ["fits-worker-0"]
    for by in ("change", "nothing"):
        after = Later(cluster())
        for name in gone:
            after.remove("Pod", name)
        bound = [f"fits-worker-{number}" for number in range(1, 4)] if by == "change" else ["fits-worker-3"]
        result = verified(cluster(), after.bind(*bound, node="n0"), seeds=0)
        assert ("bound", "ns/fits", by) in explained(result)


def test_a_job_that_was_submitted_in_between() -> None:
    """It is not compared; where it took room, that is said."""
    after = obedient(cluster())
    after.objects += gang("late", 1, created=9)
    after.bind("late-worker-0", node="n1")
    result = verified(cluster(), after)
    assert [(each.reason, each.names) for each in result.not_compared] == [("new-pod-groups", ["ns/late"])]
    assert [each.object for each in result.changes] == ["node n1"]
    assert result.agreement == 100.0


def test_a_later_dump_without_pod_groups() -> None:
    """It is told that the kind is missing, not that all jobs were deleted."""
    after = obedient(cluster())
    after.remove("PodGroup", "fits").remove("PodGroup", "large")
    result = verified(cluster(), after)
    assert [(each.reason, each.names) for each in result.not_compared] == [("missing-kinds", ["PodGroup"])]
    assert (result.changes, result.tallies.bound.matching, result.tallies.phases.total) == ([], 4, 0)
