"""resource-strategy-fit: score nodes by a strategy for each resource, and keep room for scarce resources.

* The strategy of a resource is MostAllocated, the part of it that would be in use with the task, or LeastAllocated, the
  part that would be left; the score is the weighted mean, between 0 and 100, times `resourceStrategyFitWeight` (default
  10; 0 switches it off). `resources` names them, with `type` (default LeastAllocated) and `weight` (default 1); a name
  may end with an asterisk, and the longest that fits counts. By default these are cpu and memory, LeastAllocated.
  A pod's annotations may say otherwise: `volcano.sh/resource-strategy-scoring-type` with one strategy for all resources
  in `volcano.sh/resource-strategy-weight`, their weights as JSON.
* `sra` (scarce resource avoidance) scores nodes by the scarce resources that they do not have: `enable` (default
  false), `resources` (names, separated by commas), `weight` (default 0, which scores nothing), `resourceWeight` (by
  name, default 1). A node without something that the task requests scores 0.
* `proportional` refuses nodes where a task that uses no scarce resource would leave too little for tasks that do:
  `enable` (default false), `resources`, and `resourceProportion`: what is kept for each idle unit of NAME, in cores
  under `NAME.cpu` and in GB of 1000^3 bytes under `NAME.memory` (default 1 each).

It exists from v1.13 on.
Reference: pkg/scheduler/plugins/resource-strategy-fit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np

from vqs.config.known_arguments import Arguments, names_in
from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.reasons import FITS, Codes, Reasons
from vqs.engine.nodes.table import Block, Floats, Masks, Nodes, NodeTable, of_nodes
from vqs.model.keys import STRATEGY_TYPE, STRATEGY_WEIGHTS
from vqs.model.kubernetes import Pod
from vqs.model.resource import CPU, MEMORY, Resource

NAME = "resource-strategy-fit"
TOO_LITTLE_LEFT = "proportional of resource {} check failed"


class ResourceStrategyFitPlugin(Plugin):
    """Score nodes by the resources that they have, and keep some of these back."""

    reasons = (TOO_LITTLE_LEFT.format("NAME"),)

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.settings = Settings.of(option.arguments)

    def on_session_open(self, session: Session) -> None:
        """Add the answers that the settings ask for."""
        self.nodes = session.nodes
        if self.settings.proportions is not None:
            session.plugins.add(
                points.PREDICATE, NAME, ProportionFilter(self.settings.proportions, session.nodes, session.reasons)
            )
        if self.settings.weight > 0 or self.settings.avoidance.weight > 0:
            session.classes.add_signature(
                lambda task: tuple(map(task.pod.metadata.annotations.get, (STRATEGY_TYPE, STRATEGY_WEIGHTS)))
            )
            session.plugins.add(points.NODE_ORDER, NAME, self.score)

    def score(self, task_class: EquivalenceClass, nodes: Nodes) -> Floats:
        """The sum of both scores of some nodes."""
        known: _ClassScores | None = task_class.notes.get(NAME)
        if known is None:
            settings, request = self.settings, task_class.task.request
            strategies = strategies_of(task_class.pod, request, settings) if settings.weight > 0 else None
            avoidance = settings.avoidance
            known = task_class.notes[NAME] = _ClassScores(
                None if strategies is None else StrategyScore(request, strategies, settings.weight, self.nodes),
                avoidance_score(request, avoidance, self.nodes) if avoidance.weight > 0 else None,
            )
        score = np.zeros(len(self.nodes))[nodes] if known.strategies is None else known.strategies.of(nodes)
        return score if known.avoidance is None else score + known.avoidance[nodes]


class _ClassScores(NamedTuple):
    """What is known about a class; None where a score is 0 for all nodes."""

    strategies: StrategyScore | None
    avoidance: Floats | None


DEFAULT_WEIGHT: Final = 10
MOST_ALLOCATED: Final = "MostAllocated"
LEAST_ALLOCATED: Final = "LeastAllocated"
STRATEGIES: Final = (MOST_ALLOCATED, LEAST_ALLOCATED)
ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class Strategy:
    """What a resource counts for, and how much."""

    kind: str
    weight: int


@dataclass(frozen=True, slots=True)
class Avoidance:
    """The weight of the score, those of scarce resources, and their sum: a name that is listed twice counts twice."""

    weight: int = 0
    weights: Mapping[str, int] = field(default_factory=dict)
    sum: int = 0


@dataclass(frozen=True, slots=True)
class Proportion:
    """What is kept for each idle unit of a resource: in cores, and in GB of 1000^3 bytes."""

    cpu: float
    memory: float


@dataclass(frozen=True, slots=True)
class Settings:
    """All three parts; `proportions` is None where no node is refused."""

    weight: int
    strategies: Mapping[str, Strategy]
    avoidance: Avoidance
    proportions: Mapping[str, Proportion] | None

    @classmethod
    def of(cls, arguments: Arguments) -> Settings:
        """Read the arguments."""
        weight = arguments.decoded("resourceStrategyFitWeight")
        given, avoidance = arguments.decoded("sra") or {}, Avoidance()
        if given.get("enable"):
            names = names_in(given["resources"])
            weights = {name: _or_one(given["resourceWeight"], name) for name in names}
            avoidance = Avoidance(given["weight"], weights, sum(weights[name] for name in names))
        return cls(
            DEFAULT_WEIGHT if weight is None or weight < 0 else weight,
            dict(_strategies(arguments)),
            avoidance,
            _proportions(arguments.decoded("proportional") or {}),
        )

    def strategy(self, resource: str) -> Strategy | None:
        """The strategy of a resource: under its own name, else under the longest pattern that fits."""
        exact = self.strategies.get(resource)
        if exact is not None:
            return exact
        patterns = [name for name in self.strategies if ANY in name and resource.startswith(name.removesuffix(ANY))]
        return self.strategies[max(patterns, key=len)] if patterns else None


def is_pattern(name: str) -> bool:
    """True if Volcano can read the name of a resource: with at most one asterisk, at its end and after something.

    >>> [is_pattern(each) for each in ("cpu", "example.com/*", "*", "*/gpu", "a*b*")]
    [True, True, False, False, False]
    """
    return ANY not in name or (name.endswith(ANY) and name.count(ANY) == 1 and name != ANY)


def _strategies(arguments: Arguments) -> Iterator[tuple[str, Strategy]]:
    given = arguments.decoded("resources") or {name: {"type": LEAST_ALLOCATED, "weight": 1} for name in (CPU, MEMORY)}
    for name, each in given.items():
        if not is_pattern(name):
            arguments.warnings.append(
                f"resources.{name}: an asterisk may only stand at the end of a name; it is left out, as Volcano does"
            )
            continue
        kind = MOST_ALLOCATED if each["type"] == MOST_ALLOCATED else LEAST_ALLOCATED
        yield name, Strategy(kind, each["weight"] if each["weight"] > 0 else 1)


def _proportions(given: Mapping[str, Any]) -> dict[str, Proportion] | None:
    if not given.get("enable"):
        return None
    rates = given["resourceProportion"]
    return {
        name: Proportion(_or_one(rates, f"{name}.cpu"), _or_one(rates, f"{name}.memory"))
        for name in names_in(given["resources"])
    }


def _or_one(amounts: Mapping[str, Any], name: str) -> Any:
    """What is given for a name, 1 where nothing is or where it is negative."""
    amount = amounts.get(name, 1)
    return 1 if amount < 0 else amount


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
        """The scores of some nodes; 0 where the task does not fit a resource that counts."""
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
    """The score of each node by the scarce resources that it does not have; no placement changes it."""
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
    """The strategies of the requested resources for a pod; None where its annotations cannot be read.

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


