"""The result of `vqs versions`: the document that `--format json` prints."""

from __future__ import annotations

import msgspec

from vqs.explain.outcome import Result


class ReleaseResult(Result, kw_only=True, omit_defaults=False):
    """A release that is modelled: the name that --volcano takes, and the tag of Volcano that it is modelled on."""

    name: str
    tag: str


class BehaviourResult(Result, kw_only=True, omit_defaults=False):
    """A behaviour that releases do not have in common.

    `area` is the plugin, the action or the component that it belongs to, `values` its value by release, and `since` the
    release that first had the newest of them. `source` is a file of volcano-sh/volcano.
    """

    name: str
    area: str
    choices: list[str]
    values: dict[str, str]
    since: str
    decides: str
    why: str
    source: str


class VersionReport(Result, tag_field="schema", tag="vqs/versions/v1", kw_only=True):
    """The releases that are modelled, and the behaviours in which they differ: all, or those that were asked for."""

    default: str
    releases: list[ReleaseResult]
    asked: str = ""
    behaviours: list[BehaviourResult] = msgspec.field(default_factory=list)
