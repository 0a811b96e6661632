"""Tables say what became of a job in words that do not alarm where nothing is wrong."""

from __future__ import annotations

import pytest

from tests.build import CONF, Object, gang, group, job_task, manifests, node, pod, queue, stored_job
from tests.report.writers import as_table
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.report.formats import View
from vqs.report.simulation.decisions import Decisions

PREEMPT = CONF.replace("allocate, ", "allocate, preempt, ")
HIGH: Object = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}

ENDING = pod("j-0", "j", node="a", deleted=True)


def running(name: str, pods: int, **spec: int) -> list[Object]:
    """Make a job that runs on node a."""
    return [group(name, 1, "Running", **spec), *(pod(f"{name}-{number}", name, node="a") for number in range(pods))]


def urgent(pods: int, minimum: int) -> list[Object]:
    """Make a job that waits and that preempt evicts others for."""
    members = [pod(f"new-{number}", "new", spec={"priority": 9}) for number in range(pods)]
    return [HIGH, group("new", minimum, priorityClassName="high"), *members]


@pytest.mark.parametrize(
    ("objects", "job", "code", "words"),
    [
        ([*running("j", 2), pod("j-2", "j")], "j", "discarded", "no more placed"),
        ([*running("j", 2), *urgent(1, 1)], "j", "not-considered", "loses 1 to preempt"),
        ([*running("j", 2), *urgent(1, 1)], "new", "pipelined", "1 of 1 reserved"),
        (running("j", 2), "j", "not-considered", "nothing waits"),
        ([*running("j", 1), *stored_job("new", job_task(), minimum=1)], "new-uid-new", "not-considered", "admitted"),
        ([*running("j", 2), gang("new", 2)], "new", "discarded", "discarded"),
        ([gang("new", 2)], "new", "committed", "committed"),
        ([group("j", 1, "Running"), ENDING], "j", "not-considered", "1 pod terminating"),
    ],
)
def test_the_words_for_a_decision(objects: list[Object], job: str, code: str, words: str) -> None:
    """The code stays in JSON."""
    result = simulate(manifests([node("a", cpu=2), queue("default"), *objects], PREEMPT), SimulateOptions())
    [found] = [each for each in result.jobs if each.name == job]
    assert (found.decision, Decisions(result.tasks).words(found)) == (code, words)


def test_a_job_without_pending_tasks_does_not_wait() -> None:
    """A job whose only pod is terminating has too few for its gang, which is no reason that it waits for."""
    objects = [node("a", cpu=2), queue("default"), group("j", 1, "Running"), ENDING]
    result = simulate(manifests(objects, PREEMPT), SimulateOptions())
    [job] = result.jobs
    assert job.verdict
    assert job.verdict.code == "gang-too-small"
    assert not Decisions(result.tasks).waits(job)
    text = as_table(result, View())
    assert "Jobs that wait" not in text
    assert "gang-too-small" not in text
