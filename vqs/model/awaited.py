"""Pods that do not exist yet, because their controller creates them only once something has happened."""

from dataclasses import dataclass
from typing import Final, Literal

from vqs.model.kubernetes import ObjectMeta, Pod, PodSpec
from vqs.model.requests import volcano_request
from vqs.model.resource import Resource

ADMISSION: Final = "admission"
"""The PodGroup has to be admitted: its phase has to leave Pending."""

DEPENDENCIES: Final = "dependencies"
"""Other tasks of the Job have to run first."""


Event = Literal["admission", "dependencies"]


@dataclass(frozen=True, slots=True)
class PodsOfRole:
    """Pods of one role, all alike.

    Attributes:
        role: the name of the task in the Volcano Job.
        names: what the pods will be called.
        spec: the spec of each of them.
    """

    role: str
    names: tuple[str, ...]
    spec: PodSpec

    @property
    def request(self) -> Resource:
        """What each of them asks for."""
        return volcano_request(Pod(metadata=ObjectMeta(), spec=self.spec))


@dataclass(frozen=True, slots=True)
class AwaitedPods:
    """The pods of a PodGroup that its controller has yet to create.

    Attributes:
        maker: what they are created from: ``Job ns/train``.
        waits_for: what has to happen first.
        roles: the pods.
    """

    maker: str
    waits_for: Event
    roles: tuple[PodsOfRole, ...]

    @property
    def number(self) -> int:
        """How many pods there will be."""
        return sum(len(role.names) for role in self.roles)
