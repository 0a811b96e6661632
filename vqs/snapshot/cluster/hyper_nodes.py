"""HyperNodes as the scheduler's cache holds them: who is whose member, and which nodes are below each.

A HyperNode that is a member of two, or of itself through others, is a fault: then the scheduler does not place jobs
that ask for a network topology. What the cache holds meanwhile depends on the order of events; here, the HyperNodes are
taken by name, and what would be the fault is left out.
Reference: pkg/scheduler/api/hyper_node_info.go (BuildHyperNodeCache, GetMembers).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from vqs.model import kubernetes
from vqs.model.hypernode import HyperNode, HyperNodes
from vqs.model.selectors import label_selector
from vqs.snapshot.apiserver.validation.expressions import NotAnExpressionError, UndecidedError, expression

NODE = "Node"
HYPER_NODE = "HyperNode"


def hyper_nodes(objects: Iterable[kubernetes.HyperNode], nodes: Sequence[kubernetes.Node]) -> HyperNodes:
    """The HyperNodes of a cluster; of several objects of one name, the last one counts."""
    defined = {each.metadata.name: each for each in objects}
    found = HyperNodes({})
    for name, written in sorted(defined.items()):
        made = found.by_name[name] = HyperNode(name, written.spec.tier, written.spec.tier_name)
        for member in written.spec.members:
            if member.type == NODE:
                made.nodes |= _members(member.selector, nodes)
    for name in sorted(defined):
        for member in defined[name].spec.members:
            if member.type == HYPER_NODE and member.selector.exact_match is not None:
                _adopt(found, name, member.selector.exact_match.name)
    # Add the nodes of each HyperNode to those above it, from the bottom up.
    from_top = [each.name for each in found.by_name.values() if not each.parent]
    for name in from_top:
        from_top.extend(found.by_name[name].children)
    for name in reversed(from_top):
        each = found.by_name[name]
        if each.parent:
            found.by_name[each.parent].nodes |= each.nodes
    return found


def _members(selector: kubernetes.MemberSelector, nodes: Sequence[kubernetes.Node]) -> set[str]:
    """The names of the nodes that a selector chooses; what cannot be read chooses none."""
    members: set[str] = set()
    if selector.exact_match is not None and selector.exact_match.name:
        members.add(selector.exact_match.name)
    if selector.regex_match is not None:
        names = [node.metadata.name for node in nodes]
        chosen_by_pattern = matching(selector.regex_match.pattern, names)
        if chosen_by_pattern is None:
            return set()
        members.update(chosen_by_pattern)
    if selector.label_match is not None:
        chosen = label_selector(selector.label_match)
        if not chosen.empty:
            members.update(node.metadata.name for node in nodes if chosen.matches(node.metadata.labels))
    return members


def matching(pattern: str, names: Iterable[str]) -> list[str] | None:
    """The names that the pattern of a member matches, None if it cannot be read."""
    try:
        regexp = expression(pattern)
        return [name for name in names if regexp.matches(name)]
    except (NotAnExpressionError, UndecidedError):
        return None


def _adopt(found: HyperNodes, parent: str, name: str) -> None:
    """Make a HyperNode a member of another, or note why it cannot be; one without an object is made up."""
    if not name:
        return
    child = found.by_name.setdefault(name, HyperNode(name, defined=False))
    if child.parent and child.parent != parent:
        found.fault = found.fault or f"HyperNode {name} is a member of both {child.parent} and {parent}"
    elif _is_below(found.by_name, parent, name):
        found.fault = found.fault or f"HyperNode {name} is a member of itself, through {parent}"
    elif not child.parent:
        child.parent = parent
        found.by_name[parent].children.append(name)


def _is_below(by_name: Mapping[str, HyperNode], name: str, other: str) -> bool:
    """True if a HyperNode is another one, or is below it."""
    if not by_name[other].children:
        return name == other
    while name:
        if name == other:
            return True
        name = by_name[name].parent
    return False
