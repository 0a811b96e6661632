"""A flow of a JobFlow without its JobTemplate."""

from vqs.lint.amounts import near_names
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find flows that name no JobTemplate of the input in the namespace of the JobFlow."""
    templates = {each.metadata.key for each, _ in context.objects("job_templates")}
    for flow, place in context.objects("job_flows"):
        namespace = flow.metadata.namespace
        hint = near_names([key.partition("/")[2] for key in templates if key.startswith(f"{namespace}/")])
        for index, step in enumerate(flow.spec.flows):
            if f"{namespace}/{step.name}" not in templates:
                message = f"JobFlow {flow.metadata.key}: there is no JobTemplate {namespace}/{step.name}"
                at = place.at("spec", "flows", index, "name")
                yield Finding(message, at, fix=hint(step.name))


RULE = Rule(
    code="job-template-missing",
    severity=Severity.WARNING,
    title="a JobFlow names a JobTemplate that is not in the input",
    meaning="The name of a flow is the name of a JobTemplate in the namespace of the JobFlow, and there is none.",
    why="The webhook does not look for the template. The controller creates the Jobs in the order of the flows, and "
    "stops at the first whose template it does not find: that Job and those after it are never created.",
    fix="Create the JobTemplate, or correct the name; if it exists, add it to the input.",
    source="pkg/controllers/jobflow/jobflow_controller_action.go",
    check=check,
    looks_at=("job_flows", "job_templates"),
    example="a flow prepare, and no JobTemplate prepare",
)
