"""The options of a session, from what a command was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vqs.cli.failures import say
from vqs.cli.groups import SessionFlags
from vqs.cli.progress import Progress

if TYPE_CHECKING:
    from vqs.engine.framework.extender_use import ExtenderUse
    from vqs.explain.outcome import DiagnosticResult
    from vqs.explain.simulate import SimulateOptions


def session_options(flags: SessionFlags, progress: Progress | None, *, scenario: str = "") -> SimulateOptions:
    """Return how to run a session.

    The flags about sharding and the usage of nodes are not among these options: `vqs.cli.inputs.read` puts them into
    what is read.
    """
    from vqs.explain.simulate import SimulateOptions

    return SimulateOptions(
        now=flags.now,
        seed=flags.seed,
        sample=flags.sample,
        allow_extender=flags.allow_extender,
        extender=one_use(),
        scenario=scenario,
        progress=progress,
    )


def one_use() -> ExtenderUse:
    """Return what the sessions of a command have in common of an extender; that it is not asked is said once."""
    from vqs.engine.framework.extender_use import ExtenderUse

    said: list[str] = []

    def not_asked(text: str) -> None:
        if not said:
            said.append(text)
            say(f"warning: {text}")

    return ExtenderUse(not_asked)


def say_diagnostics(diagnostics: Sequence[DiagnosticResult]) -> None:
    """Write what there is to say of a session to stderr, where it was not said there already."""
    from vqs.model.codes import EXTENDER_NOT_ASKED
    from vqs.report.phrases import diagnostic_line

    say(*(diagnostic_line(each) for each in diagnostics if each.code != EXTENDER_NOT_ASKED))
