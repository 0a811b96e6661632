"""Pods that do not exist yet, because their controller creates them only once something has happened."""

from dataclasses import dataclass
from typing import Final, Literal

from vqs.model.kubernetes import ObjectMeta, Pod, PodSpec
from vqs.model.requests import volcano_request
from vqs.model.resource import Resource

ADMISSION: Final = "admission"
"""The PodGroup has to be admitted: its phase has to leave Pending."""

DEPENDENCIES: Final = "dependencies"
"""The tasks of the Job that they depend on have to run first."""

ORDER: Final = "order"
"""The pods of the StatefulSet before them have to run first."""

Event = Literal["admission", "dependencies", "order"]


@dataclass(frozen=True, slots=True)
class PodsOfRole:
    """Pods of one role, all alike.

    Attributes:
        role: the name of the task in the Volcano Job; empty for a StatefulSet.
        names: what the pods will be called.
        spec: the spec of each of them.
        waits_for: what has to happen before they are created.
    """

    role: str
    names: tuple[str, ...]
    spec: PodSpec
    waits_for: Event

    @property
    def request(self) -> Resource:
        """What each of them asks for."""
        return volcano_request(Pod(metadata=ObjectMeta(), spec=self.spec))


@dataclass(frozen=True, slots=True)
class AwaitedPods:
    """The pods of a PodGroup that its controller has yet to create.

    Attributes:
        maker: what they are created from: ``Job ns/train``.
        roles: the pods; there is at least one.
    """

    maker: str
    roles: tuple[PodsOfRole, ...]

    @property
    def controller(self) -> str:
        """The controller that creates them: ``Job controller``."""
        return f"{self.maker.partition(' ')[0]} controller"

    @property
    def waits_for(self) -> Event:
        """What has to happen before the first of them are created."""
        return ADMISSION if self.number_waiting_for(ADMISSION) else self.roles[0].waits_for

    @property
    def number(self) -> int:
        """How many pods there will be."""
        return sum(len(role.names) for role in self.roles)

    def number_waiting_for(self, event: Event) -> int:
        """How many of them are created once something has happened."""
        return sum(len(role.names) for role in self.roles if role.waits_for == event)
