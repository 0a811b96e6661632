"""All that can be changed so that a job is placed, in the order in which it is tried: what keeps the job comes first.

Each function makes parameters of one kind, whose steps, owner and edits it knows. Fixes are ranked by who approves them
in `vqs.explain.jobs.remedies`, and what makes them in a cluster or in files follows from the edits
(`vqs.snapshot.whatif.commands`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from vqs.engine.actions import preempt, reclaim
from vqs.explain.jobs import configuration, moving, own_fields, surroundings
from vqs.explain.jobs import parameters as made
from vqs.explain.jobs.case import DESERVED, GUARANTEE, Case, Parameter, amount_of, set_value
from vqs.model import kubernetes as k8s
from vqs.model.codes import VerdictCode
from vqs.snapshot.whatif.edits import Edit, SetValue

_Maker = Callable[[Case], Iterator[Parameter]]

_GANG: Final[tuple[_Maker, ...]] = (made.min_member, made.min_available)
_RESERVES: Final[tuple[_Maker, ...]] = (made.guarantee, made.guarantee_of_others)
_GATE: Final = (
    *(made.capability, surroundings.without_pods, own_fields.end, own_fields.queue, *_RESERVES, *_GANG),
    *(made.nodes, made.priority),
)
_EVICTION: Final[tuple[_Maker, ...]] = (
    *(own_fields.preempting_class, made.reclaimable, configuration.actions, configuration.gang_spares),
    *(made.minimum_of_others, made.disruptions, configuration.job_order),
)
_SHARE: Final = (
    *(made.weight, made.capability, *_EVICTION, own_fields.end, own_fields.queue),
    *(*_RESERVES, made.deserved, *_GANG, made.priority, made.nodes),
)
_OF_PODS: Final = (
    *(own_fields.tolerations, own_fields.selector, own_fields.affinity),
    *(own_fields.spread, own_fields.requests),
)
_ROOM: Final = (
    *(made.ready, made.devices, made.uncordon, surroundings.node_groups, own_fields.queue),
    *(*_OF_PODS, *_EVICTION, own_fields.end, moving.move),
    *(made.nodes, *_GANG, made.priority),
)
_FIRST: Final[dict[str, tuple[_Maker, ...]]] = {
    VerdictCode.QUEUE_CLOSED: (made.state,),
    VerdictCode.API_SERVER_REFUSES_PODS: (
        *(surroundings.limit_ranges, made.quota, own_fields.within_limit_ranges, own_fields.requests),
    ),
    VerdictCode.NOT_ENQUEUED_CAPABILITY: _GATE,
    VerdictCode.QUEUE_CAPABILITY: _GATE,
    VerdictCode.NO_HYPER_NODE: (made.tier, *_ROOM),
    VerdictCode.NOT_ENQUEUED_OVERCOMMIT: (
        *(surroundings.without_pods, own_fields.factor, configuration.actions, own_fields.end),
        *(made.nodes, *_GANG, made.priority),
    ),
    VerdictCode.NOT_ENQUEUED_QUOTA: (made.quota, *_GANG),
    VerdictCode.QUEUE_OVERUSED: _SHARE,
    VerdictCode.QUEUE_LIMIT: _SHARE,
    VerdictCode.GANG_TOO_SMALL: (own_fields.replicas, surroundings.surge, *_GANG),
    VerdictCode.PRE_PREDICATE_FAILED: (own_fields.claim_name, surroundings.claims),
    VerdictCode.GATED: (own_fields.gates,),
    VerdictCode.OTHER_SCHEDULER: (own_fields.scheduler,),
    VerdictCode.NO_NODE_FITS: _ROOM,
    VerdictCode.FRAGMENTED: _ROOM,
    VerdictCode.LARGER_THAN_ANY_NODE: _ROOM,
    VerdictCode.ROLE_FAILED: _ROOM,
    VerdictCode.RESOURCE_ON_NO_NODE: _ROOM,
    VerdictCode.GANG_EXCEEDS_CLUSTER: _ROOM,
    VerdictCode.GANG_EXCEEDS_QUEUE: _GATE,
    VerdictCode.CLUSTER_FULL: _SHARE,
}
"""Which parameters come first, by what keeps the job from being placed; all others follow."""

_ALL: Final[tuple[_Maker, ...]] = (
    *_OF_PODS,
    *(own_fields.gates, own_fields.scheduler, own_fields.preempting_class, own_fields.replicas, own_fields.factor),
    *(made.state, made.reclaimable, made.quota, made.ready, made.devices, made.uncordon, made.tier),
    *(own_fields.claim_name, surroundings.limit_ranges, own_fields.within_limit_ranges),
    *(surroundings.claims, surroundings.node_groups, surroundings.sub_groups, surroundings.surge),
    *(surroundings.unavailable, configuration.actions, configuration.job_order, configuration.gang_spares),
    *(made.minimum_of_others, made.disruptions, made.nodes, made.weight, made.capability, *_RESERVES, made.deserved),
    *(*_GANG, made.priority, own_fields.queue, own_fields.end, moving.move),
)


def parameters(case: Case, codes: Sequence[str] = ()) -> list[Parameter]:
    """Return the parameters, those first that lift what keeps the job: blockers by their codes, and what was said."""
    if case.is_left:
        return [*own_fields.scheduler_of_all(case)]
    if case.is_ignored:
        return [*own_fields.queue(case), *surroundings.missing_queue(case)]
    if case.session.standstill:
        return [*surroundings.missing_parents(case), *surroundings.within_parents(case)]
    if configuration.needs_allocate(case) and not {preempt.NAME, reclaim.NAME} & {*case.session.conf.actions}:
        return list(configuration.actions(case))  # no number matters where nothing places the job
    said = [*codes, case.refusal.code] if case.refusal is not None else [*codes]
    first = [each for code in said for each in _FIRST.get(code, ())] or _ROOM
    order = dict.fromkeys((surroundings.unavailable, *first, *_ALL))
    found = [parameter for make in order for parameter in make(case) if parameter.most > 0]
    # What queues are guaranteed of resources of which they deserve less: the webhook denies any change of it.
    owed = {
        queue.metadata.name: {
            name: amount
            for name, amount in queue.spec.guarantee.resource.items()
            if name not in queue.spec.deserved
            or amount_of(queue.spec.deserved, name) < amount_of(queue.spec.guarantee.resource, name)
        }
        for queue in case.given.queues
    }
    if not any(owed.values()):
        return found
    is_strict = case.given.profile.webhooks.guarantee_without_deserved == "denied"
    compared = {each.metadata.name for each in case.given.queues if is_strict or each.spec.deserved}
    return [_admissible(each, owed, compared) for each in found]


def _admissible(
    parameter: Parameter, owed: Mapping[str, Mapping[str, k8s.Quantity]], compared: Collection[str]
) -> Parameter:
    """Let the queues that a parameter changes deserve first what they owe.

    Args:
        parameter: the parameter.
        owed: what each queue is guaranteed, and does not deserve.
        compared: the queues of which the webhook compares the two as they are; of others, once they deserve something.
    """
    path = ("spec", GUARANTEE, "resource")

    def edits(step: int) -> list[Edit]:
        made = parameter.edits(step)
        of_queues = [each for each in made if isinstance(each, SetValue) and each.kind == "queue"]
        values = {(each.name, each.path): each.value for each in of_queues if each.path[0] == "spec"}
        changed = dict.fromkeys(name for name, _ in values)
        deserving = {name for name, at in values if at[:2] == ("spec", DESERVED)}
        first = [
            set_value("queue", name, ("spec", DESERVED, resource), values.get((name, (*path, resource)), amount))
            for name in changed
            if name in compared or name in deserving
            for resource, amount in owed.get(name, {}).items()
            if (name, ("spec", DESERVED, resource)) not in values
        ]
        return [*first, *made]

    return replace(parameter, edits=edits)
