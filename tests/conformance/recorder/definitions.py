"""Write the table of types: the fields of objects, as the definitions of each release have them.

    python definitions.py VOLCANO KUBERNETES > types.txt

VOLCANO is a clone of volcano-sh/volcano with the tags of all releases that are modelled, KUBERNETES the folder that has
the source of each k8s.io/kubernetes that their go.mod names, such as ``$(go env GOMODCACHE)/k8s.io``. The custom
resource definitions of the former and the OpenAPI of the latter (api/openapi-spec/v3) are read, and facts are written:
names, types, bounds, choices. What differs between releases is written as the behaviour of `vqs.releases.schemas` that
tells these releases apart; the program fails where none does.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from vqs.releases.profile import profile_of
from vqs.releases.release import Build, Release

Schema = Mapping[str, Any]

_CUSTOM: Final = {
    "VolcanoJob": "volcano/bases/batch.volcano.sh_jobs.yaml",
    "CronJob": "volcano/bases/batch.volcano.sh_cronjobs.yaml",
    "PodGroup": "volcano/bases/scheduling.volcano.sh_podgroups.yaml",
    "Queue": "volcano/bases/scheduling.volcano.sh_queues.yaml",
    "HyperNode": "volcano/bases/topology.volcano.sh_hypernodes.yaml",
    "Numatopology": "volcano/bases/nodeinfo.volcano.sh_numatopologies.yaml",
    "JobFlow": "jobflow/bases/flow.volcano.sh_jobflows.yaml",
    "JobTemplate": "jobflow/bases/flow.volcano.sh_jobtemplates.yaml",
}
_KUBERNETES: Final = {
    "api__v1": ("Pod", "Node", "PersistentVolumeClaim", "ReplicationController", "ResourceQuota", "Namespace"),
    "apis__apps__v1": ("Deployment", "ReplicaSet", "StatefulSet"),
    "apis__batch__v1": ("Job",),
    "apis__scheduling.k8s.io__v1": ("PriorityClass",),
    "apis__policy__v1": ("PodDisruptionBudget",),
}
_META: Final = "ObjectMeta"
_METADATA: Final = (_META, "OwnerReference")
_SIMPLE: Final = {"Quantity": "quantity", "IntOrString": "int-or-text", "Time": "time", "FieldsV1": "any"}
_FORMATS: Final = {"int32": "int32", "byte": "bytes", "date-time": "time"}
_CALLED: Final = {"ResourceClaim": "ContainerResourceClaim"}
"""Types that share their name with a kind."""
_OF_MODEL: Final = {
    "VolcanoJobSpecTasks": "TaskSpec",
    "VolcanoJobSpecTasksPartitionPolicy": "PartitionPolicy",
    "VolcanoJobSpecNetworkTopology": "NetworkTopology",
    "PodGroupSpecSubGroupPolicy": "SubGroupPolicy",
    "HyperNodeSpecMembers": "HyperNodeMember",
    "HyperNodeSpecMembersSelector": "MemberSelector",
    "NumatopologySpecCpuDetail": "CpuInfo",
}
"""What `vqs.model` calls types that have no name in the definitions."""
_DURATIONS: Final = ("runningEstimate", "timeout")
"""Texts to the definitions, which Go reads as lengths of time."""
_WORDS: Final = re.compile(r"(\W+)")
_PATTERNS: Final = {
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$": "label",
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$": "subdomain",
    "^[^:]+$": "without-colon",
}
_BEHAVIOURS: Final = (
    (re.compile(r"\[?PartitionPolicy|partitionPolicy|subGroupPolicy"), "job_partitions"),
    (re.compile(r"tierName|highestTierName"), "tier_name_fields"),
    (re.compile(r"like:subdomain"), "tier_name_characters"),
    (re.compile(r"required|.*\.\..*|like:.*"), "schema_bounds"),
    (re.compile(r"dequeueStrategy"), "dequeue_strategy"),
    (re.compile(r"podAllocations"), "numa_pod_allocations"),
    (re.compile(r".*"), "pod_template_fields"),
)
"""What tells releases apart, by what differs: the first whose values do is written."""


class Field(NamedTuple):
    """A field as one release defines it: its type, and the words that bound it."""

    type: str
    words: tuple[str, ...]
    required: bool


Fields = dict[str, Field]


class Definitions:
    """The types that one release defines."""

    def __init__(self, kubernetes: Mapping[str, Schema]) -> None:
        self.types: dict[str, Fields] = {}
        self._kubernetes = kubernetes
        self._shapes = {repr(self._shape(each, (name,))): name for name, each in kubernetes.items()}

    def add(self, name: str, schema: Schema) -> None:
        """Add a type with fields, and those of its fields; a definition in place is called after where it stands."""
        if name in self.types:
            return
        required = schema.get("required", ())
        self.types[name] = own = {}
        for key, each in schema["properties"].items():
            if key == "managedFields" or (key == "status" and "metadata" in schema["properties"]):
                own[key] = Field("any", (), required=False)  # new objects have none
                continue
            type_ = "duration" if key in _DURATIONS else self._type(each, name, key)
            if name in _METADATA:
                own[key] = Field(type_, (), required=False)  # no definition bounds it
            else:
                own[key] = Field(type_, tuple(_words(each, required=key in required)), required=key in required)

    def _type(self, schema: Schema, owner: str, key: str) -> str:
        schema = _resolved(schema)
        if name := _referred(schema):
            if name not in _SIMPLE:
                self.add(name, self._kubernetes[name])
            return _SIMPLE.get(name, name)
        if "x-kubernetes-int-or-string" in schema:
            return "quantity" if "pattern" in schema else "int-or-text"
        if "items" in schema:
            return f"[{self._type(schema['items'], owner, key)}]"
        if "additionalProperties" in schema:
            return f"{{{self._type(schema['additionalProperties'], owner, key)}}}"
        if key == "metadata":
            return _META
        if "properties" in schema:
            known = self._shapes.get(repr(self._shape(schema, ())))
            name = known or f"{owner}{key[0].upper()}{key[1:]}"
            self.add(name, self._kubernetes[known] if known else schema)
            return name
        kinds = {"string": "text", "boolean": "boolean", "integer": "int64"}
        kind = kinds.get(schema.get("type", ""), "any")
        return _FORMATS.get(schema.get("format", ""), kind)

    def _shape(self, schema: Schema, within: tuple[str, ...]) -> object:
        """The fields all the way down, by which a definition in place is known to be one of Kubernetes."""
        schema = _resolved(schema)
        name = _referred(schema)
        if name in _SIMPLE or name in within or "x-kubernetes-int-or-string" in schema:
            return None
        if name:
            schema, within = self._kubernetes[name], (*within, name)
        if "properties" in schema:
            required = schema.get("required", ())
            return [
                (key, key in required, key == "metadata" or self._shape(each, within))
                for key, each in sorted(schema["properties"].items())
            ]
        inner = schema.get("items", schema.get("additionalProperties"))
        if isinstance(inner, dict) and inner:
            return [self._shape(inner, within)]
        return [word for word in _words(schema, required=True) if not word.startswith("=")]


def _resolved(schema: Schema) -> Schema:
    """A schema without the list of one that OpenAPI puts a reference with a default in."""
    all_of = schema.get("allOf")
    return all_of[0] if all_of and len(all_of) == 1 and "$ref" in all_of[0] else schema


def _referred(schema: Schema) -> str:
    name = str(schema.get("$ref", "")).rpartition(".")[2]
    return _CALLED.get(name, name)


def _words(schema: Schema, *, required: bool) -> Iterator[str]:
    """Yield what bounds a value."""
    for ends in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
        least, most = (schema.get(end, "") for end in ends)
        if f"{least}{most}":
            yield f"{least}..{most}"
    if "enum" in schema:
        yield "|".join(schema["enum"])
    if "enum" in schema.get("items", ()):
        yield f"each:{'|'.join(schema['items']['enum'])}"
    if "pattern" in schema and "x-kubernetes-int-or-string" not in schema:
        yield f"like:{_PATTERNS[schema['pattern']]}"
    if "x-kubernetes-list-map-keys" in schema:
        yield f"by:{','.join(schema['x-kubernetes-list-map-keys'])}"
    if schema.get("x-kubernetes-list-type") == "set":
        yield "once"
    if isinstance(schema.get("default"), str) and not required:
        yield f"={schema['default']}"
    if any("<= 1" in rule["rule"] for rule in schema.get("x-kubernetes-validations", ())):
        yield "exactly-one"


# --- all releases -----------------------------------------------------------------------------------------------------


_HEAD: Final = """\
# The fields of objects, written by tests/conformance/recorder/definitions.py: do not edit. One type a paragraph.
#
#   name[!] type [constraint ...]
#
# "!": the field is required. Types: text, integers (int32, int64), boolean, quantity, time, duration, int-or-text,
# bytes, any, the name of another type; [T] is a list and {T} a map from text. Constraints: N..M bounds a number, the
# length of a text or of a list; a|b is a choice, with each: before it a choice for the items of a list; like: names a
# pattern; by: names the fields that tell the items of a list apart; "once" is for lists without repetitions; = is a
# default that tells items apart; exactly-one wants one field to be given. They hold only in kinds of Volcano; rules.txt
# has what the API server itself checks of pods. What differs between releases of Volcano: when:B=V|W says that the
# field is there where behaviour B of vqs.releases.schemas has one of these values, if:B=V that what follows it, up to
# the next if:, holds only there.

