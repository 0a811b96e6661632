"""The plugin itself: which filters there are for a class, and what they say together."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from vqs.config.known_arguments import names_in
from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import OfState, StatePredicate
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.pods import Surroundings, host_ports, spread_constraints
from vqs.engine.nodes.reasons import Codes, Reasons
from vqs.engine.nodes.table import POD_COUNT, Floats, Integers, Masks, Nodes
from vqs.engine.plugins.predicates.dynamic_resources import (
    FILTER,
    INVALID_POOLS,
    NOT_ALLOCATED,
    NOT_AVAILABLE,
    SCORES_MIXED,
    TIMED_OUT,
    DeviceFilter,
    watch,
)
from vqs.engine.plugins.predicates.filters import (
    AGAINST,
    CACHED,
    FAR,
    NEAR,
    NODE_AFFINITY,
    NODE_UNSCHEDULABLE,
    PORTS_TAKEN,
    SKEWED,
    TAINTED,
    TOO_MANY_PODS,
    AffinityFilter,
    EquivalenceCache,
    Filter,
    PortFilter,
    PortTable,
    SpreadFilter,
    StableCodes,
    StableFilters,
    Verdict,
    required_affinity,
    template,
)
from vqs.engine.plugins.predicates.volumes import (
    NO_SUCH_VOLUME,
    NO_ZONE,
    NOT_ENOUGH_SPACE,
    NOTHING_TO_BIND,
    TOO_MANY_VOLUMES,
    WRONG_NODE,
    WRONG_NODE_BEFORE,
    AttachedVolumes,
    BindingFilter,
    LimitFilter,
    VolumeBinder,
    VolumeSettings,
    VolumeTable,
    ZoneFilter,
)
from vqs.model.codes import VOLUMES_UNKNOWN, EvictionCode, VerdictCode
from vqs.model.job import Task, TaskStatus
from vqs.model.kubernetes import Pod
from vqs.model.requests import claim_names
from vqs.model.resource import Resource
from vqs.snapshot.reading.kinds import how_to_add

if TYPE_CHECKING:  # of use for old releases only
    from vqs.engine.plugins.resource_strategy_fit import ProportionFilter

NAME = "predicates"

RESOLVABLE = frozenset({TOO_MANY_PODS, PORTS_TAKEN, FAR, AGAINST, SKEWED, TOO_MANY_VOLUMES})
"""The reasons that evicting pods from a node may do away with. All others stand whatever happens to its pods."""

NOT_PREPARED = (
    "the {} filter of the plugin predicates fails for each task that gets a node: "
    "enablePredicate is false, which also disables the pre-predicate step that the filter needs"
)

SIMULATION_NOT_PREPARED = (
    "plugin predicates cannot simulate evictions: its enablePredicate is false, which also disables the pre-predicate "
    "step that its inter-pod affinity filter needs"
)

CONFLICT = "plugin NodeAffinity pre-predicates failed pod affinity terms conflict"


class PredicatesPlugin(Plugin, StatePredicate, points.MeasuringPredicate):
    """Refuse nodes by the rules of Kubernetes."""

    refusals = (VerdictCode.PRE_PREDICATE_FAILED, VerdictCode.RESERVE_FAILED, EvictionCode.EVICTIONS_NOT_TRIED)
    reasons = (
        TOO_MANY_PODS,
        NODE_UNSCHEDULABLE,
        NODE_AFFINITY,
        "node(s) had untolerated taint {KEY: VALUE}",
        TAINTED,
        PORTS_TAKEN,
        NEAR,
        FAR,
        AGAINST,
        NO_ZONE,
        WRONG_NODE,
        WRONG_NODE_BEFORE,
        NOTHING_TO_BIND,
        NOT_ENOUGH_SPACE,
        NO_SUCH_VOLUME,
        TOO_MANY_VOLUMES,
        SKEWED,
        NOT_ALLOCATED,
        NOT_AVAILABLE,
        INVALID_POOLS,
        TIMED_OUT,
        "claim NAMESPACE/NAME: selector #N: CEL TEXT",
        "class NAME: selector #N: CEL TEXT",
        "claim NAMESPACE/NAME, request NAME: asks for all devices, but resource pool NAME is currently being updated",
        "claim NAMESPACE/NAME, request NAME: cannot add device NAME because a claim constraint would not be satisfied",
        CONFLICT,
        CACHED,
    )

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        arguments = option.arguments
        self.node_affinity = arguments.bool("predicate.NodeAffinityEnable")
        self.node_ports = arguments.bool("predicate.NodePortsEnable")
        self.taints = arguments.bool("predicate.TaintTolerationEnable")
        self.pod_affinity = arguments.bool("predicate.PodAffinityEnable")
        self.topology_spread = arguments.bool("predicate.PodTopologySpreadEnable")
        self.volumes = VolumeSettings(
            zones=arguments.bool("predicate.VolumeZoneEnable"),
            binding=arguments.bool("predicate.VolumeBindingEnable"),
            limits=arguments.bool("predicate.NodeVolumeLimitsEnable"),
        )
        self.runs_pre_predicate = option.enabled("enablePredicate")
        self.takes_away = option.enabled("enablePreemptable") or option.enabled("enabledAllocatable")
        self.cache = arguments.bool("predicate.CacheEnable")

    def on_session_open(self, session: Session) -> None:
        """Look at the cluster, and add the predicate."""
        self.session = session
        behaviours = session.profile.predicates
        self.pre_filters = behaviours.zone_and_affinity_pre_filters == "run"
        self.sidecar_ports = behaviours.sidecar_host_ports == "reserved"
        asked = self.option.arguments.bool("predicate.DynamicResourceAllocationEnable")
        self.dynamic_resources = behaviours.device_claims == "always" or (
            asked and behaviours.device_claims == "by-argument"
        )
        self.affinity_is_final = behaviours.pod_affinity_refusal == "final"
        session.reasons.mark_resolvable(*(RESOLVABLE - {FAR, AGAINST} if self.affinity_is_final else RESOLVABLE))
        session.kubernetes.needs_pre_predicate = self.runs_pre_predicate and (
            self.pod_affinity or self.topology_spread or self.volumes.binding or self.dynamic_resources
        )
        session.kubernetes.misses_spared_victims = session.profile.eviction.spared_victims == "missed" and (
            self.volumes.binding or self.dynamic_resources
        )
        self.nodes = session.nodes
        self.wrong_node = WRONG_NODE_BEFORE if behaviours.volume_node_reason == "conflict" else WRONG_NODE
        self.kept = self._kept() if behaviours.proportional_reserve == "known" else None
        self.surroundings = session.shared(Surroundings)
        self.stable = StableFilters(
            self.surroundings,
            session.reasons,
            node_affinity=self.node_affinity,
            taints=self.taints,
            names_taint=behaviours.taint_reason == "first-taint",
        )
        self.ports = PortTable(len(session.nodes))
        surroundings = self.surroundings
        for node, task in surroundings.placed((*surroundings.special.ports, *surroundings.special_others.ports)):
            self._set_ports(task, node, used=True)
        session.add_event_handler(self._allocated, self._deallocated)
        session.classes.add_signature(self.surroundings.signature)
        self.volume_table = VolumeTable(self.surroundings.labels, session.cluster, self.volumes)
        self._open_volumes(session)
        self._open_reserving(session)
        self.equivalence: EquivalenceCache | None = None
        if self.cache:
            self.equivalence = EquivalenceCache(self.stable, session.reasons)
            session.classes.add_signature(lambda task: template(task.pod))
            session.search_listeners.append(self._searched)
        session.plugins.add(points.PRE_PREDICATE, NAME, self.pre_predicate)
        session.plugins.add(points.PREDICATE, NAME, self)
        session.plugins.add(points.SIMULATE_REMOVE_TASK, NAME, self.simulate_remove_task)
        session.plugins.add(points.SIMULATE_PREDICATE, NAME, self.simulate_predicate)

    def _kept(self) -> ProportionFilter | None:
        """What is kept of each node for the idle units of some resources, as releases up to v1.12 did here."""
        arguments = self.option.arguments
        if not arguments.bool("predicate.ProportionalEnable"):
            return None
        from vqs.engine.plugins import resource_strategy_fit  # noqa: PLC0415 - of use for old releases only

        def rate(name: str) -> float:
            amount = arguments.float(f"predicate.resources.{name}")
            return 1.0 if amount < 0 else amount

        proportions = {
            name: resource_strategy_fit.Proportion(rate(f"{name}.cpu"), rate(f"{name}.memory"))
            for name in names_in(arguments.string("predicate.resources"))
        }
        return resource_strategy_fit.ProportionFilter(proportions, self.nodes, self.session.reasons)

    # --- what is in use ----------------------------------------------------------------------------------------------

    def _set_ports(self, task: Task, node: int, *, used: bool) -> None:
        ports = host_ports(task.pod.spec, sidecars=self.sidecar_ports)
        if ports:
            self.ports.set(ports, node, used=used)

    def _allocated(self, task: Task) -> None:
        if task.uid in self.session.kubernetes.missed:
            return
        if self.surroundings.special.ports:
            self._set_ports(task, self.nodes.index[task.node or ""], used=True)
        if self.counts_volumes and task.pod.spec.volumes:
            self.attached.add(task.pod, self.nodes.index[task.node or ""])
            for each in self._class_filters(self.session.classes.of(task)).filters:
                if isinstance(each, BindingFilter) and each.volatile:
                    self.binder.reserve(task, each.plan(), allocated=task.status is TaskStatus.Allocated)

    def _deallocated(self, task: Task) -> None:
        node = self.nodes.index.get(task.node or "")
        if node is None or task.uid in self.session.kubernetes.missed:
            return
        self._set_ports(task, node, used=False)
        if self.counts_volumes and task.pod.spec.volumes:
            self.attached.remove(task.pod, node)
            self.binder.restore(task)

    # --- volumes -----------------------------------------------------------------------------------------------------

    def _open_volumes(self, session: Session) -> None:
        """Take stock of volumes, where tasks that wait use any, and tell tasks apart by them."""
        tasks, others = self.surroundings.special.volumes, self.surroundings.special_others.volumes
        self.binder = VolumeBinder(self.surroundings.labels, session.cluster, tasks)
        self.attached = AttachedVolumes(session.cluster, self.nodes.index, [*tasks, *others])
        self.counts_volumes = False
        using = [task for task in tasks if task.status is TaskStatus.Pending and claim_names(task.pod)]
        if not using:
            return
        missing = self.volume_table.missing_kinds()
        if missing:
            kinds = ", ".join(each.kind.name for each in missing)
            assumed = "they are assumed to be usable on every node"
            if self.volume_table.lacks_default_class():
                assumed += "; a claim without a class is refused, though the cluster's default class may serve it"
            session.warn(
                VOLUMES_UNKNOWN,
                f"pending pods use persistent volumes, but the snapshot has no {kinds}: {assumed}",
                help=how_to_add(missing),
                unknown=[f"volumes without {kinds}"],
                jobs=[task.job for task in using],
            )
        for node, task in self.surroundings.placed((*tasks, *others)):
            self.attached.add(task.pod, node)
        self.counts_volumes = True
        session.classes.add_signature(self._volume_signature)

    def _volume_signature(self, task: Task) -> Hashable:
        pod = task.pod
        if not pod.spec.volumes:
            return None
        needs = tuple(need.key() for need in self.binder.needs(pod))
        fault = None if self.pre_filters else self.volume_table.zone_fault(pod)
        return self.volume_table.reach(pod).key(), needs, self.attached.signature(pod), fault

    # --- devices -----------------------------------------------------------------------------------------------------

    def _open_reserving(self, session: Session) -> None:
        """Have devices reserved, where the plugin is to look at claims on them, and tell tasks apart by these."""
        self.devices = watch(session, [*session.tasks(TaskStatus.Pending)], enabled=self.dynamic_resources)
        if self.devices is not None:
            session.classes.add_signature(self.devices.signature)
            session.add_event_handler(lambda _: None, self.devices.unreserve)
            session.plugins.add(points.RESERVE, NAME, self.devices.reserve)
            if session.profile.predicates.device_alternatives == "scored":
                session.plugins.add(points.BATCH_NODE_ORDER, NAME, self)
        if (self.volumes.binding or self.dynamic_resources) and not self.runs_pre_predicate:
            text = NOT_PREPARED.format("VolumeBinding" if self.volumes.binding else FILTER)
            session.plugins.add(points.RESERVE, NAME, lambda _: Refusal(VerdictCode.RESERVE_FAILED, text=text))
            session.warn("predicates-not-prepared", f"allocate places nothing: {text}")

    def on_session_close(self, _: Session) -> None:
        """Say which selectors of devices could not be evaluated."""
        if self.devices is not None:
            self.devices.report()

    # --- all nodes at once -------------------------------------------------------------------------------------------

    def pre_predicate(self, task: Task) -> Refusal | None:
        """Why no node at all can take a task."""
        if self.pre_filters and self.node_affinity and names_conflict(task.pod):
            return Refusal(VerdictCode.PRE_PREDICATE_FAILED, text=CONFLICT)
        refusal = self.volume_table.refusal(task.pod, zones=self.pre_filters) if task.pod.spec.volumes else None
        return refusal or (self.devices.refusal(task) if self.devices is not None else None)

    # --- node by node ------------------------------------------------------------------------------------------------

    def volatile(self, task_class: EquivalenceClass) -> bool:
        """True if placing any task may change the answer for nodes it is not placed on."""
        return any(each.volatile for each in self._class_filters(task_class).filters)

    def codes(self, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """For each of some nodes 0 where a task of the class may go, else the code of the reasons."""
        known = self._class_filters(task_class)
        stable, table = known.stable, self.nodes
        codes = np.where(table.max_tasks[nodes] <= table.pods[nodes], stable.crowded[nodes], stable.roomy[nodes])
        return known.examine(codes, nodes) if known.filters else codes

    def measures(self, task_class: EquivalenceClass) -> bool:
        """True if a class has claims on devices."""
        return any(isinstance(each, DeviceFilter) for each in self._class_filters(task_class).filters)

    def shortfall(self, task_class: EquivalenceClass, nodes: Integers) -> tuple[int, points.Shortfall] | None:
        """The closest of some nodes that it refuses for devices that claims ask for, and what that lacks."""
        filters = (each for each in self._class_filters(task_class).filters if isinstance(each, DeviceFilter))
        return next((each.shortfall(nodes) for each in filters), None)

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """No score, unless claims on devices have alternatives."""
        filters = self._class_filters(task_class).filters
        return None if any(isinstance(each, DeviceFilter) and each.has_alternatives for each in filters) else 0.0

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """How early the alternatives are that each candidate has."""
        filters = (each for each in self._class_filters(task_class).filters if isinstance(each, DeviceFilter))
        scores = next(filters).scores(candidates)
        if not np.isfinite(scores).all():
            self.session.scoring_failure = SCORES_MIXED
        return scores

    def of_state(self, task_class: EquivalenceClass) -> OfState[int] | None:
        """What gives the code of one node, None where filters look at more than its description and state."""
        known = self._class_filters(task_class)
        if known.filters or self.equivalence is not None:
            return None
        roomy, crowded, max_tasks = known.stable.roomy, known.stable.crowded, self.nodes.max_tasks

        return OfState(
            lambda node, state: int(crowded[node] if max_tasks[node] <= state[POD_COUNT] else roomy[node]),
            described=[roomy],
            of_class=known.stable,
            lasting=(NAME, known.stable.numbers),
        )

    # --- simulated evictions -----------------------------------------------------------------------------------------

    def simulate_remove_task(self) -> Refusal | None:
        """Why evictions cannot be simulated, None where they can."""
        if self.runs_pre_predicate or not self.takes_away or not self.pod_affinity:
            return None
        return Refusal(EvictionCode.EVICTIONS_NOT_TRIED, text=SIMULATION_NOT_PREPARED)

    def simulate_predicate(self, task: Task, node: int, gone: Sequence[Task]) -> bool:
        """True if affinities between pods let a task on a node with some pods gone; nothing else is asked."""
        filters = [
            each
            for each in self._class_filters(self.session.classes.of(task)).filters
            if isinstance(each, AffinityFilter)
        ]
        if not filters:
            return True
        pods = [each.pod for each in gone] if self.takes_away else []
        with self.surroundings.ledger.without(pods, node):
            nodes = np.array([node])
            return not any(verdict.refused.any() for each in filters for verdict in each.verdicts(nodes))

    # --- classes -----------------------------------------------------------------------------------------------------

    def _class_filters(self, task_class: EquivalenceClass) -> _ClassFilters:
        known: _ClassFilters | None = task_class.notes.get(NAME)
        if known is None:
            stable, filters = self.stable.codes(task_class.pod.spec), self._filters(task_class.task)
            known = task_class.notes[NAME] = _ClassFilters(stable, filters, self.session.reasons)
        if self.equivalence is not None:
            known.stable = self.equivalence.codes(task_class.pod)
        return known

    def _searched(self, task: Task, asked: Masks) -> None:
        """Keep what nodes say of the template of a task."""
        plugins, open_nodes = self.session.node_plugins, self.session.shard.open(asked)
        if self.equivalence is not None and self in plugins.predicates and template(task.pod):
            reached = plugins.reaching(self, self.session.classes.of(task), open_nodes)
            # What is cached for these nodes is brought up to date, though their state is the same.
            self.nodes.log.extend(self.equivalence.note(task.pod, reached).tolist())

    def _filters(self, task: Task) -> list[Filter]:
        """The filters that matter for a task, in the order in which they are run."""
        pod = task.pod
        filters: list[Filter] = []
        ports = host_ports(pod.spec, sidecars=self.sidecar_ports) if self.node_ports else ()
        if ports:
            filters.append(PortFilter(self.ports, ports))
        if self.pod_affinity and self.surroundings.relations.active:
            affinity = AffinityFilter(self.surroundings, pod, final=self.affinity_is_final)
            if affinity.volatile:
                filters.append(affinity)
        before, after = self._volume_filters(pod)
        filters += before
        constraints = spread_constraints(pod, "DoNotSchedule") if self.topology_spread else []
        if constraints:
            filters.append(SpreadFilter(self.surroundings, pod, constraints))
        if self.kept is not None:
            filters.append(KeptFilter(self.kept, task.request))
        filters += after
        devices = self.devices.filter(task) if self.devices is not None else None
        if devices is not None:
            filters.append(devices)
        return filters

    def _volume_filters(self, pod: Pod) -> tuple[list[Filter], list[Filter]]:
        """The filters for a pod's volumes, those that are run before that for topology spread, and those after it."""
        before: list[Filter] = []
        if self.volumes.limits and (limited := self.attached.limited(pod)):
            before.append(LimitFilter(self.attached, limited))
        if not pod.spec.volumes:
            return before, []
        reach = self.volume_table.reach(pod)
        if self.volumes.zones:
            fault = None if self.pre_filters else self.volume_table.zone_fault(pod)
            if fault is not None:
                before.append(ZoneFilter(np.ones_like(reach.zones), fault))
            elif not reach.zones.all():
                before.append(ZoneFilter(~reach.zones))
        needs = self.binder.needs(pod) if self.volumes.binding else []
        if self.volumes.binding and (needs or reach.wrong.any() or reach.missing.any()):
            return before, [BindingFilter(reach, self.binder, needs, wrong_node=self.wrong_node)]
        return before, []


