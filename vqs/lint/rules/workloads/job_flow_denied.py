"""A JobFlow that its webhook refuses."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.diagnostics import Path, did_you_mean


def check(context: LintContext) -> Findings:
    """Find flows that wait for one that is not in the JobFlow, or for themselves."""
    for flow, place in context.objects("job_flows"):
        for path, text, fix in _faults(flow):
            yield Finding(f"JobFlow {flow.metadata.key}: {text}", place.at(*path), fix=fix)


def _faults(flow: k8s.JobFlow) -> Iterator[tuple[Path, str, str]]:
    waiting = {each.name: each.depends_on.targets if each.depends_on else [] for each in flow.spec.flows}
    unknown = False
    for index, step in enumerate(flow.spec.flows):
        for number, target in enumerate(step.depends_on.targets if step.depends_on else ()):
            if target not in waiting:
                unknown = True
                path = ("spec", "flows", index, "dependsOn", "targets", number)
                yield (
                    path,
                    f"flow {step.name} waits for {target}, which is none of its flows",
                    did_you_mean(target, waiting),
                )
    try:
        TopologicalSorter({} if unknown else waiting).prepare()
    except CycleError as error:
        yield ("spec", "flows"), f"flows wait for one another: {' -> '.join(error.args[1])}", ""


RULE = Rule(
    code="job-flow-denied",
    severity=Severity.ERROR,
    title="Volcano's webhook refuses a JobFlow",
    meaning="A flow names a target in dependsOn that is no flow of the JobFlow, or flows wait for one another.",
    why="The webhook for JobFlows refuses what has no order in which each flow comes after those it depends on.",
    fix="Correct the names in dependsOn.targets: they are names of flows, which are names of JobTemplates; break the "
    "circle.",
    source="pkg/webhooks/admission/jobflows/validate/validate_jobflow.go",
    check=check,
    looks_at=("job_flows",),
    example="dependsOn: {targets: [prepar]}, where the flow is called prepare",
    denied="webhook",
)
