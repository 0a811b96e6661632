"""The two scores, for all nodes and one class of tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NoReturn

import numpy as np

from vqs.engine.nodes.table import Block, Floats, Nodes, NodeTable, of_nodes
from vqs.engine.plugins.resource_strategy_fit.settings import MOST_ALLOCATED, STRATEGIES, Avoidance, Settings, Strategy
from vqs.model.keys import STRATEGY_TYPE, STRATEGY_WEIGHTS
from vqs.model.kubernetes import Pod
from vqs.model.resource import Resource

MAX_SCORE: Final = 100

_INT64: Final = range(-(2**63), 2**63)


class StrategyScore:
    """The weighted mean of what the strategies of the requested resources give."""

    def __init__(self, request: Resource, strategies: Mapping[str, Strategy], weight: int, nodes: NodeTable) -> None:
        names = [name for name in request.names() if name in strategies]
        self._nodes = nodes
        self._rows = nodes.rows(Block.USED, names)
        self._request: Floats = np.array([request.get(name) for name in names])[:, None]
        self._most = [strategies[name].kind == MOST_ALLOCATED for name in names]
        self._sum = float(sum(strategies[name].weight for name in names))
        self._factor = float(MAX_SCORE) * float(weight)
        weights = np.array([float(strategies[name].weight) for name in names])[:, None]
        known = np.array([strategies[name].kind in STRATEGIES for name in names], np.bool_)[:, None]
        capacity = nodes.allocatable[[nodes.row[name] for name in names]]
        counts = (capacity != 0) & (weights != 0) & known
        # A resource that does not count is given no weight and no limit, so that no row needs a condition.
        self._weight = np.where(counts, weights, 0.0)
        self._capacity = np.where(counts, capacity, 1.0)
        self._limit = np.where(counts, capacity, np.inf)

    def of(self, nodes: Nodes) -> Floats:
        """Return the scores of some nodes; 0 where the task does not fit a resource that counts."""
        used = self._nodes.gather(self._rows, nodes) + self._request
        weight, capacity = of_nodes(self._weight, nodes), of_nodes(self._capacity, nodes)
        score: Floats = np.zeros(used.shape[1])
        for number, most in enumerate(self._most):  # one by one, as the sum of floats depends on the order
            part = used[number] if most else capacity[number] - used[number]
            score += part * weight[number] / capacity[number]
        if self._sum > 0:
            score /= self._sum
        score *= self._factor
        score[(used > of_nodes(self._limit, nodes)).any(axis=0)] = 0.0
        return score


def avoidance_score(request: Resource, avoidance: Avoidance, nodes: NodeTable) -> Floats:
    """Return the score of each node by the scarce resources that it does not have; no placement changes it."""
    score = np.zeros(len(nodes))
    for name, weight in avoidance.weights.items():
        if name in nodes.row:
            score += np.where(nodes.allocatable[nodes.row[name]] > 0, float(weight), 0.0)
    if avoidance.sum > 0:
        score = 1.0 - score / avoidance.sum
    score *= float(MAX_SCORE * avoidance.weight)
    requested = nodes.allocatable[[nodes.row[name] for name in request.names()]]
    score[(requested == 0).any(axis=0)] = 0.0
    return score


def strategies_of(pod: Pod, request: Resource, settings: Settings) -> dict[str, Strategy] | None:
    """Return the strategies of the requested resources for a pod; None where its annotations cannot be read.

    A strategy that its annotations name and Volcano does not know takes part with its weight, and gives nothing.
    """
    annotations = pod.metadata.annotations
    kind = annotations.get(STRATEGY_TYPE)
    if not kind:
        found = {name: settings.strategy(name) for name in request.names()}
        return {name: strategy for name, strategy in found.items() if strategy is not None}
    weights = read_weights(annotations.get(STRATEGY_WEIGHTS, ""))
    return None if weights is None else {name: Strategy(kind, weight) for name, weight in weights.items()}


def read_weights(text: str) -> dict[str, int] | None:
    """Read weights as Go reads whole numbers by name; None where they are none.

    >>> read_weights('{"cpu": 2, "memory": null}'), read_weights('{"cpu": 1.0}'), read_weights("cpu=2")
    ({'cpu': 2, 'memory': 0}, None, None)
    """
    try:
        read = json.loads(text, parse_float=_refuse, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if read is None:
        return {}
    if not isinstance(read, dict):
        return None
    weights = {name: 0 if weight is None else weight for name, weight in read.items()}
    return weights if all(type(each) is int and each in _INT64 for each in weights.values()) else None


def _refuse(text: str) -> NoReturn:
    raise ValueError(text)
