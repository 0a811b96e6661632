"""Nodes, and the classes of runtimes on them."""

from collections.abc import Iterator

from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.checks.pods import tolerations
from vqs.snapshot.apiserver.checks.values import TAINT_EFFECTS, choice, present, quantities
from vqs.snapshot.reading.diagnostics import Defect


def of_node(node: k8s.Node) -> Iterator[Defect]:
    """Yield what is wrong with a node."""
    yield from quantities(("status", "allocatable"), node.status.allocatable)
    yield from quantities(("status", "capacity"), node.status.capacity)
    for index, taint in enumerate(node.spec.taints):
        yield from present(("spec", "taints", index, "key"), taint.key)
        yield from choice(("spec", "taints", index, "effect"), taint.effect, TAINT_EFFECTS, required=True)
    for index, condition in enumerate(node.status.conditions):
        path = ("status", "conditions", index, "status")
        yield from choice(path, condition.status, ("True", "False", "Unknown"))


def of_runtime_class(runtime_class: k8s.RuntimeClass) -> Iterator[Defect]:
    """Yield what is wrong with a RuntimeClass."""
    if runtime_class.overhead is not None:
        yield from quantities(("overhead", "podFixed"), runtime_class.overhead.pod_fixed)
    if runtime_class.scheduling is not None:
        for defect in tolerations(runtime_class.scheduling.tolerations):
            yield defect._replace(path=("scheduling", *defect.path[1:]))
