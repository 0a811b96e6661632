"""How busy nodes are, from a file of its own: no manifest says so.

The file is what ``kubectl top nodes`` prints, or YAML or JSON with the percentages by node:
``{n1: {cpu: 80, memory: 35}}``. The nodes get it as annotations, which is where the scheduler's model looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO, Final

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.snapshot.diagnostics import Diagnostic, Guesser, Problems, did_you_mean
from vqs.snapshot.documents import Origin, documents
from vqs.snapshot.manifests import Manifests
from vqs.snapshot.sources import Source, read_source

ANNOTATIONS: Final = {"cpu": "vqs.volcano.sh/cpu-usage", "memory": "vqs.volcano.sh/memory-usage"}
"""By resource: the annotation of a node that says how much of it was used in the last minutes, in percent."""

_TOP: Final = re.compile(r"NAME\s+CPU\(cores\)\s+CPU[%(]")
_COLUMNS: Final = 5
_SHARE: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_MOST: Final = 1e9
_CODE: Final = "invalid-usage"

Usage = dict[str, dict[str, float]]
"""Percent by node and resource."""


def with_usage(manifests: Manifests, path: str, stdin: BinaryIO | None = None) -> Manifests:
    """Return manifests whose nodes say how busy they are; the given ones stay as they are.

    Raises:
        InputErrors: the file cannot be read, or says something of a node that there is not.
    """
    problems = Problems()
    source = read_source(path, stdin, problems)
    known = {node.metadata.name for node in manifests.nodes}
    guesser = Guesser(known)
    usage: Usage = {}
    if source is not None:
        read = _of_table(source, problems) if _TOP.match(source.text) else _of_document(source, problems)
        for name, percent, unknown in read:
            if name in known:
                usage[name] = percent
            else:
                problems.add(unknown(f"there is no node {name!r}", guesser.hint(name)))
    problems.raise_errors()
    return replace(manifests, nodes=[_annotated(node, usage.get(node.metadata.name, {})) for node in manifests.nodes])


def _annotated(node: k8s.Node, percent: Mapping[str, float]) -> k8s.Node:
    if not percent:
        return node
    annotations = {ANNOTATIONS[resource]: f"{value:g}" for resource, value in percent.items()}
    metadata = structs.replace(node.metadata, annotations=node.metadata.annotations | annotations)
    return structs.replace(node, metadata=metadata)


Found = tuple[str, dict[str, float], Any]
"""A node's name, its percentages, and what makes a diagnostic about the name."""


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
        yield words[0], dict(zip(ANNOTATIONS, map(float, shares), strict=True)), refuse


def _of_document(source: Source, problems: Problems) -> Iterator[Found]:
    """Yield the entries of a mapping from nodes to percentages."""
    for document in documents(source, problems):
        for path, value in document.values(problems, lambda _: None):
            origin = Origin(document, path)
            if not isinstance(value, dict):
                problems.add(origin.diagnostic(_CODE, "expected percentages by node: {n1: {cpu: 80, memory: 35}}"))
                continue
            for name, percent in value.items():
                found = _percent(name, percent, origin, problems)
                yield str(name), found, _about(origin, name)


def _about(origin: Origin, name: str) -> Any:
    return lambda message, hint="": origin.key_diagnostic(_CODE, message, (name,), hint=hint)


def _percent(name: str, percent: Any, origin: Origin, problems: Problems) -> dict[str, float]:
    """Return a node's percentages, and refuse what is none."""
    if not isinstance(percent, dict):
        problems.add(origin.diagnostic(_CODE, "expected percentages: {cpu: 80, memory: 35}", (name,)))
        return {}
    found = {}
    for resource, value in percent.items():
        if resource not in ANNOTATIONS:
            hint = did_you_mean(str(resource), ANNOTATIONS)
            message = f"the usage of {resource!r} is not used; expected cpu or memory"
            problems.add(origin.key_diagnostic(_CODE, message, (name, resource), hint=hint))
        elif isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
            problems.add(origin.diagnostic(_CODE, f"{value!r} is not a percentage", (name, resource)))
        else:
            found[resource] = float(value)
    return found
