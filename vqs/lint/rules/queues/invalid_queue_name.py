"""A name that no queue can have."""

from vqs.lint.queue_tree import is_made, queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.apiserver.validation.names import subdomain


def check(context: LintContext) -> Findings:
    """Find such names, of queues and of their parents; in a scenario, a queue may be called A."""
    for queue in queue_tree(context):
        if is_made(context, queue.place):
            continue
        if subdomain(queue.name):
            yield Finding(f"{queue.name!r} cannot be the name of a queue", queue.at("metadata", "name"))
        parent = queue.queue.spec.parent
        if parent and subdomain(parent):
            yield Finding(f"{parent!r} cannot be the name of a queue, nor of a parent", queue.at("spec", "parent"))


RULE = Rule(
    code="invalid-queue-name",
    severity=Severity.ERROR,
    title="the name of a queue is invalid",
    meaning="metadata.name or spec.parent of a queue has characters other than lower case letters, digits, dashes and "
    "dots, does not begin and end with a letter or digit, or is longer than 253 characters.",
    why="The API server refuses it.",
    fix="Write it in lower case, with dashes in place of underscores and blanks.",
    source="config/crd/volcano/bases/scheduling.volcano.sh_queues.yaml",
    check=check,
    example="metadata: {name: Research_Team}",
    denied="apiserver",
)
