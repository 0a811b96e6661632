"""What Volcano's webhooks deny of a change, with the place of what they mind.

A change of a Volcano Job is judged where it is made: see `vqs.snapshot.whatif.edits` and `vqs.snapshot.whatif.overlay`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from vqs.snapshot.apiserver.admission import DENIES
from vqs.snapshot.apiserver.queue_admission import Denied, denied_queues
from vqs.snapshot.reading.diagnostics import Diagnostic, Path
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.scenario.generated import GeneratedDocument
from vqs.snapshot.whatif.edits import AddObject, Edit, Remove, SetValue

ASSUME_ADMITTED: Final = "--assume-admitted"
_STATE: Final[Path] = ("status", "state")


class Denial(NamedTuple):
    """A queue whose change or deletion the webhook denies, and the error that says so."""

    queue: str
    diagnostic: Diagnostic


def queue_denials(before: Manifests, after: Manifests, edits: Sequence[Edit] = ()) -> list[Denial]:
    """Return why the webhook for queues denies a change, queue by queue; nothing where it admits it.

    Args:
        before: what is stored. It was admitted, and is not judged.
        after: what is to be stored instead.
        edits: what of the change was made by edits, which are then named instead of files.
    """
    origins = _origins(before)
    in_scenarios = {name for name, origin in origins.items() if isinstance(origin.document, GeneratedDocument)}
    opened = {
        each.name for each in edits if isinstance(each, SetValue) and each.kind == "queue" and _meet(each.path, _STATE)
    }
    found = denied_queues(before.queues, after.queues, after.profile.webhooks, in_scenarios, opened)
    origins |= _origins(after) if found else {}
    return [Denial(denied.name, _diagnostic(denied, origins[denied.name], edits)) for denied in found]


def _origins(manifests: Manifests) -> dict[str, Origin]:
    """Return where each queue stands."""
    return {each.metadata.name: origin for each, origin in manifests.with_origins("queues")}


def _diagnostic(denied: Denied, origin: Origin, edits: Sequence[Edit]) -> Diagnostic:
    code, path, reason = denied.fault
    message = f"{DENIES}: {reason}"
    hint = f"{ASSUME_ADMITTED} simulates it nevertheless"
    edit = _edit_of(denied, path, edits)
    if edit is not None:
        return Diagnostic(code=code, severity="error", message=f"{edit}: {message}", help=hint)
    return origin.diagnostic(code, message, path, hint=hint)


def _edit_of(denied: Denied, path: Path, edits: Sequence[Edit]) -> Edit | None:
    """Return the edit that made what is denied: the one of the refused field, else the last one of the queue."""
    own = [each for each in edits if _queue_of(each) == denied.name]
    of_field = [each for each in own if isinstance(each, SetValue) and _meet(each.path, path)]
    return next(reversed(of_field or own), None)


def _queue_of(edit: Edit) -> str | None:
    """Return the name of the queue that an edit is about, if it is about one."""
    match edit:
        case SetValue(kind="queue") | Remove(kind="queue"):
            return edit.name
        case AddObject(value={"kind": "Queue", "metadata": {"name": str(name)}}):
            return name
        case _:
            return None


def _meet(left: Path, right: Path) -> bool:
    """Tell whether one path leads to the other."""
    return all(one == other for one, other in zip(left, right, strict=False))
