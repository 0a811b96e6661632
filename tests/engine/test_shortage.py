"""A task that fits nowhere has a closest node."""

from tests.build import gang, node, open_session, queue, run
from vqs.engine.shortage import shortage

TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}


def test_the_closest_node_lacks_the_smallest_part() -> None:
    """Of a node that lacks half the cpu and one that lacks a quarter of the memory, the second is closer."""
    session = open_session(
        [
            node("a", cpu=2, memory="64Gi"),
            node("b", cpu=9, memory="6Gi"),
            queue("default"),
            gang("j", 1, cpu=4, memory="8Gi"),
        ]
    )
    lack = shortage(session.fit(session.jobs["ns/j"].tasks["j-worker-0"]))
    assert lack is not None
    assert (lack.node, lack.resource, lack.need, lack.have) == ("b", "memory", 8 * 2**30, 6 * 2**30)


def test_a_node_that_is_refused_for_another_reason_is_not_close() -> None:
    """A tainted node does not help, however little it lacks."""
    session = open_session([node("a", cpu=3, taints=[TAINT]), node("b", cpu=1), queue("default"), gang("j", 1, cpu=4)])
    lack = shortage(session.fit(session.jobs["ns/j"].tasks["j-worker-0"]))
    assert lack is not None
    assert lack.node == "b"


def test_where_no_node_lacks_resources_there_is_no_shortage() -> None:
    """A task that every node refuses for its taint lacks nothing."""
    session = open_session([node("a", taints=[TAINT]), queue("default"), gang("j", 1)])
    assert shortage(session.fit(session.jobs["ns/j"].tasks["j-worker-0"])) is None


def test_room_in_pieces_is_told_from_no_room() -> None:
    """Two nodes of 3 cores have 4 together, though no single one; one node of 3 has not."""
    task = gang("j", 1, cpu=4)
    two = open_session([node("a", cpu=3), node("b", cpu=3), queue("default"), task])
    one = open_session([node("a", cpu=3), queue("default"), task])
    lacks = [shortage(session.fit(session.jobs["ns/j"].tasks["j-worker-0"])) for session in (two, one)]
    assert [lack and lack.in_total for lack in lacks] == [True, False]


def test_the_trace_names_the_closest_node() -> None:
    """The refusal carries the figures that the verdict prints."""
    session = run([node("a", cpu=3), node("b", cpu=3), queue("default"), gang("j", 1, cpu=4)])
    refusal = session.trace.tasks["j-worker-0"][1]
    assert (refusal.code, refusal.node, refusal.resource, refusal.need, refusal.have) == (
        "fragmented",
        "a",
        "cpu",
        4000,
        3000,
    )
