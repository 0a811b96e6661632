"""The groups of resources by which Volcano's webhook for pods changes new pods, as its configuration has them.

Reference: pkg/webhooks/admission/pods/mutate in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
import yaml

from vqs.model import kubernetes as k8s

_KEY: Final = "volcano-admission.conf"
_ANNOTATION: Final = "volcano.sh/resource-group"


class _Object(msgspec.Struct):
    key: str = ""
    value: list[str] = []


class ResourceGroup(msgspec.Struct, rename="camel"):
    """Pods of a namespace or with an annotation, and the scheduler that they are given."""

    resource_group: str = ""
    object: _Object = msgspec.field(default_factory=_Object)
    scheduler_name: str = ""

    def has(self, namespace: str, annotations: Mapping[str, str]) -> bool:
        """Whether pods of a namespace with some annotations belong to it."""
        if self.object.key == "namespace":
            return namespace in self.object.value
        written = {f"{name}: {value}" for name, value in annotations.items()}
        is_named = not self.object.key and annotations.get(_ANNOTATION) == self.resource_group
        return is_named or (self.object.key in ("", "annotation") and not written.isdisjoint(self.object.value))


def resource_groups(config_maps: Iterable[k8s.ConfigMap]) -> Iterator[ResourceGroup]:
    """Yield the groups in the configuration of the webhooks; none where it cannot be read."""
    for each in config_maps:
        try:
            value: Any = yaml.safe_load(each.data.get(_KEY, "")) or {}
            yield from msgspec.convert(value.get("resourceGroups") or [], list[ResourceGroup])
        except (yaml.YAMLError, msgspec.ValidationError, AttributeError):
            continue


def scheduler_of(groups: Iterable[ResourceGroup], namespace: str, annotations: Mapping[str, str]) -> str:
    """The scheduler that the first group of some pods gives them; empty where it gives none."""
    return next((each.scheduler_name for each in groups if each.has(namespace, annotations)), "")
