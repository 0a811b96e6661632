"""One self-contained page: templates, one stylesheet, one script, and the data, with nothing to fetch.

The page forbids itself the network. Its style and its script are the only ones that a browser takes, as their hashes
stand in the page's policy; names from a snapshot can therefore do nothing, even where they look like markup.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from vqs import __version__, inert
from vqs.explain.outcome import DiagnosticResult, QueueClosed, QueueOpened, SessionInfo
from vqs.inert import name as visible
from vqs.report.page import Grid, Row
from vqs.report.phrases import diagnostic_line, queue_figures, without_elsewhere

_IMPORT: Final = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
_TABLE: Final = re.compile(r'^import (\w+) from "(?:\.\./)+([\w/]+\.json)" with \{ type: "json" \};\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=async|function|const|let|class)", re.MULTILINE)
_NEEDLESS: Final = re.compile(r"^\s+|^//.*\n", re.MULTILINE)
"""What a browser does not need: indentation, empty lines, and comments that have a line of their own."""


def page(template: str, script: str, data: object, **context: Any) -> str:
    """Return a page."""
    style, code = stylesheet(), script_text(script)
    hashes = [b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in (style, code)]
    policy = (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; base-uri 'none'; "
        "form-action 'none'"
    )
    text = (
        _environment()
        .get_template(f"{template}.html.jinja")
        .render(
            **context,
            version=__version__,
            policy=policy,
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(code),  # noqa: S704 - our own files
            data=embedded(data),
        )
    )
    return inert.markup(text)


def embedded(data: object) -> str:
    """Return data as compressed JSON, in letters and digits; every text in it is as people may safely see it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP, 9)
    text = inert.shown(msgspec.json.encode(data).decode())
    return b64encode(packer.compress(text.encode()) + packer.flush()).decode()


_GZIP: Final = 31
"""What tells zlib to write gzip, which has no time in it then."""


@cache
def stylesheet() -> str:
    """Return the style of all pages."""
    text = re.sub(r"/\*.*?\*/", "", _NEEDLESS.sub("", _file("report.css")), flags=re.DOTALL)
    return re.sub(r"\s*([{};,])\s*", r"\1", text).replace(": ", ":").replace(";}", "}")


@cache
def script_text(name: str) -> str:
    """Return a module of the script and all that it imports as one script, each module after those it imports."""
    parts: dict[str, str] = {}
    begun: set[str] = set()

    def add(module: str) -> None:
        if module in begun:
            return
        begun.add(module)
        text = _file(f"script/{module}.js")
        for each in _IMPORT.findall(text):
            add(each)
        text = _TABLE.sub(lambda found: f"const {found[1]} = {files('vqs').joinpath(found[2]).read_text()};\n", text)
        parts[module] = _NEEDLESS.sub("", _EXPORT.sub("", _IMPORT.sub("", text)))

    add(name)
    # A line need not end where a statement goes on; one with a slash may end in a comment.
    text = re.sub(r"^([^/\n]*[;{,])\n", r"\1", "".join(parts.values()), flags=re.MULTILINE)
    return f'(() => {{\n"use strict";\n{text}}})();\n'


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("vqs.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Texts from a snapshot are safe to see; jinja2 escapes them after that.
        finalize=lambda value: visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    environment.globals["queue_figures"] = _queue_figures
    return environment


def _file(name: str) -> str:
    return files("vqs.report.html").joinpath(name).read_text(encoding="utf-8")


def _queue_figures() -> str:
    """The columns of tables of queues, as the script reads them."""
    kinds = (QueueOpened, QueueClosed)
    fields = {
        name: at
        for each in kinds
        for name, at in zip(each.__struct_fields__, each.__struct_encode_fields__, strict=True)
    }
    figures = queue_figures().items()
    shown = [{"field": fields[name], "title": each.title, "shown": each.shown} for name, each in figures]
    return msgspec.json.encode(shown).decode()


# --- what several templates write ------------------------------------------------------------------------------------

_SEVERITIES: Final = ("error", "warning", "note")


def settings(session: SessionInfo) -> list[tuple[str, str]]:
    """Return how a session was run, in pairs of a word and what it stands for."""
    tiers = [(f"tier {number}", ", ".join(tier)) for number, tier in enumerate(session.tiers, 1)]
    seed = "none, the lowest name wins a tie"
    if session.seed is not None:
        seed = f"{session.seed}, also for the order of nodes" if session.node_order_drawn else str(session.seed)
    return [
        ("configuration", session.configuration),
        ("actions", ", ".join(session.actions)),
        *tiers,
        ("now", session.now),
        ("seed", seed),
    ]


def notes(diagnostics: Iterable[DiagnosticResult]) -> list[tuple[str, str]]:
    """Return the notes with their severity, the gravest first; those on other jobs and queues are counted."""
    ordered = sorted(diagnostics, key=lambda each: _SEVERITIES.index(each.severity))
    shown, others = without_elsewhere(ordered)
    lines: list[tuple[str, str]] = [
        (each.severity, diagnostic_line(each).removeprefix(f"{each.severity}: ")) for each in shown
    ]
    return [*lines, ("note", others)] if others else lines


def with_code(text: str, code: re.Pattern[str]) -> Markup:
    """Return a text in which each match of a pattern, which is one group, can be copied as it is."""
    copied = Markup('<code data-copy="{0}">{0}</code>')
    pieces = enumerate(code.split(visible(text)))
    return Markup().join(copied.format(piece) if at % 2 else piece for at, piece in pieces)


_HOW_SURE: Final = re.compile(r" (?=±|\(≤)")


def table(grid: Grid | None, code: re.Pattern[str] | None = None) -> dict[str, Any] | None:
    """Return a grid as a template writes it: headings, and rows, some of them across all columns."""
    if grid is None:
        return None
    columns = [(column.heading, column.numeric) for column in grid.columns]
    rows: list[dict[str, Any]] = []
    for row in grid.rows:
        if not isinstance(row, Row):
            rows.append({"span": row.text.plain})
            continue
        cells = [
            {
                # It may go on in a second line where it says how sure a figure is.
                "text": Markup(" <wbr>").join(_HOW_SURE.split(visible(text.plain.strip()))),
                "indent": text.plain.startswith(" "),
                "strong": "bold" in str(text.style),
            }
            for text in row.cells
        ]
        remark = with_code(row.remark, code) if code else row.remark
        rows.append({"cells": cells, "remark": remark if grid.has_remarks else None})
    return {"columns": [*columns, *[(grid.remark.capitalize(), False)] * grid.has_remarks], "rows": rows}
