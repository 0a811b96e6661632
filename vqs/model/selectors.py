"""Label selectors, and tolerations of taints.

References: k8s.io/apimachinery/pkg/labels (selector.go); k8s.io/component-helpers/scheduling/corev1 (helpers.go);
k8s.io/api/core/v1 (toleration.go).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vqs.model.kubernetes import LabelSelector, Taint, Toleration
from vqs.model.quantity import whole_number


@dataclass(frozen=True, slots=True)
class Requirement:
    """``key operator values``, where the operator is In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def accepts(self, value: str | None) -> bool:
        """True if a label may have this value; None stands for an object without the label."""
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case "Gt" | "Lt":
                have, limit = _integer(value), _integer(self.values[0])
                if have is None or limit is None:
                    return False
                return have > limit if self.operator == "Gt" else have < limit
        return False

    @property
    def well_formed(self) -> bool:
        """Whether the operator is known and has the values it needs. Kubernetes lets nothing else through."""
        match self.operator:
            case "In" | "NotIn":
                return bool(self.values)
            case "Exists" | "DoesNotExist":
                return not self.values
            case "Gt" | "Lt":
                return len(self.values) == 1 and _integer(self.values[0]) is not None
        return False


def _integer(text: str | None) -> int | None:
    """Read a label's value as a 64-bit integer, None where it is none."""
    return None if text is None else whole_number(text)


@dataclass(frozen=True, slots=True)
class Selector:
    """Requirements that must all hold; None in their place matches nothing."""

    requirements: tuple[Requirement, ...] | None

    def matches(self, labels: Mapping[str, str]) -> bool:
        """True if an object with these labels is selected."""
        if self.requirements is None:
            return False
        return all(requirement.accepts(labels.get(requirement.key)) for requirement in self.requirements)

    @property
    def empty(self) -> bool:
        """Whether everything is selected because nothing is required."""
        return self.requirements == ()

    @property
    def anchors(self) -> tuple[tuple[str, str], ...] | None:
        """Labels of which everything that is selected has one, to look it up by; None where there are none."""
        if self.requirements is None:
            return ()
        named = next((requirement for requirement in self.requirements if requirement.operator == "In"), None)
        return None if named is None else tuple((named.key, value) for value in named.values)

    @property
    def keys(self) -> frozenset[str]:
        """The labels that are looked at."""
        return frozenset(requirement.key for requirement in self.requirements or ())

    def also(self, requirements: Iterable[Requirement]) -> Selector:
        """A selector that requires more; nothing stays nothing."""
        return self if self.requirements is None else Selector((*self.requirements, *requirements))


NOTHING = Selector(None)
EVERYTHING = Selector(())


def equal_to(labels: Mapping[str, str]) -> tuple[Requirement, ...]:
    """The requirements that labels have these values."""
    return tuple(Requirement(key, "In", (value,)) for key, value in sorted(labels.items()))


def label_selector(selector: LabelSelector | None) -> Selector:
    """Read a selector: one that is not given selects nothing, an empty one everything, a malformed one nothing."""
    if selector is None:
        return NOTHING
    expressions = tuple(Requirement(e.key, e.operator, tuple(e.values)) for e in selector.match_expressions)
    if not all(e.well_formed and e.operator not in ("Gt", "Lt") for e in expressions):
        return NOTHING
    return Selector((*equal_to(selector.match_labels), *expressions))


# --- taints -----------------------------------------------------------------------------------------------------------


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """True if one of the tolerations is for this taint."""
    return any(
        each.effect in ("", taint.effect)
        and each.key in ("", taint.key)
        and (each.value == taint.value if each.operator in ("", "Equal") else each.operator == "Exists")
        for each in tolerations
    )


def untolerated(taints: Iterable[Taint], tolerations: Sequence[Toleration], effects: tuple[str, ...]) -> list[Taint]:
    """The taints with one of these effects that are not tolerated."""
    return [taint for taint in taints if taint.effect in effects and not tolerates(tolerations, taint)]
