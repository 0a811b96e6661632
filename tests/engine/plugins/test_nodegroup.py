"""nodegroup keeps the pods of a queue on the node groups that its affinity names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import Object, gang, node, open_session, placements, queue, run
from vqs.engine.framework.session import Session
from vqs.engine.plugins.nodegroup import (
    NO_AFFINITY,
    NO_GROUP,
    NOT_SATISFIED,
    GroupAffinity,
    GroupLimits,
    NodeGroupPlugin,
)
from vqs.model.kubernetes import PREFERRED, REQUIRED
from vqs.model.resource import Resource

CONF = """
actions: "allocate"
tiers:
- plugins:
  - name: predicates
  - name: nodegroup
"""
LENIENT = CONF + "    arguments: {strict: false}\n"
TREE = CONF + "    enableHierarchy: true\n"

GROUPS = ["a", "b", "c"]
SOME = st.frozensets(st.sampled_from(GROUPS))


def grouped(name: str, group: str | None) -> Object:
    """Make a node of a group, None for one of none."""
    return node(name, labels={} if group is None else {"volcano.sh/nodegroup-name": group})


def near(required: list[str] | None = None, preferred: list[str] | None = None) -> dict[str, Any]:
    """Return a spec.affinity to some groups."""
    return {"affinity": {"nodeGroupAffinity": {REQUIRED: required or [], PREFERRED: preferred or []}}}


def far(required: list[str] | None = None, preferred: list[str] | None = None) -> dict[str, Any]:
    """Return a spec.affinity against some groups."""
    return {"affinity": {"nodeGroupAntiAffinity": {REQUIRED: required or [], PREFERRED: preferred or []}}}


def reasons(session: Session, job: str = "ns/j") -> list[str]:
    """Return the reason of each node against a job's first pod, empty where it fits."""
    task = next(iter(session.jobs[job].tasks.values()))
    return ["; ".join(session.reasons.texts(code)) for code in session.fit(task).codes.tolist()]


def scores(session: Session) -> list[float]:
    """Return what the plugin gives each node for the pod of a job."""
    plugin = next(plugin for plugin in session._opened if isinstance(plugin, NodeGroupPlugin))
    task = session.jobs["ns/j"].tasks["j-worker-0"]
    return list(map(float, plugin.score(session.fit(task).task_class, np.arange(len(session.nodes)))))


def opened(queues: list[Object], conf: str = CONF) -> Session:
    """Open a session with a node in group a, one in b, one in no group, and a job in the first queue."""
    nodes = [grouped("n1", "a"), grouped("n2", "b"), grouped("n3", None)]
    return open_session([*nodes, *queues, gang("j", 1, queue=queues[0]["metadata"]["name"])], conf)


# --- the filter -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [near(["a"]), near(preferred=["a"]), far(preferred=["a"])])
def test_a_queue_may_use_the_groups_that_it_names(spec: dict[str, Any]) -> None:
    """Required or preferred makes no difference to the filter, and even a group to be avoided is one of the queue's."""
    assert reasons(opened([queue("q", **spec)])) == ["", NOT_SATISFIED, NO_GROUP]


def test_a_required_anti_affinity_outweighs_an_affinity() -> None:
    """A group that is required and forbidden takes no pod."""
    both: dict[str, Any] = {"affinity": {**near(["a", "b"])["affinity"], **far(["a"])["affinity"]}}
    assert reasons(opened([queue("q", **both)])) == [NOT_SATISFIED, "", NO_GROUP]


def test_an_anti_affinity_alone_leaves_no_group() -> None:
    """A queue that only names groups to stay away from may use none of the others."""
    assert reasons(opened([queue("q", **far(["a"]))])) == [NOT_SATISFIED, NOT_SATISFIED, NO_GROUP]


@pytest.mark.parametrize("spec", [{}, {"affinity": {}}, near()])
def test_a_queue_without_affinity_uses_nodes_without_a_group_only_where_that_is_not_strict(
    spec: dict[str, Any],
) -> None:
    """Nodes in a group never take its pods, and an affinity that names nothing is none."""
    assert reasons(opened([queue("q", **spec)])) == [NO_AFFINITY, NO_AFFINITY, NO_GROUP]
    assert reasons(opened([queue("q", **spec)], LENIENT)) == [NO_AFFINITY, NO_AFFINITY, ""]


def test_a_queue_with_affinity_never_uses_nodes_without_a_group() -> None:
    """Whether the plugin is strict makes no difference to it."""
    assert reasons(opened([queue("q", **near(["b"]))], LENIENT)) == [NOT_SATISFIED, "", NO_GROUP]


def test_equal_pods_of_queues_with_different_affinities_are_told_apart() -> None:
    """Two jobs with the same pods go to the groups of their queues."""
    nodes = [grouped("n1", "a"), grouped("n2", "b")]
    queues = [queue("qa", **near(["a"])), queue("qb", **near(["b"]))]
    session = run([*nodes, *queues, gang("ja", 1, queue="qa"), gang("jb", 1, queue="qb")], CONF)
    assert placements(session) == {"ja-worker-0": ("Binding", "n1"), "jb-worker-0": ("Binding", "n2")}


