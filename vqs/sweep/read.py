"""Reading a plan: what it says, and the snapshots, or the workloads, that it names.

The author of a plan is not always who runs it. The snapshots of a plan are read only from the folder of the plan and
those below, or from where the command line allows; and every number and list in it is bounded.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from importlib import resources
from typing import Any, BinaryIO, Final, TypeVar

from vqs.diff.conditions import Condition, ConditionError, Figure
from vqs.model.wording import first_names
from vqs.paths import STDIN, is_there, printable
from vqs.releases.profile import ANY_RELEASE, ReleaseChoice
from vqs.releases.release import Build, UnknownReleaseError, read_build
from vqs.replay import timing
from vqs.replay.distribution import DistributionError, parse_seconds
from vqs.replay.journal import identity
from vqs.replay.reading.options import QueueOf, ReadingOptions, WorkloadFormat
from vqs.replay.reading.read import ReadManifests, read_workload
from vqs.replay.repeated import RUNS
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Path, Problems, did_you_mean, one_of
from vqs.snapshot.reading.documents import Origin, ProgressCallback, documents
from vqs.snapshot.reading.json_text import without_nulls
from vqs.snapshot.reading.reach import ReadRefused, begun, in_force
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.reading.sources import read_source
from vqs.snapshot.scenario.validation import check_against
from vqs.sweep.constraints import Constraint, ExpressionError, parse_constraint
from vqs.sweep.domains import Domain, Edit, Span, Steps, Value, Values
from vqs.sweep.figures import REPLAY, conditions_of, figure_of
from vqs.sweep.plan import Base, Choice, Parameter, Plan, Replaying

SWEEP: Final = "Sweep"
_COMMANDS: Final = {SWEEP: "sweep", "Tune": "tune"}
"""The kinds of plans, and the commands that run them; so are the definitions of the schema called that they follow."""
_RANGE: Final = ("from", "to", "step", "count", "scale", "integer")
_MOST_VALUES: Final = 10**9
_MOST: Final = {
    "parameters": 32,
    "constraints": 32,
    "figures": 256,
    "failOn": 256,
    "base": 64,
    "goal": 256,
    "monotone": 32,
}
"""How many entries the lists of a plan have at most: each of them costs time at every point."""
_CYCLES: Final = 20
_NAMED: Final = 3
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}", re.ASCII)
_SPACED: Final = 1e-9
"""How far off a whole number of steps the end of a range may be, as a part of a step."""

Otherwise = TypeVar("Otherwise", float, None)

Beside = Callable[["PlanReader", Sequence[Parameter]], None]
"""Reads the keys that a kind of plans has for itself; what is wrong with them becomes problems of the reader."""


@begun()
def read_plan(
    path: str,
    *,
    kind: str = SWEEP,
    on: Sequence[str] = (),
    fail_on: Sequence[Condition] = (),
    release: ReleaseChoice = ANY_RELEASE,
    stdin: BinaryIO | None = None,
    progress: ProgressCallback | None = None,
    beside: Beside | None = None,
) -> Plan:
    """Read a plan and its snapshots; where a figure is one of a replay, these are read as workloads.

    Args:
        path: the file of the plan.
        kind: the kind that it has to be.
        on: the files and folders of a snapshot, in place of those of the plan.
        fail_on: more conditions that must not hold.
        release: the release of Volcano that was asked for beside the plan, and behaviours that are switched.
        stdin: what ``-`` stands for.
        progress: called now and then with how far reading is.
        beside: reads what a plan of this kind has beside that of a sweep.

    Raises:
        InputErrors: something cannot be used; it holds everything that is wrong with the plan, or with its snapshots.
    """
    problems = Problems()
    reader = PlanReader(*_document(path, kind, stdin, problems), problems)
    reader.check_sizes()
    parameters = reader.parameters()
    choice = reader.choice(parameters)
    constraints = reader.constraints()
    figures, conditions, releases = reader.figures(), reader.conditions("failOn"), reader.releases()
    files = {"": list(on)} if on else reader.files()
    if beside is not None:
        beside(reader, parameters)
    of_command = [each.figure for each in fail_on]
    reader.refuse_mixed(of_command)
    replaying = reader.replaying(of_command)
    problems.raise_errors()
    read = partial(read_manifests, stdin=stdin, progress=progress, release=release)
    bases = [_base(name, paths, read, replaying, stdin) for name, paths in files.items()]
    return Plan(
        name=reader.value.get("name", ""),
        origin=reader.origin,
        value=reader.value,
        inputs=_digest(bases),
        bases=tuple(bases),
        parameters=tuple(parameters),
        choice=choice,
        constraints=tuple(constraints),
        seeds=reader.seeds() or (None,),
        releases=releases,
        cycles=reader.value.get("cycles", _CYCLES),
        figures=tuple(figures),
        fail_on=(*conditions, *fail_on),
        assume_admitted=reader.value.get("assumeAdmitted", False),
        limits=in_force().limits,
        replaying=replaying,
    )


def _base(
    name: str, paths: Sequence[str], read: ReadManifests, replaying: Replaying | None, stdin: BinaryIO | None
) -> Base:
    """Read a snapshot, named after its files if it has no name, or a workload where points are replayed."""
    files = tuple(map(printable, paths))
    called = name or first_names(files, _NAMED)
    if replaying is None:
        return Base(called, read(paths), files)
    workload = read_workload(paths, called, read, replaying.reading, stdin)
    return Base(called, workload.start, files, workload)


def _document(path: str, kind: str, stdin: BinaryIO | None, problems: Problems) -> tuple[Mapping[str, Any], Origin]:
    """Return the only document of a file, which follows the schema of its kind, and where it stands."""
    source = read_source(path, stdin, problems)
    found = [
        (value, Origin(document, inner))
        for document in (documents(source, problems) if source is not None else ())
        for inner, value in document.values(problems, lambda _: None)
    ]
    problems.raise_errors()
    if len(found) != 1:
        message = f"a file with a plan has one document, and this has {len(found)}"
        raise InputErrors([Diagnostic(code="several-plans", severity="error", message=message, file=printable(path))])
    [(value, origin)] = found
    other = value.get("kind") if isinstance(value, dict) else None
    if isinstance(other, str) and other in _COMMANDS and other != kind:
        message = f"this is a plan for vqs {_COMMANDS[other]}, not for vqs {_COMMANDS[kind]}"
        hint = f"run vqs {_COMMANDS[other]} {shlex.quote(printable(path))}"
        raise InputErrors([origin.diagnostic("other-kind", message, ("kind",), hint=hint)])
    against = {"$ref": f"#/definitions/{_COMMANDS[kind]}", "definitions": schema()["definitions"]}
    if errors := check_against(value, origin, against):
        raise InputErrors(errors)
    return without_nulls(value), origin


def _digest(bases: Iterable[Base]) -> str:
    """Return what tells snapshots and workloads of the same content from others."""
    digest = blake2b(digest_size=16)
    for base in bases:
        manifests = base.manifests
        found = [each.document.source for origins in manifests.origins.values() for each in origins]
        found += [each.origin.document.source for each in manifests.scenarios]
        found += [] if manifests.conf is None else [manifests.conf.document.source]
        for source in {id(each): each for each in found}.values():
            digest.update(source.text.encode("utf-8", "surrogatepass"))
            digest.update(b"\0")
        if base.workload is not None:
            digest.update(identity(base.workload).encode())
        digest.update(b"\1")
    return digest.hexdigest()


class PlanReader:
    """Reads the parts of a plan; what is wrong with them becomes problems."""

    def __init__(self, value: Mapping[str, Any], origin: Origin, problems: Problems) -> None:
        self.value = value
        self.origin = origin
        self.problems = problems
        self._asked: list[tuple[Figure, Path]] = []

    def check_sizes(self) -> None:
        """Refuse lists that are longer than a plan may have them."""
        for key, most in _MOST.items():
            given = self.value.get(key)
            if isinstance(given, dict | list) and len(given) > most:
                self._wrong("too-many", f"there are {len(given):,}, and at most {most} are read", (key,), is_key=True)
        self.problems.raise_errors()

    # --- the space ----------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Sequence[str]:
        """The names of the parameters, also of those with which something is wrong."""
        return [*self.value["parameters"]]

    def unknown(self, name: str, path: Path, *, is_key: bool = False) -> None:
        """Report that there is no parameter of a name."""
        hint = did_you_mean(name, self.names) or (f"there are {one_of(self.names)}" if self.names else "")
        self._wrong("unknown-key", f"there is no parameter {name!r}", path, hint, is_key=is_key)

    def parameters(self) -> list[Parameter]:
        """Read the dimensions of the space."""
        found = []
        for name, value in self.value["parameters"].items():
            path = ("parameters", name)
            if not _NAME.fullmatch(name):
                message = f"{name!r} is no name of a parameter"
                self._wrong("invalid-name", message, path, "a letter, then letters, digits and _", is_key=True)
            elif name.lower() in _RESERVED:
                self._wrong(
                    "invalid-name", f"{name!r} has a meaning of its own", path, "name it otherwise", is_key=True
                )
            parameter = self._parameter(name, value, path)
            if parameter is not None:
                found.append(parameter)
        if not self.value["parameters"]:
            self._wrong("missing-value", "there is no parameter", ("parameters",))
        return found

    def _parameter(self, name: str, value: Mapping[str, Any], path: Path) -> Parameter | None:
        if "options" in value:
            for key in value.keys() - {"options"}:
                message = f"options have edits of their own, and {key} is for a parameter without options"
                self._wrong("invalid-value", message, (*path, key), is_key=True)
            if not value["options"]:
                self._wrong("missing-value", "there is no option", (*path, "options"))
                return None
            options = {each: _edits(given) for each, given in value["options"].items()}
            return Parameter(name, Values(tuple(options)), options=options)
        if "edit" not in value:
            self._wrong("missing-value", "edit is missing: what makes a value, such as queue/b.spec.weight={}", path)
            return None
        edits = _edits(value["edit"])
        if not any("{}" in each for each in edits if isinstance(each, str)):
            self._wrong("invalid-value", "no edit has a {}, which stands for the value", (*path, "edit"))
        domain = self._domain(name, value, path)
        return None if domain is None else Parameter(name, domain, edits)

    def _domain(self, name: str, value: Mapping[str, Any], path: Path) -> Domain | None:
        given = [key for key in _RANGE if key in value]
        if "values" in value:
            for key in given:
                message = f"values are listed, and {key} is for a range"
                self._wrong("invalid-value", message, (*path, key), is_key=True)
            if not value["values"]:
                self._wrong("missing-value", "there is no value", (*path, "values"))
                return None
            return Values(tuple(value["values"]))
        if self._method == "list" and not given:
            points = self.value["choose"].get("points")
            listed = points if isinstance(points, list) else []
            return Values(tuple({each[name]: None for each in listed if name in each}))
        missing = [key for key in ("from", "to") if key not in value]
        if missing:
            self._wrong("missing-value", f"{' and '.join(missing)} missing: give values, or from and to", path)
            return None
        return self._range(value, path)

    def _range(self, value: Mapping[str, Any], path: Path) -> Domain | None:
        start, stop, is_log = value["from"], value["to"], value.get("scale") == "log"
        if not stop - start <= sys.float_info.max:
            self._wrong("invalid-value", f"from {start} to {stop} is further than numbers go", (*path, "to"))
        elif start > stop:
            self._wrong("invalid-value", f"to is {stop}, and from is {start}: the range is empty", (*path, "to"))
        elif is_log and start <= 0:
            self._wrong("invalid-value", "a logarithmic scale begins above 0", (*path, "from"))
        elif "step" in value and ("count" in value or is_log):
            other = "count" if "count" in value else "scale: log"
            self._wrong("invalid-value", f"step and {other} contradict each other", (*path, "step"), is_key=True)
        elif "step" in value:
            step = value["step"]
            if step <= 0:
                self._wrong("invalid-value", f"step is {step}, and has to be above 0", (*path, "step"))
                return None
            steps = (stop - start) / step + _SPACED
            if not steps < _MOST_VALUES:
                self._wrong("invalid-value", f"there are more than {_MOST_VALUES:,} steps", (*path, "step"))
                return None
            whole = math.floor(steps)
            return Steps(start, start + whole * step, whole + 1)
        elif "count" in value:
            return Steps(start, stop, value["count"], is_log)
        elif value.get("integer"):
            return Span(math.ceil(start), math.floor(stop), is_log, is_integer=True)
        elif self._method in ("grid", "list"):
            hint = "add step, count, or integer: true"
            self._wrong("missing-value", "it does not say which of the numbers between from and to", path, hint)
        else:
            return Span(start, stop, is_log)
        return None

    @property
    def _method(self) -> str:
        choose = self.value.get("choose", "grid")
        return str(choose if isinstance(choose, str) else choose["method"])

    def choice(self, parameters: Sequence[Parameter]) -> Choice:
        """Read which points are run."""
        choose = self.value.get("choose", "grid")
        if isinstance(choose, str) or choose["method"] == "grid":
            return Choice()
        method, points = choose["method"], choose.get("points")
        if method == "list":
            return Choice(method, listed=self._listed(points, parameters))
        if not isinstance(points, int):
            self._wrong("missing-value", "points is missing: how many are drawn", ("choose",))
            return Choice()
        return Choice(method, points, choose.get("seed", 0))

    def _listed(self, points: object, parameters: Sequence[Parameter]) -> Sequence[Mapping[str, Value]]:
        if not isinstance(points, list) or not points:
            self._wrong("missing-value", "points is missing: a list of values for each parameter", ("choose",))
            return ()
        known = {each.name: each for each in parameters}
        for index, point in enumerate(points):
            path = ("choose", "points", index)
            for name in point.keys() - set(self.names):
                self.unknown(name, (*path, name), is_key=True)
            for name, parameter in known.items():
                if name not in point:
                    self._wrong("missing-value", f"{name} is missing", path)
                elif parameter.options is not None and point[name] not in parameter.options:
                    hint = did_you_mean(str(point[name]), parameter.options)
                    self._wrong("invalid-value", f"there is no option {point[name]!r}", (*path, name), hint)
        return [{name: point[name] for name in known if name in point} for point in points]

    def constraints(self) -> list[Constraint]:
        """Read what holds for each point."""
        found = []
        for path, text in _listed_texts(self.value.get("constraints"), ("constraints",)):
            try:
                found.append(parse_constraint(text, self.names))
            except ExpressionError as error:
                self._wrong("invalid-constraint", f"{error}: {text}", path, error.hint)
        return found

    def seeds(self) -> tuple[int | None, ...]:
        """Return with what ties are broken; nothing where the plan does not say it."""
        seeds = self.value.get("seeds", ())
        return tuple(range(seeds)) if isinstance(seeds, int) else tuple(dict.fromkeys(seeds))

    def releases(self) -> tuple[Build | None, ...]:
        """Read which releases are modelled."""
        found = []
        for index, text in enumerate(self.value.get("releases", ())):
            try:
                found.append(read_build(str(text)))
            except UnknownReleaseError as error:
                self._wrong("unknown-release", str(error), ("releases", index))
        return tuple(dict.fromkeys(found)) or (None,)

    # --- figures ------------------------------------------------------------------------------------------------------

    def figures(self) -> list[Figure]:
        """Read what is collected."""
        found = {}
        for path, text in _listed_texts(self.value.get("figures"), ("figures",)):
            try:
                figure = figure_of(text)
                found[figure.text] = figure
                self._asked.append((figure, path))
            except ConditionError as error:
                self._wrong("invalid-figure", str(error), path)
        return [*found.values()]

    def conditions(self, key: str) -> list[Condition]:
        """Read conditions."""
        found = []
        for path, text in _listed_texts(self.value.get(key), (key,)):
            try:
                read = conditions_of(text)
            except ConditionError as error:
                self._wrong("invalid-condition", str(error), path)
                continue
            self._asked += ((each.figure, path) for each in read)
            found += read
        return found

    def refuse_mixed(self, others: Iterable[Figure]) -> None:
        """Refuse figures of a session beside those of a replay: their points are not run alike."""
        asked: list[tuple[Figure, Path | None]] = [*self._asked, *((each, None) for each in others)]
        first: dict[bool, tuple[Figure, Path | None]] = {}
        for figure, path in asked:
            first.setdefault(figure.kind.run == REPLAY, (figure, path))
        if len(first) == 1 or not first:
            return
        (of_replay, _), (of_session, _) = first[True], first[False]
        message = f"{of_replay.text} is a figure of a replay, and {of_session.text} is one of a session"
        hint = "write two plans: one with the figures of a replay, and one with the others"
        path = [*first.values()][1][1]
        if path is None:
            self.problems.add(
                Diagnostic(code="mixed-figures", severity="error", message=f"--fail-on: {message}", help=hint)
            )
        else:
            self._wrong("mixed-figures", message, path, hint)

    # --- replays ------------------------------------------------------------------------------------------------------

    def replaying(self, others: Iterable[Figure]) -> Replaying | None:
        """Read how points are replayed; None where nothing that was read, and none of other figures, asks for it."""
        asks = any(each.kind.run == REPLAY for each in (*(figure for figure, _ in self._asked), *others))
        given: Mapping[str, Any] = self.value.get("replay", {})
        if "replay" in self.value and not asks and not self.problems.has_errors:
            hint = "add one such as replay.wait.p95 or queue:NAME.wait.p95, or take this out"
            self._wrong("invalid-value", "no figure is one of a replay", ("replay",), hint, is_key=True)
        if not asks:
            return None
        of_format, queue_of = given.get("format"), given.get("queueBy")
        return Replaying(
            period=self._seconds("period", timing.PERIOD, can_be_nothing=False),
            start_delay=self._seconds("startDelay", None),
            until=self._seconds("until", None, can_be_nothing=False),
            runs=given.get("runs", RUNS),
            reading=ReadingOptions(
                workload_format=None if of_format is None else WorkloadFormat(of_format),
                queue_of=None if queue_of is None else QueueOf(queue_of),
                most_nodes=given.get("mostNodes"),
                processors_per_pod=given.get("processorsPerPod"),
            ),
        )

    def _seconds(self, key: str, otherwise: Otherwise, *, can_be_nothing: bool = True) -> float | Otherwise:
        """Read a span of time of the replays."""
        given, path = self.value.get("replay", {}), ("replay", key)
        if key not in given:
            return otherwise
        try:
            seconds = parse_seconds(given[key])
        except DistributionError as error:
            self._wrong("invalid-value", error.message, path, error.hint)
            return otherwise
        if not seconds and not can_be_nothing:
            self._wrong("invalid-value", "expected more than 0 seconds", path)
        return seconds

    # --- snapshots ----------------------------------------------------------------------------------------------------

    def files(self) -> dict[str, list[str]]:
        """Return the files of each snapshot, by the name that the plan gives it."""
        given = self.value.get("base")
        if not given:
            self._wrong("missing-value", "base is missing: the snapshot that is edited; --on names one, too", ())
            return {}
        if not isinstance(given, dict):
            return {"": [found for path, text in _listed_texts(given, ("base",)) for found in self._file(text, path)]}
        for name in (name for name, files in given.items() if not files):
            self._wrong("missing-value", "there is no file", ("base", name))
        return {
            name: [found for path, text in _listed_texts(files, ("base", name)) for found in self._file(text, path)]
            for name, files in given.items()
        }

    def _file(self, given: str, path: Path) -> Iterator[str]:
        """Yield where a file of a plan is, if it may be read."""
        source, reach = self.origin.document.source, in_force()
        if given == STDIN:
            self._wrong("unreadable-file", "a plan cannot name standard input", path, "name it with --on -")
            return
        target = os.path.normpath(os.path.join(os.path.dirname(source.path), given))
        try:
            reach.found(target, source.home)
        except ReadRefused as refusal:
            self._wrong(refusal.code, str(refusal), path, "name it with --on, or allow its folder with --root DIR")
            return
        if not is_there(target):
            self._wrong("unreadable-file", f"there is no file {printable(target)}", path)
            return
        yield target

    def _wrong(self, code: str, message: str, path: Path, hint: str = "", *, is_key: bool = False) -> None:
        report = self.origin.key_diagnostic if is_key else self.origin.diagnostic
        self.problems.add(report(code, message, path, hint=hint))


_RESERVED: Final = (
    *("and", "or", "not", "true", "false"),
    *("number", "base", "release", "seed", "failures", "error", "edits"),
)
"""Words of constraints, and columns that tables have beside parameters."""


def _listed_texts(given: str | Sequence[str] | None, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield each of some texts, or the only one, with its path."""
    if isinstance(given, str):
        yield path, given
        return
    for index, text in enumerate(given or ()):
        yield (*path, index), text


def _edits(given: Edit | Sequence[Edit]) -> tuple[Edit, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the published JSON Schema of plans, draft 7 as that of scenarios is; callers leave it as it is."""
    decoded: dict[str, Any] = json.loads(
        resources.files(__package__).joinpath("schema.json").read_text(encoding="utf-8")
    )
    return decoded
