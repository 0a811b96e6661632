"""What a change brings that the outcome hangs on, and that is not known: vqs leaves it out, or assumes it.

A condition on what becomes of the cluster then holds, as what must not be may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from vqs.diff.run import Run
from vqs.engine.plugins.queue_account import PANIC
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.installed import NOT_MODELLED
from vqs.snapshot.reading.manifests import Manifests

_PANICS: Final = (PANIC, "tdm-panic")

_CERTAIN: Final = frozenset({"configuration", "errors", "findings", "removed", "settings", "silences"})
"""The figures that no session decides on."""
_OF_QUEUES: Final = frozenset({"capability", "guarantee"})
_OF_JOBS: Final = frozenset({"tasks"})
"""The figures of queues and jobs that their manifests say."""


def unknowns(before: Run, after: Run, left_out: Iterable[Diagnostic]) -> list[str]:
    """Return what the candidate hangs on and is not known, and the base does not hang on.

    Args:
        before: the base.
        after: the candidate.
        left_out: what is said of what the change has and no session looks at.
    """
    return [*sorted(set(_of(after)) - set(_of(before))), *(each.message for each in left_out)]


def unmodelled_releases(before: Manifests, after: Manifests) -> Iterator[Diagnostic]:
    """Yield the notes that a change installs a release that is not modelled."""
    known = {each.message for each in before.notes}
    yield from (each for each in after.notes if each.code == NOT_MODELLED and each.message not in known)


def _of(run: Run) -> Iterator[str]:
    for session in run.sessions:
        for notice in session.notices:
            if notice.code in _PANICS:
                yield "what becomes of the cluster after a panic of the scheduler"
            yield from notice.unknown


def could_touch(figure: tuple[str, ...]) -> bool:
    """Tell whether what a session decides could change a figure."""
    if figure[0] == "queue":
        return figure[2] not in _OF_QUEUES
    return figure[2] not in _OF_JOBS if figure[0] == "job" else figure[0] not in _CERTAIN
