"""Write docs/evidence.md: how much of what decides the recordings reach, by part of the scheduler.

    python -m tests.conformance.evidence [--check] [--mutants N]

With --check, it fails where the page is not what the recordings give, where one of them disagrees, and where
`undecided.toml` is not up to date. With --mutants, so many changes of each part are tried, and none may survive that
did not when `mutants.json` was written.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.conformance.cases import Case, own_cases
from tests.conformance.controllers import controller_cases
from tests.conformance.mutants import counted, numbers, share, survivors
from tests.conformance.parts import (
    CONTROLLERS,
    ROOT,
    Function,
    Part,
    functions,
    parts,
    proposed_lines,
    said_lines,
    undecided,
)
from tests.conformance.reach import Reach, statements, within
from vqs.releases.profile import behaviours

PAGE: Final = ROOT / "docs" / "evidence.md"
APART: Final = "controllers"
"""What decides between sessions, and is not counted with what decides in one."""

NAMED: Final = re.compile(r"actions:\s*\\?['\"]?([\w, -]+)|- ?\\?\"?name\\?\"?: \\?\"?([a-z][\w-]*)")
"""The actions of a configuration, and the names of its plugins, in YAML or in JSON that quotes YAML."""

INTRODUCTION: Final = """# Evidence

Each decision of vqs is compared with what the real scheduler did: [Conformance](development/conformance.md) says what
was recorded, and [Recording](development/recording.md) how. This page says how much of the code that decides the
recordings of this repository reach, and how much of it they hold fast. It is written by
`python -m tests.conformance.evidence`, and the layer `full` of the checks fails where it is not up to date.

- **Lines** are the statements of the functions that decide. Those that only explain, or that only read a
  configuration, do not: they are named at the end of the page. Nor do single statements that warn, or say that
  something is not modelled. Lines that run only where a [behaviour](reference/behaviours.md) has a value that is
  proposed are not counted, either: no release and no branch decides so.
- **Changes** are made to lines that are reached, one at a time and at random: another comparison, another number, a
  condition turned around. A change is killed if a recording no longer agrees. Those that mean the same are not counted.
- A **recording** is a scenario, or the dump of a cluster, in one release. Real runs are sessions of the real scheduler;
  there are many of one scenario, as the scheduler chooses at random between equals.
"""

REST: Final = """
**Controllers** are not counted in this. They decide between sessions, and other recordings reach them: {workloads}
workloads that real clusters served ({served} runs; `test_workloads.py`), {jobs} files of Volcano Jobs with what the Job
controller and the webhooks made of them or said (`test_jobs.py`), {sent} objects that were sent to a real API server
(`test_webhooks.py`), and the sessions of clusters that follow each other (`test_clusters.py`).

**Not proved**: one session of a cluster of v1.15.1, with preempt, spread, affinity and ports. No seed of vqs evicts the
pods that it evicted there: two of one job, where vqs takes one each of two.
"""


@dataclass
class Record:
    """What reaches a part."""

    recordings: int = 0
    runs: int = 0
    releases: set[str] = field(default_factory=set)


@dataclass
class Measured:
    """The lines of a part's functions that decide, those that are reached, and the others by their functions."""

    lines: int = 0
    reached: int = 0
    missing: dict[str, int] = field(default_factory=dict)
    unreached: set[str] = field(default_factory=set)


@cache
def names_in(file: Path) -> frozenset[str]:
    """The names of the actions and plugins that a file's configuration has."""
    found: set[str] = set()
    for actions, plugin in NAMED.findall(file.read_text(encoding="utf-8")):
        found.update(each.strip() for each in actions.split(","))
        found.add(plugin)
    return frozenset(found)


def records(recordings: Sequence[Case]) -> dict[str, Record]:
    """Count the recordings where they belong."""
    found: defaultdict[str, Record] = defaultdict(Record)
    for case in recordings:
        for name in names_in(case.input):
            record = found[name]
            record.recordings += 1
            record.runs += case.runs
            record.releases.add(case.release)
    return found


