"""Which release was asked for, and which behaviours are switched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vqs.releases.profile import Profile, Setting, profile_of
from vqs.releases.release import DEFAULT_RELEASE, Release


@dataclass(frozen=True, slots=True)
class ReleaseChoice:
    """What was asked for: a release, None where it is left open, and behaviours."""

    release: Release | None = None
    settings: tuple[Setting, ...] = ()

    def over(self, other: ReleaseChoice) -> ReleaseChoice:
        """The choice, with what it leaves open as in another."""
        return ReleaseChoice(self.release or other.release, (*other.settings, *self.settings))

    @property
    def profile(self) -> Profile:
        """The behaviours that were asked for, those of the default release where none was."""
        return profile_of(self.release or DEFAULT_RELEASE, self.settings)


ANY_RELEASE: Final = ReleaseChoice()
"""Nothing was asked for."""
