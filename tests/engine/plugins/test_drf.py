"""drf serves the job with the smallest dominant share first.

With hierarchy, it orders queues, and reclaims from them, by shares in a tree of their own.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import Object, gang, group, node, open_session, placements, pod, queue, run
from tests.engine.crowds import running
from tests.engine.plugins.hierarchies import SlowJob, order, tree
from tests.engine.plugins.votes import ask, outcome
from tests.properties import examples
from vqs.engine.framework import points
from vqs.engine.framework.points import DependsOn
from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Victims
from vqs.engine.plugins.drf import DrfPlugin, Hierarchy
from vqs.model.cluster import Queue
from vqs.model.job import TaskStatus
from vqs.model.resource import Resource


def test_the_job_that_holds_less_is_served_first() -> None:
    """Of two jobs, the one that runs nothing yet gets the last room, though it is younger."""
    session = run(
        [
            node("n1", cpu=3),
            queue("default"),
            group("old", phase="Running"),
            pod("old-0", "old", node="n1"),
            pod("old-worker-1", "old", cpu=2),
            gang("young", 1, 1, 2, created=9),
        ]
    )
    assert session.jobs["ns/young"].having(TaskStatus.Binding)
    assert session.jobs["ns/old"].having(TaskStatus.Pending)


def test_the_share_is_the_largest_over_all_resources() -> None:
    """A job that holds little cpu and most of the memory has a large share."""
    session = run(
        [
            node("n1", cpu=10, memory="10Gi"),
            queue("default"),
            group("j", phase="Running"),
            pod("j-0", "j", cpu=1, memory="8Gi", node="n1"),
        ]
    )
    plugin = next(plugin for plugin in session._opened if type(plugin).__name__ == "DrfPlugin")
    assert plugin.shares["ns/j"] == 0.8  # type: ignore[attr-defined]


def test_drf_lets_go_as_long_as_the_share_stays_larger() -> None:
    """Of 4 cores held, 2 may go for a task of 2: after that, the shares would be equal, and then smaller."""
    votes = ask(
        "drf", group("want"), pod("want-0", "want", 2, "0"), running("held", *["n1"] * 4, of_pod={"memory": "0"})
    )
    assert outcome(votes) == (["held-worker-0", "held-worker-1"], ["share-would-be-smaller"] * 2)


CONF = """
actions: "allocate"
tiers:
- plugins:
  - name: gang
  - name: drf
    enableHierarchy: true
  - name: predicates
