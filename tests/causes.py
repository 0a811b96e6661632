"""Clusters in which the job ``new`` waits for one cause each: scenarios, so that any of them can be tried by hand."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Cause(NamedTuple):
    """A cluster in which the job ``new`` waits, and patterns of what the first screen has to say of it."""

    scenario: str
    cause: str
    fix: str


CONF = """
scheduler: |
  actions: "{actions}"
  tiers:
  - plugins:
    - name: priority
    - name: gang
      enablePreemptable: false
    - name: conformance
    - name: {more}
  - plugins:
    - name: drf
      enablePreemptable: false
    - name: predicates
    - name: {queues}
    - name: nodeorder
    - name: binpack
"""
USUAL = "enqueue, allocate, backfill"
ONE_NODE = "nodes: [{name: n, cpu: 8, memory: 32Gi}]\n"
POD = "jobs: [{name: new, replicas: 1, cpu: 2}]\n"

_POD_ALONE = """\
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: PodGroup
  metadata: {{name: new, namespace: default}}
  spec: {{minMember: 1}}
  status: {{phase: Inqueue}}
- apiVersion: v1
  kind: Pod
  metadata: {{name: new-0, namespace: default, annotations: {{scheduling.k8s.io/group-name: new}}}}
  spec:
    schedulerName: {scheduler}
    containers: [{{name: main, image: busybox, resources: {{requests: {{cpu: 2}}}}}}]
{volumes}  status: {{phase: Pending}}
"""
POD_WITH_CLAIM = _POD_ALONE.format(
    scheduler="volcano", volumes="    volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"
)

CAUSES = {
    "quota": Cause(
        CONF.format(actions=USUAL, more="resourcequota", queues="proportion")
        + ONE_NODE
        + """
manifests:
- apiVersion: v1
  kind: ResourceQuota
  metadata: {name: team, namespace: default}
  spec: {hard: {cpu: 4}}
  status: {hard: {cpu: 4}, used: {cpu: 3}}
jobs: [{name: new, replicas: 2, cpu: 1, minResources: {cpu: 2}}]
""",
        "quota team|ResourceQuota",
        r"resourcequota/default/team",
    ),
    "cordoned nodes": Cause(
        "nodes: [{name: n, cpu: 8, unschedulable: true}, {name: m, cpu: 1}]\n" + POD, "cordoned", "uncordon n"
    ),
    "a node that is not ready": Cause(
        "nodes: [{name: n, cpu: 8, taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]}]\n" + POD,
        "not ready",
        "n is ready again",
    ),
    "a claim that is not there": Cause(
        ONE_NODE
        + """storageClasses: [{name: network, provisioner: network.example.com}]
volumeClaims: [{name: dat, class: network, size: 1Gi}]
manifests:
"""
        + POD_WITH_CLAIM,
        "claim.*data|data.*claim",
        "create|PersistentVolumeClaim",
    ),
    "a claim that is not bound": Cause(
        ONE_NODE
        + """
storageClasses: [{name: network, provisioner: network.example.com}]
manifests:
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: data, namespace: default}
  spec: {accessModes: [ReadWriteOnce], storageClassName: slow, resources: {requests: {storage: 1Gi}}}
  status: {phase: Pending}
"""
        + POD_WITH_CLAIM,
        "data",
        "slow",
    ),
    "a closed queue": Cause(
        ONE_NODE + "queues: [{name: q, state: Closed}]\njobs: [{name: new, queue: q, replicas: 1, cpu: 2}]\n",
        "queue q is (closed|Closed)",
        "[Oo]pen",
    ),
    "a gang larger than its queue": Cause(
        """
nodes: [{count: 4, cpu: 8}]
queues: [{name: q, capability: {cpu: 8}}]
jobs: [{name: new, queue: q, replicas: 4, cpu: 4}]
""",
        "capability",
        r"queue/q.spec.capability.cpu",
    ),
    "a HyperNode too small": Cause(
        CONF.format(actions=USUAL, more="network-topology-aware", queues="proportion")
        + """
nodes: [{name: a, cpu: 4}, {name: b, cpu: 4}, {name: c, cpu: 4}, {name: d, cpu: 4}]
manifests:
- apiVersion: topology.volcano.sh/v1alpha1
  kind: HyperNode
  metadata: {name: left}
  spec:
    tier: 1
    members:
    - {type: Node, selector: {exactMatch: {name: a}}}
    - {type: Node, selector: {exactMatch: {name: b}}}
- apiVersion: topology.volcano.sh/v1alpha1
  kind: HyperNode
  metadata: {name: right}
  spec:
    tier: 1
    members:
    - {type: Node, selector: {exactMatch: {name: c}}}
    - {type: Node, selector: {exactMatch: {name: d}}}
