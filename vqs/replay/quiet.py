"""Sessions that can be left out, as they decide nothing but the phases of PodGroups.

A session binds, evicts or admits only in favour of what waits: a task that is pending, or a PodGroup that is not
admitted. Where nothing waits, it only settles the phase of each PodGroup by the number of its pods in each state, and
that phase changes only if something has happened to the PodGroup since the last session. So a session is left out if
all of this holds:

- no task is pending, and no PodGroup waits to be admitted;
- no action evicts for another reason than that something waits (shuffle), and no plugin decides by the time or asks
  somebody else (sla, tdm, cdp, usage, rescheduling, extender), or is not Volcano's own;
- each PodGroup that something has happened to has at least as many pods that are bound, run or have succeeded as it
  needs to start. Others may be unschedulable, which the session itself has to find out.

References: getPodGroupPhase and jobStatus in pkg/scheduler/framework, and the plugin gang's OnSessionClose.
"""

from __future__ import annotations

from typing import Final

from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.model.job import COMPLETED, RUNNING
from vqs.replay.jobs import ENDED, JobRun, PodState

WITH_TIME: Final = frozenset({"sla", "tdm", "cdp", "usage", "rescheduling", "extender"})
"""The plugins that decide by more than the objects: by the time, or by what somebody else answers."""

_QUIET_ACTIONS: Final = frozenset(
    {"enqueue", "allocate", "backfill", "preempt", "reclaim", "gangpreempt", "gangreclaim"}
)
"""The actions that do nothing where nothing waits."""

_QUIET_PLUGINS: Final = frozenset(
    {
        *("binpack", "capacity", "conformance", "deviceshare", "drf", "gang", "network-topology-aware", "nodegroup"),
        *("nodeorder", "numa-aware", "overcommit", "pdb", "predicates", "priority", "proportion"),
        *("resource-strategy-fit", "resourcequota", "task-topology"),
    }
)
"""The plugins that do nothing where nothing waits, and decide by the objects alone."""

_READY: Final = frozenset({PodState.BOUND, PodState.RUNNING, PodState.SUCCEEDED})
_SCHEDULED: Final = frozenset({*_READY, PodState.FAILED})


def decides_by_time(conf: SchedulerConfiguration) -> bool:
    """Tell whether a session may decide otherwise only because time has gone by."""
    return any(option.name in WITH_TIME for tier in conf.tiers for option in tier.plugins)


def may_be_quiet(conf: SchedulerConfiguration) -> bool:
    """Tell whether sessions under a configuration do nothing where nothing waits."""
    plugins = {option.name for tier in conf.tiers for option in tier.plugins}
    return plugins <= _QUIET_PLUGINS and _QUIET_ACTIONS.issuperset(conf.actions)


def is_settled(job: JobRun) -> bool:
    """Tell whether the phase of a job's PodGroup follows from the number of its pods alone."""
    return job.number(_READY) >= job.gang.group.spec.min_member


def settled_phase(job: JobRun) -> str:
    """Return the phase that a session leaves the PodGroup of a settled job in."""
    return COMPLETED if job.number(_SCHEDULED) == job.number(ENDED) else RUNNING
