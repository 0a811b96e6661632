"""Capturing a cluster, kind by kind, into a file: a List in JSON, an object a line, compressed or not.

The file is written in parts, of which the last can be taken back as if it had never been begun. Each is compressed for
itself; what reads compressed files reads parts that follow one another as one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Final, NamedTuple
from urllib.parse import quote

import msgspec

from vqs import inert
from vqs.capture.kubectl import AbsentError, ClusterError, Connection, ExpiredError, ForbiddenError, decode_object
from vqs.capture.secrets import without_secrets
from vqs.model import kubernetes as k8s
from vqs.model.keys import SCHEDULER_NAME
from vqs.snapshot.reading.compression import Compression
from vqs.snapshot.reading.configuration.text import is_configuration
from vqs.snapshot.reading.documents import Capture, Missing
from vqs.snapshot.reading.json_text import decode
from vqs.snapshot.reading.kinds import CONFIGURATION, WANTED, WANTED_IF_SERVED, WantedKind, typed_item

Progress = Callable[[str, int, int], None]
Add = Callable[[Any], None]

_HEAD: Final = b'{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":['
_END: Final = b"\n]}\n"

_encoder: Final = msgspec.json.Encoder()


SIZE: Final = 500
"""The number of objects asked for at a time, as kubectl does; every further try at a list takes larger pages."""

_GROWTH: Final = 4
_TRIES: Final = 4


class Archive:
    """A List that is being written to a file that can be sought in."""

    def __init__(self, file: BinaryIO, compression: Compression | None) -> None:
        self._file = file
        self._compression = compression
        self._objects = 0
        with self._opened() as stream:
            stream.write(_HEAD)

    @contextmanager
    def part(self) -> Iterator[Add]:
        """Yield what takes an object of a part; if an error comes out of it, all its objects are taken back."""
        start, objects = self._file.tell(), self._objects
        try:
            with self._opened() as stream:

                def add(value: Any) -> None:
                    text = inert.json(_encoder.encode(value).decode())
                    stream.write((b",\n" if self._objects else b"\n") + text.encode())
                    self._objects += 1

                yield add
        except BaseException:
            self._objects = objects
            self._file.seek(start)
            self._file.truncate()
            raise

    def finish(self) -> None:
        """Write the end of the List."""
        with self._opened() as stream:
            stream.write(_END)

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """Yield what writes into the file, compressed."""
        if self._compression is None:
            yield self._file
            return
        with self._compression.writer(self._file) as stream:
            yield stream


@dataclass(slots=True)
class Captured:
    """What was written: how many objects by the names that kubectl has for their kinds, and what is missing."""

    objects: Counter[str] = field(default_factory=Counter)
    missing: list[Missing] = field(default_factory=list)


def capture(
    connection: Connection, file: BinaryIO, compression: Compression | None, namespace: str, progress: Progress
) -> Captured:
    """Write the objects of a cluster that vqs reads to a seekable file.

    Raises:
        ClusterError: the cluster does not answer any more, or nothing in it may be read.
    """
    run = _Run(connection, Archive(file, compression), namespace, progress)
    if namespace:
        try:
            connection.one(f"/api/v1/namespaces/{quote(namespace, safe='')}")
        except AbsentError:  # of a namespace that there is not, every list is empty
            raise ClusterError(f"there is no namespace {namespace} in the cluster") from None
        except ForbiddenError:
            pass  # who may read what is in a namespace need not be allowed to read the namespace
    for wanted in WANTED:
        if wanted is not CONFIGURATION:
            run.add_kind(wanted)
    for wanted in WANTED_IF_SERVED:
        run.add_kind(wanted, may_be_absent=True)
    run.refuse_nothing()
    run.add_configuration()
    record = Capture(run.namespace, list(run.captured.objects), run.captured.missing)
    with run.archive.part() as add:
        add(record.as_object())
    run.archive.finish()
    return run.captured


class _Run:
    """A capture on its way."""

    def __init__(self, connection: Connection, archive: Archive, namespace: str, progress: Progress) -> None:
        self.connection = connection
        self.archive = archive
        self.namespace = namespace
        self.progress = progress
        self.captured = Captured()

    def add_kind(self, wanted: WantedKind, *, may_be_absent: bool = False) -> None:
        """Add all objects of a kind, or record that they cannot be read; that they are absent, unless they may be."""
        try:
            self.captured.objects[wanted.kubectl_name] = self._listed(wanted)
        except ForbiddenError:
            self.captured.missing.append(Missing(wanted.kubectl_name, "forbidden"))
        except AbsentError:
            if not may_be_absent:
                self.captured.missing.append(Missing(wanted.kubectl_name, "absent"))

    def refuse_nothing(self) -> None:
        """Refuse a cluster of which nothing can be read."""
        if self.captured.objects:
            return
        if any(each.is_forbidden for each in self.captured.missing):
            raise ClusterError(
                "you are not allowed to list anything"
                + ("; with -n NAMESPACE, permissions in one namespace are enough" if not self.namespace else "")
            )
        raise ClusterError("the answer is not from a Kubernetes API server: it serves none of the kinds")

    def add_configuration(self) -> None:
        """Add the scheduler's configuration, or record that it cannot be read."""
        try:
            config_map = scheduler_configuration(self.connection)
        except ForbiddenError:
            self.captured.missing.append(Missing(CONFIGURATION.kubectl_name, "forbidden"))
        except AbsentError:
            self.captured.missing.append(Missing(CONFIGURATION.kubectl_name, "absent"))
        else:
            self.captured.objects[CONFIGURATION.kubectl_name] = 1
            with self.archive.part() as add:
                add(config_map)

    def _listed(self, wanted: WantedKind) -> int:
        """Add all objects of a kind, and return their number; start again where the list expires."""
        size = SIZE
        for _ in range(_TRIES - 1):
            try:
                return self._list(wanted, size)
            except ExpiredError:
                size *= _GROWTH
        try:
            return self._list(wanted, size)
        except ExpiredError:
            raise ClusterError(
                f"the list of {wanted.kubectl_name} expired before all of it was read: the connection is too slow"
            ) from None

    def _list(self, wanted: WantedKind, size: int) -> int:
        usual = {"apiVersion": wanted.kind.api_version, "kind": wanted.kind.name}
        root = "/apis" if wanted.kind.group else "/api"
        in_one = self.namespace and wanted.kind.namespaced
        inside = f"/namespaces/{quote(self.namespace, safe='')}" if in_one else ""
        path = f"{root}/{wanted.kind.api_version}{inside}/{wanted.resource}"
        done = 0
        with self.archive.part() as add:
            for page in self.connection.pages(path, size):
                for item in page.items or ():
                    add(without_secrets(typed_item(_item(item), usual)))
                    done += 1
                self.progress(wanted.resource, done, done + (page.metadata.remaining_item_count or 0))
        return done


