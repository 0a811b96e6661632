"""A change that deletes a queue which has to stay; found when it is compared with what is there."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="queue-deletion-denied",
    severity=Severity.ERROR,
    title="a queue cannot be deleted",
    meaning="A change deletes the queue root or default, or a queue that others name as their parent.",
    why="The webhook for queues refuses it. It lets any other queue go, whatever its state and whoever uses it, unless "
    "it is told to look for pods (--enable-queue-allocated-pods-check).",
    fix="Keep the queue, or delete or move its children first.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go (validateQueueDeleting)",
    example="vqs diff-configs --on snapshot.json --remove queue/team, where queue team-a has parent: team",
)
