"""Which queues Volcano Jobs can be submitted to."""

from __future__ import annotations

from vqs.model.kubernetes import ObjectMeta, Queue, QueueSpec, QueueStatus
from vqs.snapshot.apiserver.admission import leaf_queues, queue_denial


def queue(name: str, parent: str = "", state: str = "Open") -> Queue:
    """Return a queue."""
    return Queue(metadata=ObjectMeta(name=name), spec=QueueSpec(parent=parent), status=QueueStatus(state=state))


TREE = [queue("root"), queue("team", "root"), queue("dev", "team"), queue("old", "root", "Closed")]


def test_queues_that_take_jobs() -> None:
    """They are open and have no children; the default queue exists even if it is not in the snapshot."""
    assert leaf_queues(TREE) == ["default", "dev"]


def test_denials() -> None:
    """The root takes no job, and no queue with children does, nor one that is not open."""
    assert queue_denial("root", TREE).startswith("a Job cannot be submitted to queue root: it is the root")
    assert "queue team: it has child queues (dev); open queues without children: default and dev" in queue_denial(
        "team", TREE
    )
    assert "queue old: its state is Closed, not Open; open queues without children: default and dev" in queue_denial(
        "old", TREE
    )
    assert "queue devv: it does not exist (did you mean 'dev'?)" in queue_denial("devv", TREE)
    assert [queue_denial(name, TREE) for name in ("dev", "default")] == [""] * 2


def test_the_root_without_children() -> None:
    """The webhook denies the root by its name, also where no queue names it as its parent."""
    assert queue_denial("root", [])
