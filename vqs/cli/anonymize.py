"""`vqs anonymize`: snapshots under names that tell nothing, and the way back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs import inert
from vqs.cli import inputs, output
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.options import Conf, Debug, file_name, flag, option
from vqs.cli.progress import Progress
from vqs.cli.reading import ReadingCommand
from vqs.paths import is_folder, is_there

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vqs.anonymize.key import Key

_YAML: Final = frozenset({".yaml", ".yml"})

_EXAMPLES = """
\b
Examples:
  vqs anonymize snapshot.json -o anonymous.json --key key.json
  vqs anonymize before.json after.json -o pair/ --key key.json
  vqs simulate anonymous.json --format json | vqs anonymize --reveal --key key.json

Exit status: 0 fine, 2 the input or the command line is wrong, 130 interrupted.
"""

KeyFile = Annotated[
    str | None, option("--key", "FILE", "What leads back; one that is there is used and extended.", file_name)
]
Output = Annotated[
    Path | None, option("--output", "FILE", "Write to a file; several snapshots to a folder.", output.place, "-o")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=ReadingCommand, epilog=_EXAMPLES, short_help="Rename all that tells whose cluster it is.")(
        anonymize
    )


def anonymize(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILES", hidden=True)] = None,
    *,
    target: Output = None,
    key: KeyFile = None,
    reveal: Annotated[bool, flag("--reveal", "Put the original names back into any text.")] = False,
    conf: Conf = None,
    quiet: Annotated[bool, flag("--quiet", "No notes.", "-q")] = False,
    debug: Debug = False,
) -> None:
    """Write snapshots under other names, so that they can be given away: the scheduler decides as before.

    FILES are read as by vqs simulate; each file, or folder, is a snapshot of its own. The names are the same in all of
    them. Several are written to a folder, as 1.json, 2.json and so on. A file is YAML if its name says so, else JSON.

    Names, labels, images and messages become words such as bakoq, which sort as the originals do. Well-known keys and
    values stay, and so do amounts, times, short numbers and the punctuation of names. What vqs does not use is left
    out. The result is looked through before it is written, and refused if a word of the original is in it.

    --key keeps what leads back; only you can read the file. Without it, nothing is kept. --reveal reads a text, such as
    a result on the renamed snapshot, and writes it with the original names.
    """
    with reported(debug=debug):
        paths = inputs.chosen(files or (), "anonymize")
        if reveal:
            _reveal(paths, target, key)
            return
        targets = _targets(paths, target, key, conf)
        _write(paths, targets, key, conf, quiet=quiet)


def _reveal(paths: "Sequence[str]", target: Path | None, key: str | None) -> None:
    # Imported late: `--help` needs none of it.
    from vqs.anonymize.key import read_key  # noqa: PLC0415

    if key is None:
        raise CommandError("--reveal needs the key that was made together with the names: add --key FILE")
    output.check(target, [*paths, key])
    words = read_key(key)
    texts = [inputs.text(path) for path in paths]
    output.write(inert.copied("".join(map(words.reveal, texts))), target)


def _targets(paths: "Sequence[str]", target: Path | None, key: str | None, conf: str | None) -> list[Path | None]:
    """Return where each snapshot goes: to places of their own, apart from all that is read and from the key."""
    read = [*paths, *filter(None, [conf])]
    targets = _numbered(target, len(paths)) if len(paths) > 1 else [target]
    for each in targets:
        if len(paths) == 1 or (each is not None and each.parent.is_dir()):
            output.check(each, read)
    if key is not None:
        output.check(Path(key), read)
        _check_key(Path(key), targets)
    return targets


def _numbered(folder: Path | None, number: int) -> list[Path | None]:
    """Return files in a folder, which may have to be made."""
    if folder is None or folder.suffix:
        raise CommandError("each file is a snapshot of its own: name a folder for the results with --output")
    if not is_folder(folder.parent):
        raise CommandError(f"cannot write to {folder}: there is no folder {folder.parent}", str(folder))
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"cannot write to {folder}: it is no folder", str(folder))
    return [folder / f"{each}.json" for each in range(1, number + 1)]


def _check_key(key: Path, targets: "Sequence[Path | None]") -> None:
    """Refuse a key where a result goes, or in the folder of the results, which is given away."""
    for target in filter(None, targets):
        if _is_same(key, target):
            raise CommandError(f"cannot write the key to {key}: the result goes there", str(key))
        if len(targets) > 1 and target.parent.resolve() in key.resolve().parents:
            raise CommandError(f"the key leads back: keep {key} out of {target.parent}, which is given away", str(key))


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve() or (one.exists() and other.exists() and one.samefile(other))


def _write(
    paths: "Sequence[str]", targets: "Sequence[Path | None]", key: str | None, conf: str | None, *, quiet: bool
) -> None:
    # Imported late, as above.
    from vqs.anonymize.run import anonymize as renamed  # noqa: PLC0415
    from vqs.report import as_manifests  # noqa: PLC0415
    from vqs.report.formats import Format  # noqa: PLC0415
    from vqs.report.phrases import diagnostic_line  # noqa: PLC0415
    from vqs.snapshot.collector import paused_collector  # noqa: PLC0415
    from vqs.snapshot.compression import without_suffix  # noqa: PLC0415

    known = _key(key)
    with Progress(quiet=quiet) as progress:
        snapshots = [inputs.read([path], progress, conf) for path in paths]
        with paused_collector():
            result = renamed(snapshots, known)
    _make_folder(targets)
    if key is not None:
        _keep(result.key, key)
    for objects, target in zip(result.snapshots, targets, strict=True):
        is_yaml = target is not None and Path(without_suffix(target.name)).suffix in _YAML
        chosen = Format.YAML if is_yaml else Format.JSON
        output.write(as_manifests.encoded(objects, chosen), target)
    if not quiet:
        say(*(diagnostic_line(note) for each in snapshots for note in each.notes), *map(diagnostic_line, result.notes))
        say(f"{result.renamed:,} names were replaced{'' if key else '; without --key, nothing leads back'}")


def _key(path: str | None) -> "Key":
    """Return the key that is there, else an empty one."""
    # Imported late, as above.
    from vqs.anonymize.key import Key, read_key  # noqa: PLC0415

    return read_key(path) if path is not None and is_there(path) else Key()


def _keep(key: "Key", path: str) -> None:
    # Imported late, as above.
    from vqs.anonymize.key import write_key  # noqa: PLC0415

    try:
        write_key(key, path)
    except OSError as error:
        raise CommandError(f"cannot write to {path}: {error.strerror}", path) from error


def _make_folder(targets: "Sequence[Path | None]") -> None:
    if len(targets) > 1 and targets[0] is not None:
        try:
            targets[0].parent.mkdir(exist_ok=True)
        except OSError as error:
            raise CommandError(f"cannot write to {targets[0].parent}: {error.strerror}") from error
