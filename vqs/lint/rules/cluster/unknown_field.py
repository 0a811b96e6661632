"""A field that does not exist."""

from vqs.lint.new_objects import CUSTOM, new_objects
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.apiserver.validation.schema import is_known, unknown_field_message, unknown_fields


def check(context: LintContext) -> Findings:
    """Compare the fields of objects that no API server has seen with those that there are."""
    for new in new_objects(context):
        if is_known(new.kind):
            for field in unknown_fields(
                new.value, new.kind, custom=isinstance(new.typed, CUSTOM), schemas=new.schemas(context.profile)
            ):
                yield Finding(unknown_field_message(new.what, field), new.at(field.path))


RULE = Rule(
    code="unknown-field",
    severity=Severity.ERROR,
    title="a field does not exist",
    meaning="An object has a field that its kind does not have: it is misspelt, at the wrong level, or from another "
    "version.",
    why="kubectl asks the API server for strict validation, which refuses unknown fields. Without strict validation, "
    "as with most other clients, the API server silently drops them, and the default applies.",
    fix="Correct the name of the field, move it to where it belongs, or remove it.",
    source="config/crd/volcano/bases; k8s.io/api core/v1",
    check=check,
    example="minAvailble: 3",
    denied="apiserver",
)
