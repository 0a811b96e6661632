"""What the plugins of Kubernetes that the plugin predicates runs are told of tasks, and what they miss.

References: runPrePredicate, runReservePlugins and the event handlers in pkg/scheduler/plugins/predicates/predicates.go.
"""

from __future__ import annotations

from vqs.engine.nodes.table import Integers, NodeTable
from vqs.model.task import Task


class KubernetesPlugins:
    """The state that these plugins have of tasks in a session.

    Attributes:
        asked: the nodes that are to be asked about the last task that the pre-predicate step was run for; None for all.
        needs_pre_predicate: whether a filter of theirs fails for a task without that step.
        misses_spared_victims: whether they do not see a task again whose eviction was rolled back.
        missed: the tasks, by uid, that they do not see on their nodes.
    """

    def __init__(self, nodes: NodeTable) -> None:
        self.asked: Integers | None = None
        self.needs_pre_predicate = False
        self.misses_spared_victims = False
        self.missed: set[str] = set()
        self._nodes = nodes
        self._prepared: set[str] = set()

    def prepare(self, task: Task, asked: Integers | None) -> None:
        """Note that the pre-predicate step is run for a task, and which nodes are to be asked then; None for all."""
        self.asked = asked
        self._prepared.add(task.uid)

    def fails(self, task: Task) -> bool:
        """True if a filter fails for a task, as the pre-predicate step was never run for it."""
        return self.needs_pre_predicate and task.uid not in self._prepared

    def evict(self, task: Task, node: int) -> None:
        """Take note that a task's eviction starts: what was missed of it counts as held until then."""
        if task.uid in self.missed:
            self._nodes.hide(task, node, undo=True)

    def spare(self, task: Task, node: int) -> None:
        """Take note that a task's eviction was rolled back."""
        if self.misses_spared_victims:
            self.missed.add(task.uid)
            self._nodes.hide(task, node)