class KeptFilter:
    """What a node has to keep of cpu and memory for its idle devices."""

    volatile = False

    def __init__(self, kept: ProportionFilter, request: Resource) -> None:
        self._kept = kept
        self._request = request

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse the nodes where too little would be left."""
        for name, refused in self._kept.refused(self._request, nodes):
            yield Verdict(refused, f"proportional of resource {name} check failed", final=True)


class _ClassFilters:
    """What is known about a class."""

    __slots__ = ("filters", "reasons", "stable")

    def __init__(self, stable: StableCodes, filters: list[Filter], reasons: Reasons) -> None:
        self.stable = stable
        self.filters = filters
        self.reasons = reasons

    def examine(self, codes: Codes, nodes: Nodes) -> Codes:
        """Go on with the nodes that the stable filters have not refused, and add the reasons of the other filters."""
        going = self.stable.fits[nodes]
        for each in self.filters:
            for verdict in each.verdicts(nodes):
                refused = verdict.refused & going
                self.reasons.append(codes, refused, verdict.reason)
                if verdict.final:
                    going = going & ~refused
        return codes


def names_conflict(pod: Pod) -> bool:
    """True if every term of a pod's required node affinity asks for a node of two different names."""
    required = required_affinity(pod.spec)
    terms = required.node_selector_terms if required is not None else []
    named = [
        [set(each.values) for each in term.match_fields if each.key == "metadata.name" and each.operator == "In"]
        for term in terms
    ]
    return bool(named) and all(names and not set.intersection(*names) for names in named)