"""


def definitions(volcano: str, kubernetes: Path) -> Iterator[str]:
    """Yield the lines of the table."""
    by_release = {release: _of_release(release, volcano, kubernetes) for release in Release}
    names = dict.fromkeys(name for types in reversed(by_release.values()) for name in types)
    found = {name: {release: types[name] for release, types in by_release.items() if name in types} for name in names}
    for name, own in _renamed(_without_doubles(found), _OF_MODEL).items():
        yield name
        for key in sorted({key for fields in own.values() for key in fields}):
            yield f"  {_line(key, {release: fields.get(key) for release, fields in own.items()})}"


def _of_release(release: Release, volcano: str, kubernetes: Path) -> dict[str, Fields]:
    version = re.search(r"k8s\.io/kubernetes (v[\d.]+)", _shown(volcano, release, "go.mod"))
    folder = kubernetes / f"kubernetes@{version[1] if version else ''}" / "api/openapi-spec/v3"
    schemas: dict[str, Schema] = {}
    for file in _KUBERNETES:
        components = json.loads((folder / f"{file}_openapi.json").read_bytes())["components"]["schemas"]
        schemas |= {_referred({"$ref": name}): each for name, each in components.items()}
    found = Definitions(schemas)
    for kind, file in _CUSTOM.items():
        text = _shown(volcano, release, f"config/crd/{file}", missing="")
        if text:
            version = yaml.load(text, yaml.CSafeLoader)["spec"]["versions"][0]
            found.add(kind, version["schema"]["openAPIV3Schema"])
    for kind in (each for kinds in _KUBERNETES.values() for each in kinds):
        found.add(kind, schemas[kind])
    return dict(_without_defaults(found.types))


def _without_defaults(types: dict[str, Fields]) -> Iterator[tuple[str, Fields]]:
    """Yield the types with the defaults of those fields only that tell the items of a list apart."""
    lists = [field for fields in types.values() for field in fields.values() if field.type.startswith("[")]
    keys = {(each.type[1:-1], key) for each in lists for word in each.words for key in re.split("[:,]", word)}
    for name, fields in types.items():
        yield (
            name,
            {
                key: field
                if (name, key) in keys
                else field._replace(words=tuple(word for word in field.words if not word.startswith("=")))
                for key, field in fields.items()
            },
        )


def _shown(volcano: str, release: Release, path: str, missing: str | None = None) -> str:
    command = ["git", "-C", volcano, "show", f"{release.tag}:{path}"]
    done = subprocess.run(command, check=missing is None, capture_output=True, text=True)  # noqa: S603 - no shell
    return done.stdout


def _line(key: str, fields: Mapping[Release, Field | None]) -> str:
    """A field as all releases have it, with what only some of them have."""
    having = {release: each for release, each in fields.items() if each is not None}
    newest = [*having.values()][-1]
    kept = f"{key}{'!' * newest.required} {newest.type}"
    if len(having) < len(fields):
        kept += f" when:{_condition(key, fields, having)}"
    conditional: defaultdict[str, list[str]] = defaultdict(list)
    for word in dict.fromkeys(word for each in reversed(having.values()) for word in each.words):
        with_it = [release for release, each in having.items() if word in each.words]
        if len(with_it) == len(having):
            kept += f" {word}"
        else:
            conditional[_condition(word, having, with_it)].append(word)
    return kept + "".join(f" if:{condition} {' '.join(words)}" for condition, words in conditional.items())


def _condition(what: str, among: Mapping[Release, object], holding: Any) -> str:
    """The behaviour that has other values with the releases where something holds than with the rest."""
    for pattern, name in _BEHAVIOURS:
        values = {release: getattr(profile_of(Build(release)).schemas, name) for release in among}
        inside = dict.fromkeys(values[release] for release in holding)
        if pattern.fullmatch(what) and all((values[each] in inside) == (each in holding) for each in among):
            return f"{name.replace('_', '-')}={'|'.join(inside)}"
    raise SystemExit(f"no behaviour of vqs/releases/schemas.py tells the releases apart that have {what}: {[*holding]}")


def _without_doubles(found: dict[str, dict[Release, Fields]]) -> dict[str, dict[Release, Fields]]:
    """The types by name; one of Volcano that is like another wherever it is defined is that one."""
    while True:
        renamed: dict[str, str] = {}
        kept: list[str] = []
        for name, own in sorted(found.items(), key=lambda item: len(item[1]), reverse=True):
            is_free = name.startswith(tuple(_CUSTOM)) and name not in _CUSTOM
            one = next((each for each in kept if is_free and own.items() <= found[each].items()), None)
            if one is None:
                kept.append(name)
            else:
                renamed[name] = one
        if not renamed:
            return found
        found = _renamed({name: own for name, own in found.items() if name not in renamed}, renamed)


def _renamed(found: dict[str, dict[Release, Fields]], names: Mapping[str, str]) -> dict[str, dict[Release, Fields]]:
    """Types of which some have other names."""
    return {
        names.get(name, name): {
            release: {
                key: field._replace(type="".join(names.get(each, each) for each in _WORDS.split(field.type)))
                for key, field in fields.items()
            }
            for release, fields in own.items()
        }
        for name, own in found.items()
    }


if __name__ == "__main__":
    sys.stdout.writelines([_HEAD] + [f"{line}\n" for line in definitions(sys.argv[1], Path(sys.argv[2]))])
