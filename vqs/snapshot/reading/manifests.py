"""Everything that files say about a cluster, as typed objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from vqs.config.scheduler_conf import SchedulerConfiguration, built_in_configuration
from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.model.awaited import AwaitedPods
from vqs.model.keys import SCHEDULER_NAME
from vqs.model.rollout import Rollout
from vqs.model.scheduler_flags import SchedulerFlags
from vqs.model.sharding import Shard, Sharding, ShardingMode
from vqs.releases.profile import Profile, ReleaseChoice
from vqs.releases.release import Build
from vqs.snapshot.reading.configuration.read import Configuration, read_configuration
from vqs.snapshot.reading.configuration.text import ConfigText
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Path, Position
from vqs.snapshot.reading.documents import Capture, Origin, Setting, setting_changes
from vqs.snapshot.reading.kinds import KIND_OF, key_of
from vqs.snapshot.scenario.model import Expectation, Scenario
from vqs.snapshot.whatif.passed_over import Key, PassedOver

Controlled = tuple[str, str, str, str]
"""An object: the group and name of its kind, its namespace and its name."""


class Made(NamedTuple):
    """An object that stands for another one, which is what is written: where it stands there, and what makes it."""

    typed: Any
    origin: Origin
    maker: str


@dataclass(slots=True)
class Manifests:
    """The objects of a snapshot by kind, in the order of the input.

    `origins` has, for each list of objects, a list of their origins in the same order. `created_from` has, for each
    list, the objects that `vqs.snapshot.controllers` added: by namespace and name, what each was created from,
    ``Job ns/train``. `made_by` has the same for what operators would create, by type and name: these objects are in the
    lists as if they were written. `timed` is what would be created at some time only, and is in no list.
    `flags` are those of the scheduler, as its Deployment has them or as they were given. `named` are the schedulerNames
    that are taken for the usual one, and `aside` has the workloads whose pods are for other schedulers.
    `ignored` counts the objects that are not used, as far as one could think that they matter. `newest_timestamp` is
    the newest one found in any object, the best guess of when the snapshot was taken. `notes` are findings that do not
    keep the objects from being used.
    What `scenarios` stand for is in the lists with the rest; `expectations` are theirs, and what else is expected.
    `applied` has the type and name of the objects that a cluster has, and that are about to be changed in it.
    `rollouts` has, by the namespace and name of their new ReplicaSet, the Deployments that replace their pods.
    `awaited` has, by the namespace and name of their PodGroup, the pods that controllers create in a later session.
    `known_jobs` has, by namespace and name, the Volcano Jobs that completed manifests were made from: their policies
    tell what goes when a pod is evicted.
    `ended` has the namespace and name of the PodGroups that are left of Volcano Jobs that have ended.
    `release` is the release of Volcano that was asked for beside the files, and the behaviours that were switched.
    `installed` is the release that the image of the scheduler tells, where none was asked for, and `shipped_by` the
    vendor that it tells.
    `sharding_flags` are the scheduler's flags about sharding, where they were given beside the files, and
    `csi_storage_flag` is whether its flag --csi-storage was.
    `sessions` counts the sessions that led from what was read to these objects.
    `captures` is what captured snapshots say of how they were made. `stored_without_uid` has the type and name
    of the objects that are from a cluster although they have no uid. `controlled` has the controllers of objects of
    kinds that are not used: a job may come from one of these. `other_templates` has the type and name of workloads that
    were applied over others with another pod template. `setting` is what in the files changes a session and is no
    object; `metrics` are the NodeMetrics in them. `not_applied` has a warning for each part of a change's setting that
    is not used.
    """

    nodes: list[k8s.Node] = field(default_factory=list)
    pods: list[k8s.Pod] = field(default_factory=list)
    pod_groups: list[k8s.PodGroup] = field(default_factory=list)
    queues: list[k8s.Queue] = field(default_factory=list)
    priority_classes: list[k8s.PriorityClass] = field(default_factory=list)
    runtime_classes: list[k8s.RuntimeClass] = field(default_factory=list)
    resource_quotas: list[k8s.ResourceQuota] = field(default_factory=list)
    limit_ranges: list[k8s.LimitRange] = field(default_factory=list)
    config_maps: list[k8s.ConfigMap] = field(default_factory=list)
    namespaces: list[k8s.Namespace] = field(default_factory=list)
    services: list[k8s.Service] = field(default_factory=list)
    workloads: list[k8s.Workload] = field(default_factory=list)
    deployments: list[k8s.Deployment] = field(default_factory=list)
    jobs: list[k8s.Job] = field(default_factory=list)
    volcano_jobs: list[k8s.VolcanoJob] = field(default_factory=list)
    cron_jobs: list[k8s.CronJob] = field(default_factory=list)
    job_flows: list[k8s.JobFlow] = field(default_factory=list)
    job_templates: list[k8s.JobTemplate] = field(default_factory=list)
    disruption_budgets: list[k8s.PodDisruptionBudget] = field(default_factory=list)
    claims: list[k8s.PersistentVolumeClaim] = field(default_factory=list)
    volumes: list[k8s.PersistentVolume] = field(default_factory=list)
    storage_classes: list[k8s.StorageClass] = field(default_factory=list)
    csi_nodes: list[k8s.CSINode] = field(default_factory=list)
    csi_drivers: list[k8s.CSIDriver] = field(default_factory=list)
    csi_storage_capacities: list[k8s.CSIStorageCapacity] = field(default_factory=list)
    volume_attachments: list[k8s.VolumeAttachment] = field(default_factory=list)
    hyper_nodes: list[k8s.HyperNode] = field(default_factory=list)
    numa_topologies: list[k8s.Numatopology] = field(default_factory=list)
    node_shards: list[k8s.NodeShard] = field(default_factory=list)
    resource_claims: list[devices.ResourceClaim] = field(default_factory=list)
    resource_claim_templates: list[devices.ResourceClaimTemplate] = field(default_factory=list)
    device_classes: list[devices.DeviceClass] = field(default_factory=list)
    resource_slices: list[devices.ResourceSlice] = field(default_factory=list)
    configuration: Configuration | None = None
    ignored: dict[str, int] = field(default_factory=dict)
    notes: list[Diagnostic] = field(default_factory=list)
    newest_timestamp: datetime | None = None
    origins: dict[str, list[Origin]] = field(default_factory=dict)
    created_from: dict[str, dict[str, str]] = field(default_factory=dict)
    scenarios: list[Scenario] = field(default_factory=list)
    expectations: list[Expectation] = field(default_factory=list)
    applied: frozenset[tuple[type, str]] = frozenset()
    awaited: dict[str, AwaitedPods] = field(default_factory=dict)
    rollouts: dict[tuple[str, str], Rollout] = field(default_factory=dict)
    known_jobs: dict[str, k8s.VolcanoJob] = field(default_factory=dict)
    ended: frozenset[str] = frozenset()
    release: ReleaseChoice = field(default_factory=ReleaseChoice)
    installed: Build | None = None
    shipped_by: str = ""
    sharding_flags: Sharding | None = None
    csi_storage_flag: bool = False
    sessions: int = 0
    captures: list[Capture] = field(default_factory=list)
    stored_without_uid: frozenset[tuple[type, str]] = frozenset()
    passed_over: dict[Key, PassedOver] = field(default_factory=dict)
    controlled: dict[Controlled, k8s.OwnerReference] = field(default_factory=dict)
    other_templates: frozenset[tuple[type, str]] = frozenset()
    setting: Setting = field(default_factory=dict)
    metrics: list[tuple[dict[str, Any], Origin]] = field(default_factory=list)
    not_applied: list[Diagnostic] = field(default_factory=list)
    refused_pods: frozenset[tuple[type, str, str]] = frozenset()
    made_by: dict[tuple[type, str], str] = field(default_factory=dict)
    timed: list[Made] = field(default_factory=list)
    flags: SchedulerFlags = field(default_factory=SchedulerFlags)
    named: tuple[str, ...] = (SCHEDULER_NAME,)
    aside: list[tuple[Any, Origin]] = field(default_factory=list)

    @property
    def now(self) -> datetime | None:
        """The time of the session, as a scenario gives it, else the newest timestamp."""
        return next((each.now for each in self.scenarios if each.now is not None), self.newest_timestamp)

    @property
    def sharding(self) -> Sharding:
        """The scheduler's flags about sharding, as they were given, else as a scenario has them."""
        of_scenarios = (each.sharding for each in self.scenarios if each.sharding is not None)
        return self.sharding_flags or next(of_scenarios, Sharding())

    @property
    def csi_storage(self) -> bool:
        """Whether the scheduler is started with --csi-storage, as was given, or as a scenario has it."""
        return self.csi_storage_flag or self.flags.csi_storage or any(each.csi_storage for each in self.scenarios)

    @property
    def choice(self) -> ReleaseChoice:
        """The release and the behaviours that were asked for, else those of a scenario."""
        choice = self.release
        for scenario in self.scenarios:
            choice = choice.over(scenario.release)
        return choice

    @property
    def profile(self) -> Profile:
        """The behaviours of the release that is modelled: the one that was asked for, else the one of the cluster."""
        return self.choice.over(ReleaseChoice(self.installed)).profile

    @property
    def conf(self) -> ConfigText | None:
        """The text of the scheduler's configuration, if there is one."""
        return self.configuration.text if self.configuration is not None else None

    @property
    def scheduler(self) -> SchedulerConfiguration:
        """The scheduler's configuration, the built-in one where none is given.

        Raises:
            InputErrors: Volcano would refuse it.
        """
        return built_in_configuration() if self.configuration is None else self.configuration.accepted()

    def add_made(self, made: Made) -> None:
        """Add an object that an operator would create."""
        list_name = KIND_OF[type(made.typed)].list_name
        getattr(self, list_name).append(made.typed)
        self.origins.setdefault(list_name, []).append(made.origin)
        self.made_by[key_of(made.typed)] = made.maker

    def take_setting(self, base: Manifests, under: Manifests | None) -> None:
        """Take the setting of the base of a change, and note what the change says of it that is not used."""
        below = {} if under is None else under.setting
        self.not_applied = [*setting_changes(below | base.setting, below | self.setting)]
        self.scenarios, self.expectations = base.scenarios, base.expectations
        self.captures, self.metrics = base.captures, base.metrics

    def taken_by(self, release: ReleaseChoice) -> Manifests:
        """These manifests as another release takes them, which may know other actions."""
        other = replace(self, release=release)
        if self.configuration is None:
            return other
        return replace(other, configuration=read_configuration(self.configuration.text, other.profile))

    def with_origins(self, list_name: str) -> list[tuple[Any, Origin]]:
        """The objects of a list, each with where it stands."""
        return list(zip(getattr(self, list_name), self.origins.get(list_name, ()), strict=True))

    def position(self, list_name: str, index: int, path: Path = ()) -> Position:
        """The place of a value in an object, for example ``position("pods", 3, ("spec", "priority"))``."""
        return self.origins[list_name][index].position(path)

    def diagnostic(self, list_name: str, index: int, path: Path, code: str, message: str) -> Diagnostic:
        """Make a warning about a value in an object."""
        return self.origins[list_name][index].diagnostic(code, message, path, severity="warning")


