"""The Kubernetes and Volcano objects that scheduling looks at, reduced to the fields that it looks at.

Conventions, the same for every struct here:

* Every field has a default, and fields that are not listed are ignored, so any object of any release decodes.
* Where Go has a value, the field is that value, empty by default. Where Go has a pointer and tells "not given" from
  "empty", the field is optional: no label selector matches nothing, an empty one matches everything.
* ``null`` in a manifest means "not given"; whoever reads manifests drops it before it gets here.
* Defaults are Go's zero values, save those that a custom resource definition declares: no object that Kubernetes serves
  is without these.
* Nothing refers back, so the structs stay out of the garbage collector's sight: a dump has hundreds of thousands.

References: k8s.io/api core/v1, apps/v1, batch/v1, scheduling/v1, storage/v1 and policy/v1 (v0.34); in
volcano-sh/volcano, ``scheduling/v1beta1/types.go`` and ``batch/v1alpha1/job.go`` under
``staging/src/volcano.sh/apis/pkg/apis``.
"""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct, field

Quantity = str | int | float
"""An amount as written; `vqs.model.quantity` reads it."""

ResourceList = dict[str, Quantity]


class NotGiven(dict[str, Quantity]):
    """The amounts of a field that is left out. To write ``{}`` there is an update, although it means the same."""

    __slots__ = ()


Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Time = Annotated[datetime, Meta(tz=True)]

ENDED_PHASES = ("Succeeded", "Failed")
"""The phases of pods that have ended: they hold no room, and never run again."""
ENDED_JOB_PHASES = frozenset({"Aborted", "Completed", "Failed", "Terminated"})
"""The phases of Volcano Jobs that have ended: no pods are made for them; one that is Aborted can be resumed."""

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class _Base(Struct, rename="camel", omit_defaults=True, gc=False):
    """What the structs below share."""


# --- metadata and selectors -------------------------------------------------------------------------------------------


class OwnerReference(_Base):
    """The object that made this one, and that is deleted before it."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


class ObjectMeta(_Base):
    """Name, place and age of an object."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    deletion_grace_period_seconds: Int64 | None = None
    owner_references: list[OwnerReference] = []

    @property
    def key(self) -> str:
        """Namespace and name, by which an object is looked up among those of its kind."""
        return f"{self.namespace}/{self.name}"


class LabelSelectorRequirement(_Base):
    """``key operator values``, where the operator is In, NotIn, Exists or DoesNotExist."""

    key: str = ""
    operator: str = ""
    values: list[str] = []


class LabelSelector(_Base):
    """Labels and requirements that must all hold. Without any, everything matches."""

    match_labels: dict[str, str] = {}
    match_expressions: list[LabelSelectorRequirement] = []


class NodeSelectorRequirement(_Base):
    """``key operator values``, where the operator may also be Gt or Lt."""

    key: str = ""
    operator: str = ""
    values: list[str] = []


class NodeSelectorTerm(_Base):
    """Requirements on a node's labels and fields that must all hold. Without any, nothing matches."""

    match_expressions: list[NodeSelectorRequirement] = []
    match_fields: list[NodeSelectorRequirement] = []


class NodeSelector(_Base):
    """Terms of which one must hold."""

    node_selector_terms: list[NodeSelectorTerm] = []


# --- pods -------------------------------------------------------------------------------------------------------------


class PreferredSchedulingTerm(_Base):
    """A preference among nodes, and how much it weighs."""

    weight: Int32 = 0
    preference: NodeSelectorTerm = field(default_factory=NodeSelectorTerm)


class NodeAffinity(_Base):
    """Nodes that a pod needs, and nodes that it prefers."""

    required: NodeSelector | None = field(default=None, name=REQUIRED)
    preferred: list[PreferredSchedulingTerm] = field(default_factory=list, name=PREFERRED)


