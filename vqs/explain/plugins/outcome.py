"""The result of `vqs plugins`: the document that `--format json` prints.

Each plugin is told with the extension points at which it registers a function, its arguments, and what it says in
verdicts and about nodes. With a snapshot, a session was run, and each point has what the plugin contributed to it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from vqs.explain.outcome import DiagnosticResult, Result


class ArgumentResult(Result, kw_only=True):
    """An argument of a plugin or an action, or a part of one; ``*`` in its name stands for a part that is free.

    `wrong_type` is what comes of a value of another type, `out_of_range` what comes of one below `min` or above `max`.
    `configured` is the value in the configuration.
    """

    name: str
    kind: str
    default: str = ""
    unit: str = ""
    min: float | None = None
    max: float | None = None
    out_of_range: str = ""
    wrong_type: str = ""
    fields: list[ArgumentResult] = msgspec.field(default_factory=list)
    configured: Any = None


class PointResult(Result, kw_only=True):
    """An extension point at which a plugin registers a function.

    `flag` is the flag of the plugin that enables it; a point without one is always enabled. The rest is there with a
    snapshot: the number of answers, how many of them were a no, and how far the scores of two nodes for equal tasks lay
    apart at most.
    """

    point: str
    flag: str = ""
    enabled: bool | None = None
    votes: int | None = None
    vetoes: int | None = None
    spread: float | None = None


class SaidResult(Result, kw_only=True, omit_defaults=False):
    """What a plugin says when it refuses: the code of a verdict, or a text about a node, and what that means."""

    says: str
    meaning: str


class PartResult(Result, kw_only=True):
    """What plugins and actions have in common; `origin` is where one from outside of vqs comes from."""

    name: str
    title: str
    description: list[str] = msgspec.field(default_factory=list)
    source: str = ""
    origin: str = ""
    arguments: list[ArgumentResult] = msgspec.field(default_factory=list)
    verdicts: list[SaidResult] = msgspec.field(default_factory=list)


class PluginResult(PartResult, kw_only=True):
    """A plugin. `tiers` are those of the configuration that name it, counted from 1; none if it is not enabled."""

    tiers: list[int] = msgspec.field(default_factory=list)
    points: list[PointResult] = msgspec.field(default_factory=list)
    reads_hierarchy: bool = False
    reasons: list[SaidResult] = msgspec.field(default_factory=list)

    @property
    def votes(self) -> int:
        """The number of its answers, at all points."""
        return sum(point.votes or 0 for point in self.points)

    @property
    def vetoes(self) -> int:
        """How many of its answers were a no."""
        return sum(point.vetoes or 0 for point in self.points)

    @property
    def spread(self) -> float | None:
        """How far its scores lay apart at most; None where it has scored nothing."""
        return max((point.spread for point in self.points if point.spread is not None), default=None)


class ActionResult(PartResult, kw_only=True):
    """An action. `positions` are its places among the actions of the configuration, counted from 1.

    The rest is there with a snapshot: how many tasks it allocated, pipelined and evicted in statements that stand, and
    how many statements it rolled back.
    """

    positions: list[int] = msgspec.field(default_factory=list)
    allocated: int | None = None
    pipelined: int | None = None
    evicted: int | None = None
    rolled_back: int | None = None


class PluginReport(Result, tag_field="schema", tag="vqs/plugins/v2", kw_only=True):
    """All plugins and actions, or the one that was asked for.

    `configuration` is the file that enables them, or "built-in"; `snapshot` what a session was run on, if one was.
    """

    volcano: str
    configuration: str
    snapshot: str = ""
    query: str = ""
    plugins: list[PluginResult] = msgspec.field(default_factory=list)
    actions: list[ActionResult] = msgspec.field(default_factory=list)
    diagnostics: list[DiagnosticResult] = msgspec.field(default_factory=list)
