"""capacity holds queues to their limits, and every queue above them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import Object, gang, group, node, open_session, placements, pod, queue, run
from vqs.engine.framework.ledger import LimitChain, LimitLink
from vqs.engine.framework.points import VICTIM_QUEUE_ORDER
from vqs.engine.framework.session import Session
from vqs.engine.plugins.capacity import CapacityPlugin
from vqs.model.resource import UNLIMITED, UNLIMITED_SCALAR, Resource

FLAT = """
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: capacity
"""
TREE = FLAT + "    enableHierarchy: true\n"

NODE = node("n1", cpu=100, memory="1000Gi", pods=1000)


def ledger(session: Session) -> CapacityPlugin:
    """Return the plugin of a session."""
    plugin = session.queue_ledger
    assert isinstance(plugin, CapacityPlugin)
    return plugin


def opened(*objects: Object | list[Object], conf: str = TREE) -> CapacityPlugin:
    """Open a session on a large node and some objects."""
    return ledger(open_session([NODE, *objects], conf))


def child(name: str, parent: str = "root", **spec: Any) -> Object:
    """Make a queue below another."""
    return queue(name, parent=parent, **spec)


def job(name: str, in_queue: str, cpu: int = 1, pods: int = 1, **more: Any) -> list[Object]:
    """Make a pending gang with minResources in a queue."""
    spec = {"phase": "Pending", "minResources": {"cpu": cpu * pods}, **more}
    return gang(name, pods, cpu=cpu, memory="0", queue=in_queue, **spec)


def running(name: str, in_queue: str, cpu: int = 1, **more: Any) -> list[Object]:
    """Make a job with one running pod."""
    return [group(name, queue=in_queue, phase="Running", **more), pod(f"{name}-0", name, cpu, "0", node="n1")]


def cores(amounts: Resource) -> float:
    """Return the cores of an amount."""
    return amounts.milli_cpu / 1000


# --- without a tree ---------------------------------------------------------------------------------------------------


def test_only_queues_with_jobs_count_without_a_tree() -> None:
    """An unused queue is not in the ledger, and its guarantee is set aside all the same."""
    plugin = opened(queue("a"), queue("idle", guarantee={"resource": {"cpu": 30}}), job("j", "a"), conf=FLAT)
    assert list(plugin.at_open) == ["a"]
    assert cores(plugin.at_open["a"].real_capability) == 70


def test_what_is_deserved_is_cut_to_the_real_capability_and_raised_to_the_guarantee() -> None:
    """Of 100 cores, 40 are guaranteed to b; a deserves 60 of the 90 it asked for, and b 40 though it asked for none."""
    plugin = opened(
        queue("a", deserved={"cpu": 90}),
        queue("b", guarantee={"resource": {"cpu": 40}}),
        job("ja", "a"),
        job("jb", "b"),
        conf=FLAT,
    )
    assert {name: cores(figures.deserved) for name, figures in plugin.at_open.items()} == {"a": 60, "b": 40}


def test_a_queue_may_hold_more_than_it_deserves() -> None:
    """Deserved is no limit to allocation; the capability is."""
    objects: list[Any] = [queue("a", deserved={"cpu": 2}, capability={"cpu": 5}), job("j", "a", pods=5), job("k", "a")]
    session = run([NODE, *objects], FLAT)
    assert [status for status, _ in placements(session).values()] == ["Binding"] * 5 + ["Pending"]


def test_a_queue_that_deserves_nothing_has_a_share_of_one() -> None:
    """So queues that hold less than they deserve come before it, whatever it holds."""
    plugin = opened(queue("a"), queue("b", deserved={"cpu": 4}), running("r", "b", 2), job("j", "a"), conf=FLAT)
    assert {name: figures.share for name, figures in plugin.at_open.items()} == {"a": 1.0, "b": 0.5}


def test_queues_without_a_tree_are_not_held_against_their_parents() -> None:
    """spec.parent means nothing where enableHierarchy is off."""
    objects: list[Any] = [
        queue("a", capability={"cpu": 1}),
        queue("b", parent="a"),
        job("j", "b", pods=2),
        job("k", "a"),
    ]
    assert {name: status for name, (status, _) in placements(run([NODE, *objects], FLAT)).items()} == {
        "j-worker-0": "Binding",
        "j-worker-1": "Binding",
        "k-worker-0": "Binding",
    }


# --- limits come down from the root -----------------------------------------------------------------------------------


def test_the_root_is_unlimited_and_so_is_what_inherits_from_it() -> None:
    """The cluster's size limits no queue of a tree; of resources that no node has, nothing is inherited."""
    plugin = ledger(open_session([node("n1", cpu=2, gpu=4), child("a"), job("j", "a")], TREE))
    for name in ("root", "a"):
        capability = plugin.at_open[name].real_capability
        assert (capability.milli_cpu, capability.memory) == (UNLIMITED, UNLIMITED)
        assert capability.scalars == {"nvidia.com/gpu": UNLIMITED_SCALAR, "pods": UNLIMITED_SCALAR}