class PodAffinityTerm(_Base):
    """Pods to be near to, or far from; near and far are measured by a node label, the topology key."""

    label_selector: LabelSelector | None = None
    namespaces: list[str] = []
    namespace_selector: LabelSelector | None = None
    topology_key: str = ""
    match_label_keys: list[str] = []
    mismatch_label_keys: list[str] = []


class WeightedPodAffinityTerm(_Base):
    """A preferred pod affinity term, and how much it weighs."""

    weight: Int32 = 0
    pod_affinity_term: PodAffinityTerm = field(default_factory=PodAffinityTerm)


class PodAffinity(_Base):
    """Pods that must, and pods that should, be near; for anti-affinity, far."""

    required: list[PodAffinityTerm] = field(default_factory=list, name=REQUIRED)
    preferred: list[WeightedPodAffinityTerm] = field(default_factory=list, name=PREFERRED)


class Affinity(_Base):
    """All affinities of a pod."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class Toleration(_Base):
    """A taint that a pod puts up with. An empty key with operator Exists tolerates all, an empty effect any effect."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: Int64 | None = None


class ResourceRequirements(_Base):
    """What a container asks for, and what it may use at most."""

    requests: ResourceList = {}
    limits: ResourceList = {}


class ContainerPort(_Base):
    """A port of a container; with a host port, only one pod per node can have it."""

    container_port: Int32 = 0
    host_port: Int32 = 0
    host_ip: str = field(default="", name="hostIP")
    protocol: str = ""


class Container(_Base):
    """A container. An init container that restarts always is a sidecar."""

    name: str = ""
    image: str = ""
    resources: ResourceRequirements = field(default_factory=ResourceRequirements)
    ports: list[ContainerPort] = []
    restart_policy: str = ""


class TopologySpreadConstraint(_Base):
    """How evenly pods of a kind must spread over the values of a node label."""

    max_skew: Int32 = 0
    topology_key: str = ""
    when_unsatisfiable: str = ""
    label_selector: LabelSelector | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: str = ""
    node_taints_policy: str = ""
    match_label_keys: list[str] = []


class PodSchedulingGate(_Base):
    """A name that keeps a pod out of scheduling until it is removed."""

    name: str = ""


class PersistentVolumeClaimVolumeSource(_Base):
    """A volume that an existing claim provides."""

    claim_name: str = ""
    read_only: bool = False


class PersistentVolumeClaimSpec(_Base):
    """What kind of volume is asked for, and which one it became. No storage class is not the class without name."""

    access_modes: list[str] = []
    resources: ResourceRequirements = field(default_factory=ResourceRequirements)
    selector: LabelSelector | None = None
    storage_class_name: str | None = None
    volume_name: str = ""
    volume_mode: str = ""
    volume_attributes_class_name: str | None = None


class PersistentVolumeClaimTemplate(_Base):
    """The claim that is made for a volume living as long as its pod."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: PersistentVolumeClaimSpec = field(default_factory=PersistentVolumeClaimSpec)


class EphemeralVolumeSource(_Base):
    """A volume living as long as its pod."""

    volume_claim_template: PersistentVolumeClaimTemplate | None = None


class ImageVolumeSource(_Base):
    """An image that is mounted as a volume."""

    reference: str = ""


class Volume(_Base):
    """A volume of a pod. Other sources than claims and images do not matter to scheduling."""

    name: str = ""
    persistent_volume_claim: PersistentVolumeClaimVolumeSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    image: ImageVolumeSource | None = None


class PodResourceClaim(_Base):
    """A device claim of a pod."""

    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class PodSpec(_Base):
    """What a pod needs to run."""

    node_name: str = ""
    scheduler_name: str = ""
    priority: Int32 | None = None
    priority_class_name: str = ""
    preemption_policy: str | None = None
    runtime_class_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: Affinity | None = None
    tolerations: list[Toleration] = []
    containers: list[Container] = []
    init_containers: list[Container] = []
    overhead: ResourceList = {}
    resources: ResourceRequirements | None = None
    topology_spread_constraints: list[TopologySpreadConstraint] = []
    scheduling_gates: list[PodSchedulingGate] = []
    volumes: list[Volume] = []
    resource_claims: list[PodResourceClaim] = []
    termination_grace_period_seconds: Int64 | None = None
    active_deadline_seconds: Int64 | None = None
    host_network: bool = False


class Condition(_Base):
    """A condition of a pod, node or PodGroup."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    transition_id: str = field(default="", name="transitionID")
    last_transition_time: Time | None = None


