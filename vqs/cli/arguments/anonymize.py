"""`vqs anonymize`: snapshots under names that tell nothing, and the way back."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from vqs.cli.command import command
from vqs.cli.groups import ReadingLimits
from vqs.cli.options import Conf, Debug, Files, NoNotes, Own, file_name, flag, option, target_file

_EXAMPLES = """
\b
Examples:
  vqs anonymize snapshot.json -o anonymous.json --key key.json
  vqs anonymize before.json after.json -o pair/ --key key.json
  vqs simulate anonymous.json --format json | vqs anonymize --reveal --key key.json

Exit status: 0 fine, 2 the input or the command line is wrong, 130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Anonymize:
    """Replace the names in snapshots, so that they can be shared: the scheduler decides as before.

    FILES are read as by vqs simulate; each file, or folder, is a snapshot of its own. The names are the same in all of
    them. Several are written to a folder, as 1.json, 2.json and so on. A file is YAML if its name says so, else JSON.

    Names, labels, images and messages become words such as bakoq, which sort as the originals do. Well-known keys and
    values stay, and so do amounts, times, short numbers and the punctuation of names. What vqs does not use is left
    out. The result is checked before it is written, and refused if it contains a word of the original.

    --key saves which name stands for which, in a file that only you can read; without it, the names cannot be restored.
    --reveal reads a text, such as a result on the renamed snapshot, and writes it with the original names.
    """

    files: Files = ()
    target: Annotated[
        Path | None, option("--output", "FILE", "Write to this file, or several to a folder.", target_file, "-o")
    ] = None
    key: Annotated[
        str | None, option("--key", "FILE", "Key to restore the names; an existing key is extended.", file_name)
    ] = None
    reveal: Annotated[bool, flag("--reveal", "Restore the original names in a text.")] = False
    conf: Conf = None
    quiet: NoNotes = False
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("anonymize", Anonymize, _EXAMPLES)
