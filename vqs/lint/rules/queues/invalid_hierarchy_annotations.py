"""Hierarchy annotations that do not go together."""

from vqs.lint.queue_sums import faulty_queues
from vqs.lint.queue_tree import hierarchies
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.cluster.hierarchy_paths import PATH, WEIGHTS, is_weight


def check(context: LintContext) -> Findings:
    """Find what the webhook refuses in one queue's annotations."""
    faulty = {queue.name for queue, _ in faulty_queues(context).get(RULE.code, ())}
    for hierarchy in (each for each in hierarchies(context) if each.queue.name in faulty):
        if not hierarchy.weights or (not hierarchy.path and len(hierarchy.step_weights) > 1):
            there, missing = (PATH, WEIGHTS) if hierarchy.path else (WEIGHTS, PATH)
            place = hierarchy.at_path if hierarchy.path else hierarchy.at_weights
            yield Finding(f"queue {hierarchy.queue.name} has the annotation {there}, but not {missing}", place)
        elif len(hierarchy.steps) != len(hierarchy.step_weights):
            yield Finding(
                f"queue {hierarchy.queue.name}: {hierarchy.path} has {len(hierarchy.steps)} levels, and there are "
                f"{len(hierarchy.step_weights)} weights",
                hierarchy.at_weights,
                (Evidence(f"the path is {hierarchy.path}", hierarchy.at_path),),
            )
        else:
            wrong = next(text for text in hierarchy.step_weights if not is_weight(text))
            message = f"queue {hierarchy.queue.name}: {wrong!r} is not a weight; expected a number above 0"
            yield Finding(message, hierarchy.at_weights)


RULE = Rule(
    code="invalid-hierarchy-annotations",
    severity=Severity.ERROR,
    title="a queue's hierarchy annotations do not match",
    meaning="volcano.sh/hierarchy gives the path of a queue, and volcano.sh/hierarchy-weights a number above 0 for "
    "each level of it; they have a different number of levels, one is missing, or a weight is not such a number.",
    why="The webhook for queues refuses it. Where the plugin drf is used with enableHierarchy, the scheduler crashes "
    "when it opens a session with a job in a queue that has fewer weights than levels.",
    fix="Write as many weights as the path has levels, with slashes between them.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go; pkg/scheduler/plugins/drf/drf.go",
    check=check,
    example="volcano.sh/hierarchy: root/eng/dev\nvolcano.sh/hierarchy-weights: 1/2",
    denied="webhook",
    stands=Severity.WARNING,
)
