"""The labels that a pod requires of a node and that no node has, each with what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Final

from vqs.engine.nodes.table import NodeTable
from vqs.engine.plugins.nodeorder import HOSTNAME
from vqs.engine.plugins.predicates.filters import required_affinity
from vqs.model.kubernetes import REQUIRED, PodSpec
from vqs.model.wording import and_more
from vqs.snapshot.reading.diagnostics import Guesser, Path, one_of

_NAMED: Final = 3
"""More values than these are counted."""


@dataclass(frozen=True, slots=True)
class MissingLabel:
    """A label that a pod requires of a node, and that no node has.

    Attributes:
        path: where it stands in the spec of the pod: the entry of a node selector, or the requirement.
        key: its name.
        values: the values of which it may have any; none where any value would do.
        near_key: the key that was probably meant, where no node has this one; else empty.
        near_values: the values, each as it was probably meant, where one is much like that of a node; else none.
    """

    path: Path
    key: str
    values: tuple[str, ...]
    near_key: str = ""
    near_values: tuple[str, ...] = ()

    @property
    def corrected(self) -> str:
        """The label that was probably meant."""
        return _in_words(self.near_key or self.key, self.near_values or self.values)

    def __str__(self) -> str:
        """Write it as ``key=value``, with what was probably meant."""
        label = _in_words(self.key, self.values)
        meant = [self.near_key] if self.near_key else [each for each in self.near_values if each not in self.values]
        first = [repr(each) for each in meant[:_NAMED]]
        return f"{label} (did you mean {one_of(first)}{and_more(len(meant[_NAMED:]))}?)" if first else label


def _in_words(key: str, values: Sequence[str]) -> str:
    if len(values) > _NAMED:
        return f"{key} with any of {len(values):,} values"
    return f"{key}={one_of(values)}" if values else key


class KnownLabels:
    """The labels of all nodes: the values that each key has."""

    def __init__(self, labels: Iterable[Mapping[str, str]]) -> None:
        self._values: dict[str, set[str]] = {}
        for each in labels:
            for key, value in each.items():
                self._values.setdefault(key, set()).add(value)
        guesser, of_key = Guesser(self._values), cache(lambda key: Guesser(sorted(self._values[key])))
        self._near_key = cache(
            lambda key, values: (
                # Another key is no correction where no node has a value with it that would do.
                guesser.nearest(key, lambda each: not values or not self._values[each].isdisjoint(values))
                or guesser.meant(key)
            )
        )

        @cache
        def near_values(key: str, values: tuple[str, ...]) -> tuple[str, ...]:
            if key == HOSTNAME:
                return ()  # a node of another name is another node, and there may be as many pods that name one
            near = {each: of_key(key).meant(each) for each in values}
            return tuple(dict.fromkeys(near[each] or each for each in values)) if any(near.values()) else ()

        self._near_values = near_values

    def missing(self, spec: PodSpec) -> list[MissingLabel]:
        """Return what a node selector requires that no node has; then the same of an affinity, if no term can hold."""
        entries = ((("nodeSelector", key), key, (value,)) for key, value in spec.node_selector.items())
        found = [each for path, key, values in entries for each in self._missing(path, key, values)]
        required = required_affinity(spec)
        of_terms: list[list[MissingLabel]] = []
        for number, term in enumerate(required.node_selector_terms if required else ()):
            of_term = [
                each
                for at, one in enumerate(term.match_expressions)
                if one.operator in ("In", "Exists")
                for each in self._missing(
                    ("affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms", number, "matchExpressions", at),
                    one.key,
                    tuple(one.values),
                )
            ]
            of_terms.append(of_term)
        return [*found, *chain.from_iterable(of_terms)] if all(of_terms) else found

    def _missing(self, path: Path, key: str, values: tuple[str, ...]) -> Iterator[MissingLabel]:
        known = self._values.get(key)
        if known is None:
            yield MissingLabel(path, key, values, near_key=self._near_key(key, values))
        elif values and known.isdisjoint(values):
            yield MissingLabel(path, key, values, near_values=self._near_values(key, values))


def known_labels(nodes: NodeTable) -> KnownLabels:
    """Return the labels of the nodes of a session."""
    return nodes.noted("known labels", lambda: KnownLabels(each.object.metadata.labels for each in nodes.nodes))
