"""What is in folders: files, and folders that are not hidden."""

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Listing(NamedTuple):
    """The files in a folder, hidden ones too, and the folders that are not hidden.

    A link to a folder is passed over, so that none is walked in a circle.
    """

    files: list[str]
    folders: list[str]


def listing(folder: str) -> Listing:
    """List a folder.

    Raises:
        OSError: it cannot be read.
    """
    files, folders = [], []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not _is_folder(entry):
                files.append(os.path.join(folder, entry.name))
            elif not (entry.is_symlink() or entry.name.startswith(".")):
                folders.append(os.path.join(folder, entry.name))
    return Listing(files, folders)


def everything_in(folder: str, is_skipped: Callable[[str], bool]) -> Iterator[str]:
    """Yield the files in a folder and in those below, hidden ones too, in the order of their names.

    Folders with a name that is to be skipped are left out, as are links to folders, and what cannot be read.
    """
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_skipped(name))
        yield from (os.path.join(here, name) for name in sorted(files))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle
        return False


def walk(folder: str, refuse: Callable[[str, OSError], object]) -> Iterator[str]:
    """Yield the files in a folder and in those below; `refuse` is called with those that cannot be read."""
    ahead = [folder]
    while ahead:
        here = ahead.pop()
        try:
            found = listing(here)
        except OSError as error:
            refuse(here, error)
            continue
        yield from found.files
        ahead += found.folders
