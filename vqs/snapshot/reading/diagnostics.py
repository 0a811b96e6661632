"""What is wrong with an input, and where.

Reading never stops at the first error: a `Problems` takes them all, and raises one `InputErrors` at the end.
"""

import difflib
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from vqs import inert

Severity = Literal["error", "warning", "note"]
Path = tuple[str | int, ...]
"""The keys and indices that lead to a value in a document."""

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_EXCERPT_WIDTH: Final = 160
_ELLIPSIS: Final = "..."

TOO_MANY_ERRORS: Final = "too-many-errors"
MOST_SHOWN: Final = 1000
"""How many errors of an input are shown, and how many warnings and notes; more are counted."""

_MOST_LIKENESS: Final = 0.7
_WITHOUT_DIGITS: Final = str.maketrans("", "", "0123456789")
_LONGEST_GUESSED: Final = 256
_MOST_COMPARED: Final = 256
_MOST_GUESSED: Final = 5000
_MOST_WORK: Final = 20_000_000
"""A word longer than any name of Kubernetes is not guessed at, and a limited number of words is. Each is compared
with a limited number of choices. To compare two words costs the product of their lengths, if they have few letters."""


class Position(NamedTuple):
    """A place in a file; lines and columns count from one."""

    line: int
    column: int


class Diagnostic(Struct, kw_only=True, frozen=True):
    """One finding about the input. Line and column are 0, and `excerpt` is empty, where there is no such place.

    `message` says what is wrong, `help` what to do about it; `excerpt` shows the place, see `excerpt_of`. `jobs` names
    the PodGroups of the jobs that it is about, where it is about no others, and changes nothing for them.
    """

    code: str
    severity: Severity
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    path: str = ""
    help: str = ""
    excerpt: str = ""
    jobs: tuple[str, ...] = ()


class Defect(NamedTuple):
    """Something wrong with a value in an object, before it is known where that stands; `path` starts at the object."""

    code: str
    path: Path
    message: str
    hint: str = ""
    severity: Severity = "error"


class InputErrors(Exception):  # noqa: N818 - it carries all errors of an input
    """The input cannot be used. `diagnostics` holds the errors, and the warnings and notes met on the way.

    Of either it holds the first thousand; that there are more is one more of them.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = list(_bounded(list(diagnostics)))
        super().__init__("\n".join(render(diagnostic) for diagnostic in self.diagnostics))

    def __reduce__(self) -> tuple[type[Exception], tuple[list[Diagnostic]]]:
        """Go from one process to another with the diagnostics."""
        return InputErrors, (self.diagnostics,)


def _bounded(diagnostics: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield diagnostics as long as they are few, and count the others."""
    if len(diagnostics) <= MOST_SHOWN:
        yield from diagnostics
        return
    left = dict.fromkeys((True, False), MOST_SHOWN)
    for each in diagnostics:
        is_error = each.severity == "error"
        left[is_error] -= 1
        if left[is_error] >= 0:
            yield each
    if left[False] < 0:
        message = f"there are {-left[False]:,} more warnings and notes"
        yield Diagnostic(code=TOO_MANY_ERRORS, severity="note", message=message)
    if left[True] < 0:
        message = f"there are {-left[True]:,} more errors; the first {MOST_SHOWN:,} are shown"
        yield Diagnostic(code=TOO_MANY_ERRORS, severity="error", message=message)


