"""Which node a running pod is on, where a scenario only says that it runs."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from vqs.model import kubernetes as k8s
from vqs.model.requests import volcano_request
from vqs.model.resource import Resource
from vqs.snapshot.checks import defects


class Room:
    """What nodes have left for the pods that are said to run.

    Objects may be among them in which an amount is wrong, of which somebody else tells: such a node has room for
    anything, and such a pod takes none.
    """

    def __init__(self, nodes: Iterable[k8s.Node], pods: Iterable[k8s.Pod]) -> None:
        self.nodes = {node.metadata.name: node for node in nodes}
        self.idle = {
            name: Resource.from_quantities(node.status.allocatable)
            for name, node in self.nodes.items()
            if not any(defects(node))
        }
        for pod in pods:
            if pod.spec.node_name and pod.status.phase not in ("Succeeded", "Failed") and not any(defects(pod)):
                self.take(pod.spec.node_name, volcano_request(pod))

    def named(self, pattern: str) -> list[str]:
        """Return the nodes that a name or pattern stands for."""
        return [pattern] if pattern in self.nodes else [name for name in self.nodes if fnmatchcase(name, pattern)]

    def take(self, node: str, request: Resource, pods: int = 1) -> None:
        """Count some pods as running on a node, whether it has room for them or not."""
        if node in self.idle:
            self.idle[node].sub(request.clone().multiply(pods))

    def place(self, request: Resource, selector: Mapping[str, str], pods: int) -> list[tuple[str, int]]:
        """Take room for some equal pods; return how many of them each node has, the first nodes first.

        Nodes that are tainted or cordoned are left out, as are those without the labels of the selector.
        """
        placed: list[tuple[str, int]] = []
        for name, node in self.nodes.items():
            if node.spec.unschedulable or node.spec.taints or not selector.items() <= node.metadata.labels.items():
                continue
            number = 0
            while pods and (name not in self.idle or request.less_equal(self.idle[name])):
                self.take(name, request)
                number, pods = number + 1, pods - 1
            if number:
                placed.append((name, number))
        return placed
