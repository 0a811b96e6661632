"""Kubernetes' scheduling rules, slow and obvious: one pod, one node, one rule at a time.

The engine decides them for all nodes at once. This is what it must agree with. It follows the descriptions in
k8s.io/kubernetes/pkg/scheduler/framework/plugins, and works on the manifests' structs alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.engine.plugins.kubernetes_clusters import Port, World, host_ports
from vqs.model.job import Task
from vqs.model.kubernetes import (
    LabelSelector,
    LabelSelectorRequirement,
    Node,
    NodeSelectorTerm,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    ReplicaSet,
    Taint,
    Toleration,
    TopologySpreadConstraint,
)
from vqs.model.quantity import milli_value, value

HOSTNAME = "kubernetes.io/hostname"
FORBIDDING = ("NoSchedule", "NoExecute")


# --- selectors --------------------------------------------------------------------------------------------------------


def requirement_holds(key: str, operator: str, values: Sequence[str], labels: Mapping[str, str]) -> bool:
    """Decide one requirement."""
    have = labels.get(key)
    if operator == "In":
        return have is not None and have in values
    if operator == "NotIn":
        return have is None or have not in values
    if operator == "Exists":
        return have is not None
    if operator == "DoesNotExist":
        return have is None
    if have is None or not have.isdigit():
        return False
    return int(have) > int(values[0]) if operator == "Gt" else int(have) < int(values[0])


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Decide a label selector."""
    if selector is None:
        return False
    equal = all(labels.get(key) == wanted for key, wanted in selector.match_labels.items())
    return equal and all(requirement_holds(e.key, e.operator, e.values, labels) for e in selector.match_expressions)


def is_everything(selector: LabelSelector | None) -> bool:
    """Tell whether a selector is given and requires nothing."""
    return selector is not None and not selector.match_labels and not selector.match_expressions


def term_holds(term: NodeSelectorTerm, node: Node) -> bool:
    """Decide a node selector term; one without requirements never holds."""
    if not term.match_expressions and not term.match_fields:
        return False
    fields = {"metadata.name": node.metadata.name}
    return all(
        requirement_holds(r.key, r.operator, r.values, node.metadata.labels) for r in term.match_expressions
    ) and all(requirement_holds(r.key, r.operator, r.values, fields) for r in term.match_fields)


def node_allowed(pod: Pod, node: Node) -> bool:
    """Decide node selector and required node affinity."""
    labels = node.metadata.labels
    if any(labels.get(key) != wanted for key, wanted in pod.spec.node_selector.items()):
        return False
    affinity = pod.spec.affinity.node_affinity if pod.spec.affinity else None
    if affinity is None or affinity.required is None:
        return True
    return any(term_holds(term, node) for term in affinity.required.node_selector_terms)


def tolerated(tolerations: Sequence[Toleration], taint: Taint) -> bool:
    """Decide whether a taint is tolerated."""
    for toleration in tolerations:
        same_effect = not toleration.effect or toleration.effect == taint.effect
        same_key = not toleration.key or toleration.key == taint.key
        same_value = toleration.operator == "Exists" or toleration.value == taint.value
        if same_effect and same_key and same_value:
            return True
    return False


# --- other pods -------------------------------------------------------------------------------------------------------


def term_is_about(term: PodAffinityTerm, owner: Pod, pod: Pod, world: World, *, incoming: bool) -> bool:
    """Decide whether a pod affinity term of `owner` is about a pod; `incoming` if the owner is the one to be placed.

    The namespaces that an incoming pod's term selects by label are looked up; then the selector is tried once more, on
    no labels at all.
    """
    namespaces = set(term.namespaces)
    if not term.namespaces and term.namespace_selector is None:
        namespaces = {owner.metadata.namespace}
    known = world.session.cluster.namespaces
    if incoming and not is_everything(term.namespace_selector):
        namespaces |= {name for name, n in known.items() if selects(term.namespace_selector, n.metadata.labels)}
    there = known[pod.metadata.namespace].metadata.labels if pod.metadata.namespace in known else {}
    here = pod.metadata.namespace in namespaces or selects(term.namespace_selector, {} if incoming else there)
    return here and selects(term.label_selector, pod.metadata.labels)


