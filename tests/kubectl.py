"""What the commands that vqs names do to objects, as kubectl and vcctl do it: on plain values, without a cluster."""

from __future__ import annotations

import argparse
import json
import shlex
from copy import deepcopy
from typing import Any

Object = dict[str, Any]

_KINDS = {"vcjob": ("Job", "batch.volcano.sh"), "job": ("Job", "batch")}
_UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


class NoSuchObjectError(Exception):
    """No object has that kind and name."""


def objects_in(documents: list[Any]) -> list[Object]:
    """Return the objects in documents, those in Lists one by one; they are the same ones, and may be changed."""
    found: list[Object] = []
    for each in documents:
        if isinstance(each, dict):
            found += objects_in(each["items"]) if isinstance(each.get("items"), list) else [each]
    return found


def run(commands: list[str], documents: list[Any]) -> list[Any]:
    """Return documents as they are when some commands have been run."""
    changed = deepcopy(documents)
    for command in commands:
        _run(shlex.split(command), changed)
    return changed


def _run(words: list[str], documents: list[Any]) -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("words", nargs="*")
    for option in ("--type", "--replicas", "--value", "--action"):
        parser.add_argument(option)
    parser.add_argument("-n")
    parser.add_argument("-f", nargs="?")
    parser.add_argument("-p")
    given = parser.parse_intermixed_args(words)
    match given.words:
        case ["kubectl", "patch", kind, name]:
            patch(_find(documents, kind, name, given.n), given.type, json.loads(given.p))
        case ["kubectl", "uncordon", name]:
            spec = _find(documents, "node", name, None)["spec"]
            spec["unschedulable"] = False
            spec["taints"] = [each for each in spec.get("taints") or [] if each["key"] != _UNSCHEDULABLE]
        case ["kubectl", "scale", kind, name]:
            _find(documents, kind, name, given.n)["spec"]["replicas"] = int(given.replicas)
        case ["echo", text, "|", "kubectl", "create", *_]:
            documents.append(json.loads(text))
        case ["kubectl", "create", "priorityclass", name]:
            group = "scheduling.k8s.io/v1"
            value = {
                "apiVersion": group,
                "kind": "PriorityClass",
                "metadata": {"name": name},
                "value": int(given.value),
            }
            documents.append(value)
        case ["vcctl", "queue", "operate"]:
            _find(documents, "queue", given.n, None).setdefault("status", {})["state"] = "Open"
        case _:
            raise ValueError(words)


def _find(documents: list[Any], kind: str, name: str, namespace: str | None) -> Object:
    name_of_kind, group = _KINDS.get(kind, (kind, ""))
    for each in objects_in(documents):
        metadata = each.get("metadata") or {}
        is_kind = str(each.get("kind")).lower() == name_of_kind.lower()
        is_group = not group or str(each.get("apiVersion")).startswith(f"{group}/")
        is_there = namespace is None or metadata.get("namespace", "default") == namespace
        if is_kind and is_group and is_there and metadata.get("name") == name:
            return each
    raise NoSuchObjectError(f"{kind} {namespace}/{name}")


def patch(value: Object, type_: str, change: Any) -> None:
    """Change an object by a patch."""
    if type_ == "merge":
        _merge(value, change)
        return
    for operation in change:
        *above, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
        at: Any = value
        for part in above:
            at = at[int(part)] if isinstance(at, list) else at[part]
        at[int(last) if isinstance(at, list) else last] = operation["value"]


def _merge(value: Object, change: Object) -> None:
    for key, each in change.items():
        if each is None:
            value.pop(key, None)
        elif isinstance(each, dict):
            if not isinstance(value.get(key), dict):
                value[key] = {}
            _merge(value[key], each)
        else:
            value[key] = each
