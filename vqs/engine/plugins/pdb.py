"""pdb: evict no more pods than their PodDisruptionBudgets allow now. No arguments.

How many a budget allows is read from its status, and counted anew for each task that evicts: in one session, several
tasks together may evict more than that. A pod without labels is never evicted: no budget can be about it, and the
plugin takes that for a no. The action shuffle evicts all tasks that no budget protects, as the plugin names them.
Reference: pkg/scheduler/plugins/pdb/pdb.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Victims
from vqs.model.codes import EvictionCode
from vqs.model.job import Task
from vqs.model.kubernetes import PodDisruptionBudget, PodDisruptionBudgetStatus
from vqs.model.selectors import Selector, label_selector
from vqs.model.wording import first_names

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
        # Some budgets allow nothing only because no controller has counted the pods that they are for.
        uncounted = {
            budget.metadata.key
            for job in session.jobs.values()
            for budget, selector in self.budgets.get(job.namespace, ())
            if budget.status == PodDisruptionBudgetStatus()
            and any(task.node and selector.matches(task.pod.metadata.labels) for task in job.tasks.values())
        }
        if uncounted:
            one = len(uncounted) == 1
            session.note(
                "budget-without-status",
                f"PodDisruptionBudget{'' if one else 's'} {first_names(sorted(uncounted))} {'has' if one else 'have'} "
                f"no status, and so the plugin pdb evicts no pod of {'it' if one else 'them'}; in a cluster, the "
                "disruption controller writes how many disruptions are allowed",
                help="add status.disruptionsAllowed, or capture the snapshot from the cluster",
            )
        voter = EvictableFn(lambda _, candidates: self.votes(candidates), DependsOn.NOTHING)
        session.plugins.add(points.PREEMPTABLE, NAME, voter)
        session.plugins.add(points.RECLAIMABLE, NAME, voter)
        session.plugins.add(points.VICTIM_TASKS, NAME, lambda tasks: self.votes(tasks).tasks)

    def votes(self, candidates: Sequence[Task]) -> Victims:
        """Spare the candidates whose budgets are used up by those before them, counting those that are spared."""
        votes = Victims()
        asked: Counter[str] = Counter()
        for task in candidates:
            if not task.pod.metadata.labels:
                votes.spare(task, Refusal(EvictionCode.NO_LABELS, NAME))
                continue
            labels = task.pod.metadata.labels
            budgets = [
                budget
                for budget, selector in self.budgets.get(task.namespace, ())
                if selector.matches(labels) and task.name not in budget.status.disrupted_pods
            ]
            asked.update(budget.metadata.key for budget in budgets)
            exceeded = (each for each in budgets if asked[each.metadata.key] > each.status.disruptions_allowed)
            budget = next(exceeded, None)
            if budget is None:
                votes.take(task)
            else:
                allowed, name = float(budget.status.disruptions_allowed), budget.metadata.name
                votes.spare(task, Refusal(EvictionCode.DISRUPTION_BUDGET, NAME, have=allowed, text=name))
        return votes
