"""The what-if edits that commands take, the same for each of them."""

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from vqs.cli import inputs
from vqs.cli.failures import CommandError
from vqs.cli.options import file_name, flag, option
from vqs.cli.progress import Progress
from vqs.paths import told

if TYPE_CHECKING:
    from vqs.snapshot.edits import Edit
    from vqs.snapshot.manifests import CheckConfiguration, Manifests

_Texts = list[str] | None
_NAMED: Final = 3

Set = Annotated[_Texts, option("--set", "OBJECT.FIELD=VALUE", "What if a field had this value?")]
Add = Annotated[_Texts, option("--add", "FILE", "What if there were these objects too?", file_name)]
Remove = Annotated[_Texts, option("--remove", "OBJECT", "What if this were not there?")]
CloneNode = Annotated[_Texts, option("--clone-node", "NAME=N", "What if there were N more like it?")]
Scale = Annotated[_Texts, option("--scale", "JOB=N", "What if it had N pods?")]
Edits = Annotated[str | None, option("--edits", "FILE", "Make the edits in this list.", file_name)]
AssumeAdmitted = Annotated[bool, flag("--assume-admitted", "Simulate what webhooks or the API server deny.")]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The edits that the command line asks for, and whether they are made although they would be denied."""

    sets: Sequence[str] = ()
    adds: Sequence[str] = ()
    removes: Sequence[str] = ()
    clones: Sequence[str] = ()
    scales: Sequence[str] = ()
    file: str | None = None
    assume_admitted: bool = False

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return any((self.sets, self.adds, self.removes, self.clones, self.scales, self.file))

    @property
    def files(self) -> list[str]:
        """The files that are read for them."""
        return [*self.adds, *([self.file] if self.file else [])]


class Edited(NamedTuple):
    """Manifests with edits made to them, the edits as one would write them, and those of them that are no files."""

    manifests: "Manifests"
    edits: list[str]
    parsed: "Sequence[Edit]" = ()


def what_if(
    sets: _Texts,
    adds: _Texts,
    removes: _Texts,
    *,
    clones: _Texts,
    scales: _Texts,
    file: str | None,
    assume_admitted: bool,
) -> WhatIf:
    """Take the edits of a command line."""
    return WhatIf(sets or (), adds or (), removes or (), clones or (), scales or (), file, assume_admitted)


def read(paths: Sequence[str], progress: Progress, conf: str | None, asked: WhatIf, **more: Any) -> Edited:
    """Read what commands work on, and make edits to it; `more` is as for `read_manifests`."""
    # Imported late, as `--help` has no use for it.
    from vqs.config.scheduler_conf import read_configuration  # noqa: PLC0415

    manifests = inputs.read(paths, progress, conf, check=read_configuration, **more)
    return admitted(manifests, edited(manifests, asked, read_configuration), asked)


def admitted(before: "Manifests", made: Edited, asked: WhatIf, let_in: Collection[str] = ()) -> Edited:
    """Return what was made of some manifests if Volcano's webhook for queues lets the change in.

    Where it is simulated all the same, what the webhook would deny is a note.

    Args:
        before: what is there.
        made: what the change makes of it.
        asked: whether to assume that everything is let in.
        let_in: the names of queues that are known to have been let in.

    Raises:
        InputErrors: it is denied.
    """
    if made.manifests.queues is before.queues:
        return made
    # Imported late, as `--help` has no use for it.
    from vqs.snapshot.admission import assumed  # noqa: PLC0415
    from vqs.snapshot.denials import queue_denials  # noqa: PLC0415
    from vqs.snapshot.diagnostics import InputErrors  # noqa: PLC0415

    denials = queue_denials(before, made.manifests, made.parsed)
    refused = [each for each in denials if not asked.assume_admitted and each.queue not in let_in]
    if refused:
        raise InputErrors(each.diagnostic for each in refused)
    if not denials:
        return made
    manifests = replace(made.manifests, notes=[*made.manifests.notes, *(assumed(each.diagnostic) for each in denials)])
    return made._replace(manifests=manifests)


def title(paths: Sequence[str], edits: Sequence[str], called: Mapping[str, str] = MappingProxyType({})) -> str:
    """Name what was read, and the edits that were made to it, in a few words."""
    named = inputs.title(paths, called)
    if not edits:
        return named
    return f"{named} with {', '.join(edits) if len(edits) <= _NAMED else f'{len(edits)} edits'}"


def edited(manifests: "Manifests", asked: WhatIf, check: "CheckConfiguration | None" = None) -> Edited:
    """Make edits to manifests.

    Raises:
        InputErrors: some cannot be made.
    """
    if not asked:
        return Edited(manifests, [])
    # Imported late, as `--help` has no use for it.
    from vqs.snapshot.edits import parse_edits, replaced_by  # noqa: PLC0415
    from vqs.snapshot.overlay import added  # noqa: PLC0415
    from vqs.snapshot.sides import read_side  # noqa: PLC0415

    first, manifests = parse_edits(_listed(asked.file), manifests, check, assume_admitted=asked.assume_admitted)
    removes = [f"remove {each}" for each in asked.removes]
    for path in asked.adds:
        stdin = sys.stdin.buffer if sys.stdin else None
        more = read_side([path], under=manifests, stdin=stdin, check=check)
        for text in replaced_by(more, manifests, removes):
            [edit], manifests = parse_edits([text], manifests, check)
            first.append(edit)
            removes.remove(text)
        manifests = added(manifests, more)
    texts = [
        *removes,
        *(f"clone-node {each}" for each in asked.clones),
        *(f"scale {each}" for each in asked.scales),
        *(f"set {each}" for each in asked.sets),
    ]
    rest, manifests = parse_edits(texts, manifests, check, assume_admitted=asked.assume_admitted)
    texts = [*map(str, first), *(f"add {told(path)}" for path in asked.adds), *map(str, rest)]
    return Edited(manifests, texts, [*first, *rest])


def _listed(path: str | None) -> list[str]:
    """Return the edits in a file: texts in a YAML list, or objects to add."""
    if path is None:
        return []
    # Imported late, as above.
    from vqs.snapshot import yaml_text  # noqa: PLC0415
    from vqs.snapshot.diagnostics import Diagnostic, InputErrors, Problems  # noqa: PLC0415
    from vqs.snapshot.sources import read_source  # noqa: PLC0415

    problems = Problems()
    source = read_source(path, sys.stdin.buffer if sys.stdin else None, problems)
    problems.raise_errors()
    text = source.text if source else ""
    try:
        values = yaml_text.load(text)
    except yaml_text.YamlErrors as errors:
        raise InputErrors(
            Diagnostic(
                code=each.code,
                severity="error",
                message=each.message,
                file=path,
                line=each.position.line,
                column=each.position.column,
                help=each.help,
            )
            for each in errors.problems
        ) from None
    if len(values) != 1 or not isinstance(values[0], list):
        raise CommandError(f"--edits: {path} is not a YAML list of edits, such as [queue/b.spec.weight=5]", path)
    return [_text(each, number, path) for number, each in enumerate(values[0], 1)]


def _text(value: Any, number: int, path: str) -> str:
    # Imported late, as above.
    from vqs.snapshot.editing.paths import write_value  # noqa: PLC0415

    if isinstance(value, str):
        return value
    if isinstance(value, dict) and "kind" in value:
        return f"add {write_value(value)}"
    raise CommandError(f"--edits: number {number} in {path} is neither a text nor an object to add", path)
