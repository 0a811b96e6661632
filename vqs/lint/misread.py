"""Values of objects that have an error, or that could not be read."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from vqs.lint.finding import ConfPlace, Place
from vqs.lint.places import Places
from vqs.lint.silence import key_of
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.lenient_read import LenientRead

_BY_A_WEBHOOK: Final = "job-denied"
"""The code of what the webhook would deny; an error that the API server finds first is reported as well."""


class Misread:
    """What is wrong with values, by the objects that they are in."""

    def __init__(self, lenient_read: LenientRead, places: Places) -> None:
        self.lenient_read = lenient_read
        self.places = places

    def is_reported(self, at: Place | ConfPlace | None) -> bool:
        """Tell whether a value, or a part of it, has an error."""
        origin, path = self.places.origin(at)
        reported = self._reported.get(key_of(origin), ()) if origin else ()
        return any(other[: len(path)] == path for other in reported)

    @cached_property
    def _reported(self) -> dict[tuple[int, object], list[Path]]:
        """The paths of values with errors, by object."""
        reported: dict[tuple[int, object], list[Path]] = {}
        for fault in self.lenient_read.faults:
            is_error = fault.diagnostic.severity == "error" and fault.diagnostic.code != _BY_A_WEBHOOK
            if is_error and fault.origin is not None and fault.path:
                reported.setdefault(key_of(fault.origin), []).append(fault.path)
        return reported

    def is_hidden(self, at: Place | ConfPlace | None) -> bool:
        """Tell whether a value is not what it seems, as something in it or around it could not be read."""
        if at is None or isinstance(at, ConfPlace) or not self._hidden:
            return False
        origin, path = self.places.origin(at)
        hidden = self._hidden.get(key_of(origin), ()) if origin else ()
        return any(path[: len(other)] == other[: len(path)] for other in hidden)

    @cached_property
    def _hidden(self) -> dict[tuple[int, object], list[Path]]:
        """The paths of what could not be read, by object."""
        hidden: dict[tuple[int, object], list[Path]] = {}
        for fault in self.lenient_read.faults:
            if fault.hides and fault.origin is not None:
                hidden.setdefault(key_of(fault.origin), []).append(fault.path)
        return hidden
