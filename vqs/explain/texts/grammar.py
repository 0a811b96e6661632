"""The texts of the scheduler that can be read, and how each is.

Each is found anywhere in a line, so that a line of `kubectl describe`, of a log, or of a manifest can be read as it is.
The text about a job as a whole is `pod group is not ready, 3 Pending, 4 minAvailable; Pending: 3 Unschedulable`; on a
PodGroup, `3/4 tasks in gang unschedulable: ` stands before it.
References: pkg/scheduler/cache/cache.go, pkg/scheduler/api/job_info.go (FitError), unschedule_info.go, the plugins such
as pkg/scheduler/plugins/gang/gang.go, and what each verdict's rule has of the log.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from vqs.explain.outcome import GATED
from vqs.explain.texts.node_reasons import (
    EVENT_OF_POD_GROUPS,
    EXPLAIN_QUEUE,
    FIT_ERROR,
    ON_POD_GROUPS,
    ON_PODS,
    Part,
    Reading,
    codes_shown_as,
    read_fit_error,
    read_reason,
    reason_meaning,
)
from vqs.explain.verdict_rules import VERDICT_RULES, PodText
from vqs.model.codes import VerdictCode
from vqs.model.job import VALID_STATUSES

_COUNTS: Final = r"\d{1,9} \w+(?:, \d{1,9} \w+)*"
JOB_TEXT: Final = re.compile(
    r"(?:(?P<gang>(?<!\d)-?\d{1,9}/\d{1,9}) tasks in gang unschedulable: )?(?P<state>pod group is (?:not )?ready)"
    rf"(?:, (?P<counts>{_COUNTS}))?(?:; Pending: (?P<pending>{_COUNTS}))?(?:\. (?P<origin>Origin reason is:? .*))?$"
)
_ORIGIN: Final = re.compile(r"Origin reason is (?P<task>\S+): (?P<text>.*)")
_MINIMUM: Final = "minAvailable"

_STATUSES: Final = {
    "Pending": "without a place",
    "Allocated": "with a node in this session, and not bound, as the gang is not complete",
    "Pipelined": "reserved on a node until it has room, or until the gang is complete",
    "Binding": "given their nodes in this session",
    "Bound": "bound to their nodes, and not running yet",
    "Running": "running",
    "Releasing": "being deleted, or evicted in this session",
    "Succeeded": "done",
    "Failed": "failed; they do not count for the gang",
    "Unknown": "in a state that the scheduler does not know",
}
_REASONS: Final = {
    "Unschedulable": "without a node: refused by nodes, or not tried",
    "Schedulable": "with a node that was rolled back, as the gang was incomplete",
}

_PLACED: Final = frozenset({"Binding", "Allocated", "Pipelined"})
"""Statuses that a session gives to tasks of jobs that are in their queues, and that have as many pods as they need."""


def counted(counts: str | None) -> dict[str, int]:
    """Return the numbers in a list of counts.

    >>> counted("3 Pending, 4 minAvailable")
    {'Pending': 3, 'minAvailable': 4}
    """
    return {
        name: int(number) for number, _, name in (each.partition(" ") for each in (counts or "").split(", ")) if name
    }


def read_job_text(found: re.Match[str]) -> Reading:
    """Read a text about a job."""
    counts, pending = counted(found["counts"]), counted(found["pending"])
    parts = [*_gang(found["gang"]), Part(found["state"], _state(found["state"]))]
    parts += [Part(f"{number} {name}", _count(name, number, counts)) for name, number in counts.items()]
    parts += [
        Part(
            f"Pending: {number} {reason}", f"of the pending tasks, {number:,} {_REASONS.get(reason, 'of that status')}"
        )
        for reason, number in pending.items()
    ]
    parts += _origin(found["origin"])
    if found["gang"]:
        # Also those that tasks may have where none of them waits.
        without = _ruled_out(found, counts)
        shown = {*codes_shown_as(*_shown(counts, pending, origin=bool(found["origin"])), without=without)}
        shown |= {VerdictCode.GANG_TOO_SMALL} - {*without} | ({VerdictCode.EVICTED} if "Releasing" in counts else set())
        codes = _likely_first(found, counts, tuple(code for code in VERDICT_RULES if code in shown))
        return Reading(found[0], ON_POD_GROUPS, tuple(parts), codes)
    codes = codes_shown_as(PodText.JOB, without=_ruled_out(found, counts)) if counts else ()
    codes = _likely_first(found, counts, codes)
    return Reading(found[0], ON_PODS, tuple(parts), codes, about=PodText.JOB)


def _likely_first(found: re.Match[str], counts: Mapping[str, int], codes: Sequence[str]) -> tuple[str, ...]:
    """Put what the nodes refused a task for first; last a standstill, in which only backfill tries and places tasks."""
    named = _ORIGIN.fullmatch(found["origin"] or "")
    refused = FIT_ERROR.search(named["text"]) if named else None
    first = read_fit_error(refused).codes if refused else ()
    placed_or_tried = refused or _PLACED & counts.keys()
    last = {VerdictCode.SCHEDULER_STANDS_STILL} & {*codes} if placed_or_tried else set()
    return (*first, *(code for code in codes if code not in {*first, *last}), *last)


def _ruled_out(found: re.Match[str], counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the verdicts that nothing of a job is given once one of its tasks was tried."""
    if not found["origin"] and not _PLACED & counts.keys():
        return ()
    return (*(code for code, rule in VERDICT_RULES.items() if rule.stage == "enqueue"), VerdictCode.GANG_TOO_SMALL)


