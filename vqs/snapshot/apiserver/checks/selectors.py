"""Selectors of labels and of nodes."""

from collections.abc import Iterator
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.model.selectors import Requirement
from vqs.snapshot.apiserver.checks.values import choice, present
from vqs.snapshot.reading.diagnostics import Defect, Path

_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS: Final = (*_LABEL_OPERATORS, "Gt", "Lt")


def label_selector(path: Path, selector: k8s.LabelSelector | None) -> Iterator[Defect]:
    """Yield what is wrong with a selector of labels."""
    for index, requirement in enumerate(selector.match_expressions if selector else ()):
        yield from _requirement((*path, "matchExpressions", index), requirement, _LABEL_OPERATORS)


def custom_resource_selector(path: Path, selector: k8s.LabelSelector | None) -> Iterator[Defect]:
    """Yield what keeps a selector in a custom resource from matching; the API server does not check it."""
    for defect in label_selector(path, selector):
        yield defect._replace(message=f"the selector matches nothing: {defect.message}", severity="warning")


def node_selector(path: Path, selector: k8s.NodeSelector | None) -> Iterator[Defect]:
    """Yield what is wrong with a selector of nodes."""
    for index, term in enumerate(selector.node_selector_terms if selector else ()):
        yield from node_term((*path, "nodeSelectorTerms", index), term)


def node_term(path: Path, term: k8s.NodeSelectorTerm) -> Iterator[Defect]:
    """Yield what is wrong with a term of a selector of nodes."""
    for index, requirement in enumerate(term.match_expressions):
        yield from _requirement((*path, "matchExpressions", index), requirement, _NODE_OPERATORS)
    for index, requirement in enumerate(term.match_fields):
        yield from _requirement((*path, "matchFields", index), requirement, ("In", "NotIn"))


def _requirement(
    path: Path, requirement: k8s.LabelSelectorRequirement | k8s.NodeSelectorRequirement, operators: tuple[str, ...]
) -> Iterator[Defect]:
    operator, values = requirement.operator, requirement.values
    yield from present((*path, "key"), requirement.key)
    yield from choice((*path, "operator"), operator, operators, required=True)
    if operator in ("In", "NotIn") and not values:
        yield Defect("invalid-value", (*path, "values"), f"operator {operator} needs values")
    if operator in ("Exists", "DoesNotExist") and values:
        yield Defect("invalid-value", (*path, "values"), f"operator {operator} takes no values")
    if operator in ("Gt", "Lt") and operator in operators:
        yield from _compared((*path, "values"), operator, values)


def _compared(path: Path, operator: str, values: list[str]) -> Iterator[Defect]:
    """Yield what is wrong with the value to compare with; the API server only counts the values."""
    if len(values) != 1:
        yield Defect("invalid-value", path, f"operator {operator} needs one whole number")
    elif not Requirement("", operator, tuple(values)).well_formed:
        message = f"operator {operator} matches nothing, as {values[0]!r} is not a whole number"
        yield Defect("invalid-value", path, message, severity="warning")
