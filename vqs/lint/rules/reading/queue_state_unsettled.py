"""A change of a queue that is neither open nor closed; found when it is compared with what is there."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="queue-state-unsettled",
    severity=Severity.ERROR,
    title="a queue that is neither open nor closed is changed",
    meaning="A change updates a queue with a status.state of Closing or Unknown, whatever it is that changes.",
    why="The webhook for queues refuses it. An update keeps the status that is stored, so it does not help to write "
    "another state in the manifest.",
    fix="Wait until the queue is closed, or open it: vcctl queue operate -a open -n NAME.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go (validateStateOfQueue)",
    example="vqs diff-configs --on snapshot.json --set queue/team.spec.weight=3, where queue team is Closing",
)
