"""backfill places what asks for nothing."""

from tests.build import CONF, gang, group, node, placements, pod, queue, run


def test_best_effort_tasks_get_a_node() -> None:
    """A task without requests needs no room, even on a full node."""
    session = run([node("n1", cpu=1), queue("default"), gang("j", 1), group("b"), pod("b-w-0", "b", best_effort=True)])
    assert placements(session)["b-w-0"] == ("Binding", "n1")


def test_a_node_takes_only_so_many_pods() -> None:
    """The number of pods is the one thing a best-effort task is checked for."""
    session = run(
        [node("n1", pods=1), queue("default"), group("b"), *[pod(f"b-w-{n}", "b", best_effort=True) for n in range(2)]]
    )
    assert placements(session)["b-w-1"] == ("Pending", None)
    assert session.jobs["ns/b"].fit_errors["b-w-1"].message() == (
        "0/1 nodes are unavailable: 1 node(s) pod number exceeded."
    )


def test_a_gang_that_is_not_complete_is_not_bound() -> None:
    """A best-effort task of a job whose other tasks wait keeps its place, but is not bound."""
    session = run(
        [
            node("n1", cpu=1),
            queue("default"),
            group("b", 2),
            pod("b-w-0", "b", best_effort=True),
            pod("b-w-1", "b", cpu=4),
            pod("b-w-2", "b", cpu=4),
        ]
    )
    assert placements(session)["b-w-0"] == ("Allocated", "n1")


def test_an_overcommitted_node_does_not_bind() -> None:
    """Where a node has less than nothing idle, the task that was given it is not bound after all."""
    session = run(
        [
            node("n1", cpu=1),
            queue("default"),
            group("r", phase="Running"),
            pod("r-w-0", "r", cpu=2, node="n1"),
            group("b"),
            pod("b-w-0", "b", best_effort=True),
        ]
    )
    assert placements(session)["b-w-0"] == ("Allocated", "n1")
    assert session.trace.tasks["b-w-0"][1].code == "bind-failed"


def test_backfill_does_not_mind_a_plugin_that_fails() -> None:
    """What keeps allocate from placing a task is ignored here."""
    conf = CONF.replace("name: predicates", "name: predicates\n    enablePredicate: false")
    session = run([node("n1"), queue("default"), group("b"), pod("b-w-0", "b", best_effort=True)], conf)
    assert placements(session)["b-w-0"] == ("Binding", "n1")
