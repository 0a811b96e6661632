"""Prefer nodes that have a pod's images already; the larger the images and the more nodes have them, the more so.

Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality; pkg/scheduler/cache/event_handlers.go. The
reference counts the nodes that have an image when a node is added; here all nodes are known from the start.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vqs.engine.nodes.table import Floats, Masks
from vqs.model.kubernetes import Node as NodeObject
from vqs.model.kubernetes import PodSpec

_MEBI = 1024 * 1024
SMALLEST = 23 * _MEBI
LARGEST = 1000 * _MEBI
"""What all of a pod's images count for at least, and at most for each container, in bytes."""

MAX_SCORE = 100


class ImageTable:
    """The images on the nodes: where each is, and what it counts for."""

    def __init__(self, nodes: Sequence[NodeObject]) -> None:
        self._where: dict[str, Masks] = {}
        sizes: dict[str, int] = {}
        for number, node in enumerate(nodes):
            for image in node.status.images:
                for name in image.names:
                    sizes.setdefault(name, image.size_bytes)
                    self._where.setdefault(name, np.zeros(len(nodes), np.bool_))[number] = True
        self._counts = {
            name: int(float(sizes[name]) * (float(np.count_nonzero(where)) / float(len(nodes))))
            for name, where in self._where.items()
        }

    def __bool__(self) -> bool:
        return bool(self._where)

    def known(self, spec: PodSpec) -> tuple[int, tuple[str, ...]] | None:
        """Return the number of a pod's containers and the images that some node has, None where no node has any."""
        names = [normalized(container.image) for container in (*spec.init_containers, *spec.containers)]
        known = tuple(sorted(name for name in names if name in self._where))
        return (len(names), known) if known else None

    def score(self, spec: PodSpec) -> Floats | None:
        """Return the score of every node, None where it is 0 for all."""
        known = self.known(spec)
        if known is None:
            return None
        containers, names = known
        total = np.sum([self._counts[name] * self._where[name].astype(np.int64) for name in names], axis=0)
        largest = LARGEST * containers
        clipped = np.clip(total, SMALLEST, largest)
        score: Floats = (MAX_SCORE * (clipped - SMALLEST) // (largest - SMALLEST)).astype(np.float64)
        return score


def normalized(image: str) -> str:
    """Return the name of an image with its tag, which is `latest` where none is given."""
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
