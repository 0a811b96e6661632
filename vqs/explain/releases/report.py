"""Put together what there is to say of releases and their behaviours."""

from __future__ import annotations

from itertools import pairwise

from vqs.explain.releases.outcome import BehaviourResult, ReleaseResult, VersionReport
from vqs.releases.profile import Behaviour, behaviours
from vqs.releases.release import DEFAULT_RELEASE, Release


class UnknownBehaviour(Exception):  # noqa: N818 - it is the behaviour that is unknown
    """There is no behaviour, area or release of this name."""


def version_report(asked: str = "") -> VersionReport:
    """List the behaviours in which releases differ.

    Args:
        asked: the name of one, of an area, or of a release, for those that it changed; empty for all.

    Raises:
        UnknownBehaviour: there is nothing of that name.
    """
    rows = [row for row in behaviours().values() if asked in ("", row.name, row.area, *_changed_by(row))]
    if not rows and asked not in tuple(Release):
        raise UnknownBehaviour(asked)
    return VersionReport(
        default=str(DEFAULT_RELEASE),
        releases=[ReleaseResult(name=str(release), tag=release.tag) for release in Release],
        asked=asked,
        behaviours=[_behaviour(row) for row in rows],
    )


def _changed_by(row: Behaviour) -> list[Release]:
    """Return the releases that have another value than the one before."""
    return [after for before, after in pairwise(Release) if row.values[before] != row.values[after]]


def _behaviour(row: Behaviour) -> BehaviourResult:
    return BehaviourResult(
        name=row.name,
        area=row.area,
        choices=list(row.choices),
        values={str(release): value for release, value in row.values.items()},
        since=str(row.since),
        decides=row.decides,
        why=row.why,
        source=row.source,
    )
