"""The result of `vqs versions`: the document that `--format json` prints."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from vqs.explain.outcome import Result
from vqs.releases.profile import Behaviour, behaviours
from vqs.releases.release import DEFAULT_RELEASE, HEAD_NAMES, HEADS, Build, Release


class ReleaseResult(Result, kw_only=True, omit_defaults=False):
    """A release that is modelled: the name that --volcano takes, and the tag of Volcano that it is modelled on.

    `is_pre_release` says that the release is not out: what it decides may still change. For the head of a release's
    branch, the tag is a commit.
    """

    name: str
    tag: str
    is_pre_release: bool = False


class BehaviourResult(Result, kw_only=True, omit_defaults=False):
    """A behaviour that releases do not have in common.

    `area` is the plugin, the action or the component that it belongs to, `values` its value by release, and `since` the
    release that first had the newest of them. `source` is a file of volcano-sh/volcano. `heads` has its value at the
    heads of branches of releases, where that is in no release yet, and `proposals` the values that are only proposed,
    each with where.
    """

    name: str
    area: str
    choices: list[str]
    values: dict[str, str]
    since: str
    decides: str
    why: str
    source: str
    heads: dict[str, str]
    proposals: dict[str, str]


class VersionReport(Result, tag_field="schema", tag="vqs/versions/v2", kw_only=True):
    """The releases that are modelled, and the behaviours in which they differ: all, or those that were asked for."""

    default: str
    releases: list[ReleaseResult]
    heads: list[ReleaseResult]
    query: str = ""
    behaviours: list[BehaviourResult] = msgspec.field(default_factory=list)


class UnknownBehaviour(Exception):  # noqa: N818 - it is the behaviour that is unknown
    """There is no behaviour, area or release of this name."""


def version_report(asked: str = "") -> VersionReport:
    """List the behaviours in which releases differ: all, or those of a name, of an area, or that a release changed.

    Raises:
        UnknownBehaviour: there is nothing of that name.
    """
    rows = [row for row in behaviours().values() if asked in ("", row.name, row.area, *_changed_by(row))]
    if not rows and asked not in (*Release, *HEAD_NAMES):
        raise UnknownBehaviour(asked)
    return VersionReport(
        default=str(DEFAULT_RELEASE),
        releases=[
            ReleaseResult(name=str(release), tag=release.tag, is_pre_release=release.is_pre_release)
            for release in Release
        ],
        heads=[
            ReleaseResult(name=Build(release, is_head=True).name, tag=commit, is_pre_release=True)
            for release, commit in HEADS.items()
        ],
        query=asked,
        behaviours=[
            BehaviourResult(
                name=row.name,
                area=row.area,
                choices=list(row.choices),
                values={str(release): value for release, value in row.values.items()},
                since=str(row.since),
                decides=row.decides,
                why=row.why,
                source=row.source,
                heads={Build(release, is_head=True).name: value for release, value in row.heads.items()},
                proposals=dict(row.proposals),
            )
            for row in rows
        ],
    )


def _changed_by(row: Behaviour) -> list[str]:
    """Return the releases that have another value than the one before, and the heads that their release has not."""
    changed = [str(after) for before, after in pairwise(Release) if row.values[before] != row.values[after]]
    return [*changed, *(Build(release, is_head=True).name for release in row.heads)]
