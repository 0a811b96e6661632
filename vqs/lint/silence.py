"""Silencing findings, each with a reason: in a comment, or in an annotation where there are no comments.

A comment ``# vqs: ignore[code, other-code] reason`` silences what is found on its line or, alone on its line, on the
line below. On the first line of an object, or on its ``metadata:``, it silences what is found in the whole object; on
the key or the first line of a configuration, or above these, what is found in all of that. In JSON, and in what
kubectl writes, the annotation ``vqs.volcano.sh/ignore: "code: reason; other-code: reason"`` does so. Codes may be
patterns with * and ?.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from vqs.snapshot.reading.diagnostics import Diagnostic, Guesser, Position, Severity
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.sources import Source

ANNOTATION: Final = "vqs.volcano.sh/ignore"
ANNOTATION_PATH: Final = ("metadata", "annotations", ANNOTATION)

_WILDCARDS: Final = frozenset("*?[")
_MARK: Final = "vqs:"
_VALUES: Final = re.compile(
    r"(?:(?<=[^\s\[{,:])[\"']"  # within a word: it's
    r"|(?<=\S)#"
    r'|"(?:\\.|[^"\\])*"'
    r"|'(?:''|[^'])*'"
    r"|[^\"'#])*+"
)
"""What stands on a line before a comment, or before a quotation that goes on on the next line."""
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#\s*vqs:\s*(?P<rest>ignore\b.*)$")
_IGNORE: Final = re.compile(r"ignore\s*\[(?P<codes>[^\]]*)\]\s*(?P<reason>.*)")
_EXAMPLE: Final = "# vqs: ignore[code] reason"
_EXAMPLE_ANNOTATION: Final = f'{ANNOTATION}: "code: reason"'


@dataclass(slots=True)
class Silence:
    """A wish not to hear of some findings.

    Attributes:
        codes: the codes of the findings, as names or patterns.
        reason: why; one without a reason has no effect.
        file: where it is said.
        position: where in that file.
        excerpt: what shows the place.
        line: the line that it is about; 0 for an annotation, which is about an object.
        example: how to write one.
        used: those of the codes that silenced something.
    """

    codes: tuple[str, ...]
    reason: str
    file: str
    position: Position
    excerpt: str
    line: int = 0
    example: str = _EXAMPLE
    used: set[str] = field(default_factory=set)

    def holds_for(self, code: str) -> bool:
        """Tell whether it is about findings of a code, and take note that there is one."""
        matching = [each for each in self.codes if each == code or _is_pattern_of(each, (code,))] if self.reason else []
        self.used.update(matching)
        return bool(matching)

    def faults(self, known: Collection[str], judged: Collection[str], guesser: Guesser) -> Iterator[Diagnostic]:
        """Yield what is wrong with it: `known` are the codes there are, `judged` those that were looked for."""
        if not self.codes:
            yield self._fault("silence-without-code", "warning", "it does not say what to silence", self._hint)
        elif not self.reason:
            named = ", ".join(self.codes)
            yield self._fault(
                "silence-without-reason", "warning", f"{named}: not silenced without a reason", self._hint
            )
        for code in self.codes:
            if code not in known and not _is_pattern_of(code, known):
                hint = guesser.hint(code)
                yield self._fault("silence-unknown-code", "warning", f"there is no rule {code!r}", hint)
            elif self.reason and code not in self.used and (code in judged or _is_pattern_of(code, judged)):
                yield self._fault("silence-unused", "note", f"there is nothing to silence here: {code}", "remove it")

    @property
    def _hint(self) -> str:
        return f"write {self.example}"

    def _fault(self, code: str, severity: Severity, message: str, hint: str) -> Diagnostic:
        return Diagnostic(
            code=code,
            severity=severity,
            message=message,
            file=self.file,
            line=self.position.line,
            column=self.position.column,
            help=hint,
            excerpt=self.excerpt,
        )


class Holding(NamedTuple):
    """A silence that is about a finding: because of its line, or as it is about the whole object."""

    silence: Silence
    by_line: bool


_Key = tuple[str, int] | tuple[int, object]
"""A line of a file, or an object."""


class Silences:
    """All that is silenced in some files and objects.

    Attributes:
        all: what is silenced, one by one.
        comments: what comments silence, with their files.
        annotated: what annotations silence, with the objects that have them.
        opening: what is silenced on the lines that open a configuration, with the object that it is in.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        self.all: list[Silence] = []
        self.comments: list[tuple[Source, Silence]] = []
        self.annotated: list[tuple[Origin, list[Silence]]] = []
        self.opening: list[tuple[Origin, list[Silence]]] = []
        self._about: dict[_Key, list[Silence]] = {}
        self._first_about: dict[tuple[_Key, str], Silence | None] = {}
        self._files: set[str] = set()
        for source in sources:
            for silence in _comments(source):
                self.all.append(silence)
                self.comments.append((source, silence))
                self._about.setdefault((silence.file, silence.line), []).append(silence)
                self._files.add(silence.file)

    def add_annotation(self, origin: Origin, metadata: Any) -> None:
        """Take in what the annotation of an object says, if it has one."""
        text = metadata.annotations.get(ANNOTATION)
        if text is None:
            return
        source, position = origin.document.source, origin.position(ANNOTATION_PATH)
        found = [
            Silence(codes, reason, source.name, position, source.excerpt(position), example=_EXAMPLE_ANNOTATION)
            for codes, reason in _entries(text)
        ]
        self.all += found
        self.annotated.append((origin, found))
        self._about.setdefault(key_of(origin), []).extend(found)

    def has_comments(self, file: str) -> bool:
        """Tell whether comments in a file silence anything."""
        return file in self._files

    def add_opening(self, origin: Origin, lines: range) -> None:
        """Take what is said on the lines that open a configuration for something said of all of it."""
        file = origin.document.source.name
        found = [silence for line in lines for silence in self._about.get((file, line), ())]
        self.opening.append((origin, found))
        self._about.setdefault(key_of(origin), []).extend(found)

    def holding(self, code: str, file: str, line: int, origin: Origin | None) -> list[Holding]:
        """Return what silences a finding: the first that does because of its line, the first that is about its object.

        All silences must have been taken in before.
        """
        found = [(self._first((file, line), code), True)] if line else []
        if origin is not None:
            keys: list[_Key] = [key_of(origin), *self._lines_of(origin)]
            found += [(self._first(key, code), False) for key in keys]
        return [Holding(silence, by_line) for silence, by_line in found if silence]

    def _first(self, key: _Key, code: str) -> Silence | None:
        """Return the first of what is said of a line or an object that is about a code; all that are take note."""
        if (key, code) not in self._first_about:
            there = [each for each in self._about.get(key, ()) if each.holds_for(code)]
            self._first_about[key, code] = there[0] if there else None
        return self._first_about[key, code]

    def _lines_of(self, origin: Origin) -> Iterable[tuple[str, int]]:
        """Return where something is said of an object as a whole: on its first line, and on its metadata."""
        file = origin.document.source.name
        if file not in self._files:
            return ()
        metadata = origin.document.locate_key((*origin.path, "metadata"))
        return dict.fromkeys(((file, origin.position().line), (file, metadata.line)))