# --- names of schedulers ----------------------------------------------------------------------------------------------


_NOT_THIS: Final = f"{SCHEDULER_NAME} (another scheduler)"
"""What pods of the usual schedulerName are called where the scheduler has other names only."""


def take_names(manifests: Manifests, names: tuple[str, ...]) -> None:
    """Take the pods of some schedulerNames for those of the simulated scheduler, with the workloads set aside."""
    if manifests.named == names:
        return
    manifests.named = names
    kept = []
    for typed, origin in manifests.aside:
        if typed.spec.template.spec.scheduler_name in names:
            list_name = KIND_OF[type(typed)].list_name
            getattr(manifests, list_name).append(typed)
            manifests.origins.setdefault(list_name, []).append(origin)
        else:
            kept.append((typed, origin))
    manifests.aside = kept
    seen: set[int] = set()
    for spec in _specs(manifests):
        if id(spec) not in seen:
            seen.add(id(spec))
            spec.scheduler_name = called(spec.scheduler_name, names)
    for job in manifests.volcano_jobs:
        job.spec.scheduler_name = called(job.spec.scheduler_name or SCHEDULER_NAME, names)


def called(name: str, names: tuple[str, ...]) -> str:
    """What the scheduler of a pod is called here, where the simulated one has some names."""
    if name in names:
        return SCHEDULER_NAME
    return _NOT_THIS if name == SCHEDULER_NAME else name


