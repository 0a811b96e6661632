"""nodeorder agrees with the rules taken one node and one pod at a time, whatever has happened in the session."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.plugins import kubernetes_rules as rules
from tests.engine.plugins.kubernetes_clusters import World, random_objects
from tests.properties import examples
from vqs.engine.nodes.table import ALL
from vqs.model.job import Task
from vqs.model.kubernetes import Node

seeds = st.integers(0, 10**9)

EACH = ("leastrequested", "mostrequested", "balancedresource", "nodeaffinity", "imagelocality")
COMPARED = ("podaffinity", "tainttoleration", "podtopologyspread")


def conf(only: str, weight: int = 1) -> str:
    """Return a configuration with a single score switched on."""
    weights = [f"{name}.weight: {weight if name == only else 0}" for name in (*EACH, *COMPARED)]
    lines = "\n".join(f"      {line}" for line in weights)
    plugins = f"  - name: predicates\n  - name: nodeorder\n    arguments:\n{lines}"
    return f'actions: "allocate"\ntiers:\n- plugins:\n{plugins}\n'


def expected_each(world: World, name: str, task: Task) -> list[int]:
    """Return a score of every node by itself."""
    nodes = rules.nodes(world)
    match name:
        case "leastrequested":
            return [rules.usage_score(world, task, node, most=False) for node in nodes]
        case "mostrequested":
            return [rules.usage_score(world, task, node, most=True) for node in nodes]
        case "balancedresource":
            return [rules.balance_score(world, task, node) for node in nodes]
        case "nodeaffinity":
            return [rules.preference_score(task, node) for node in nodes]
    return [rules.image_score(world, task, node) for node in nodes]


def expected_compared(world: World, name: str, task: Task, candidates: list[Node]) -> list[int]:
    """Return a score of each candidate."""
    match name:
        case "podaffinity":
            return rules.affinity_scores(world, task, candidates)
        case "tainttoleration":
            return rules.taint_scores(task, candidates)
    return rules.spread_scores(world, task, candidates)


@pytest.mark.parametrize("name", EACH)
@given(seed=seeds)
@settings(max_examples=examples(60))
def test_scores_of_each_node(name: str, seed: int) -> None:
    """A score that looks at one node is the rules' score, for all nodes and for a single one."""
    rnd = random.Random(seed)
    world = World(random_objects(rnd), conf(name, 3))
    for _ in range(4):
        row = np.array([rnd.randrange(len(world.session.nodes))], dtype=np.intp)
        for task in world.pending():
            task_class, width = world.session.fit(task).task_class, len(world.session.nodes)
            scores = world.session.node_plugins.node_order(task_class, ALL, width)
            assert scores.tolist() == [3.0 * score for score in expected_each(world, name, task)]
            assert world.session.node_plugins.node_order(task_class, row, width).tolist() == scores[row].tolist()
        world.step(rnd)


@pytest.mark.parametrize("name", COMPARED)
@given(seed=seeds)
@settings(max_examples=examples(100))
def test_scores_of_candidates(name: str, seed: int) -> None:
    """A score that compares the candidates is the rules' score, and a constant one is the same for all of them."""
    rnd = random.Random(seed)
    world = World(random_objects(rnd), conf(name, 2))
    (batch,) = world.session.node_plugins.batch_scores
    for _ in range(5):
        columns = sorted(rnd.sample(range(len(world.session.nodes)), rnd.randint(1, len(world.session.nodes))))
        candidates = [rules.nodes(world)[column] for column in columns]
        for task in world.pending():
            task_class = world.session.fit(task).task_class
            expected = [2.0 * score for score in expected_compared(world, name, task, candidates)]
            assert batch.scores(task_class, np.array(columns, dtype=np.intp)).tolist() == expected
            assert batch.constant(task_class) in (None, *expected[:1])
        world.step(rnd)