def _item(data: msgspec.Raw) -> dict[str, Any]:
    try:
        return decode_object(data)
    except msgspec.ValidationError:
        raise ClusterError(
            "the answer is not from a Kubernetes API server: its list has items that are not objects"
        ) from None


# --- the scheduler's configuration ------------------------------------------------------------------------------------

_DEPLOYMENTS: Final = "/apis/apps/v1/deployments"
_LABEL: Final = "app=volcano-scheduler"
_DEPLOYMENTS_AT_ONCE: Final = 100
_CONF: Final = "--scheduler-conf"
_NAME: Final = "--scheduler-name"


class _Place(NamedTuple):
    """Where a configuration may be: a ConfigMap, and a key in it, empty if that is not known."""

    namespace: str
    name: str
    key: str = ""


class _Container(msgspec.Struct):
    command: list[str] | None = None
    args: list[str] | None = None


class _Source(msgspec.Struct):
    name: str = ""


class _Volume(msgspec.Struct, rename="camel"):
    config_map: _Source | None = None


class _PodSpec(msgspec.Struct):
    containers: list[_Container] | None = None
    volumes: list[_Volume] | None = None


class _Template(msgspec.Struct):
    spec: _PodSpec


class _Spec(msgspec.Struct):
    template: _Template


class _Metadata(msgspec.Struct):
    namespace: str


class _Deployment(msgspec.Struct):
    """What a Deployment says of its scheduler's command line and volumes."""

    metadata: _Metadata
    spec: _Spec


_decode: Final = msgspec.json.Decoder(_Deployment).decode

_USUAL: Final = _Place("volcano-system", "volcano-scheduler-configmap")
"""Where it is as Volcano's own manifests have it."""


def scheduler_configuration(connection: Connection) -> dict[str, Any]:
    """The ConfigMap that the scheduler reads, with its configuration and nothing else in it.

    Raises:
        ForbiddenError: there is no right to read it.
        AbsentError: there is none.
        ClusterError: the cluster does not answer.
    """
    forbidden: ForbiddenError | None = None
    for place in dict.fromkeys((*_mounted(connection), _USUAL)):
        try:
            config_map = connection.one(f"/api/v1/namespaces/{place.namespace}/configmaps/{place.name}")
        except AbsentError:
            continue
        except ForbiddenError as error:
            forbidden = error
            continue
        data = _configurations(config_map, place.key)
        if data:
            metadata = without_secrets(config_map).get("metadata")
            if not isinstance(metadata, dict):
                raise ClusterError(
                    f"the answer is not from a Kubernetes API server: its ConfigMap {place.name} has no metadata"
                )
            return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    raise forbidden or AbsentError("there is no scheduler configuration")


def _mounted(connection: Connection) -> Iterator[_Place]:
    """Yield what the schedulers that there are have mounted, those of the usual name."""
    try:
        pages = list(connection.pages(_DEPLOYMENTS, _DEPLOYMENTS_AT_ONCE, labelSelector=_LABEL))
    except (AbsentError, ForbiddenError):
        return
    for item in (item for page in pages for item in page.items or ()):
        try:
            deployment = _decode(item)
        except msgspec.ValidationError as error:
            raise ClusterError(
                f"the answer is not from a Kubernetes API server: its Deployment of the scheduler is malformed: {error}"
            ) from None
        spec = deployment.spec.template.spec
        words = [word for each in spec.containers or () for word in (*(each.command or ()), *(each.args or ()))]
        if (_value_of(_NAME, words) or SCHEDULER_NAME) != SCHEDULER_NAME:
            continue
        key = PurePosixPath(_value_of(_CONF, words)).name
        for volume in spec.volumes or ():
            if volume.config_map is not None:
                yield _Place(deployment.metadata.namespace, volume.config_map.name, key)


def _value_of(flag: str, words: list[str]) -> str:
    """The value of a flag on a command line, empty if it is not given."""
    for word, following in pairwise((*words, "")):
        name, equals, value = word.partition("=")
        if name == flag:
            return value if equals else following
    return ""


def _configurations(config_map: dict[str, Any], key: str) -> dict[str, str]:
    """The scheduler configurations in a ConfigMap by their keys: the one of a key, if that is known."""
    typed = decode(config_map, k8s.ConfigMap)[0]
    if typed is None:
        return {}
    keys = [key] if key in typed.data else list(typed.data)
    return {each: typed.data[each] for each in keys if is_configuration(typed, each)}
