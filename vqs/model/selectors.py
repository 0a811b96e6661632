"""Label selectors. Reference: k8s.io/apimachinery/pkg/labels/selector.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vqs.model.kubernetes import LabelSelector, LabelSelectorRequirement


def label_selector_matches(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Tell whether labels match: no selector matches nothing, an empty one everything."""
    if selector is None:
        return False
    return all(labels.get(key) == value for key, value in selector.match_labels.items()) and all(
        _requirement_holds(requirement, labels) for requirement in selector.match_expressions
    )


def _requirement_holds(requirement: LabelSelectorRequirement, labels: Mapping[str, str]) -> bool:
    present = requirement.key in labels
    match requirement.operator:
        case "In":
            return present and labels[requirement.key] in requirement.values
        case "NotIn":
            return not present or labels[requirement.key] not in requirement.values
        case "Exists":
            return present
        case "DoesNotExist":
            return not present
        case _:
            return False