def test_what_a_capability_does_not_name_is_inherited() -> None:
    """The child names cpu, and has the memory and the GPUs of its parent."""
    parent = child("a", capability={"cpu": 20, "memory": "8Gi", "nvidia.com/gpu": 4})
    plugin = opened(parent, child("b", "a", capability={"cpu": 30}))
    link = link_of(plugin, "b")
    assert link.inherited == ("memory", "nvidia.com/gpu", "pods")
    assert (cores(link.capability), link.capability.memory) == (30, 8 * 2**30)
    assert cores(plugin.at_open["b"].real_capability) == 20  # more than the parent has is of no use


def test_guarantees_of_siblings_are_set_aside() -> None:
    """Of 20 cores, 5 are guaranteed to b and 8 to c: a may have 7, b 12, c 15."""
    plugin = opened(
        child("top", capability={"cpu": 20}),
        child("a", "top"),
        child("b", "top", guarantee={"resource": {"cpu": 5}}),
        child("c", "top", guarantee={"resource": {"cpu": 8}}),
    )
    assert {name: cores(plugin.at_open[name].real_capability) for name in "abc"} == {"a": 7, "b": 12, "c": 15}


def test_a_capability_of_the_root_that_names_cpu_alone_leaves_no_memory_to_anybody() -> None:
    """What the root's capability does not name is zero, and inherited as zero."""
    plugin = opened(queue("root", capability={"cpu": 50}), child("a"))
    assert plugin.at_open["a"].real_capability.memory == 0


def test_the_root_deserves_what_its_children_deserve() -> None:
    """So it does for guarantees; a guarantee raises what a child deserves."""
    plugin = opened(child("a", deserved={"cpu": 5}), child("b", guarantee={"resource": {"cpu": 3}}))
    root = plugin.at_open["root"]
    assert (cores(root.deserved), cores(root.guarantee)) == (8, 3)


def test_what_is_deserved_in_a_tree_is_not_cut_to_the_capability() -> None:
    """Without a tree it would be."""
    plugin = opened(child("a", deserved={"cpu": 50}, capability={"cpu": 20}))
    assert cores(plugin.at_open["a"].deserved) == 50


def link_of(plugin: CapacityPlugin, name: str) -> LimitLink:
    """Return how a queue came by its limits."""
    chain = plugin.derivation()
    assert isinstance(chain, LimitChain)
    return chain.links[name]


AMOUNTS = st.fixed_dictionaries({}, optional={"cpu": st.integers(1, 40), "memory": st.integers(1, 40)})


@given(st.lists(st.tuples(st.integers(0, 4), AMOUNTS, AMOUNTS, AMOUNTS), min_size=1, max_size=6))
def test_a_links_figures_follow_from_one_another(drawn: list[tuple[int, Object, Object, Object]]) -> None:
    """From what the parent has, siblings' guarantees, the spec and the capability, each figure can be had anew."""
    names = ["root", *(f"q{number}" for number in range(len(drawn)))]
    queues = [
        child(f"q{number}", names[min(up, number)], capability=cap, deserved=deserved, guarantee={"resource": held})
        for number, (up, cap, deserved, held) in enumerate(drawn)
    ]
    plugin = opened(*queues)
    figures = plugin.at_open
    for name in names[1:]:
        link = link_of(plugin, name)
        siblings = [each for each in names[1:] if link_of(plugin, each).parent == link.parent]
        for resource in ("cpu", "memory"):
            available = figures[link.parent].real_capability.get(resource)
            guaranteed = sum(figures[each].guarantee.get(resource) for each in siblings)
            left = max(available - guaranteed, 0) + figures[name].guarantee.get(resource)
            assert link.unreserved.get(resource) == pytest.approx(left)
            inherited = link.configured.get(resource) or link_of(plugin, link.parent).capability.get(resource)
            assert link.capability.get(resource) == inherited
            assert figures[name].real_capability.get(resource) == pytest.approx(min(left, inherited))
            deserved = max(link.configured_deserved.get(resource), figures[name].guarantee.get(resource))
            assert figures[name].deserved.get(resource) == deserved


