r"""Texts that no runner of a pipeline takes for a command, in the notation of each format.

Whoever writes a name, a comment or a file name writes into the log of whoever runs vqs. GitHub's runner acts on a line
that begins with ``::``, blanks left aside, and on ``##[`` anywhere; Azure's acts on ``##vso[``, TeamCity's on
``##teamcity[``, and GitLab's on ``section_start:`` and ``section_end:`` with a time. Characters without a shape of
their own move the cursor, break lines, or turn what is read around. One character of each is written out: where a
format has an escape for it, by that, so that what is read back is the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

Escape = Callable[[str], str]
"""Writes a character out."""

_MARK: Final = re.compile(r"#(?=#\w*\[)|(?<=section_start):(?=\d)|(?<=section_end):(?=\d)")
"""What makes a command wherever it stands."""
_HINTS: Final = ("##", "section_")
"""One of these is in every text that has such a mark: to look for them is faster."""
_START: Final = re.compile(r"^([^\S\n]*)(:)(?=:)", re.MULTILINE)
"""What makes a command where a line begins."""
_ORDER: Final = re.compile(r"^([^\S\n]*)(/)(?=[A-Za-z][\w-]*(?:[^\S\n]|$))", re.MULTILINE)
"""What makes a comment give an order to GitLab, and to bots: ``/approve`` where a line begins."""
_ESCAPED: Final = re.compile(r'\\(?:["\\/]|(u[0-9a-f]{4}|[bfnrt]))')
"""What stands for a character in JSON; where it is one without a shape, the group has found it."""
_UNUSUAL: Final = re.compile(r"[^\n -~]+")


def name(text: str) -> str:
    r"""A text that stands in a line, with all written out that has no shape of its own, and marks of commands.

    >>> print(name("gpu\x1b[31m ##[error]"))
    gpu\x1b[31m \x23#[error]
    """
    if not text.isprintable():
        text = "".join(each if each.isprintable() else written_out(each) for each in text)
    return _unmarked(text, written_out)


def line(text: str) -> str:
    r"""A whole line of text.

    >>> print(line("  ::error::Approved"))
      \x3a:error::Approved
    """
    return _started(name(text), written_out)


def offsets(text: str) -> list[int]:
    """Where in a line the characters are that have to be written out."""
    start = _START.match(text)
    unseen = () if text.isprintable() else (place for place, each in enumerate(text) if not each.isprintable())
    return sorted({*unseen, *(mark.start() for mark in _marks(text)), *([start.start(2)] if start else [])})


def json(text: str) -> str:
    r"""A document in JSON that means the same.

    >>> print(json('{"name": "##[error]"}'))
    {"name": "\u0023#[error]"}
    """
    return _seen(_unmarked(text, _in_json), _in_json)


def shown(text: str) -> str:
    r"""A document in JSON, in one line, in which every text is as `name` writes it.

    >>> print(shown(r'["a\u001b[31m\n \\n"]'))
    ["a\\x1b[31m\\n \\n"]
    """
    text = _ESCAPED.sub(
        lambda found: _doubled(found[0].encode().decode("unicode_escape")) if found[1] else found[0], text
    )
    return _seen(_unmarked(text, _doubled), _doubled)


def copied(text: str) -> str:
    """A text of any format: JSON means the same, and in the others it can be seen what was written out."""
    lines = (_started(part, _in_json) for part in text.split("\r\n"))
    return "\r\n".join(map(json, lines))


def yaml(text: str) -> str:
    """A document in YAML that means the same, if what `needs_quotes` stands in double quotes there."""
    return _seen(_unmarked(text, written_out), written_out)


def needs_quotes(text: str) -> bool:
    """True if something in a text has to be written out in YAML, which it can be in double quotes only."""
    return not text.replace("\n", "").isprintable() or bool(_START.search(text) or _marks(text))


def markup(text: str) -> str:
    r"""A document in XML or HTML; what has no shape is written out as it is for people.

    >>> print(markup("<b>##[error]</b>"))
    <b>&#35;#[error]</b>
    """
    return _seen(_started(_unmarked(text, _in_markup), _in_markup), written_out)


def markdown(text: str) -> str:
    r"""A document in markdown; a backslash before a mark does not show there.

    >>> print(markdown("::error::Approved"))
    \::error::Approved
    """
    text = _started(_unmarked(text, written_out), _in_markdown)
    return _seen(_ORDER.sub(lambda start: start[1] + _in_markdown(start[2]), text), written_out)


def written_out(character: str) -> str:
    r"""Write a character out as people see it, and as YAML has it in double quotes.

    >>> print(written_out("#"), written_out("\u202e"))
    \x23 \u202e
    """
    if character.isascii() and character.isprintable():
        return f"\\x{ord(character):02x}"
    return character.encode("unicode_escape").decode()


def _in_json(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def _doubled(character: str) -> str:
    return written_out(character).replace("\\", "\\\\")


def _in_markup(character: str) -> str:
    return f"&#{ord(character)};"


def _in_markdown(character: str) -> str:
    return f"\\{character}"


def _marks(text: str) -> list[re.Match[str]]:
    return [*_MARK.finditer(text)] if any(hint in text for hint in _HINTS) else []


def _unmarked(text: str, escape: Escape) -> str:
    """Write out what makes a command wherever it stands."""
    return _MARK.sub(lambda mark: escape(mark[0]), text) if any(hint in text for hint in _HINTS) else text


def _started(text: str, escape: Escape) -> str:
    """Write out what makes a command where a line begins, and keep the blanks before it."""
    return _START.sub(lambda start: start[1] + escape(start[2]), text) if "::" in text else text


def _seen(text: str, escape: Escape) -> str:
    """Write out what has no shape of its own, the ends of lines apart."""
    if text.replace("\n", "").isprintable():
        return text
    return _UNUSUAL.sub(
        lambda run: run[0] if run[0].isprintable() else "".join(c if c.isprintable() else escape(c) for c in run[0]),
        text,
    )
