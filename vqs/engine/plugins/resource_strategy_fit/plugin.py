"""The plugin itself: which answers its settings ask for."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.table import Floats, Nodes
from vqs.engine.plugins.resource_strategy_fit.proportions import TOO_LITTLE_LEFT, ProportionFilter
from vqs.engine.plugins.resource_strategy_fit.scores import (
    StrategyScore,
    avoidance_score,
    strategies_of,
)
from vqs.engine.plugins.resource_strategy_fit.settings import Settings
from vqs.model.keys import STRATEGY_TYPE, STRATEGY_WEIGHTS
from vqs.model.task import Task

NAME = "resource-strategy-fit"


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
            session.classes.add_signature(_annotations)
            session.plugins.add(points.NODE_ORDER, NAME, self.score)

    def score(self, task_class: EquivalenceClass, nodes: Nodes) -> Floats:
        """Return the sum of both scores of some nodes."""
        note: _Note | None = task_class.notes.get(NAME)
        if note is None:
            note = task_class.notes[NAME] = self._note(task_class)
        score = np.zeros(len(self.nodes))[nodes] if note.strategies is None else note.strategies.of(nodes)
        return score if note.avoidance is None else score + note.avoidance[nodes]

    def _note(self, task_class: EquivalenceClass) -> _Note:
        settings, request = self.settings, task_class.task.request
        strategies = strategies_of(task_class.pod, request, settings) if settings.weight > 0 else None
        avoidance = settings.avoidance
        return _Note(
            None if strategies is None else StrategyScore(request, strategies, settings.weight, self.nodes),
            avoidance_score(request, avoidance, self.nodes) if avoidance.weight > 0 else None,
        )


class _Note(NamedTuple):
    """What is known about a class; None where a score is 0 for all nodes."""

    strategies: StrategyScore | None
    avoidance: Floats | None


def _annotations(task: Task) -> Hashable:
    annotations = task.pod.metadata.annotations
    return annotations.get(STRATEGY_TYPE), annotations.get(STRATEGY_WEIGHTS)
