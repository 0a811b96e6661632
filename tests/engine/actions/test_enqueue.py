"""enqueue lets jobs into their queues."""

from tests.build import gang, node, queue, run


def test_a_job_without_min_resources_is_let_in() -> None:
    """Nobody is asked about a job that does not say what it needs."""
    session = run([node("n1"), queue("default"), gang("j", 1, cpu=99, phase="Pending")])
    assert session.jobs["ns/j"].phase == "Inqueue"


def test_jobs_come_in_their_order() -> None:
    """Of two jobs for which there is room for one, the older gets in."""
    old = gang("old", 1, cpu=6, phase="Pending", created=1, minResources={"cpu": 6})
    young = gang("young", 1, cpu=6, phase="Pending", created=2, minResources={"cpu": 6})
    session = run([node("n1", cpu=8), queue("default"), young, old])
    assert (session.jobs["ns/old"].phase, session.jobs["ns/young"].phase) == ("Inqueue", "Pending")


def test_a_job_that_is_in_stays_in() -> None:
    """Only pending jobs are asked about."""
    session = run([node("n1", cpu=1), queue("default"), gang("j", 1, cpu=9, minResources={"cpu": 9})])
    assert session.jobs["ns/j"].phase == "Inqueue"
