"""The files that scenarios include, each read once, and none in a circle."""

from __future__ import annotations

import os
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Final

from vqs.paths import STDIN, identity, is_folder, is_there, printable
from vqs.snapshot.reading.diagnostics import Path, Problems
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.reach import ReadRefused, in_force, real_path
from vqs.snapshot.reading.sources import Source, empty_folder, is_manifest, listing, read_found, unreadable

_MOST_NAMED: Final = 10


class Includes:
    """Finds included files, and remembers which file names which.

    `seen` has the files that are read already, by what identifies them. Work is done once for each file and folder,
    however often it is included: `named` has what files name, and what is in folders that are named.
    """

    def __init__(self, seen: set[str], problems: Problems) -> None:
        self.seen = seen
        self.problems = problems
        self.reach = in_force()
        self.named: dict[str, dict[str, tuple[Origin, Path] | None]] = {}
        self.names: dict[str, str] = {}
        self.folders: set[str] = set()

    def sources(self, given: str | list[str], origin: Origin) -> list[Source]:
        """Read what a scenario includes and has not been read before."""
        if isinstance(given, str):
            return self._read(given, origin, ("include",))
        first = dict(zip(reversed(given), reversed(range(len(given))), strict=True))
        return [
            source
            for index, path in enumerate(given)
            if first[path] == index
            for source in self._read(path, origin, ("include", index))
        ]

    def refuse_circles(self) -> None:
        """Add a problem if files include one another."""
        graph = {identity: set(included) for identity, included in self.named.items()}
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            met = [*reversed(error.args[1])]
            # Report a circle; the folders in it are left out, as it is a file that names them.
            reason = next(filter(None, (self.named[one].get(other) for one, other in pairwise(met))))
            files = [each for each in met[1:] if each not in self.folders]
            circle = [files[-1], *files] if met[0] in self.folders else [met[0], *files]
            names = [printable(self.names[identity]) for identity in circle]
            if len(names) > _MOST_NAMED:
                names[_MOST_NAMED - 1 : -1] = [f"{len(names) - _MOST_NAMED:,} more"]
            origin, path = reason
            message = f"files include one another: {' → '.join(names)}"
            self.problems.add(origin.diagnostic("cyclic-include", message, path))

    def _read(self, given: str, origin: Origin, path: Path) -> list[Source]:
        source = origin.document.source
        try:
            target, real = self._found(given, source)
        except ReadRefused as refusal:
            self.problems.add(origin.diagnostic(refusal.code, str(refusal), path, hint=refusal.help))
            return []
        including = identity(source.path)
        self.names.setdefault(including, source.path)
        self.named.setdefault(including, {}).setdefault(real, (origin, path))
        if not is_folder(real):
            return self._file(target, real, source.home)
        if os.path.commonpath([real, including]) == real:
            # Nothing else in it is looked at, as that may be anything: the folder is where a scenario happens to be.
            self.named[real] = {including: None}
            self.folders.add(real)
            return []
        is_new = real not in self.folders
        files = sorted(self._files(target, real))
        if is_new and not files and not any(self.named[real]):
            self.problems.add(empty_folder(target))
        return [each for file in files for each in self._file(file, identity(file), source.home)]

    def _found(self, given: str, source: Source) -> tuple[str, str]:
        """The path of what is included, and where it leads."""
        if given == STDIN:
            raise ReadRefused("standard input cannot be included", code="unreadable-file")
        target = os.path.normpath(os.path.join(os.path.dirname(source.path), given))
        real_path(target)  # refuses what no file can be called
        target = self.reach.located(target, source.home)
        real = self.reach.found(target, source.home)
        if not is_there(real):
            raise ReadRefused(f"there is no file {printable(target)}", _advice(given), "unreadable-file")
        return target, real

    def _file(self, file: str, real: str, home: str | None) -> list[Source]:
        self.names.setdefault(real, file)
        if real in self.seen:
            return []
        self.seen.add(real)
        source = read_found(file, home, self.problems, self.reach)
        return [] if source is None else [source]

    def _files(self, folder: str, real: str) -> list[str]:
        """The files in a folder and those below, but for those below that have been looked into before."""
        found, ahead = list[str](), [(folder, real)]
        while ahead:
            here, place = ahead.pop()
            if place in self.folders:
                continue
            self.folders.add(place)
            try:
                inside = listing(here)
            except OSError as error:
                self.problems.add(unreadable(here, error))
                continue
            files = [file for file in inside.files if is_manifest(os.path.basename(file))]
            below = [(each, os.path.join(place, os.path.basename(each))) for each in inside.folders]
            found += files
            ahead += below
            self.named[place] = dict.fromkeys([*map(identity, files), *(each for _, each in below)])
        return found


def _advice(given: str) -> str:
    """What may have been meant by a name that no file has."""
    if "://" in given:
        return "an include is a local file: save it as one"
    if given.startswith(("~", "$")):
        return "~ and variables are not expanded in an include"
    if "\\" in given and os.sep == "/":
        return "folders are separated by /"
    return ""
