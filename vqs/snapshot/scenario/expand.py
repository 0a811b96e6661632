"""From scenarios, and the files that they include, to plain manifests.

Each file that is included is read once, and none in a circle.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any, Final, NamedTuple

from msgspec import structs

from vqs.model.keys import DEFAULT_QUEUE
from vqs.model.moments import timestamp, zoned_moment
from vqs.model.sharding import DEFAULT_SHARD, Sharding, ShardingMode
from vqs.paths import STDIN, identity, is_folder, is_there, printable
from vqs.releases.profile import ReleaseChoice, UnknownBehaviourError, read_setting
from vqs.releases.release import UnknownReleaseError, read_build
from vqs.snapshot.reading.diagnostics import Path, Problems
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.reach import ReadRefused, in_force, real_path
from vqs.snapshot.reading.sources import Source, empty_folder, is_manifest, listing, read_found, unreadable
from vqs.snapshot.scenario import objects
from vqs.snapshot.scenario.generated import Generated
from vqs.snapshot.scenario.jobs import ARRIVES_LATER, MOST_ARRIVING, Job, Jobs, arrives, check_arriving
from vqs.snapshot.scenario.lookup import Lookup, Objects, TooMuchSearchError
from vqs.snapshot.scenario.model import PlannedJob, Scenario

_BEGINNING: Final = datetime(2026, 1, 1, tzinfo=UTC)
_MOST_OBJECTS: Final = 100_000
_MOST_VALUES: Final = 5_000_000
"""Limits for what a scenario stands for: objects, and the values in all of them together."""

_OWN_QUEUES: Final = (DEFAULT_QUEUE, "root")

Keep = Callable[[dict[str, Any], Origin], bool]
"""Takes an object in, and tells whether it was sound."""


class Entry(NamedTuple):
    """A scenario that keeps to the schema."""

    value: Mapping[str, Any]
    origin: Origin


def check(value: Any, origin: Origin, problems: Problems) -> Entry | None:
    """The scenario; None where something is wrong with it, which becomes one of the problems."""
    # Imported late: most snapshots have no scenario.
    from vqs.snapshot.scenario.validation import check_scenario, normalized  # noqa: PLC0415

    try:
        errors = check_scenario(value, origin)
        value = normalized(value)
    except RecursionError:
        errors = [origin.diagnostic("too-deep", "nested too deeply")]
    for error in errors:
        problems.add(error)
    return None if errors else Entry(value, origin)


def expand(
    entries: Iterable[Entry],
    known: Objects,
    keep: Keep,
    problems: Problems,
    *,
    complete: bool,
    now: datetime | None = None,
) -> list[Scenario]:
    """Make the objects that scenarios stand for, once the rest of the input is read.

    Args:
        entries: the scenarios.
        known: the rest of the input; what is made is added by `keep`.
        keep: takes the objects.
        problems: takes what is wrong.
        complete: whether all of the input could be read, so that what is not there is nowhere.
        now: the time of the session, where no scenario gives one.
    """
    return _Expansion(list(entries), known, keep, problems, complete=complete, now=now).run()


class _Expansion:
    def __init__(
        self,
        entries: list[Entry],
        known: Objects,
        keep: Keep,
        problems: Problems,
        *,
        complete: bool,
        now: datetime | None,
    ) -> None:
        self.entries = entries
        self.known = known
        self.keep = keep
        self.problems = problems
        self.complete = complete
        self.generated = 0
        self.values = 0
        self.planned: list[PlannedJob] = []
        self.lookup = Lookup(known, problems, complete=complete)
        # By default, the jobs of scenarios are the last ones: they are what is tried.
        jobs = sum(not arrives(job) for value, _ in entries for job in value.get("jobs", ()))
        usual = (known.newest_timestamp or _BEGINNING) + timedelta(seconds=jobs)
        given: datetime | None = None
        for value, origin in self.entries:
            time = zoned_moment(value["now"]) if "now" in value else None
            if time is not None and given not in (None, time):
                self.problems.add(origin.diagnostic("several-times", "another scenario has another now", ("now",)))
            given = given or time
        self.now = given or now or usual

    def run(self) -> list[Scenario]:
        """Make all objects: what jobs refer to first."""
        drivers = objects.csi_drivers(value for value, _ in self.entries)
        for value, origin in self.entries:
            now = timestamp(self.now)
            if "scheduler" in value:
                self._keep_all([objects.configuration(value["scheduler"], origin)])
            self._keep_all(objects.priority_classes(value.get("priorityClasses", {}), origin))
            nodes = [(node, origin.inside("nodes", index)) for index, node in enumerate(value.get("nodes", ()))]
            self._keep_all(objects.nodes(nodes, now, self.problems, drivers=drivers))
            self._keep_all(objects.queues(value.get("queues", ()), origin, self.problems))
        try:
            # Make shards, and what claims on volumes and devices are about.
            claims = [claim for value, _ in self.entries for claim in value.get("volumeClaims", ())]
            claimed = objects.references(claims)
            self._keep_all(objects.capacity_drivers(self.entries))
            for value, origin in self.entries:
                if "shards" in value:
                    self._keep_all(objects.shards(value["shards"], origin, self.lookup))
                self._keep_all(objects.storage_classes(value.get("storageClasses", ()), origin))
                self._keep_all(objects.free_storage(value.get("storageClasses", ()), origin, self.lookup))
                if "volumes" in value:
                    self._keep_all(objects.volumes(value["volumes"], origin, self.lookup, claimed))
                self._keep_all(objects.device_classes(value.get("deviceClasses", ()), origin))
            for value, origin in self.entries:
                if "volumeClaims" in value:
                    self._keep_all(objects.volume_claims(value["volumeClaims"], origin, self.lookup))
                if "deviceClaims" in value:
                    self._keep_all(objects.device_claims(value["deviceClaims"], origin, self.lookup))
            self._make_jobs()
        except TooMuchSearchError as error:
            self._refuse_more(self.entries[0].origin, str(error))
        return [self._scenario(entry) for entry in self.entries]

    # --- time --------------------------------------------------------------------------------------------------------

    # --- objects -----------------------------------------------------------------------------------------------------

    def _make_jobs(self) -> None:
        entries = [
            (entry, Origin(origin.document, (*origin.path, "jobs", index)))
            for value, origin in self.entries
            for index, entry in enumerate(value.get("jobs", ()))
        ]
        if not entries:
            return
        known = self.known
        present = [(entry, origin) for entry, origin in entries if not arrives(entry)]
        arriving = [(entry, origin) for entry, origin in entries if arrives(entry)]
        queues = [*_OWN_QUEUES, *(queue.metadata.name for queue in known.queues)]
        classes = [each.metadata.name for each in known.priority_classes]
        jobs = Jobs(self.lookup, queues, classes)
        for job in self._planned(jobs, present):
            pods = job.copies * (1 + sum(role.replicas for role in job.roles))
            if self.generated + pods > _MOST_OBJECTS:
                self._refuse_more(job.origin, f"{_MOST_OBJECTS:,} objects")
                break
            self._keep_all(jobs.make(job, self.now))
            self.planned.append(job.plan)
        # Jobs that arrive are planned for a replay, and left out here.
        number = 0
        for entry, origin in arriving:
            number += entry.get("count", 1)
            if number > MOST_ARRIVING:
                self._refuse_more(origin, f"{MOST_ARRIVING:,} jobs that arrive")
                return
            planned = jobs.plan(entry, origin, self.now)
            if planned is not None:
                check_arriving(planned, self.problems)
                self._keep_all(jobs.classes_of(planned))
                self.planned.append(planned.plan)
        if arriving:
            they = "1 job arrives" if number == 1 else f"{number:,} jobs arrive"
            message = f"{they} later, and only a replay has {'it' if number == 1 else 'them'}"
            self.problems.add(structs.replace(arriving[0][1].diagnostic(ARRIVES_LATER, message), severity="note"))

    def _planned(self, jobs: Jobs, entries: Sequence[tuple[Mapping[str, Any], Origin]]) -> list[Job]:
        """Plan all jobs, and find room for those that are said to run."""
        first = self.now - timedelta(seconds=len(entries) - 1)
        planned: list[Job] = []
        ahead = 0
        for number, (entry, origin) in enumerate(entries):
            created = zoned_moment(entry["created"]) if "created" in entry else None
            ahead += entry.get("count", 1)
            if self.generated + ahead > _MOST_OBJECTS:
                self._refuse_more(origin, f"{_MOST_OBJECTS:,} objects")
                return []
            job = jobs.plan(entry, origin, created or first + timedelta(seconds=number))
            planned += [job] if job else []
        for job in planned:
            jobs.settle(job)
        return planned

    def _refuse_more(self, origin: Origin, what: str) -> None:
        message = f"with this, the scenario stands for more than {what}"
        self.problems.add(origin.diagnostic("too-large", message))

    def _keep_all(self, generated: Iterable[Generated]) -> None:
        """Take in objects; those of a kind from the same entry are alike, so one tells what is wrong."""
        wrong: set[tuple[Origin, str]] = set()
        for value, origin, entry in generated:
            if self.generated == _MOST_OBJECTS:
                self._refuse_more(entry, f"{_MOST_OBJECTS:,} objects")
                break
            alike = entry, value["kind"]
            if alike in wrong:
                continue
            self.generated += 1
            # Count the values within a value.
            size, waiting = 0, [value]
            while waiting:
                each = waiting.pop()
                size += 1
                if isinstance(each, dict):
                    waiting += each.values()
                elif isinstance(each, list):
                    waiting += each
            self.values += size
            if self.values > _MOST_VALUES:
                self._refuse_more(entry, f"{_MOST_VALUES:,} values")
                break
            if not self.keep(value, origin):
                wrong.add(alike)

    # --- the rest ----------------------------------------------------------------------------------------------------

    def _scenario(self, entry: Entry) -> Scenario:
        value, origin = entry
        expected = []
        if "expect" in value:
            from vqs.snapshot.scenario.validation import expectations  # noqa: PLC0415 - as in `check`

            expected = expectations(value["expect"], origin, ("expect",), self.problems)
        flags = value.get("flags", {})
        mode = ShardingMode(flags.get("scheduler-sharding-mode", ShardingMode.NONE))
        build, settings = None, []
        if "volcano" in value:
            try:
                build = read_build(value["volcano"])
            except UnknownReleaseError as error:
                self.problems.add(origin.diagnostic("unknown-release", str(error), ("volcano",)))
        for name, wanted in value.get("behaviours", {}).items():
            try:
                settings.append(read_setting(f"{name}={wanted}"))
            except UnknownBehaviourError as error:
                self.problems.add(origin.diagnostic("invalid-value", str(error), ("behaviours", name)))
        return Scenario(
            name=value.get("name") or FilePath(origin.document.source.name).stem,
            description=value.get("description", ""),
            now=zoned_moment(value["now"]) if "now" in value else None,
            sharding=Sharding(mode, flags.get("scheduler-sharding-name", DEFAULT_SHARD)) if "flags" in value else None,
            csi_storage=flags.get("csi-storage", False),
            release=ReleaseChoice(build, tuple(settings)),
            expectations=tuple(expected),
            origin=origin,
            jobs=tuple(
                job
                for job in self.planned
                if job.origin.document is origin.document and job.origin.path[: len(origin.path)] == origin.path
            ),
            node_events=tuple(value.get("nodeEvents", ())),
            start_delays=value.get("startDelays", {}),
            latencies=value.get("latencies", {}),
            prices=value.get("prices", {}),
            node_groups=tuple(value.get("nodeGroups", ())),
            autoscaler=value.get("autoscaler", {}),
            rollouts=tuple(value.get("rollouts", ())),
        )


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
