"""The last look at what is about to be written, whatever came before.

It starts from the finished text: each word of it is a fake, a number, or known to be public.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, Final

import msgspec

from vqs.anonymize import vocabulary as public
from vqs.anonymize.words import RUN, WORD
from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.kinds import KINDS, SCENARIO_KIND, SCENARIO_VERSION
from vqs.snapshot.reading.plain import written_fields

_ESCAPE_IN_YAML: Final = r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0abefnrtvNLP_]"
_ESCAPE: Final = re.compile(rf"\\(?:u[0-9a-fA-F]{{4}}|\\(?:{_ESCAPE_IN_YAML})|.)")
"""What stands for a character in JSON, and in a configuration, which is YAML within it."""

_PLAIN: Final = re.compile(r"[0-9]+(?:T[0-9]+|Z|[eE][0-9]*)?|null|true|false")
"""Numbers and times."""

_TIME: Final = re.compile(r'"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[-+][0-9]{2}:[0-9]{2})"')
"""A point in time, which stays; its parts may be words of the original elsewhere."""

_FRAME: Final = (
    *("apiVersion", "kind", "items", "v1", "List", "data", "now", "flags", SCENARIO_VERSION, SCENARIO_KIND),
    *("volcano", "behaviours", "scheduler-sharding-mode", "scheduler-sharding-name"),
    *("volcano-scheduler-configmap", "volcano-scheduler.conf", "volcano-system"),
)


class Proof:
    """Looks at texts, one after the other."""

    def __init__(self, fakes: Mapping[str, str], kept: Iterable[str]) -> None:
        self._kept = _words_of((*kept, *public.FIXED_NAMES)) | _structure()
        self._allowed = self._kept | public.FIXED_WORDS | _words_of(fakes.values())
        self._originals = fakes.keys() - self._kept
        self._seen: set[str] = set()
        self.leaks: set[str] = set()

    def look_at(self, text: str) -> None:
        """Look at a text in JSON."""
        plain = _TIME.sub(" ", _ESCAPE.sub(" ", text) if "\\" in text else text)
        for word in set(WORD.findall(plain)) - self._seen:
            self._seen.add(word)
            if word in self._originals or not (word in self._allowed or _is_plain(word)):
                self.leaks.add(word)
        self.leaks.update(run for run in RUN.findall(plain) if run in self._originals)


def _is_plain(word: str) -> bool:
    return _PLAIN.fullmatch(word) is not None or public.DEFAULT_TASK.fullmatch(word) is not None


def out_of_order(originals: Iterable[str], names: Mapping[str, str]) -> int:
    """The number of names that do not sort among the others as the originals do."""
    fakes = [names.get(name, name) for name in sorted(set(originals))]
    return sum(before > after for before, after in pairwise(fakes))


@cache
def _structure() -> frozenset[str]:
    """The words of field names, kinds and versions."""
    names = {*_FRAME, *public.KIND_NAMES, *(kind.api_version for kind in KINDS.values())}
    values: Collection[Any] = [*vars(k8s).values(), *vars(devices).values()]
    for type_ in (each for each in values if isinstance(each, type) and issubclass(each, msgspec.Struct)):
        names.update(name for _, name, _ in written_fields(type_))
    return _words_of(names)


def _words_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in WORD.findall(text))
