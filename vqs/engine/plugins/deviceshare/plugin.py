"""The plugin itself: nodes are asked kind by kind, and pods are given devices as they are given nodes.

Its arguments say which kinds there are. Of MindCluster's virtual NPUs, only the pods that ask for one are told: what is
free of the chips, its device plugins and ClusterD write into ConfigMaps; no annotation of a node has it.
References: checkVNPUResourcesInPod in pkg/scheduler/api/devices/ascend/mindcluster/ascend310p/vnpu;
pkg/scheduler/plugins/deviceshare/devices/ascend/310p/vnpu/init_policy.go.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final

import numpy as np

from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.reasons import FITS, Codes, Weight
from vqs.engine.nodes.table import ALL, Floats, Integers, Masks, Nodes
from vqs.engine.plugins import predicates
from vqs.engine.plugins.deviceshare.ascend import NOT_AVAILABLE, Ascend
from vqs.engine.plugins.deviceshare.device_config import DEFAULT, DeviceConfig, read_device_config
from vqs.engine.plugins.deviceshare.devices import FIXED, DeviceKind, NodeDevices
from vqs.engine.plugins.deviceshare.gpu_share import NO_MEMORY, NO_NUMBER, GpuShare
from vqs.engine.plugins.deviceshare.virtual_gpu import (
    NOT_FITTING,
    ExclusiveRule,
    VirtualGpu,
    has_room,
    has_shaken_hands,
)
from vqs.engine.plugins.queue_account import PANIC
from vqs.model.cluster import Cluster
from vqs.model.codes import NOT_MODELLED, VerdictCode
from vqs.model.job import COMPLETED_STATUSES, Task, TaskStatus
from vqs.model.kubernetes import Pod
from vqs.model.wording import first_names
from vqs.releases.deviceshare import DeviceShareBehaviours

NAME: Final = "deviceshare"

Requests = tuple[Hashable, ...]
"""What a pod asks of each kind of devices, None where nothing."""

_FEW: Final = 3
NO_DEVICES: Final = "the node has no devices for the pod any more"
NOT_INITIALIZED: Final = "node not initialized with device{}"

_SMALLEST: Final = float(-(2**63))


class DeviceSharePlugin(Plugin, points.SteadyPredicate, points.MeasuringPredicate):
    """Filter and score nodes by their devices, and keep account of who holds these."""

    refusals = (VerdictCode.RESERVE_FAILED, VerdictCode.SCHEDULER_STANDS_STILL)
    reasons = (
        *(NO_MEMORY.format("NAME"), NO_NUMBER.format("NAME"), NOT_FITTING, NOT_AVAILABLE),
        NOT_INITIALIZED.format("NAME"),
    )

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.settings = Settings.of(option)

    def on_session_open(self, session: Session) -> None:
        """Read the devices of all nodes, and what pods hold of them."""
        self.session = session
        self.nodes = session.nodes
        self._warn()
        if self.settings.conflict:
            return
        config = self.settings.config(session.cluster.device_configs)
        behaviours = session.profile.deviceshare
        self.frees_leaving = behaviours.releasing_devices == "free"
        self.fails = behaviours.failed_device_allocation == "fails"
        self.refuses_missing = behaviours.missing_devices == "refused"
        rules = [] if behaviours.gpu_exclusive_rules == "unknown" else list(exclusive_rules(self.option))
        self.kinds = self.settings.kinds(config, behaviours, session.options.now, rules)
        self.devices = [[kind.on_node(node.object) for kind in self.kinds] for node in self.nodes.nodes]
        self.numbers: dict[Hashable, int] = {}
        self.state = np.zeros(len(self.nodes), np.intp)
        self.pipelined: set[str] = set()
        self.hidden: set[str] = set()
        self.last_scores: Floats = np.zeros(len(self.nodes))
        for task in (*self.session.tasks(), *self.session.cluster.other_tasks):
            if task.node in self.nodes.index and task.status not in COMPLETED_STATUSES:
                leaves = self.frees_leaving and task.status is TaskStatus.Releasing
                for devices in self.devices[self.nodes.index[task.node]]:
                    if devices is not None:
                        (devices.leave if leaves else devices.add)(task.pod)
        for node in range(len(self.nodes)):
            self._renew(node)
        # As in the reference, it is the plugin predicates that has devices given and taken back, and evictions tried.
        predicating = session.conf.plugin(predicates.NAME)
        self.allocates = predicating is not None
        session.add_event_handler(self._allocated, self._deallocated)
        session.classes.add_signature(self._requests)
        session.plugins.add(points.PREDICATE, NAME, self)
        if behaviours.simulated_devices == "checked" and predicating and predicating.enabled("enablePredicate"):
            session.plugins.add(points.SIMULATE_DEVICES, NAME, self.simulate_predicate)
        if self.settings.weight > 0 and behaviours.device_scores == "used":
            session.plugins.add(points.NODE_ORDER, NAME, self.score)
            if any(kind.remembers_score for kind in self.kinds):
                session.search_listeners.append(self._searched)
                session.remembered_scores.append(self._remembered)
            if any(kind.needed_to_score for kind in self.kinds):
                watch = _PanicWatch(self)
                session.plugins.add(points.BATCH_NODE_ORDER, NAME, watch)
                session.score_listeners.append(watch.scored)

    def _warn(self) -> None:
        settings, session = self.settings, self.session
        if settings.conflict:
            text = f"plugin {NAME}: {settings.conflict}, and so Volcano's scheduler exits"
            session.standstill = text
            refusal = Refusal(VerdictCode.SCHEDULER_STANDS_STILL, NAME, text=text)
            session.plugins.add(points.JOB_VALID, NAME, lambda _: refusal)
        if settings.mind_cluster:
            waiting = [each for each in session.tasks(TaskStatus.Pending) if asks_for_mind_cluster(each.pod)]
            asking = sorted(f"{task.namespace}/{task.name}" for task in waiting)
            if asking:
                verb = "asks" if len(asking) == 1 else "ask"
                session.warn(
                    NOT_MODELLED,
                    f"plugin {NAME}: {first_names(asking, _FEW)} {verb} for virtual NPUs of MindCluster, and which "
                    "chips of a node are healthy, and how many AI cores and AI CPUs each has left, is in ConfigMaps of "
                    f"MindCluster, which vqs does not read: {MIND_CLUSTER_CORES} counts as any other resource of a "
                    "node, and Volcano may choose other nodes, or none",
                    unknown=["the chips of MindCluster"],
                    jobs=[task.job for task in waiting],
                )
        if (settings.virtual_gpus or settings.npus) and settings.config_map not in session.cluster.device_configs:
            session.note(
                "device-config-missing",
                f"plugin {NAME}: the snapshot has no ConfigMap {settings.config_map}: "
                "Volcano's default device configuration is used, which knows no MIG geometries",
                help="if the cluster has it, add it: kubectl get configmap -o yaml "
                f"-n {' '.join(settings.config_map.split('/'))}",
                unknown=[f"ConfigMap {settings.config_map}"],
            )

    # --- nodes -------------------------------------------------------------------------------------------------------

    def codes(self, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """For each of some nodes 0 where a task of the class may go, else the code of the reason."""
        answers = self._answers(task_class)
        if answers is None:
            return np.zeros(len(self.state[nodes]), np.int32)
        codes, _, _ = answers.of(nodes)
        return codes.astype(np.int32)

    def score(self, task_class: EquivalenceClass, nodes: Nodes) -> Floats:
        """The score of some nodes."""
        answers = self._answers(task_class)
        if answers is None:
            return np.zeros(len(self.state[nodes]))
        _, own, others = answers.of(nodes)
        scores = others + own if self in self.session.node_plugins.predicates else others
        return _rounded(scores) * self.settings.weight

    def _searched(self, task: Task, asked: Masks) -> None:
        """Keep the scores of those nodes, of some that are asked, whose devices have room for a task."""
        task_class = self.session.classes.of(task)
        answers = self._answers(task_class)
        if answers is None or self not in self.session.node_plugins.predicates:
            return
        codes, own, _ = answers.of(ALL)
        open_nodes = self.session.shard.open(asked) & (codes == FITS)
        fits = self.session.node_plugins.reaching(self, task_class, open_nodes)
        self.last_scores[fits] = own[fits]

    def _remembered(self, task_class: EquivalenceClass, nodes: Nodes) -> Floats:
        """By how much more nodes are scored than `score` says, as it is by the last pods that fitted."""
        answers = self._answers(task_class)
        if answers is None or self.score not in self.session.node_plugins.scores:
            return np.zeros(len(self.state[nodes]))
        _, _, others = answers.of(nodes)
        last: Floats = _rounded(others + self.last_scores[nodes]) * self.settings.weight
        return last - self.score(task_class, nodes)

    def _answers(self, task_class: EquivalenceClass) -> _Answers | None:
        """What is known of a class, None where it asks for no devices."""
        requests = self._requests(task_class.task) if NAME not in task_class.notes else ()
        asks = any(request is not None for request in requests)
        return task_class.noted(NAME, lambda: _Answers(self, requests) if asks else None)

    def _requests(self, task: Task) -> Requests:
        return tuple(kind.request(task.pod) for kind in self.kinds)

    def _asked(self, requests: Requests, node: int) -> Iterator[tuple[DeviceKind[Any], Hashable, NodeDevices[Any]]]:
        """Yield the kinds of devices that a pod asks for and a node has, with what it asks for and has."""
        for kind, request, devices in zip(self.kinds, requests, self.devices[node], strict=True):
            if request is not None and devices is not None:
                yield kind, request, devices

    def examine(self, requests: Requests, node: int) -> tuple[int, float, float]:
        """The code of the first reason of a node against a pod, and its scores: those remembered, and others."""
        code, own, others = FITS, 0.0, 0.0
        if self.refuses_missing:
            missing = zip(self.kinds, requests, self.devices[node], strict=True)
            names = (kind.name for kind, request, has in missing if kind.needed and request is not None and has is None)
            texts = (NOT_INITIALIZED.format(name) for name in names)
            code = next((self.session.reasons.weighed(text, Weight.RESOLVABLE) for text in texts), FITS)
        for kind, request, devices in self._asked(requests, node):
            answer = devices.examine(request)
            if kind.remembers_score:
                own += answer.score
            else:
                others += answer.score
            if answer.reason and code == FITS:
                weight = Weight.RESOLVABLE if kind.resolvable else Weight.ERROR
                code = self.session.reasons.weighed(answer.reason, weight)
        return code, own, others

    def measures(self, task_class: EquivalenceClass) -> bool:
        """True if a class asks for devices."""
        return self._answers(task_class) is not None

    def shortfall(self, task_class: EquivalenceClass, nodes: Integers) -> tuple[int, points.Shortfall] | None:
        """The closest of some nodes that it refuses, and what that lacks; nodes with equal devices are equal."""
        requests = self._requests(task_class.task)
        _, firsts = np.unique(self.state[nodes], return_index=True)
        lacks: list[tuple[int, points.Shortfall | None]] = []
        for node in nodes[np.sort(firsts)].tolist():
            for _, request, devices in self._asked(requests, node):
                if devices.examine(request).reason:
                    lacks.append((node, devices.shortfall(request)))
                    break  # what the first devices that have no room lack
        return points.least(lacks)

    def simulate_predicate(self, task: Task, node: int, gone: Sequence[Task]) -> bool:
        """True if the devices of a node would have room for a task if some tasks were gone from there."""
        for kind, request, devices in self._asked(self._requests(task), node):
            left = deepcopy(devices, {id(kind): kind})
            for each in gone:
                left.subtract(each.pod)
            if left.examine(request).reason:
                return False
        return True

    # --- changes -----------------------------------------------------------------------------------------------------

    def _renew(self, node: int) -> None:
        """Give the state of a node's devices its number; nodes with equal states answer in the same way."""
        state = tuple(None if devices is None else devices.state() for devices in self.devices[node])
        self.state[node] = self.numbers.setdefault(state, len(self.numbers))

    def _allocated(self, task: Task) -> Refusal | None:
        """Give a pod that got a node its devices; return what failed.

        One whose eviction is undone may get some once more, as in the reference, unless the plugin predicates, which
        has them given, fails before.
        """
        node = self.nodes.index.get(task.node or "")
        if node is None:
            return None
        if task.status is TaskStatus.Pipelined:
            self.pipelined.add(task.uid)
        else:
            self.pipelined.discard(task.uid)
            was_there = task.status is TaskStatus.Running and not self.frees_leaving
            self._recount(task, node, was_there=was_there, is_there=True)
        gets_none = not self.allocates or task.uid in self.session.kubernetes.missed
        has_failed = not gets_none and not self._allocate(task, node)
        if has_failed:
            # The event handler of the reference returns before it adds the pod to Kubernetes' account of the node.
            self.nodes.hide(task, node)
            self.hidden.add(task.uid)
        self._renew(node)
        if has_failed and self.fails:
            return Refusal(VerdictCode.RESERVE_FAILED, NAME, text=NO_DEVICES)
        return None

    def _deallocated(self, task: Task) -> None:
        """Take note that a pod has lost its node, or is evicted from it."""
        node = self.nodes.index.get(task.node or "")
        if node is None:
            return
        evicted = task.status is TaskStatus.Releasing
        is_there = evicted and not self.frees_leaving
        self._recount(task, node, was_there=evicted or task.uid not in self.pipelined, is_there=is_there)
        held = self._asked(self._requests(task), node) if self.allocates else ()
        released = all(devices.release(task.pod) for _, _, devices in held)
        if task.uid in self.hidden or not released:
            self.nodes.hide(task, node, undo=True)
            self.hidden.discard(task.uid)
        self.session.cluster.given_annotations.pop(task.uid, None)
        self._renew(node)

    def _recount(self, task: Task, node: int, *, was_there: bool, is_there: bool) -> None:
        """Take a pod off a node's devices and put it there again, as its annotations say."""
        for devices in self.devices[node]:
            if devices is not None and was_there:
                devices.subtract(task.pod)
            if devices is not None and is_there:
                devices.add(task.pod)

    def _allocate(self, task: Task, node: int) -> bool:
        """Give a pod its devices, kind by kind; tell whether there was room for all."""
        annotations: dict[str, str] = {}
        for kind, request, devices in zip(self.kinds, self._requests(task), self.devices[node], strict=True):
            if request is not None and devices is None and kind.needed:
                self.warn_of_panic(task, task.node or "")
            if request is None or devices is None:
                continue
            given = devices.allocate(task.pod, request)
            if given is None:
                return False
            annotations.update(given)
        self.session.cluster.given_annotations[task.uid] = annotations
        return True

    def warn_of_panic(self, task: Task, node: str) -> None:
        """Warn that a pod asks for devices that a node, as far as the plugin knows, does not have."""
        evicts = "the action preempt, or " if "preempt" in self.session.conf.actions else ""
        self.session.warn(
            PANIC,
            f"plugin {NAME}: {task.namespace}/{task.name} asks for devices, and node {node}, which it is tried on, "
            "registers none; Volcano's scheduler panics here",
            help=f"leave out {evicts}deviceshare.ScheduleWeight: then such nodes are not scored",
            once=True,
        )