def _shown(counts: Mapping[str, int], pending: Mapping[str, int], *, origin: bool) -> Iterator[PodText]:
    """Yield what the pods of a job may show that is counted so."""
    if pending:
        yield from (PodText.JOB, PodText.GATES, PodText.RELEASE)
    if origin:
        yield from (PodText.NODES, PodText.ROLE)
    if "Schedulable" in pending or "Allocated" in counts:
        yield PodText.PLACE
    if "Pipelined" in counts:
        yield PodText.RELEASE


def _gang(numbers: str | None) -> Iterator[Part]:
    if numbers:
        missing, _, tasks = numbers.partition("/")
        yield Part(
            f"{numbers} tasks in gang unschedulable",
            f"of the job's {int(tasks):,} tasks, {int(missing):,} more need a place for its gang to be complete; in an "
            "event, that many are pending",
        )


def _state(state: str) -> str:
    if " not " in state:
        return "fewer tasks than its minimum have a place, so that the gang is not complete"
    return (
        "its minimum has a place, or asks for nothing, so that the gang is complete: what waits is beyond the minimum"
    )


def _count(name: str, number: int, counts: Mapping[str, int]) -> str:
    if name == _MINIMUM:
        valid = sum(counts.get(status.name, 0) for status in VALID_STATUSES)
        few = f"; of those that there are, {valid:,} may count, which is too few" if valid < number else ""
        return f"the gang needs {number:,} tasks at least{few}"
    meaning = _STATUSES.get(name, "in that state")
    return f"{number:,} {'task is' if number == 1 else 'tasks are'} {meaning}"


def _origin(origin: str | None) -> Iterator[Part]:
    """Yield what is quoted of one task of the job."""
    if not origin:
        return
    named = _ORIGIN.fullmatch(origin)
    if named is None:
        yield Part(origin, "what the job was refused for")
        return
    yield Part(
        f"Origin reason is {named['task']}",
        "what one task was refused for follows, of several one at random; mostly it is not the pod that shows this",
    )
    nodes = FIT_ERROR.search(named["text"])
    yield from read_fit_error(nodes).parts if nodes else (Part(named["text"], "what that task was refused for"),)


_OTHER_SCHEDULER: Final = "kubectl get pod POD -o jsonpath='{.spec.schedulerName}' tells whose pod it is"
_WHICH_GATES: Final = "kubectl get pod POD -o jsonpath='{.spec.schedulingGates}' names the gates"
_QUOTES: Final = "'\""
"""What a manifest puts around a text."""

