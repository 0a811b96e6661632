"""pdb: evict no more pods than their PodDisruptionBudgets allow now. No arguments.

How many a budget allows is read from its status. A pod without labels is never evicted: no budget can be about it, and
the plugin takes that for a no. The action shuffle evicts all tasks that no budget protects, as the plugin names them.
Reference: pkg/scheduler/plugins/pdb/pdb.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Victims
from vqs.model.codes import EvictionCode
from vqs.model.kubernetes import PodDisruptionBudget
from vqs.model.selectors import Selector, label_selector
from vqs.model.task import Task

NAME = "pdb"


class DisruptionBudgetPlugin(Plugin):
    """Spare pods whose budget is used up."""

    refusals = (EvictionCode.DISRUPTION_BUDGET, EvictionCode.NO_LABELS)

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.budgets: dict[str, list[tuple[PodDisruptionBudget, Selector]]] = {}

    def on_session_open(self, session: Session) -> None:
        """Read the budgets and add the votes."""
        for budget in session.cluster.disruption_budgets:
            selector = label_selector(budget.spec.selector)
            if not selector.empty:  # where Kubernetes takes it for everything, this plugin does not
                self.budgets.setdefault(budget.metadata.namespace, []).append((budget, selector))
        voter = EvictableFn(self.vote, DependsOn.NOTHING)
        session.plugins.add(points.PREEMPTABLE, NAME, voter)
        session.plugins.add(points.RECLAIMABLE, NAME, voter)
        session.plugins.add(points.VICTIM_TASKS, NAME, self.victims)

    def vote(self, _: Task, candidates: Sequence[Task]) -> Victims:
        """Spare the candidates whose budgets are used up by those before them, counting those that are spared."""
        return self._votes(candidates)

    def _votes(self, candidates: Sequence[Task]) -> Victims:
        votes = Victims()
        asked: dict[str, int] = {}
        for task in candidates:
            if not task.pod.metadata.labels:
                votes.spare(task, Refusal(EvictionCode.NO_LABELS, NAME))
                continue
            exceeded = [budget for budget in self._budgets_of(task) if _exceeds(budget, asked)]
            if exceeded:
                votes.spare(task, _refusal(exceeded[0]))
            else:
                votes.take(task)
        return votes

    def victims(self, tasks: Sequence[Task]) -> list[Task]:
        """Which of some tasks should go: all that their budgets allow, though no other plugin may want it."""
        return self._votes(tasks).tasks

    def _budgets_of(self, task: Task) -> list[PodDisruptionBudget]:
        """The budgets that a task counts for, and that do not know yet that it is on its way out."""
        labels = task.pod.metadata.labels
        return [
            budget
            for budget, selector in self.budgets.get(task.namespace, ())
            if selector.matches(labels) and task.name not in budget.status.disrupted_pods
        ]


def _exceeds(budget: PodDisruptionBudget, asked: dict[str, int]) -> bool:
    key = budget.metadata.key
    asked[key] = asked.get(key, 0) + 1
    return asked[key] > budget.status.disruptions_allowed


def _refusal(budget: PodDisruptionBudget) -> Refusal:
    return Refusal(
        EvictionCode.DISRUPTION_BUDGET, NAME, have=float(budget.status.disruptions_allowed), text=budget.metadata.name
    )
