"""A Job that Volcano's webhook refuses; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="job-denied",
    severity=Severity.ERROR,
    title="Volcano's webhook refuses a Job",
    meaning="The Job contradicts itself: more minAvailable than replicas, two tasks of one name, two policies for one "
    "event, tasks that wait for each other, a plugin of Jobs that does not exist, no containers, and so on.",
    why="The admission webhook answers kubectl with an error, and nothing is created.",
    fix="Correct what the message names.",
    source="pkg/webhooks/admission/jobs/validate/admit_job.go",
    example="minAvailable: 5, with tasks of 4 replicas together",
)
