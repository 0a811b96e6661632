"""The files that scenarios include, each read once, and none in a circle."""

import os
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path as FilePath

from vqs.snapshot.diagnostics import Path, Problems
from vqs.snapshot.documents import Origin
from vqs.snapshot.sources import STDIN, Source, files_of, read_sources


class Includes:
    """Finds included files, and remembers which file names which.

    `seen` has the files that are read already, by what identifies them.
    """

    def __init__(self, seen: set[str], problems: Problems) -> None:
        self.seen = seen
        self.problems = problems
        self.named: dict[str, dict[str, tuple[Origin, Path]]] = {}
        self.names: dict[str, str] = {}
        self.included: set[tuple[str, str]] = set()

    def sources(self, given: str | list[str], origin: Origin) -> list[Source]:
        """Read what a scenario includes and nobody has read before."""
        if isinstance(given, str):
            return self._read(given, origin, ("include",))
        return [source for index, path in enumerate(given) for source in self._read(path, origin, ("include", index))]

    def refuse_circles(self) -> None:
        """Add a problem if files include one another."""
        graph = {identity: set(included) for identity, included in self.named.items()}
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            circle = list(reversed(error.args[1]))
            including, included = next(pair for pair in pairwise(circle) if pair[1] in self.named.get(pair[0], ()))
            origin, path = self.named[including][included]
            names = " → ".join(self.names[identity] for identity in circle)
            self.problems.add(origin.diagnostic("cyclic-include", f"files include one another: {names}", path))

    def _read(self, given: str, origin: Origin, path: Path) -> list[Source]:
        name = origin.document.source.name
        target = os.path.normpath(FilePath(name).parent / given)
        if given == STDIN or not FilePath(target).exists():
            message = "standard input cannot be included" if given == STDIN else f"there is no file {target}"
            self.problems.add(origin.diagnostic("unreadable-file", message, path))
            return []
        if (name, target) in self.included:
            return []
        self.included.add((name, target))
        for file in files_of(target, self.problems):
            self._remember(name, file, origin, path)
        return read_sources([target], None, self.problems, self.seen, repeats=False)

    def _remember(self, including: str, included: str, origin: Origin, path: Path) -> None:
        identities = os.path.realpath(including), os.path.realpath(included)
        self.names |= dict(zip(identities, (including, included), strict=True))
        self.named.setdefault(identities[0], {}).setdefault(identities[1], (origin, path))
