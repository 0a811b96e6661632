"""The reference pages, made from the program: commands, verdicts, lint rules and documents; and the manual page."""

from __future__ import annotations

import io
import os
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from tests.docs.examples import ROOT
from tests.pages import PAGES, WIDTHS, picture_of
from vqs import __version__
from vqs.cli.app import COMMANDS
from vqs.cli.commands.schema import Document
from vqs.cli.main import main
from vqs.config.scheduler_conf import built_in_configuration
from vqs.explain.plugins.outcome import ActionResult, PluginResult
from vqs.explain.plugins.report import plugin_report
from vqs.explain.releases import version_report
from vqs.explain.verdict_rules import VERDICT_RULES, VerdictRule
from vqs.lint.registry import RULES
from vqs.lint.rule import Rule
from vqs.report import schema
from vqs.report.plugins import described, flat

FOLDER: Final = ROOT / "docs" / "reference"
GALLERY: Final = ROOT / "docs" / "gallery.md"
MANUAL: Final = ROOT / "docs" / "man" / "vqs.1"
COMPLETIONS: Final = {
    "bash": ROOT / "docs" / "completion" / "vqs.bash",
    "zsh": ROOT / "docs" / "completion" / "_vqs",
    "fish": ROOT / "docs" / "completion" / "vqs.fish",
}
_WIDTH: Final = "80"
_DENIERS: Final = {"apiserver": "the API server", "webhook": "Volcano's webhook"}
_MADE: Final = "<!-- Made by .ci/docs: change the program, not this page. -->"


def pages() -> dict[Path, str]:
    """Return the text of each file that is made."""
    return {path: make() for path, make in makers().items()}


def makers() -> dict[Path, Callable[[], str]]:
    """Return the files that are made, each with what makes its text."""
    return {
        FOLDER / "commands.md": lambda: _joined(_commands()),
        FOLDER / "verdicts.md": lambda: _joined(_verdicts()),
        FOLDER / "lint-rules.md": lambda: _joined(_lint_rules()),
        FOLDER / "plugins.md": lambda: _joined(_plugins()),
        FOLDER / "behaviours.md": lambda: _joined(_behaviours()),
        FOLDER / "documents.md": lambda: _joined(_documents()),
        GALLERY: lambda: _joined(_gallery()),
        MANUAL: _manual,
        **{path: partial(_completion, shell) for shell, path in COMPLETIONS.items()},
    }


def _joined(blocks: Iterable[str]) -> str:
    return "\n\n".join([_MADE, *blocks]) + "\n"


