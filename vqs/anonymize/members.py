"""Members of HyperNodes that are chosen by a pattern: no fake pattern fits fake names, so the members are named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.snapshot.cluster.hyper_nodes import matching
from vqs.snapshot.reading.manifests import Manifests


def with_named_members(manifests: Manifests) -> tuple[Manifests, int]:
    """Manifests without patterns, and how many there were; a pattern that cannot be read chooses nothing."""
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