_LONGEST: Final = 20_000
"""How many characters of a line are read; the texts of the scheduler are far shorter."""

_SAID_AGAIN: Final = re.compile(r"task unscheduleable \S+, message: (?P<text>.*), skip by no condition update$")
_PLACEHOLDER: Final = re.compile(r"\\\{(\w+)\\\}")


class _Form(NamedTuple):
    """A kind of text: how it is found, and how it is read."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Reading]


def read_text(line: str) -> Reading | None:
    """Return what the first text of the scheduler in a line stands for, None where vqs knows none in it."""
    text = line[:_LONGEST].strip().strip(_QUOTES)
    if again := _SAID_AGAIN.search(text):
        text = again["text"]
    for form in _FORMS:
        if found := form.pattern.search(text):
            return form.read(found)
    return read_reason(text)


def about(text: str) -> PodText | None:
    """Return what the message of a pod's condition is about, None where that is not known."""
    reading = read_text(text)
    return reading.about if reading else None


# --- on pods ----------------------------------------------------------------------------------------------------------


def _role(found: re.Match[str]) -> Reading:
    meaning = f"an earlier task of role {found['role']} was refused by all nodes; this one was not tried for that"
    return _on_pod(found, PodText.ROLE, Part(found[0], meaning))


def _place(found: re.Match[str]) -> Reading:
    node = f"node {found['node']}"
    assigned = Part(f"Pod {found['pod']} can possibly be assigned to {found['node']}", f"{node} was found for it")
    gang = Part("once minAvailable is satisfied", "nothing is bound before the gang is complete")
    if not found["released"]:
        return _on_pod(found, PodText.PLACE, assigned, gang)
    released = Part("once resource is released", f"{node} has the room when others have left it")
    return _on_pod(found, PodText.RELEASE, assigned, released, gang)


def _whole(
    place: str, meaning: str, *codes: str, step: str = "", about: PodText | None = None
) -> Callable[[re.Match[str]], Reading]:
    """Return what reads a text that means one thing as a whole."""
    steps = (step,) if step else ()
    return lambda found: Reading(found[0], place, (Part(found[0], meaning),), codes, steps=steps, about=about)


def _on_pod(found: re.Match[str], kind: PodText, *parts: Part) -> Reading:
    return Reading(found[0], ON_PODS, parts, codes_shown_as(kind), about=kind)


def _evicted(found: re.Match[str]) -> Reading:
    meaning = f"the action {found['action']} of the scheduler deletes the pod to make room"
    place = "condition Ready and event Evict of a pod"
    return Reading(found[0], place, (Part(found[0], meaning),), (VerdictCode.EVICTED,))


# --- on PodGroups -----------------------------------------------------------------------------------------------------


def _full(meaning: str, says: str, code: VerdictCode, *steps: str) -> Callable[[re.Match[str]], Reading]:
    """Return what reads a text on which there is too little to admit a job, and which resources are listed."""

    def read(found: re.Match[str]) -> Reading:
        listed = [each for each in (found["rest"] or "").split(", ") if each]
        parts = (Part(found["head"], meaning), *(Part(each, f"{says} {each.split()[-1]}") for each in listed))
        return Reading(found[0], EVENT_OF_POD_GROUPS, parts, (code,), steps=steps)

    return read


# --- in the log -------------------------------------------------------------------------------------------------------


_NOT_ADMITTED: Final = (
    VerdictCode.NOT_ENQUEUED_CAPABILITY,
    VerdictCode.NOT_ENQUEUED_OVERCOMMIT,
    VerdictCode.NOT_ENQUEUED_QUOTA,
    VerdictCode.QUEUE_CLOSED,
)


