"""HyperNodes become a tree, whose members are chosen by name, by pattern and by label."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.build import Object, hyper_node, manifests, node
from vqs.model.hypernode import HyperNodes
from vqs.snapshot.cluster.hyper_nodes import hyper_nodes


def read(*objects: Object) -> HyperNodes:
    """Return the HyperNodes of some objects."""
    found = manifests(objects)
    return hyper_nodes(found.hyper_nodes, found.nodes)


def test_nodes_are_members_by_name_pattern_and_label() -> None:
    """A name counts whether the node exists or not; a pattern need not match from the beginning."""
    found = read(
        node("rack1-a", labels={"rack": "1"}),
        node("rack2-b", labels={"rack": "2"}),
        node("c"),
        hyper_node("by-name", 1, nodes=["c", "gone"]),
        hyper_node("by-pattern", 1, pattern="k[[:digit:]]-"),
        hyper_node("by-label", 1, labels={"rack": "2"}),
        hyper_node("by-nothing", 1, labels={}),
        hyper_node("unreadable", 1, pattern="rack["),
    )
    assert {name: each.nodes for name, each in found.by_name.items()} == {
        "by-name": {"c", "gone"},
        "by-pattern": {"rack1-a", "rack2-b"},
        "by-label": {"rack2-b"},
        "by-nothing": set(),
        "unreadable": set(),
    }


def test_a_hyper_node_has_the_nodes_of_those_below_it() -> None:
    """Whatever the order of names, and also where one has nodes of its own."""
    found = read(
        hyper_node("a-top", 3, members=["z-leaf", "m-spine"]),
        hyper_node("m-spine", 2, members=["b-leaf"], nodes=["n3"]),
        hyper_node("b-leaf", 1, nodes=["n1"]),
        hyper_node("z-leaf", 1, nodes=["n2"]),
    )
    assert found.by_name["a-top"].nodes == {"n1", "n2", "n3"}
    assert found.by_name["m-spine"].nodes == {"n1", "n3"}
    assert found.by_name["b-leaf"].parent == "m-spine"
    assert not found.fault


def test_of_two_of_one_name_the_last_counts() -> None:
    """The scheduler's cache has one entry for a name, which what comes later replaces."""
    found = read(hyper_node("s", 1, nodes=["n1"]), hyper_node("s", 2, nodes=["n2"]))
    assert (found.by_name["s"].tier, found.by_name["s"].nodes) == (2, {"n2"})


def test_a_member_without_an_object_is_known_by_name() -> None:
    """It has no nodes, and nothing is wrong with it."""
    found = read(hyper_node("top", 2, members=["missing"]))
    assert not found.by_name["missing"].defined
    assert found.by_name["missing"].parent == "top"
    assert not found.fault


def test_two_parents_are_a_fault() -> None:
    """The message names both."""
    found = read(hyper_node("a", 2, members=["x"]), hyper_node("b", 2, members=["x"]), hyper_node("x", 1))
    assert found.fault == "HyperNode x is a member of both a and b"


def test_a_circle_is_a_fault() -> None:
    """Also one of a single HyperNode."""
    assert "member of itself" in read(hyper_node("a", 1, members=["b"]), hyper_node("b", 2, members=["a"])).fault
    assert "member of itself" in read(hyper_node("a", 1, members=["a"])).fault


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12))
def test_what_is_read_is_always_a_forest(edges: list[tuple[int, int]]) -> None:
    """Following parents ends, and each HyperNode has all nodes of its children."""
    members: dict[int, list[str]] = {}
    for parent, child in edges:
        members.setdefault(parent, []).append(f"h{child}")
    made = [hyper_node(f"h{at}", at, nodes=[f"n{at}"], members=members.get(at, [])) for at in range(8)]
    found = read(*made).by_name
    for each in found.values():
        name, steps = each.name, 0
        while name:
            name, steps = found[name].parent, steps + 1
            assert steps <= len(found)
        below = [found[child] for child in each.children]
        assert all(child.parent == each.name and child.nodes <= each.nodes for child in below)
