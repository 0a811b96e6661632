"""What a text of the scheduler says, part by part, and what it may come from."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from vqs.explain.verdict_rules import VERDICT_RULES, PodText

ON_PODS: Final = "condition PodScheduled of a pod, and its event FailedScheduling"
ON_POD_GROUPS: Final = "condition Unschedulable of a PodGroup, and its event of that name"
EVENT_OF_POD_GROUPS: Final = "event Unschedulable of a PodGroup"

EXPLAIN_QUEUE: Final = "vqs explain-queue FILES --queue {queue} shows what the queue may have, and who holds it"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, as it is written, and what it means."""

    text: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What one text stands for.

    Attributes:
        text: the text, without what stands around it in a log or a list of events.
        place: where it is found.
        parts: what it says, part by part.
        codes: the verdicts that it may come from.
        job: the job that it names, as namespace/name.
        steps: what to do next, besides looking the verdicts up.
        about: what it is about, where it stands on a pod.
    """

    text: str
    place: str
    parts: tuple[Part, ...]
    codes: tuple[str, ...] = ()
    job: str = ""
    steps: tuple[str, ...] = ()
    about: PodText | None = None


def codes_shown_as(*about: PodText, without: Container[str] = ()) -> tuple[str, ...]:
    """Return the verdicts whose pods show such a text, in the order in which a task meets them."""
    return tuple(
        code for code, rule in VERDICT_RULES.items() if code not in without and not {*about}.isdisjoint(rule.shown)
    )