def test_its_reasons_stand_whatever_is_evicted() -> None:
    """No eviction changes a node's group."""
    session = opened([queue("q", **near(["c"]))])
    fit = session.fit(session.jobs["ns/j"].tasks["j-worker-0"])
    assert session.reasons.unresolvable(fit.codes).all()


# --- the score --------------------------------------------------------------------------------------------------------


def test_scores() -> None:
    """Required gives 100, preferred 50, both together 150; to be avoided gives -1 whatever else a group is."""
    affinity = {"nodeGroupAffinity": {REQUIRED: ["a", "b"], PREFERRED: ["b", "c"]}}
    nodes = [grouped("n1", "a"), grouped("n2", "b"), grouped("n3", "c"), grouped("n4", None)]
    without = open_session([*nodes, queue("q", affinity=affinity), gang("j", 1, queue="q")], CONF)
    assert scores(without) == [100, 150, 50, 0]
    affinity["nodeGroupAntiAffinity"] = {PREFERRED: ["b"]}
    avoiding = open_session([*nodes, queue("q", affinity=affinity), gang("j", 1, queue="q")], CONF)
    assert scores(avoiding) == [100, -1, 50, 0]


@given(SOME, SOME, SOME, SOME, st.sampled_from(GROUPS))
def test_what_is_preferred_is_looked_at_last(
    required: frozenset[str], preferred: frozenset[str], forbidden: frozenset[str], avoided: frozenset[str], group: str
) -> None:
    """For every affinity, each rule in its turn overrules those before it, in the filter and in the score."""
    affinity = GroupAffinity(required, tuple(preferred), forbidden, avoided)
    allowed, score = False, 0.0
    if group in required:
        allowed, score = True, 100.0
    if group in preferred:
        allowed, score = True, score + 50
    if group in forbidden:
        allowed = False
    if group in avoided:
        allowed, score = True, -1.0
    assert (affinity.allows(group), affinity.score(group, in_order=False)) == (allowed, score)


@pytest.mark.parametrize(("group", "score"), [("a", 50.0), ("b", 50.0 * 2 / 3), ("c", 100.0 + 50.0 / 3), ("d", 0.0)])
def test_preferred_groups_score_by_their_order(group: str, score: float) -> None:
    """The first one scores as much as any does without an order, each of the others a step less."""
    affinity = GroupAffinity(required=frozenset({"c"}), preferred=("a", "b", "c"))
    assert affinity.score(group, in_order=True) == pytest.approx(score)


# --- the tree ---------------------------------------------------------------------------------------------------------


def test_affinity_is_inherited_from_the_nearest_ancestor_that_has_one() -> None:
    """The grandparent's and the root's do not count where the parent has one."""
    queues = [
        queue("q", parent="p"),
        queue("p", parent="g", **near(["b"])),
        queue("g", **near(["a"])),
        queue("root", **near(["a"])),
    ]
    assert reasons(opened(queues, TREE)) == [NOT_SATISFIED, "", NO_GROUP]
    assert reasons(opened([queues[0], queue("p", parent="g"), *queues[2:]], TREE)) == ["", NOT_SATISFIED, NO_GROUP]


def test_the_root_is_the_parent_of_a_queue_that_names_none() -> None:
    """Its affinity is inherited too."""
    assert reasons(opened([queue("q"), queue("root", **near(["a"]))], TREE)) == ["", NOT_SATISFIED, NO_GROUP]


def test_nothing_is_inherited_without_the_hierarchy() -> None:
    """A parent's affinity means nothing then."""
    assert reasons(opened([queue("q", parent="p"), queue("p", **near(["a"]))]))[0] == NO_AFFINITY


def test_an_empty_affinity_is_one_of_its_own() -> None:
    """A queue, or an ancestor, with an affinity that names nothing passes on that."""
    assert reasons(opened([queue("q", parent="p", affinity={}), queue("p", **near(["a"]))], TREE))[0] == NO_AFFINITY
    queues = [queue("q", parent="p"), queue("p", affinity={}), queue("root", **near(["a"]))]
    assert reasons(opened(queues, TREE))[0] == NO_AFFINITY


def test_queues_in_a_ring_and_parents_that_are_missing_end_the_search() -> None:
    """Such a queue has no affinity."""
    assert reasons(opened([queue("q", parent="p"), queue("p", parent="q")], TREE))[0] == NO_AFFINITY
    assert reasons(opened([queue("q", parent="nowhere"), queue("root", **near(["a"]))], TREE))[0] == NO_AFFINITY


@pytest.mark.parametrize("limit", ['{"cpu": "0"}', '{"cpu": "8", "memory": 0}', '{"pods": "0"}'])
def test_a_limit_of_nothing_is_a_limit(limit: str) -> None:
    """A queue that may hold 0 of a resource in a group gets no place there for pods that ask for it."""
    limited = queue("q")
    limited["metadata"]["annotations"] = {"volcano.sh/nodegroup-resource-limits": f'{{"g": {limit}}}'}
    limits = GroupLimits.of(opened([limited]).queues["q"])
    request = Resource.from_quantities({"cpu": "1", "memory": "1Gi", "pods": "1"})
    assert limits is not None
    assert limits.exceeded("g", request)
    assert not limits.exceeded("h", request)
