"""A field that does not exist, and resembles one that does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.lint.known_fields import misspellings
from vqs.lint.rule import Finding, Place, Rule, Severity
from vqs.lint.written import written_objects
from vqs.model import kubernetes as k8s

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.lint.subject import Subject

_KINDS = (
    ("volcano_jobs", "Job", k8s.VolcanoJob),
    ("pod_groups", "PodGroup", k8s.PodGroup),
    ("queues", "Queue", k8s.Queue),
    ("pods", "Pod", k8s.Pod),
)


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the fields of objects that no API server has seen with those that there are."""
    written = subject.once(written_objects)
    for list_name, kind, type_ in _KINDS:
        for each, place in subject.each(list_name):
            if subject.is_stored(each):
                continue
            name = each.metadata.name if list_name == "queues" else each.metadata.key
            for path, hint in misspellings(written.get(list_name, place.index), type_):
                message = f"{kind} {name} has a field {path[-1]}, which does not exist ({hint})"
                yield Finding(message, Place(list_name, place.index, path))


RULE = Rule(
    code="misspelt-field",
    severity=Severity.WARNING,
    title="a field does not exist, and looks like one that does",
    meaning="A Job, PodGroup, Queue or pod has a field that is unknown, near to the name of a known one or beside the "
    "field into which it belongs.",
    why="kubectl refuses unknown fields unless validation is switched off; whoever else creates the object has them "
    "dropped without a word, and the default is used.",
    fix="Correct the name of the field.",
    source="config/crd/volcano/bases/batch.volcano.sh_jobs.yaml",
    check=check,
    example="minAvailble: 3",
)
