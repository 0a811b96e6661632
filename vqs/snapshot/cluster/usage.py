"""How busy nodes are, from a file of its own, or from the NodeMetrics in a dump.

The file is what ``kubectl top nodes`` prints, or YAML or JSON with the percentages by node:
``{n1: {cpu: 80, memory: 35}}``, where `time` may say when that was measured, or what ``kubectl get nodes.metrics.k8s.io
-o json`` prints: NodeMetrics, with amounts that become percentages of the node's capacity. The nodes get it as
annotations, which is where the scheduler's model looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, Final

import msgspec
from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.moments import parse_moment
from vqs.model.quantity import parse
from vqs.snapshot.reading.diagnostics import Diagnostic, Guesser, Problems, did_you_mean
from vqs.snapshot.reading.documents import Origin, documents
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.sources import Source, read_source

ANNOTATIONS: Final = {"cpu": "vqs.volcano.sh/cpu-usage", "memory": "vqs.volcano.sh/memory-usage"}
"""By resource: the annotation of a node that says how much of it was used in the last minutes, in percent."""

TIME: Final = "vqs.volcano.sh/usage-time"
"""The annotation of a node that says when its usage was measured, in RFC 3339; without it, that was just now."""

_TIME_KEY: Final = "time"
_METRICS: Final = frozenset({"metadata", "usage"})
"""The fields of NodeMetrics; in what the API server lists, their kind is missing."""
_TOP: Final = re.compile(r"NAME\s+CPU\(cores\)\s+CPU[%(]")
_COLUMNS: Final = 5
_SHARE: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_MOST: Final = 1e9
_CODE: Final = "invalid-usage"

_MOMENTARY: Final = (
    "NodeMetrics are the usage of a moment, and Volcano takes the average of 10 minutes; they count as that average"
)


class _Name(msgspec.Struct):
    name: str


class _NodeMetrics(msgspec.Struct):
    """One node's usage, as the metrics server has it."""

    metadata: _Name
    usage: dict[str, str]
    timestamp: str = ""


Capacities = Mapping[str, Mapping[str, Any]]
"""What each node has, by name."""

Usage = dict[str, dict[str, str]]
"""The annotations of each node."""


def with_usage(manifests: Manifests, path: str, stdin: BinaryIO | None = None) -> Manifests:
    """Manifests whose nodes say how busy they are; the given ones stay as they are.

    Raises:
        InputErrors: the file cannot be read, or is no usage of nodes.
    """
    problems = Problems()
    source = read_source(path, stdin, problems)
    known = {node.metadata.name for node in manifests.nodes}
    guesser = Guesser(known)
    usage: Usage = {}
    if source is not None:
        capacities = _capacities(manifests)
        is_table = _TOP.match(source.text)
        read = _of_table(source, problems) if is_table else _of_document(source, problems, capacities)
        for name, annotations, unknown in read:
            if name in known:
                usage[name] = annotations
            else:
                problems.add(_unused(name, unknown, guesser.hint(name)))
    problems.raise_errors()
    return replace(
        manifests,
        nodes=[_annotated(node, usage.get(node.metadata.name, {})) for node in manifests.nodes],
        notes=[*manifests.notes, *problems.diagnostics],
    )


def take_metrics(manifests: Manifests, found: Sequence[tuple[Mapping[str, Any], Origin]], problems: Problems) -> None:
    """Annotate nodes with what the NodeMetrics in the input say of them; what a node says itself stays."""
    if not found:
        return
    problems.add(structs.replace(found[0][1].diagnostic(_CODE, _MOMENTARY), severity="note"))
    numbers = {node.metadata.name: number for number, node in enumerate(manifests.nodes)}
    capacities = _capacities(manifests)
    for value, origin in found:
        for name, said, unknown in _of_metrics(value, origin, problems, capacities):
            if name in numbers:
                node = manifests.nodes[numbers[name]]
                manifests.nodes[numbers[name]] = _annotated(node, said | node.metadata.annotations)
            else:
                problems.add(_unused(name, unknown, ""))


def _capacities(manifests: Manifests) -> Capacities:
    return {node.metadata.name: node.status.capacity or node.status.allocatable for node in manifests.nodes}


def _unused(name: str, unknown: Any, hint: str) -> Diagnostic:
    """Note that there is no node of a name."""
    unused: Diagnostic = unknown(f"the usage of node {name!r} is not used: there is no such node", hint)
    return structs.replace(unused, severity="note")


def _annotated(node: k8s.Node, annotations: dict[str, str]) -> k8s.Node:
    if not annotations:
        return node
    metadata = structs.replace(node.metadata, annotations=node.metadata.annotations | annotations)
    return structs.replace(node, metadata=metadata)