class _PanicWatch:
    """Watches out for nodes without devices that are scored for pods that ask for some, and scores nothing."""

    def __init__(self, plugin: DeviceSharePlugin) -> None:
        self.plugin = plugin
        self.without = [
            np.array([on_node[number] is None for on_node in plugin.devices], np.bool_)
            if kind.needed_to_score
            else None
            for number, kind in enumerate(plugin.kinds)
        ]

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """0 where nothing is to be watched for, else None."""
        return None if self._without(task_class).any() else 0.0

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """0 for each candidate."""
        without = candidates[self._without(task_class)[candidates]]
        if len(without):
            self.plugin.warn_of_panic(task_class.task, self.plugin.nodes.names[without[0]])
        return np.zeros(len(candidates))

    def scored(self, task: Task, nodes: Integers) -> None:
        """Take note that some nodes are scored for a task, also where the scores do not matter."""
        if self.plugin.score in self.plugin.session.node_plugins.scores:
            self.scores(self.plugin.session.classes.of(task), nodes)

    def _without(self, task_class: EquivalenceClass) -> Masks:
        """The nodes without devices that a class asks for."""
        note = f"{NAME} without"
        if note not in task_class.notes:
            asked = [
                without
                for kind, without in zip(self.plugin.kinds, self.without, strict=True)
                if without is not None and kind.request(task_class.pod) is not None
            ]
            task_class.notes[note] = np.any(asked, axis=0) if asked else np.zeros(len(self.plugin.nodes), np.bool_)
        found: Masks = task_class.notes[note]
        return found


