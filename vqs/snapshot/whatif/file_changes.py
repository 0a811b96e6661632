"""What to change in the files for fields of objects to have other values: only the lines around these change.

Comments stay where they are, and so does the order of keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from difflib import SequenceMatcher, unified_diff
from itertools import accumulate
from typing import Any, Final, NamedTuple

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode

from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.documents import Document
from vqs.snapshot.reading.json_text import looks_like_json
from vqs.snapshot.reading.sources import Source

_WIDE: Final = 10**6
"""Wider than any line, so that no value is folded."""


_LONGEST: Final = 400
"""A longer line is not for people to read, such as that of a file without line breaks."""

_LARGEST: Final = 500_000
"""A document of more characters was not written by hand, and it takes seconds to find a place in it."""


class CannotChange(Exception):  # noqa: N818 - it is the text that cannot be changed
    """A value is not written where it would have to be changed: an alias stands for it, or a text of another form."""


class InFiles(NamedTuple):
    """What is to be changed in files.

    Attributes:
        lines: the lines that are to be changed or come in, each as ``file:line: text``.
        diff: all of it as a unified diff, as ``patch -p0`` and ``git apply -p0`` read it.
    """

    lines: list[str]
    diff: str


class FileChanges:
    """Collects changes of documents, and tells what becomes of the files."""

    def __init__(self) -> None:
        self._texts: dict[Source, dict[Document, str]] = {}
        self._added: dict[Source, str] = {}

    def text(self, document: Document) -> str:
        """The text of a document, with what was changed in it so far."""
        return self._texts.get(document.source, {}).get(document, document.text)

    def set(self, document: Document, path: Path, value: Any) -> None:
        """Give the value at a path of a document another value.

        Raises:
            CannotChange: it cannot be done in the text, or the text is too large, or one long line.
        """
        text = self.text(document)
        if len(text) > _LARGEST or (len(text) > _LONGEST and "\n" not in text.strip()):
            raise CannotChange
        self._texts.setdefault(document.source, {})[document] = with_value(text, path, value)

    def add(self, source: Source, value: Mapping[str, Any]) -> None:
        """Add a document at the end of a YAML file."""
        self._texts.setdefault(source, {})
        self._added[source] = f"{self._added.get(source, '')}---\n{block(value)}\n"

    def _files(self) -> Iterator[tuple[str, list[str], list[str]]]:
        """Yield the name of each file, its lines, and what becomes of them."""
        for source, texts in self._texts.items():
            old = new = source.text
            for document in sorted(texts, key=lambda each: each.start, reverse=True):
                new = new[: document.start] + texts[document] + new[document.end :]
            if added := self._added.get(source):
                new = f"{new.rstrip()}\n{added}"
            yield source.name, old.splitlines(keepends=True), new.splitlines(keepends=True)

    def in_files(self) -> InFiles | None:
        """What becomes of the files; None where a line that changes is longer than a person reads."""
        files = [*self._files()]
        diff = "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for name, old, new in files
            for line in unified_diff(old, new, name, name)
        )
        if any(len(line) > _LONGEST for line in diff.splitlines() if line.startswith(("+", "-"))):
            return None
        lines = [
            f"{name}:{first + 1}: {'; '.join(line.strip() for line in new[begin:end]) or 'remove'}"
            for name, old, new in files
            for what, first, _, begin, end in _by_document(old, new).get_opcodes()
            if what != "equal"
        ]
        return InFiles(lines, diff)


def _by_document(old: Sequence[str], new: Sequence[str]) -> SequenceMatcher[tuple[int, str]]:
    """Compare the lines of each document with those of the same one, as all documents of a file have many in common."""
    one, other = (
        [*zip(accumulate(line.startswith("---") for line in lines), lines, strict=True)] for lines in (old, new)
    )
    return SequenceMatcher(None, one, other, autojunk=False)


def with_value(text: str, path: Path, value: Any) -> str:
    r"""Return the text of a document in which the value at a path is another one.

    >>> print(with_value("spec:  # ours\n  weight: 1  # low\n  parent: a", ("spec", "weight"), 5))
    spec:  # ours
      weight: 5  # low
      parent: a
    >>> print(with_value("spec:\n  weight: 1 # low\n", ("spec", "deserved", "cpu"), "8"), end="")
    spec:
      weight: 1 # low
      deserved:
        cpu: '8'
    >>> with_value('{"spec": {"weight": 1}}', ("spec", "parent"), "a")
    '{"spec": {"weight": 1, "parent": "a"}}'
    >>> with_value("plugins:\n- name: gang\n- name: drf\n", ("plugins", "drf"), None)  # an item, which may be named
    'plugins:\n- name: gang\n'
    >>> with_value("plugins:\n- name: gang  # ours\nother: 1", ("plugins", 0), None)
    'plugins: []\nother: 1'
    """
    path = _by_number(text, path)
    changed = _changed(text, path, value)
    try:
        before, after = yaml_text.load(text or "{}")[0], yaml_text.load(changed)[0]
    except yaml_text.YamlErrors as errors:
        raise CannotChange from errors
    at, last = before, path[-1]
    for step in path[:-1]:
        at[step] = at = deepcopy(at[step] if isinstance(at, list) or at.get(step) is not None else {})
    if value is None and isinstance(at, list) and isinstance(last, int):
        del at[last]
    else:
        at[last] = value
    if before != after:  # an alias is in the way
        raise CannotChange
    return changed


def _by_number(text: str, path: Path) -> Path:
    """Return a path in which each item of a list that is named has its number."""
    at, found = (yaml_text.load(text) or [None])[0], list[str | int]()
    for step in path:
        names = [each.get("name") for each in at if isinstance(each, dict)] if isinstance(at, list) else []
        found.append(names.index(step) if step in names else step)
        try:
            at = at[found[-1]]
        except (LookupError, TypeError):
            at = None
    return tuple(found)


def _changed(text: str, path: Path, value: Any) -> str:
    [node, *_] = yaml_text.compose(text) or yaml_text.compose("{}")
    key: Node | None = None
    for number, step in enumerate(path):
        if isinstance(step, int):
            if not isinstance(node, yaml.SequenceNode) or step >= len(node.value):
                raise CannotChange
            if value is None and number == len(path) - 1:
                return _without(text, node, step)
            key, node = None, node.value[step]
            continue
        members = node.value if isinstance(node, MappingNode) else ()
        found = next((member for member in members if member[0].value == step), None)
        if found is None and value is None:
            raise CannotChange
        if found is None:
            return _with_new(text, node, path[number:], value)
        key, node = found
    start, end = node.start_mark.index, _end(text, node)
    flow = json.dumps(value, ensure_ascii=False)
    if isinstance(node, ScalarNode) and start == end:
        return text[:start] + _gap(text, start) + flow + text[end:]
    if isinstance(node, ScalarNode) and node.style == "|" and isinstance(value, str):
        head, first, *_ = text[start:end].splitlines()
        indentation = first[: len(first) - len(first.lstrip(" "))]
        lines = (f"{indentation}{line}".rstrip() for line in value.rstrip().splitlines())
        return text[:start] + "\n".join((head, *lines)) + text[end:]
    if not _is_block(node):
        is_plain = isinstance(node, ScalarNode) and node.style in (None, "", "'") and not looks_like_json(text)
        if is_plain:  # as it stands in YAML, with quotes where it needs them
            flow = str(yaml.safe_dump(value, default_flow_style=True, width=_WIDE)).removesuffix("\n...\n").strip()
        return text[:start] + flow + text[end:]
    if key is None:
        raise CannotChange
    colon = text.index(":", key.end_mark.index) + 1
    return f"{text[:colon]} {flow}{text[end:]}"


def _without(text: str, node: yaml.SequenceNode, at: int) -> str:
    """Return a text in which a list has an item less."""
    item, rest = node.value[at], node.value[at + 1 :]
    start, end = item.start_mark.index, _end(text, item)
    if len(node.value) == 1:
        return f"{text[: node.start_mark.index].rstrip()} []{text[_end(text, node) :]}"
    if node.flow_style:
        if rest:
            return text[:start] + text[rest[0].start_mark.index :]
        return text[: node.value[at - 1].end_mark.index] + text[end:]
    newline = text.find("\n", end)
    return text[: text.rfind("\n", 0, start) + 1] + (text[newline + 1 :] if newline >= 0 else "")


def _with_new(text: str, node: Node, path: Path, value: Any) -> str:
    """Return a text in which a mapping has one more key, or what has no value yet has one."""
    for step in reversed(path[1:]):
        value = {step: value}
    if not isinstance(node, MappingNode):
        if not isinstance(node, ScalarNode) or node.tag != yaml_text.NULL:
            raise CannotChange
        flow = json.dumps({path[0]: value}, ensure_ascii=False)
        start = node.start_mark.index
        return text[:start] + _gap(text, start) + flow + text[node.end_mark.index :]
    if not _is_block(node):
        end = text.rindex("}", 0, node.end_mark.index)
        before = text[:end].rstrip()
        comma = ", " if node.value else ""
        entry = f"{json.dumps(path[0])}: {json.dumps(value, ensure_ascii=False)}"
        return before + comma + entry + text[len(before) : end] + text[end:]
    end = _end(text, node.value[-1][1], default=node.value[-1][0].end_mark.index)
    newline = text.find("\n", end)
    end = len(text) if newline < 0 else newline
    indentation = " " * node.value[0][0].start_mark.column
    entry = "\n".join(f"{indentation}{line}" for line in block({path[0]: value}).splitlines())
    return f"{text[:end]}\n{entry}{text[end:]}"


def _gap(text: str, at: int) -> str:
    """Return what has to be between a key and a value that it has not had yet."""
    return "" if not at or text[at - 1].isspace() else " "


def _is_block(node: Node) -> bool:
    return isinstance(node, CollectionNode) and not node.flow_style


def _end(text: str, node: Node, default: int = 0) -> int:
    """Return where the text of a node ends: that of a block with its last value, before comments that follow."""
    if _is_block(node) and node.value:
        last = node.value[-1]
        key, value = last if isinstance(last, tuple) else (node, last)
        return _end(text, value, default=key.end_mark.index if isinstance(last, tuple) else default)
    if isinstance(node, ScalarNode) and node.start_mark.index == node.end_mark.index:
        return max(node.end_mark.index, default)
    return len(text[: node.end_mark.index].rstrip())


def block(value: Any) -> str:
    """Write a value in YAML, in lines of its own, the last without its end.

    >>> block({"a": "wait..."}), block("b")
    ('a: wait...', 'b')
    """
    text = str(yaml.safe_dump(value, sort_keys=False, width=_WIDE, allow_unicode=True))
    return text.removesuffix("\n...\n").rstrip()
