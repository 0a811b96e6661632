"""How a behaviour is described that releases do not have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeVar

from vqs.releases.release import DEFAULT_RELEASE, Release

Value = TypeVar("Value", bound=str)

METADATA: Final = "behaviour"


@dataclass(frozen=True, slots=True)
class Description:
    """What the table says of a behaviour besides its name and its values.

    Attributes:
        values: its value in each release.
        decides: what it decides, in a sentence.
        why: why it was changed, with the number of the pull request where that is known.
        source: the file of the reference that decides it.
        heads: its value at the head of a release's branch, where no tag has it yet.
        proposals: the values that no branch has, and where each is proposed.
    """

    values: Mapping[Release, str]
    decides: str
    why: str
    source: str
    heads: Mapping[Release, str]
    proposals: Mapping[str, str]


def behaviour(
    first: Value,
    since: Mapping[Release, Value],
    *,
    decides: str,
    why: str,
    source: str,
    heads: Mapping[Release, Value] = MappingProxyType({}),
    proposals: Mapping[Value, str] = MappingProxyType({}),
) -> Value:
    """Describe a field of a profile: a behaviour, and which value it has since which release.

    Args:
        first: the value in the oldest release.
        since: the releases that changed it, and its value since then.
        decides: what it decides, in a sentence.
        why: why it was changed.
        source: the file of the reference that decides it.
        heads: its value at the head of a release's branch, where no tag has it yet.
        proposals: the values that no branch has, and where each is proposed.
    """
    values, value = {}, first
    for release in Release:
        value = since.get(release, value)
        values[release] = value
    description = Description(
        values, decides, why, source, heads, {str(each): where for each, where in proposals.items()}
    )
    described: Value = field(default=values[DEFAULT_RELEASE], metadata={METADATA: description})
    return described