"""
RECLAIM = CONF.replace("allocate", "reclaim").replace("name: gang", "name: gang\n    enableReclaimable: false")


def at(name: str, path: str, weights: str) -> Object:
    """Make a queue at a place in the tree."""
    made = queue(name)
    made["metadata"]["annotations"] = {"volcano.sh/hierarchy": path, "volcano.sh/hierarchy-weights": weights}
    return made


def many(name: str, in_queue: str, pods: int, cpu: int = 1, memory: str = "0", *, running: int = 0) -> list[Object]:
    """Make a job of pods that may start one by one; the first of them run on node n."""
    on_node = [pod(f"{name}-worker-{number}", name, cpu, memory, node="n") for number in range(running)]
    waiting = [pod(f"{name}-worker-{number}", name, cpu, memory) for number in range(running, pods)]
    return [group(name, 0, queue=in_queue), *on_node, *waiting]


def hierarchy(session: Session) -> Hierarchy:
    """Return the tree of a session."""
    plugin = next(plugin for plugin in session._opened if isinstance(plugin, DrfPlugin))
    assert plugin.tree is not None
    return plugin.tree


def placed(session: Session) -> Counter[str]:
    """Count the placed tasks of each job."""
    return Counter(
        job.name
        for job in session.jobs.values()
        for task in job.tasks.values()
        if task.status is not TaskStatus.Pending
    )


# --- allocation -------------------------------------------------------------------------------------------------------


def test_shares_of_branches_are_rescaled() -> None:
    """What dev holds of cpu and prod of memory counts once for eng, so that sci gets about as much of both.

    Of equals, dev and prod come first by name. Volcano's own test wants 5 of each, and never fails.
    """
    session = run(
        [
            node("n", cpu=10, memory="10G", pods=50),
            at("sci", "root/sci", "100/50"),
            at("dev", "root/eng/dev", "100/50/50"),
            at("prod", "root/eng/prod", "100/50/50"),
            many("s", "sci", 10, 1, "1G"),
            many("d", "dev", 10),
            many("p", "prod", 10, 0, "1G"),
        ],
        CONF,
    )
    assert placed(session) == {"s": 4, "d": 6, "p": 6}


def test_a_branch_that_is_saturated_blocks_no_other() -> None:
    """Once cpu is used up, those who want memory alone go on: a third of cpu each, and half of memory each.

    The example of the paper, and of Volcano's own test.
    """
    session = run(
        [
            node("n", cpu=30, memory="30G", pods=500),
            at("q1", "root/q1", "100/25"),
            at("q2", "root/q2", "100/25"),
            at("q31", "root/q3/q31", "100/25/50"),
            at("q32", "root/q3/q32", "100/25/50"),
            at("q4", "root/q4", "100/25"),
            many("j1", "q1", 30),
            many("j2", "q2", 30),
            many("j31", "q31", 30),
            many("j32", "q32", 30, 0, "1G"),
            many("j4", "q4", 30, 0, "1G"),
        ],
        CONF,
    )
    assert placed(session) == {"j1": 10, "j2": 10, "j31": 10, "j32": 15, "j4": 15}


def test_shares_go_by_weight() -> None:
    """A queue with twice the weight gets twice as much."""
    objects: list[Any] = [
        node("n", cpu=9, memory="100G"),
        at("a", "root/a", "1/2"),
        at("b", "root/b", "1/1"),
        many("ja", "a", 9),
        many("jb", "b", 9),
    ]
    assert placed(run(objects, CONF)) == {"ja": 6, "jb": 3}


@pytest.mark.parametrize("weight", ["0.5", "0", "-3", "heavy", ""])
def test_weights_below_one_count_as_one(weight: str) -> None:
    """So do those that are none."""
    objects: list[Any] = [
        node("n", cpu=8, memory="100G"),
        at("a", "root/a", f"1/{weight}"),
        at("b", "root/b", "1/1"),
        many("ja", "a", 8),
        many("jb", "b", 8),
    ]
    assert placed(run(objects, CONF)) == {"ja": 4, "jb": 4}


def test_queues_without_annotations_are_equal_to_all_others() -> None:
    """Nothing tells them apart, and the next order does."""
    tree_ = hierarchy(
        open_session(
            [node("n"), queue("plain"), at("a", "root/a", "1/1"), gang("j", 1, queue="plain"), gang("k", 1, queue="a")],
            CONF,
        )
    )
    assert tree_.compare("plain", "a").order == tree_.compare("a", "plain").order == 0


def test_the_order_of_queues_changes_while_they_wait() -> None:
    """A pod of dev puts prod, which has none, behind sci: as parts of eng, they share what it has."""
    objects: list[Any] = [
        node("n", cpu=4, memory="100G"),
        at("dev", "root/eng/dev", "1/1/1"),
        at("prod", "root/eng/prod", "1/1/1"),
        at("sci", "root/sci", "1/1"),
        many("d", "dev", 4),
        many("p", "prod", 4),
        many("s", "sci", 4),
    ]
    assert placed(run(objects, CONF)) == {"d": 1, "p": 1, "s": 2}


def test_without_the_option_there_is_no_tree() -> None:
    """Annotations mean nothing then."""
    conf = CONF.replace("    enableHierarchy: true\n", "")
    session = open_session([node("n"), at("a", "root/a", "1/1"), gang("j", 1, queue="a")], conf)
    assert not session.plugins.is_answered(points.QUEUE_ORDER)
    assert [name for tier in session.plugins.by_plugin(points.RECLAIMABLE) for name, _ in tier] == ["gang"]


def test_fewer_weights_than_levels_end_the_process() -> None:
    """The webhook lets in no such queue; without it, the scheduler panics, and that is said."""
    session = open_session([node("n"), at("a", "root/a/b", "1/1"), gang("j", 1, queue="a")], CONF)
    [notice] = session.notices
    assert "queue a has more levels in volcano.sh/hierarchy than in volcano.sh/hierarchy-weights" in notice.message


# --- reclaim ----------------------------------------------------------------------------------------------------------


def votes(*objects: Any) -> Victims:
    """Let drf vote on the running tasks of queue b in favour of the first one that is pending in a."""
    session = open_session([node("n", cpu=10, memory="100G"), *objects], RECLAIM)
    [voter] = [each for tier in session.plugins.by_plugin(points.RECLAIMABLE) for name, each in tier if name == "drf"]
    assert voter.depends_on is DependsOn.EVERYTHING
    tasks = {job.queue: sorted(job.tasks.values(), key=lambda task: task.name) for job in session.jobs.values()}
    before = hierarchy(session).compare("a", "b")
    found = voter.vote(next(task for task in tasks["a"] if not task.node), [task for task in tasks["b"] if task.node])
    assert hierarchy(session).compare("a", "b") == before
    return found


QUEUES = [at("a", "root/a", "1/1"), at("b", "root/b", "1/1")]


def test_a_queue_gives_up_what_it_has_more() -> None:
    """Of 6 cores beside 2, one may go for one, as 5 stay beside 3; each task is looked at as if it went alone."""
    found = votes(*QUEUES, many("ja", "a", 4, running=2), many("jb", "b", 6, running=6))
    assert [task.name for task in found.tasks] == [f"jb-worker-{n}" for n in range(6)]


def test_a_queue_that_would_not_come_after_the_reclaimer_gives_up_nothing() -> None:
    """Of 4 cores beside 2, one less is 3 beside 3: equal shares are not larger."""
    found = votes(*QUEUES, many("ja", "a", 4, running=2), many("jb", "b", 5, running=4))
    assert found.tasks == []
    [refusal] = {refusal.text for refusal in found.spared.values()}
    assert refusal == "root/b would have no larger share by weight than root/a"
    assert {(refusal.need, refusal.have) for refusal in found.spared.values()} == {(0.3, 0.3)}


def test_a_queue_whose_job_has_all_that_it_asks_for_comes_last() -> None:
    """A saturated branch gives up its tasks however small its share is, and a saturated reclaimer takes none."""
    asks, full = many("ja", "a", 6, running=5), [*QUEUES, many("jb", "b", 2, running=2)]
    found = votes(*full, asks)
    assert [refusal.text for refusal in found.spared.values()] == ["root/a would be saturated"] * 2


def test_reclaim_evicts_until_the_shares_are_even() -> None:
    """Of 10 cores that b holds, a reclaims 4 by and by: with a fifth, it would hold as much as b."""
    waiting: list[Any] = [gang(f"j{number}", 1, queue="a", memory="0", created=number) for number in range(8)]
    holding = many("jb", "b", 12, running=10)
    cordoned = node("spare", cpu=4, unschedulable=True)
    session = run([node("n", cpu=10, memory="100G"), cordoned, *QUEUES, *waiting, holding], RECLAIM)
    assert len(session.jobs["ns/jb"].having(TaskStatus.Releasing)) == 4
    assert sum(status == "Pipelined" for status, _ in placements(session).values()) == 4


# --- the tree against the slow model ----------------------------------------------------------------------------------

PATHS = [["root", "a"], ["root", "b"], ["root", "c", "d"], ["root", "c", "e"], ["root", "c", "e", "f"], [""]]


@st.composite
def crowds(draw: st.DrawFn) -> tuple[list[Object], dict[str, SlowJob]]:
    """Draw queues at all places of a tree, with jobs that hold and want some cpu and memory."""
    weights = {name: draw(st.sampled_from([1, 2, 5])) for name in ("a", "b", "c", "d", "e", "f")}
    objects: list[Object] = []
    jobs: dict[str, SlowJob] = {}
    for number, path in enumerate(PATHS):
        along = [1.0, *(float(weights[name]) for name in path[1:])]
        objects.append(at(f"q{number}", "/".join(path), "/".join(f"{weight:g}" for weight in along)))
        for which in range(draw(st.integers(0, 2))):
            cpu, memory = draw(st.sampled_from([(1, 0), (0, 1), (2, 1), (1, 3)]))
            runs, waits = draw(st.integers(0, 3)), draw(st.integers(0, 2))
            name = f"j{number}{which}"
            objects += many(name, f"q{number}", runs + waits, cpu, f"{memory}G", running=runs)
            held = {"cpu": cpu * 1000.0 * runs, "memory": memory * 1e9 * runs, "pods": 1.0 * runs}
            request = {"cpu": cpu * 1000.0, "memory": memory * 1e9, "pods": 1.0}
            total = {key: amount * (runs + waits) for key, amount in request.items()}
            jobs[f"ns/{name}"] = SlowJob(path, along, total, held)
    return objects, jobs


def agrees(found: Hierarchy, jobs: dict[str, SlowJob], total: dict[str, float], queues: dict[str, Queue]) -> bool:
    """Tell whether all queues with jobs compare as in the slow model."""
    slow = tree(jobs, total)
    used = [name for number, name in enumerate(queues) if any(job.path == PATHS[number] for job in jobs.values())]
    paths = dict(zip(queues, PATHS, strict=True))
    return all(
        sign(found.compare(left, right).order) == sign(order(slow, paths[left], paths[right]))
        for left in used
        for right in used
    )


def sign(number: float) -> int:
    """Return whether a number is above or below zero; what rounding makes counts as zero."""
    return 0 if abs(number) < 1e-12 else 1 if number > 0 else -1


@settings(max_examples=examples(60))
@given(crowds(), st.integers(4, 30), st.integers(4, 30))
def test_the_tree_agrees_with_the_slow_model(
    crowd: tuple[list[Object], dict[str, SlowJob]], cpu: int, memory: int
) -> None:
    """When the session opens, while a task is given and taken away, and after that as before."""
    objects, jobs = crowd
    session = open_session([node("n", cpu=cpu, memory=f"{memory}G", pods=500), *objects], CONF)
    found = hierarchy(session)
    queues = {name: each for name, each in session.queues.items() if name.startswith("q")}
    total = {"cpu": cpu * 1000.0, "memory": memory * 1e9, "pods": 500.0}
    assert agrees(found, jobs, total, queues)
    for uid, job in jobs.items():
        more = Resource(job.request["cpu"], job.request["memory"], {"pods": job.request["pods"]})
        grown = {key: amount + job.request[key] for key, amount in job.held.items()}
        with found.changed(uid, session.nodes.vector(more)):
            assert agrees(found, {**jobs, uid: SlowJob(job.path, job.weights, job.request, grown)}, total, queues)
    assert agrees(found, jobs, total, queues)
