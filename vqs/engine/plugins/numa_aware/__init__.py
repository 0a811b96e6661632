"""numa-aware: keep Guaranteed pods off nodes that cannot give their containers CPUs side by side.

A node's Numatopology (`nodeinfo.volcano.sh`) says where its CPUs are, which of them are free, and what its kubelet
does: its CPU manager is `static` or not, and its topology manager follows a policy. A pod may ask for a policy with
the annotation `volcano.sh/numa-topology-policy`, which a Volcano Job sets from `topologyPolicy`; then only nodes with
the same policy and a static CPU manager take it. For each container with a whole number of CPUs, the NUMA nodes are
chosen that the kubelet would choose, and CPUs are taken from them for the rest of the session. `restricted` refuses a
node where a container would be spread over more NUMA nodes than it needs, `single-numa-node` one where it needs more
than one, `best-effort` none. A pod that asks for no policy is treated so too on nodes that follow one.

Scores: the fewer NUMA nodes a pod would be spread over, the better; only pods that ask for a policy are scored.

Arguments: `weight` (a whole number, default 1): the score of a node is up to 100 times the weight.
Reference: pkg/scheduler/plugins/numaaware.
"""

from vqs.engine.plugins.numa_aware.plugin import NAME, NumaAwarePlugin

__all__ = ["NAME", "NumaAwarePlugin"]
