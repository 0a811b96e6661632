"""Finding the scheduler's own ConfigMap: no other one is read, for people keep passwords in them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

import msgspec

from vqs.capture.kubectl import AbsentError, ClusterError, Connection, ForbiddenError
from vqs.capture.secrets import without_secrets
from vqs.model import kubernetes as k8s
from vqs.model.keys import SCHEDULER_NAME
from vqs.snapshot.reading.configuration.text import is_configuration
from vqs.snapshot.reading.decoding import decode

_DEPLOYMENTS: Final = "/apis/apps/v1/deployments"
_LABEL: Final = "app=volcano-scheduler"
_SIZE: Final = 100
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
        pages = list(connection.pages(_DEPLOYMENTS, _SIZE, labelSelector=_LABEL))
    except (AbsentError, ForbiddenError):
        return
    for item in (item for page in pages for item in page.items or ()):
        deployment = _deployment(item)
        spec = deployment.spec.template.spec
        words = [word for each in spec.containers or () for word in (*(each.command or ()), *(each.args or ()))]
        if (_value_of(_NAME, words) or SCHEDULER_NAME) != SCHEDULER_NAME:
            continue
        key = PurePosixPath(_value_of(_CONF, words)).name
        for volume in spec.volumes or ():
            if volume.config_map is not None:
                yield _Place(deployment.metadata.namespace, volume.config_map.name, key)


def _deployment(data: msgspec.Raw) -> _Deployment:
    try:
        return _decode(data)
    except msgspec.ValidationError as error:
        raise ClusterError(
            f"the answer is not from a Kubernetes API server: its Deployment of the scheduler is malformed: {error}"
        ) from None


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
