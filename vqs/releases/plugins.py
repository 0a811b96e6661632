"""What releases decide differently in plugins without a module of their own, arguments, and flags of the scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vqs.releases.release import Release, behaviour

_PREDICATES = "pkg/scheduler/plugins/predicates/predicates.go"


_ALLOCATOR = "vendor/k8s.io/dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go"
_DEVICES_OF_1_36 = "Kubernetes 1.36, which is built in, has the feature on by default."


@dataclass(frozen=True, slots=True)
class PredicatesBehaviours:
    """The behaviours of the plugin predicates."""

    pod_affinity_refusal: Literal["final", "resolvable"] = behaviour(
        "final",
        {Release.V1_13: "resolvable"},
        decides="Whether a node that affinities between pods keep a task from is no place for it whoever leaves, so "
        "that preempt and reclaim pass it over, and no other filter is asked.",
        why="Tasks could not preempt those that they want to be away from (#3845).",
        source=_PREDICATES,
    )
    proportional_reserve: Literal["known", "unknown"] = behaviour(
        "known",
        {Release.V1_13: "unknown"},
        decides="Whether predicates has the argument predicate.ProportionalEnable: it keeps cpu and memory for each "
        "idle device of a node. From 1.13 on, that is an argument of the plugin resource-strategy-fit.",
        why="Whoever keeps nodes proportional places tasks by resources, which another plugin does.",
        source="pkg/scheduler/plugins/predicates/proportional.go",
    )
    volume_node_reason: Literal["conflict", "affinity"] = behaviour(
        "conflict",
        {Release.V1_13: "affinity"},
        decides="What a node says that a volume cannot be used on: node(s) had volume node affinity conflict, or "
        "node(s) didn't match PersistentVolume's node affinity.",
        why="VolumeBinding was brought up to Kubernetes 1.33.",
        source="pkg/scheduler/capabilities/volumebinding/binder.go",
    )
    claim_owner_reason: Literal["pod", "Pod"] = behaviour(
        "pod",
        {Release.V1_16: "Pod"},
        decides="What is said of a pod whose claim, made from a template, is another pod's: that it was not created "
        "for pod NAME (pod is not owner), or for Pod NAME (Pod is not owner).",
        why="Kubernetes 1.36, which is built in, has claims of groups of pods as well.",
        source="vendor/k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim.go",
    )
    zone_and_affinity_pre_filters: Literal["absent", "run"] = behaviour(
        "absent",
        {Release.V1_14: "run"},
        decides=(
            "When a task is refused whose node affinity contradicts itself, or whose volumes have no zone that can be "
            "told: on each node, or before any node is asked."
        ),
        why="The filters expect their own preparation, and did that work again for every node.",
        source=_PREDICATES,
    )
    sidecar_host_ports: Literal["ignored", "reserved"] = behaviour(
        "ignored",
        {Release.V1_14_0: "reserved"},
        decides="Whether host ports of init containers that keep running take up the ports of a node.",
        why="Kubernetes 1.34, which is built in, counts them, as they stay for the life of the pod.",
        source="vendor/k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports/node_ports.go",
    )
    device_claims: Literal["behind-feature-gate", "by-argument", "always"] = behaviour(
        "behind-feature-gate",
        {Release.V1_14_0: "by-argument", Release.V1_15: "always"},
        decides=(
            "When claims on devices are allocated, and not taken for fulfilled: if the feature gate "
            "DynamicResourceAllocation of the scheduler is set as well, which vqs takes to be off; if the argument "
            "predicate.DynamicResourceAllocationEnable is true; or always."
        ),
        why="The feature gate is on by default since Kubernetes 1.34, and since 1.15 it alone decides.",
        source=_PREDICATES,
    )
    device_alternatives: Literal["first", "scored"] = behaviour(
        "first",
        {Release.V1_16: "scored"},
        decides="What the order of the alternatives of a request for devices (firstAvailable) is for: the first that a "
        "node has is taken, or nodes that have an earlier one are preferred as well. Alternatives that want all "
        "devices are told apart then, and a pod with a claim that holds devices beside one that does not is not placed "
        "where several nodes fit, as scores fail.",
        why="The plugin DynamicResources of Kubernetes 1.36, which is built in, scores nodes.",
        source="vendor/k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go",
    )
    device_taints: Literal["ignored", "read"] = behaviour(
        "ignored",
        {Release.V1_16: "read"},
        decides="Whether a device with a taint is given only to a request that tolerates it.",
        why=_DEVICES_OF_1_36,
        source=_ALLOCATOR,
    )
    shared_counters: Literal["never-given", "counted"] = behaviour(
        "never-given",
        {Release.V1_16: "counted"},
        decides="Whether devices are given that take of what others share with them, such as partitions of a GPU: "
        "never, or as long as the counters of their pool suffice.",
        why=_DEVICES_OF_1_36,
        source=_ALLOCATOR,
    )
    device_capacity_requests: Literal["refused", "compared"] = behaviour(
        "refused",
        {Release.V1_16: "compared"},
        decides="What becomes of a request for a part of the capacity of a device: no node takes its pod, or it is "
        "given a device that has so much. That several claims share such a device is not modelled.",
        why=_DEVICES_OF_1_36,
        source=_ALLOCATOR,
    )
    binding_conditions: Literal["never-given", "given"] = behaviour(
        "never-given",
        {Release.V1_16: "given"},
        decides="Whether devices are given that have to be made ready before a pod is bound, after the session.",
        why=_DEVICES_OF_1_36,
        source=_ALLOCATOR,
    )
    node_shards: Literal["ignored", "honoured"] = behaviour(
        "ignored",
        {Release.V1_14_0: "honoured"},
        decides="Whether the scheduler has flags and NodeShards that confine it to nodes of its own.",
        why="Several schedulers share a cluster.",
        source="pkg/scheduler/util/predicate_helper.go",
    )
    free_storage: Literal["by-flag", "always"] = behaviour(
        "by-flag",
        {Release.V1_16: "always"},
        decides="When a node has to reach enough free storage for the volumes that are made for a pod, where their "
        "driver says how much there is: with the flag --csi-storage, or always.",
        why="The plugin VolumeBinding of Kubernetes is used as it is, and no copy of it.",
        source=_PREDICATES,
    )
    attach_limit_names: Literal["cut", "whole"] = behaviour(
        "cut",
        {Release.V1_16: "whole"},
        decides="How the resource is called that counts the volumes of a CSI driver: by the name of the driver, cut "
        "and with a hash where it is long; or by the whole name, with hyphens in place of slashes.",
        why="The name is to be that of the kubelet.",
        source="pkg/scheduler/cache/event_handlers.go",
    )
    device_pools: Literal["any", "complete-and-valid"] = behaviour(
        "any",
        {Release.V1_15: "complete-and-valid"},
        decides="Which pools of devices claims are satisfied from: also those of which ResourceSlices are missing, "
        "while one with two devices of one name fails the node; or only those that are complete and valid.",
        why="The release uses the scheduler plugins of Kubernetes 1.35, which leave out pools that are being updated.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
    )
    taint_reason: Literal["first-taint", "unnamed"] = behaviour(
        "first-taint",
        {Release.V1_15: "unnamed"},
        decides="What a node says whose taints a task does not tolerate: the key and the value of the first such "
        "taint, or only that there are some.",
        why="The release uses the scheduler plugins of Kubernetes 1.35, which counts such nodes together.",
        source="pkg/scheduler/plugins/predicates/predicates.go",
    )


_NODEORDER: Final = "pkg/scheduler/plugins/nodeorder/nodeorder.go"


@dataclass(frozen=True, slots=True)
class NodeOrderBehaviours:
    """The behaviours of the plugin nodeorder."""

    best_effort_balance: Literal["scored", "not-scored"] = behaviour(
        "scored",
        {Release.V1_13: "not-scored"},
        decides="Whether a task that asks for nothing prefers nodes on which cpu and memory are in use alike.",
        why="Such a task changes nothing about it; Kubernetes 1.33, which is built in, does not score it.",
        source="vendor/k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go",
    )
    node_affinity_score: Literal["sum-of-weights", "normalized"] = behaviour(
        "sum-of-weights",
        {Release.V1_15: "normalized"},
        decides="The score of preferred node affinity: the sum of the weights that hold, or that sum in percent of the "
        "highest one of a candidate.",
        why="All scores are computed and normalized for the candidates together.",
        source=_NODEORDER,
    )
    hostname_spread_score: Literal["constant", "by-pods"] = behaviour(
        "constant",
        {Release.V1_15: "by-pods"},
        decides="The score of a topology spread constraint on the hostname: the same for all nodes, or by the pods on "
        "the node that the constraint selects.",
        why="Nodes were handed to the score without the pods on them.",
        source=_NODEORDER,
    )
    balance_score: Literal["balance", "improvement"] = behaviour(
        "balance",
        {Release.V1_16: "improvement"},
        decides="What balancedresource.weight scores: how evenly the resources of a node would be used with the pod, "
        "or how much more evenly than without it.",
        why="The release uses the scheduler plugins of Kubernetes 1.36, where a pod is no longer drawn to nodes that "
        "are balanced anyway.",
        source="vendor/k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go",
    )
    image_volumes: Literal["ignored", "counted"] = behaviour(
        "ignored",
        {Release.V1_16: "counted"},
        decides="Whether nodeorder prefers nodes that have the images that a pod mounts as volumes.",
        why="The release uses the scheduler plugins of Kubernetes 1.36, which count them beside those of containers.",
        source="vendor/k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality/image_locality.go",
    )
    image_locality: Literal["scored", "never-found"] = behaviour(
        "scored",
        {Release.V1_14_0: "never-found", Release.V1_14: "scored"},
        decides="Whether nodeorder prefers nodes that have the images of a pod, or finds no image on any node.",
        why="The images were lost when nodes were handed to the plugins in another form.",
        source="pkg/scheduler/framework/util.go",
    )


@dataclass(frozen=True, slots=True)
class NodeGroupBehaviours:
    """The behaviours of the plugin nodegroup."""

    node_group_queue: Literal["of-pod", "of-job"] = behaviour(
        "of-pod",
        {Release.V1_13: "of-job"},
        decides="Whose affinity nodegroup looks at: that of the queue which a label or annotation of the pod names, "
        "where a pod that names none goes anywhere; or that of its job's queue. Only in the second case there are the "
        "argument strict and inheritance in a tree of queues, and a node says which of three reasons it has.",
        why="Pods whose queue only their PodGroup names went to any node.",
        source="pkg/scheduler/plugins/nodegroup/nodegroup.go",
    )
    preferred_order: Literal["unknown", "enablePreferredOrder"] = behaviour(
        "unknown",
        {Release.V1_15: "enablePreferredOrder"},
        decides="Whether the argument enablePreferredOrder of the plugin nodegroup exists: of the node groups that a "
        "queue prefers, those that it lists first score more.",
        why="A queue may prefer one of its groups to the others.",
        source="pkg/scheduler/plugins/nodegroup/nodegroup.go",
    )
    group_limits: Literal["none", "annotation"] = behaviour(
        "none",
        {Release.V1_16: "annotation"},
        decides="Whether the annotation volcano.sh/nodegroup-resource-limits of a queue limits what its pods hold in "
        "each node group.",
        why="A queue that may use several groups could fill the scarcest of them.",
        source="pkg/scheduler/plugins/nodegroup/nodegroup.go",
    )


@dataclass(frozen=True, slots=True)
class ExtenderBehaviours:
    """The behaviours of the plugin extender."""

    managed_resources: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_13: "known"},
        decides="Whether extender has the arguments extender.managedResources, and extender.allocateFuncVerb and "
        "extender.deallocateFuncVerb: whether it can be asked about some tasks only, and hears of what is placed.",
        why="An extender had to answer for each pod, and could not keep account of what is given in a session.",
        source="pkg/scheduler/plugins/extender/extender.go",
    )
    extender_enqueued: Literal["not-told", "told"] = behaviour(
        "not-told",
        {Release.V1_16: "told"},
        decides="Whether the argument extender.jobEnqueuedVerb exists: the extender is told of each job that comes in.",
        why="An extender that permits a job does not know whether the other plugins do.",
        source="pkg/scheduler/plugins/extender/extender.go",
    )


_USAGE: Final = "pkg/scheduler/plugins/usage/usage.go"


@dataclass(frozen=True, slots=True)
class UsageBehaviours:
    """The behaviours of the plugin usage."""

    usage_estimates: Literal["none", "added"] = behaviour(
        "none",
        {Release.V1_16: "added"},
        decides="Whether the plugin usage scores a node by what is measured alone, or adds what pods are thought to "
        "use that were placed too recently to be measured. The argument estimator says how much that is.",
        why="Many pods at once were placed on the node that was least busy before.",
        source=_USAGE,
    )
    usage_bounds: Literal["as-given", "checked"] = behaviour(
        "as-given",
        {Release.V1_16: "checked"},
        decides="What weights below 0 and thresholds that are no percentage count for: as they are given, a text or a "
        "fraction as 0; or as the default.",
        why="A slip kept all pods off all nodes, or preferred the busiest.",
        source=_USAGE,
    )


@dataclass(frozen=True, slots=True)
class ProportionBehaviours:
    """The behaviours of the plugin proportion."""

    proportion_inqueue: Literal["min-resources", "less-allocated"] = behaviour(
        "min-resources",
        {Release.V1_15: "less-allocated"},
        decides="What a job that is admitted and not running yet reserves: its minResources, or what it lacks of them.",
        why="What its first pods hold was counted twice, and kept other jobs out of the queue (#5100).",
        source="pkg/scheduler/plugins/proportion/proportion.go",
    )


@dataclass(frozen=True, slots=True)
class QueueBehaviours:
    """The behaviours of the accounts of queues that capacity, proportion and overcommit keep."""

    reserved_devices: Literal["in-wrong-unit", "in-full"] = behaviour(
        "in-wrong-unit",
        {Release.V1_14: "in-full"},
        decides=(
            "What a running job reserves in its queue of devices and pods that its minResources ask for and it does "
            "not hold yet: all of it, or, as the unit is mistaken, a thousandth of the devices, none of those that "
            "it holds some of, and no pods."
        ),
        why="Whole devices were compared with thousandths of a device (#5503).",
        source="pkg/scheduler/plugins/util/util.go",
    )
    inqueue_booking: Literal["by-each-permission", "once-admitted"] = behaviour(
        "by-each-permission",
        {Release.V1_16: "once-admitted"},
        decides="When capacity, proportion and resourcequota count what a job reserves: as soon as they permit it "
        "themselves, although another plugin may refuse it, or a plugin of an earlier tier decide without them; or "
        "once all plugins have let it in.",
        why="Jobs that were refused took up their queue's room until the session ended.",
        source="pkg/scheduler/plugins/capacity/capacity.go",
    )


@dataclass(frozen=True, slots=True)
class ResourceStrategyFitBehaviours:
    """The behaviours of the plugin resource-strategy-fit."""

    resource_strategy_fit: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_13: "known"},
        decides="Whether there is the plugin resource-strategy-fit; the scheduler logs a plugin that it does not know, "
        "and goes on without it.",
        why="Some resources are to be packed, and others spread.",
        source="pkg/scheduler/plugins/factory.go",
    )


@dataclass(frozen=True, slots=True)
class ArgumentBehaviours:
    """The behaviours that have to do with arguments of all plugins and actions."""

    text_as_boolean: Literal["ignored", "read"] = behaviour(
        "ignored",
        {Release.V1_15: "read"},
        decides='Whether a text such as "true" counts as true or false where an argument has to be one of them.',
        why="Quotation marks around a value made it count as not given.",
        source="pkg/scheduler/framework/arguments.go",
    )


@dataclass(frozen=True, slots=True)
class FlagBehaviours:
    """The behaviours of the flags of the scheduler."""

    sharding_flags: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_14_0: "known"},
        decides="Whether the scheduler has the flags --scheduler-sharding-mode and --scheduler-sharding-name; it does "
        "not start with flags that it does not know.",
        why="Several schedulers share the nodes of a cluster.",
        source="cmd/scheduler/app/options/options.go",
    )
    cluster_order_flag: Literal["EnabledClusterOrder", "enabledClusterOrder"] = behaviour(
        "EnabledClusterOrder",
        {Release.V1_16: "enabledClusterOrder"},
        decides="How the flag of a plugin is spelt that is about the order of clusters, of which the scheduler of a "
        "cluster knows none.",
        why="It was the only key with a capital.",
        source="pkg/scheduler/conf/scheduler_conf.go",
    )


@dataclass(frozen=True, slots=True)
class OvercommitBehaviours:
    """The behaviours of the plugin overcommit."""

    queue_overcommit: Literal["ignored", "limits"] = behaviour(
        "ignored",
        {},
        proposals={"limits": "pull request 5810: the feature gate QueueScopedOvercommit"},
        decides="Whether the annotation volcano.sh/overcommit-factor of a queue limits what its jobs hold and are "
        "admitted for, of the resources that it deserves, to that many times of them; the argument "
        "max-queue-overcommit-factor bounds the factor.",
        why="One factor for the whole cluster fits neither queues that need predictable admission nor batch queues.",
        source="pkg/scheduler/plugins/overcommit/overcommit.go",
    )
