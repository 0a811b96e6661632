"""YAML text to plain values, as ``kubectl`` understands it, fast, and with a position for every complaint.

Scalars follow YAML 1.1: ``on``, ``off``, ``yes`` and ``no`` are booleans. Timestamps stay text, as do base-60 numbers.
Duplicate keys, tags that ask for code, aliases that expand without end, and absurd nesting are errors.

The text is composed into nodes by libyaml; nodes become values here, which is faster than the library's own way and
knows the position of what it refuses. References: sigs.k8s.io/yaml v1.6 and go.yaml.in/yaml/v2 (``resolve.go``).

What is wrong with a text that is no YAML, or nested too deeply, is said in words that no version of the parser changes:
libyaml has its own limits and its own texts, which differ between versions. Only the places that it names are used:
what stands there says what is wrong. A text that it refuses is searched for its nesting here; one that it reads costs
nothing.
"""

import base64
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from vqs.snapshot.reading.diagnostics import Path, Position
from vqs.snapshot.reading.kinds import is_list
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


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_PREFIX: Final = "tag:yaml.org,2002:"
STR: Final = f"{_PREFIX}str"
INT: Final = f"{_PREFIX}int"
FLOAT: Final = f"{_PREFIX}float"
BOOL: Final = f"{_PREFIX}bool"
NULL: Final = f"{_PREFIX}null"
_MERGE: Final = f"{_PREFIX}merge"
BINARY: Final = f"{_PREFIX}binary"
_MAP: Final = f"{_PREFIX}map"
_SEQ: Final = f"{_PREFIX}seq"

_DUPLICATE: Final = "duplicate-key"
_MAX_LINE: Final = 16 * 1024 * 1024
_MAX_EXPANSION: Final = 1_000_000
"""Limits far beyond any manifest: characters of a line, and values that aliases stand for."""

_INT: Final = re.compile(r"[-+]?(?:0|[1-9][0-9_]*|0[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+)", re.ASCII)
_FLOAT: Final = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|[-+]?\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)"
    r"|\.(?:nan|NaN|NAN)",
    re.ASCII,
)
_BOOLEANS: Final = ("true", "false", "yes", "no", "on", "off")
_SURELY_64_BITS: Final = 18
_64_BITS: Final = range(-(2**63), 2**64)
_WORDS: Final = {
    **{form: BOOL for word in _BOOLEANS for form in (word, word.title(), word.upper())},
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), NULL),
    "<<": _MERGE,
}
_TRUE: Final = frozenset({"true", "yes", "on", "y"})
_FALSE: Final = frozenset({"false", "no", "off", "n"})
_WHOLE: Final = re.compile(rf"{_INT.pattern}|[-+]?0o[0-7_]+", re.ASCII)
_NUMBER: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
"""What a whole number and another one can be written as where a tag says that it is one."""
_NOT_TEXT: Final = frozenset({word[:1] for word in _WORDS} | set("+-.0123456789"))
"""What a plain scalar that is no text can begin with."""

_BREAKS: Final = r"\r\n\x85\u2028\u2029"
_BLANK: Final = re.compile(rf"(?:(?:---|\.\.\.)?[ \t]*(?:#[^{_BREAKS}]*)?(?:\r?\n|[{_BREAKS}]|\Z))*")
_BOUNDARY: Final = re.compile(
    r"^(?P<begins>(?:%[^\n]*\n)*+---(?=[ \t\r\n]|\Z))|^(?:%[^\n]*\n)++|^(?P<ends>\.\.\.)[ \t\r]*(?:\n|\Z)", re.MULTILINE
)
_ITEMS: Final = re.compile(r"^items:[ \t]*\r?\n(?=( *)- )", re.MULTILINE)
_GROUP: Final = 100
_MAYBE_BARE: Final = re.compile(r"!(?:[\s,\]}<]|\Z)")
_PLAIN_FRACTION: Final = re.compile(r"(?=.{3,7}\Z)(?:0|[1-9][0-9]*)\.[0-9]*[1-9]", re.ASCII)
"""A number that Go writes as a key in the same way: of few digits, and without an exponent."""


