"""Sessions that can be left out, as they decide nothing but the phases of PodGroups.

A session binds, evicts or admits only in favour of what waits: a task that is pending, or a PodGroup that is not
admitted. It is left out in two cases. In the first, nothing waits. In the second, something waits that the last session
has refused, and there is no more room for it than there was then: since that session, pods were only bound by it and
started to run; nothing has ended, no pod and no PodGroup is new, and no node has changed.

In both cases it only settles the phase of each PodGroup by the number of its pods in each state; that phase changes
only if something has happened to the PodGroup. Where some of its pods run, but fewer are bound, run or have succeeded
than it needs, the session is run, as it may find the job unschedulable.

A PodGroup that is Inqueue while its pods hold room already counts twice at the gates of enqueue. Where a session finds
one, the next may admit what it refused, as the PodGroup is Running by then; so the next one is run.

Neither case holds where a plugin decides by the time, or asks another program (sla, tdm, cdp, usage, rescheduling,
extender), where plugins or actions are not Volcano's own, or where the action shuffle evicts. The second one does not
hold either where more pods on nodes can make room for others, or their own room depends on other objects than nodes:

- with an action that evicts, as pods that started to run can be evicted;
- with pods that ask for others beside them (affinity, topology spread), volumes or claims on devices, or PodGroups that
  ask for a network topology;
- with the plugins resourcequota and task-topology, or where allocate comes before enqueue.

References: getPodGroupPhase and jobStatus in pkg/scheduler/framework, and the plugin gang's OnSessionClose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.model.job import COMPLETED, INQUEUE, PENDING, RUNNING
from vqs.releases.profile import Profile
from vqs.replay.jobs import ENDED, JobRun, PodState
from vqs.replay.workload import Gang

WITH_TIME: Final = frozenset({"sla", "tdm", "cdp", "usage", "rescheduling", "extender"})
"""The plugins that decide by more than the objects: by the time, or by what another program answers."""

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

_REFUSES_AGAIN: Final = ("enqueue", "allocate", "backfill")
"""The actions under which what was refused stays refused as long as there is no more room, in this order."""

_LOOK_ELSEWHERE: Final = frozenset({"resourcequota", "task-topology"})
"""The plugins that may decide otherwise as pods start to run."""

_READY: Final = frozenset({PodState.BOUND, PodState.RUNNING, PodState.SUCCEEDED})
_SCHEDULED: Final = frozenset({*_READY, PodState.FAILED})


@dataclass(frozen=True, slots=True)
class Quiet:
    """When sessions under a configuration can be left out.

    Attributes:
        decides_by_time: whether a session may decide otherwise only because time has gone by.
        where_nothing_waits: whether sessions only settle phases where nothing waits.
        where_nothing_is_new: whether what was refused stays refused as long as there is no more room.
    """

    decides_by_time: bool
    where_nothing_waits: bool
    where_nothing_is_new: bool


def quiet(conf: SchedulerConfiguration, profile: Profile) -> Quiet:
    """Return when sessions under a configuration can be left out."""
    leave = profile.enqueue.inqueue_jobs != "stay"
    tries_all = profile.dequeue.jobs_behind_failed == "tried"
    plugins = {option.name for option in conf.plugins}
    known = plugins <= _QUIET_PLUGINS
    places = [_REFUSES_AGAIN.index(action) for action in conf.actions if action in _REFUSES_AGAIN]
    only_refuses = len(places) == len(conf.actions) and places == sorted(places)
    return Quiet(
        decides_by_time=leave or not WITH_TIME.isdisjoint(plugins),
        where_nothing_waits=known and _QUIET_ACTIONS.issuperset(conf.actions),
        where_nothing_is_new=known and not leave and tries_all and only_refuses and _LOOK_ELSEWHERE.isdisjoint(plugins),
    )


def looks_elsewhere(gang: Gang) -> bool:
    """Tell whether a job may find room because of other objects than nodes: pods beside its own, volumes, a network."""
    spec = gang.group.spec
    if spec.network_topology is not None or spec.sub_group_policy:
        return True
    for pod in (each.spec for each in gang.pods):
        affinity = pod.affinity
        beside = affinity is not None and (affinity.pod_affinity is not None or affinity.pod_anti_affinity is not None)
        if beside or pod.topology_spread_constraints or pod.volumes or pod.resource_claims:
            return True
    return False


def is_settled(job: JobRun) -> bool:
    """Tell whether the phase of a job's PodGroup follows from the number of its pods alone."""
    return not job.counts[PodState.RUNNING] or job.number(_READY) >= job.gang.group.spec.min_member


def settled_phase(job: JobRun, phase: str) -> str:
    """Return the phase that a session leaves the PodGroup of a settled job in, given the one that it finds."""
    scheduled = job.number(_SCHEDULED)
    if scheduled >= job.gang.group.spec.min_member:
        return COMPLETED if scheduled == job.number(ENDED) else RUNNING
    return INQUEUE if phase == INQUEUE else PENDING
