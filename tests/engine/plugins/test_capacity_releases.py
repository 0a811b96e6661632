"""What releases decide differently in the plugin capacity."""

from __future__ import annotations

import pytest

from tests.build import Object, group, node, open_session, pod, queue, switched
from tests.engine.plugins.test_capacity import child, cores, opened
from tests.engine.plugins.test_capacity_reclaim import NODE, TREE, asker, holder, plugin_of, pods
from vqs.releases.profile import Profile

STANDSTILL = switched(queue_tree_violation="standstill")
LIMITED = switched(root_real_capability="total", queue_tree_violation="standstill")


def fault(*queues: Object, profile: Profile = STANDSTILL) -> str:
    """Return why nothing is scheduled with some queues."""
    return open_session([node("n1", cpu=4), *queues], TREE, profile=profile).standstill


@pytest.mark.parametrize(
    ("queues", "text"),
    [
        (
            [child("dept", capability={"cpu": 2}), child("team", "dept", capability={"cpu": 3})],
            "queue team has a capability of 3 cpu, more than the 2 cpu of its parent dept",
        ),
        (
            [child("dept", capability={"cpu": 2}), child("team", "dept", capability={"nvidia.com/gpu": 1})],
            "queue team has a capability of 1 nvidia.com/gpu, more than the 0 nvidia.com/gpu of its parent dept",
        ),
        (
            [child("dept", deserved={"cpu": 2}), *(child(name, "dept", deserved={"cpu": 1.5}) for name in "ab")],
            "the children of queue dept deserve 3 cpu in all, more than its own 2 cpu",
        ),
        (
            [child("dept"), child("team", "dept", deserved={"cpu": 1}, guarantee={"resource": {"cpu": 1}})],
            "the children of queue dept deserve 1 cpu in all, more than its own 0 cpu",
        ),
        (
            [child("dept", deserved={"cpu": 1}), child("team", "dept", guarantee={"resource": {"memory": "1Gi"}})],
            "the children of queue dept deserve 1Gi memory in all, more than its own 0 memory",
        ),
    ],
)
def test_queues_that_do_not_add_up_stop_everything_where_that_is_a_fault(queues: list[Object], text: str) -> None:
    """A capability against that of the parent, what is deserved and guaranteed in all against the parent's own."""
    assert fault(*queues) == text
    assert fault(*queues, profile=switched()) == ""


def test_guarantees_are_compared_where_they_are_not_deserved() -> None:
    """Where a queue may deserve less than its guarantee, the sum of guarantees is what is too much."""
    profile = switched(queue_tree_violation="standstill", deserved_below_guarantee="kept")
    guaranteed = child("team", "dept", guarantee={"resource": {"cpu": 1}})
    text = "the children of queue dept are guaranteed 1 cpu in all, more than its own 0 cpu"
    assert fault(child("dept"), guaranteed, profile=profile) == text


def test_a_queue_of_a_limited_root_may_not_have_more_than_the_cluster() -> None:
    """The root has the capability of the cluster, 4 cores."""
    assert "more than the 4 cpu of its parent root" in fault(child("team", capability={"cpu": 5}), profile=LIMITED)
    assert fault(child("team", capability={"cpu": 4}), profile=LIMITED) == ""


def test_limits_that_were_set_before_a_fault_was_found_stay() -> None:
    """Queues on the level above have limits; those that were not reached have none."""
    queues = [child("a", capability={"cpu": 2}), child("b"), child("a-leaf", "a", capability={"cpu": 3})]
    session = open_session([node("n1", cpu=4), *queues], TREE, profile=LIMITED)
    limits = {name: cores(account.real_capability) for name, account in plugin_of(session).accounts.items()}
    assert limits == {"root": 4, "a": 2, "b": 4, "a-leaf": 0, "default": 4}


def test_a_root_with_a_capability_is_limited_to_the_cluster_even_so() -> None:
    """Its capability limits what its children inherit, not itself."""
    root = queue("root", capability={"cpu": 2})
    plugin = plugin_of(open_session([node("n1", cpu=4), root, child("a")], TREE, profile=LIMITED))
    assert cores(plugin.accounts["root"].real_capability) == 4
    assert cores(plugin.accounts["a"].real_capability) == 2


@pytest.mark.parametrize(
    ("spec", "deserved", "guaranteed"),
    [({}, 4, 1), ({"deserved": {"cpu": 3}, "guarantee": {"resource": {"cpu": 2}}}, 3, 2)],
)
def test_the_root_may_deserve_what_its_spec_says(spec: Object, deserved: float, guaranteed: float) -> None:
    """Without deserved, it deserves the cluster; without a guarantee, it has that of its children."""
    team = child("team", deserved={"cpu": 1}, guarantee={"resource": {"cpu": 1}})
    session = open_session(
        [node("n1", cpu=4), queue("root", **spec), team], TREE, profile=switched(root_deserved="configured")
    )
    root = plugin_of(session).accounts["root"]
    assert (cores(root.deserved), cores(root.guarantee)) == (deserved, guaranteed)


def test_a_queue_that_deserves_nothing_may_have_a_share_of_nothing() -> None:
    """It comes before all others then, whatever it holds."""
    held = [group("held", queue="free", phase="Running"), pod("held-0", "held", 2, node="n1")]
    profile = switched(best_effort_queues="first")
    session = open_session([node("n1", cpu=4), child("free"), held], TREE, profile=profile)
    assert plugin_of(session).accounts["free"].share == 0
    assert opened(child("free"), held).accounts["free"].share == 1


@pytest.mark.parametrize(
    ("deserved", "victims"),
    [({"cpu": 3}, ["held-0", "held-1"]), ({"cpu": 6, "nvidia.com/gpu": 1}, ["held-0"]), ({"cpu": 6}, [])],
)
def test_tasks_may_be_given_up_whatever_they_hold(deserved: Object, victims: list[str]) -> None:
    """While the queue holds more than it deserves of anything; of what it holds nothing of, that is always so."""
    profile = switched(capacity_victims="all-resources")
    objects: list[Object | list[Object]] = [
        NODE,
        queue("a", deserved=deserved),
        queue("b"),
        holder("a"),
        asker("b", 0, **{"nvidia.com/gpu": 1}),
    ]
    session = open_session(objects, TREE.replace("    enableHierarchy: true\n", ""), profile=profile)
    [reclaimer] = pods(session, "want")
    votes = plugin_of(session).reclaimable(reclaimer, pods(session, "held"))
    assert [task.name for task in votes.tasks][: len(victims) or 1] == victims
