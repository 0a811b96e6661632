"""The jobs in whose favour somebody is evicted."""

from typing import Any

from tests.build import gang, group, node, pod, queue, run
from tests.engine.crowds import PREEMPT, running


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
