"""Bring the pages up to date: what their commands print, and the reference that is made from the program.

    python -m tests.docs.refresh            writes what has changed
    python -m tests.docs.refresh --check    writes nothing, and exits with 1 where something has changed
    python -m tests.docs.refresh PAGE ...   looks at these pages only

A command that fails is named at the end with its page and line, its block stays as it is, and the exit status is 1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.docs import reference
from tests.docs.examples import PAGES, ROOT, Refreshed, refreshed, write_pages
from tests.docs.playground import Playground


def page_with_outputs(path: Path) -> Refreshed:
    """Run the commands of a page."""
    with TemporaryDirectory() as folder:
        playground = Playground(Path(folder))
        return refreshed(path.read_text(encoding="utf-8"), playground.run, playground.knows)


def main(arguments: Sequence[str]) -> int:
    """Refresh the pages, or check that they need no refreshing."""
    named = [Path(each).resolve() for each in arguments if not each.startswith("-")]
    pages, failures = dict[Path, str](), list[str]()
    for path in named or _written_by_hand(PAGES):
        page = page_with_outputs(path)
        pages[path] = page.text
        failures += [f"{path.relative_to(ROOT)}, {failure}\n" for failure in page.failures]
    if not named:
        pages |= reference.pages()
    sys.stderr.write("".join(failures))
    if "--check" not in arguments:
        write_pages(pages)
        return int(bool(failures))
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    sys.stderr.write("".join(f"{path.relative_to(ROOT)} is out of date: run .ci/docs\n" for path in stale))
    return int(bool(failures or stale))


def _written_by_hand(pages: Iterable[Path]) -> list[Path]:
    made = reference.makers()
    return [path for path in pages if path not in made]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
