#!/usr/bin/env python3
"""Print for which share of the recorded jobs that never start a fix is found, by what blocks them.

usage: bench_fixes.py [--checkout FOLDER] [--step N] [--budget DURATION] [--out FILE] [--before FILE] [FILE...]

A job never starts where no session that follows binds its minimum. A fix counts that starts it in one of them. Without
files, these are the recorded scenarios and clusters. The commands are those of the checkout of vqs that is named, which
may be an older one: `--out` keeps what was found, and `--before` shows it beside what is found now, for the same jobs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.conformance.reading import unpacked  # noqa: E402 - the path comes first

Found = dict[str, tuple[str, bool]]
"""What blocks each job, by file and name, and whether a fix was found."""


def ran(*arguments: str) -> Any:
    """Return the JSON that a command of vqs writes; None where it refuses its input."""
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    ignored = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(ignored):
        status = import_module("vqs.cli.main").main([*arguments, "--format", "json"])
    return None if status else json.loads(written.buffer.getvalue())


def starts(outlook: Any) -> bool:
    """True if a session binds the minimum of a job, as its outlook says."""
    return outlook is not None and outlook["startsInSession"] is not None


def never_starting(file: str, limit: Sequence[str]) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Yield the jobs of a file that never start, with what blocks each and whether a fix was found."""
    listed = ran("explain-job", file) or {"jobs": []}
    for job in listed["jobs"]:
        name = f"{job['namespace']}/{job['name']}"
        told = ran("explain-job", file, "--job", name, *limit)
        if told is not None and told["outlook"] is not None and not starts(told["outlook"]):
            code = next((each["code"] for each in told["blockers"]), "") or "none"
            yield f"{Path(file).name} {name}", (code, any(starts(each["outlook"]) for each in told["fixes"]))


def of_file(file: str, limit: Sequence[str]) -> list[tuple[str, tuple[str, bool]]]:
    """Return what is found in a file."""
    return list(never_starting(file, limit))


def table(found: Found, before: Found) -> Iterator[str]:
    """Yield the lines of a table: of each blocker the jobs, and for how many there was a fix before, and is now."""
    known = [job for job in found if job in before] if before else list(found)
    jobs = Counter(found[job][0] for job in known)
    now = Counter(found[job][0] for job in known if found[job][1])
    then = Counter(found[job][0] for job in known if before and before[job][1])
    yield f"{'BLOCKER':28} {'JOBS':>6}{'BEFORE':>13}{'NOW':>13}"
    for code, number in [*jobs.most_common(), ("all", len(known))]:
        sums = [each.total() if code == "all" else each[code] for each in (then, now)]
        shares = [f"{each} ({each / max(number, 1):.0%})" for each in sums]
        yield f"{code:28} {number:6}{shares[0] if before else '-':>13}{shares[1]:>13}"


def main() -> None:
    """Look for fixes in every file and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--step", type=int, default=1, help="take every N-th file only")
    parser.add_argument(
        "--budget", default="10m", help="how long fixes of one job are searched for; '' in old releases"
    )
    parser.add_argument("--out", type=Path)
    parser.add_argument("--before", type=Path)
    asked = parser.parse_args()
    recorded = [*unpacked("random").glob("*.yaml"), *unpacked("cluster").glob("*-[0-9].json")]
    files = asked.files or sorted(map(str, recorded))[:: asked.step]
    for name in [each for each in sys.modules if each.partition(".")[0] == "vqs"]:  # the checkout has its own
        del sys.modules[name]
    sys.path.insert(0, str(asked.checkout.resolve()))
    limit = ["--budget", asked.budget] if asked.budget else []
    with ProcessPoolExecutor() as pool:
        found: Found = dict(each for jobs in pool.map(partial(of_file, limit=limit), files) for each in jobs)
    before = json.loads(asked.before.read_text()) if asked.before else {}
    sys.stdout.write("\n".join(table(found, before)) + "\n")
    if asked.out:
        asked.out.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
