"""Small clusters with everything that Kubernetes' own scheduling rules look at, and a log of who is where."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.build import Object, group, node, open_session, pod, queue
from vqs.engine.framework.session import Session
from vqs.model.job import Task, TaskStatus
from vqs.model.kubernetes import Pod

Port = tuple[str, str, int]

KEYS = ("zone", "kubernetes.io/hostname", "topology.kubernetes.io/zone")
APPS = ("a", "b", "c")
NAMESPACES = ("ns", "other", "third")


def some(rnd: random.Random, *values: Any) -> Any:
    """Choose one of some values."""
    return rnd.choice(values)


def random_node(rnd: random.Random, number: int) -> Object:
    """Make a node with some of the labels, taints and images that rules are about."""
    labels = {"disk": some(rnd, "ssd", "hdd"), "gen": some(rnd, "1", "2", "3", "x")}
    for key in ("zone", "topology.kubernetes.io/zone"):
        if rnd.random() < 0.8:
            labels[key] = some(rnd, "z0", "z1", "")
    taints = [
        {"key": some(rnd, "k1", "k2"), "value": some(rnd, "v", "w"), "effect": effect}
        for effect in ("NoSchedule", "NoExecute", "PreferNoSchedule", "PreferNoSchedule")
        if rnd.random() < 0.15
    ]
    made = node(
        f"n{number}",
        cpu=some(rnd, 0, 4, 7, 16),
        memory=some(rnd, "0", "8Gi", "13Gi"),
        pods=some(rnd, 2, 110),
        gpu=some(rnd, 0, 3, 8),
        labels=labels,
        taints=taints,
        unschedulable=rnd.random() < 0.1,
    )
    made["status"]["images"] = [
        {"names": [f"i{i}:latest", f"r.io:5000/i{i}"], "sizeBytes": 400_000_000 * (i + 1)}
        for i in range(3)
        if rnd.random() < 0.4
    ]
    return made


def random_selector(rnd: random.Random) -> Object | None:
    """Make a label selector: sometimes none, sometimes an empty one."""
    expression = some(
        rnd,
        {"key": "app", "operator": "In", "values": rnd.sample(APPS, 2)},
        {"key": "app", "operator": "NotIn", "values": [some(rnd, *APPS)]},
        {"key": "tier", "operator": "Exists"},
        {"key": "tier", "operator": "DoesNotExist"},
    )
    equal = {"matchLabels": {"app": some(rnd, *APPS)}}
    selector: Object | None = some(rnd, None, {}, equal, equal, equal, {"matchExpressions": [expression]})
    return selector


def random_pod_term(rnd: random.Random) -> Object:
    """Make a pod affinity term."""
    term: Object = {"topologyKey": some(rnd, *KEYS)}
    selector = random_selector(rnd)
    if selector is not None:
        term["labelSelector"] = selector
    if rnd.random() < 0.2:
        term["namespaces"] = rnd.sample(NAMESPACES, 1)
    if rnd.random() < 0.2:
        excluding = {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["blue"]}]}
        term["namespaceSelector"] = some(rnd, {}, {"matchLabels": {"team": "red"}}, excluding)
    return term


def random_pod_affinity(rnd: random.Random) -> Object:
    """Make an affinity, or anti-affinity, to other pods."""
    return {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            random_pod_term(rnd) for _ in range(some(rnd, 0, 0, 1, 1, 2))
        ],
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": rnd.randint(1, 100), "podAffinityTerm": random_pod_term(rnd)}
            for _ in range(some(rnd, 0, 0, 1, 2))
        ],
    }


def random_node_term(rnd: random.Random) -> Object:
    """Make a node selector term; sometimes one that requires nothing."""
    expressions = [
        {"key": "disk", "operator": "In", "values": ["ssd"]},
        {"key": "disk", "operator": "NotIn", "values": ["ssd"]},
        {"key": "gen", "operator": "Gt", "values": ["1"]},
        {"key": "gen", "operator": "Lt", "values": ["3"]},
        {"key": "zone", "operator": "Exists"},
        {"key": "zone", "operator": "DoesNotExist"},
    ]
    term: Object = {"matchExpressions": rnd.sample(expressions, some(rnd, 0, 1, 1, 2))}
    if rnd.random() < 0.2:
        name = {"key": "metadata.name", "operator": some(rnd, "In", "NotIn"), "values": [some(rnd, "n0", "n1")]}
        term["matchFields"] = [name]
    return term


def random_node_affinity(rnd: random.Random) -> Object:
    """Make a node affinity."""
    affinity: Object = {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": rnd.randint(1, 100), "preference": random_node_term(rnd)} for _ in range(some(rnd, 0, 1, 2))
        ]
    }
    if rnd.random() < 0.5:
        terms = [random_node_term(rnd) for _ in range(rnd.randint(1, 2))]
        affinity["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": terms}
    return affinity


def random_constraint(rnd: random.Random) -> Object:
    """Make a topology spread constraint."""
    constraint: Object = {
        "maxSkew": rnd.randint(1, 2),
        "topologyKey": some(rnd, *KEYS),
        "whenUnsatisfiable": some(rnd, "DoNotSchedule", "ScheduleAnyway"),
    }
    selector = random_selector(rnd)
    if selector is not None:
        constraint["labelSelector"] = selector
    if rnd.random() < 0.2:
        constraint["minDomains"] = rnd.randint(1, 4)
    if rnd.random() < 0.2:
        constraint["nodeAffinityPolicy"] = some(rnd, "Honor", "Ignore")
    if rnd.random() < 0.2:
        constraint["nodeTaintsPolicy"] = some(rnd, "Honor", "Ignore")
    if rnd.random() < 0.2:
        constraint["matchLabelKeys"] = ["tier"]
    return constraint


def random_container(rnd: random.Random) -> Object:
    """Make a container with requests, sometimes with a host port."""
    requests: Object = {}
    if rnd.random() < 0.8:
        requests = {"cpu": some(rnd, "100m", "1", "0"), "memory": some(rnd, "100Mi", "1Gi", "7")}
    if rnd.random() < 0.3:
        requests["nvidia.com/gpu"] = 1
    made: Object = {"name": "c", "image": some(rnd, "i0", "i1:latest", "r.io:5000/i2", "none"), "resources": {}}
    made["resources"]["requests"] = requests
    if rnd.random() < 0.3:
        port = {"containerPort": 80, "hostPort": some(rnd, 80, 81, 0), "protocol": some(rnd, "TCP", "UDP")}
        made["ports"] = [port if rnd.random() < 0.6 else {**port, "hostIP": some(rnd, "0.0.0.0", "10.0.0.1")}]  # noqa: S104
    return made


def random_affinity(rnd: random.Random) -> Object:
    """Make the affinities of a pod, sometimes none at all."""
    kinds = {"nodeAffinity": random_node_affinity, "podAffinity": random_pod_affinity}
    kinds["podAntiAffinity"] = random_pod_affinity
    return {kind: make(rnd) for kind, make in kinds.items() if rnd.random() < 0.6}


def random_pod(rnd: random.Random, name: str, of: str, where: str | None) -> Object:
    """Make a pod on a node, or a pending one."""
    labels = {"app": some(rnd, *APPS), "unique": name}
    if rnd.random() < 0.5:
        labels["tier"] = some(rnd, "front", "back")
    spec: Object = {"containers": [random_container(rnd) for _ in range(some(rnd, 1, 1, 2))]}
    if rnd.random() < 0.2:
        spec["initContainers"] = [{**random_container(rnd), "name": "i", "restartPolicy": some(rnd, "", "Always")}]
    rules: dict[str, Callable[[], Any]] = {
        "affinity": lambda: random_affinity(rnd),
        "nodeSelector": lambda: {"disk": some(rnd, "ssd", "hdd")},
        "tolerations": lambda: [random_toleration(rnd) for _ in range(rnd.randint(1, 2))],
        "topologySpreadConstraints": lambda: [random_constraint(rnd) for _ in range(rnd.randint(1, 3))],
    }
    spec |= {name: make() for name, make in rules.items() if rnd.random() < 0.4}
    more: Object = {"labels": labels, "spec": spec}
    if where is not None:
        more |= {"node": where, "deleted": rnd.random() < 0.2}
    made = pod(name, of, **more)
    made["metadata"]["namespace"] = some(rnd, "ns", "ns", "other") if where is not None and not of else "ns"
    if rnd.random() < 0.3:
        owner = {"apiVersion": "apps/v1", "kind": some(rnd, "ReplicaSet", "Job"), "name": "rs", "controller": True}
        made["metadata"]["ownerReferences"] = [{**owner, "uid": "rs"}]
    return made


def random_toleration(rnd: random.Random) -> Object:
    """Make a toleration."""
    effect = some(rnd, "", "NoSchedule", "PreferNoSchedule")
    key = some(rnd, "", "k1", "k2", "node.kubernetes.io/unschedulable")
    if not key or rnd.random() < 0.5:
        return {"key": key, "operator": "Exists", "effect": effect}
    return {"key": key, "operator": some(rnd, "", "Equal"), "value": some(rnd, "", "v"), "effect": effect}


def random_objects(rnd: random.Random) -> list[Object]:
    """Make a cluster: nodes, pods of a job on nodes, other pods on nodes, pending pods, and what stands for pods."""
    nodes = [random_node(rnd, number) for number in range(rnd.randint(1, 6))]
    names = [each["metadata"]["name"] for each in nodes]
    objects = [*nodes, queue("default"), group("j", 1)]
    objects += [random_pod(rnd, f"run-{i}", "j", rnd.choice(names)) for i in range(rnd.randint(0, 5))]
    objects += [random_pod(rnd, f"stranger-{i}", "", rnd.choice(names)) for i in range(rnd.randint(0, 4))]
    objects += [random_pod(rnd, f"wait-{i}", "j", None) for i in range(rnd.randint(1, 5))]
    objects += [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"team": team}}}
        for name, team in (("ns", "red"), ("other", "blue"))
    ]
    if rnd.random() < 0.5:
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "ns"}}
        objects.append({**service, "spec": {"selector": {"app": some(rnd, *APPS)}}})
    if rnd.random() < 0.5:
        replicas = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "rs", "namespace": "ns"}}
        objects.append({**replicas, "spec": {"selector": {"matchLabels": {"app": some(rnd, *APPS)}}}})
    return objects


def host_ports(pod: Pod) -> list[Port]:
    """Return a pod's host ports."""
    sidecars = [c for c in pod.spec.init_containers if c.restart_policy == "Always"]
    ports = [port for container in [*sidecars, *pod.spec.containers] for port in container.ports if port.host_port]
    return [(port.host_ip or "0.0.0.0", port.protocol or "TCP", port.host_port) for port in ports]  # noqa: S104


