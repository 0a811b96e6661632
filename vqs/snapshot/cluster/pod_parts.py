"""Parts of pods that are equal are kept once: those of a job differ in little more than their names and their nodes.

A dump of a big cluster takes half the memory so, and what was found out of a spec holds for all pods that share it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec.structs import replace

from vqs.model.kubernetes import Pod, PodSpec, PodStatus, Volume

_encode: Final = msgspec.json.Encoder().encode
_MOST: Final = 10_000
"""How many specs are known at most: the pods of a job stand near one another."""
_NO_VOLUMES: Final[list[Volume]] = []


@dataclass(slots=True)
class SharedSpec:
    """What pods have in common that ask for the same, without their nodes and volumes.

    `sound` tells as what nothing was found to be wrong with it: the spec of a pod that is stored in a cluster (True),
    or of one that is new.
    """

    spec: PodSpec
    sound: set[bool] = field(default_factory=set)


class PodParts:
    """The specs and statuses of the pods that were read last.

    Pods share what is in a spec, as nothing changes that once it is read; the spec itself they do not.
    """

    def __init__(self) -> None:
        self._specs: dict[bytes, SharedSpec] = {}
        self._statuses: dict[tuple[str, str, str], PodStatus] = {}

    def share(self, pod: Pod) -> SharedSpec:
        """Have a pod share with others what is equal, and return what it shares of its spec."""
        spec = pod.spec
        node, volumes = spec.node_name, spec.volumes  # the latter have names of their own in each pod
        spec.node_name, spec.volumes = "", _NO_VOLUMES
        key = _encode(spec)
        shared = self._specs.get(key)
        if shared is None:
            if len(self._specs) >= _MOST:
                self._specs.clear()
            shared = self._specs[key] = SharedSpec(spec)
        pod.spec = replace(shared.spec, node_name=node, volumes=volumes or _NO_VOLUMES)
        # Have pods share their status where it says nothing of times and containers, in which they differ.
        status = pod.status
        times = status.conditions or status.start_time
        if not (times or status.container_statuses or status.init_container_statuses or status.resource_claim_statuses):
            said = status.phase, status.qos_class, status.nominated_node_name
            pod.status = self._statuses.setdefault(said, status)
        return shared