def _said(arguments: list[str]) -> str:
    """Return what vqs prints, without the environment of whoever makes the pages."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VQS_")}
    shown = io.StringIO()
    with patch.dict(os.environ, {**kept, "COLUMNS": _WIDTH}, clear=True), redirect_stdout(shown):
        main(arguments)
    return "\n".join(line.rstrip() for line in shown.getvalue().splitlines()).strip("\n")


# --- the gallery ------------------------------------------------------------------------------------------------------


def _gallery() -> Iterator[str]:
    yield "# Gallery"
    yield "The first screen of each [HTML report](html-report.md): on a desktop, on a tablet, and a phone in the dark."
    for name, shown in PAGES.items():
        yield f"## {name[0].upper()}{name[1:]}"
        yield f"`vqs {shlex.join(shown.arguments)} --format html`"
        yield "\n".join(f"![{name}, {width} pixels wide]({picture_of(name, width)})" for width in WIDTHS)


# --- commands ---------------------------------------------------------------------------------------------------------


def _commands() -> Iterator[str]:
    yield "# Commands"
    yield "What `vqs COMMAND --help` prints. `kubectl vqs COMMAND` is the same."
    yield _table(("command", "what it does"), [(f"[`{name}`](#vqs-{name})", text) for name, text in COMMANDS.items()])
    yield "## vqs"
    yield _literal(_said(["--help"]))
    for name in COMMANDS:
        yield f"## vqs {name}"
        yield _literal(_said([name, "--help"]))


def _manual() -> str:
    """Return the manual page in roff: the help of all commands."""
    lines = [
        f'.TH VQS 1 "" "vqs {__version__}" "User Commands"',
        ".SH NAME",
        "vqs \\- what the Volcano scheduler would do next, pod by pod, and why",
        ".SH COMMANDS",
        *_roff(_said(["--help"])),
    ]
    for name in COMMANDS:
        lines += [f'.SH "VQS {name.upper()}"', *_roff(_said([name, "--help"]))]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> list[str]:
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return [".nf", *(f"\\&{line}" if line.startswith(".") else line for line in escaped.splitlines()), ".fi"]


def _completion(shell: str) -> str:
    return _said(["--show-completion", shell]) + "\n"


# --- verdicts ---------------------------------------------------------------------------------------------------------


def _verdicts() -> Iterator[str]:
    yield "# Verdicts"
    yield (
        "Every task that has no place has a verdict. They are listed in the order in which a task meets them; "
        "`vqs rule CODE` shows the same text."
    )
    rows = [(f"[`{rule.code}`](#{rule.code})", rule.title) for rule in VERDICT_RULES.values()]
    yield _table(("code", "what it says"), rows)
    for rule in VERDICT_RULES.values():
        yield from _verdict(rule)


def _verdict(rule: VerdictRule) -> Iterator[str]:
    yield f"## {rule.code}"
    yield f"{_capital(_inert(rule.title))}."
    yield _inert(rule.meaning)
    yield from _sections({"Why": rule.why, "What to do": rule.remedy, "Example": rule.example})


# --- lint rules -------------------------------------------------------------------------------------------------------


def _lint_rules() -> Iterator[str]:
    yield "# Lint rules"
    yield "What `vqs lint` finds; `vqs rule CODE` shows the same text. [Lint](../lint.md) says how to silence one."
    groups: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in RULES.values():
        groups[_group(rule)].append(rule)
    for group in sorted(groups):
        yield f"## {_capital(group)}"
        rows = [(f"[`{rule.code}`](#{rule.code})", rule.severity.name.lower(), rule.title) for rule in groups[group]]
        yield _table(("code", "severity", "what it finds"), rows)
        for rule in groups[group]:
            yield from _lint_rule(rule)


def _group(rule: Rule) -> str:
    """Return the folder that a rule is in; what reading finds has no check."""
    return rule.check.__module__.split(".")[-2] if rule.check else "reading"


def _lint_rule(rule: Rule) -> Iterator[str]:
    denied = f", denied by {_DENIERS[rule.denied]}" if rule.denied else ""
    yield f"### {rule.code}"
    yield f"{_capital(_inert(rule.title))} ({rule.severity.name.lower()}{denied})."
    yield _inert(rule.meaning)
    yield from _sections({"Why": rule.why, "What to do": rule.fix, "Example": rule.example})
    yield f"**Source:** `{rule.source}`"


# --- plugins and actions ----------------------------------------------------------------------------------------------


def _plugins() -> Iterator[str]:
    report = plugin_report(built_in_configuration())
    parts: list[PluginResult | ActionResult] = [*report.plugins, *report.actions]
    yield "# Plugins and actions"
    yield "What each decides, and what it reads; `vqs plugins NAME` shows the same. [Plugins](../plugins.md) says more."
    yield _table(("name", "what it does"), [(f"[`{each.name}`](#{each.name})", each.title) for each in parts])
    for each in parts:
        yield from _plugin(each)


def _plugin(part: PluginResult | ActionResult) -> Iterator[str]:
    yield f"## {part.name}"
    yield f"{_capital(_inert(part.title))}."
    yield from (text if text.startswith(("- ", "* ")) else _inert(text) for text in part.description)
    if isinstance(part, PluginResult):
        points = [(f"`{point.point}`", f"`{point.flag}`" if point.flag else "always on") for point in part.points]
        if points:
            yield _table(("extension point", "flag"), points)
    if part.arguments:
        arguments = [(f"`{name}`", each.default or "none", described(each)) for name, each in flat(part.arguments)]
        yield _table(("argument", "default", "what it has to be"), arguments)
    if part.verdicts:
        yield _table(("code", "what it says"), [(f"`{said.says}`", said.meaning) for said in part.verdicts])
    if isinstance(part, PluginResult) and part.reasons:
        rows = [(f"`{said.says}`", said.meaning) for said in part.reasons]
        yield _table(("reason in fit errors", "what it means"), rows)
    if part.source:
        yield f"**Source:** `{part.source}`"


# --- behaviours of releases -------------------------------------------------------------------------------------------


def _behaviours() -> Iterator[str]:
    report = version_report()
    names = tuple(each.name for each in report.releases)
    yield "# Behaviours of releases"
    yield (
        "In what the releases of Volcano differ that are modelled; `vqs versions` shows the same. "
        "[Releases](../releases.md) says more."
    )
    for area in dict.fromkeys(each.area for each in report.behaviours):
        yield f"## {area.replace('_', ' ')}"
        for each in report.behaviours:
            if each.area == area:
                yield f"### {each.name}"
                yield _inert(each.decides)
                yield _table(names, [tuple(f"`{each.values[name]}`" for name in names)])
                for head, value in each.heads.items():
                    yield f"At the head of the branch, {head}: `{value}`"
                for value, where in each.proposals.items():
                    yield f"Proposed: `{value}`, {_inert(where)}"
                yield f"**Why it changed:** {_inert(each.why)}"
                yield f"**Source:** `{each.source}`"


# --- documents --------------------------------------------------------------------------------------------------------


def _documents() -> Iterator[str]:
    yield "# Documents"
    yield "What `--format json` writes, and what vqs reads. `vqs schema NAME` prints the whole JSON Schema."
    for document in Document:
        made = schema.of_document(document)
        yield f"## {document}"
        if made.get("description"):
            yield _inert(str(made["description"]))
        body = _resolved(made, made)
        rows = [(f"`{name}`", _type(value), _about(value, made)) for name, value in body.get("properties", {}).items()]
        yield _table(("key", "type", "what it is"), rows)


def _resolved(part: Mapping[str, Any], whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a part of a schema refers to, or else the part."""
    if "$ref" not in part:
        return part
    found: Any = whole
    for step in str(part["$ref"]).removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)


