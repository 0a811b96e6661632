"""`vqs anonymize`: snapshots under names that tell nothing, and the way back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vqs import inert
from vqs.anonymize.key import Key, read_key, write_key
from vqs.anonymize.run import anonymize as renamed
from vqs.cli import inputs, output
from vqs.cli.arguments.anonymize import Anonymize
from vqs.cli.failures import CommandError, say
from vqs.cli.progress import Progress
from vqs.paths import is_folder, is_there
from vqs.report import as_manifests
from vqs.report.formats import Format
from vqs.report.phrases import diagnostic_line
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.compression import without_suffix

_YAML: Final = frozenset({".yaml", ".yml"})


def run(arguments: Anonymize) -> int:
    """Rename what tells whose cluster it is, or put the names back."""
    paths = inputs.chosen(arguments.files, "anonymize")
    if arguments.reveal:
        _reveal(paths, arguments.target, arguments.key)
    else:
        _write(paths, _targets(paths, arguments), arguments)
    return 0


def _reveal(paths: Sequence[str], target: Path | None, key: str | None) -> None:
    if key is None:
        raise CommandError("--reveal needs the key that was written with the replaced names: add --key FILE")
    output.check(target, [*paths, key])
    words = read_key(key)
    texts = [inputs.text(path) for path in paths]
    output.write(inert.copied("".join(map(words.reveal, texts))), target)


def _targets(paths: Sequence[str], arguments: Anonymize) -> list[Path | None]:
    """Return where each snapshot goes: to places of their own, apart from all that is read and from the key."""
    read, target, key = [*paths, arguments.conf], arguments.target, arguments.key
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
        raise CommandError("several snapshots are written to a folder: name it with --output")
    if not is_folder(folder.parent):
        raise CommandError(f"cannot write to {folder}: there is no folder {folder.parent}", str(folder))
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"cannot write to {folder}: it is not a folder", str(folder))
    return [folder / f"{each}.json" for each in range(1, number + 1)]


def _check_key(key: Path, targets: Sequence[Path | None]) -> None:
    """Refuse a key where a result goes, or in the folder of the results, which is given away."""
    for target in filter(None, targets):
        if _is_same(key, target):
            raise CommandError(f"cannot write the key to {key}: the result is written there", str(key))
        if len(targets) > 1 and target.parent.resolve() in key.resolve().parents:
            raise CommandError(
                f"the key reveals the original names: keep {key} out of {target.parent}, which is to be shared",
                str(key),
            )


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve() or (one.exists() and other.exists() and one.samefile(other))


def _write(paths: Sequence[str], targets: Sequence[Path | None], arguments: Anonymize) -> None:
    known = _key(arguments.key)
    with Progress(quiet=arguments.quiet) as progress:
        snapshots = [inputs.read([path], progress, arguments.conf, any_configuration=True) for path in paths]
        with paused_collector():
            result = renamed(snapshots, known)
    _make_folder(targets)
    if arguments.key is not None:
        _keep(result.key, arguments.key)
    for objects, target in zip(result.snapshots, targets, strict=True):
        output.write(as_manifests.encoded(objects, _format(target)), target)
    if not arguments.quiet:
        say(*(diagnostic_line(note) for each in snapshots for note in each.notes), *map(diagnostic_line, result.notes))
        way_back = "" if arguments.key else "; without --key, they cannot be restored"
        say(f"{result.renamed:,} names were replaced{way_back}")


def _format(target: Path | None) -> Format:
    """Return the format that the name of a file says, else JSON."""
    is_yaml = target is not None and Path(without_suffix(target.name)).suffix in _YAML
    return Format.YAML if is_yaml else Format.JSON


def _key(path: str | None) -> Key:
    """Return the key that is there, else an empty one."""
    return read_key(path) if path is not None and is_there(path) else Key()


def _keep(key: Key, path: str) -> None:
    try:
        write_key(key, path)
    except OSError as error:
        raise CommandError(f"cannot write to {path}: {error.strerror}", path) from error


def _make_folder(targets: Sequence[Path | None]) -> None:
    if len(targets) > 1 and targets[0] is not None:
        try:
            targets[0].parent.mkdir(exist_ok=True)
        except OSError as error:
            raise CommandError(f"cannot write to {targets[0].parent}: {error.strerror}") from error
