"""What the API server has every new pod tolerate for five minutes: nodes that are not ready, or not reachable.

It matters where a node has such a taint, and only then is it written.
Reference: k8s.io/kubernetes plugin/pkg/admission/defaulttolerationseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from vqs.model import kubernetes as k8s

_KEYS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_EFFECT: Final = "NoExecute"
_SECONDS: Final = 300


def default_tolerations(nodes: Iterable[k8s.Node]) -> Iterator[str]:
    """Yield the keys of the taints that nodes have, and that every new pod tolerates for a while."""
    tainted = {each.key for node in nodes for each in node.spec.taints if each.effect == _EFFECT}
    return (key for key in _KEYS if key in tainted)


def with_default_tolerations(spec: k8s.PodSpec, keys: Sequence[str]) -> k8s.PodSpec:
    """Return the spec of a new pod with the tolerations that it does not have of its own."""
    missing = [
        k8s.Toleration(key=key, operator="Exists", effect=_EFFECT, toleration_seconds=_SECONDS)
        for key in keys
        if not any(each.key in ("", key) and each.effect in ("", _EFFECT) for each in spec.tolerations)
    ]
    return replace(spec, tolerations=[*spec.tolerations, *missing]) if missing else spec
