"""usage: keep pods off nodes that are busy, and prefer nodes that are used least, by what is measured.

A node takes no pod while its use of cpu or of memory is above the threshold. Its score is the mean of what is left of
both, in percent, weighted: (100 - cpu) * cpu.weight + (100 - memory) * memory.weight, divided by the sum of these
weights, times usage.weight. The plugin has no part in the decision on a node whose usage is unknown, or older than five
minutes.

No manifest says how busy nodes are: `--usage FILE` or NodeMetrics in a dump do. Where some nodes are known and others
are not, these count as idle, as Volcano takes it from Prometheus and Elasticsearch; with metrics of the type
prometheus_adaptor they are unknown.

From v1.16 on, the score also counts what pods are thought to use that were placed too recently to be measured: those
that the session places, those that are bound, and those that run for less than the interval of the metrics (30s).
Each counts with `request_ratio` (0.7) of its request and `burst_ratio` (0) of what its limit is beyond that, or, where
it requests nothing, with `be_cpu` (250m) and `be_mem` (200Mi); times `risk_factor` (1.2) on a node that is used to
`risk_threshold` (0.6) or more; but not with more than its limit.

Arguments: `usage.weight` (default 5), `cpu.weight` and `memory.weight` (default 1 each), whole numbers; `thresholds`:
`cpu` and `mem` (default 80 each), whole numbers in percent; any other value is 0, and from v1.16 on, the default.
There, negative weights are the default as well, and `estimator` has the six named above. With `enablePredicate: false`,
nodes are only scored.
Reference: pkg/scheduler/plugins/usage/usage.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

import numpy as np

from vqs.config.known_arguments import Arguments
from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.table import Floats, Nodes
from vqs.engine.nodes.usage import UNKNOWN_USAGE, NodeUsage
from vqs.model.codes import USAGE_UNKNOWN
from vqs.model.durations import parse_duration
from vqs.model.job import Task, TaskStatus
from vqs.model.quantity import milli_value, value
from vqs.model.requests import volcano_limit
from vqs.model.resource import CPU, MEMORY, Resource

NAME: Final = "usage"

THRESHOLDS: Final = "thresholds"
DEFAULT_THRESHOLD: Final = 80.0
_ARGUMENT_OF: Final = {CPU: "cpu", MEMORY: "mem"}

ACTIVE_SECONDS: Final = 5 * 60
"""How old what is measured may be."""

WEIGHTS: Final = ("cpu.weight", "memory.weight")
"""The arguments that weigh what is left of each resource."""

BUSY: Final = {
    CPU: "the CPU load of the node exceeds the upper limit.",
    MEMORY: "the memory load of the node exceeds the upper limit.",
}
HIGHEST_SCORE: Final = 100

ESTIMATOR: Final = "estimator"
_FACTORS: Final = {
    "request_ratio": (0.7, 0.0, 1.0),
    "burst_ratio": (0.0, 0.0, 1.0),
    "risk_threshold": (0.6, 0.0, 1.0),
    "risk_factor": (1.2, 1.0, float("inf")),
}
"""The numbers of the estimator: the default, and the range."""
_BEST_EFFORT: Final = Resource(250.0, 200.0 * 1024 * 1024)
_METRICS_INTERVAL: Final = 30.0


class UsagePlugin(Plugin, points.SteadyPredicate):
    """Filter and score nodes by how busy they are; a pod that is placed changes the score of its node at most."""

    reasons = tuple(BUSY.values())

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        arguments = option.arguments
        self.weight = arguments.int("usage.weight")
        self.weights = dict(zip((CPU, MEMORY), map(arguments.int, WEIGHTS), strict=True))

    def on_session_open(self, session: Session) -> None:
        """Work out the reason and the score of every node, and add the answers."""
        checks = session.profile.usage.usage_bounds == "checked"
        self.thresholds = thresholds(self.option.arguments, checks=checks)
        if checks:
            defaults = {CPU: 1, MEMORY: 1}
            self.weight = self.weight if self.weight >= 0 else 5
            self.weights = {name: each if each >= 0 else defaults[name] for name, each in self.weights.items()}
        usage = NodeUsage.of(session)
        if not usage.known:
            session.warn(
                USAGE_UNKNOWN,
                f"plugin {NAME}: the usage of nodes is unknown, so all are accepted and none is scored; "
                "give it with --usage FILE, or add nodes.metrics.k8s.io to the kubectl get that takes the snapshot",
                unknown=[UNKNOWN_USAGE],
            )
        names = session.nodes.names
        known = np.array([usage.age(name) <= ACTIVE_SECONDS for name in names], np.bool_)
        percent = {resource: np.array([usage.percent[name][resource] for name in names]) for resource in BUSY}
        codes: Codes = np.full(len(known), FITS, np.int32)
        for resource, text in reversed(BUSY.items()):  # the first one found counts
            codes[known & (percent[resource] > self.thresholds[resource])] = session.reasons.code(text)
        self.all_codes = codes
        session.plugins.add(points.PREDICATE, NAME, self)
        if session.profile.usage.usage_estimates == "added":
            self.estimates = Estimates(session, self.option.arguments, percent, self.weights)
            self.known = known
            session.plugins.add(points.NODE_ORDER, NAME, self.score_with_estimates)
            return
        self.all_scores: Floats = np.where(known, self._scores(session, percent), 0.0)
        session.plugins.add(points.NODE_ORDER, NAME, self.score)

    def _scores(self, session: Session, percent: dict[str, Floats]) -> Floats:
        total = sum(self.weights.values())
        parts = [(100 - percent[resource]) / 100 * float(weight) for resource, weight in self.weights.items()]
        with np.errstate(divide="ignore", invalid="ignore"):  # as in Go
            scores: Floats = (parts[0] + parts[1]) / float(total) * float(HIGHEST_SCORE * self.weight)
        if not total:
            session.scoring_failure = f"the weights of plugin {NAME} add up to 0, which leaves no score"
            session.warn(
                "usage-weights",
                f"plugin {NAME}: the sum of cpu.weight and memory.weight is 0, so that scores are infinite, or none: "
                "where several nodes fit a pod, Volcano takes none of those whose score is no number",
            )
        return np.where(np.isnan(scores), -np.inf, scores)

    def codes(self, _: EquivalenceClass, nodes: Nodes) -> Codes:
        """For each of some nodes 0 where it takes pods, else the code of the reason."""
        return self.all_codes[nodes]

    def score(self, _: EquivalenceClass, nodes: Nodes) -> Floats:
        """The score of some nodes."""
        return self.all_scores[nodes]

    def score_with_estimates(self, _: EquivalenceClass, nodes: Nodes) -> Floats:
        """The score of some nodes, with what pods on them are thought to use."""
        total = sum(self.weights.values())
        if not total:
            return np.zeros(len(self.known[nodes]))
        used = self.estimates.used(nodes)
        left = [(1.0 - used[resource]) * float(weight) for resource, weight in self.weights.items()]
        scores: Floats = (left[0] + left[1]) / float(total) * float(HIGHEST_SCORE) * float(self.weight)
        return np.where(self.known[nodes], scores, 0.0)


class Estimates:
    """What pods are thought to use of each node whose use is not measured yet."""

    def __init__(
        self, session: Session, arguments: Arguments, percent: Mapping[str, Floats], weights: Mapping[str, int]
    ) -> None:
        given = arguments.get(ESTIMATOR)
        given = given if isinstance(given, dict) else {}
        factors = (_within(given.get(name), *bounds) for name, bounds in _FACTORS.items())
        self.request_ratio, self.burst_ratio, self.risk_threshold, self.risk_factor = factors
        self.best_effort = Resource(
            _amount(given.get("be_cpu"), _BEST_EFFORT.milli_cpu, 1, milli_value),
            _amount(given.get("be_mem"), _BEST_EFFORT.memory, 1024 * 1024, value),
        )
        self.nodes, self.weights = session.nodes, weights
        capacity = [node.capacity for node in session.nodes.nodes]
        self.capacity = {name: np.array([each.get(name) for each in capacity]) for name in BUSY}
        self.measured = {name: percent[name] / 100.0 * self.capacity[name] for name in BUSY}
        self.estimated = {name: np.zeros(len(capacity)) for name in BUSY}
        self.counted: dict[str, tuple[int, Resource]] = {}
        interval = parse_duration(str(session.conf.metrics.get("interval", ""))) or 0.0
        oldest = session.options.now - timedelta(seconds=interval if interval > 0 else _METRICS_INTERVAL)
        for task in (*session.tasks(), *session.cluster.other_tasks):
            started = task.pod.status.start_time
            is_new = task.status is TaskStatus.Running and (started is None or started > oldest)
            if is_new or task.status in (TaskStatus.Allocated, TaskStatus.Binding, TaskStatus.Bound):
                self.add(task)
        session.add_event_handler(self.add, self.take)

    def used(self, nodes: Nodes) -> dict[str, Floats]:
        """The part of each resource of some nodes that is used, from 0 to 1."""
        parts = {}
        for name in BUSY:
            capacity, amount = self.capacity[name][nodes], (self.measured[name] + self.estimated[name])[nodes]
            parts[name] = np.where(capacity > 0, np.clip(amount / np.where(capacity > 0, capacity, 1.0), 0.0, 1.0), 0.0)
        return parts

    def add(self, task: Task) -> None:
        """Count a task on its node."""
        node = self.nodes.index.get(task.node or "")
        if node is None:
            return
        used, total = self.used(np.array([node])), sum(self.weights.values())
        load = sum(float(used[name][0]) * weight for name, weight in self.weights.items()) / total if total else 0.0
        risk = self.risk_factor if load >= self.risk_threshold else 1.0
        if task.best_effort:
            estimate = self.best_effort.clone().multiply(risk)
        else:
            limit, parts = volcano_limit(task.pod), {}
            for name in BUSY:
                request = task.request.get(name)
                most = max(limit.get(name), request)
                wanted = (request * self.request_ratio + (most - request) * self.burst_ratio) * risk
                parts[name] = min(max(wanted, 0.0), most)
            estimate = Resource(parts[CPU], parts[MEMORY])
        self.take(task)
        self.counted[task.uid] = node, estimate
        for name in BUSY:
            self.estimated[name][node] += estimate.get(name)

    def take(self, task: Task) -> None:
        """Count a task no longer."""
        node, estimate = self.counted.pop(task.uid, (0, Resource()))
        for name in BUSY:
            self.estimated[name][node] = max(self.estimated[name][node] - estimate.get(name), 0.0)


def _within(given: object, default: float, least: float, most: float) -> float:
    """A number, or the default where that is none or out of its range."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return default
    return float(given) if least <= given <= most else default


def _amount(given: object, default: float, unit: int, read: Callable[[str], int]) -> float:
    """An amount: a whole number of units, or a quantity; the default where it is neither, or negative."""
    try:
        amount = read(given) if isinstance(given, str) else given * unit if type(given) is int else -1
    except ValueError:
        return default
    return float(amount) if amount >= 0 else default


def thresholds(arguments: Arguments, *, checks: bool) -> dict[str, float]:
    """How much of each resource may be used, in percent.

    Args:
        arguments: those of the plugin.
        checks: whether a value that is no percentage counts as not given; else, what is no whole number is 0.
    """
    given = arguments.get(THRESHOLDS)
    limits = given if isinstance(given, dict) else {}
    return {
        resource: _limit(limits[name], checks=checks) if name in limits else DEFAULT_THRESHOLD
        for resource, name in _ARGUMENT_OF.items()
    }


def _limit(given: object, *, checks: bool) -> float:
    if isinstance(given, bool) or not isinstance(given, int):
        return DEFAULT_THRESHOLD if checks else 0.0
    return _within(given, DEFAULT_THRESHOLD, 0, 100) if checks else float(given)