# --- what is held counts for all above --------------------------------------------------------------------------------


def test_a_task_is_held_against_every_queue_above_its_own() -> None:
    """Both leaves may have 10 cores, the queue above them 15: the second job gets in half."""
    objects = [
        child("top", capability={"cpu": 15}),
        child("a", "top", capability={"cpu": 10}),
        child("b", "top", capability={"cpu": 10}),
    ]
    work = [
        gang("j", 10, 1, memory="0", queue="a", created=1),
        gang("k", 10, 1, memory="0", queue="b", created=2),
    ]
    session = run([NODE, *objects, *work], TREE)
    bound = [name for name, (status, _) in placements(session).items() if status == "Binding"]
    assert len(bound) == 15
    closed = ledger(session).closed()
    assert {name: cores(closed[name].allocated) for name in ("root", "top")} == {"root": 15, "top": 15}
    refused = {refusal.queue for _, refusal in session.trace.tasks.values()}
    assert refused == {"top"}


def test_a_job_enters_only_if_every_queue_above_has_room_for_it() -> None:
    """What one queue has promised counts in the queue above, so that its sibling has to wait."""
    objects = [child("top", capability={"cpu": 10}), child("a", "top"), child("b", "top")]
    session = run([NODE, *objects, job("j", "a", 6, created=1), job("k", "b", 6, created=2)], TREE)
    _, refusal = session.trace.jobs["ns/k"]
    assert (refusal.code, refusal.queue, refusal.need, refusal.have) == (
        "not-enqueued-capability",
        "top",
        12_000,
        10_000,
    )
    assert session.jobs["ns/j"].phase == "Inqueue"


def test_a_closed_queue_takes_nothing() -> None:
    """Neither jobs nor tasks get in; what runs stays."""
    session = run([NODE, child("a", state="Closed"), job("j", "a"), gang("k", 1, queue="a")], TREE)
    assert {refusal.code for _, refusal in [*session.trace.jobs.values(), *session.trace.tasks.values()]} == {
        "queue-closed"
    }


# --- order ------------------------------------------------------------------------------------------------------------


def order(*objects: Object | list[Object], conf: str = TREE) -> list[str]:
    """Return the leaf queues with jobs in the order in which they are served."""
    session = open_session([NODE, *objects], conf)
    names = {each.queue for each in session.jobs.values()}
    return sorted(names, key=lambda name: session.plugins.queue_key(session.queues[name]))


def test_leaves_are_compared_where_their_ways_from_the_root_part() -> None:
    """X holds nothing, but the queue above it holds more of what it deserves than the one above y."""
    assert order(
        child("left", deserved={"cpu": 10}),
        child("right", deserved={"cpu": 10}),
        child("x", "left", deserved={"cpu": 5}),
        child("x2", "left", deserved={"cpu": 5}),
        child("y", "right", deserved={"cpu": 5}),
        running("r", "x2", 8),
        running("s", "y", 3),
        job("j", "x"),
    ) == ["y", "x", "x2"]


def test_priority_comes_before_the_tree() -> None:
    """A queue of high priority is served first, whatever is held above it."""
    assert order(
        child("left", deserved={"cpu": 10}),
        child("x", "left", priority=5),
        child("y"),
        running("r", "x", 9),
        job("j", "y"),
    ) == ["x", "y"]