def ignored_resources(
    conf: SchedulerConfiguration, cluster: Cluster, behaviours: DeviceShareBehaviours, now: datetime
) -> set[str]:
    """The resources that scheduling ignores, as only cards and not nodes have them: the memory of NPUs.

    Up to v1.12 it is the memory and the cores of virtual GPUs, whatever plugins there are.
    Reference: GetIgnoredDevices, and NewResource in pkg/scheduler/api/resource_info.go.
    """
    if behaviours.virtual_gpu_amounts == "ignored":
        return {FIXED.memory, FIXED.percentage, FIXED.cores}
    options = [option for option in conf.plugins if option.name == NAME]
    settings = [Settings.of(replace(option, arguments=option.arguments.unread())) for option in options]
    kinds = [kind for each in settings for kind in each.kinds(each.config(cluster.device_configs), behaviours, now)]
    nodes = [node.object for node in cluster.nodes]
    return {name for kind in kinds for name in kind.ignored if any(kind.on_node(node) for node in nodes)}


class _Answers:
    """What is known of every state of devices for a class of pods.

    Attributes:
        known: the code of each state and its scores, by the devices that keep it and by others, (3, states); the code
            is no number where no node was examined yet.
    """

    def __init__(self, plugin: DeviceSharePlugin, requests: Requests) -> None:
        self.plugin = plugin
        self.requests = requests
        self.known: np.ndarray[tuple[int, int], np.dtype[np.float64]] = np.zeros((3, 0))

    def of(self, nodes: Nodes) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """The code and the scores of some nodes, after examining a node of each state that is new, (3, nodes)."""
        missing = len(self.plugin.numbers) - self.known.shape[1]
        if missing:
            self.known = np.hstack([self.known, np.full((3, missing), np.nan)])
        states = self.plugin.state[nodes]
        for state in np.unique(states[np.isnan(self.known[0, states])]):
            node = int(np.argmax(self.plugin.state == state))
            self.known[:, state] = self.plugin.examine(self.requests, node)
        return self.known[:, states]