def measured(part: Part, *reaches: Reach) -> Measured:
    """Measure a part."""
    found = Measured()
    for file in part.files:
        run = {line for reach in reaches for line in reach.lines(file)}
        for name, lines in deciding(file).items():
            found.lines += len(lines)
            found.reached += len(lines & run)
            if lines - run:
                found.missing[name] = len(lines - run)
            if lines and not lines & run:
                found.unreached.add(name)
    return found


def deciding(file: Path) -> dict[str, set[int]]:
    """The lines that decide of each function of a module that does."""
    all_ = statements(file)
    return {
        name: within(function, all_) - proposed_lines(function) - said_lines(function)
        for name, function in functions(file).items()
        if undecided().decides(name)
    }


def page(reach: Reach, recordings: Sequence[Case], of_controllers: Reach, served: Sequence[Case]) -> str:
    """Return the page."""
    lines, reached_by, mutants = [INTRODUCTION], records(recordings), counted()
    reached_by[APART] = Record(len(served), sum(each.runs for each in served), {each.release for each in served})
    measures: dict[str, Measured] = {}
    for title, group in parts():
        lines += [f"## {title}\n", "| part | lines | reached | changes killed | recordings | real runs | releases |"]
        lines.append("|---|--:|--:|--:|--:|--:|---|")
        for part in group:
            found = measures[part.name] = measured(part, reach, of_controllers)
            if found.lines:
                lines.append(_row(part.name, found, mutants.get(part.name), reached_by.get(part.name)))
        lines.append("")
    total = [each for name, each in measures.items() if name != APART]
    of, reached = sum(each.lines for each in total), sum(each.reached for each in total)
    lines += [
        f"Of all {of:,} lines that decide in a session, the recordings reach {_percent(reached, of)}.",
        *_of_changes(mutants),
        _of_what_is_served(served),
        "## What no recording reaches\n",
        *_unreached(measures),
        "## What is only proposed\n",
        "Functions that decide only where a behaviour has a proposed value; tests hold them to the proposals.\n",
        *_by_reason({place: f"`{name}`" for place, name in undecided().proposed.items()}),
        "## What does not decide\n",
        *_by_reason(undecided().silent),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _row(name: str, found: Measured, mutants: dict[str, Any] | None, record: Record | None) -> str:
    number = numbers(mutants) if mutants else Counter[str]()
    differing = number["tried"] - number["same"]
    changes = f"{share(number)}% of {differing}" if differing else ""
    of = (f"{record.recordings:,}", f"{record.runs:,}", ", ".join(sorted(record.releases))) if record else ("", "", "")
    return f"| `{name}` | {found.lines:,} | {_percent(found.reached, found.lines)} | {changes} | {' | '.join(of)} |"


def _of_what_is_served(served: Sequence[Case]) -> str:
    kinds = Counter(each.name.partition("/")[0] for each in served)
    runs = sum(each.runs for each in served if each.name.startswith("workload/"))
    return REST.format(
        workloads=kinds["workload"], served=runs, jobs=kinds["job"] + kinds["denied"], sent=kinds["sent"]
    )


def _percent(part: int, of: int) -> str:
    return f"{100 * part / max(of, 1):.0f}%"


def _of_changes(mutants: dict[str, dict[str, Any]]) -> Iterator[str]:
    if mutants:
        total = sum((numbers(each) for each in mutants.values()), Counter[str]())
        days, seeds = (sorted({str(each[key]) for each in mutants.values()}) for key in ("day", "seed"))
        yield (
            f"Of {total['tried']:,} changes tried, {total['same']} mean the same, each for a reason that "
            f"`tests/conformance/undecided.toml` gives, and {share(total)}% of the others are killed "
            f"({days[-1]}, seed {', '.join(seeds)}).\nThose that survive are in `tests/conformance/mutants.json`."
        )


def _unreached(measures: dict[str, Measured]) -> Iterator[str]:
    """Say of each function that no recording runs why, and of the others how many of their lines are not run."""
    found: dict[str, str] = {}
    rest: Counter[str] = Counter()
    for part, each in measures.items():
        for name, number in sorted(each.missing.items()):
            reason = _why_not(name)
            if reason or name in each.unreached:
                found[name] = reason or "No scenario of it was recorded yet"
            else:
                rest[part] += number
    yield from _by_reason(found)
    numbers = ", ".join(f"`{part}` {number}" for part, number in rest.items())
    yield f"Single lines of other functions, which are reached: {numbers}."
    yield ""


def _why_not(function: str) -> str:
    """Why a function is not reached, or not wholly: a reason of its own, or that of its module."""
    reasons = undecided().unreached
    return reasons.get(function) or reasons.get(function.partition(":")[0], "")


def _by_reason(reasons: dict[str, str]) -> Iterator[str]:
    grouped: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for place, reason in reasons.items():
        module, _, name = place.removeprefix("vqs/engine/").removeprefix("vqs/snapshot/").partition(":")
        grouped[reason][module].append(name)
    for reason, modules in grouped.items():
        yield f"- {reason}: " + "; ".join(
            f"`{module}`" + (f" {', '.join(names)}" if all(names) else "") for module, names in modules.items()
        )
    yield ""


def faults(reach: Reach) -> Iterator[str]:
    """Yield what `undecided.toml` says of functions that are gone, or that are reached and said not to be."""
    yield from gone()
    told = undecided()
    for place, (file, function) in _all_functions().items():
        run = within(function, statements(file)) & reach.lines(file)
        if place in told.unreached and run == within(function, statements(file)):
            yield f"undecided.toml: all of {place} is reached"
        if run and {place, place.partition(":")[0]} & told.proposed.keys():
            yield f"undecided.toml: {place} is reached, so that a release decides so"


def gone() -> Iterator[str]:
    """Yield what `undecided.toml` says of functions and proposals that are gone."""
    all_, told = _all_functions(), undecided()
    known = {*all_, *(place.partition(":")[0] for place in all_)}
    places = (
        *told.silent,
        *told.proposed,
        *told.unreached,
        *(":".join(each.split(":")[:2]) for each in told.equivalent),
    )
    yield from (f"undecided.toml: there is no {place}" for place in places if place not in known)
    for name in sorted(set(told.proposed.values())):
        if name not in behaviours() or not behaviours()[name].proposals:
            yield f"undecided.toml: nothing is proposed for a behaviour {name}"


def _all_functions() -> dict[str, tuple[Path, Function]]:
    files = [file for _, group in parts() for part in group for file in part.files]
    return {name: (file, function) for file in files for name, function in functions(file).items()}


def main() -> int:
    """Write the page, or compare it; 1 where it is another one, or a recording disagrees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--reach", type=Path)
    arguments = parser.parse_args()
    recordings, served = own_cases(), controller_cases()
    with TemporaryDirectory() as temporary:
        folder = arguments.reach or Path(temporary)
        reach = Reach(recordings, folder)
        of_controllers = Reach(served, folder / APART, (CONTROLLERS,))
        problems = [f"{name} is not decided as it was recorded" for name in (*reach.wrong, *of_controllers.wrong)]
        problems += faults(reach)
        text = page(reach, recordings, of_controllers, served)
        if not arguments.check:
            PAGE.write_text(text, encoding="utf-8")
        elif PAGE.read_text(encoding="utf-8") != text:
            problems.append("docs/evidence.md is not up to date: run python -m tests.conformance.evidence")
        if arguments.mutants:
            problems += _survivors(reach, arguments.mutants)
    sys.stderr.writelines(f"{each}\n" for each in problems)
    return 1 if problems else 0


def _survivors(reach: Reach, each: int) -> Iterator[str]:
    """Yield the changes that survive, and did not when they were counted."""
    for part in (part for _, group in parts() for part in group):
        counts = counted().get(part.name)
        if counts is None:
            continue
        for mutant, survives in survivors(part, reach, each, counts["seed"]):
            if survives and mutant.what not in (*counts["alive"], *undecided().equivalent):
                yield f"{mutant}: no recording notices this change any more"


if __name__ == "__main__":
    sys.exit(main())
