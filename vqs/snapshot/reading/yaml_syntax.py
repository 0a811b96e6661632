"""What is wrong with a text that is no YAML, or nested too deeply, in words that no version of the parser changes.

libyaml has its own limits and its own texts, which differ between versions. Only the places that it names are used:
what stands there says what is wrong. A text that it refuses is searched for its nesting here; one that it reads costs
nothing.
"""

import re
from typing import Final, NamedTuple

import yaml

from vqs.snapshot.reading.diagnostics import Position
from vqs.snapshot.reading.reach import MAX_DEPTH

_BREAK: Final = re.compile(r"\r\n|[\r\x85\u2028\u2029]")
_IN_BLOCK: Final = r"(?:[^ \t\n:#]|:(?![ \t\n]|\Z)|(?<![ \t\n])\#|[ \t]++(?!\Z|[#\n]|:(?:[ \t\n]|\Z)))++"
_IN_FLOW: Final = r"(?:[^ \t\n:#,\[\]{}]|:(?![ \t\n,\[\]{}]|\Z)|(?<![ \t\n])\#|[ \t\n]++(?![:#,\[\]{}]|\Z))++"
_COMMON: Final = r"""(?P<skipped>[ \t\ufeff]++|[#%][^\n]*+)
|(?P<open>[\[{])
|(?P<quoted>'(?:[^']|'')*+'?|"(?:[^"\\]|\\.)*+"?)
|(?P<property>[&*!][^ \t\n,\[\]{}]*+)"""
_BLOCK_TOKEN: Final = re.compile(
    rf"""{_COMMON}
|(?P<marker>^(?:---|\.\.\.)(?=[ \t\n]|\Z))
|(?P<indicator>[-?:](?=[ \t\n]|\Z))
|(?P<block>[|>][^\n]*+\n?)
|(?P<plain>{_IN_BLOCK})
|(?P<other>.)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_FLOW_TOKEN: Final = re.compile(
    rf"""{_COMMON}
|(?P<close>[\]}}])
|(?P<skipped_too>[:\n,]|[-?](?=[ \t\n]|\Z))
|(?P<plain>{_IN_FLOW})
|(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
_NEXT_LINE: Final = re.compile(rf"(?:[ \t]*+\n)++([ \t]*+)(?!(?:---|\.\.\.)(?:[ \t\n]|\Z)){_IN_BLOCK}")
_BLANK_LINES: Final = re.compile(r"(?: *+\n)*+( *+)")

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_ALIAS: Final = re.compile(r"\*[\w-]*")
_THINGS: Final = {
    "[": "the flow sequence",
    "{": "the flow mapping",
    '"': "the quoted scalar",
    "'": "the quoted scalar",
    "|": "the block scalar",
    ">": "the block scalar",
    "!": "the tag",
    "&": "the anchor",
    "*": "the alias",
    "%": "the directive",
}
"""What begins with a character; all else that can be open is a block."""
_WRONG: Final = {
    "[": "a comma or the closing ] is missing",
    "{": "a comma or the closing } is missing",
    '"': "here is an escape sequence that YAML does not know, or a line that ends the document",
    "'": "here is a line that ends the document",
}
"""What is wrong in something, by the character that it begins with."""
_MISPLACED: Final = "what begins here does not belong here"
_UNEXPECTED: Final = {
    ":": "a colon with a blank after it is not allowed here; put a text that has one in quotes",
    "-": "an item of a list cannot begin here",
    "?": "a key cannot begin here",
    "@": "a text that begins with @ needs quotes",
    "`": "a text that begins with ` needs quotes",
    "%": "a text that begins with % needs quotes",
    "]": "no flow sequence is open that this ] could close",
    "}": "no flow mapping is open that this } could close",
}
"""What is wrong where a character stands that nothing open around it expects."""


class YamlProblem(NamedTuple):
    """Something wrong in a YAML text; positions count from one, within that text.

    Where another place belongs to it, `text` ends in its line.
    """

    code: str
    text: str
    position: Position
    help: str = ""
    other: Position | None = None

    @property
    def message(self) -> str:
        """What is wrong, for a text that stands by itself."""
        return self.message_after(0)

    def message_after(self, lines: int) -> str:
        """Say what is wrong with a text that has some lines before it in its file."""
        return f"{self.text} {self.other.line + lines}" if self.other else self.text


def place_of(mark: yaml.Mark) -> Position:
    """The position of a mark of the parser."""
    return Position(mark.line + 1, mark.column + 1)


def too_deep(text: str) -> YamlProblem:
    """Name the line where a text becomes nested too deeply."""
    _, place = _Nesting(text).deepest()
    return YamlProblem(
        "too-deep", f"nested deeper than {MAX_DEPTH} levels", Position(text.count("\n", 0, place) + 1, 1)
    )


def syntax_problem(error: yaml.YAMLError, text: str) -> YamlProblem:
    """Say what is wrong with a text that the parser refuses."""
    mark, opened = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    if mark is None:
        # Describe a character that YAML does not allow; the library knows its offset, at best.
        match = _CONTROL.search(text)
        if match is None:
            message = "not valid YAML: it has a character that YAML does not allow"
            return YamlProblem("invalid-yaml", message, Position(1, 1))
        at = match.start()
        position = Position(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
        message = f"the control character U+{ord(match[0]):04X} is not allowed in YAML"
        return YamlProblem("invalid-yaml", message, position)
    end = text.find("\n", mark.index)
    read = text if end < 0 else text[:end]
    if _Nesting(read).deepest()[0] > MAX_DEPTH:  # the parser may look ahead of what it reads, to the end of the line
        return too_deep(read)
    if "\t" in text[max(0, mark.index - 1) : mark.index + 1]:
        return YamlProblem("invalid-yaml", "a tab cannot indent YAML", place_of(mark), "use blanks")
    if isinstance(error, yaml.composer.ComposerError) and (alias := _ALIAS.match(text, mark.index)):
        return _not_valid(f"undefined alias {alias[0]}: no anchor &{alias[0][1:]} comes before it", mark)
    here = text[mark.index : mark.index + 1]
    begun = text[opened.index : opened.index + 1] if opened else ""
    if opened is None or opened.index == mark.index or (here in "]}" and begun not in _THINGS):
        return _not_valid(_UNEXPECTED.get(here, _MISPLACED), mark)
    thing = _THINGS.get(begun, "the block collection")
    if mark.index >= len(text.rstrip()):
        return _not_valid(f"{thing} that begins here is not complete; the text ends in it", opened)
    wrong = _WRONG.get(begun, _MISPLACED)
    return _not_valid(f"{wrong}, in {thing} that began on line", mark, place_of(opened))


def _not_valid(wrong: str, mark: yaml.Mark, other: Position | None = None) -> YamlProblem:
    return YamlProblem("invalid-yaml", f"not valid YAML: {wrong}", place_of(mark), other=other)


class _Nesting:
    """Goes through the tokens of a text, and keeps what is open: blocks, by their columns, and brackets."""

    def __init__(self, text: str) -> None:
        self.text = _BREAK.sub(lambda match: "\n".rjust(len(match[0])), text)
        self.at = 0
        self.line = 0
        self.blocks = [-1]  # twice the column of each, and one more for a sequence: it is deeper than a mapping there
        self.brackets = 0
        self.key: int | None = None
        self.may_begin = True

    def deepest(self) -> tuple[int, int]:
        """The most levels that are open, and where they are; the search ends where they are too many."""
        most, place = 0, 0
        while self.at < len(self.text) and most <= MAX_DEPTH:
            start = self.at
            # Take the token at an offset.
            token = (_FLOW_TOKEN if self.brackets else _BLOCK_TOKEN).match(self.text, start)
            assert token is not None  # noqa: S101 - the last alternative takes any character
            self.at = token.end()
            kind, column = token.lastgroup, start - self.line
            if kind == "close":
                self.brackets -= 1
            if not self.brackets and kind not in ("close", "skipped", "other"):
                self._take_in_block(kind or "", token[0], column)
            if kind == "open":
                self.brackets += 1
            depth = len(self.blocks) - 1 + self.brackets
            if depth > most:
                most, place = depth, start
            end_of_line = self.text.rfind("\n", start, self.at)
            if end_of_line >= 0:
                self.line, self.key = end_of_line + 1, None
                self.may_begin = self.may_begin or not self.brackets
        return most, place

    def _take_in_block(self, kind: str, text: str, column: int) -> None:
        while self.blocks[-1] > 2 * column:
            self.blocks.pop()
        if kind == "marker":
            self.blocks, self.may_begin = [-1], False
        elif kind == "indicator":
            # Begin what an item or a key is in, unless it is begun; a value that follows its key begins nothing else.
            is_value = text == ":" and self.key is not None
            begun = 2 * column + (text == "-") if self.key is None else 2 * self.key
            if (is_value or self.may_begin) and begun > self.blocks[-1]:
                self.blocks.append(begun)
            self.key, self.may_begin = None, self.may_begin and not is_value
        elif kind == "block":
            # Skip the lines of a text that is written as a block.
            outer = self.blocks[-1] // 2
            digit = re.match(r"[|>][-+]?([1-9])", text)
            blank = _BLANK_LINES.match(self.text, self.at)
            found = len(blank[1]) if blank else 0
            indent = max(outer, 0) + int(digit[1]) if digit else max(found, outer + 1, 1)
            lines = re.compile(rf"(?: *+\n| {{{indent}}}[^\n]*+\n?)*+").match(self.text, self.at)
            self.at = lines.end() if lines else self.at
            self.may_begin = True
        else:
            if self.key is None and self.may_begin:
                self.key = column
            self.may_begin = False
            if kind == "plain":
                # Skip the lines on which a text without quotes goes on.
                while (more := _NEXT_LINE.match(self.text, self.at)) and 2 * len(more[1]) > self.blocks[-1]:
                    self.at = more.end()
