"""Two dumps tell what became of each pod, and whether they are of one cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.build import Object, gang, group, manifests, node, pod
from tests.verify.pairs import Later, cluster, crowded, flat
from vqs.verify.dumps import Dumps, Fate, NotAPair


def dumps(before: Sequence[Object], after: Later | Sequence[Object]) -> Dumps:
    """Read two dumps."""
    later = after.objects if isinstance(after, Later) else after
    return Dumps(manifests(before), manifests(later))


def owned(name: str, owner: str, **more: Any) -> Object:
    """Make a pod that has a controller."""
    made = pod(name, "low", **more)
    made["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}
    ]
    return made


@pytest.mark.parametrize(
    ("later", "fate"),
    [
        (Later(crowded()), Fate.STAYED),
        (Later(crowded()).evict("low-worker-0"), Fate.LEAVING),
        (Later(crowded()).replace("low-worker-0"), Fate.REPLACED),
        (Later(crowded()).replace("low-worker-0", **{"volcano.sh/job-version": "2"}), Fate.RESTARTED),
        (Later(crowded()).remove("Pod", "low-worker-0"), Fate.GONE),
        (Later(crowded()).end("low-worker-0"), Fate.ENDED),
    ],
    ids=["stayed", "leaving", "replaced", "restarted", "gone", "ended"],
)
def test_what_became_of_a_pod_that_runs(later: Later, fate: Fate) -> None:
    """A pod of the same uid is the same pod."""
    assert dumps(crowded(), later).fates["ns/low-worker-0"] is fate


def test_what_became_of_a_pod_that_waits() -> None:
    """One with a node was bound, also where it has ended since; one that is deleted is just gone."""
    after = Later(cluster()).bind("fits-worker-0", "fits-worker-1").end("fits-worker-1").evict("fits-worker-2")
    fates = dumps(cluster(), after.replace("fits-worker-3")).fates
    assert [fates[f"ns/fits-worker-{number}"] for number in range(4)] == [Fate.BOUND, Fate.BOUND, Fate.GONE, Fate.GONE]


def test_pods_with_new_names_replace_as_many() -> None:
    """A ReplicaSet gives its pods new names: of those that are gone, as many are replaced as are new."""
    nodes = [node("n")]
    before = [*nodes, group("low"), *(owned(f"web-{name}", "web", node="n") for name in "abc")]
    after = [*nodes, group("low"), owned("web-c", "web", node="n"), owned("web-x", "web")]
    fates = dumps(before, after).fates
    assert fates == {"ns/web-a": Fate.REPLACED, "ns/web-b": Fate.GONE, "ns/web-c": Fate.STAYED}


def test_pods_of_other_schedulers_are_left_out() -> None:
    """Volcano has no part in what becomes of them."""
    before = [*cluster(), pod("other", scheduler="default-scheduler")]
    assert "ns/other" not in dumps(before, Later(before).bind("other")).fates


def test_only_what_is_new_is_a_decision() -> None:
    """A condition and a message that were there before say nothing of the time in between."""
    before = Later(cluster()).group("large", "Inqueue", "old").refuse("old", "large-worker-0", "large-worker-1")
    after = Later(before.objects).refuse("new", "large-worker-0").group("fits", "Inqueue", "new")
    decisions = dumps(before.objects, after).decisions()
    assert decisions.messages == {"ns/large-worker-0": "new"}
    assert decisions.conditions == {"ns/fits": "new"}


def test_the_mark_of_the_scheduler() -> None:
    """It tells an eviction from a deletion."""
    after = Later(crowded()).evict("low-worker-0").evict("low-worker-1", by_scheduler=False)
    found = dumps(crowded(), after)
    assert [found.was_evicted_by_scheduler(f"ns/low-worker-{number}") for number in range(2)] == [True, False]


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (
            Later(cluster()).bind("fits-worker-0").objects,
            cluster(),
            "older than BEFORE.*pod ns/fits-worker-0 has a node",
        ),
        (
            Later(cluster()).group("large", "Inqueue", "x").objects,
            cluster(),
            "conditions of ns/large are newer in BEFORE",
        ),
        (cluster(), flat([node("other"), gang("a", 1)]), "no node in common"),
        (cluster(), Later(cluster()).remove("Node", "n0").objects[:1], "AFTER has no pods"),
        (gang("a", 1), gang("a", 1), "BEFORE has no nodes"),
    ],
    ids=["swapped", "swapped, by conditions", "other nodes", "no pods", "no nodes"],
)
def test_what_is_no_pair(before: Sequence[Object], after: Sequence[Object], why: str) -> None:
    """Dumps that are not an earlier and a later one of one cluster are refused."""
    with pytest.raises(NotAPair, match=why):
        dumps(before, after)


def test_nodes_of_the_same_name_in_another_cluster() -> None:
    """Their uids tell."""
    after = Later(cluster())
    for name in ("n0", "n1"):
        after.find("Node", name)["metadata"]["uid"] = "of another cluster"
    with pytest.raises(NotAPair, match="nodes of the same name have different uids"):
        dumps(cluster(), after)