def _type(value: Mapping[str, Any]) -> str:
    """Return the type of a value in words."""
    if "$ref" in value:
        return str(value["$ref"]).rpartition("/")[2]
    if "anyOf" in value:
        return " or ".join(sorted(dict.fromkeys(map(_type, value["anyOf"])), key=lambda name: name == "null"))
    if "enum" in value:
        return " or ".join(f"`{each}`" for each in value["enum"])
    kind = value.get("type", "any")
    if kind == "array":
        return f"array of {_type(value.get('items') or {})}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _about(value: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """Return the first line of what a schema says about a value, or about each item of an array."""
    described = [value, _resolved(value, whole), _resolved(value.get("items") or {}, whole)]
    return next((str(each["description"]).partition("\n")[0] for each in described if each.get("description")), "")


# --- Markdown ---------------------------------------------------------------------------------------------------------


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return _inert(text).replace("|", "\\|") if not text.startswith(("[", "`")) else text


def _sections(sections: Mapping[str, str]) -> Iterator[str]:
    for title, text in sections.items():
        if "\n" in text:
            yield f"**{title}:**"
            yield _literal(text)
        elif text:
            yield f"**{title}:** {_inert(text)}"


def _literal(text: str) -> str:
    return f"```text\n{text}\n```"


def _inert(text: str) -> str:
    """Return a text in which Markdown finds no markup, but for code."""
    parts = text.split("`")
    return "`".join(part if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _escaped(text: str) -> str:
    for character in "\\*_<[]":
        text = text.replace(character, f"\\{character}")
    return text


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
