"""What vqs says of a task agrees with what the real scheduler wrote on it.

The messages are those of Volcano's TaskSchedulingReason: nothing where no node was asked, the nodes' reasons, the skip
of a role, or the node that a task has, or had before its statement was discarded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

from tests.conformance.recorded import Outcome, is_worded_otherwise
from vqs.explain.outcome import Simulation, TaskResult, Verdict
from vqs.explain.texts.grammar import read_text
from vqs.explain.texts.node_reasons import LargeEnough, no_node_takes_it
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.job import FitErrors, TaskStatus

WAITING = {TaskStatus.Pending.name, TaskStatus.Pipelined.name, TaskStatus.Allocated.name}

ASSIGNED = re.compile(r"Pod \S+ can possibly be assigned to (\S+), once (resource is released and )?minAvailable .*")
NODES_REFUSED = re.compile(r"(?:In hyperNode (\S+): )?0/(\d+) nodes are unavailable: (.*)\.", re.DOTALL)
ROLE_SKIPPED = re.compile(r"Task (\S+) with role spec (\S+) has already predicated failed, skip")

OF_NODES = {"no-node-fits", "fragmented", "larger-than-any-node", "pre-predicate-failed"}
OF_PLACES = {
    ("Pending", False): {"gang-discarded", "taken-back"},
    ("Pending", True): {"gang-discarded"},
    ("Allocated", False): {"waits-for-gang", "bind-failed"},
    ("Allocated", True): {"waits-for-gang"},  # it was promised room first, and the message stays
    ("Pipelined", True): {"waits-for-release"},
}
"""The codes by the status of a task and by whether its message speaks of a release."""

WITHOUT_MESSAGE = {
    "no-pod-group",
    "unknown-queue",
    "unknown-device-claim",
    "not-enqueued",
    "not-enqueued-capability",
    "not-enqueued-overcommit",
    "not-enqueued-quota",
    "not-enqueued-extender",
    "hyper-nodes-not-ready",
    "no-hyper-node",
    "scores-failed",
    "queue-closed",
    "queue-overused",
    "queue-overused-extender",
    "queue-limit",
    "queue-capability",
    "scheduler-stands-still",
    "evicted",
    "gang-too-small",
    "gated",
    "left-to-backfill",
    "reserve-failed",
    "never-considered",
    "taken-back",
}
OF_FIGURES = {
    "not-enqueued-capability",
    "not-enqueued-overcommit",
    "not-enqueued-quota",
    "queue-limit",
    "queue-capability",
    "queue-overused",
    "gang-too-small",
}
"""The codes that always come with what is needed and what there is."""


def check_verdicts(recorded: list[Outcome], result: Simulation) -> None:
    """Check the verdicts of a simulation by themselves, and against the texts beside them and those recorded."""
    every_task_that_is_not_placed_has_a_verdict(result)
    no_verdict_contradicts_its_message(result)
    no_verdict_contradicts_what_was_recorded(recorded, result)
    more_is_needed_than_there_is(result)
    a_job_that_is_called_unschedulable_has_a_verdict(result)
    every_text_may_come_from_the_verdict_beside_it(result)


def judged(result: Simulation) -> Iterator[tuple[TaskResult, Verdict]]:
    """Yield the tasks that are not placed, each with its verdict."""
    for task in result.tasks:
        if task.verdict is not None:
            yield task, task.verdict


def every_task_that_is_not_placed_has_a_verdict(result: Simulation) -> None:
    """Check that a task that waits or is evicted says why, in a code and a sentence, and that no other does."""
    for task in result.tasks:
        evicted = task.status == TaskStatus.Releasing.name != task.status_before
        assert (task.verdict is not None) == (task.status in WAITING or evicted), task.name
        assert task.verdict is None or (task.verdict.code and task.verdict.text)


def no_verdict_contradicts_its_message(result: Simulation) -> None:
    """Check that the code goes with the message, and that the sentence names the same node or the same reasons."""
    for task, verdict in judged(result):
        assert contradiction(task, task.message, verdict) == "", task.name


def no_verdict_contradicts_what_was_recorded(recorded: list[Outcome], result: Simulation) -> None:
    """Check the verdicts against the messages of a recorded outcome that places every task as vqs does."""
    tasks = {f"{task.namespace}/{task.name}": (task.status, task.node) for task in result.tasks}
    same = [each["tasks"] for each in recorded if all(tasks.get(n) == at(t) for n, t in each["tasks"].items())]
    problems = [[problem for problem in contradictions(result, each) if problem] for each in same]
    assert not problems or min(problems, key=len) == []


def more_is_needed_than_there_is(result: Simulation) -> None:
    """Check the figures of verdicts, and the sentences as printed; a queue may hold just what it deserves."""
    for task, verdict in judged(result):
        need, have = verdict.need, verdict.have
        assert (need is None) == (have is None), task.name
        assert verdict.code not in OF_FIGURES or need is not None, task.name
        if need is not None and have is not None:
            assert need > have or (verdict.code == "queue-overused" and need == have), task.name
            told_apart = len(set(amounts(verdict.text))) > 1 or (have <= 0 and "none free" in verdict.text)
            assert verdict.code == "queue-overused" or told_apart, verdict.text


def a_job_that_is_called_unschedulable_has_a_verdict(result: Simulation) -> None:
    """Check it also where none of its tasks waits, as when one of a running gang has failed."""
    for job in result.jobs:
        assert job.unschedulable is None or job.verdict is not None, job.name


def every_text_may_come_from_the_verdict_beside_it(result: Simulation) -> None:
    """Check that what pods and PodGroups say is known, and may come from the verdict given.

    Pods that the scheduler does not know may show gates all the same, and one that was promised room before it was
    placed says so.
    """
    for task in result.tasks:
        if task.pod_scheduled is not None and task.verdict is not None and VERDICT_RULES[task.verdict.code].shown:
            before = OF_PLACES.get((task.status, True), set()) if ASSIGNED.fullmatch(task.pod_scheduled) else set()
            assert task.verdict.code in {*codes_of(task.pod_scheduled), *before}, task.name
            assert task.message in ("", task.pod_scheduled), task.name
    for job in result.jobs:
        if job.unschedulable is not None and job.verdict is not None:
            assert job.verdict.code in codes_of(job.unschedulable), job.name


def codes_of(text: str) -> tuple[str, ...]:
    """Return the verdicts that a text may come from, which is read as one line."""
    reading = read_text(" ".join(text.splitlines()))
    assert reading is not None, text
    return reading.codes


def at(recorded: dict[str, Any]) -> tuple[str, str | None]:
    """Return where a recorded task ended up."""
    return recorded["status"], recorded.get("node") or None


def contradictions(result: Simulation, recorded: dict[str, Any]) -> list[str]:
    """Return what in the verdicts on pending tasks does not go with the messages of a recorded outcome."""
    pending = [(recorded.get(f"{task.namespace}/{task.name}"), task, verdict) for task, verdict in judged(result)]
    return [
        contradiction(task, real.get("message", ""), verdict)
        for real, task, verdict in pending
        if real is not None and task.status == "Pending" and not is_worded_otherwise(task.message)
    ]


def contradiction(task: TaskResult, message: str, verdict: Verdict) -> str:
    """Return what in a verdict does not go with a message of the scheduler, empty where all of it does."""
    if assigned := ASSIGNED.fullmatch(message):
        node, codes = assigned[1], OF_PLACES.get((task.status, bool(assigned[2])), set())
        named = f"on node {node}" in verdict.text or verdict.code == "bind-failed"
        says_so = "reserv" in verdict.text.partition(", but ")[0]
        released = task.status == TaskStatus.Allocated.name or bool(assigned[2]) == says_so
        return "" if verdict.code in codes and named and released else f"{verdict.code} does not go with {message}"
    if refused := NODES_REFUSED.fullmatch(message):
        told = tells(verdict.text, refused)
        if verdict.code == "pre-predicate-failed":  # of claims, the sentence says in its words what the message names
            names = re.findall(r'"(\S+)"', refused[3]) if "plugin Volume" in refused[3] else [refused[3]]
            told = verdict.text.partition(": ")[2] in refused[3] or all(name in verdict.text for name in names)
        return "" if verdict.code in OF_NODES and told else f"{verdict.code} does not tell {message}"
    if skipped := ROLE_SKIPPED.fullmatch(message):
        told = f"role {skipped[2]}:" in f"{verdict.text}:" and skipped[1] == task.name
        return "" if verdict.code == "role-failed" and told else f"{verdict.code} does not tell of the role"
    if message:
        return f"an unknown message: {message}"
    uncounted = verdict.text.startswith(
        "no node can take the task."
    )  # of a sub-job that is taken up again without a try
    return "" if verdict.code in WITHOUT_MESSAGE or uncounted else f"{verdict.code} without a message"


def tells(text: str, refused: re.Match[str]) -> bool:
    """Tell whether a sentence says what a text says that counts nodes by reason.

    Of the nodes that are short of a resource, it may say that some have none; of one that is large enough, the name.
    """
    reasons = {reason: int(number) for number, reason in re.findall(r"(\d+) (.*?)(?=, \d+ |\Z)", refused[3], re.DOTALL)}
    errors = FitErrors(int(refused[2]), reasons, hyper_node=refused[1] or "")
    short = {each.removeprefix("Insufficient "): number for each, number in reasons.items() if "Insufficient" in each}
    numbers = (range(number + 1) for number in short.values())
    splits = [dict(zip(short, each, strict=True)) for each in product(*numbers)]
    named = re.search(r"\((?:such as )?(\S+), which is large enough\)", text)
    large = [LargeEnough(named[1], reason) for reason in reasons] if named else [None]
    return any(no_node_takes_it(errors, "the task", *each) in text for each in product(splits, large))


def amounts(text: str) -> list[str]:
    """Return the numbers in a sentence, with their units."""
    return re.findall(r"(?<![\w./-])-?\d+(?:\.\d+)?(?:[KMGT]i)?(?![\w/])", text)
