"""Which release was asked for, and which behaviours are switched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vqs.releases.profile import Profile, Setting, profile_of
from vqs.releases.release import DEFAULT_RELEASE, Build, Release


@dataclass(frozen=True, slots=True)
class ReleaseChoice:
    """What was asked for: a release, None where it is left open, and behaviours.

    `vendor` is who built the release, where it is named, and `is_head` whether the head of its branch is meant.
    `skips_unknown_actions` is asked for by the caller alone: neither a scenario nor a configuration can.
    """

    release: Release | None = None
    settings: tuple[Setting, ...] = ()
    skips_unknown_actions: bool = False
    vendor: str = ""
    is_head: bool = False

    @property
    def named(self) -> str | None:
        """The release and its vendor, as the option --volcano names them; None where it is left open."""
        return None if self.release is None else Build(self.release, self.vendor, self.is_head).name

    def over(self, other: ReleaseChoice) -> ReleaseChoice:
        """The choice, with what it leaves open as in another."""
        skips = self.skips_unknown_actions or other.skips_unknown_actions
        named = other if self.release is None else self
        return ReleaseChoice(named.release, (*other.settings, *self.settings), skips, named.vendor, named.is_head)

    @property
    def profile(self) -> Profile:
        """The behaviours that were asked for, those of the default release where none was."""
        return profile_of(
            self.release or DEFAULT_RELEASE,
            self.settings,
            skips_unknown_actions=self.skips_unknown_actions,
            vendor=self.vendor,
            is_head=self.is_head,
        )


ANY_RELEASE: Final = ReleaseChoice()
"""Nothing was asked for."""