def _skipped(found: re.Match[str]) -> Reading:
    codes: tuple[VerdictCode, ...] = (VerdictCode.GANG_TOO_SMALL,)
    why = "it has fewer pods than its gang needs"
    if "status is pending" in found["reason"]:
        codes, why = _NOT_ADMITTED, "it is not admitted"
    elif "hyperNodes are not ready" in found["reason"]:
        codes, why = (
            (VerdictCode.HYPER_NODES_NOT_READY,),
            "it requests a network topology, and the HyperNodes are not a tree",
        )
    part = Part(found[0], f"the action {found['action']} passes over the job: {why}")
    return Reading(found[0], "the scheduler's log (--v=4 or more)", (part,), codes, job=found["job"])


def _predicates(found: re.Match[str]) -> Reading:
    parts = [Part(f"task {found['task']} on node {found['node']} fit failed", "the node does not take the task")]
    parts += [Part(each, reason_meaning(each)) for each in found["reasons"].split(", ")]
    codes = (VerdictCode.NO_NODE_FITS, VerdictCode.FRAGMENTED, VerdictCode.LARGER_THAN_ANY_NODE)
    return Reading(found[0], "the scheduler's log (--v=3 or more)", tuple(parts), codes)


def _log_forms() -> Iterator[_Form]:
    """Yield a form for each line of Volcano's log that rules name; several may name one."""
    by_line: dict[tuple[str, int | None], list[str]] = {}
    for code, rule in VERDICT_RULES.built_in.items():
        if rule.log:
            by_line.setdefault((rule.log, rule.verbosity), []).append(code)
    for (line, verbosity), codes in by_line.items():
        yield _Form(re.compile(_as_pattern(line)), _log_reader(tuple(codes), verbosity))


def _pipelined() -> _Form:
    """Return the form of the line on a reserved node as quoted without its beginning."""
    rule = VERDICT_RULES[VerdictCode.WAITS_FOR_RELEASE]
    pattern = re.compile(_as_pattern(rule.log.removeprefix("After ")), re.IGNORECASE)
    return _Form(pattern, _log_reader((rule.code,), rule.verbosity))


def _as_pattern(line: str) -> str:
    """Return a pattern that finds a line of the log with any names, to its end."""
    seen: set[str] = set()

    def name(found: re.Match[str]) -> str:
        again = found[1] in seen
        seen.add(found[1])
        return r"[^\s<>]+?" if again else rf"(?P<{found[1]}>[^\s<>]+?)"

    return _PLACEHOLDER.sub(name, re.escape(line).replace(r"\ ", " ")) + ".*"


def _log_reader(codes: tuple[str, ...], verbosity: int | None) -> Callable[[re.Match[str]], Reading]:
    def read(found: re.Match[str]) -> Reading:
        names = found.groupdict()
        titles = " or ".join(dict.fromkeys(VERDICT_RULES[code].title for code in codes))
        steps = [EXPLAIN_QUEUE.format(queue=shlex.quote(names["queue"]))] if "queue" in names else []
        place = f"the scheduler's log (--v={verbosity} or more)" if verbosity else "the scheduler's log"
        return Reading(found[0], place, (Part(found[0], titles),), codes, names.get("job", ""), tuple(steps))

    return read


# --- words ------------------------------------------------------------------------------------------------------------

_WORDS: Final = {
    "Unschedulable": "the pod has no node; its message says more",
    "Schedulable": "the pod has a node in this session, and is not bound, as its gang is not complete",
    GATED.reason: "the pod has scheduling gates, and the scheduler does not touch it",
    "SchedulerError": "the pod had a node, and the cluster failed to bind it",
    "FailedScheduling": "an event with the message of the pod's condition PodScheduled, written when that changes",
    "NotEnoughResources": "the gang of the PodGroup is not complete, whatever the cause; its message counts the tasks",
    "NotEnoughTasks": "the job has fewer pods than its minimum",
    "NotEnoughPodsOfTask": "a role of the job has fewer pods than its minimum",
}
_OF_WORDS: Final = {
    "Unschedulable": (PodText.JOB, PodText.NODES, PodText.ROLE, PodText.RELEASE),
    "Schedulable": (PodText.PLACE,),
    GATED.reason: (PodText.GATES,),
}


