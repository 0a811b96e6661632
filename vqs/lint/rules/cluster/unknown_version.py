"""A version of a kind that is not served."""

from vqs.lint.new_objects import new_objects
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.reading.kinds import KIND_OF


def check(context: LintContext) -> Findings:
    """Compare the versions of objects that no API server has seen with those that are served."""
    for new in new_objects(context):
        given, served = new.value.get("apiVersion"), KIND_OF[type(new.typed)].api_version
        if given is not None and given != served:
            message = f"{new.what} has apiVersion {given}, which is not served"
            yield Finding(message, new.at(("apiVersion",)), fix=f"write {served}")


RULE = Rule(
    code="unknown-version",
    severity=Severity.ERROR,
    title="a version of the API does not exist",
    meaning="An object names a version of its kind that neither Kubernetes v1.34 nor Volcano v1.14.4 serves.",
    why="kubectl finds no match for the kind in that version and does not send the object: the cluster keeps the old "
    "one, or has none.",
    fix="Write the version that is served.",
    source="config/crd/volcano/bases (spec.versions); k8s.io/api",
    check=check,
    example="apiVersion: scheduling.volcano.sh/v1alpha1",
    denied="apiserver",
)
