"""An open queue below a closed one."""

from typing import Final

from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model.cluster import OPEN

_CLOSED: Final = ("Closed", "Closing")


def check(context: LintContext) -> Findings:
    """Find such queues."""
    tree = queue_tree(context)
    for queue in tree:
        parent = tree.queues.get(queue.parent)
        if parent is None or parent is queue or (queue.queue.status.state or OPEN) != OPEN:
            continue
        state = parent.queue.status.state
        if state in _CLOSED:
            yield Finding(
                f"queue {queue.name} is open, and its parent {parent.name} is {state}",
                queue.at("spec", "parent"),
                (Evidence(f"queue {parent.name} is {state}", parent.at("status", "state")),),
            )


RULE = Rule(
    code="queue-open-below-closed",
    severity=Severity.WARNING,
    title="a queue is open, and its parent is not",
    meaning="A queue is Open, or new, and its parent is Closed or Closing.",
    why="Volcano's controller closes such a queue as soon as it sees it, and refuses to open it before its parent. The "
    "scheduler only checks the state of the queue itself.",
    fix="Open the parent first (vcctl queue operate -a open -n NAME); the children that were closed with it follow.",
    source="pkg/controllers/queue/queue_controller_action.go (syncHierarchicalQueue, openHierarchicalQueue)",
    check=check,
    example="queue dev with parent team, queue team with status: {state: Closed}",
)
