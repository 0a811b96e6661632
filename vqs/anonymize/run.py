"""Snapshots under other names: the words of all of them are taken note of first, then each is written.

What is written is looked at once more, whatever came before: each word of it is a fake, a number, or known to be
public.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any, Final

import msgspec
from msgspec import structs

from vqs.anonymize import vocabulary as public
from vqs.anonymize.configuration import configuration_text, device_config_maps
from vqs.anonymize.fakes import NoRoomError, assign
from vqs.anonymize.key import Key
from vqs.anonymize.rules import plain, shard_name
from vqs.anonymize.selectors import with_plain_selectors
from vqs.anonymize.words import RUN, WORD, Collector, Naming, Renamer, Vocabulary
from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.model import devices, keys
from vqs.model import kubernetes as k8s
from vqs.model.wording import count, first_names
from vqs.snapshot.apiserver.admission import is_stored
from vqs.snapshot.apiserver.validation.names import LONGEST_LABEL, LONGEST_SUBDOMAIN
from vqs.snapshot.cluster.build import matching
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.kinds import JUDGED_ONLY, KIND_OF, KINDS, LISTS, SCENARIO_KIND, SCENARIO_VERSION
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import scenario, settings, written_fields

_CONFIG_MAP: Final = ("volcano-system", "volcano-scheduler-configmap", "volcano-scheduler.conf")
_LEFT_OUT: Final = frozenset({"config_maps", *(KIND_OF[each].list_name for each in JUDGED_ONLY)})
"""Lists whose objects are not copied: configurations are rewritten, and the others do not affect scheduling."""

_NAMED: Final = 3
_LONGEST_NAMES: Final = {"Node": LONGEST_SUBDOMAIN, "Pod": LONGEST_SUBDOMAIN, "PodGroup": LONGEST_SUBDOMAIN}
"""How long names of objects may be, by kind; names of other kinds may become labels of the objects they control."""


@dataclass(frozen=True, slots=True)
class Anonymized:
    """Snapshots under other names.

    Attributes:
        snapshots: for each, its objects in JSON, one after the other.
        key: the new name of each original.
        renamed: how many different texts were replaced.
        notes: what was left out or may come out differently.
    """

    snapshots: list[list[bytes]]
    key: Key
    renamed: int
    notes: list[Diagnostic]


@dataclass(frozen=True, slots=True)
class _Snapshot:
    manifests: Manifests
    conf: SchedulerConfiguration | None


def anonymize(snapshots: Sequence[Manifests], key: Key) -> Anonymized:
    """Write snapshots under names that are the same in all of them.

    Args:
        snapshots: what is read.
        key: the fakes that words have from an earlier time.

    Raises:
        InputErrors: a snapshot cannot be written so that nothing tells whose it is, and everything decides as before.
    """
    notes = [
        _note("expectations-left-out", f"{len(each.expectations)} expectations were left out")
        for each in snapshots
        if each.expectations
    ]
    prepared = [_prepared(each, notes) for each in snapshots]
    vocabulary = Vocabulary(highest=max((_highest_index(each.manifests) for each in prepared), default=0))
    vocabulary.sorted_among.update(map(str, range(vocabulary.highest + 1)))
    for each in prepared:
        vocabulary.fixed.update(_put_into_names(each.manifests))
    vocabulary.sorted_among.update(vocabulary.fixed)
    collector = Collector(vocabulary)
    for each in prepared:
        for _ in _objects(each, collector):
            pass
    known = {word: fake for word, fake in key.fakes.items() if not vocabulary.stays(word)}
    try:
        fakes = assign(vocabulary.words, vocabulary.sorted_among, known)
    except NoRoomError:
        full = "the key is full: no new name fits between those it has; start a new key"
        raise InputErrors([Diagnostic(code="full-key", severity="error", message=full)]) from None
    renamer = Renamer(fakes, vocabulary)
    written = [[msgspec.json.encode(each) for each in _objects(snapshot, renamer)] for snapshot in prepared]
    proof = Proof(fakes, renamer.kept)
    for objects in written:
        for data in objects:
            proof.look_at(data.decode())
    if proof.leaks:
        words = ", ".join(sorted(proof.leaks)[:_NAMED])
        leaked = f"nothing was written: {len(proof.leaks)} words of the original would remain, such as {words}"
        hint = "this is a bug of vqs; please report it"
        raise InputErrors([Diagnostic(code="leak", severity="error", message=leaked, help=hint)])
    notes += _long_names(written, renamer.names)
    if renamer.long_numbers:
        labels = first_names(sorted({key for key, _ in renamer.long_numbers}))
        kept = count(len(renamer.long_numbers), "long number")
        message = f"selectors compare values of {labels}: {kept} kept"
        notes.append(_note("numbers-kept", message))
    notes += [note for each in prepared for note in _order_notes(each.manifests, renamer.names)]
    return Anonymized(written, Key({**key.fakes, **fakes}), len(renamer.names), notes)


def _prepared(manifests: Manifests, notes: list[Diagnostic]) -> _Snapshot:
    named, patterns = with_named_members(manifests)
    if patterns:
        notes.append(_note("patterns-named", f"{patterns} patterns of HyperNodes were replaced by what they match"))
    named, expressions = with_plain_selectors(named)
    if expressions:
        message = f"{expressions} selectors of devices were replaced by what they say of each device"
        notes.append(_note("selectors-replaced", message))
    return _Snapshot(named, named.scheduler if named.configuration is not None else None)


# --- objects ----------------------------------------------------------------------------------------------------------


def _objects(snapshot: _Snapshot, naming: Naming) -> Iterator[dict[str, Any]]:
    """Yield the objects of a snapshot, pods last; at least a Scenario, for what is empty is no input."""
    said = settings(snapshot.manifests)
    flags = said.get("flags", {})
    if "scheduler-sharding-name" in flags:
        naming.keep(flags["scheduler-sharding-mode"])
        flags["scheduler-sharding-name"] = shard_name(flags["scheduler-sharding-name"], naming)
    if "volcano" in said:
        naming.keep(said["volcano"])
    for behaviour in said.get("behaviours", {}).items():
        for word in behaviour:
            naming.keep(word)
    found = _manifests(snapshot, naming)
    first = next(found, None)
    if said or first is None:
        yield scenario(said)
    if first is not None:
        yield first
        yield from found


def _manifests(snapshot: _Snapshot, naming: Naming) -> Iterator[dict[str, Any]]:
    manifests = snapshot.manifests
    if snapshot.conf is not None:
        # As Volcano installs it, and as old as what is left out, for the session's time.
        namespace, name, key = _CONFIG_MAP
        metadata: dict[str, Any] = {"name": name, "namespace": namespace}
        born = [each.metadata.creation_timestamp for name in _LEFT_OUT for each in getattr(manifests, name)]
        newest = max((time for time in born if time is not None), default=None)
        if newest is not None:
            metadata["creationTimestamp"] = msgspec.to_builtins(newest)
        data = {key: configuration_text(snapshot.conf, naming)}
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    yield from device_config_maps(manifests.config_maps, naming)
    for list_name in sorted(set(LISTS) - _LEFT_OUT, key=lambda name: (name == "pods", LISTS.index(name))):
        for typed in getattr(manifests, list_name):
            kind = KIND_OF[type(typed)]
            yield {"apiVersion": kind.api_version, "kind": kind.name, **plain(typed, naming)}


def _highest_index(manifests: Manifests) -> int:
    """The highest number that a controller may put at the end of a pod's name."""
    numbers = [task.replicas for job in manifests.volcano_jobs for task in job.spec.tasks]
    numbers += [each.spec.completions or 0 for each in manifests.jobs]
    numbers += [
        each.spec.ordinals.start + (each.spec.replicas or 1)
        for each in manifests.workloads
        if isinstance(each, k8s.StatefulSet)
    ]
    return max(numbers, default=0)


