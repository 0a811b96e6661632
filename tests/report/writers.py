"""Results as text, in the formats that the tests look at."""

from __future__ import annotations

from vqs.report.formats import Format, View
from vqs.report.registry import write


def as_table(result: object, view: View) -> str:
    """Write a result for a terminal."""
    return write(result, Format.TABLE, view)


def as_markdown(result: object, view: View) -> str:
    """Write a result as markdown."""
    return write(result, Format.MARKDOWN, view)


def as_html(result: object, view: View) -> str:
    """Write a result as a page."""
    return write(result, Format.HTML, view)


def as_json(result: object, view: View) -> str:
    """Write a result as JSON."""
    return write(result, Format.JSON, view)


def as_prometheus(result: object, view: View) -> str:
    """Write a result as metrics."""
    return write(result, Format.PROMETHEUS, view)
