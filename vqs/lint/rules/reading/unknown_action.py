"""An action that Volcano does not have; found while the configuration is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="unknown-action",
    severity=Severity.ERROR,
    title="Volcano has no such action, and refuses the configuration",
    meaning="actions names something that is none of enqueue, allocate, backfill, preempt, reclaim and shuffle. An "
    "empty name, as a comma too many makes one, counts as well, and so does a configuration without actions.",
    why="The whole configuration is refused, and a line in the scheduler's log is all that tells: a running scheduler "
    "keeps the configuration it had, one that starts takes the built-in one. With --disable-default-scheduler-config, "
    "it exits.",
    fix="Correct the name, or remove it. Upper case counts.",
    source="pkg/scheduler/util.go, pkg/scheduler/scheduler.go",
    example='actions: "enqueue, allocate, backfil"',
)
