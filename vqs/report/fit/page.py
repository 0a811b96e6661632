"""The answer to whether a job fits, for people: what becomes of it, what it takes, and the answer last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.explain.amounts import count
from vqs.report import as_json
from vqs.report.formats import Detail
from vqs.report.grid import paragraph, written
from vqs.report.markdown import document, escaped
from vqs.report.simulation.summary import said_of
from vqs.snapshot.admission import CHANGE_DENIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.diff.fit_outcome import Fit
    from vqs.report.formats import View

_FEW = 10


def table(result: Fit, view: View, /) -> str:
    """Write the answer for a terminal."""
    lines = [*_lines(result, view), result.answer] if view.detail > Detail.SUMMARY else [result.answer]
    styles = ["bold", *[""] * (len(lines) - 2), "bold"] if len(lines) > 1 else ["bold"]
    pieces = (piece for line, style in zip(lines, styles, strict=True) for piece in paragraph(line, view.width, style))
    return written(pieces, view)


def markdown(result: Fit, view: View, /) -> str:
    """Write the answer as markdown."""
    lines = [f"**{escaped(result.answer)}**"]
    if view.detail > Detail.SUMMARY:
        lines += ["", *(f"- {escaped(line)}" for line in _lines(result, view))]
    return document(lines)


def json(result: Fit, _view: View, /) -> str:
    """Write the answer as JSON."""
    return as_json.document(result)


def _lines(result: Fit, view: View) -> Iterator[str]:
    session = result.session
    sizes = f"{count(session.nodes, 'node')}, {count(session.jobs, 'job')}"
    yield said_of(result.volcano, result.snapshot, session, sizes)
    yield (
        f"{result.namespace}/{result.name} in queue {result.queue}: {result.decision}, {result.placed:,} placed, "
        f"{result.pipelined:,} pipelined, {result.pending:,} pending of {count(result.tasks, 'task')}, "
        f"at least {result.min_available:,} at once"
    )
    everything = view.detail is Detail.EVERYTHING
    listed = {
        "Nodes": [f"{node} {number:,}" for node, number in result.nodes.items()],
        "After these have left": result.after,
        "Evicts": result.evicts,
        "Worse off": result.loses,
    }
    for title, names in listed.items():
        if names:
            shown = names if everything else names[:_FEW]
            more = f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
            yield f"{title}: {', '.join(shown)}{more}"
    if result.largest:
        sessions = count(result.largest.sessions, "session")
        yield f"Largest number of replicas: {result.largest.replicas:,}, after {sessions}"
    yield from (f"Warning: {each.message}" for each in result.diagnostics if each.code == CHANGE_DENIED)
