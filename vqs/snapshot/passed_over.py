"""What a change brings that is not looked at: objects of kinds that are not used, and hidden files.

Nothing is known of what these do, so that it matters only whether they are the same on both sides.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from vqs.model import kubernetes as k8s
from vqs.paths import printable
from vqs.snapshot.documents import Origin
from vqs.snapshot.folders import everything_in
from vqs.snapshot.keys import SCHEDULER_NAME
from vqs.snapshot.kinds import JUDGED_ONLY
from vqs.snapshot.reach import Reach, is_mounted

HIDDEN_FILE: Final = "hidden file"
APPLIED: Final = (".json", ".yaml", ".yml")
"""How the names of files end that kubectl reads of a folder."""

Key = tuple[str, str]
"""The kind of something, and its name."""


class PassedOver(NamedTuple):
    """Something that is not looked at: what tells whether it is the same, and where it stands."""

    digest: str
    file: str
    origin: Origin | None = None

    def and_then(self, other: PassedOver) -> PassedOver:
        """Return this and another one of the same name as one."""
        return self._replace(digest=_digest(f"{self.digest} {other.digest}".encode()))


def of_object(value: Mapping[str, Any], kind: str, origin: Origin) -> tuple[Key, PassedOver]:
    """Return an object as something that is not looked at."""
    metadata = value.get("metadata")
    known = metadata if isinstance(metadata, dict) else {}
    name = "/".join(str(known[key]) for key in ("namespace", "name") if known.get(key))
    written = {key: part for key, part in value.items() if key != "status"}
    text = json.dumps(written, sort_keys=True, default=str)
    return (kind, name), PassedOver(_digest(text.encode(errors="replace")), origin.document.source.name, origin)


def unused_as(typed: Any, kind: str) -> str:
    """Return what to call an object of a kind that is used, where it itself is not; an empty text for all others."""
    if isinstance(typed, (*JUDGED_ONLY, k8s.ReplicationController)):
        return kind
    if isinstance(typed, k8s.Pod):
        is_ours = typed.spec.scheduler_name == SCHEDULER_NAME or bool(typed.spec.node_name)
    elif isinstance(typed, k8s.Deployment | k8s.Job | k8s.ReplicaSet | k8s.StatefulSet):
        is_ours = typed.spec.template.spec.scheduler_name == SCHEDULER_NAME
    else:
        return ""
    return "" if is_ours else f"{kind} for another scheduler"


def hidden_files(folder: str, reach: Reach) -> Iterator[tuple[Key, PassedOver]]:
    """Yield the manifests in a folder that are hidden, or in a hidden folder: kubectl apply, given it, reads them.

    Raises:
        ReadRefused: there is too much to read.
    """
    for path in everything_in(folder, lambda name: name == ".git" or is_mounted(name)):
        inner = os.path.relpath(path, folder)
        if path.endswith(APPLIED) and any(part.startswith(".") for part in PurePath(inner).parts):
            content = reach.hidden_content(path)
            if content is not None:
                yield (HIDDEN_FILE, printable(inner)), PassedOver(_digest(content), printable(path))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
