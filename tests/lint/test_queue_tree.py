"""The tree of the queues of a context."""

from __future__ import annotations

from vqs.lint.queue_tree import WrittenTree
from vqs.lint.rule import Place
from vqs.model.kubernetes import ObjectMeta, Queue, QueueSpec


def tree(**parents: str) -> WrittenTree:
    """Return the tree of queues with these parents."""
    queues = [Queue(ObjectMeta(name), QueueSpec(parent=parent)) for name, parent in parents.items()]
    return WrittenTree((queue, Place("queues", index)) for index, queue in enumerate(queues))


def test_line_ends_at_a_missing_queue() -> None:
    """A parent that does not exist is the last one, as nobody knows what is above it."""
    queues = tree(dev="team")
    assert [*queues.above("dev")] == ["team"]
    assert not queues.exists("team")
    assert queues.ancestors("dev") == []


def test_default_and_root_always_exist() -> None:
    """The scheduler makes the default and the root queue, written or not, and one is below the other."""
    queues = tree(dev="default")
    assert queues.exists("default")
    assert queues.exists("root")
    assert [*queues.above("dev")] == ["default", "root"]


def test_children() -> None:
    """Children are found by their parent in the order of their names, those of the root also where they name none."""
    queues = tree(team="", dev="team", prod="team", other="root")
    assert [child.name for child in queues.children("team")] == ["dev", "prod"]
    assert [child.name for child in queues.children("root")] == ["other", "team"]
    assert queues.children("dev") == []


def test_a_queue_is_no_ancestor_of_its_own() -> None:
    """In a cycle, the others are ancestors, and the queue itself is not."""
    queues = tree(a="b", b="a")
    assert [queue.name for queue in queues.ancestors("a")] == ["b"]
