"""The commands that make a change in a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from shlex import join, quote
from typing import Any, Final

from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.edits import CONF, AddObject, Edit, Scale, SetValue

_OF_OTHERS: Final = (CONF, "pod")
"""What no command changes: a file of the configuration, and pods, which are created again."""

_VOLCANO_JOB: Final = "vcjob"


def commands(edits: Sequence[Edit], manifests: Manifests) -> list[str]:
    """Return the commands that make some edits, in their order; none where a part of it has no command."""
    found = [*_commands(edits, manifests)]
    return [] if None in found else [each for each in found if each]


def _commands(edits: Sequence[Edit], manifests: Manifests) -> Iterator[str | None]:
    volcano_jobs = {each.metadata.key for each in manifests.volcano_jobs}
    for (kind, namespace, name), same in groupby(edits, _target):
        called = _VOLCANO_JOB if kind == "job" and f"{namespace}/{name}" in volcano_jobs else kind
        for edit in _merged([*same]):
            yield _command(edit, called, [name, "-n", namespace] if namespace else [name])


def _target(edit: Edit) -> tuple[str, str, str]:
    if isinstance(edit, SetValue | Scale):
        return edit.kind, edit.namespace, edit.name
    return "", "", str(edit)


def _merged(edits: Sequence[Edit]) -> Iterator[Edit | dict[str, Any]]:
    """Yield one patch for all values that are set in one object; what leads into a list stays an edit of its own."""
    patch: dict[str, Any] = {}
    for edit in edits:
        if not isinstance(edit, SetValue) or _is_of_its_own(edit):
            yield edit
            continue
        *above, last = edit.path
        at = patch
        for part in above:
            at = at.setdefault(str(part), {})
        at[str(last)] = edit.value
    if patch:
        yield patch


def _is_of_its_own(edit: SetValue) -> bool:
    if edit.kind == "node" or edit.path[0] == "status":
        return True
    return edit.kind in _OF_OTHERS or any(isinstance(part, int) for part in edit.path)


def _command(edit: Edit | dict[str, Any], kind: str, named: Sequence[str]) -> str | None:
    """Return the command for an edit; empty where another one does it as well, None where there is none."""
    if isinstance(edit, dict):
        return f"kubectl patch {kind} {join(named)} --type merge -p {quote(json.dumps(edit))}"
    if isinstance(edit, Scale) and kind in ("deployment", "statefulset", "replicaset"):
        return f"kubectl scale {kind} {join(named)} --replicas {edit.replicas}"
    if isinstance(edit, AddObject) and edit.value.get("kind") == "PriorityClass":
        return f"kubectl create priorityclass {quote(edit.value['metadata']['name'])} --value {edit.value['value']}"
    if not isinstance(edit, SetValue) or edit.kind in _OF_OTHERS:
        return None
    if edit.kind == "node":
        return f"kubectl uncordon {join(named)}" if edit.path == ("spec", "unschedulable") else ""
    if edit.kind == "queue" and edit.path == ("status", "state"):
        return f"vcctl queue operate -n {join(named)} --action open"
    operation = {"op": "add", "path": "".join(f"/{_escaped(part)}" for part in edit.path), "value": edit.value}
    return f"kubectl patch {kind} {join(named)} --type json -p {quote(json.dumps([operation]))}"


def _escaped(part: str | int) -> str:
    return str(part).replace("~", "~0").replace("/", "~1")