class ContainerStateTerminated(_Base):
    """When a container ended."""

    finished_at: Time | None = None


class ContainerStateWaiting(_Base):
    """Why a container does not run yet."""

    reason: str = ""
    message: str = ""


class ContainerState(_Base):
    """Whether a container has ended, or has yet to run."""

    waiting: ContainerStateWaiting | None = None
    terminated: ContainerStateTerminated | None = None


class ContainerStatus(_Base):
    """Whether a container is ready, and what it was given, which differs from its spec while it is resized."""

    name: str = ""
    ready: bool = False
    resources: ResourceRequirements | None = None
    allocated_resources: ResourceList = {}
    state: ContainerState = field(default_factory=ContainerState)


class PodResourceClaimStatus(_Base):
    """The claim that was made for a pod from a template; without a name, none is needed."""

    name: str = ""
    resource_claim_name: str | None = None


class PodStatus(_Base):
    """Where a pod is in its life."""

    phase: str = ""
    qos_class: str = ""
    nominated_node_name: str = ""
    start_time: Time | None = None
    conditions: list[Condition] = []
    container_statuses: list[ContainerStatus] = []
    init_container_statuses: list[ContainerStatus] = []
    resource_claim_statuses: list[PodResourceClaimStatus] = []


class Pod(_Base):
    """A pod."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: PodSpec = field(default_factory=PodSpec)
    status: PodStatus = field(default_factory=PodStatus)


class PodTemplateSpec(_Base):
    """What a controller makes pods by."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: PodSpec = field(default_factory=PodSpec)


# --- nodes ------------------------------------------------------------------------------------------------------------


class Taint(_Base):
    """A mark that keeps away pods that do not tolerate it."""

    key: str = ""
    value: str = ""
    effect: str = ""


class NodeSpec(_Base):
    """What an administrator set on a node."""

    unschedulable: bool = False
    taints: list[Taint] = []


class ContainerImage(_Base):
    """An image that a node already has."""

    names: list[str] = []
    size_bytes: Int64 = 0


class NodeStatus(_Base):
    """What a node offers and how it is."""

    allocatable: ResourceList = {}
    capacity: ResourceList = {}
    conditions: list[Condition] = []
    images: list[ContainerImage] = []


class Node(_Base):
    """A node."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: NodeSpec = field(default_factory=NodeSpec)
    status: NodeStatus = field(default_factory=NodeStatus)


# --- queues and PodGroups ---------------------------------------------------------------------------------------------


class Guarantee(_Base):
    """What is kept for a queue alone."""

    resource: ResourceList = field(default_factory=NotGiven)


class NodeGroupTerms(_Base):
    """Node groups that a queue must, and should, use; for anti-affinity, avoid."""

    required: list[str] = field(default_factory=list, name=REQUIRED)
    preferred: list[str] = field(default_factory=list, name=PREFERRED)


class QueueAffinity(_Base):
    """Node groups for a queue's pods."""

    node_group_affinity: NodeGroupTerms | None = None
    node_group_anti_affinity: NodeGroupTerms | None = None


class QueueSpec(_Base):
    """What a queue is entitled to."""

    weight: Int32 = 1
    capability: ResourceList = field(default_factory=NotGiven)
    reclaimable: bool | None = None
    guarantee: Guarantee = field(default_factory=Guarantee)
    affinity: QueueAffinity | None = None
    type: str = ""
    parent: str = ""
    deserved: ResourceList = field(default_factory=NotGiven)
    priority: Int32 = 0
    dequeue_strategy: str = "traverse"


