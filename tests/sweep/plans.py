"""Plans without snapshots, for what looks at their points only."""

from __future__ import annotations

from typing import Any, cast

from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests
from vqs.sweep.constraints import parse_constraint
from vqs.sweep.domains import Domain
from vqs.sweep.plan import Base, Choice, Parameter, Plan


def plan_with(domains: dict[str, Domain], *constraints: str, bases: int = 1, **given: Any) -> Plan:
    """Make a plan with a parameter for each domain, whose edit names its value."""
    parameters = tuple(Parameter(name, domain, (f"{name}={{}}",)) for name, domain in domains.items())
    usual: dict[str, Any] = {
        "name": "",
        "origin": cast("Origin", None),
        "value": {},
        "inputs": "",
        "bases": tuple(Base(f"base-{number}", Manifests()) for number in range(bases)),
        "parameters": parameters,
        "choice": Choice(),
        "constraints": tuple(parse_constraint(text, [*domains]) for text in constraints),
        "seeds": (None,),
        "releases": (None,),
        "cycles": 1,
        "figures": (),
        "fail_on": (),
    }
    return Plan(**{**usual, **given})
