"""What became of a job, in the words of tables, and why jobs wait."""

from __future__ import annotations

from copy import copy

import pytest

from tests.build import CONF, Object, gang, group, job_task, manifests, node, owned, pod, queue, stored_job
from tests.report.writers import as_json, as_table
from vqs.explain.outcome import Blocker, Simulation, TaskResult, Verdict
from vqs.explain.outlook import simulate_ahead
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.model.wording import count
from vqs.report.formats import View
from vqs.report.simulation.summary import next_command, reason_lines, summarize

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
    assert (found.decision, found.says or found.decision) == (code, words)


def test_a_job_without_pending_tasks_does_not_wait() -> None:
    """A job whose only pod is terminating has too few for its gang, which is no reason that it waits for."""
    objects = [node("a", cpu=2), queue("default"), group("j", 1, "Running"), ENDING]
    result = simulate(manifests(objects, PREEMPT), SimulateOptions())
    [job] = result.jobs
    assert job.verdict
    assert job.verdict.code == "gang-too-small"
    assert not job.waits
    text = as_table(result, View())
    assert "Jobs that wait" not in text
    assert "gang-too-small" not in text


def waiting(result: Simulation, *codes: str) -> None:
    """Give a result a job for each of some verdicts, with a pending task more than the job before it."""
    job, task = result.jobs[-1], result.tasks[-1]
    result.jobs, result.tasks = [], []
    for number, code in enumerate(codes, 1):
        result.jobs.append(copy(job))
        result.jobs[-1].name, result.jobs[-1].display_name = f"j{number}", f"ml/j{number}"
        for _ in range(number):
            result.tasks.append(copy(task))
            result.tasks[-1].job, result.tasks[-1].verdict = f"j{number}", Verdict(code=code, text="")


def test_the_biggest_reasons_come_first(result: Simulation) -> None:
    """Three are given with their jobs and what they mean; the others are named."""
    waiting(result, "gated", "queue-closed", "no-node-fits", "queue-limit", "no-node-fits")
    lines = reason_lines(result)
    assert [line.rpartition(" (")[2] for line in lines[:3]] == ["no-node-fits)", "queue-limit)", "queue-closed)"]
    assert lines[0] == ("ml/j3 and ml/j5 (8 pending tasks): no node fits (no-node-fits)")
    assert lines[3:] == ["1 more reason: gated"]


def test_a_job_counts_for_the_cause_and_not_for_what_follows_from_it(result: Simulation) -> None:
    """However many tasks of a gang were not tried, the reason is that of the one which was refused."""
    waiting(result, "gated", "role-failed", "role-failed", "role-failed")
    result.tasks[-1].verdict = Verdict(code="fragmented", text="")
    assert reason_lines(result)[1].startswith("ml/j4 (4 pending tasks): ")
    assert reason_lines(result)[1].endswith("(fragmented)")


def judged(result: Simulation, *verdicts: Verdict) -> str:
    """Return the line on jobs that wait for the same reason, one for each verdict."""
    waiting(result, *(verdict.code for verdict in verdicts))
    for task in result.tasks:
        task.verdict = verdicts[int(task.job[1:]) - 1]
    [line] = reason_lines(result)
    return line.partition("): ")[2]


def limited(queue: str, deserved: float) -> Verdict:
    """Make a verdict on a task that would exceed what its queue deserves."""
    return Verdict(code="queue-limit", queue=queue, resource="cpu", need=6.0, have=deserved, text="")


def test_a_reason_names_its_queues_and_their_common_figure(result: Simulation) -> None:
    """It reads for many tasks; a figure is given where it is that of all verdicts."""
    share = "with one more task, the deserved share of"
    one, other = limited("batch", 4.0), limited("web", 4.0)
    assert judged(result, one) == f"{share} queue batch (4 cpu) would be exceeded (queue-limit)"
    assert judged(result, one, one) == f"{share} queue batch (4 cpu) would be exceeded (queue-limit)"
    assert judged(result, one, other) == f"{share} queues batch and web would be exceeded (queue-limit)"
    assert judged(result, Verdict(code="queue-limit", text="")) == f"{share} the queue would be exceeded (queue-limit)"


def test_pods_of_no_job_are_counted(result: Simulation, lonely_pods: list[TaskResult]) -> None:
    """They have no job that could be named."""
    for each in lonely_pods:
        each.verdict = Verdict(code="no-pod-group", text="")
    result.jobs, result.tasks = [], lonely_pods
    assert reason_lines(result) == ["2 pods outside of any job (2 pending tasks): part of no PodGroup (no-pod-group)"]


def test_nothing_is_said_where_nothing_waits(result: Simulation) -> None:
    """A session that places everything has no reasons."""
    result.jobs, result.tasks = result.jobs[:1], result.tasks[:2]
    assert reason_lines(result) == []


def test_jobs_with_reserved_nodes_that_never_start() -> None:
    """They are among the reasons, with what keeps them, and the next step explains that."""
    objects = [node("a", cpu=2), queue("default"), *gang("j", 3, cpu=1)]
    result = simulate_ahead(manifests(objects, PREEMPT), SimulateOptions())
    job = result.jobs[0]
    assert job.outlook is not None
    reserved = count(sum(task.status == "Pipelined" for task in result.tasks), "task")
    [line] = reason_lines(result)
    assert f"{reserved} with a reserved node" in line
    assert line.endswith(f"({job.blockers[0].code})")
    assert job.blockers[0].code in next_command(result, summarize(result), View()).text()


def test_pending_tasks_wait_for_what_they_met_where_others_of_the_job_are_reserved() -> None:
    """That nothing is bound where nodes are reserved is about those that have one."""
    result = simulate(manifests([node("a", cpu=2), queue("default"), gang("j", 1, cpu=4)], CONF), SimulateOptions())
    [job] = result.jobs
    job.blockers = [Blocker(code="reserved-not-bound", owner="cluster", text="a node is reserved")]
    [task] = result.tasks
    assert task.verdict
    assert [line.rpartition(" ")[2] for line in reason_lines(result)] == [f"({task.verdict.code})"]


def test_pods_of_other_schedulers_are_counted_and_named() -> None:
    """They are no job, so that the answer names them, and the next step says why they are left."""
    pods = [owned(pod(f"web-{number}", scheduler="mine"), "ReplicaSet", "web") for number in range(2)]
    result = simulate(manifests([node("a"), queue("default"), *pods], CONF), SimulateOptions())
    lead, named, *_ = as_table(result, View()).splitlines()
    assert lead == "0 tasks placed, 0 with a reserved node, 0 pending, 2 pods left to other schedulers"
    assert named == "ns/web (2 pods) is left to mine, as Volcano looks only at pods with schedulerName volcano"
    assert "--job ns/web" in next_command(result, summarize(result), View()).text()
    assert as_json(result, View()).count('"leftToOthers"') == 1
