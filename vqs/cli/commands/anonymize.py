"""`vqs anonymize`: snapshots under names that tell nothing, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vqs import inert
from vqs.cli import inputs, output
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.options import CONF, FILES, NO_NOTES, file_name, flag, option, target_file
from vqs.cli.output import Progress
from vqs.paths import is_folder, is_there
from vqs.report.formats import Format
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.compression import without_suffix

_YAML: Final = frozenset({".yaml", ".yml"})

_HELP = """
Replace the names in snapshots, so that they can be shared: the scheduler decides as before.

FILES are read as by vqs simulate; each file, or folder, is a snapshot of its own. The names are the same in all of
them. Several are written to a folder, as 1.json, 2.json and so on. A file is YAML if its name says so, else JSON.

Names, labels, images and messages become words such as bakoq, which sort as the originals do. Well-known keys and
values stay, and so do amounts, times, short numbers and the punctuation of names. What vqs does not use is left
out. The result is checked before it is written, and refused if it contains a word of the original.

--key saves which name stands for which, in a file that only you can read; without it, the names cannot be restored.
--reveal reads a text, such as a result on the renamed snapshot, and writes it with the original names.
"""

_EXAMPLES = """
\b
Examples:
  vqs anonymize snapshot.json -o anonymous.json --key key.json
  vqs anonymize before.json after.json -o pair/ --key key.json
  vqs simulate anonymous.json --format json | vqs anonymize --reveal --key key.json

Exit status: 0 fine, 2 the input or the command line is wrong, 130 interrupted.
"""


@command(
    "anonymize",
    _HELP,
    _EXAMPLES,
    FILES,
    option("--output -o target", "FILE", "Write to this file, or several to a folder.", target_file),
    option("--key", "FILE", "Key to restore the names; an existing key is extended.", file_name),
    flag("--reveal", "Restore the original names in a text."),
    CONF,
    NO_NOTES,
)
def run(
    *, files: Sequence[str], target: Path | None, key: str | None, reveal: bool, conf: str | None, quiet: bool
) -> int:
    """Rename what tells whose cluster it is, or put the names back."""
    paths = inputs.chosen(files, "anonymize")
    if reveal:
        from vqs.anonymize.key import read_key

        if key is None:
            raise CommandError("--reveal needs the key that was written with the replaced names: add --key FILE")
        output.check(target, [*paths, key])
        words = read_key(key)
        texts = [inputs.text(path) for path in paths]
        output.write(inert.copied("".join(map(words.reveal, texts))), target)
    else:
        # Snapshots go to places of their own, apart from all that is read and from the key.
        targets = _numbered(target, len(paths)) if len(paths) > 1 else [target]
        for each in targets:
            if len(paths) == 1 or (each is not None and each.parent.is_dir()):
                output.check(each, [*paths, conf])
        if key is not None:
            secret = Path(key)
            output.check(secret, [*paths, conf])
            for each in filter(None, targets):
                if secret.resolve() == each.resolve() or (secret.exists() and each.exists() and secret.samefile(each)):
                    raise CommandError(f"cannot write the key to {secret}: the result is written there", str(secret))
                if len(targets) > 1 and each.parent.resolve() in secret.resolve().parents:
                    told = f"keep {secret} out of {each.parent}, which is to be shared"
                    raise CommandError(f"the key reveals the original names: {told}", str(secret))
        _write(paths, targets, key, conf, quiet=quiet)
    return 0


def _numbered(folder: Path | None, number: int) -> list[Path | None]:
    """Return files in a folder, which may have to be made."""
    if folder is None or folder.suffix:
        raise CommandError("several snapshots are written to a folder: name it with --output")
    if not is_folder(folder.parent):
        raise CommandError(f"cannot write to {folder}: there is no folder {folder.parent}", str(folder))
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"cannot write to {folder}: it is not a folder", str(folder))
    return [folder / f"{each}.json" for each in range(1, number + 1)]


def _write(
    paths: Sequence[str], targets: Sequence[Path | None], key: str | None, conf: str | None, *, quiet: bool
) -> None:
    from vqs.anonymize.key import Key, read_key, write_key
    from vqs.anonymize.run import anonymize
    from vqs.report import as_manifests
    from vqs.report.phrases import diagnostic_line

    known = read_key(key) if key is not None and is_there(key) else Key()
    with Progress() as progress:
        snapshots = [inputs.read([path], progress, conf, any_configuration=True) for path in paths]
        with paused_collector():
            result = anonymize(snapshots, known)
    if len(targets) > 1 and targets[0] is not None:
        try:
            targets[0].parent.mkdir(exist_ok=True)
        except OSError as error:
            raise CommandError(f"cannot write to {targets[0].parent}: {error.strerror}") from error
    if key is not None:
        try:
            write_key(result.key, key)
        except OSError as error:
            raise CommandError(f"cannot write to {key}: {error.strerror}", key) from error
    for objects, target in zip(result.snapshots, targets, strict=True):
        is_yaml = target is not None and Path(without_suffix(target.name)).suffix in _YAML
        output.write(as_manifests.encoded(objects, Format.YAML if is_yaml else Format.JSON), target)
    if not quiet:
        say(*(diagnostic_line(note) for each in snapshots for note in each.notes), *map(diagnostic_line, result.notes))
        say(f"{result.renamed:,} names were replaced{'' if key else '; without --key, they cannot be restored'}")