class QueueStatus(_Base):
    """Whether a queue takes jobs, what it holds, and how many PodGroups it has in each phase."""

    state: str = ""
    unknown: Int32 = 0
    pending: Int32 = 0
    running: Int32 = 0
    inqueue: Int32 = 0
    completed: Int32 = 0
    allocated: ResourceList = {}


class Queue(_Base):
    """A queue, ``scheduling.volcano.sh``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: QueueSpec = field(default_factory=QueueSpec)
    status: QueueStatus = field(default_factory=QueueStatus)


class NetworkTopology(_Base):
    """How far apart in the network pods may be."""

    mode: str = "hard"
    highest_tier_allowed: Int64 | None = None
    highest_tier_name: str = ""


class SubGroupPolicy(_Base):
    """How a PodGroup's pods fall into subgroups, which are placed as gangs of their own."""

    name: str = ""
    label_selector: LabelSelector | None = None
    match_label_keys: list[str] = []
    sub_group_size: Int32 | None = 1
    min_sub_groups: Int32 | None = 0
    network_topology: NetworkTopology | None = None


class PodGroupSpec(_Base):
    """What a gang needs to start. No minimal resources is not the same as empty ones."""

    min_member: Int32 = 0
    min_task_member: dict[str, Int32] = {}
    queue: str = "default"
    priority_class_name: str = ""
    min_resources: ResourceList | None = None
    network_topology: NetworkTopology | None = None
    sub_group_policy: list[SubGroupPolicy] = []


class PodGroupStatus(_Base):
    """Where a gang is in its life."""

    phase: str = ""
    conditions: list[Condition] = []
    running: Int32 = 0
    succeeded: Int32 = 0
    failed: Int32 = 0


class PodGroup(_Base):
    """A gang of pods, ``scheduling.volcano.sh``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: PodGroupSpec = field(default_factory=PodGroupSpec)
    status: PodGroupStatus = field(default_factory=PodGroupStatus)


class ExactMatch(_Base):
    """The member of this name."""

    name: str = ""


class RegexMatch(_Base):
    """Members whose names match a pattern."""

    pattern: str = ""


class MemberSelector(_Base):
    """Which nodes or HyperNodes are members; one of the three."""

    exact_match: ExactMatch | None = None
    regex_match: RegexMatch | None = None
    label_match: LabelSelector | None = None


class HyperNodeMember(_Base):
    """Members of a HyperNode, nodes or other HyperNodes."""

    type: str = ""
    selector: MemberSelector = field(default_factory=MemberSelector)


class HyperNodeSpec(_Base):
    """A part of the network; the lower its tier, the nearer its members."""

    tier: Int64 = 0
    tier_name: str = ""
    members: list[HyperNodeMember] = []


class HyperNode(_Base):
    """A part of the network, ``topology.volcano.sh``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: HyperNodeSpec = field(default_factory=HyperNodeSpec)


# --- NUMA -------------------------------------------------------------------------------------------------------------


class NumaResource(_Base):
    """A resource that containers can have for themselves: which units of it are free, and how many there are."""

    allocatable: str = ""
    capacity: Int64 = 0


class CpuInfo(_Base):
    """Where a CPU is: its NUMA node, its socket and its core."""

    numa: Int64 = 0
    socket: Int64 = 0
    core: Int64 = 0


class NumatopologySpec(_Base):
    """The CPUs of a node, and the policies of its kubelet."""

    policies: dict[str, str] = {}
    res_reserved: dict[str, str] = {}
    numares: dict[str, NumaResource] = {}
    cpu_detail: dict[str, CpuInfo] = {}


