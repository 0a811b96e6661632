"""What a session says of a vendor's build of Volcano: how it is known, and the pods whose nodes the vendor chooses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from vqs.config.scheduler_conf import BUILT_IN
from vqs.config.vendors import VENDORS, Vendor, vendors_of_plugins
from vqs.engine.framework.session import Session
from vqs.model import kubernetes as k8s
from vqs.model.task import TaskStatus
from vqs.model.wording import first_names, listed_names

VENDOR_BUILD: Final = "vendor-build"
PLACED_BY_VENDOR: Final = "placed-by-vendor"
_FEW: Final = 3


def vendor_labels(nodes: Iterable[k8s.Node]) -> dict[str, str]:
    """The first label of a node that a vendor gives to nodes, by the name of the vendor."""
    found: dict[str, str] = {}
    for node in nodes:
        for name, vendor in VENDORS.items():
            if name not in found:
                found.update(
                    (name, f"label {each} of node {node.metadata.name}") for each in vendor.labels(node.metadata.labels)
                )
    return found


def notice_vendors(session: Session, image_of: str, labels: Mapping[str, str]) -> None:
    """Note the vendors whose builds run the scheduler, and warn of the pods that they place.

    Args:
        session: a session that was just opened.
        image_of: the vendor that the scheduler's image is of, if it tells one.
        labels: the labels that vendors give to nodes, by the name of the vendor.
    """
    asked, conf = session.profile.build.vendor, session.conf
    plugins = vendors_of_plugins(option.name for option in conf.plugins)
    for name, vendor in VENDORS.items():
        evidence = [f"plugin {plugin}" for plugin in plugins.get(name, ())[:1]]
        evidence += ["its image"] if image_of == name else []
        if not evidence and conf.source == BUILT_IN:
            # Nodes have a vendor's labels for whatever scheduler: they tell it where nothing else is known of that, and
            # where it matters.
            evidence = [labels[name]] if name in labels and _asking(session, vendor) else []
        if not evidence and asked != name:
            continue
        release = session.profile.release
        told = f"this looks like a cluster of {vendor.title}, by {listed_names(evidence)}: " if evidence else ""
        text = f"{told}Volcano {release} is modelled, without what {vendor.title} adds"
        session.note(VENDOR_BUILD, text, help="" if asked == name else f"name it with --volcano {release}+{name}")
        asking = _asking(session, vendor)
        if asking:
            pods = sorted(set().union(*asking.values()))
            verb, them = ("asks", "it") if len(pods) == 1 else ("ask", "them")
            session.warn(
                PLACED_BY_VENDOR,
                f"{first_names(pods, _FEW)} {verb} for {listed_names(sorted(asking))}: which nodes and devices take "
                f"{them} is decided by {vendor.title}, and not modelled; what a node has of that counts as any other "
                "resource",
                unknown=[f"the nodes that {vendor.title} chooses"],
            )


def _asking(session: Session, vendor: Vendor) -> dict[str, set[str]]:
    """The waiting pods that ask for what the vendor hands out, by resource; none where vqs models that."""
    options = ((session.conf.plugin(plugin), names) for plugin, names in vendor.modelled_by.items())
    if any(option is not None and option.arguments.bool(name) for option, names in options for name in names):
        return {}
    asking: dict[str, set[str]] = {}
    for task in session.tasks(TaskStatus.Pending):
        for name in filter(vendor.places, task.request.names()):
            asking.setdefault(name, set()).add(f"{task.namespace}/{task.name}")
    return asking
