"""drf serves the job with the smallest dominant share first."""

from tests.build import gang, group, node, pod, queue, run
from tests.engine.crowds import running
from tests.engine.plugins.votes import ask, outcome
from vqs.model.task import TaskStatus


def test_the_job_that_holds_less_is_served_first() -> None:
    """Of two jobs, the one that runs nothing yet gets the last room, though it is younger."""
    session = run(
        [
            node("n1", cpu=3),
            queue("default"),
            group("old", phase="Running"),
            pod("old-0", "old", node="n1"),
            pod("old-worker-1", "old", cpu=2),
            gang("young", 1, 1, 2, created=9),
        ]
    )
    assert session.jobs["ns/young"].having(TaskStatus.Binding)
    assert session.jobs["ns/old"].having(TaskStatus.Pending)


def test_the_share_is_the_largest_over_all_resources() -> None:
    """A job that holds little cpu and most of the memory has a large share."""
    session = run(
        [
            node("n1", cpu=10, memory="10Gi"),
            queue("default"),
            group("j", phase="Running"),
            pod("j-0", "j", cpu=1, memory="8Gi", node="n1"),
        ]
    )
    plugin = next(plugin for plugin in session._opened if type(plugin).__name__ == "DrfPlugin")
    assert plugin.shares["ns/j"] == 0.8  # type: ignore[attr-defined]


def test_drf_lets_go_as_long_as_the_share_stays_larger() -> None:
    """Of 4 cores held, 2 may go for a task of 2: after that, the shares would be equal, and then smaller."""
    votes = ask(
        "drf", group("want"), pod("want-0", "want", 2, "0"), running("held", *["n1"] * 4, of_pod={"memory": "0"})
    )
    assert outcome(votes) == (["held-worker-0", "held-worker-1"], ["share-would-be-smaller"] * 2)
