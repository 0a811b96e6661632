"""The words that names are made of.

Letters and digits make words; everything else stands between them and stays. Three things are one word although there
are others in them: a UUID, a run of numbers that is an address, a version or a date, and a name that is looked for as a
whole. A short number by itself is no word but an index, and stays too: Volcano's controller counts pods by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from vqs.anonymize.vocabulary import DEFAULT_TASK, FIXED_NAMES, FIXED_WORDS, INTEGER
from vqs.model.quantity import whole_number

_BETWEEN: Final = r"\x00-/:-@\[-`{-\x7f"
_ALONE: Final = (rf"(?:(?<=[{_BETWEEN}])|\A)", rf"(?=[{_BETWEEN}]|\Z)")

WORD: Final = re.compile(rf"[^{_BETWEEN}]+")
"""A word as such, whatever it is a part of."""

_FIXED: Final = "|".join(re.escape(name) for name in FIXED_NAMES)
_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_RUN: Final = r"[0-9]+(?:\.[0-9]+){2,}|[0-9]{1,3}(?:-[0-9]{1,3}){3,}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
_PART: Final = re.compile(
    rf"(?P<fixed>(?<![A-Za-z0-9-])(?:{_FIXED})(?![A-Za-z0-9-]|\.[A-Za-z0-9]))"
    rf"|{_ALONE[0]}(?:(?P<whole>{_UUID})|(?P<run>{_RUN})){_ALONE[1]}"
    rf"|(?P<word>{WORD.pattern})"
)
RUN: Final = re.compile(rf"{_ALONE[0]}(?:{_RUN}){_ALONE[1]}")

_SHORT: Final = 4
"""A number of at most this many digits is an index."""


@dataclass(slots=True)
class Vocabulary:
    """The words of some snapshots.

    Attributes:
        words: those that are to be renamed.
        fixed: those that stay.
        sorted_among: public texts that others have to stay before or after.
        numbers: the labels whose values are compared as numbers.
        highest: the highest index that a controller may give a pod.
    """

    words: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=lambda: {*FIXED_WORDS})
    sorted_among: set[str] = field(default_factory=lambda: {*FIXED_WORDS, *WORD.findall(" ".join(FIXED_NAMES))})
    numbers: set[str] = field(default_factory=set)
    highest: int = 0

    def stays(self, word: str) -> bool:
        """True if a word is written as it is."""
        return word in self.fixed or self.is_index(word) or DEFAULT_TASK.fullmatch(word) is not None

    def is_index(self, word: str) -> bool:
        """True if a word is a number that may tell pods apart."""
        if not (word.isascii() and word.isdigit()):
            return False
        if len(word) <= _SHORT:
            return True
        number = whole_number(word)
        return word[0] != "0" and number is not None and number <= self.highest


class Collector:
    """Takes note of all words."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._seen: set[str] = set()
        self._made: set[str] = set()
        self._kept: set[str] = set()

    def name(self, text: str) -> str:
        """Take note of the words of a text."""
        if text not in self._seen:
            self._seen.add(text)
            self._add(text, runs=True)
        return text

    def made_name(self, text: str) -> str:
        """Take note of the words of a name; none of its numbers are taken for an address."""
        if text not in self._seen and text not in self._made:
            self._made.add(text)
            self._add(text, runs=False)
        return text

    def keep(self, text: str, *, sorts: bool = False) -> str:
        """Take note of what others are sorted among."""
        if sorts and text not in self._kept:
            self._kept.add(text)
            self.vocabulary.sorted_among.add(text)
        return text

    def compares_numbers(self, key: str) -> None:
        """Take note of a label."""
        self.vocabulary.numbers.add(key)

    def is_number(self, key: str, value: str) -> bool:
        """True if the value of a label is a number, and known to be compared with others by now."""
        return key in self.vocabulary.numbers and INTEGER.fullmatch(value) is not None

    def _add(self, text: str, *, runs: bool) -> None:
        for match in _PART.finditer(text):
            part, kind = match[0], match.lastgroup
            if kind == "whole" or (kind == "run" and runs):
                self.vocabulary.words.add(part)
            words = part.replace("-", ".").split(".") if kind == "run" else [part] if kind == "word" else []
            for word in words:
                if self.vocabulary.is_index(word):
                    self.vocabulary.sorted_among.add(word)
                elif not self.vocabulary.stays(word):
                    self.vocabulary.words.add(word)


class Renamer:
    """Writes texts in other words, and takes note of all that it leaves as it is."""

    def __init__(self, fakes: Mapping[str, str], vocabulary: Vocabulary) -> None:
        self._fakes = fakes
        self._vocabulary = vocabulary
        self.names: dict[str, str] = {}
        self.long_numbers: set[tuple[str, str]] = set()
        self.kept = {*vocabulary.fixed}

    def name(self, text: str) -> str:
        """A text with a fake for each word."""
        known = self.names.get(text)
        if known is None:
            known = self.names[text] = _PART.sub(self._renamed, text)
        return known

    made_name = name

    def keep(self, text: str, *, sorts: bool = False) -> str:  # noqa: ARG002 - for those who take note of it
        """Leave a text as it is."""
        self.kept.add(text)
        return text

    def compares_numbers(self, key: str) -> None:
        """Do nothing; that is known."""

    def is_number(self, key: str, value: str) -> bool:
        """True if the value of a label is a number that is compared with others, and take note of a long one."""
        if key not in self._vocabulary.numbers or not INTEGER.fullmatch(value):
            return False
        if len(value.lstrip("+-")) > _SHORT:
            self.long_numbers.add((key, value))
        return True

    def _renamed(self, match: re.Match[str]) -> str:
        part = match[0]
        if match.lastgroup == "fixed":
            return part
        fake = self._fakes.get(part)
        if fake is not None:
            return fake
        if match.lastgroup == "run":
            return "".join(self._run(part))
        if self._vocabulary.stays(part):
            return part
        raise KeyError(part)

    def _run(self, text: str) -> Iterator[str]:
        """Write a run of numbers, in which there may be a shorter one that is known."""
        pieces = re.split("([-.])", text)
        while pieces:
            for end in range(len(pieces), 0, -2):
                fake = self._fakes.get("".join(pieces[:end]))
                if fake is not None or end == 1:
                    yield fake or pieces[0]
                    yield "".join(pieces[end : end + 1])
                    pieces = pieces[end + 1 :]
                    break


Naming = Collector | Renamer
"""What to do with the texts of a snapshot: collect them, or replace them."""