- apiVersion: topology.volcano.sh/v1alpha1
  kind: HyperNode
  metadata: {name: all}
  spec:
    tier: 2
    members:
    - {type: HyperNode, selector: {exactMatch: {name: left}}}
    - {type: HyperNode, selector: {exactMatch: {name: right}}}
jobs:
- {name: new, replicas: 3, cpu: 4, podGroup: {networkTopology: {mode: hard, highestTierAllowed: 1}}}
""",
        "HyperNode",
        "highestTierAllowed",
    ),
    "a label no node has": Cause(
        ONE_NODE + "jobs: [{name: new, replicas: 1, cpu: 2, nodeSelector: {pool: gpu}}]\n",
        "node selector",
        "nodeSelector",
    ),
    "a taint": Cause(
        "nodes: [{name: n, cpu: 8, taints: [{key: dedicated, value: infra, effect: NoSchedule}]}]\n" + POD,
        "taint .dedicated: infra",
        "tolerations",
    ),
    "a priority that is not higher": Cause(
        CONF.format(actions="enqueue, allocate, preempt, backfill", more="sla", queues="proportion")
        + ONE_NODE
        + """
jobs:
- {name: old, running: 8, minAvailable: 1, cpu: 1, priority: 1}
- {name: new, replicas: 1, cpu: 2, priority: 1}
""",
        "priority",
        "priority of|old",
    ),
    "a scheduling gate": Cause(
        ONE_NODE + "jobs: [{name: new, replicas: 1, gated: 1, cpu: 2}]\n", "gate", "schedulingGates|gate"
    ),
    "a queue that does not exist": Cause(
        ONE_NODE
        + """queues: [{name: research}]
manifests:
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: PodGroup
  metadata: {name: new, namespace: default}
  spec: {minMember: 1, queue: reserch}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: new-0, namespace: default, annotations: {scheduling.k8s.io/group-name: new}}
  spec:
    schedulerName: volcano
    containers: [{name: main, image: busybox, resources: {requests: {cpu: 2}}}]
  status: {phase: Pending}
""",
        "does not exist: reserch",
        "queue.*research",
    ),
    "another scheduler": Cause(
        ONE_NODE + "\nmanifests:\n" + _POD_ALONE.format(scheduler="default-scheduler", volumes=""),
        "default-scheduler",
        "schedulerName",
    ),
    "fewer pods than the gang": Cause(
        ONE_NODE + "jobs: [{name: new, replicas: 2, minAvailable: 3, cpu: 1}]\n",
        "2 pods|2 of 3|gang",
        "minMember|minAvailable",
    ),
    "fragmented nodes": Cause(
        "nodes: [{count: 4, cpu: 8}]\njobs:\n- {name: old, running: 4, cpu: 6}\n- {name: new, replicas: 1, cpu: 3}\n",
        "idle|fragment",
        "node",
    ),
    "a pod larger than any node": Cause(
        "nodes: [{count: 4, cpu: 8}]\njobs: [{name: new, replicas: 1, cpu: 9}]\n", "9", "cpu"
    ),
    "a queue that holds what it deserves": Cause(
        """
nodes: [{count: 2, cpu: 10}]
queues: [{name: batch}, {name: web}]
jobs:
- {name: old, queue: batch, running: 10, minAvailable: 1, cpu: 1}
- {name: site, queue: web, replicas: 10, running: 6, minAvailable: 1, cpu: 1}
- {name: new, queue: batch, replicas: 1, cpu: 1}
""",
        "deserves",
        "weight|queue/batch",
    ),
    "more than the cluster admits": Cause(
        """
nodes: [{count: 2, cpu: 10}]
jobs:
- {name: old, replicas: 20, cpu: 1, priority: 5}
- {name: new, replicas: 10, cpu: 1}
""",
        "overcommit",
        "overcommit|node",
    ),
    "preempt before allocate": Cause(
        CONF.format(actions="enqueue, preempt, allocate, backfill", more="sla", queues="proportion")
        + ONE_NODE
        + """
jobs:
- {name: old, running: 8, minAvailable: 1, cpu: 1}
- {name: new, replicas: 1, cpu: 2, priority: 10}
""",
        "preempt",
        "actions",
    ),
}


def written(name: str, folder: Path) -> str:
    """Write the cluster of a cause into a folder, and return the file's name."""
    file = folder / "cluster.yaml"
    file.write_text(f"apiVersion: vqs/v1\nkind: Scenario\n{CAUSES[name].scenario}", encoding="utf-8")
    return str(file)