def _put_into_names(manifests: Manifests) -> Iterator[str]:
    """Yield the words that go into the names of PodGroups which are made for pods without a uid to call them by."""
    pods = [pod for pod in manifests.pods if pod.spec.scheduler_name == keys.SCHEDULER_NAME]
    if any(not (pod.metadata.uid or pod.metadata.annotations.get(keys.GROUP_NAME)) for pod in pods):
        yield "pod"
    makers = [*manifests.workloads, *manifests.jobs, *manifests.deployments]
    if any(not each.metadata.uid for each in makers):
        yield from ("job", "replicaset", "statefulset")


# --- what is told of it -----------------------------------------------------------------------------------------------


def _long_names(written: Sequence[Sequence[bytes]], names: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Refuse texts that have become too long, but for objects that whoever reads them takes as they are.

    All but names of objects and annotations may have to be a label, of which the limit is the lowest.
    """
    # What is neither a name nor a label has no limit.
    too_long = ((name, fake) for name, fake in names.items() if len(fake) > LONGEST_LABEL)
    long = {fake: name for name, fake in too_long if re.sub("[-._]", "", name).isalnum()}
    if not long:
        return
    taken: set[str] = set()
    for value in (msgspec.json.decode(data) for objects in written for data in objects):
        # What was too long before is none the worse.
        texts = {text for text, limit in _limited(value) if text in long and len(long[text]) <= limit < len(text)}
        if texts and not is_stored(value):
            name = min(long[text] for text in texts)
            message = f"the new name of {name!r} in a {value['kind']} would be longer than Kubernetes allows"
            hint = "names of many short words cannot be renamed; "
            hint += "leave the object out, or take it from a cluster, with its uid"
            raise InputErrors([Diagnostic(code="name-too-long", severity="error", message=message, help=hint)])
        taken |= texts
    if taken:
        message = f"{len(taken)} names are now longer than Kubernetes allows; vqs reads them all the same"
        yield _note("long-names", message)


def _limited(value: Any, *, is_object: bool = True) -> Iterator[tuple[str, int]]:
    """Yield the texts in an object, with how long each may be."""
    if isinstance(value, str):
        yield value, LONGEST_LABEL
    elif isinstance(value, list):
        for each in value:
            yield from _limited(each, is_object=False)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key, LONGEST_LABEL
            if is_object and key == "metadata":
                yield each["name"], _LONGEST_NAMES.get(value["kind"], LONGEST_LABEL)
                yield from _limited({**each, "name": None}, is_object=False)
            elif key != "annotations":
                yield from _limited(each, is_object=False)


def _order_notes(manifests: Manifests, names: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Say so where names do not sort as the originals do, by which ties are broken."""
    nodes = [each.metadata.name for each in manifests.nodes]
    queues = [each.metadata.name for each in manifests.queues]
    metadata = [*(each.metadata for each in manifests.pod_groups), *(each.metadata for each in manifests.pods)]
    keyed = {
        each.key: f"{names.get(each.namespace, each.namespace)}/{names.get(each.name, each.name)}" for each in metadata
    }
    astray = out_of_order(nodes, names) + out_of_order(queues, names) + out_of_order(keyed, keyed)
    if astray:
        message = f"{astray} names sort differently among the others now, so ties may be broken differently"
        yield Diagnostic(code="order-changed", severity="warning", message=message)


def _note(code: str, message: str) -> Diagnostic:
    return Diagnostic(code=code, severity="note", message=message)


# --- members of HyperNodes --------------------------------------------------------------------------------------------


def with_named_members(manifests: Manifests) -> tuple[Manifests, int]:
    """Manifests with the members of HyperNodes named that patterns choose, and how many patterns there were.

    No fake pattern fits fake names. A pattern that cannot be read chooses nothing.
    """
    patterns = sum(
        member.selector.regex_match is not None for each in manifests.hyper_nodes for member in each.spec.members
    )
    if not patterns:
        return manifests, 0
    names = {
        "Node": [each.metadata.name for each in manifests.nodes],
        "HyperNode": [each.metadata.name for each in manifests.hyper_nodes],
    }
    hyper_nodes = [
        structs.replace(
            each, spec=structs.replace(each.spec, members=list(_without_patterns(each.spec.members, names)))
        )
        for each in manifests.hyper_nodes
    ]
    return replace(manifests, hyper_nodes=hyper_nodes), patterns


def _without_patterns(members: list[k8s.HyperNodeMember], names: dict[str, list[str]]) -> Iterator[k8s.HyperNodeMember]:
    for member in members:
        pattern = member.selector.regex_match
        if pattern is None:
            yield member
            continue
        for name in matching(pattern.pattern, names.get(member.type, ())) or ():
            yield structs.replace(member, selector=k8s.MemberSelector(exact_match=k8s.ExactMatch(name)))


# --- the last look ----------------------------------------------------------------------------------------------------

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
            if word in self._originals or not (
                word in self._allowed or _PLAIN.fullmatch(word) or public.DEFAULT_TASK.fullmatch(word)
            ):
                self.leaks.add(word)
        self.leaks.update(run for run in RUN.findall(plain) if run in self._originals)


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
