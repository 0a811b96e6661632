"""Figures over time, in bounded room: their means over stretches of time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Series:
    """Figures that change in steps, kept as their means over stretches of time of equal length.

    The number of stretches is bounded: where there would be more, each is made twice as long. A change costs the same
    however many figures there are, as the mean of a stretch is what a figure was at its end, less what came too late to
    count for all of it.
    """

    def __init__(self, columns: int, most: int, width: float = 1.0) -> None:
        """Begin at second 0 with figures of 0.

        Args:
            columns: how many figures there are.
            most: how many stretches are kept at most.
            width: how long a stretch is at first, in seconds.
        """
        self.width = width
        self.values = [0.0] * columns
        self._late = [0.0] * columns
        self._most = most
        self._start = 0.0
        self._rows: list[Floats] = []

    def add(self, column: int, change: float, time: float) -> None:
        """Change a figure by some amount."""
        if time >= self._start + self.width:
            self._advance(time)
        self.values[column] += change
        self._late[column] += change * (time - self._start)

    def put(self, column: int, value: float, time: float) -> None:
        """Change a figure to a value."""
        change = value - self.values[column]
        if change:
            self.add(column, change, time)

    def widen(self, columns: int) -> None:
        """Add figures of 0."""
        self.values += [0.0] * columns
        self._late += [0.0] * columns

    def finish(self, time: float) -> list[tuple[float, float, Floats]]:
        """Return the start and the length in seconds of each stretch up to some time, and its means."""
        self._advance(time)
        rows = [(number * self.width, self.width, self._padded(row)) for number, row in enumerate(self._rows)]
        rest = time - self._start
        return [*rows, (self._start, rest, self._means(rest))] if rest > 0 else rows

    def _means(self, length: float) -> Floats:
        means: Floats = np.array(self.values) - np.array(self._late) / length
        return means

    def _padded(self, row: Floats) -> Floats:
        """Return a row with figures of 0 for those that were added later."""
        missing = len(self.values) - len(row)
        return np.pad(row, (0, missing)) if missing else row

    def _advance(self, time: float) -> None:
        """Close the stretches that are over by some time."""
        while time >= self.width * self._most:
            self._double()
        while time >= self._start + self.width:
            self._rows.append(self._means(self.width))
            self._late = [0.0] * len(self.values)
            self._start = len(self._rows) * self.width

    def _double(self) -> None:
        """Make each stretch twice as long; an odd one at the end is open again."""
        if len(self._rows) % 2:
            reopened = self._padded(self._rows.pop())
            late = np.array(self._late) + (np.array(self.values) - reopened) * self.width
            self._late = late.tolist()
        pairs = zip(map(self._padded, self._rows[::2]), map(self._padded, self._rows[1::2]), strict=True)
        self._rows = [(first + second) / 2 for first, second in pairs]
        self.width *= 2
        self._start = len(self._rows) * self.width