MEMORY_UNIT = 1000.0 * 1000.0
"""The bytes that a thousandth of a unit keeps, at a proportion of 1."""


class ProportionFilter(points.SteadyPredicate):
    """Refuse a task that would leave less than what is kept for the idle units of a resource."""

    def __init__(self, proportions: Mapping[str, Proportion], nodes: NodeTable, reasons: Reasons) -> None:
        known = {name: proportion for name, proportion in sorted(proportions.items()) if name in nodes.row}
        self._proportions = {name: each for name, each in known.items() if name not in (CPU, MEMORY)}
        self._nodes = nodes
        self._codes = {name: reasons.code(TOO_LITTLE_LEFT.format(name)) for name in self._proportions}
        self._listed = {
            name: np.array([name in node.allocatable.scalars for node in nodes.nodes], np.bool_)
            for name in self._proportions
        }

    def codes(self, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """For each of some nodes 0 where a task of the class may go, else the code of the reason.

        Where several resources refuse, the first by name counts; the reference walks them as a map.
        """
        codes: Codes = np.full(self._nodes.idle[0, nodes].shape, FITS, np.int32)
        for name, refused in self.refused(task_class.task.request, nodes):
            codes[refused & (codes == FITS)] = self._codes[name]
        return codes

    def refused(self, request: Resource, nodes: Nodes) -> Iterator[tuple[str, Masks]]:
        """Yield the resources of which a request would leave too little for, and on which of some nodes."""
        idle = self._nodes.idle
        if any(request.scalars.get(name, 0.0) > 0 for name in self._proportions):
            return
        cpu, memory = idle[0, nodes] - request.milli_cpu, idle[1, nodes] - request.memory
        for name, proportion in self._proportions.items():
            units = idle[self._nodes.row[name], nodes]
            lacks = (cpu < units * proportion.cpu) | (memory < units * proportion.memory * MEMORY_UNIT)
            has: Masks = self._listed[name][nodes] | (units != 0)
            yield name, has & lacks