class Numatopology(_Base):
    """The NUMA nodes of a node, named as the node, ``nodeinfo.volcano.sh``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: NumatopologySpec = field(default_factory=NumatopologySpec)


# --- shards -----------------------------------------------------------------------------------------------------------


class NodeShardSpec(_Base):
    """The nodes that a scheduler should take care of."""

    nodes_desired: list[str] = []


class NodeShardStatus(_Base):
    """The nodes that a scheduler takes care of, and how that differs from what it should."""

    last_update_time: Time | None = None
    nodes_in_use: list[str] = []
    nodes_to_remove: list[str] = []
    nodes_to_add: list[str] = []


class NodeShard(_Base):
    """The nodes of one of several schedulers, ``shard.volcano.sh``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: NodeShardSpec = field(default_factory=NodeShardSpec)
    status: NodeShardStatus = field(default_factory=NodeShardStatus)


# --- namespaces, quotas, services and workloads -----------------------------------------------------------------------


class PriorityClass(_Base):
    """A named priority."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    value: Int32 = 0
    global_default: bool = False
    preemption_policy: str | None = None


class Overhead(_Base):
    """What a pod of a runtime class takes up besides its containers."""

    pod_fixed: ResourceList = {}


class RuntimeClassScheduling(_Base):
    """Where pods of a runtime class go."""

    node_selector: dict[str, str] = {}
    tolerations: list[Toleration] = []


class RuntimeClass(_Base):
    """A way to run containers, ``node.k8s.io``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    overhead: Overhead | None = None
    scheduling: RuntimeClassScheduling | None = None


class ScopedResourceSelectorRequirement(_Base):
    """One condition on the pods that a quota counts; `scope_name` is ``PriorityClass``, or a scope by itself."""

    scope_name: str = ""
    operator: str = ""
    values: list[str] = []


class ScopeSelector(_Base):
    """Conditions on the pods that a quota counts; all of them have to hold."""

    match_expressions: list[ScopedResourceSelectorRequirement] = []


class ResourceQuotaSpec(_Base):
    """The most that a namespace may ask for, for the pods that are in all scopes."""

    hard: ResourceList = {}
    scopes: list[str] = []
    scope_selector: ScopeSelector | None = None


class ResourceQuotaStatus(_Base):
    """What a namespace may ask for, and what it asked for."""

    hard: ResourceList = {}
    used: ResourceList = {}


class ResourceQuota(_Base):
    """A namespace's quota."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ResourceQuotaSpec = field(default_factory=ResourceQuotaSpec)
    status: ResourceQuotaStatus = field(default_factory=ResourceQuotaStatus)


class LimitRangeItem(_Base):
    """What each container or each pod of a namespace may ask for at least and at most, and what it gets by default."""

    type: str = ""
    min: ResourceList = {}
    max: ResourceList = {}
    default: ResourceList = {}
    default_request: ResourceList = {}


class LimitRangeSpec(_Base):
    """What containers and pods may ask for."""

    limits: list[LimitRangeItem] = []


class LimitRange(_Base):
    """What containers and pods of a namespace may ask for."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: LimitRangeSpec = field(default_factory=LimitRangeSpec)


class ConfigMap(_Base):
    """Texts by name; one of them may be the scheduler's configuration."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    data: dict[str, str] = {}


class Namespace(_Base):
    """A namespace; pod affinity selects by its labels."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)


class ServiceSpec(_Base):
    """The pods that a service stands for."""

    selector: dict[str, str] = {}


class Service(_Base):
    """A service; default spreading counts its pods."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ServiceSpec = field(default_factory=ServiceSpec)


class Ordinals(_Base):
    """How the pods of a stateful set are numbered."""

    start: Int32 = 0


class RollingUpdate(_Base):
    """How many pods more and fewer than its replicas a deployment has while it rolls out: a number, or a percentage."""

    max_surge: int | str | None = None
    max_unavailable: int | str | None = None


class DeploymentStrategy(_Base):
    """How a deployment replaces its pods by new ones: RollingUpdate, unless it is Recreate."""

    type: str = ""
    rolling_update: RollingUpdate | None = None


class WorkloadSpec(_Base):
    """The pods that a workload owns.

    Only stateful sets have claims, a policy and ordinals, and only deployments have what comes after those.
    """

    selector: LabelSelector | None = None
    replicas: Int32 | None = None
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)
    volume_claim_templates: list[PersistentVolumeClaimTemplate] = []
    pod_management_policy: str = ""
    ordinals: Ordinals = field(default_factory=Ordinals)
    strategy: DeploymentStrategy = field(default_factory=DeploymentStrategy)
    min_ready_seconds: Int32 = 0
    paused: bool = False


class ReplicaSetStatus(_Base):
    """What its controller says of a replica set, such as that it could not create pods (ReplicaFailure)."""

    conditions: list[Condition] = []


class ReplicaSet(_Base):
    """A replica set; default spreading counts its pods."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: WorkloadSpec = field(default_factory=WorkloadSpec)
    status: ReplicaSetStatus = field(default_factory=ReplicaSetStatus)


