"""The server of an extender: what the arguments say of it, and asking it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from vqs.config.arguments import Arguments
from vqs.engine.plugins.extender.answers import Answer, ExtenderError
from vqs.model.durations import parse_duration
from vqs.model.kubernetes import Container
from vqs.model.task import Task

if TYPE_CHECKING:
    from vqs.engine.plugins.extender.client import Client

NAME: Final = "extender"

ABOUT_TASKS: Final = ("predicate", "prioritize", "preemptable", "reclaimable", "allocateFunc", "deallocateFunc")
ABOUT_OTHERS: Final = ("queueOverused", "jobEnqueueable", "jobReady")

_OF_SESSIONS: Final = ("onSessionOpen", "onSessionClose")
_DEFAULT_SECONDS: Final = 1.0
_LONGEST_TEXT: Final = 1000

Answered = TypeVar("Answered")


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments; `verbs` are those that are given, by what they ask about."""

    url_prefix: str
    seconds: float
    verbs: dict[str, str]
    ignorable: bool
    managed: frozenset[str]

    @classmethod
    def of(cls, arguments: Arguments) -> Settings:
        """Read the arguments."""
        names = (*_OF_SESSIONS, *ABOUT_TASKS, *ABOUT_OTHERS)
        verbs = {name: arguments.string(f"extender.{name}Verb") for name in names}
        seconds = parse_duration(arguments.string("extender.httpTimeout"))
        return cls(
            arguments.string("extender.urlPrefix"),
            _DEFAULT_SECONDS if seconds is None else seconds,
            {name: verb for name, verb in verbs.items() if verb},
            arguments.bool("extender.ignorable"),
            frozenset(arguments.decoded("extender.managedResources") or ()),
        )

    def is_about(self, task: Task) -> bool:
        """Tell whether a task is one that the extender is asked about."""
        spec = task.pod.spec
        return not self.managed or any(map(self._has_managed, (*spec.containers, *spec.init_containers)))

    def _has_managed(self, container: Container) -> bool:
        resources = container.resources
        return not self.managed.isdisjoint(resources.requests) or not self.managed.isdisjoint(resources.limits)


class Server:
    """Asks the server while a session is open; `client` sends the requests."""

    def __init__(self, settings: Settings, client: Client) -> None:
        self.settings = settings
        self.client = client
        self.is_open = False

    def ask(self, about: str, request: Any, type_name: str, read: Callable[[Answer], Answered]) -> Answered:
        """Send a request and read the answer. Raises ExtenderError where there is none that counts."""
        body = self.client.post(self.settings.verbs[about], msgspec.json.encode(request))
        try:
            return read(Answer(body, type_name))
        except ExtenderError as error:
            self.client.note_failure(error)
            raise

    def tell(self, about: str, request: Callable[[], Any]) -> bool:
        """Send a request that has no answer, if there is a verb for it; tell whether nothing failed."""
        if about in self.settings.verbs:
            try:
                self.client.post(self.settings.verbs[about], msgspec.json.encode(request()), wants_answer=False)
            except ExtenderError:
                return False
        return True


def short(text: str) -> str:
    """Return a text of the server, which may be as long as an answer, cut to what can be shown."""
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
