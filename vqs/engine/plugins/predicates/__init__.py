"""predicates: which nodes a pod may go to, by the rules of Kubernetes itself.

A node is asked about its number of pods, about being unschedulable, node affinity, taints, host ports, inter-pod
affinity, the number and the zones of volumes, topology spread, and whether volumes can be had, in this order. A refusal
by its own description or by a volume ends the examination; after others it goes on, so that a node may be refused for
several reasons.

Arguments, all true or false: `predicate.NodeAffinityEnable`, `predicate.NodePortsEnable`,
`predicate.TaintTolerationEnable`, `predicate.PodAffinityEnable`, `predicate.NodeVolumeLimitsEnable`,
`predicate.VolumeZoneEnable`, `predicate.PodTopologySpreadEnable`, `predicate.VolumeBindingEnable` (default true);
`predicate.CacheEnable` (default false: reuse what was found out about a node for another pod of the same template);
`predicate.DynamicResourceAllocationEnable` (default false; not modelled).
Reference: pkg/scheduler/plugins/predicates/predicates.go and the plugins of k8s.io/kubernetes/pkg/scheduler/framework.
"""

from vqs.engine.plugins.predicates.plugin import NAME, RESOLVABLE, PredicatesPlugin

__all__ = ["NAME", "RESOLVABLE", "PredicatesPlugin"]
