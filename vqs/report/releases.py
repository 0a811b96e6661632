"""The page on releases: a table of the behaviours in which they differ, or what one of them is about."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.explain.releases import BehaviourResult, VersionReport
from vqs.model.wording import count
from vqs.report.formats import View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Line, Page, Part


def page(result: VersionReport, _view: View, /) -> Page:
    """Return the page on all behaviours, or on those that were asked for."""
    modelled = ", ".join(f"{each.name} ({each.tag})" for each in result.releases)
    headline = f"Releases of Volcano that are modelled: {modelled}; {result.default} by default"
    if len(result.behaviours) == 1 and result.query == result.behaviours[0].name:
        [only] = result.behaviours
        return Page(headline=headline, facts=[*map(Line, _facts(only))], parts=[_values(only)], answer=[_answer(only)])
    return Page(headline=headline, parts=_tables(result), answer=[_number(result)])


def _number(result: VersionReport) -> str:
    """Count the behaviours; those of a release are the ones that it changed."""
    number = count(len(result.behaviours), "behaviour")
    releases = [each.name for each in result.releases]
    if result.query not in releases:
        return f"{number}{f' of {result.query}' if result.query else ''} in which releases differ"
    if result.query == releases[0]:
        return f"{result.query} is the oldest release that is modelled: there is none before it to differ from"
    return f"{number} in which {result.query} differs from {releases[releases.index(result.query) - 1]}"


def _tables(result: VersionReport) -> Iterator[Part]:
    """Yield a table for each area."""
    columns = [Column("BEHAVIOUR", named=True), *(Column(each.name) for each in result.releases)]
    for area in dict.fromkeys(each.area for each in result.behaviours):
        rows = [
            Row(tuple(map(cell, (each.name, *_in_releases(each, result)))), each.decides)
            for each in result.behaviours
            if each.area == area
        ]
        yield Part(area.replace("_", " "), grid=Grid(tuple(columns), rows, "WHAT IT DECIDES"))


def _in_releases(row: BehaviourResult, result: VersionReport) -> list[str]:
    return [row.values[each.name] for each in result.releases]


def _facts(row: BehaviourResult) -> Iterator[str]:
    yield f"{row.name} ({row.area.replace('_', ' ')}): {row.decides}"
    yield f"Why it changed: {row.why}"
    yield f"In Volcano: {row.source}"


def _values(row: BehaviourResult) -> Part:
    columns = (Column("RELEASE"), Column("VALUE", named=True))
    return Part("Values", grid=Grid(columns, [Row((cell(name), cell(value))) for name, value in row.values.items()]))


def _answer(row: BehaviourResult) -> str:
    others = [choice for choice in row.choices if choice != row.values[row.since]]
    options = " or ".join(f"--behaviour {row.name}={value}" for value in others)
    return f"{row.name} is {row.values[row.since]} since {row.since}; {options} switches it"
