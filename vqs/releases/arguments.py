"""What releases read differently in the arguments of plugins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release


@dataclass(frozen=True, slots=True)
class ArgumentBehaviours:
    """The behaviours that have to do with arguments of all plugins and actions."""

    text_as_boolean: Literal["ignored", "read"] = behaviour(
        "ignored",
        {Release.V1_15: "read"},
        decides='Whether a text such as "true" counts as true or false where an argument has to be one of them.',
        why="Quotation marks around a value made it count as not given.",
        source="pkg/scheduler/framework/arguments.go",
    )
