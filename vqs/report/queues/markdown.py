"""What is to be said of queues, for an issue or a chat: the answer first, long tables folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.explain.amounts import ABSENT, amount
from vqs.report.formats import Detail
from vqs.report.markdown import code, document, escaped, grid_table, section
from vqs.report.phrases import change, diagnostic_line, standstill
from vqs.report.queues import tree as queues_tree
from vqs.report.queues.answer import answer_lines, next_step
from vqs.report.queues.parts import parts
from vqs.report.queues.resources import queue_resources
from vqs.report.simulation.summary import said_of, sizes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vqs.explain.outcome import Amounts
    from vqs.explain.queues.outcome import QueueReport
    from vqs.report.formats import View
    from vqs.report.page import Part
    from vqs.report.queues.tree import Branch

_FIGURES = ("Deserved", "Allocated", "Limit", "Request", "Guarantee")


def queues(result: QueueReport, view: View, /) -> str:
    """Write the queues as markdown."""
    return document(_lines(result, view))


def _lines(result: QueueReport, view: View) -> Iterator[str]:
    if stopped := standstill(result):
        yield from (f"**{escaped(stopped)}**", "")
    yield f"**{escaped(' '.join(answer_lines(result, view.again)))}**"
    if view.detail is Detail.SUMMARY:
        return
    yield from ("", escaped(said_of(result.volcano, result.scenario, result.session, sizes(result.session))))
    explained = result.explained
    if explained is not None:
        yield from _tree(result, queues_tree.line(result, explained.line), view)
        for part in parts(result, explained, view):
            yield from part_lines(part)
    elif result.spec is None:
        yield from _tree(result, queues_tree.branches(result, view), view)
    if result.diagnostics:
        yield from ("", "### Notes", "")
        yield from (f"- {escaped(diagnostic_line(diagnostic))}" for diagnostic in result.diagnostics)
    if following := next_step(result, view.again).text(code):
        yield from ("", following)


def _tree(result: QueueReport, shown: Sequence[Branch], view: View) -> Iterator[str]:
    rows = [row for branch in shown for row in _rows(result, branch, view)]
    titles = ("Queue", "Resource", *_FIGURES)
    yield from section("Queues", titles, rows, numeric=_FIGURES, everything=view.detail is Detail.EVERYTHING)


def _rows(result: QueueReport, branch: Branch, view: View) -> Iterator[Sequence[str]]:
    queue, opened = branch.queue, branch.queue.opened
    facts = ", ".join(queues_tree.said(result, branch))
    name = code(branch.before + queue.name) + (f" ({escaped(facts)})" if facts else "")
    for resource in queue_resources(queue, view) or [""]:
        if not resource:
            yield (name, *[""] * (1 + len(_FIGURES)))
            return
        before, after = (amount(resource, each.allocated.get(resource, 0)) for each in (opened, queue.closed))
        figures = (_figure(each, resource) for each in (opened.real_capability, opened.request, opened.guarantee))
        yield (name, code(resource), _figure(opened.deserved, resource), change(before, after), *figures)
        name = ""


def _figure(amounts: Amounts, resource: str) -> str:
    return amount(resource, amounts[resource]) if resource in amounts else ABSENT


def part_lines(part: Part) -> Iterator[str]:
    """Write a part under its title."""
    title = escaped(part.title)
    yield from ("", f"<details><summary>{title}</summary>" if part.folded else f"### {title}")
    if part.lines:
        yield from ("", escaped(" ".join(part.lines)))
    if part.grid is not None:
        yield from ("", *grid_table(part.grid))
    if part.folded:
        yield from ("", "</details>")