def _is_pattern_of(code: str, known: Iterable[str]) -> bool:
    return bool(_WILDCARDS & set(code)) and any(fnmatchcase(each, code) for each in known)


def key_of(origin: Origin) -> tuple[int, object]:
    """Return what tells an object from all others."""
    return id(origin.document), origin.path


def _comments(source: Source) -> Iterator[Silence]:
    """Yield what the comments in a file silence."""
    marks = re.finditer(_MARK, source.text)
    following = 0
    for number in dict.fromkeys(source.position(mark.start()).line for mark in marks):
        line = source.line(number)
        match = _COMMENT.search(line, _comment_start(line))
        if match:
            following = max(following, _next_line(source, max(number, following - 1)))
            yield _comment(source, number, match, following)


def _comment_start(line: str) -> int:
    """Return where the comment on a line begins, or the end of the line: text in quotes is no comment."""
    values = _VALUES.match(line)
    end = values.end() if values else 0
    return end if line.startswith("#", end) else len(line)


def _comment(source: Source, number: int, match: re.Match[str], following: int) -> Silence:
    parsed = _IGNORE.fullmatch(match["rest"].strip())
    line = source.line(number)
    position = Position(number, match.start() + 1)
    return Silence(
        codes=_codes(parsed["codes"]) if parsed else (),
        reason=parsed["reason"].strip() if parsed else "",
        file=source.name,
        position=position,
        excerpt=source.excerpt(position),
        line=number if line[: match.start()].strip() else following,
    )


def _next_line(source: Source, number: int) -> int:
    """Return the line that a comment is about which stands alone: the first below it that is no comment."""
    following = number + 1
    while source.line(following).lstrip().startswith("#"):
        following += 1
    return following


def _entries(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the codes and the reason of each part of an annotation."""
    for part in text.rstrip("; ").split(";"):
        codes, _, reason = part.partition(":")
        yield _codes(codes), reason.strip()


def _codes(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(code.strip() for code in text.split(",") if code.strip()))
