"""The page on whether a job fits: what becomes of it, what it takes, and the answer."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.fit.outcome import Fit
from vqs.model.codes import EXTENDER_FAILED, EXTENDER_NOT_ASKED, NODES_SAMPLED, USAGE_UNKNOWN
from vqs.model.wording import count, first_names
from vqs.report.formats import NOWHERE, Detail, Next, View, of_title
from vqs.report.page import At, Line, Page
from vqs.report.phrases import caveats
from vqs.report.simulation.summary import session_headline
from vqs.snapshot.apiserver.admission import CHANGE_DENIED
from vqs.snapshot.controllers.upkeep.admission import NAMESPACE_MISSING
from vqs.snapshot.reading.objects import UNKNOWN_FIELD
from vqs.snapshot.whatif.overlay import OBJECT_UPDATED

_FEW = 10
_TOLD = (
    CHANGE_DENIED,
    EXTENDER_FAILED,
    EXTENDER_NOT_ASKED,
    NAMESPACE_MISSING,
    NODES_SAMPLED,
    OBJECT_UPDATED,
    UNKNOWN_FIELD,
    USAGE_UNKNOWN,
)


def page(result: Fit, view: View, /) -> Page:
    """Return the page on whether a job fits."""
    session = result.session
    sizes = f"{count(session.nodes, 'node')}, {count(session.jobs, 'job')}"
    return Page(
        headline=session_headline(result.volcano, result.snapshot, session, sizes),
        facts=[
            *(Line(text) for text in (() if result.denied else _outcome(result, view))),
            *(
                Line(f"{each.severity.capitalize()}: {each.message}")
                for each in result.diagnostics
                if each.code in _TOLD
            ),
        ],
        answer=[result.answer],
        answer_at=At.LAST,
        caveats=caveats(result.diagnostics),
        next=_next(result, view),
    )


def _next(result: Fit, view: View) -> Next:
    """Name the command that explains why the job does not fit now; a denial explains itself."""
    if result.denied or result.fits == "now" or result.verdict is None:
        return NOWHERE
    again = view.again or of_title(result.snapshot)
    code = result.blockers[0].code if result.blockers else result.verdict.code
    return again.last(again.rule(code, "says what to do"))


def _outcome(result: Fit, view: View) -> Iterator[str]:
    yield (
        f"{result.called} in queue {result.queue}: {result.decision}; of {count(result.tasks, 'task')}, "
        f"{result.placed:,} placed, {result.pipelined:,} with a reserved node, {result.pending:,} pending"
        f"{f', {len(result.evicted):,} evicted again' if result.evicted else ''}; minAvailable {result.min_available:,}"
    )
    most = None if view.detail is Detail.EVERYTHING else _FEW
    named = {
        "Nodes": [f"{node} ({count(number, 'task')})" for node, number in result.nodes.items()],
        "Waits for": result.waits_for,
        "Evicts": result.evicts,
        "Evicted again": result.evicted,
        "Jobs worse off": [] if result.harms else [result.display_names.get(job, job) for job in result.harmed_jobs],
    }
    yield from (f"{title}: {first_names(names, most)}" for title, names in named.items() if names)
    if result.harms:
        yield f"Jobs worse off: {first_names([each.text for each in result.harms], most, '; ')}"
    if result.largest:
        sessions = count(result.largest.sessions, "session")
        yield f"Largest number of replicas that would run: {result.largest.replicas:,}, found with {sessions}"