def test_of_equal_shares_those_that_deserve_something_come_first() -> None:
    """A queue that holds exactly what it deserves comes before one that deserves nothing."""
    queues = [queue("a"), queue("b", deserved={"cpu": 2})]
    assert order(*queues, running("r", "b", 2), job("j", "a"), conf=FLAT) == ["b", "a"]


def test_shares_of_ancestors_stay_as_they_were_when_the_session_opened() -> None:
    """Only the share of the queue that was given something changes; so queues need not be put in order anew."""
    session = run(
        [NODE, child("top", deserved={"cpu": 10}), child("a", "top", deserved={"cpu": 10}), job("j", "a", 5)], TREE
    )
    closed = ledger(session).closed()
    assert (closed["a"].share, closed["top"].share) == (0.5, 0.0)


def test_victims_are_looked_for_in_the_neighbourhood_first() -> None:
    """Of the queues to reclaim from, the one with the longest common way from the root comes first."""
    session = open_session(
        [
            NODE,
            child("top"),
            child("mine", "top"),
            child("near", "top"),
            child("far"),
            job("j", "mine"),
            job("k", "far"),
        ],
        TREE,
    )
    [[(_, key)]] = session.plugins.by_plugin(VICTIM_QUEUE_ORDER)[:1]
    mine = session.queues["mine"]
    assert key(session.queues["near"], mine) < key(session.queues["far"], mine)


# --- standing still ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("queues", "in_queue", "culprit"),
    [
        ([child("a", "nowhere")], "default", "queue a has the parent nowhere, which does not exist"),
        ([child("a", "b"), child("b", "a")], "default", "a → b → a is a cycle of parents"),
        ([child("a", "a")], "default", "a → a is a cycle of parents"),
        ([child("a"), child("b", "a")], "a", "job ns/j is in queue a, which has queues below it"),
    ],
)
def test_a_broken_tree_stops_everything(queues: list[Object], in_queue: str, culprit: str) -> None:
    """Not only the queue that is at fault: no job of any queue gets in and no task a node, and it is said why."""
    session = run([NODE, *queues, job("j", in_queue), job("k", "default"), gang("i", 1, queue="default")], TREE)
    assert session.standstill.startswith(culprit)
    assert {status for status, _ in placements(session).values()} == {"Pending"}
    assert {session.jobs[uid].phase for uid in ("ns/j", "ns/k")} == {"Pending"}
    refusals = [refusal for _, refusal in [*session.trace.jobs.values(), *session.trace.tasks.values()]]
    assert {refusal.code for refusal in refusals} == {"scheduler-stands-still"}


def test_all_faults_of_the_tree_are_named() -> None:
    """Whoever mends one wants to know of the other."""
    faulty = [child("a", "x"), child("b", "y"), child("c", "e"), child("d", "c"), child("e", "d"), child("f", "d")]
    session = open_session([NODE, *faulty], TREE)
    assert session.standstill.count("does not exist") == 2
    assert session.standstill.count("cycle") == 1


def test_without_a_tree_broken_parents_do_not_matter() -> None:
    """The same queues are served where enableHierarchy is off."""
    session = run([NODE, child("a", "nowhere"), job("j", "a")], FLAT)
    assert not session.standstill
    assert placements(session)["j-worker-0"][0] == "Binding"


@pytest.mark.parametrize("plugin", ["capacity", "proportion"])
def test_evictions_before_jobs_enter_may_end_the_real_scheduler(plugin: str) -> None:
    """What a job held beyond its minimum is not counted anew, so that more could be got back than there is."""
    busy = [
        group("busy", 1, "Running", minResources={"cpu": 1}),
        *(pod(f"busy-{number}", "busy", 4, "0", node="n1") for number in range(2)),
    ]
    asks = job("asks", "default")
    session = open_session([NODE, queue("default"), busy, asks], FLAT.replace("capacity", plugin))
    assert session.plugins.job_enqueueable(session.jobs["ns/asks"]) is None
    assert session.notices == []
    for task in list(session.jobs["ns/busy"].tasks.values()):
        session.evict(task)
    session.plugins.job_enqueueable(session.jobs["ns/asks"])
    session.plugins.job_enqueueable(session.jobs["ns/asks"])
    assert [notice.code for notice in session.notices] == ["scheduler-panics"]