class Problems:
    """A list of diagnostics that grows while input is read.

    Each is in it once: a value that is read again, because an alias names it or its document is read in another way,
    has the same faults again. `reported` counts those that came up again too. What has one of the codes
    in `ignored` is no problem where this is read. What is added is added to `onto` as well.
    """

    def __init__(self, ignored: Collection[str] = (), onto: "Problems | None" = None) -> None:
        self._onto = onto
        self._found: dict[Diagnostic, None] = {}
        self._ignored = ignored
        self.reported = 0

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong, in the order in which it was found."""
        return list(self._found)

    def add(self, diagnostic: Diagnostic) -> None:
        """Take one more."""
        if diagnostic.code in self._ignored:
            return
        self.reported += 1
        self._found.setdefault(diagnostic)
        if self._onto is not None:
            self._onto.add(diagnostic)

    def raise_errors(self) -> None:
        """Raise `InputErrors` if there is an error among the diagnostics."""
        if self.has_errors:
            raise InputErrors(self.diagnostics)

    @property
    def has_errors(self) -> bool:
        """Whether the input cannot be used."""
        return any(diagnostic.severity == "error" for diagnostic in self._found)


def render(diagnostic: Diagnostic) -> str:
    """Write a diagnostic for people: place, path, message and help, then the line of the file with a caret below.

    What names in it could do to a log is written out: they make no lines of their own, and no commands.

    >>> print(render(Diagnostic(code="wrong-type", severity="error", file="q.yaml", line=3, column=11,
    ...     path="$.spec.weight", message="expected a whole number", excerpt=excerpt_of("  weight: five", 11))))
    q.yaml:3:11: $.spec.weight: expected a whole number
        weight: five
                ^
    """
    place = ":".join(str(part) for part in (diagnostic.file, diagnostic.line, diagnostic.column) if part)
    kind = "" if diagnostic.severity == "error" else diagnostic.severity
    message = f"{diagnostic.message} ({diagnostic.help})" if diagnostic.help else diagnostic.message
    headline = inert.line(": ".join(part for part in (place, kind, diagnostic.path, message) if part))
    return "\n  ".join([headline, *diagnostic.excerpt.splitlines()])


def excerpt_of(text: str, column: int, begin: int = 0, end: int | None = None) -> str:
    """A line, or the part of a long one around a column, and a caret below that column.

    The line is what stands from `begin` to `end` of a text; it may be as long as a file, so no copy is made of it.
    """
    length = (len(text) if end is None else end) - begin
    column = max(1, min(column, length + 1))
    start = max(0, column - _EXCERPT_WIDTH // 2) if length > _EXCERPT_WIDTH else 0
    stop = min(start + _EXCERPT_WIDTH, length)
    window = text[begin + start : begin + stop].replace("\t", " ")
    head = _ELLIPSIS if start else ""
    tail = _ELLIPSIS if stop < length else ""
    return f"{head}{window}{tail}\n{' ' * (len(head) + column - start - 1)}^"


def path_text(path: Path) -> str:
    """Write a path as in JSONPath.

    >>> path_text(("items", 3, "metadata", "labels", "example.com/zone"))
    '$.items[3].metadata.labels["example.com/zone"]'
    """
    return "$" + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" if _PLAIN_KEY.fullmatch(step) else f"[{json.dumps(step)}]"
        for step in path
    )


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """``did you mean 'X'?`` for the choice that `word` was probably meant to be, or an empty text."""
    return Guesser(choices).hint(word)


def probably_meant(word: str, choices: Iterable[str]) -> str:
    """Return the choice that `word` was probably meant to be, and no other number of the same name; else nothing.

    >>> probably_meant("trian", ["train"]), probably_meant("train-3", ["train-2"])
    ('train', '')
    """
    return Guesser(choices).meant(word)


class Guesser:
    """Guesses which of some choices a word was meant to be.

    Where there are many, a word is compared with those only that would stand next to it in a dictionary, read from the
    front or from the back; so a thousand words among a thousand choices take no million comparisons. After some
    thousand words it has seen enough, and returns empty texts.
    """

    def __init__(self, choices: Iterable[str]) -> None:
        self._by_folded = {choice.casefold(): choice for choice in choices}
        self._dictionary: tuple[list[str], list[str]] | None = None
        self._left = _MOST_GUESSED
        self._work_left = _MOST_WORK

    def hint(self, word: str, fits: Callable[[str], bool] | None = None) -> str:
        """``did you mean 'X'?``, or an empty text where no choice, or none that fits, is much like the word."""
        nearest = self.nearest(word, fits)
        return f"did you mean {nearest!r}?" if nearest else ""

    def meant(self, word: str) -> str:
        """Return the choice that the word was probably meant to be, and no other number of the same name."""
        return self.nearest(word, differs_in_more_than_digits(word))

    def nearest(self, word: str, fits: Callable[[str], bool] | None = None) -> str:
        """Return the choice that is most like the word; empty where none, or none that fits, is much like it."""
        folded = word.strip().casefold()
        if len(folded) > _LONGEST_GUESSED or not self._left:
            return ""
        self._left -= 1
        near = [each for each in self._near(folded) if fits is None or fits(self._by_folded[each])]
        self._work_left -= len(folded) * sum(map(len, near))
        if self._work_left < 0:
            return ""
        close = difflib.get_close_matches(folded, near, n=1, cutoff=_MOST_LIKENESS)
        return self._by_folded[close[0]] if close else ""

    def _near(self, folded: str) -> Iterable[str]:
        """The choices to compare a word with, short enough all of them."""
        if len(self._by_folded) <= _MOST_COMPARED:
            return (each for each in self._by_folded if len(each) <= 2 * _LONGEST_GUESSED)
        if self._dictionary is None:
            known = [each for each in self._by_folded if len(each) <= 2 * _LONGEST_GUESSED]
            self._dictionary = sorted(known), sorted(each[::-1] for each in known)
        from_front, from_back = self._dictionary
        behind = (each[::-1] for each in _around(from_back, folded[::-1]))
        return dict.fromkeys([*_around(from_front, folded), *behind])


def differs_in_more_than_digits(word: str) -> Callable[[str], bool]:
    """Return what is true of another word than this one with other digits: pool-2 is not probably meant by pool-1."""
    stem = word.translate(_WITHOUT_DIGITS)
    return lambda other: other.translate(_WITHOUT_DIGITS) != stem


def _around(ordered: Sequence[str], word: str) -> Iterator[str]:
    """Yield the entries of a dictionary before and behind a word."""
    first = max(0, bisect_left(ordered, word) - _MOST_COMPARED // 4)
    return islice(ordered, first, first + _MOST_COMPARED // 2)


def one_of(choices: Iterable[str]) -> str:
    """Enumerate what is allowed.

    >>> one_of(["Open", "Closed", "Unknown"])
    'Open, Closed or Unknown'
    """
    *most, last = choices
    return f"{', '.join(most)} or {last}" if most else last
