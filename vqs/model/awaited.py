"""Pods that do not exist yet, because their controller creates them only once something has happened."""

from dataclasses import dataclass
from typing import Final, Literal

from vqs.model.kubernetes import DependsOn, ObjectMeta, Pod, PodSpec
from vqs.model.requests import volcano_request
from vqs.model.resource import Resource

ADMISSION: Final = "admission"
"""The PodGroup has to be admitted: its phase has to leave Pending."""

DEPENDENCIES: Final = "dependencies"
"""The tasks of the Job that they depend on have to run first."""

ORDER: Final = "order"
"""The pods of the StatefulSet before them have to run first."""

REFUSED: Final = "refused"
"""The API server refuses them: whatever refuses them has to change, or others of the namespace have to go."""

Event = Literal["admission", "dependencies", "order", "refused"]


@dataclass(frozen=True, slots=True)
class PodRefusal:
    """Why the API server refuses a pod.

    Attributes:
        by: what refuses it: ``ResourceQuota ns/name``.
        resource: as that calls it, such as ``requests.nvidia.com/gpu``.
        asked: how much of it the pod asks for; None where the pod has to say, and does not.
        used: how much is in use.
        hard: how much is allowed.
        said: the same in a sentence, where it is not about what is in use.
    """

    by: str
    resource: str
    asked: str | None
    used: str
    hard: str
    said: str = ""

    @property
    def text(self) -> str:
        """The same in a sentence."""
        if self.said:
            return self.said
        limits = f"{self.by} allows {self.hard} {self.resource}"
        if self.asked is None:
            return f"{limits}, and a container does not say how much of it it asks for"
        return f"{limits}, {self.used} are in use, and each pod asks for {self.asked}"


@dataclass(frozen=True, slots=True)
class PodsOfRole:
    """Pods of one role, all alike.

    Attributes:
        role: the name of the task in the Volcano Job; empty for a StatefulSet.
        names: what the pods will be called.
        spec: the spec of each of them.
        waits_for: what has to happen before they are created.
        refusal: why the API server refuses them, where it does.
        written: their spec without the defaults of LimitRanges, where these refuse them; else None.
        depends_on: the tasks of the Volcano Job that have to run before they are created; None where none have.
    """

    role: str
    names: tuple[str, ...]
    spec: PodSpec
    waits_for: Event
    refusal: PodRefusal | None = None
    written: PodSpec | None = None
    depends_on: DependsOn | None = None

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

    @property
    def refusal(self) -> PodRefusal | None:
        """Why the API server refuses the first of those that it refuses; None where it refuses none."""
        return next((role.refusal for role in self.roles if role.refusal is not None), None)

    def number_waiting_for(self, event: Event) -> int:
        """How many of them are created once something has happened."""
        return sum(len(role.names) for role in self.roles if role.waits_for == event)
