"""A pod that asks for a resource that no node has."""

from collections.abc import Iterator

from vqs.lint.amounts import is_scheduled, near_names
from vqs.lint.pod_sources import LISTS, PodSource, and_others, families, pod_sources
from vqs.lint.rule import Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model.quantity import parse

_EVERYWHERE = frozenset({"cpu", "memory", "ephemeral-storage"})
_SHARED_DEVICES = ("volcano.sh/", "huawei.com/")
"""Vendors whose devices the plugin deviceshare finds in annotations of nodes, not in their allocatable."""


def check(context: LintContext) -> Findings:
    """Find names of resources in requests and limits that no node's allocatable has."""
    nodes = [node.status.allocatable for node, _ in context.objects("nodes")]
    known = {name for allocatable in nodes for name, amount in allocatable.items() if parse(amount) > 0}
    resources = _Resources(known)
    shared = context.conf.plugin("deviceshare") is not None
    sources = (each for each in pod_sources(context) if each.waits and each.for_volcano)
    for source, number in families(sources, lambda each: tuple(name for name, _ in _asked_for(each))):
        known = resources.known
        reported: set[str] = set()
        for name, place in _asked_for(source):
            if name in known or name in reported or (shared and name.startswith(_SHARED_DEVICES)):
                continue
            reported.add(name)
            what = and_others(source.what, number)
            if not is_scheduled(name):
                hint = resources.near_known_to_all(name) or resources.vendor(name)
                message = (
                    f"{what} asks for {name}, which is not the name of a resource: one that is not Kubernetes' own "
                )
                message += "has a vendor's prefix"
                denied = None if source.is_stored else source.judge
                yield Finding(f"{message} ({hint})" if hint else message, place, denied=denied)
            elif known:
                hint = resources.near(name)
                message = f"{what} asks for {name}, and no node has any"
                severity = None if hint else Severity.WARNING  # nodes that have some may come
                yield Finding(f"{message} ({hint})" if hint else message, place, severity=severity)


class _Resources:
    """The resources that nodes have, by their names, and by what these are behind a vendor's prefix."""

    def __init__(self, known: set[str]) -> None:
        self.known = known
        self.near = near_names(known)
        self.near_known_to_all = near_names(known | _EVERYWHERE)
        self.vendors: dict[str, str] = {}
        for name in sorted(known):
            self.vendors.setdefault(name.partition("/")[2], name)

    def vendor(self, name: str) -> str:
        """A hint at the resource that has the same name behind a vendor's prefix."""
        found = self.vendors.get(name) if name else None
        return f"did you mean {found!r}?" if found else ""


def _asked_for(source: PodSource) -> Iterator[tuple[str, Place]]:
    for key, containers in (("containers", source.spec.containers), ("initContainers", source.spec.init_containers)):
        for index, container in enumerate(containers):
            resources = container.resources
            for field, amounts in (("requests", resources.requests), ("limits", resources.limits)):
                for name, amount in amounts.items():
                    counts = field == "requests" or name not in resources.requests
                    if counts and name not in _EVERYWHERE and parse(amount) > 0:
                        yield name, source.at("spec", key, index, "resources", field, name)


RULE = Rule(
    code="unknown-resource-requested",
    severity=Severity.ERROR,
    title="a pod asks for a resource that no node has",
    meaning="A container requests, or is limited to, a resource that no node has in its allocatable. It is an error if "
    "the name resembles one that nodes have, or is not the name of a resource, and otherwise a warning, because nodes "
    "with the resource may be added.",
    why="No node fits such a pod, so it stays Pending, and its gang with it. The API server refuses a name without a "
    "vendor's prefix that is not one of Kubernetes.",
    fix="Correct the name. If nodes should have the resource, check that the vendor's device plugin runs on them.",
    source="pkg/scheduler/api/resource_info.go",
    check=check,
    looks_at=(*LISTS, "nodes", "conf"),
    example="requests: {nvidia.com/gpus: 1}, where nodes have nvidia.com/gpu",
)