def _rounded(scores: Floats) -> Floats:
    """Round half up; what is no number becomes the smallest one, as on an amd64 processor."""
    return np.where(np.isfinite(scores), np.floor(scores + 0.5), _SMALLEST)


EXCLUSIVE_RULES: Final = "deviceshare.GPUExclusiveRules"


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments; what is not given has the default of `vqs.config.known_arguments`.

    Attributes:
        by_memory: GPUs are shared by memory.
        by_number: GPUs are given away whole.
        virtual_gpus: HAMi's virtual GPUs.
        npus: HAMi's virtual NPUs.
        mind_cluster: MindCluster's virtual NPUs, which are not modelled.
        policy: how nodes are scored.
        weight: what a score counts; 0 or less, and nodes are not scored.
        config_map: the namespace/name of the ConfigMap with the device configuration.
        scores: whether the plugin scores nodes.
    """

    by_memory: bool
    by_number: bool
    virtual_gpus: bool
    npus: bool
    mind_cluster: bool
    policy: str
    weight: int
    config_map: str
    scores: bool

    @classmethod
    def of(cls, option: PluginOption) -> Settings:
        """Read the arguments of an option."""
        given = option.arguments
        namespace = given.string("deviceshare.KnownGeometriesCMNamespace")
        weight = given.int("deviceshare.ScheduleWeight")
        return cls(
            by_memory=given.bool("deviceshare.GPUSharingEnable"),
            by_number=given.bool("deviceshare.GPUNumberEnable"),
            virtual_gpus=given.bool("deviceshare.VGPUEnable"),
            npus=given.bool("deviceshare.AscendHAMiVNPUEnable"),
            mind_cluster=given.bool("deviceshare.AscendMindClusterVNPUEnable"),
            policy=given.string("deviceshare.SchedulePolicy"),
            weight=weight,
            config_map=f"{namespace}/{given.string('deviceshare.KnownGeometriesCMName')}",
            scores=weight > 0 and option.enabled("enableNodeOrder"),
        )

    @property
    def conflict(self) -> str:
        """Why Volcano exits with these arguments, empty where it does not."""
        if self.by_memory and self.by_number:
            return "GPUSharingEnable and GPUNumberEnable are both true"
        if (self.by_memory or self.by_number) and self.virtual_gpus:
            return f"{'GPUSharingEnable' if self.by_memory else 'GPUNumberEnable'} and VGPUEnable are both true"
        return ""

    def config(self, config_maps: Mapping[str, str]) -> DeviceConfig:
        """The device configuration; Volcano's own where there is none, or one that it cannot read."""
        text = config_maps.get(self.config_map)
        found = None if text is None else read_device_config(text)
        return DEFAULT if found is None else found

    def kinds(
        self,
        config: DeviceConfig,
        behaviours: DeviceShareBehaviours,
        now: datetime,
        rules: Sequence[ExclusiveRule] = (),
    ) -> list[DeviceKind[Any]]:
        """The kinds of devices that pods can ask for, in the order in which nodes are asked for them.

        `now` is when nodes are asked, which matters where they have to answer in time; `rules` keep virtual GPUs apart.
        """
        found: list[DeviceKind[Any]] = []
        if self.by_memory or self.by_number:
            found.append(GpuShare(by_memory=self.by_memory, behaviours=behaviours))
        if self.virtual_gpus:
            has_gpus = partial(has_shaken_hands, now) if behaviours.virtual_gpu_nodes == "by-handshake" else has_room
            found.append(VirtualGpu(config.nvidia, self.policy, has_gpus, behaviours, rules))
        if self.npus and behaviours.virtual_npus == "known":
            allocating = self.policy if self.scores else ""
            has_core = config.has_core
            found += [Ascend(each, self.policy, allocating, behaviours, has_core=has_core) for each in config.npus]
        return found


def exclusive_rules(option: PluginOption) -> Iterator[ExclusiveRule]:
    """Yield the rules of GPUExclusiveRules; what is no text is left out, and so is a rule without labels."""
    written = option.arguments.get(EXCLUSIVE_RULES)
    for rule in written if isinstance(written, list) else ():
        labels = rule.items() if isinstance(rule, dict) else ()
        texts = frozenset((key, value) for key, value in labels if isinstance(key, str) and isinstance(value, str))
        if texts:
            yield texts


MIND_CLUSTER_CORES: Final = "huawei.com/npu-core"
_CHIP: Final = ("ring-controller.atlas", "ascend-310P")


def asks_for_mind_cluster(pod: Pod) -> bool:
    """True if a pod has the label of a chip that can be shared, and a container with a limit of its cores."""
    label, chip = _CHIP
    limits = (container.resources.limits for container in pod.spec.containers)
    return pod.metadata.labels.get(label) == chip and any(MIND_CLUSTER_CORES in each for each in limits)