def _word(found: re.Match[str]) -> Reading:
    word = found[0]
    codes = codes_shown_as(*_OF_WORDS[word]) if word in _OF_WORDS else ()
    if word.startswith(("NotEnoughTasks", "NotEnoughPods")):
        codes = (VerdictCode.GANG_TOO_SMALL,)
    return Reading(word, "reason of a condition or of an event", (Part(word, _WORDS[word]),), codes)


_FORMS: Final = (
    _Form(re.compile(rf"^(?:{'|'.join(_WORDS)})$"), _word),
    _Form(JOB_TEXT, read_job_text),
    _Form(FIT_ERROR, read_fit_error),
    _Form(
        re.compile(r"Task (?P<task>\S+) with role spec (?P<role>\S*) has already predicated failed, skip"),
        _role,
    ),
    _Form(
        re.compile(
            r"Pod (?P<pod>\S+) can possibly be assigned to (?P<node>\S+), "
            r"once (?P<released>resource is released and )?minAvailable is satisfied"
        ),
        _place,
    ),
    _Form(
        re.compile(re.escape(GATED.message)),
        _whole(
            ON_PODS,
            "spec.schedulingGates of the pod is not empty; the API server wrote this when the pod was created",
            *codes_shown_as(PodText.GATES),
            step=_WHICH_GATES,
            about=PodText.GATES,
        ),
    ),
    _Form(re.compile(r"Pod is evicted, because of (?P<action>\w+)"), _evicted),
    _Form(
        re.compile(r"failed to bind to node \S+: .*|execute preBind for pod .* failed: .*"),
        _whole(
            ON_PODS,
            "the pod had a node, and the cluster failed to bind it; the scheduler tries again in a later session",
        ),
    ),
    _Form(
        re.compile(r"(?<![\d/])\d+/\d+ nodes are available: .*"),
        _whole(
            "event of a pod",
            "these are words of Kubernetes' own scheduler: Volcano writes 'nodes are unavailable'",
            step=_OTHER_SCHEDULER,
        ),
    ),
    _Form(
        re.compile(r"(?P<head>queue resource quota insufficient)(?:: (?P<rest>insufficient .*))?"),
        _full(
            "the queue has too little left to admit the job, so the job gets no pods yet",
            "its queue is short of",
            VerdictCode.NOT_ENQUEUED_CAPABILITY,
            EXPLAIN_QUEUE.format(queue="QUEUE"),
        ),
    ),
    _Form(
        re.compile(r"(?<!queue )resource quota insufficient, requested: .*"),
        _whole(
            EVENT_OF_POD_GROUPS,
            "a ResourceQuota of the namespace has too little left to admit the job, and so the job gets no pods yet",
            VerdictCode.NOT_ENQUEUED_QUOTA,
        ),
    ),
    _Form(
        re.compile(r"(?P<head>resource in cluster is overused)(?:: (?P<rest>overused .*))?"),
        _full(
            "the jobs that are admitted and wait request as much as overcommit allows",
            "admitted jobs request too much",
            VerdictCode.NOT_ENQUEUED_OVERCOMMIT,
        ),
    ),
    _Form(
        re.compile(r"tasks in gang are ready to be scheduled"),
        _whole("condition Scheduled of a PodGroup", "the gang is complete: nothing of the job's minimum waits"),
    ),
    _Form(
        re.compile(r"Job <(?P<job>[^\s<>]+)> Queue <[^\s<>]+> skip (?P<action>\w+), reason: (?P<reason>.*)"), _skipped
    ),
    _Form(
        re.compile(r"Predicates failed: task (?P<task>\S+) on node (?P<node>\S+) fit failed: (?P<reasons>.*)"),
        _predicates,
    ),
    *_log_forms(),
    _pipelined(),
)
"""The forms of texts, the ones that quote others before these."""
