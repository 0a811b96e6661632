"""Feeds odd input to vqs until the time is over, and keeps what should not have happened.

    python -m tests.fuzz.run --minutes 60                     an hour, from where chance begins
    python -m tests.fuzz.run --minutes 60 --seed 2 --more scenarios /some/folder
    python -m tests.fuzz.run --seed 2 --only 4711             one case again

Each case has a number, and the same seed and number (and --more) make the same case. What is found is written to
--findings (fuzz-findings by default): a folder for each cause, with the files, the command and what it said.
The exit status is 1 where something was found.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import sys
import time
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.fuzz.cases import Case, Cases
from tests.fuzz.judge import Finding, judged

_MEMORY: Final = 6 * 2**30
_SUFFIXES: Final = frozenset({".yaml", ".yml", ".json"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run cases; return 1 where something was found."""
    options = _parser().parse_args(arguments)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    cases = Cases(options.seed, _files(options.more))
    findings = options.findings.resolve()
    numbers: Iterable[int] = count(options.start) if options.only is None else [options.only]
    end = time.monotonic() + options.minutes * 60
    known: dict[str, int] = {}
    done = ran = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        for number in numbers:
            if time.monotonic() > end:
                break
            case = cases.case(number)
            found, has_run = judged(case, folder)
            done += 1
            ran += has_run
            for file in folder.iterdir():
                file.unlink()
            if found is None:
                continue
            if found.signature not in known:
                _keep(findings / f"{options.seed}-{number}", case, found)
                print(f"{number}: {found.signature}", flush=True)  # noqa: T201
            known[found.signature] = known.get(found.signature, 0) + 1
        os.chdir(findings.parent)
    print(f"{done} cases, {ran / max(done, 1):.0%} of which ran, {len(known)} findings")  # noqa: T201
    for signature, times in sorted(known.items(), key=lambda each: -each[1]):
        print(f"  {times:5} {signature}")  # noqa: T201
    return 1 if known else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="the first case")
    parser.add_argument("--only", type=int, help="just this case")
    parser.add_argument("--more", type=Path, nargs="*", default=[], help="real documents to change, too")
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    return parser


def _files(places: Iterable[Path]) -> list[Path]:
    return [
        path
        for place in places
        for path in (sorted(place.rglob("*")) if place.is_dir() else [place])
        if path.suffix in _SUFFIXES
    ]


def _keep(folder: Path, case: Case, found: Finding) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in case.files.items():
        (folder / name).write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    said = f"{found.signature}\n\n$ vqs {shlex.join(case.command)}\n\n{found.detail}\n"
    (folder / "finding.txt").write_text(said, encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