class YamlErrors(Exception):  # noqa: N818 - it carries all errors of a text
    """A YAML text that cannot be used.

    Where all that is wrong is keys that are given twice, `values` has its documents with the last of each.
    """

    def __init__(self, problems: list[YamlProblem], values: Sequence[Any] = ()) -> None:
        super().__init__(problems)
        self.problems = problems
        self.values = values if all(problem.code == _DUPLICATE for problem in problems) else ()


def plain_tag(text: str) -> str:
    """What an unquoted scalar is."""
    if text[:1] not in _NOT_TEXT:
        return STR
    tag = _WORDS.get(text)
    if tag is not None:
        return tag
    if _INT.fullmatch(text):
        return INT if len(text) <= _SURELY_64_BITS else _tag_of_long(text)
    return number_tag(text) if _FLOAT.fullmatch(text) else STR


def number_tag(text: str) -> str:
    """What a number with a fraction or an exponent is: one that is too large for a double is text, as in Go."""
    digits = text.replace("_", "")
    return STR if digits.strip("+-.0123456789eE") == "" and math.isinf(float(digits)) else FLOAT


def _tag_of_long(text: str) -> str:
    """What a whole number of many digits is: one of more than 64 bits loses digits, or is text in other bases."""
    with suppress(ValueError):
        _int(text)
        return INT
    unsigned = text.lstrip("+-")
    return number_tag(text) if unsigned.replace("_", "").isdecimal() and unsigned[0] != "0" else STR


# --- text to nodes ----------------------------------------------------------------------------------------------------


class _Composer(_Loader):  # type: ignore[misc] # the base depends on how PyYAML was built
    """Composes nodes, with a short way to their tags and a limit to their depth."""

    def __init__(self, text: str, tag_of: Callable[[str], str]) -> None:
        super().__init__(text)
        self.tag_of = tag_of
        self.depth = 0

    def resolve(self, kind: type[Node], value: str, implicit: tuple[bool, bool]) -> str:
        if kind is ScalarNode:
            return self.tag_of(value) if implicit[0] else STR
        return _MAP if kind is MappingNode else _SEQ

    def descend_resolver(self, *_: object) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RecursionError

    def ascend_resolver(self) -> None:
        self.depth -= 1


def compose(text: str, tag_of: Callable[[str], str] = plain_tag) -> list[Node]:
    """The root node of each document in `text`, or raise `YamlErrors`."""
    start = 0
    while len(text) - start > _MAX_LINE:
        end = text.rfind("\n", start, start + _MAX_LINE)
        if end < 0:
            message = f"this line is longer than {_MAX_LINE // 2**20} MiB, which is too long for YAML"
            raise YamlErrors([YamlProblem("line-too-long", message, Position(text.count("\n", 0, start) + 1, 1))])
        start = end + 1
    composer = None
    try:
        composer = _Composer(text, tag_of)
        roots = []
        while composer.check_node():
            roots.append(composer.get_node())
    except yaml.YAMLError as error:
        raise YamlErrors([syntax_problem(error, text)]) from None
    except RecursionError:
        raise YamlErrors([too_deep(text)]) from None
    finally:
        if composer is not None:
            composer.dispose()
    if "*" in text and "&" in text:
        known: dict[int, _Expanded | None] = {}
        total = 0
        for root in roots:
            values, levels = _expanded(root, known)
            total += values
            if levels > MAX_DEPTH:
                message = f"its aliases are nested deeper than {MAX_DEPTH} levels"
                raise YamlErrors([YamlProblem("too-deep", message, position_of(root))])
            if total > _MAX_EXPANSION and total > 2 * len(known):
                message = f"its aliases expand to {total:,} values; at most {_MAX_EXPANSION:,} are read"
                raise YamlErrors([YamlProblem("alias-bomb", message, position_of(root))])
    if _MAYBE_BARE.search(text):
        # What has the tag ``!`` is text to Go, and a merge where it is ``<<``; libyaml's nodes do not tell.
        bare = [
            YamlProblem("unsupported-tag", "the YAML tag ! is not supported", place_of(token.start_mark), "remove it")
            for token in yaml.scan(text, _Loader)
            if isinstance(token, yaml.TagToken) and "".join(part or "" for part in token.value) == "!"
        ]
        if bare:
            raise YamlErrors(bare)
    return roots


