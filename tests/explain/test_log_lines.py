"""The lines of the scheduler's log that rules name are those that Volcano v1.14.4 writes.

Each is pinned as it was read in the source: file, verbosity and format; a rule names what of it comes before figures.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from vqs.explain.verdict_rules import VERDICT_RULES

TASK, BARE, JOB, NAME, QUEUE, ROLE, NODE = "ns/j-0", "j-0", "ns/j", "j", "q", "worker", "n1"


class Line(NamedTuple):
    """A line of the log in the source, and what its verbs stand for, as far as names go."""

    file: str
    verbosity: int
    format: str
    names: tuple[str, ...] = ()


ALLOCATE: Final = "actions/allocate/allocate.go"
CACHE: Final = "cache/cache.go"
CAPACITY: Final = "plugins/capacity/capacity.go"
PROPORTION: Final = "plugins/proportion/proportion.go"
STATEMENT: Final = "framework/statement.go"
BACKFILL: Final = "actions/backfill/backfill.go"

_OVERUSED: Final = Line(ALLOCATE, 3, "Queue <%s> is overused when considering task <%s>, ignore it.", (QUEUE, BARE))
_PREDICATES: Final = Line(
    "util/predicate_helper.go, api/unschedule_info.go",
    3,
    "Predicates failed: task %s on node %s fit failed: %s",
    (TASK,),
)
_ACCOUNT: Final = "job %s min resource <%s>, queue %s capability <%s> allocated <%s> inqueue <%s> elastic <%s>"

LINES: Final[dict[str, tuple[Line, ...]]] = {
    "no-pod-group": (Line(CACHE, 4, "The scheduling spec of Job <%v:%s/%s> is nil, ignore it.", (JOB, "", "")),),
    "unknown-queue": (Line(CACHE, 3, "The Queue <%v> of Job <%v> does not exist, ignore it.", (QUEUE, JOB)),),
    "unknown-device-claim": (Line("cache/event_handlers.go", 0, "generate taskInfo for pod(%s) failed: %v", (BARE,)),),
    "not-enqueued-capability": (Line(CAPACITY, 5, _ACCOUNT, (NAME,)), Line(PROPORTION, 5, _ACCOUNT, (NAME,))),
    "not-enqueued-overcommit": (
        Line(
            "plugins/overcommit/overcommit.go",
            4,
            "Resource in cluster is overused, reject job <%s> to be inqueue",
            (JOB,),
        ),
    ),
    "not-enqueued-quota": (
        Line("plugins/resourcequota/resourcequota.go", 4, "enqueueable false for job: %s, because :%s", (JOB,)),
    ),
    "queue-closed": (
        Line(PROPORTION, 3, "Queue <%s> current state: %s, is not open state, reject job <%s/%s>.", (QUEUE,)),
        Line(
            PROPORTION, 3, "Queue <%s> current state: %s, is not in open state, can not allocate task <%s>.", (QUEUE,)
        ),
        Line(CAPACITY, 3, "Queue <%s> current state: %s, is not open state, reject job <%s/%s>.", (QUEUE,)),
        Line(CAPACITY, 3, "Queue <%s> current state: %s, cannot allocate task <%s>.", (QUEUE,)),
    ),
    "queue-overused": (
        Line(ALLOCATE, 3, "Queue <%s> is overused, ignore it.", (QUEUE,)),
        Line("actions/reclaim/reclaim.go", 3, "Queue <%s> is overused, ignore it.", (QUEUE,)),
    ),
    "queue-overused-extender": (
        Line(ALLOCATE, 3, "Queue <%s> is overused, ignore it.", (QUEUE,)),
        Line("actions/reclaim/reclaim.go", 3, "Queue <%s> is overused, ignore it.", (QUEUE,)),
    ),
    "scores-failed": (Line("util/scheduler_helper.go", 0, "Error in Calculating batch Priority for the node, err %v"),),
    "queue-limit": (_OVERUSED,),
    "queue-capability": (_OVERUSED,),
    "scheduler-stands-still": (Line(CAPACITY, 3, "Capacity plugin failed to check queue's hierarchical structure!"),),
    "gang-too-small": (Line(ALLOCATE, 4, "Job <%s> Queue <%s> skip allocate, reason: NotEnough%s", (JOB, QUEUE)),),
    "hyper-nodes-not-ready": (
        Line(
            ALLOCATE,
            4,
            "Job <%s> Queue <%s> skip allocate, reason: hyperNodes are not ready for scheduling",
            (JOB, QUEUE),
        ),
    ),
    "no-hyper-node": (Line(ALLOCATE, 5, "Cannot find any solution for job"),),
    "left-to-backfill": (Line(ALLOCATE, 4, "Task <%v> is BestEffort task, skip it.", (TASK,)),),
    "pre-predicate-failed": (
        Line(ALLOCATE, 3, "PrePredicate for task %s failed for: %v", (TASK,)),
        Line(BACKFILL, 3, "PrePredicate for task %s failed in backfill for: %v", (TASK,)),
    ),
    "reserve-failed": (
        Line(
            STATEMENT,
            0,
            "Failed to exec allocate callback functions for task <%v> to node <%v> when allocating in Session <%v>: %v",
            (TASK, NODE),
        ),
        Line(
            STATEMENT,
            0,
            "Failed to exec allocate callback functions for task <%v> to node <%v> when pipeline in Session <%v>: %v",
            (TASK, NODE),
        ),
    ),
    "no-node-fits": (_PREDICATES,),
    "fragmented": (_PREDICATES,),
    "larger-than-any-node": (_PREDICATES,),
    "role-failed": (Line(ALLOCATE, 5, "Task %s with role spec %s has already predicated failed, skip", (BARE, ROLE)),),
    "gang-discarded": (Line(STATEMENT, 3, "Discarding operations ..."),),
    "waits-for-gang": (
        Line(ALLOCATE, 3, "Binding Task <%v> to node <%v>", (TASK, NODE)),
        Line(BACKFILL, 3, "Binding Task <%v> to node <%v>", (TASK, NODE)),
    ),
    "waits-for-release": (
        Line(
            STATEMENT, 3, "After pipelined Task <%v> to Node <%v>: idle <%v>, used <%v>, releasing <%v>", (TASK, NODE)
        ),
    ),
    "evicted": (Line(CACHE, 3, "Evicting pod %v, because of %v", (TASK,)),),
    "bind-failed": (Line(BACKFILL, 0, "Failed to bind Task %v on %v in Session %v"),),
}
"""The lines by verdict, with files below pkg/scheduler: several where several places write what a rule names.

A namespace and a name, which the source writes with two verbs and a slash, are one here.
"""


def written(line: Line) -> str:
    """Fill a format in: the first verbs with names, the others with something else."""
    names = [*line.names]
    pieces = line.format.replace("%v", "%s").split("%s")
    return pieces[0] + "".join((names.pop(0) if names else "...") + piece for piece in pieces[1:])


def test_every_line_that_is_named_was_read() -> None:
    """A rule that names a line without its place in the source is a guess."""
    assert set(LINES) == {code for code, rule in VERDICT_RULES.items() if rule.log}


@pytest.mark.parametrize("code", sorted(LINES))
def test_the_line_is_written_so_and_at_that_verbosity(code: str) -> None:
    """With the names of a case, what the rule names stands in every line that the source writes there."""
    rule = VERDICT_RULES[code]
    names = {"task": BARE if rule.bare else TASK, "job": JOB, "name": NAME, "queue": QUEUE, "role": ROLE, "node": NODE}
    for line in LINES[code]:
        assert rule.log.format_map(names) in written(line)
        assert rule.verbosity == line.verbosity
