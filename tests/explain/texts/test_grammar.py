"""Texts that the scheduler leaves on pods and PodGroups, in events and in its log, are read part by part."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.explain.texts.grammar import about, read_text
from vqs.explain.texts.node_reasons import Reading
from vqs.explain.verdict_rules import VERDICT_RULES, PodText

COUNTS = "pod group is not ready, 1 Running, 2 Pending, 4 minAvailable; Pending: 1 Schedulable, 1 Unschedulable"
REFUSED = "0/4 nodes are unavailable: 3 Insufficient cpu, 1 node(s) had untolerated taint {gpu: only, a: b}."
PLACE = "Pod ns/j-0 can possibly be assigned to n1, once minAvailable is satisfied"
RELEASE = "Pod ns/j-0 can possibly be assigned to n1, once resource is released and minAvailable is satisfied"
ROLE = "Task j-1 with role spec worker has already predicated failed, skip"
GATES = "Scheduling is blocked due to non-empty scheduling gates"


def reading(line: str) -> Reading:
    """Read a line that holds a text of the scheduler."""
    found = read_text(line)
    assert found is not None
    return found


def meanings(line: str) -> dict[str, str]:
    """Return what the parts of a line mean."""
    return {part.text: part.meaning for part in reading(line).parts}


@pytest.mark.parametrize(
    ("text", "kind", "codes"),
    [
        (REFUSED, PodText.NODES, {"no-node-fits", "fragmented", "larger-than-any-node"}),
        ("0/2 nodes are unavailable: 2 node(s) were unschedulable.", PodText.NODES, {"no-node-fits"}),
        ("0/2 nodes are unavailable: 2 plugin VolumeBinding pre-predicates failed no claim.", PodText.NODES, {"pre"}),
        (ROLE, PodText.ROLE, {"role-failed"}),
        (PLACE, PodText.PLACE, {"gang-discarded", "waits-for-gang", "taken-back", "bind-failed"}),
        (RELEASE, PodText.RELEASE, {"gang-discarded", "waits-for-release"}),
        (GATES, PodText.GATES, {"gated"}),
        (COUNTS, PodText.JOB, {"not-enqueued-overcommit", "gang-too-small", "queue-limit", "never-considered"}),
        (f"{COUNTS}. Origin reason is j-0: {REFUSED}", PodText.JOB, {"queue-limit", "never-considered"}),
    ],
)
def test_a_text_on_a_pod_says_what_it_is_about(text: str, kind: PodText, codes: set[str]) -> None:
    """With the verdicts that it may come from; of a job with a task that was refused, none that comes before nodes."""
    found = reading(text)
    assert (found.text, found.about, about(text)) == (text, kind, kind)
    assert all(any(code.startswith(each) for code in found.codes) for each in codes)
    assert ("not-enqueued" in found.codes) == (text == COUNTS)
    assert kind is PodText.JOB or len(found.codes) == len(codes) or "pre-predicate-failed" in found.codes


def test_the_counts_of_a_job_are_told_one_by_one() -> None:
    """The statuses, what the gang needs, and of those that are pending how many had a place."""
    told = meanings(COUNTS)
    assert list(told) == [
        "pod group is not ready",
        "1 Running",
        "2 Pending",
        "4 minAvailable",
        "Pending: 1 Schedulable",
        "Pending: 1 Unschedulable",
    ]
    assert told["1 Running"] == "1 task is running"
    assert told["4 minAvailable"].startswith("the gang needs 4 tasks at least; of those that there are, 3 may count")
    assert "rolled back" in told["Pending: 1 Schedulable"]


def test_the_reasons_of_nodes_are_told_one_by_one() -> None:
    """A comma in a taint parts nothing."""
    told = meanings(f"10/10 tasks in gang unschedulable: {COUNTS}. Origin reason is j-0: {REFUSED}")
    assert told["3 Insufficient cpu"].startswith("3 nodes: too little cpu")
    assert told["1 node(s) had untolerated taint {gpu: only, a: b}"].startswith("1 node: tainted with gpu: only, a: b")
    assert "Origin reason is j-0" in told
    assert told["10/10 tasks in gang unschedulable"].startswith("of the job's 10 tasks, 10 more need a place")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("node(s) didn't match Pod's node affinity/selector", {"no-node-fits"}),
        ("2 Insufficient nvidia.com/gpu", {"no-node-fits", "fragmented", "larger-than-any-node"}),
        ("the CPU load of the node exceeds the upper limit.", {"no-node-fits"}),
        ("node(s) were unschedulable.", {"no-node-fits"}),
    ],
)
def test_the_reason_of_a_node_is_read_alone(text: str, codes: set[str]) -> None:
    """Without the text that counts the nodes, with its number or without, and with a full stop after it or not."""
    found = reading(text)
    assert found.about is PodText.NODES
    assert codes <= {*found.codes}
    assert found.parts[0].meaning.startswith(("about the node: ", "2 nodes: "))
    assert read_text(f"{text} foo") is None


def test_a_hyper_node_is_told_apart() -> None:
    """Only its nodes were asked."""
    told = meanings("In hyperNode s1: 0/2 nodes are unavailable: 2 Insufficient memory.")
    assert list(told) == ["In hyperNode s1", "0/2 nodes are unavailable", "2 Insufficient memory"]


def test_a_condition_of_a_pod_group_may_come_from_what_its_counts_allow() -> None:
    """Tasks that are evicted or promised a place bring in what pods of a waiting job never show."""
    released = "1/13 tasks in gang unschedulable: pod group is not ready, 1 Releasing, 12 Running, 13 minAvailable"
    assert reading(released).codes == ("gang-too-small", "evicted")
    promised = "1/2 tasks in gang unschedulable: pod group is not ready, 1 Allocated, 1 Pipelined, 2 minAvailable"
    assert {"waits-for-release", "waits-for-gang"} <= {*reading(promised).codes}


def test_a_job_of_which_something_was_bound_had_enough_pods() -> None:
    """A standstill comes last: in it, backfill still binds pods that ask for nothing."""
    codes = reading("pod group is ready, 3 Binding, 3 Pending, 3 minAvailable; Pending: 3 Unschedulable").codes
    assert "gang-too-small" not in codes
    assert "queue-overused" in codes
    assert codes[-1] == "scheduler-stands-still"


@pytest.mark.parametrize("head", ["", "2/2 tasks in gang unschedulable: "])
def test_what_the_nodes_refused_a_task_for_comes_first(head: str) -> None:
    """Of several tasks of a job, that one was named by the scheduler."""
    codes = reading(f"{head}{COUNTS}. Origin reason is j-0: {REFUSED}").codes
    assert codes[:2] == ("no-node-fits", "fragmented")
    assert len(codes) == len({*codes})


@pytest.mark.parametrize("line", ["pipelined Task <ns/j-0> to Node <n1>", "Pipelined task <ns/j-0> to node <n1>"])
def test_the_line_on_a_promised_node_is_known_without_its_beginning(line: str) -> None:
    """Whatever the case of its words is."""
    assert (reading(line).text, reading(line).codes) == (line, ("waits-for-release",))


@pytest.mark.parametrize(
    "line",
    [
        f"  Warning  FailedScheduling  10s (x3 over 2m)  volcano  {REFUSED}",
        f'    message: "{REFUSED}"',
        f"    message: '{REFUSED}'",
        (
            f"I0305 12:00:00.000000       1 cache.go:1126] task unscheduleable ns/j-0, message: {REFUSED}, skip by no "
            "condition update"
        ),
    ],
)
def test_what_stands_around_a_text_is_left_out(line: str) -> None:
    """A line of kubectl describe, of a manifest or of the log can be read as it is."""
    assert reading(line).text == REFUSED


@pytest.mark.parametrize("code", sorted(code for code, rule in VERDICT_RULES.items() if rule.log))
def test_the_line_of_the_log_that_a_rule_names_is_read_back(code: str) -> None:
    """With the names of a case, and with what klog puts before it."""
    names = {"task": "ns/j-0", "job": "ns/j", "name": "j", "queue": "q", "role": "worker", "node": "n1"}
    line = VERDICT_RULES[code].log.format_map(names | ({"task": "j-0"} if VERDICT_RULES[code].bare else {}))
    found = reading(f"I0305 12:00:00.000000       1 x.go:571] {line} fit failed: Insufficient cpu")
    assert code in found.codes
    assert found.text.startswith(line)


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("queue resource quota insufficient: insufficient cpu, insufficient memory", ("not-enqueued-capability",)),
        ("resource in cluster is overused: overused cpu", ("not-enqueued-overcommit",)),
        (
            "resource quota insufficient, requested: map[cpu:{{4 0} {<nil>} 4 DecimalSI}], used: map[], limited: map[]",
            ("not-enqueued-quota",),
        ),
        ("Pod is evicted, because of reclaim", ("evicted",)),
        ("Job <ns/j> Queue <q> skip backfill, reason: NotEnoughTasks, message Not enough", ("gang-too-small",)),
        ("NotEnoughTasks", ("gang-too-small",)),
        ("SchedulingGated", ("gated",)),
        ("failed to bind to node n1: not found", ()),
        ("tasks in gang are ready to be scheduled", ()),
        ("pod group is ready", ()),
        ("0/4 nodes are available: 4 Insufficient cpu. preemption: none", ()),
    ],
)
def test_events_reasons_and_words_of_others_are_known(line: str, codes: tuple[str, ...]) -> None:
    """Each says which verdicts it may come from, and what it means."""
    found = reading(line)
    assert found.codes == codes
    assert all(part.meaning for part in found.parts)


def test_a_job_that_is_passed_over_is_named() -> None:
    """So that the next command can be typed as it is shown."""
    found = reading("Job <ns/j> Queue <q> skip allocate, reason: job status is pending.")
    assert (found.job, "not-enqueued-capability" in found.codes) == ("ns/j", True)


@pytest.mark.parametrize(
    "line", ["", " ", "hello", "Pod ns/j-0 is fine", "0/4 nodes", "pod group is tired", "queue-limit"]
)
def test_other_texts_are_not_known(line: str) -> None:
    """Nothing is made of words that the scheduler does not write."""
    assert read_text(line) is None


@given(
    head=st.sampled_from(["pod group is ready, ", "1/1 tasks", "Pod ", "0/", "Task ", "Job <", "In hyperNode ", "1"]),
    piece=st.sampled_from(["1", "1/", "1 a, ", "Pod ", "/", "<", "pod group is ", ": ", "execute preBind for pod "]),
)
def test_no_text_keeps_its_reader_waiting(head: str, piece: str) -> None:
    """However long a stranger makes it, and whatever is repeated in it."""
    read_text(head + piece * (100_000 // len(piece)))


@pytest.mark.parametrize(
    "text", ["pod group is ready, {} Pending", "0/{} nodes are unavailable", "{0}/{0} tasks in gang"]
)
def test_numbers_beyond_measure_are_none(text: str) -> None:
    """No cluster has as many pods, and Python refuses to read numbers of so many digits."""
    assert read_text(text.format("9" * 9_000)) is None


@given(text=st.text(max_size=200))
def test_any_text_is_read_or_not(text: str) -> None:
    """Nothing that somebody types makes the reader fail."""
    for line in (text, f"pod group is ready, {text}", f"0/1 nodes are unavailable: {text}", f"Origin reason is {text}"):
        read_text(line)
