"""usage: keep pods off nodes that are busy, and prefer nodes that are used least, by what is measured.

A node takes no pod while its use of cpu or of memory is above the threshold. Its score is the mean of what is left of
both, in percent, weighted: (100 - cpu) * cpu.weight + (100 - memory) * memory.weight, divided by the sum of these
weights, times usage.weight. The plugin has no part in the decision on a node whose usage is unknown, or older than five
minutes.

No manifest says how busy nodes are: `--usage FILE` or NodeMetrics in a dump do. Where some nodes are known and others
are not, these count as idle, as Volcano takes it from Prometheus and Elasticsearch; with metrics of the type
prometheus_adaptor they are unknown.

Arguments: `usage.weight` (default 5), `cpu.weight` and `memory.weight` (default 1 each), whole numbers; `thresholds`:
`cpu` and `mem` (default 80 each), whole numbers in percent; any other value is 0. With `enablePredicate: false`, nodes
are only scored.
Reference: pkg/scheduler/plugins/usage/usage.go.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vqs.config.arguments import Arguments
from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.table import Floats, Nodes
from vqs.engine.nodes.usage import UNKNOWN_USAGE, NodeUsage
from vqs.model.codes import USAGE_UNKNOWN
from vqs.model.resource import CPU, MEMORY

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


class UsagePlugin(Plugin, points.SteadyPredicate):
    """Filter and score nodes by how busy they are; nothing that the session does changes that."""

    reasons = tuple(BUSY.values())

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        arguments = option.arguments
        self.weight = arguments.int("usage.weight")
        self.weights = dict(zip((CPU, MEMORY), map(arguments.int, WEIGHTS), strict=True))
        self.thresholds = thresholds(arguments)

    def on_session_open(self, session: Session) -> None:
        """Work out the reason and the score of every node, and add the answers."""
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
        self.all_scores: Floats = np.where(known, self._scores(session, percent), 0.0)
        session.plugins.add(points.PREDICATE, NAME, self)
        session.plugins.add(points.NODE_ORDER, NAME, self.score)

    def _scores(self, session: Session, percent: dict[str, Floats]) -> Floats:
        total = sum(self.weights.values())
        if not total:
            session.warn(
                "usage-weights",
                f"plugin {NAME}: the sum of cpu.weight and memory.weight is 0: Volcano places no pod that more than "
                "one node fits; here, the plugin scores no node",
                unknown=[f"the scores of plugin {NAME}"],
            )
            return np.zeros(len(session.nodes))
        parts = [(100 - percent[resource]) / 100 * float(weight) for resource, weight in self.weights.items()]
        scores: Floats = (parts[0] + parts[1]) / float(total) * float(HIGHEST_SCORE * self.weight)
        return scores

    def codes(self, _: EquivalenceClass, nodes: Nodes) -> Codes:
        """For each of some nodes 0 where it takes pods, else the code of the reason."""
        return self.all_codes[nodes]

    def score(self, _: EquivalenceClass, nodes: Nodes) -> Floats:
        """The score of some nodes."""
        return self.all_scores[nodes]


def thresholds(arguments: Arguments) -> dict[str, float]:
    """How much of each resource may be used, in percent; a value that is no whole number is 0."""
    given = arguments.get(THRESHOLDS)
    limits = given if isinstance(given, dict) else {}
    return {
        resource: _limit(limits[name]) if name in limits else DEFAULT_THRESHOLD
        for resource, name in _ARGUMENT_OF.items()
    }


def _limit(value: object) -> float:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else 0.0
