"""What is wrong with the objects that are read, and where it stands."""

from vqs.snapshot.reading.diagnostics import Defect, Diagnostic, Path, Problems
from vqs.snapshot.reading.documents import Origin


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
