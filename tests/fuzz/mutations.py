"""Changing documents where it may hurt, and writing them with what only a text can say."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import yaml

from tests.fuzz.values import Raw, edge, plausible, wrong
from vqs.snapshot.reading.diagnostics import Path

_KINDS: Final = frozenset({"apiVersion", "kind"})
_NEEDED: Final = frozenset({"name", "metadata", "spec", "template", "containers"})
"""Without these, most objects are refused, and nothing else of them is tried."""

_MARK: Final = "\u27e6%d\u27e7"


class Mutator:
    """Changes documents, with keys, values and whole fields that are seen in others."""

    def __init__(self, corpus: list[Any]) -> None:
        self.fields = [
            (path[-1], value) for document in corpus for path, value in paths(document) if isinstance(path[-1], str)
        ]
        self.alike: dict[str, list[Any]] = {}
        for key, value in self.fields:
            self.alike.setdefault(key, []).append(value)
        self.texts = sorted({value for _, value in self.fields if isinstance(value, str)})

    def mutated(self, random: Random, documents: list[Any], times: int) -> list[Any]:
        """Return a copy of documents with some changes."""
        root = copy.deepcopy(documents)
        for _ in range(times):
            places = [(path, value) for path, value in paths(root) if len(path) > 1]
            if places:
                path, value = random.choice(places)
                self._change(random, root, path, value)
        return root

    def retyped(self, random: Random, documents: list[Any], times: int) -> list[Any]:
        """Return a copy of documents in which some values are others that their fields may well have."""
        root = copy.deepcopy(documents)
        for _ in range(times):
            places = [(path, value) for path, value in paths(root) if len(path) > 1 and not _KINDS & {*path}]
            if places:
                path, value = random.choice(places)
                self._retype(random, _at(root, path[:-1]), path, value)
        return root

    def _retype(self, random: Random, container: Any, path: Path, value: Any) -> None:
        seen = self.alike.get(str(next((step for step in reversed(path) if isinstance(step, str)), "")), [])
        chance = random.random()
        if isinstance(value, dict | list):
            if chance < 0.4 and isinstance(container, dict) and path[-1] in _NEEDED:
                return
            if chance < 0.4:
                del container[path[-1]]
            elif isinstance(container, list) and not _named(value):
                container.append(copy.deepcopy(value))
            elif isinstance(container, dict) and any(type(each) is type(value) for each in seen):
                container[path[-1]] = copy.deepcopy(random.choice([each for each in seen if type(each) is type(value)]))
        elif chance < 0.1 and path[-1] not in _NEEDED:
            del container[path[-1]]
        else:
            container[path[-1]] = plausible(random, value, [each for each in seen if type(each) is type(value)])

    def _change(self, random: Random, root: list[Any], path: Path, value: Any) -> None:
        container = _at(root, path[:-1])
        chance = random.random()
        if chance < 0.35:
            container[path[-1]] = edge(random, value, self.texts)
        elif chance < 0.65:
            container[path[-1]] = wrong(random)
        elif chance < 0.72:
            del container[path[-1]]
        elif isinstance(container, list):
            container.insert(random.randrange(len(container) + 1), copy.deepcopy(random.choice((value, wrong(random)))))
        elif chance < 0.9:
            key, other = random.choice(self.fields)
            container[key] = copy.deepcopy(other) if random.random() < 0.7 else wrong(random)
        elif chance < 0.95:
            container[_key(random, self.texts)] = container.pop(path[-1])
        else:
            container[_twin(path[-1])] = wrong(random)


def _named(value: Any) -> bool:
    """Tell whether there may be only one of a value in a list."""
    return isinstance(value, dict) and bool({"name", "metadata"} & {*value})


def _key(random: Random, seen: list[str]) -> Any:
    key = edge(random, "", seen)
    return key if isinstance(key, str) else str(key)


def _twin(key: Any) -> Raw:
    """Return a key that reads like another one and is none of Python's."""
    return key if isinstance(key, Raw) else Raw.same(json.dumps(key))


def paths(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield what is in a value, at every level."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in entries:
        yield (*path, step), each
        yield from paths(each, (*path, step))


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


# --- writing ----------------------------------------------------------------------------------------------------------


def written(random: Random, documents: list[Any]) -> tuple[str, str]:
    """Write documents as YAML or JSON, in one of the ways to do so; return the suffix too."""
    marks: list[Raw] = []
    marked = [_marked(each, marks) for each in documents]
    if random.random() < 0.4:
        return ".json", _json(random, marked, marks)
    flow = random.choice((None, False, True))
    texts = [_dumped(each, flow=flow) for each in marked]
    if random.random() < 0.2 and all(isinstance(each, dict) for each in marked):
        texts = [_dumped({"apiVersion": "v1", "kind": "List", "items": marked}, flow=flow)]
    return ".yaml", _filled("---\n".join(texts), [each.yaml for each in marks], "")


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc] # depends on how PyYAML was built
    """Writes the same thing twice where it is there twice: aliases are for those who ask for them."""

    def ignore_aliases(self, _: object) -> bool:
        return True


def _dumped(value: Any, *, flow: bool | None) -> str:
    return yaml.dump(value, Dumper=_Dumper, default_flow_style=flow, allow_unicode=True, sort_keys=False, width=1 << 20)


def _json(random: Random, marked: list[Any], marks: list[Raw]) -> str:
    indent = random.choice((None, 1))
    if random.random() < 0.5:
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": marked}, indent=indent, ensure_ascii=False)
    else:
        text = "\n".join(json.dumps(each, indent=indent, ensure_ascii=False) for each in marked)
    return _filled(text, [each.json for each in marks], '"')


def _marked(value: Any, marks: list[Raw]) -> Any:
    """Put marks where something is to be written as it is."""
    if isinstance(value, Raw):
        marks.append(value)
        return _MARK % (len(marks) - 1)
    if isinstance(value, dict):
        return {_marked(key, marks): _marked(each, marks) for key, each in value.items()}
    if isinstance(value, list):
        return [_marked(each, marks) for each in value]
    return value


def _filled(text: str, texts: list[str], quote: str) -> str:
    for number, each in enumerate(texts):
        text = text.replace(f"{quote}{_MARK % number}{quote}", each)
    return text
