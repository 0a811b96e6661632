"""A container whose name is missing, invalid or not unique."""

from vqs.lint.pod_sources import LISTS, and_others, families, submitted
from vqs.lint.rule import Denier, Evidence, Finding, Findings, LintContext, Place, Rule, Severity
from vqs.snapshot.apiserver.validation.names import label


def check(context: LintContext) -> Findings:
    """Find containers without a name, with one that is not allowed, and two of one name, in what is new."""
    sources = (source for source, _ in submitted(context))
    for source, number in families(
        sources, lambda each: tuple(one.name for one in (*each.spec.containers, *each.spec.init_containers))
    ):
        what = and_others(source.what, number)
        seen: dict[str, Place] = {}
        for key, containers in (
            ("containers", source.spec.containers),
            ("initContainers", source.spec.init_containers),
        ):
            for index, container in enumerate(containers):
                name, place = container.name, source.at("spec", key, index, "name")
                if not name:
                    yield Finding(f"a container of {what} has no name", place, denied=source.judge)
                elif label(name):
                    message = f"the container name {name} of {what} "
                    message += "has characters other than lower case letters, digits and dashes"
                    yield Finding(message, place, denied=source.judge)
                elif name in seen:
                    first = Evidence("the first one is here", seen[name])
                    same_list = seen[name].path[-3] == key  # the schema of a Volcano Job covers these
                    denied: Denier = "apiserver" if same_list else source.judge
                    yield Finding(f"two containers of {what} have the name {name}", place, (first,), denied=denied)
                seen.setdefault(name, place)


RULE = Rule(
    code="container-name-invalid",
    severity=Severity.ERROR,
    title="the name of a container is missing, invalid or not unique",
    meaning="A container has no name, one with characters that are not allowed, or the name of another container of "
    "its pod.",
    why="The API server refuses such a pod, and Volcano's webhook refuses a Job with such a template. Containers and "
    "init containers of a pod share their names.",
    fix="Give every container a name of lower case letters, digits and dashes.",
    source="pkg/webhooks/admission/jobs/validate/admit_job.go",
    check=check,
    looks_at=LISTS,
    example="containers: [{image: train}]",
)