def position_of(node: Node) -> Position:
    """Where a node begins."""
    return place_of(node.start_mark)


# --- nodes to values --------------------------------------------------------------------------------------------------


def load(text: str) -> list[Any]:
    """The value of each document in `text`, or raise `YamlErrors` with all that is wrong."""
    builder = _Builder()
    values = [builder.build(root) for root in compose(text)]
    if builder.problems:
        raise YamlErrors(builder.problems, values)
    return values


class _Builder:
    """Turns nodes into values and collects what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[YamlProblem] = []

    def build(self, node: Node) -> Any:
        """The value of a node; None for one that is refused."""
        if isinstance(node, ScalarNode):
            return node.value if node.tag == STR else self._scalar(node)
        if isinstance(node, MappingNode) and node.tag == _MAP:
            return self._mapping(node)
        if isinstance(node, SequenceNode) and node.tag == _SEQ:
            build = self.build
            return [build(child) for child in node.value]
        return self._refuse_tag(node)

    def _mapping(self, node: MappingNode) -> dict[str, Any]:
        build = self.build
        pairs = node.value
        keys = [key.value if key.tag == STR else self._key(key) for key, _ in pairs]
        different = set(keys)
        if len(different) != len(keys) or _MERGE_KEY in different:
            # Build a mapping with duplicate keys, which are refused, or a merge, which overrides the keys before it.
            result: dict[str, Any] = {}
            places: dict[str, Position] = {}
            for key, (key_node, value_node) in zip(keys, pairs, strict=True):
                if key is _MERGE_KEY:
                    sources = value_node.value if isinstance(value_node, SequenceNode) else [value_node]
                    merged: list[dict[str, Any]] = []
                    for source in sources:
                        if isinstance(source, MappingNode):
                            merged.append(self._mapping(source))
                        else:
                            self._refuse(source, "invalid-yaml", "only mappings can be merged with <<")
                    for mapping in reversed(merged):  # the first wins
                        result.update(mapping)
                    continue
                if key in places:
                    message = f"the key {key!r} is given twice, first on line"
                    self._refuse(key_node, _DUPLICATE, message, other=places[key])
                places.setdefault(key, position_of(key_node))
                result[key] = self.build(value_node)
            return result
        return {key: build(value) for key, (_, value) in zip(keys, pairs, strict=True)}

    def _key(self, key: Node) -> Any:
        """A key as text, as JSON knows no other keys; and something else for keys that are none."""
        if is_merge(key):
            return _MERGE_KEY
        text = _key_text(key)
        if text is None:
            self._refuse(key, "invalid-yaml", "a key must be text")
        return key if text is None else text

    def _scalar(self, node: ScalarNode) -> Any:
        """A scalar. Whole numbers are integers: in JSON, on the way to Kubernetes, ``2.0`` becomes ``2``."""
        try:
            value = scalar(node.tag, node.value)
            return self._number(node, value) if isinstance(value, float) else value
        except KeyError:
            return self._refuse_tag(node)
        except ValueError:
            return self._refuse(node, "invalid-yaml", f"cannot read {node.value[:40]!r} as {_short(node.tag)}")

    def _number(self, node: ScalarNode, value: float) -> float | None:
        if not math.isfinite(value):
            self._refuse(
                node, "invalid-yaml", f"{node.value} is not a number in JSON, so Kubernetes does not accept it"
            )
            return None
        return int(value) if value.is_integer() else value

    def _refuse_tag(self, node: Node) -> None:
        self._refuse(node, "unsupported-tag", f"the YAML tag {_short(node.tag)} is not supported", "remove it")

    def _refuse(self, node: Node, code: str, message: str, help_text: str = "", other: Position | None = None) -> None:
        self.problems.append(YamlProblem(code, message, position_of(node), help_text, other))


_MERGE_KEY: Final = object()
"""Stands for the merge key while a mapping is built."""


def is_merge(key: Node) -> bool:
    """True if a key merges other mappings into its own, at the place where it stands."""
    return bool(key.tag == _MERGE and key.value == "<<")


def scalar(tag: str, text: str) -> Any:
    """The value of a scalar. Raises KeyError for a tag that is not known, ValueError for a wrong text."""
    return _SCALARS[tag](text)


def _key_text(key: Node) -> str | None:
    """Write a key as Go's YAML library does on the way to JSON; None for one that cannot be a key."""
    if not isinstance(key, ScalarNode) or key.tag not in (STR, BOOL, INT, FLOAT, BINARY):
        return None
    try:
        value = scalar(key.tag, key.value)
    except ValueError:
        return None
    if isinstance(value, float) and not _PLAIN_FRACTION.fullmatch(key.value):
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def _int(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError("no whole number")
    digits = text.replace("_", "").lower()
    unsigned = digits.lstrip("+-")
    is_octal = len(unsigned) > 1 and unsigned[0] == "0" and unsigned.isdigit()
    number = int(digits, 8 if is_octal else 0)
    if number not in _64_BITS:
        raise ValueError("more than 64 bits")
    return number


def _float(text: str) -> float:
    """A number. A whole one is read as such first: to Go, ``!!float 010`` is 8."""
    if _WHOLE.fullmatch(text):
        with suppress(ValueError):
            return float(_int(text))
    digits = text.replace("_", "")
    if not (_NUMBER.fullmatch(digits) or _FLOAT.fullmatch(text)):
        raise ValueError("no number")
    return float(digits.lower().replace(".inf", "inf").replace(".nan", "nan"))


def _bool(text: str) -> bool:
    folded = text.lower()
    if text not in {folded, folded.title(), folded.upper()} or folded not in _TRUE | _FALSE:
        raise ValueError("no boolean")
    return folded in _TRUE


def _null(text: str) -> None:
    if _WORDS.get(text) != NULL:
        raise ValueError("not null")


def _binary(text: str) -> str:
    """The text that is written in base64, as Go does, which skips line breaks."""
    decoded = base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    return decoded.decode(errors="replace")


_SCALARS: Final[dict[str, Callable[[str], Any]]] = {
    STR: str,
    BINARY: _binary,
    INT: _int,
    FLOAT: _float,
    BOOL: _bool,
    NULL: _null,
    _MERGE: str,
}


def _short(tag: str) -> str:
    return tag.replace(_PREFIX, "!!")


# --- aliases ----------------------------------------------------------------------------------------------------------


class _Expanded(NamedTuple):
    """What a node stands for with all aliases written out: how many values, and on how many levels."""

    values: int = 1
    levels: int = 1


def _expanded(node: Node, known: dict[int, _Expanded | None]) -> _Expanded:
    """Count what a node stands for, visiting each node once."""
    found = known.get(id(node), _Expanded(0))
    if found is None:
        raise YamlErrors([YamlProblem("alias-bomb", "this value contains itself by an alias", position_of(node))])
    if found.values:
        return found
    known[id(node)] = None
    parts = node.value if isinstance(node, SequenceNode) else ()
    parts = chain.from_iterable(node.value) if isinstance(node, MappingNode) else parts
    children = [_expanded(child, known) for child in parts]
    whole = _Expanded(1 + sum(each.values for each in children), 1 + max((each.levels for each in children), default=0))
    known[id(node)] = whole
    return whole


# --- splitting --------------------------------------------------------------------------------------------------------


def document_spans(text: str) -> list[tuple[int, int]]:
    """The start and end of each document that holds anything.

    Documents are split before they are parsed, so that an error in one does not hide those in the next. The marker
    between them cannot occur inside of a document.
    """
    found = [match for match in _BOUNDARY.finditer(text) if match["begins"] or match["ends"]]
    bounds = sorted({0, *(match.end() if match["ends"] else match.start() for match in found), len(text)})
    return [
        (start, end)
        for start, end in pairwise(bounds)
        if (blank := _BLANK.match(text, start, end)) is None or blank.end() != end
    ]


def is_begun(text: str, start: int) -> bool:
    """True if a document begins with a marker, and directives before it."""
    match = _BOUNDARY.match(text, start)
    return match is not None and match["begins"] is not None


class Group(NamedTuple):
    """Some items of a List: the number of the first, how many there are, and where their text starts and ends."""

    first: int
    length: int
    start: int
    end: int


class ListSpans(NamedTuple):
    """Where the items of a List start, and where the last one ends; and the List without them."""

    bounds: list[int]
    head: dict[str, Any]

    def groups(self) -> Iterator[Group]:
        """Yield all items in groups."""
        return (self.group_of(first) for first in range(0, len(self.bounds) - 1, _GROUP))

    def group_of(self, index: int) -> Group:
        """The group that an item belongs to."""
        first = index - index % _GROUP
        last = min(first + _GROUP, len(self.bounds) - 1)
        return Group(first, last - first, self.bounds[first], self.bounds[last])


def split_list(text: str) -> ListSpans | None:
    """Split a List into its items by their indentation; return None for another document.

    Items parsed in groups take a quarter of the memory. A quoted text with odd line breaks can deceive the splitting;
    its pieces are then no valid YAML, or too few, and the caller reads the document as a whole.
    """
    opening = _ITEMS.search(text)
    if opening is None:
        return None
    indent, begin = opening[1], opening.end()
    after = re.compile(r"^[^\s#]" if indent else r"^[^\s#-]", re.MULTILINE).search(text, begin)
    end = after.start() if after else len(text)
    try:
        [head] = load(f"{text[: opening.start()]}items: []\n{text[end:]}")
    except YamlErrors:
        return None
    if not isinstance(head, dict) or not is_list(head):
        return None
    starts = [match.start() for match in re.compile(rf"^{indent}- ", re.MULTILINE).finditer(text, begin, end)]
    return ListSpans([*starts, end], head)


# --- positions --------------------------------------------------------------------------------------------------------


class Places:
    """Finds the nodes below a root; a mapping on the way to one is gone through once."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self._entries: dict[MappingNode, dict[str | int | None, tuple[Node, Node]]] = {}

    def find(self, path: Path) -> Node:
        """Follow `path` as far as it goes, and return the node it leads to."""
        node = self.root
        for step in path:
            if isinstance(node, SequenceNode) and isinstance(step, int):
                child = node.value[step] if step < len(node.value) else None
            elif isinstance(node, MappingNode):
                entry = self._entries_of(node).get(step)
                child = entry[1] if entry is not None else None
            else:
                child = None
            if child is None:
                break
            node = child
        return node

    def find_key(self, path: Path) -> Node:
        """The key that `path` ends in; the nearest value around it where there is none."""
        parent = self.find(path[:-1])
        if isinstance(parent, MappingNode) and path:
            return self._entries_of(parent).get(path[-1], (parent, parent))[0]
        return parent

    def _entries_of(self, node: MappingNode) -> dict[str | int | None, tuple[Node, Node]]:
        """The first key and the last value for each key that is text."""
        known = self._entries.get(node)
        if known is None:
            known = self._entries[node] = {}
            for key, value in node.value:
                text = _key_text(key)
                first = known.get(text, (key, value))[0]
                known[text] = first, value
        return known
