"""The releases of Volcano that are modelled, and how a behaviour is described that they do not have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

_VERSION: Final = re.compile(r"v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:-[0-9A-Za-z.-]+)?", re.IGNORECASE | re.ASCII)
_OLDER_MINOR: Final = 1_000
"""How much further away a minor release is than a patch."""


class Release(StrEnum):
    """A release that is modelled, the oldest first; a name without a patch stands for the newest patch of its minor."""

    V1_12 = "1.12"
    V1_13 = "1.13"
    V1_14_0 = "1.14.0"
    V1_14 = "1.14"
    V1_15 = "1.15"
    V1_16 = "1.16"

    @property
    def tag(self) -> str:
        """The tag of volcano-sh/volcano that it is modelled on."""
        return _TAGS[self]

    @property
    def is_pre_release(self) -> bool:
        """True if the tag is that of a version before the release, such as v1.16.0-alpha.1."""
        return "-" in self.tag

    @property
    def described(self) -> str:
        """The tag, of a version before the release with these words."""
        return f"{self.tag}, a pre-release" if self.is_pre_release else self.tag


_TAGS: Final = {
    Release.V1_12: "v1.12.4",
    Release.V1_13: "v1.13.3",
    Release.V1_14_0: "v1.14.0",
    Release.V1_14: "v1.14.4",
    Release.V1_15: "v1.15.1",
    Release.V1_16: "v1.16.0-alpha.1",
}
DEFAULT_RELEASE: Final = Release.V1_14


def titled(name: str) -> str:
    """The name of a release as people read it: one that is not out yet has its tag, too.

    >>> titled("1.15"), titled("1.16")
    ('1.15', '1.16 (v1.16.0-alpha.1, a pre-release)')
    """
    release = next((each for each in Release if each == name.partition("+")[0]), None)
    return name if release is None or not release.is_pre_release else f"{name} ({release.described})"


HEADS: Final = {
    Release.V1_13: "2ce42e85c",
    Release.V1_14: "1cb050623",
    Release.V1_15: "d52b6ec43",
}
"""The commit that the head of a release's branch is modelled on: what it has beside the tag is in no release yet."""
_HEAD: Final = "-head"


VENDORS: Final = ("mindcluster", "cce", "hami")
"""Who builds Volcano with plugins of their own; `vqs.config.known_plugins` says what is known of each."""


class Build(NamedTuple):
    """A release, or the head of its branch, and the vendor that built it; no name where that is Volcano itself."""

    release: Release
    vendor: str = ""
    is_head: bool = False

    @property
    def name(self) -> str:
        """What the option --volcano takes."""
        return f"{self.release}{_HEAD if self.is_head else ''}{f'+{self.vendor}' if self.vendor else ''}"


HEAD_NAMES: Final = tuple(Build(release, is_head=True).name for release in HEADS)
"""The names of the heads of branches that are modelled."""
FORM: Final = f"{'|'.join(Release)}[{_HEAD}][+VENDOR]"
"""How a build is named."""


class UnknownReleaseError(ValueError):
    """A text names no release that is modelled; the message says which ones are, and which is the nearest."""


def read_build(text: str) -> Build:
    """Read the name or the tag of a release, or the head of its branch, with a vendor behind a plus, if there is one.

    Raises:
        UnknownReleaseError: there is no such release, or it is not modelled; or no such vendor, or no such head.

    >>> read_build("v1.14.4").name, read_build("1.14+cce"), read_build("1.13-head").is_head
    ('1.14', Build(release=<Release.V1_14: '1.14'>, vendor='cce', is_head=False), True)
    """
    name, plus, vendor = text.strip().casefold().partition("+")
    is_head = name.endswith(_HEAD)
    plain = name.removesuffix(_HEAD).removeprefix("v")
    release = next((each for each in Release if plain in {each.value, each.tag.removeprefix("v")}), None)
    if release is None:
        raise UnknownReleaseError(f"release '{text}' is not modelled{_instead(name)}; {_known()}")
    if is_head and release not in HEADS:
        raise UnknownReleaseError(f"the branch of release {release} has nothing that its tag has not; {_known()}")
    if plus and vendor not in VENDORS:
        close = get_close_matches(vendor, VENDORS, n=1)
        guess = f" (did you mean '{release}+{close[0]}'?)" if close else ""
        raise UnknownReleaseError(f"'{vendor}' is no vendor whose builds are known{guess}; {_known()}")
    return Build(release, vendor, is_head)


def _known() -> str:
    vendors = ", ".join(f"+{each}" for each in VENDORS)
    return f"modelled: {', '.join([*Release, *HEAD_NAMES])}, each also with {vendors}"


def _instead(name: str) -> str:
    """What is said of a name that is no release: which one was meant, or how far it is from those there are."""
    version = _VERSION.fullmatch(name)
    if version is None or "-" in name:
        close = get_close_matches(name.removeprefix("v"), HEAD_NAMES, n=1, cutoff=0.8)
        if close:
            return f" (did you mean '{close[0]}'?)"
    nearest = nearest_release(name)
    if version is None or nearest is None:
        return ""
    oldest, *_, newest = Release
    if _number(version) < _number_of(oldest):
        return f": it is older than {oldest} ({oldest.described}), the oldest and nearest that is"
    if _number(version) > _number_of(newest):
        return f": it is newer than {newest} ({newest.described}), the newest and nearest that is"
    return f"; the nearest is {nearest} ({nearest.described})"


def nearest_release(text: str) -> Release | None:
    """The modelled release that a version is closest to, the newer of two; None where it is no version.

    >>> nearest_release("v1.14.2"), nearest_release("v1.14-rc1"), nearest_release("v1.11.0"), nearest_release("latest")
    (<Release.V1_14: '1.14'>, <Release.V1_14: '1.14'>, <Release.V1_12: '1.12'>, None)
    """
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        return None
    major, minor, patch = match.groups()
    if patch is None:
        own = [each for each in Release if each.tag.startswith(f"v{int(major)}.{int(minor)}.")]
        if own:
            return own[-1]
    wanted = _number(match)
    return min(reversed(Release), key=lambda release: abs(_number_of(release) - wanted))


def _number_of(release: Release) -> int:
    match = _VERSION.fullmatch(release.tag)
    if match is None:
        raise ValueError(release.tag)
    return _number(match)


def _number(version: re.Match[str]) -> int:
    """A number that grows with the version; one without a patch is the newest of its minor."""
    major, minor, patch = version.groups()
    minors = int(major) * _OLDER_MINOR + int(minor)
    return minors * _OLDER_MINOR + (min(int(patch), _OLDER_MINOR - 1) if patch is not None else _OLDER_MINOR - 1)


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
