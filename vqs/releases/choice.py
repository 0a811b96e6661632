"""Which release was asked for, and which behaviours are switched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vqs.releases.profile import Profile, Setting, profile_of
from vqs.releases.release import DEFAULT_RELEASE, Build


@dataclass(frozen=True, slots=True)
class ReleaseChoice:
    """What was asked for: a release, None where it is left open, and behaviours.

    `skips_unknown_actions` is asked for by the caller alone: neither a scenario nor a configuration can.
    """

    build: Build | None = None
    settings: tuple[Setting, ...] = ()
    skips_unknown_actions: bool = False

    @property
    def named(self) -> str | None:
        """The release and its vendor, as the option --volcano names them; None where it is left open."""
        return None if self.build is None else self.build.name

    def over(self, other: ReleaseChoice) -> ReleaseChoice:
        """The choice, with what it leaves open as in another."""
        skips = self.skips_unknown_actions or other.skips_unknown_actions
        return ReleaseChoice(self.build or other.build, (*other.settings, *self.settings), skips)

    @property
    def profile(self) -> Profile:
        """The behaviours that were asked for, those of the default release where none was."""
        build = self.build or Build(DEFAULT_RELEASE)
        return profile_of(build, self.settings, skips_unknown_actions=self.skips_unknown_actions)


ANY_RELEASE: Final = ReleaseChoice()
"""Nothing was asked for."""