class StatefulSet(_Base):
    """A stateful set; default spreading counts its pods."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: WorkloadSpec = field(default_factory=WorkloadSpec)


class ReplicationControllerSpec(_Base):
    """The pods that a replication controller owns, by labels alone."""

    selector: dict[str, str] = {}


class ReplicationController(_Base):
    """A replication controller; default spreading counts its pods."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: ReplicationControllerSpec = field(default_factory=ReplicationControllerSpec)


Workload = ReplicaSet | StatefulSet | ReplicationController


class Deployment(_Base):
    """A deployment, which makes replica sets."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: WorkloadSpec = field(default_factory=WorkloadSpec)


class ExitCodes(_Base):
    """Exit codes that a rule is for: ``In`` the values, or ``NotIn`` them."""

    operator: str = ""
    values: list[Int32] = []


class PodFailurePolicyRule(_Base):
    """What a failed pod means for its Job: FailJob, FailIndex, Ignore or Count."""

    action: str = ""
    on_exit_codes: ExitCodes | None = None


class PodFailurePolicy(_Base):
    """Rules, the first that matches counting."""

    rules: list[PodFailurePolicyRule] = []


class SuccessPolicyRule(_Base):
    """Which indexes of a Job have to succeed, written as ``0-2,5``, and how many of them."""

    succeeded_indexes: str = ""
    succeeded_count: Int32 | None = None


class SuccessPolicy(_Base):
    """Rules of which one is enough."""

    rules: list[SuccessPolicyRule] = []


class JobSpec(_Base):
    """The pods that a Kubernetes Job runs: a number at a time, until a number have succeeded."""

    parallelism: Int32 | None = None
    completions: Int32 | None = None
    completion_mode: str = ""
    suspend: bool = False
    active_deadline_seconds: Int64 | None = None
    backoff_limit: Int32 | None = None
    backoff_limit_per_index: Int32 | None = None
    max_failed_indexes: Int32 | None = None
    pod_failure_policy: PodFailurePolicy = field(default_factory=PodFailurePolicy)
    success_policy: SuccessPolicy = field(default_factory=SuccessPolicy)
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)


class JobStatus(_Base):
    """How far a Kubernetes Job is, and since when; the indexes are written as ``0-2,5``."""

    start_time: Time | None = None
    succeeded: Int32 = 0
    failed: Int32 = 0
    completed_indexes: str = ""
    failed_indexes: str = ""
    conditions: list[Condition] = []


class Job(_Base):
    """A Job of Kubernetes, ``batch``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: JobSpec = field(default_factory=JobSpec)
    status: JobStatus = field(default_factory=JobStatus)


class PodDisruptionBudgetSpec(_Base):
    """How many pods may be missing; numbers or percentages."""

    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: LabelSelector | None = None


class PodDisruptionBudgetStatus(_Base):
    """How many more pods may be evicted, and which are on their way out."""

    disruptions_allowed: Int32 = 0
    disrupted_pods: dict[str, Time] = {}
    current_healthy: Int32 = 0
    desired_healthy: Int32 = 0
    expected_pods: Int32 = 0
    observed_generation: int = 0