def _in_annotations(percent: Mapping[str, float]) -> dict[str, str]:
    return {ANNOTATIONS[resource]: repr(value).removesuffix(".0") for resource, value in percent.items()}


Found = tuple[str, dict[str, str], Any]
"""A node's name, its annotations, and what makes a diagnostic about the name."""


def _of_table(source: Source, problems: Problems) -> Iterator[Found]:
    """Yield the lines of ``kubectl top nodes``; nodes that it knows nothing of are left out."""
    for number, line in enumerate(source.text.splitlines()[1:], 2):
        words = line.split()
        if not words or "<unknown>" in words:
            continue

        def refuse(message: str, hint: str = "", number: int = number) -> Diagnostic:
            return Diagnostic(
                code=_CODE, severity="error", message=message, file=source.name, line=number, column=1, help=hint
            )

        shares = [word.removesuffix("%") for word in words if word.endswith("%")]
        if len(words) != _COLUMNS or len(shares) != len(ANNOTATIONS) or not all(map(_SHARE.fullmatch, shares)):
            problems.add(refuse("expected a line as kubectl top nodes prints it: NAME CPU CPU% MEMORY MEMORY%"))
            continue
        yield words[0], _in_annotations(dict(zip(ANNOTATIONS, map(float, shares), strict=True))), refuse


def _of_document(source: Source, problems: Problems, capacities: Capacities) -> Iterator[Found]:
    """Yield the entries of a mapping from nodes to percentages, or those of a list of NodeMetrics."""
    noted = False
    for document in documents(source, problems):
        for path, value in document.values(problems, lambda _: None):
            origin = Origin(document, path)
            if not isinstance(value, dict):
                problems.add(origin.diagnostic(_CODE, "expected percentages by node: {n1: {cpu: 80, memory: 35}}"))
                continue
            if value.keys() >= _METRICS:
                if not noted:
                    problems.add(structs.replace(origin.diagnostic(_CODE, _MOMENTARY), severity="note"))
                noted = True
                yield from _of_metrics(value, origin, problems, capacities)
                continue
            for name, percent in value.items():
                found = _percent(name, percent, origin, problems)
                yield (
                    str(name),
                    found,
                    lambda message, hint="", at=origin, key=name: at.key_diagnostic(_CODE, message, (key,), hint=hint),
                )


def _of_metrics(
    value: Mapping[str, Any], origin: Origin, problems: Problems, capacities: Capacities
) -> Iterator[Found]:
    """Yield what the NodeMetrics of one node say."""
    try:
        found = msgspec.convert(value, _NodeMetrics)
        capacity = capacities.get(found.metadata.name, {})
        percent = {}  # of what the node has; what it has none of is left out
        for resource in ANNOTATIONS:
            has = parse(capacity.get(resource, 0))
            if has and resource in found.usage:
                percent[resource] = float(parse(found.usage[resource]) * 100 / has)
    except (msgspec.ValidationError, ValueError):
        problems.add(origin.diagnostic(_CODE, "expected NodeMetrics: metadata.name, timestamp, usage"))
        return
    annotations = _in_annotations(percent)
    if parse_moment(found.timestamp) is not None:
        annotations[TIME] = found.timestamp
    yield found.metadata.name, annotations, lambda message, hint="": origin.diagnostic(_CODE, message, hint=hint)


def _percent(name: str, percent: Any, origin: Origin, problems: Problems) -> dict[str, str]:
    """A node's percentages, and when they were measured, as annotations; refuse what is neither."""
    if not isinstance(percent, dict):
        problems.add(origin.diagnostic(_CODE, "expected percentages: {cpu: 80, memory: 35}", (name,)))
        return {}
    found = {}
    time: dict[str, str] = {}
    for resource, value in percent.items():
        if resource == _TIME_KEY:
            if parse_moment(str(value)) is None:
                message = f"{value!r} is not a time with a zone, such as 2026-03-02T12:00:00Z"
                problems.add(origin.diagnostic(_CODE, message, (name, resource)))
            time = {TIME: str(value)}
        elif resource not in ANNOTATIONS:
            hint = did_you_mean(str(resource), ANNOTATIONS)
            message = f"the usage of {resource!r} is not used; expected cpu or memory"
            problems.add(origin.key_diagnostic(_CODE, message, (name, resource), hint=hint))
        elif isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
            problems.add(origin.diagnostic(_CODE, f"{value!r} is not a percentage", (name, resource)))
        else:
            found[resource] = float(value)
    return _in_annotations(found) | time
