"""The jobs in whose favour somebody is evicted, and the order in which victims go."""

from __future__ import annotations

from typing import Any

from tests.build import gang, group, node, open_session, pod, queue, run
from tests.engine.crowds import PREEMPT, classes, running
from vqs.engine.actions.eviction.order import Orders


def order(objects: list[Any], conf: str = PREEMPT, preemptor: str = "want") -> list[str]:
    """Return all running tasks in the order in which they would go for the pod of a job."""
    session = open_session([*classes(), node("n1", cpu=20), *objects], conf)
    victims = [task for job in session.jobs.values() for task in job.tasks.values() if task.node]
    waiting = session.shared(Orders).victims(victims, session.jobs[f"ns/{preemptor}"].tasks["want-0"])
    return [waiting.pop().name for _ in victims]


WANT = [queue("default"), running("want"), pod("want-0", "want")]


def test_tasks_of_a_job_go_against_their_order() -> None:
    """The one with the highest number goes first."""
    assert order([*WANT, running("j", "n1", "n1", "n1")]) == ["j-worker-2", "j-worker-1", "j-worker-0"]


def test_a_task_of_lower_priority_goes_first() -> None:
    """Whatever its number."""
    low = pod("j-worker-0", "j", node="n1", annotations={"volcano.sh/task-priority": "1"})
    high = pod("j-worker-1", "j", node="n1", annotations={"volcano.sh/task-priority": "9"})
    assert order([*WANT, running("j"), low, high]) == ["j-worker-0", "j-worker-1"]


def test_jobs_of_a_queue_go_against_their_order() -> None:
    """A job of lower priority first, then the younger one."""
    objects = [
        *WANT,
        running("old", "n1", priorityClassName="low", created=1),
        running("young", "n1", priorityClassName="low", created=2),
        running("mid", "n1", priorityClassName="mid", created=3),
    ]
    assert order(objects) == ["young-worker-0", "old-worker-0", "mid-worker-0"]


def test_queues_go_against_their_order() -> None:
    """The queue that holds most of what it deserves gives first."""
    objects = [
        *WANT,
        queue("rich", deserved={"cpu": 1}),
        queue("poor", deserved={"cpu": 9}),
        running("r", "n1", "n1", queue="rich"),
        running("p", "n1", queue="poor"),
    ]
    assert order(objects, PREEMPT.replace("proportion", "capacity")) == ["r-worker-1", "r-worker-0", "p-worker-0"]


def test_queues_near_to_the_one_that_reclaims_go_first() -> None:
    """In a tree, a sister gives before a queue that is only related through the root."""
    conf = PREEMPT.replace("proportion", "capacity\n    enableHierarchy: true")
    objects = [
        queue("a", parent="root"),
        queue("near", parent="a"),
        queue("mine", parent="a"),
        queue("far", parent="root"),
        running("n", "n1", queue="near"),
        running("f", "n1", queue="far"),
        running("want", queue="mine"),
        pod("want-0", "want"),
    ]
    assert order(objects, conf) == ["n-worker-0", "f-worker-0"]


def test_an_eviction_changes_the_order_of_the_rest() -> None:
    """The younger job goes first; once its share is the smaller one the other goes, after who was at the top."""
    objects: list[Any] = [node("n1", cpu=9), *WANT]
    objects += running("old", *["n1"] * 3, created=1) + running("young", *["n1"] * 3, created=2)
    session = open_session(objects, PREEMPT)
    victims = [task for job in session.jobs.values() for task in job.tasks.values() if task.node]
    waiting = session.shared(Orders).victims(victims, session.jobs["ns/want"].tasks["want-0"])
    names = []
    while waiting:
        task = waiting.pop()
        names.append(task.name)
        session.evict(task)
    assert names[:4] == ["young-worker-2", "young-worker-1", "old-worker-2", "old-worker-1"]


def test_it_is_noted_of_every_job_whether_it_may_have_others_evicted() -> None:
    """One starves, one has all it needs, one is too small a gang; one that is not in its queue is not looked at."""
    session = run(
        [
            node("n1", cpu=1),
            queue("default"),
            gang("starving_jobs", 1),
            running("full", "n1"),
            group("small", 3),
            pod("small-0", "small"),
            gang("outside", 1, phase="Pending"),
        ],
        PREEMPT,
    )
    said = {job: refusal and refusal.code for job, refusal in session.trace.preemptors["preempt"].items()}
    assert said == {"ns/starving_jobs": None, "ns/full": "not-starving", "ns/small": "gang-too-small"}


def test_a_plugin_that_says_no_is_enough() -> None:
    """For gang alone a job with its minimum is not starving; without gang, priority says that it is."""
    objects: list[Any] = [node("n1", cpu=1), queue("default"), running("j", "n1"), pod("j-worker-1", "j")]
    assert run(objects, PREEMPT).trace.preemptors["preempt"]["ns/j"] is not None
    without = PREEMPT.replace("name: gang", "name: gang\n    enableJobStarving: false")
    assert run(objects, without).trace.preemptors["preempt"] == {"ns/j": None}


def test_without_a_plugin_to_say_so_no_job_starves() -> None:
    """Then nobody is evicted at all."""
    conf = PREEMPT.replace("name: gang", "name: gang\n    enableJobStarving: false")
    conf = conf.replace("name: priority", "name: priority\n    enableJobStarving: false")
    session = run([node("n1", cpu=1), queue("default"), gang("starving_jobs", 1)], conf)
    assert session.trace.preemptors["preempt"]["ns/starving_jobs"] is not None