class PodDisruptionBudget(_Base):
    """A limit on evictions."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: PodDisruptionBudgetSpec = field(default_factory=PodDisruptionBudgetSpec)
    status: PodDisruptionBudgetStatus = field(default_factory=PodDisruptionBudgetStatus)


# --- volumes ----------------------------------------------------------------------------------------------------------


class PersistentVolumeClaimStatus(_Base):
    """Whether a claim has its volume, and how large that is."""

    phase: str = ""
    capacity: ResourceList = {}


class PersistentVolumeClaim(_Base):
    """A request for a volume."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: PersistentVolumeClaimSpec = field(default_factory=PersistentVolumeClaimSpec)
    status: PersistentVolumeClaimStatus = field(default_factory=PersistentVolumeClaimStatus)


class CSIVolumeSource(_Base):
    """The driver that provides a volume."""

    driver: str = ""
    volume_handle: str = ""


class ObjectReference(_Base):
    """Another object."""

    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""


class VolumeNodeAffinity(_Base):
    """The nodes that can reach a volume."""

    required: NodeSelector | None = None


class PersistentVolumeSpec(_Base):
    """What a volume is and who has it."""

    capacity: ResourceList = {}
    access_modes: list[str] = []
    claim_ref: ObjectReference | None = None
    storage_class_name: str = ""
    volume_mode: str = ""
    volume_attributes_class_name: str | None = None
    csi: CSIVolumeSource | None = None
    node_affinity: VolumeNodeAffinity | None = None


class PersistentVolumeStatus(_Base):
    """Whether a volume is taken."""

    phase: str = ""


class PersistentVolume(_Base):
    """A volume."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: PersistentVolumeSpec = field(default_factory=PersistentVolumeSpec)
    status: PersistentVolumeStatus = field(default_factory=PersistentVolumeStatus)


class TopologySelectorLabelRequirement(_Base):
    """A node label and the values it may have."""

    key: str = ""
    values: list[str] = []


class TopologySelectorTerm(_Base):
    """Node labels that must all have one of their values."""

    match_label_expressions: list[TopologySelectorLabelRequirement] = []


class StorageClass(_Base):
    """A kind of volume."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    provisioner: str = ""
    parameters: dict[str, str] = {}
    volume_binding_mode: str | None = None
    allowed_topologies: list[TopologySelectorTerm] = []


class VolumeNodeResources(_Base):
    """How many volumes of a driver a node takes; no count is no limit."""

    count: Int32 | None = None


class CSINodeDriver(_Base):
    """A volume driver on a node."""

    name: str = ""
    node_id: str = field(default="", name="nodeID")
    topology_keys: list[str] = []
    allocatable: VolumeNodeResources | None = None


class CSINodeSpec(_Base):
    """The volume drivers on a node."""

    drivers: list[CSINodeDriver] = []


class CSINode(_Base):
    """A node's volume drivers, named as the node."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: CSINodeSpec = field(default_factory=CSINodeSpec)


class CSIDriverSpec(_Base):
    """What a volume driver can do; `storage_capacity`: it says how much room for new volumes there is."""

    storage_capacity: bool | None = None


class CSIDriver(_Base):
    """A volume driver."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: CSIDriverSpec = field(default_factory=CSIDriverSpec)


class CSIStorageCapacity(_Base):
    """How much room a volume driver has for new volumes of a class, on the nodes with some labels."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    storage_class_name: str = ""
    node_topology: LabelSelector | None = None
    capacity: Quantity | None = None
    maximum_volume_size: Quantity | None = None


class VolumeAttachmentSource(_Base):
    """The volume that is attached."""

    persistent_volume_name: str | None = None


class VolumeAttachmentSpec(_Base):
    """Which volume a driver attaches to which node."""

    attacher: str = ""
    node_name: str = ""
    source: VolumeAttachmentSource = field(default_factory=VolumeAttachmentSource)


class VolumeAttachment(_Base):
    """A volume that is attached to a node, or is to be."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: VolumeAttachmentSpec = field(default_factory=VolumeAttachmentSpec)


