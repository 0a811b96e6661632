"""The published JSON Schema of scenarios, whether a document follows it, and the scenario that beginners start from.

The schema is draft 7, which editors support best; what it says of each key is what they show. Whether a document
follows it is told sooner here than it takes to import what says why one does not.

What remains of a scenario when its objects are made is what it is called, its time, and what it expects.
"""

import json
import pathlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from vqs.model.moments import has_room
from vqs.model.sharding import Sharding
from vqs.releases.profile import ReleaseChoice
from vqs.snapshot.reading.diagnostics import Path, Position
from vqs.snapshot.reading.documents import Origin


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The schema; callers leave it as it is."""
    decoded: dict[str, Any] = json.loads(pathlib.Path(__file__).with_name("schema.json").read_bytes())
    return decoded


def starter() -> str:
    """A commented scenario to start from."""
    return pathlib.Path(__file__).with_name("starter.yaml").read_text(encoding="utf-8")


_REMARKS: Final = frozenset(
    {
        "$id",
        "$schema",
        "additionalProperties",
        "default",
        "definitions",
        "description",
        "examples",
        "patternErrorMessage",
        "properties",
        "title",
    }
)
"""Keywords that say nothing of a value, or of its keys only."""


def conforms(value: object, rules: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    """True if a value surely follows a schema of draft 7; where a keyword is not known here, it may all the same.

    Args:
        value: a document, or a part of one.
        rules: the schema, or the part of it that is about the value.
        whole: the schema that the definitions stand in.
    """
    if "$ref" in rules:
        referred = whole
        for step in rules["$ref"].removeprefix("#/").split("/"):
            referred = referred[step]
        return conforms(value, referred, whole)
    known, others = rules.get("properties", {}), rules.get("additionalProperties", {})
    for key, each in value.items() if isinstance(value, dict) else ():
        if key not in known and others is False:
            return False
        if not conforms(each, known.get(key, others), whole):
            return False
    return all(
        keyword in _CHECKS and _CHECKS[keyword](value, limit, whole)
        for keyword, limit in rules.items()
        if keyword not in _REMARKS
    )


def moment(text: str) -> datetime | None:
    """A point in time; None where the text is none, or has no zone."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None and has_room(time) else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and value == value // 1,
    "number": _is_number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


_CHECKS: Final[Mapping[str, Callable[[Any, Any, Mapping[str, Any]], bool]]] = {
    "anyOf": lambda value, branches, whole: any(conforms(value, each, whole) for each in branches),
    "const": lambda value, wanted, _: isinstance(value, str) and value == wanted,
    "enum": lambda value, choices, _: isinstance(value, str) and value in choices,
    "format": lambda value, _, __: not isinstance(value, str) or moment(value) is not None,
    "items": lambda value, rules, whole: (
        not isinstance(value, list) or all(conforms(each, rules, whole) for each in value)
    ),
    "maxItems": lambda value, most, _: not isinstance(value, list) or len(value) <= most,
    "maxLength": lambda value, most, _: not isinstance(value, str) or len(value) <= most,
    "maxProperties": lambda value, most, _: not isinstance(value, dict) or len(value) <= most,
    "maximum": lambda value, most, _: not _is_number(value) or value <= most,
    "minItems": lambda value, least, _: not isinstance(value, list) or len(value) >= least,
    "minLength": lambda value, least, _: not isinstance(value, str) or len(value) >= least,
    "minimum": lambda value, least, _: not _is_number(value) or value >= least,
    "pattern": lambda value, pattern, _: not isinstance(value, str) or re.search(pattern, value) is not None,
    "required": lambda value, keys, _: not isinstance(value, dict) or all(key in value for key in keys),
    "type": lambda value, names, _: any(_TYPES[name](value) for name in ([names] if isinstance(names, str) else names)),
}
"""What each keyword asks of a value, of the schemas that there are; `format` is that of a time."""


Subject = Literal["all", "queue", "job", "task"]


class Expectation(NamedTuple):
    """One thing that should hold when the session is over.

    Attributes:
        subject: what it is about; `all` is the whole cluster.
        name: the name of that, or a pattern of names; empty for the whole cluster.
        attribute: what of it, as a path in the scenario: ``("deserved", "cpu")``.
        wanted: what that should be, as it is written.
        tolerance: how far off an amount may be, as a part of it.
        origin: the object that it stands in.
        path: where in that object.
    """

    subject: Subject
    name: str
    attribute: tuple[str, ...]
    wanted: Any
    tolerance: float
    origin: Origin
    path: Path

    @property
    def file(self) -> str:
        """The file that it stands in."""
        return self.origin.document.source.name

    @property
    def position(self) -> Position:
        """Its place in that file."""
        return self.origin.position(self.path)


class PlannedRole(NamedTuple):
    """Pods of a job that are alike.

    Attributes:
        name: the name of the role.
        entry: the keys that describe them, as they are written.
        origin: where these stand.
        replicas: how many there are.
        spec: the spec of each pod, as Kubernetes has it.
        places: where in the entry the parts of a pod are written.
    """

    name: str
    entry: Mapping[str, Any]
    origin: Origin
    replicas: int
    spec: Mapping[str, Any]
    places: Mapping[Path, Path]


class PlannedJob(NamedTuple):
    """An entry of `jobs`, whether its objects are there at the start or arrive in a replay.

    Attributes:
        entry: the entry as it is written.
        origin: where it stands.
        roles: its kinds of pods.
        min_available: how many pods must find a place for it to start.
        names: the names of the jobs that it stands for; that of its template where jobs like it arrive again and again.
    """

    entry: Mapping[str, Any]
    origin: Origin
    roles: tuple[PlannedRole, ...]
    min_available: int
    names: tuple[str, ...]

    @property
    def namespace(self) -> str:
        """Their namespace."""
        namespace: str = self.entry.get("namespace", "default")
        return namespace


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario that was read. Its objects are among those of the snapshot.

    `jobs` are the entries that jobs are made from, those that arrive only in a replay among them; `node_events` is what
    happens to nodes in one, and `start_delays` how long pods take to start by their images, as it is written;
    so are `latencies`, how long all else takes beside the sessions, and `prices`, what nodes cost.
    `node_groups` come and go by the rules of an `autoscaler`, and `rollouts` replace the pods of Deployments.
    """

    name: str
    description: str
    now: datetime | None
    sharding: Sharding | None
    csi_storage: bool
    release: ReleaseChoice
    expectations: tuple[Expectation, ...]
    origin: Origin
    jobs: tuple[PlannedJob, ...] = ()
    node_events: tuple[Mapping[str, Any], ...] = ()
    start_delays: Mapping[str, Any] = field(default_factory=dict)
    latencies: Mapping[str, Any] = field(default_factory=dict)
    prices: Mapping[str, Any] = field(default_factory=dict)
    node_groups: tuple[Mapping[str, Any], ...] = ()
    rollouts: tuple[Mapping[str, Any], ...] = ()
    autoscaler: Mapping[str, Any] = field(default_factory=dict)
