"""predicates: which nodes a pod may go to, by the rules of Kubernetes itself.

A node is asked about its number of pods, about being unschedulable, node affinity, taints, host ports, inter-pod
affinity, the number and the zones of volumes, topology spread, whether volumes can be had, and devices, in this order.
A refusal by its own description, by a volume or by devices ends the examination; after others it goes on, so that a
node may be refused for several reasons.

Arguments, all true or false: `predicate.NodeAffinityEnable`, `predicate.NodePortsEnable`,
`predicate.TaintTolerationEnable`, `predicate.PodAffinityEnable`, `predicate.NodeVolumeLimitsEnable`,
`predicate.VolumeZoneEnable`, `predicate.PodTopologySpreadEnable`, `predicate.VolumeBindingEnable` (default true);
`predicate.CacheEnable` (default false: reuse what was found out about a node for another pod of the same template);
`predicate.DynamicResourceAllocationEnable` (default false: whether claims on devices are looked at; from v1.15 on, they
always are), and `dynamicresources.filterTimeoutSeconds` (default 10: how long a node is searched for devices; here
steps are counted). Up to v1.12 also `predicate.ProportionalEnable` (default false), which keeps cpu and memory for each
idle unit of `predicate.resources`, as `proportional` of resource-strategy-fit does later.
Reference: pkg/scheduler/plugins/predicates/predicates.go and the plugins of k8s.io/kubernetes/pkg/scheduler/framework.
"""

from vqs.engine.plugins.predicates.plugin import NAME, RESOLVABLE, PredicatesPlugin

__all__ = ["NAME", "RESOLVABLE", "PredicatesPlugin"]
