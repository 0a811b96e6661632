"""One self-contained page: templates, one stylesheet, one script, and the data, with nothing to fetch.

The page forbids itself the network. Its style and its script are the only ones that a browser takes, as their hashes
stand in the page's policy; names from a snapshot can therefore do nothing, even where they look like markup.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from vqs import __version__, inert
from vqs.inert import name as visible

SCRIPTS: Final = (
    "dom",
    "units",
    "data",
    "theme",
    "dialog",
    "table",
    "queues",
    "nodes",
    "replay",
    "player",
    "evictions",
    "details",
    "simulation",
    "derivation",
    "diff",
    "chart",
    "sweep",
    "span",
    "timeline",
    "heat",
    "waits",
    "gantt",
    "workload",
    "main",
)
"""The parts of the script, in the order in which they are put together."""

_ESCAPES: Final = {b"<": b"\\u003c", b">": b"\\u003e", b"&": b"\\u0026"} | {
    mark.encode(): f"\\u{ord(mark):04x}".encode() for mark in ("\u2028", "\u2029")
}


def page(template: str, data: object, **context: Any) -> str:
    """Return a page; the data is what its script reads, the context what its template does."""
    style, script = stylesheet(), script_text()
    hashes = [b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in (style, script)]
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
            script=Markup(script),  # noqa: S704 - our own files
            data=embedded(data),
        )
    )
    return inert.markup(text)


def embedded(data: object) -> Markup:
    """Return data as JSON that can stand in a script element: nothing in it ends the element, or a line."""
    text = inert.json(msgspec.json.encode(data).decode()).encode()
    for mark, escape in _ESCAPES.items():
        text = text.replace(mark, escape)
    return Markup(text.decode())  # noqa: S704 - all that could be markup is escaped


@cache
def stylesheet() -> str:
    """Return the style of all pages."""
    return _file("report.css")


@cache
def script_text() -> str:
    """Return the script of all pages."""
    parts = "\n".join(_file(f"script/{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n\n{parts}}})();\n'


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("vqs.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Texts from a snapshot are safe to see; jinja2 escapes them after that.
        finalize=lambda value: visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )


def _file(name: str) -> str:
    return files("vqs.report.html").joinpath(name).read_text(encoding="utf-8")
