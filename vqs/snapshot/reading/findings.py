"""What is wrong with the objects of an input, where it stands, and what can be read nevertheless."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from vqs.snapshot.reading.diagnostics import Defect, Diagnostic, Path, Problems
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.sources import Source


class Findings:
    """Takes what is found in objects; of each finding it keeps the object and the path to the value it is about."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.places: dict[Diagnostic, tuple[Origin, Path]] = {}

    def refuse(self, origin: Origin, code: str, message: str, path: Path = (), *, hint: str = "") -> None:
        """Add an error."""
        self.add(origin, path, origin.diagnostic(code, message, path, hint=hint))

    def warn(self, origin: Origin, code: str, message: str) -> None:
        """Add something that may not be what was meant."""
        self.add(origin, (), origin.diagnostic(code, message, severity="warning"))

    def note(self, origin: Origin, code: str, message: str) -> None:
        """Add something that is worth knowing about an object."""
        self.add(origin, (), origin.diagnostic(code, message, severity="note"))

    def report(self, origin: Origin, defect: Defect) -> None:
        """Add a defect of an object."""
        code, path, message, hint, severity = defect
        self.add(origin, path, origin.diagnostic(code, message, path, severity=severity, hint=hint))

    def add(self, origin: Origin, path: Path, diagnostic: Diagnostic) -> None:
        """Add a diagnostic about a value in an object."""
        self.places.setdefault(diagnostic, (origin, path))
        self.problems.add(diagnostic)


AMOUNTS: Final = frozenset({"invalid-quantity", "negative-quantity"})
"""The codes of values that are no amounts to calculate with."""


class Fault(NamedTuple):
    """Something wrong with an input: the object and the value in it that it was found in, if it was in one."""

    diagnostic: Diagnostic
    origin: Origin | None = None
    path: Path = ()

    @property
    def hides(self) -> bool:
        """Whether the value is not in the object, because it could not be read as what it should be."""
        return self.diagnostic.code == "wrong-type" or self.diagnostic.code in AMOUNTS


@dataclass(frozen=True, slots=True)
class LenientRead:
    """What can be read of an input, and all that is wrong with it.

    Attributes:
        manifests: the objects. Of those with faults there is what remains without the values that cannot be read. A
            second object of the same name is not there, nor is one without a name; one with generateName has a name.
        faults: what is wrong, and what is worth knowing.
        sources: the files.
        whole: whether all objects are there; those of a scenario with faults are not.
        has_usable_configuration: whether it is known which configuration is meant, if there is one.
    """

    manifests: Manifests
    faults: list[Fault]
    sources: list[Source]
    whole: bool
    has_usable_configuration: bool
