"""What Kubernetes makes of a disruption budget: how many of its pods may go follows from its spec and their state.

Reference: pkg/controller/disruption in kubernetes/kubernetes.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import structs

from vqs.model.kubernetes import PodDisruptionBudget

_PERCENT: Final = re.compile(r"(\d{1,9})%", re.ASCII)


def with_allowance(old: PodDisruptionBudget, new: PodDisruptionBudget) -> PodDisruptionBudget:
    """Return a budget with the disruptions that another spec allows, where the status says how many pods there are.

    Of another selector, other pods would have to be counted: then the status stays as it is.
    """
    status, before, after = new.status, old.spec, new.spec
    limits = (before.min_available, before.max_unavailable) != (after.min_available, after.max_unavailable)
    is_counted = old.status == status and before.selector == after.selector
    desired = desired_healthy(new) if limits and is_counted else None
    if desired is None:
        return new
    allowed = max(0, status.current_healthy - desired)
    return structs.replace(new, status=structs.replace(status, disruptions_allowed=allowed, desired_healthy=desired))


def desired_healthy(budget: PodDisruptionBudget) -> int | None:
    """Return how many pods of a budget have to stay; None where its status does not count them."""
    expected, spec = budget.status.expected_pods, budget.spec
    if expected <= 0:
        return None
    if spec.max_unavailable is not None:
        unavailable = scaled(spec.max_unavailable, expected)
        return None if unavailable is None else max(0, expected - unavailable)
    return scaled(spec.min_available or 0, expected)


def limit_for(budget: PodDisruptionBudget, desired: int) -> tuple[str, int | str]:
    """Return the field that limits disruptions, and its value, as written, by which that many pods have to stay.

    >>> from vqs.model.kubernetes import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
    >>> spec, status = PodDisruptionBudgetSpec(max_unavailable="10%"), PodDisruptionBudgetStatus(expected_pods=8)
    >>> limit_for(PodDisruptionBudget(spec=spec, status=status), 6)
    ('maxUnavailable', '25%')
    """
    expected, spec = budget.status.expected_pods, budget.spec
    if spec.max_unavailable is not None:
        unavailable = expected - desired
        least = (unavailable - 1) * 100 // expected + 1
        percent = max(least, unavailable * 100 // expected)
        return "maxUnavailable", f"{percent}%" if isinstance(spec.max_unavailable, str) else unavailable
    return "minAvailable", f"{desired * 100 // expected}%" if isinstance(spec.min_available, str) else desired


def scaled(limit: int | str, expected: int) -> int | None:
    """Return a number, or a percentage of the pods, rounded up; None for any other text."""
    if isinstance(limit, int):
        return limit
    percent = _PERCENT.fullmatch(limit)
    return None if percent is None else -(-int(percent[1]) * expected // 100)
