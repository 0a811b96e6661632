"""predicates agrees with the rules taken one node and one pod at a time, whatever has happened in the session."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.plugins import kubernetes_rules as rules
from tests.engine.plugins.kubernetes_clusters import World, random_objects
from tests.properties import examples
from vqs.engine.framework.points import Predicate
from vqs.engine.nodes.table import ALL
from vqs.model.job import Task

CONF = """
actions: "allocate"
tiers:
- plugins:
  - name: predicates
  - name: nodeorder
"""

seeds = st.integers(0, 10**9)


def predicate_of(world: World) -> Predicate:
    """Return the plugin under test."""
    (predicate,) = world.session.node_plugins.predicates
    return predicate


def found(world: World, task: Task) -> list[tuple[str, ...]]:
    """Return the reasons that the plugin finds against each node."""
    codes = predicate_of(world).codes(world.session.fit(task).task_class, ALL)
    return [world.session.reasons.texts(code) for code in codes.tolist()]


@given(seeds)
@settings(max_examples=examples(150))
def test_reasons_are_those_of_the_rules(seed: int) -> None:
    """Every pending task is refused each node for the same reasons, in the same order, at any time in a session."""
    rnd = random.Random(seed)
    world = World(random_objects(rnd), CONF)
    for _ in range(6):
        for task in world.pending():
            assert found(world, task) == [rules.reasons_against(world, task, node) for node in rules.nodes(world)]
        world.step(rnd)


@given(seeds)
@settings(max_examples=examples(50))
def test_some_nodes_get_the_same_answer_as_all(seed: int) -> None:
    """Asking for a few rows gives what asking for all of them gives there."""
    rnd = random.Random(seed)
    world = World(random_objects(rnd), CONF)
    columns = list(range(len(world.session.nodes)))
    rows = np.array(rnd.sample(columns, rnd.randint(1, len(columns))), dtype=np.intp)
    for task in world.pending():
        task_class, predicate = world.session.fit(task).task_class, predicate_of(world)
        assert predicate.codes(task_class, rows).tolist() == predicate.codes(task_class, ALL)[rows].tolist()


@given(seeds)
@settings(max_examples=examples(100))
def test_only_volatile_classes_change_elsewhere(seed: int) -> None:
    """Where a class is not volatile, a placement changes its answer for that one node at most."""
    rnd = random.Random(seed)
    world = World(random_objects(rnd), CONF)
    for _ in range(5):
        steady = [t for t in world.pending() if not predicate_of(world).volatile(world.session.fit(t).task_class)]
        before = {task.uid: found(world, task) for task in steady}
        column = world.step(rnd)
        for task in steady:
            after = found(world, task)
            assert [i for i, reasons in enumerate(after) if reasons != before[task.uid][i]] in ([], [column])


@given(seeds)
@settings(max_examples=examples(50))
def test_tasks_of_a_class_are_treated_alike(seed: int) -> None:
    """Two tasks that are put into one class are refused the same nodes for the same reasons by the rules."""
    rnd = random.Random(seed)
    world = World(random_objects(rnd), CONF)
    world.step(rnd)
    by_class: dict[int, list[list[tuple[str, ...]]]] = {}
    for task in world.pending():
        reasons = [rules.reasons_against(world, task, node) for node in rules.nodes(world)]
        by_class.setdefault(world.session.fit(task).task_class.number, []).append(reasons)
    assert all(reasons == alike[0] for alike in by_class.values() for reasons in alike)