# --- Volcano Jobs -----------------------------------------------------------------------------------------------------


class LifecyclePolicy(_Base):
    """What is done when something happens to a Job or a task of it."""

    action: str = ""
    event: str = ""
    events: list[str] = []
    exit_code: Int32 | None = None
    timeout: str = ""


class DependsOn(_Base):
    """The tasks that must run before the pods of another are made: all of them, or any with that iteration."""

    name: list[str] = []
    iteration: str = ""


class PartitionPolicy(_Base):
    """How the pods of a task are cut into parts, which are placed as gangs of their own."""

    total_partitions: Int32 = 0
    partition_size: Int32 = 0
    min_partitions: Int32 = 0
    network_topology: NetworkTopology | None = None


class TaskSpec(_Base):
    """A task of a Volcano Job: a number of equal pods."""

    name: str = ""
    replicas: Int32 = 0
    min_available: Int32 | None = None
    template: PodTemplateSpec = field(default_factory=PodTemplateSpec)
    policies: list[LifecyclePolicy] = []
    topology_policy: str = ""
    depends_on: DependsOn | None = None
    partition_policy: PartitionPolicy | None = None


class VolumeSpec(_Base):
    """A volume of all pods of a Volcano Job: an existing claim, or one that is made for the Job."""

    mount_path: str = ""
    volume_claim_name: str = ""
    volume_claim: PersistentVolumeClaimSpec | None = None


class VolcanoJobSpec(_Base):
    """The tasks of a Volcano Job, and what it needs to start."""

    scheduler_name: str = ""
    min_available: Int32 = 0
    volumes: list[VolumeSpec] = []
    tasks: list[TaskSpec] = []
    policies: list[LifecyclePolicy] = []
    plugins: dict[str, list[str]] = {}
    queue: str = "default"
    priority_class_name: str = ""
    network_topology: NetworkTopology | None = None
    max_retry: Int32 | None = None
    min_success: Int32 | None = None


class VolcanoJobState(_Base):
    """Where a Volcano Job is in its life."""

    phase: str = ""


class VolcanoJobStatus(_Base):
    """Where a Volcano Job is in its life, and how often it was changed and tried again."""

    state: VolcanoJobState = field(default_factory=VolcanoJobState)
    version: Int32 = 0
    retry_count: Int32 = 0


class VolcanoJob(_Base):
    """A Job of Volcano, ``batch.volcano.sh``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: VolcanoJobSpec = field(default_factory=VolcanoJobSpec)
    status: VolcanoJobStatus = field(default_factory=VolcanoJobStatus)


class VolcanoJobTemplate(_Base):
    """What a CronJob makes Jobs by; their spec is as it is written, for what only lint judges refuses nothing."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: dict[str, Any] = {}


class CronJobSpec(_Base):
    """When Volcano Jobs are made, and by what."""

    schedule: str = ""
    time_zone: str | None = None
    suspend: bool = False
    job_template: VolcanoJobTemplate = field(default_factory=VolcanoJobTemplate)


class CronJob(_Base):
    """What makes Volcano Jobs again and again, ``batch.volcano.sh``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: CronJobSpec = field(default_factory=CronJobSpec)


class FlowTargets(_Base):
    """The flows that have to be completed before one begins."""

    targets: list[str] = []


class Flow(_Base):
    """A Job of a JobFlow: the name of its JobTemplate, and what it waits for."""

    name: str = ""
    depends_on: FlowTargets | None = None


class JobFlowSpec(_Base):
    """The Jobs of a JobFlow."""

    flows: list[Flow] = []


class JobFlow(_Base):
    """What makes Volcano Jobs one after the other, ``flow.volcano.sh``."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: JobFlowSpec = field(default_factory=JobFlowSpec)


class JobTemplate(_Base):
    """What a JobFlow makes Jobs by, ``flow.volcano.sh``; their spec is as it is written."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)
    spec: dict[str, Any] = {}
