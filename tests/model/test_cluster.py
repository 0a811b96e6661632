"""The tree of queues, sane and insane ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.model.cluster import QueueTree, parent_name


def tree(**parents: str) -> QueueTree:
    """Return the tree of queues with these parents."""
    return QueueTree((name, parent_name(name, parent)) for name, parent in parents.items())


def test_line_ends_at_the_root() -> None:
    """A queue without a parent is below the root, and the root is below nothing, whatever it says."""
    queues = tree(root="team", team="", dev="team")
    assert [*queues.above("dev")] == ["team", "root"]
    assert [*queues.above("team")] == ["root"]
    assert [*queues.above("root")] == []


@pytest.mark.parametrize(
    ("name", "cycle"), [("a", ["b", "c", "a"]), ("b", ["c", "a", "b"]), ("below", []), ("own", ["own"]), ("team", [])]
)
def test_cycle(name: str, cycle: list[str]) -> None:
    """A cycle is one for the queues in it, not for those below it."""
    queues = tree(a="b", b="c", c="a", below="a", own="own", team="")
    assert queues.cycle(name) == cycle


def test_depth() -> None:
    """Queues right below the root are on level one."""
    queues = tree(team="", dev="team", night="dev")
    assert [queues.depth(name) for name in ("team", "dev", "night")] == [1, 2, 3]


def test_queues_come_and_go() -> None:
    """A queue that is taken away is no child any more, and ends the way up of those below it."""
    queues = tree(team="", dev="team", prod="team")
    queues.drop("dev")
    assert [*queues.child_names("team")] == ["prod"]
    queues.drop("team")
    assert [*queues.above("prod")] == ["team"]


@pytest.mark.parametrize(
    ("name", "ends"), [("dev", True), ("team", True), ("lost", True), ("a", False), ("below", False)]
)
def test_ends(name: str, ends: bool) -> None:
    """The way up ends at the root or at a missing queue, and not where it leads into a cycle."""
    assert tree(team="", dev="team", lost="missing", own="own", a="b", b="a", below="a").ends(name) is ends


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["", "root", "default", *"abcdefg"])))
def test_no_tree_is_endless(parents: dict[str, str]) -> None:
    """Whatever the parents are, lines end, name no queue twice, and a cycle consists of queues that agree on it."""
    queues = tree(**parents)
    for name in parents:
        line = [*queues.above(name)]
        assert len(line) == len(set(line))
        assert queues.ends(name) or any(map(queues.cycle, [name, *line]))
        cycle = queues.cycle(name)
        assert all(set(queues.cycle(each)) == set(cycle) for each in cycle)
        assert queues.depth(name) <= len(parents) + 2
