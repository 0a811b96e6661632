"""What was expected and did not come, for people."""

from __future__ import annotations

from vqs.explain.outcome import Simulation
from vqs.report.visible import visible


def expectations_line(result: Simulation) -> str:
    """Say how many expectations hold; empty where nothing was expected."""
    if not result.expectations:
        return ""
    return f"Expectations: {sum(each.ok for each in result.expectations)} of {len(result.expectations)} hold"


def failed_lines(result: Simulation) -> list[str]:
    """Say of each expectation that does not hold where it stands, what it is, and what was found."""
    return [
        visible(f"{each.file}:{each.line}: {each.expect}, found {each.found}")
        for each in result.expectations
        if not each.ok
    ]