def affinity_of(pod: Pod) -> tuple[PodAffinity | None, PodAffinity | None]:
    """Return a pod's affinity and anti-affinity to pods."""
    affinity = pod.spec.affinity
    return (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity else (None, None)


def affinity_reason(world: World, pod: Pod, node: Node) -> str:
    """Decide inter-pod affinity; an empty text where nothing stands against the node."""
    near, far = affinity_of(pod)
    labels = node.metadata.labels
    wanted, unwanted = near.required if near else [], far.required if far else []
    meeting = Counter[tuple[str, str]]()
    disliked = Counter[tuple[str, str]]()
    for other, other_node in placed(world):
        if wanted and all(term_is_about(t, pod, other, world, incoming=True) for t in wanted):
            meeting.update(pair for t in wanted for pair in domain(other_node, t.topology_key))
        for term in unwanted:
            if term_is_about(term, pod, other, world, incoming=True):
                disliked.update(domain(other_node, term.topology_key))
    if any(term.topology_key not in labels for term in wanted):
        return "node(s) didn't match pod affinity rules"
    lonely = not meeting and all(term_is_about(t, pod, pod, world, incoming=True) for t in wanted)
    if not lonely and any(not meeting[pair] for t in wanted for pair in domain(node, t.topology_key)):
        return "node(s) didn't match pod affinity rules"
    if any(disliked[pair] for t in unwanted for pair in domain(node, t.topology_key)):
        return "node(s) didn't match pod anti-affinity rules"
    if against(world, pod) & set(labels.items()):
        return "node(s) didn't satisfy existing pods anti-affinity rules"
    return ""


def against(world: World, pod: Pod) -> set[tuple[str, str]]:
    """Return the domains that pods on nodes want to be free of such a pod."""
    domains: set[tuple[str, str]] = set()
    for other, node in placed(world):
        far = affinity_of(other)[1]
        at_open = [affinity_of(each)[1] for each in world.pods_at_open(node.metadata.name)]
        if far is None or not any(each is not None and each.required for each in at_open):
            continue
        for term in far.required:
            if term_is_about(term, other, pod, world, incoming=False):
                domains.update(domain(node, term.topology_key))
    return domains


def placed(world: World) -> Iterator[tuple[Pod, Node]]:
    """Yield every pod on a node, and the node."""
    for node in nodes(world):
        for pod in world.pods_on(node.metadata.name):
            yield pod, node


def nodes(world: World) -> list[Node]:
    """Return the nodes in the session's order."""
    return [node.object for node in world.session.nodes.nodes]


def domain(node: Node, key: str) -> list[tuple[str, str]]:
    """Return the domain of a node as key and value, or nothing."""
    return [(key, node.metadata.labels[key])] if key in node.metadata.labels else []


# --- spreading --------------------------------------------------------------------------------------------------------


def spread_selects(constraint: TopologySpreadConstraint, pod: Pod, labels: Mapping[str, str]) -> bool:
    """Decide whether a constraint of a pod is about a pod with some labels."""
    same = {key: pod.metadata.labels[key] for key in constraint.match_label_keys if key in pod.metadata.labels}
    return selects(constraint.label_selector, labels) and same.items() <= labels.items()


def spread_count(world: World, constraint: TopologySpreadConstraint, pod: Pod, node: Node) -> int:
    """Count the pods on a node that a constraint is about."""
    everything = is_everything(constraint.label_selector)
    if everything and not any(key in pod.metadata.labels for key in constraint.match_label_keys):
        return 0
    return sum(
        other.metadata.namespace == pod.metadata.namespace
        and other.metadata.deletion_timestamp is None
        and spread_selects(constraint, pod, other.metadata.labels)
        for other in world.pods_on(node.metadata.name)
    )


def included(constraint: TopologySpreadConstraint, pod: Pod, node: Node) -> bool:
    """Decide whether a node's pods count for a constraint."""
    if constraint.node_affinity_policy != "Ignore" and not node_allowed(pod, node):
        return False
    if constraint.node_taints_policy == "Honor":
        return all(t.effect not in FORBIDDING or tolerated(pod.spec.tolerations, t) for t in node.spec.taints)
    return True


def spread_reason(world: World, pod: Pod, node: Node) -> str:
    """Decide the spread constraints that must hold."""
    constraints = [c for c in pod.spec.topology_spread_constraints if c.when_unsatisfiable == "DoNotSchedule"]
    complete = [n for n in nodes(world) if all(c.topology_key in n.metadata.labels for c in constraints)]
    for constraint in constraints:
        key = constraint.topology_key
        if key not in node.metadata.labels:
            return "node(s) didn't match pod topology spread constraints (missing required label)"
        counts = Counter[str]()
        for other in complete:
            if included(constraint, pod, other):
                counts[other.metadata.labels[key]] += spread_count(world, constraint, pod, other)
        enough = len(counts) >= (constraint.min_domains or 1)
        smallest = min(counts.values()) if enough else 0
        itself = spread_selects(constraint, pod, pod.metadata.labels)
        if counts[node.metadata.labels[key]] + itself - smallest > constraint.max_skew:
            return "node(s) didn't match pod topology spread constraints"
    return ""


# --- all predicates ---------------------------------------------------------------------------------------------------


def ports_clash(pod: Pod, used: set[Port]) -> bool:
    """Decide whether a pod wants a host port that is in use."""
    for address, *wanted in host_ports(pod):
        for other_address, *other in used:
            if wanted == other and (address == other_address or "0.0.0.0" in (address, other_address)):  # noqa: S104
                return True
    return False


def reasons_against(world: World, task: Task, node: Node) -> tuple[str, ...]:
    """Return the reasons that stand against a node, in the order in which they are found."""
    pod, spec = task.pod, node.spec
    others = world.pods_on(node.metadata.name)
    reasons = []
    if int(str(node.status.allocatable["pods"])) <= len(others):
        reasons.append("node(s) pod number exceeded")
    pressure = [t for t in spec.taints if t.effect in FORBIDDING and not tolerated(pod.spec.tolerations, t)]
    if spec.unschedulable and not _tolerates_unschedulable(pod):
        return (*reasons, "node(s) were unschedulable")
    if not node_allowed(pod, node):
        return (*reasons, "node(s) didn't match Pod's node affinity/selector")
    if pressure:
        return (*reasons, f"node(s) had untolerated taint {{{pressure[0].key}: {pressure[0].value}}}")
    if ports_clash(pod, world.ports[node.metadata.name]):
        reasons.append("node(s) didn't have free ports for the requested pod ports")
    if affinity := affinity_reason(world, pod, node):
        reasons.append(affinity)
        if affinity == "node(s) didn't match pod affinity rules":
            return tuple(reasons)
    if spread := spread_reason(world, pod, node):
        reasons.append(spread)
    return tuple(reasons)


def _tolerates_unschedulable(pod: Pod) -> bool:
    return any(
        t.effect in ("", "NoSchedule")
        and t.key in ("", "node.kubernetes.io/unschedulable")
        and (t.operator == "Exists" or not t.value)
        for t in pod.spec.tolerations
    )


# --- scores of a node by itself ---------------------------------------------------------------------------------------


def allocatable(node: Node) -> dict[str, int]:
    """Return what a node has to give of the resources that scores look at."""
    given = node.status.allocatable
    return {
        "cpu": milli_value(given["cpu"]),
        "memory": value(given["memory"]),
        "nvidia.com/gpu": value(given.get("nvidia.com/gpu", 0)),
    }


def occupants(world: World, node: Node) -> list[Task]:
    """Return the tasks on a node."""
    return [task for task, where in world.placed if where == node.metadata.name]


def usage_score(world: World, task: Task, node: Node, *, most: bool) -> int:
    """Score a node by how much, or how little, of cpu and memory is requested."""
    requests = world.session.requests
    scores = []
    for number, resource in enumerate(("cpu", "memory")):
        capacity = allocatable(node)[resource]
        used = sum(requests[other.shape].nonzero[number] for other in occupants(world, node))
        used += requests[task.shape].scoring_nonzero[number]
        if not capacity:
            continue
        if most:
            scores.append(min(used, capacity) * 100 // capacity)
        else:
            scores.append((capacity - used) * 100 // capacity if used <= capacity else 0)
    return sum(scores) // len(scores) if scores else 0


def balance_score(world: World, task: Task, node: Node) -> int:
    """Score a node by how evenly its resources are requested."""
    requests = world.session.requests
    wanted = requests[task.shape].scoring
    names = ["cpu", "memory"] + ["nvidia.com/gpu"] * bool(wanted.get("nvidia.com/gpu"))
    if not any(wanted.get(name, 0) for name in names):
        return 0
    parts = []
    for name in names:
        capacity = allocatable(node)[name]
        used = sum(requests[other.shape].requested.get(name, 0) for other in occupants(world, node))
        if capacity:
            parts.append(min((used + wanted.get(name, 0)) / capacity, 1.0))
    if len(parts) < 2:
        deviation = 0.0
    elif len(parts) == 2:
        deviation = abs((parts[0] - parts[1]) / 2)
    else:
        mean = (parts[0] + parts[1] + parts[2]) / 3
        squares = [(part - mean) * (part - mean) for part in parts]
        deviation = math.sqrt((squares[0] + squares[1] + squares[2]) / 3)
    return int((1 - deviation) * 100)


def preference_score(task: Task, node: Node) -> int:
    """Score a node by preferred node affinity."""
    affinity = task.pod.spec.affinity.node_affinity if task.pod.spec.affinity else None
    preferred = affinity.preferred if affinity else []
    return sum(term.weight for term in preferred if term_holds(term.preference, node))


def image_score(world: World, task: Task, node: Node) -> int:
    """Score a node by the images it has."""
    total = 0
    containers = [*task.pod.spec.init_containers, *task.pod.spec.containers]
    for container in containers:
        name = container.image
        if ":" not in name.rpartition("/")[2]:
            name += ":latest"
        having = [n for n in nodes(world) if any(name in image.names for image in n.status.images)]
        if node in having:
            size = next(image.size_bytes for image in having[0].status.images if name in image.names)
            total += int(size * (len(having) / len(nodes(world))))
    low, high = 23 * 1024 * 1024, 1000 * 1024 * 1024 * len(containers)
    return 100 * (max(low, min(total, high)) - low) // (high - low)


# --- scores that compare the candidates -------------------------------------------------------------------------------


def taint_scores(task: Task, candidates: Sequence[Node]) -> list[int]:
    """Score by the taints that only ask to stay away."""
    tolerations = task.pod.spec.tolerations
    counts = [
        sum(t.effect == "PreferNoSchedule" and not tolerated(tolerations, t) for t in node.spec.taints)
        for node in candidates
    ]
    most = max(counts)
    return [100 - 100 * count // most if most else 100 for count in counts]


def affinity_scores(world: World, task: Task, candidates: Sequence[Node]) -> list[int]:
    """Score by the preferences of pods about pods."""
    pod = task.pod
    own = list(preferences(pod))
    weights = Counter[tuple[str, str]]()
    for other, node in placed(world):
        for term, weight in own:
            if term_is_about(term, pod, other, world, incoming=True):
                for pair in domain(node, term.topology_key):
                    weights[pair] += weight
        if not own and not any(any(affinity_of(each)) for each in world.pods_at_open(node.metadata.name)):
            continue
        for term, weight in preferences(other):
            if term_is_about(term, other, pod, world, incoming=False):
                for pair in domain(node, term.topology_key):
                    weights[pair] += weight
    sums = [sum(weights[pair] for pair in node.metadata.labels.items()) for node in candidates]
    spread = max(sums) - min(sums)
    return [int(100.0 * ((each - min(sums)) / spread)) if spread else 0 for each in sums]


def preferences(pod: Pod) -> Iterator[tuple[PodAffinityTerm, int]]:
    """Yield a pod's preferred terms with their weights, negative ones for anti-affinity."""
    near, far = affinity_of(pod)
    for weighted in near.preferred if near else []:
        yield weighted.pod_affinity_term, weighted.weight
    for weighted in far.preferred if far else []:
        yield weighted.pod_affinity_term, -weighted.weight


def spread_scores(world: World, task: Task, candidates: Sequence[Node]) -> list[int]:
    """Score by the spread constraints that should hold, the pod's own or the default ones."""
    pod = task.pod
    if pod.spec.topology_spread_constraints:
        constraints = [c for c in pod.spec.topology_spread_constraints if c.when_unsatisfiable == "ScheduleAnyway"]
        rated = [n for n in candidates if all(c.topology_key in n.metadata.labels for c in constraints)]
        counted = [n for n in nodes(world) if all(c.topology_key in n.metadata.labels for c in constraints)]
    else:
        constraints = default_constraints(world, pod)
        rated, counted = list(candidates), nodes(world)
    if not constraints:
        return [0] * len(candidates)
    sums = {n.metadata.name: 0.0 for n in rated}
    for constraint in constraints:
        key = constraint.topology_key
        domains = {n.metadata.labels.get(key, "") for n in rated}
        for node in rated:
            if key not in node.metadata.labels:
                continue
            count = sum(
                spread_count(world, constraint, pod, other)
                for other in counted
                if other.metadata.labels.get(key, "") == node.metadata.labels[key] and included(constraint, pod, other)
            )
            count = 0 if key == HOSTNAME else count
            sums[node.metadata.name] += count * math.log(len(domains) + 2) + (constraint.max_skew - 1)
    rounded = {name: math.floor(each + 0.5) for name, each in sums.items()}
    highest, lowest = max(rounded.values(), default=0), min(rounded.values(), default=0)

    def score(name: str) -> int:
        if name not in rounded:
            return 0
        return 100 * (highest + lowest - rounded[name]) // highest if highest else 100

    return [score(n.metadata.name) for n in candidates]


def default_constraints(world: World, pod: Pod) -> list[TopologySpreadConstraint]:
    """Return the constraints of pods that have none, where a service or a replica set stands for them."""
    wanted: dict[str, str] = {}
    expressions = []
    for service in world.session.cluster.services:
        if service.spec.selector.items() <= pod.metadata.labels.items():
            wanted |= service.spec.selector
    for workload in world.session.cluster.workloads:
        owned = any(owner.kind == "ReplicaSet" for owner in pod.metadata.owner_references)
        if owned and isinstance(workload, ReplicaSet) and workload.spec.selector:
            labels = workload.spec.selector.match_labels
            expressions += [LabelSelectorRequirement(key, "In", [label]) for key, label in labels.items()]
    if not wanted and not expressions:
        return []
    selector = LabelSelector(match_labels=wanted, match_expressions=expressions)
    return [
        TopologySpreadConstraint(3, HOSTNAME, "ScheduleAnyway", selector),
        TopologySpreadConstraint(5, "topology.kubernetes.io/zone", "ScheduleAnyway", selector),
    ]
