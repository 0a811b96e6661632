"""Keep, for tasks that are watched, what every node was for them when they were tried."""

from __future__ import annotations

import numpy as np

from vqs.engine.actions.choice import Choice, gradients
from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import NodeView
from vqs.engine.nodes.fit import NodeFit
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.task import Task


def watch(
    session: Session, task: Task, fit: NodeFit, codes: Codes, choice: Choice | None, *, asked: Integers | None = None
) -> None:
    """Note the reasons of each node that was asked, or its scores among those compared, if a task is watched."""
    watched = session.options.watch
    if not watched or f"{task.namespace}/{task.name}" not in watched:
        return
    nodes = np.arange(len(codes)) if asked is None else asked
    fitting: Masks = np.zeros(len(codes), np.bool_)
    fitting[nodes] = codes[nodes] == FITS
    groups = (np.flatnonzero(mask) for mask, _ in gradients(session, fit, fitting))
    candidates = next((group for group in groups if len(group)), np.arange(0))
    by_plugin = session.plugins.scores_by_plugin(fit.task_class, candidates)
    scores = {
        int(node): {name: float(values[at]) for name, values in by_plugin.items()} for at, node in enumerate(candidates)
    }
    session.trace.views[task.uid] = [
        NodeView(
            node=name,
            reasons=session.reasons.texts(int(codes[node])),
            idle=bool(fit.idle[node]),
            scores=scores.get(node, {}),
            chosen=choice is not None and choice.node == node,
        )
        for node, name in ((node, session.nodes.names[node]) for node in nodes.tolist())
    ]
