"""Tables say what became of a job in words that do not alarm where nothing is wrong."""

from __future__ import annotations

import pytest

from tests.build import CONF, Object, gang, group, job_task, manifests, node, pod, queue, stored_job
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.report.simulation.decisions import Decisions

PREEMPT = CONF.replace("allocate, ", "allocate, preempt, ")
HIGH: Object = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}


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
    ],
)
def test_the_words_for_a_decision(objects: list[Object], job: str, code: str, words: str) -> None:
    """The code stays in JSON."""
    result = simulate(manifests([node("a", cpu=2), queue("default"), *objects], PREEMPT), SimulateOptions())
    [found] = [each for each in result.jobs if each.name == job]
    assert (found.decision, Decisions(result.tasks).words(found)) == (code, words)
