"""The tree of queues, sane and insane ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.lint.finding import Place
from vqs.lint.queue_tree import QueueTree
from vqs.model.kubernetes import ObjectMeta, Queue, QueueSpec


def tree(**parents: str) -> QueueTree:
    """Return the tree of queues with these parents."""
    queues = [Queue(ObjectMeta(name), QueueSpec(parent=parent)) for name, parent in parents.items()]
    return QueueTree((queue, Place("queues", index)) for index, queue in enumerate(queues))


def test_line_ends_at_the_root() -> None:
    """A queue without a parent is below the root, and the root is below nothing, whatever it says."""
    queues = tree(root="team", team="", dev="team")
    assert queues.line("dev") == ["team", "root"]
    assert queues.line("team") == ["root"]
    assert queues.line("root") == []


def test_line_ends_at_a_missing_queue() -> None:
    """A parent that does not exist is the last one, as nobody knows what is above it."""
    queues = tree(dev="team")
    assert queues.line("dev") == ["team"]
    assert not queues.exists("team")
    assert queues.ancestors("dev") == []


def test_default_and_root_always_exist() -> None:
    """The scheduler makes the default and the root queue, written or not, and one is below the other."""
    queues = tree(dev="default")
    assert queues.exists("default")
    assert queues.exists("root")
    assert queues.line("dev") == ["default", "root"]


def test_children() -> None:
    """Children are found by their parent in the order of their names, those of the root also where they name none."""
    queues = tree(team="", dev="team", prod="team", other="root")
    assert [child.name for child in queues.children("team")] == ["dev", "prod"]
    assert [child.name for child in queues.children("root")] == ["other", "team"]
    assert queues.children("dev") == []


@pytest.mark.parametrize(
    ("name", "cycle"), [("a", ["b", "c", "a"]), ("b", ["c", "a", "b"]), ("below", []), ("own", ["own"]), ("team", [])]
)
def test_cycle(name: str, cycle: list[str]) -> None:
    """A cycle is told for the queues in it, not for those below it."""
    queues = tree(a="b", b="c", c="a", below="a", own="own", team="")
    assert queues.cycle(name) == cycle


def test_a_queue_is_no_ancestor_of_its_own() -> None:
    """In a cycle, the others are ancestors, and the queue itself is not."""
    queues = tree(a="b", b="a")
    assert [queue.name for queue in queues.ancestors("a")] == ["b"]


def test_depth() -> None:
    """Queues right below the root are on level one."""
    queues = tree(team="", dev="team", night="dev")
    assert [queues.depth(name) for name in ("team", "dev", "night")] == [1, 2, 3]


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["", "root", "default", *"abcdefg"])))
def test_no_tree_is_endless(parents: dict[str, str]) -> None:
    """Whatever the parents are, lines end, name no queue twice, and a cycle consists of queues that agree on it."""
    queues = tree(**parents)
    for name in parents:
        line = queues.line(name)
        assert len(line) == len(set(line))
        cycle = queues.cycle(name)
        assert all(set(queues.cycle(each)) == set(cycle) for each in cycle)
        assert queues.depth(name) <= len(parents) + 3