def _specs(manifests: Manifests) -> Iterator[k8s.PodSpec]:
    for pod in manifests.pods:
        yield pod.spec
    for each in (*manifests.deployments, *manifests.jobs, *manifests.workloads):
        if not isinstance(each, k8s.ReplicationController):
            yield each.spec.template.spec
    for job in manifests.volcano_jobs:
        yield from (task.template.spec for task in job.spec.tasks if task.template.spec.scheduler_name)


UNKNOWN_FLAG: Final = "unknown-flag"
"""The code of the error of a flag that the scheduler does not have."""


def shard_of(objects: Iterable[k8s.NodeShard], sharding: Sharding) -> Shard:
    """The shard of a scheduler: the nodes that its NodeShard desires, without those that others still use.

    Reference: pkg/scheduler/cache/shard_coordinator.go (RefreshNodeShards, getAvailableNodesFromShard).
    """
    shards = {each.metadata.name: each for each in objects}
    own = shards.pop(sharding.name, None)
    others = tuple(sorted(shards))
    if own is None:
        return Shard(sharding, others=others)
    in_use = {node for each in shards.values() for node in each.status.nodes_in_use}
    return Shard(sharding, frozenset(own.spec.nodes_desired) - in_use, is_defined=True, others=others)


def with_sharding(manifests: Manifests, mode: ShardingMode | None, name: str | None) -> Manifests:
    """Manifests for a scheduler that is started with some flags; what is None stays as scenarios say.

    Raises:
        InputErrors: the release does not know the flags.
    """
    if mode is None and name is None:
        return manifests
    sharding = manifests.sharding
    changed = replace(manifests, sharding_flags=Sharding(mode or sharding.mode, name or sharding.name))
    unknown = unknown_flags(changed)
    if unknown is not None:
        raise InputErrors([unknown])
    return changed


def unknown_flags(manifests: Manifests) -> Diagnostic | None:
    """The error that a scheduler has flags about sharding, where its release does not know them."""
    profile = manifests.profile
    if profile.flags.sharding_flags == "known" or manifests.sharding == Sharding():
        return None
    message = f"the scheduler of Volcano {profile.release} has no flag --scheduler-sharding-mode, and does not start"
    return Diagnostic(code=UNKNOWN_FLAG, severity="error", message=message, help="leave the flags about sharding out")
