"""Queues as a tree, each with its figures and a bar for each resource that is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from rich.text import Text

from vqs.explain.outcome import QueueResult
from vqs.explain.queues.outcome import QueueReport
from vqs.inert import name as visible
from vqs.model.cluster import parent_name
from vqs.model.wording import count
from vqs.report.formats import Detail, View
from vqs.report.page import Column, Grid, Row, Span, cell
from vqs.report.phrases import queue_columns, resources_of
from vqs.snapshot.reading.diagnostics import did_you_mean

_SIGNS: Final = ("█ held", "▓ held beyond deserved", "░ deserved but not held", "· requested beyond deserved")
_RESERVED: Final = "▒ reserved but not held yet"

_PROPORTION: Final = "proportion"

_LONG: Final = 100
"""More queues than these are not shown, unless everything is asked for."""
_ROOMY: Final = 100
_WIDE: Final = 20
_NARROW: Final = 10


@dataclass(frozen=True)
class Branch:
    """A queue in the tree, with what is drawn before it and before what stands below it."""

    queue: QueueResult
    before: str
    below: str
    hidden: int
    """How many queues below it are not shown."""


def branches(report: QueueReport, view: View) -> list[Branch]:
    """Return the queues that are shown, each with the lines of the tree."""
    if not report.tree:
        return [Branch(queue, "", "   ", 0) for queue in report.queues]
    children: dict[str, list[QueueResult]] = {}
    names = {queue.name for queue in report.queues}
    tops = []
    for queue in report.queues:
        parent = parent_name(queue.name, queue.parent)
        if parent in names and not report.session.standstill:
            children.setdefault(parent, []).append(queue)
        else:
            tops.append(queue)
    found: list[Branch] = []
    for top in tops:
        found += _below(top, children, "", "", view.queues.depth)
    return found


def line(report: QueueReport, names: Sequence[str]) -> list[Branch]:
    """Return a queue and those above it, the root first; `names` starts with the queue."""
    queues = {queue.name: queue for queue in report.queues}
    found = []
    for level, name in enumerate(reversed(names)):
        last = level == len(names) - 1
        before = f"{'   ' * (level - 1)}└─ " if level else ""
        below = f"{'   ' * level}{'   ' if last else '│  '}"
        found.append(Branch(queues[name], before, below, 0))
    return found


def _below(
    queue: QueueResult, children: dict[str, list[QueueResult]], before: str, beside: str, depth: int | None
) -> Iterator[Branch]:
    """Yield a queue and what is below it, as many levels as are wanted."""
    shown = children.get(queue.name, []) if depth is None or depth > 1 else []
    hidden = 0 if shown else _number_below(queue, children)
    yield Branch(queue, before, beside + ("│  " if shown else "   "), hidden)
    for child in shown:
        last = child is shown[-1]
        corner, line = ("└─ ", "   ") if last else ("├─ ", "│  ")
        yield from _below(child, children, beside + corner, beside + line, None if depth is None else depth - 1)


def _number_below(queue: QueueResult, children: dict[str, list[QueueResult]]) -> int:
    return sum(1 + _number_below(child, children) for child in children.get(queue.name, []))


# --- the grid ---------------------------------------------------------------------------------------------------------


def grid(report: QueueReport, shown: Sequence[Branch], view: View) -> tuple[str, Grid]:
    """Return what is left out, and the queues with their figures; the one that is explained is marked."""
    marked = report.explained.name if report.explained else ""
    everything = view.detail is Detail.EVERYTHING
    left_out = "" if len(shown) <= _LONG or everything else f" (the first {_LONG} of {len(shown):,}; -v shows all)"
    shown = shown if everything else shown[:_LONG]
    figures = queue_columns([branch.queue for branch in shown], everything=everything)
    longest = max((len(visible(branch.before + branch.queue.name)) for branch in shown), default=0)
    width = _WIDE if view.width is None or view.width >= _ROOMY else _NARROW
    rows: list[Row | Span] = []
    for branch in shown:
        rows.append(Span(_heading(branch, longest, marked)))
        names = resources_of(branch.queue, everything=everything or bool(view.queues.resources))
        # That many pods run on a node is a limit of the node, and seldom one of a queue.
        is_asked = view.queues.resources or everything
        names = chosen(names, view) if is_asked else [name for name in names if name != PODS]
        rows += [
            Row(
                (
                    cell(f"{branch.below}{name}"),
                    _bar(branch.queue, name, width),
                    *(cell(figure(branch.queue, name)) for figure in figures.values()),
                )
            )
            for name in names
        ]
    columns = (Column(title, numeric=True, dispensable=number > 1) for number, title in enumerate(figures))
    return left_out, Grid((Column("   RESOURCE"), Column(""), *columns), rows)


def legend(shown: Iterable[Branch]) -> str:
    """What the signs of the bars mean; that of what is only reserved, where something is."""
    reserved = any(branch.queue.closed.reserved for branch in shown)
    return ", ".join([*_SIGNS[:2], *[_RESERVED] * reserved, *_SIGNS[2:]])


def _heading(branch: Branch, longest: int, marked: str) -> Text:
    queue = branch.queue
    facts = [*queue.facts, *[f"{count(branch.hidden, 'queue')} below it"] * bool(branch.hidden)]
    heading = Text().append(visible(branch.before))
    heading.append(visible(queue.name).ljust(longest - len(branch.before)), "bold reverse" * (queue.name == marked))
    heading.stylize("bold", len(branch.before))
    heading.append(visible(f"  {', '.join(facts)}"), "red" if queue.closed.overused else "")
    heading.rstrip()
    return heading


def _bar(queue: QueueResult, resource: str, width: int) -> Text:
    """Draw what is held, reserved and deserved, of that and what is asked for as far as the limit allows it."""
    opened = queue.opened
    held, deserved = queue.held.get(resource) or 0.0, opened.deserved.get(resource) or 0.0
    allocated = queue.closed.allocated.get(resource) or 0.0
    asked, limit = opened.request.get(resource) or 0.0, opened.real_capability.get(resource, 0.0)
    whole = max(allocated, deserved, asked if limit is None else min(asked, limit))
    ends = (min(held, deserved), held, allocated, max(allocated, deserved))
    inner, within, outer, promised = (int(part / whole * width + 0.5) if whole > 0 else 0 for part in ends)
    bar = Text().append("█" * inner, "red" if queue.closed.overused else "green")
    bar.append("▓" * (within - inner), "magenta").append("▒" * (outer - within), "cyan")
    return bar.append("░" * (promised - outer), "green").append("·" * (width - promised), "dim")


PODS: Final = "pods"


def chosen(names: Iterable[str], view: View) -> list[str]:
    """Return the resources that are asked for; all where none are."""
    patterns = view.queues.resources
    return [name for name in names if not patterns or any(_matches(name, pattern) for pattern in patterns)]


def _matches(name: str, pattern: str) -> bool:
    """Tell whether a name is meant; it need not be given with its domain: gpu is nvidia.com/gpu too."""
    return fnmatchcase(name, pattern) or fnmatchcase(name.rpartition("/")[2], pattern)


def unknown_resources(report: QueueReport, patterns: Sequence[str]) -> list[str]:
    """Say which of the resources that were asked for there is none of, and what was probably meant."""
    figures = [report.session.total_resource]
    figures += [queue.opened.capability for queue in report.queues]
    figures += [queue.opened.request for queue in report.queues]
    known = list(dict.fromkeys(name for amounts in figures for name in amounts))
    lines = []
    for pattern in patterns:
        if not any(_matches(name, pattern) for name in known):
            hint = did_you_mean(pattern, known)
            lines.append(f"there is no resource {pattern!r}; {hint or 'there are ' + ', '.join(known)}")
    return lines
