"""The releases of Volcano that are modelled."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from typing import Final, NamedTuple

_VERSION: Final = re.compile(r"v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:-[0-9A-Za-z.-]+)?", re.IGNORECASE)
_OLDER_MINOR: Final = 1_000
"""How much further away a minor release is than a patch."""


class Release(StrEnum):
    """A release that is modelled, the oldest first; a name without a patch stands for the newest patch of its minor."""

    V1_13 = "1.13"
    V1_14_0 = "1.14.0"
    V1_14 = "1.14"
    V1_15 = "1.15"

    @property
    def tag(self) -> str:
        """The tag of volcano-sh/volcano that it is modelled on."""
        return _TAGS[self]


_TAGS: Final = {
    Release.V1_13: "v1.13.3",
    Release.V1_14_0: "v1.14.0",
    Release.V1_14: "v1.14.4",
    Release.V1_15: "v1.15.1",
}
DEFAULT_RELEASE: Final = Release.V1_14


class Build(NamedTuple):
    """A release, and the vendor that built it; no name where that is Volcano's own build."""

    release: Release
    vendor: str = ""


class UnknownReleaseError(ValueError):
    """A text names no release that is modelled; the message says which ones are, and which is the nearest."""


def read_release(text: str) -> Release:
    """Read the name or the tag of a release.

    Raises:
        UnknownReleaseError: there is no such release, or it is not modelled.

    >>> read_release("v1.14.4"), read_release("1.13")
    (<Release.V1_14: '1.14'>, <Release.V1_13: '1.13'>)
    """
    plain = text.strip().casefold().removeprefix("v")
    for release in Release:
        if plain in {release.value, release.tag.removeprefix("v")}:
            return release
    nearest = nearest_release(text)
    guess = f"; the nearest is {nearest} ({nearest.tag})" if nearest is not None else ""
    raise UnknownReleaseError(f"release '{text}' is not modelled{guess}; modelled: {', '.join(Release)}")


def read_build(text: str, vendors: Collection[str]) -> Build:
    """Read the name of a release with that of a vendor behind a plus, if there is one.

    Raises:
        UnknownReleaseError: there is no such release, or no such vendor.

    >>> read_build("1.14+cce", ["cce"])
    Build(release=<Release.V1_14: '1.14'>, vendor='cce')
    """
    name, plus, vendor = text.partition("+")
    release = read_release(name)
    if plus and vendor.casefold() not in vendors:
        raise UnknownReleaseError(f"'{vendor}' is no vendor whose builds are known; known: {', '.join(vendors)}")
    return Build(release, vendor.casefold())


def nearest_release(text: str) -> Release | None:
    """The modelled release that a version is closest to, the newer of two; None where it is no version.

    >>> nearest_release("v1.14.2"), nearest_release("v1.11.0"), nearest_release("latest")
    (<Release.V1_14: '1.14'>, <Release.V1_13: '1.13'>, None)
    """
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        return None
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
