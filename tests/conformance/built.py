#!/usr/bin/env python3
"""Print the recorded scenarios that vqs has to agree with by now, one path a line.

usage: built.py FOLDER      FOLDER holds random/ and volcano-unit/; what not_built.txt lists is left out
"""

import sys
from fnmatch import fnmatchcase
from pathlib import Path

NOT_BUILT = Path(__file__).with_name("not_built.txt")


def patterns(text: str) -> list[str]:
    """Return the lines that are neither empty nor comments."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def is_built(scenario: Path, left_out: list[str]) -> bool:
    """Tell whether neither the scenario nor its family, its name without the number, is left out."""
    name = f"{scenario.parent.name}/{scenario.stem}"
    family = name.rpartition("-")[0]
    return not any(fnmatchcase(name, pattern) or family == pattern for pattern in left_out)


def built(folder: Path) -> list[Path]:
    """Return the scenarios of a folder that are built."""
    left_out = patterns(NOT_BUILT.read_text(encoding="utf-8"))
    scenarios = sorted([*folder.glob("random/*.yaml"), *folder.glob("volcano-unit/*.yaml")])
    return [scenario for scenario in scenarios if is_built(scenario, left_out)]


if __name__ == "__main__":
    sys.stdout.writelines(f"{path}\n" for path in built(Path(sys.argv[1])))