class World:
    """A session, and beside it a plain list of which pod is on which node."""

    def __init__(self, objects: list[Object], conf: str) -> None:
        self.session: Session = open_session(objects, conf)
        self.tasks: list[Task] = [task for job in self.session.jobs.values() for task in job.tasks.values()]
        everyone = [*self.tasks, *self.session.cluster.other_tasks]
        self.placed: list[tuple[Task, str]] = [(task, task.node) for task in everyone if task.node]
        self.at_open: list[tuple[Task, str]] = list(self.placed)
        self.ports: dict[str, set[Port]] = {name: set() for name in self.session.nodes.names}
        for task, where in self.placed:
            self.ports[where].update(host_ports(task.pod))

    def pending(self) -> list[Task]:
        """Return the tasks without a node."""
        return [task for task in self.tasks if task.status is TaskStatus.Pending]

    def pods_on(self, name: str) -> list[Pod]:
        """Return the pods on a node now."""
        return [task.pod for task, where in self.placed if where == name]

    def pods_at_open(self, name: str) -> list[Pod]:
        """Return the pods that were on a node when the session opened."""
        return [task.pod for task, where in self.at_open if where == name]

    def step(self, rnd: random.Random) -> int | None:
        """Place, displace or evict a task, and return the column that was touched."""
        session = self.session
        task = rnd.choice(self.tasks)
        if task.status is TaskStatus.Pending:
            column = rnd.randrange(len(session.nodes))
            session.place(task, column, some(rnd, TaskStatus.Allocated, TaskStatus.Pipelined))
            self.placed.append((task, session.nodes.names[column]))
            self.ports[session.nodes.names[column]].update(host_ports(task.pod))
            return column
        if task.node is None:
            return None
        column = session.nodes.index[task.node]
        leaving = {TaskStatus.Allocated: session.displace, TaskStatus.Running: session.evict}
        leave = leaving.get(TaskStatus.Allocated if task.status is TaskStatus.Pipelined else task.status)
        if leave is None:
            return None
        self.placed.remove((task, task.node))
        self.ports[task.node].difference_update(host_ports(task.pod))  # even if another pod has the same port
        leave(task)
        return column
