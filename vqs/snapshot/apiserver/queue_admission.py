"""What Volcano's webhook for queues makes of a change: it admits new, changed and deleted queues, or denies them.

The webhook judges each queue against those that are stored when it comes. So it matters in which order a change is
made: it is assumed to be that of the files, as of ``kubectl apply``, deletions last, and what is denied is tried again
once something else has been admitted. A change is denied if a queue is still denied in the end.

What is stored was admitted once, and is not judged again; any update of it is, of a label too. The webhook's options
are assumed to be at their defaults: ``--max-queue-depth=5``, ``--enable-root-queue-protection``, and no
``--enable-queue-allocated-pods-check``, so that a queue may be deleted whatever its state is and whatever uses it.
What it looks at besides depends on the release, see `vqs.releases.webhooks`.
A change of a Volcano Job is judged where it is made: see `vqs.snapshot.whatif.edits` and `vqs.snapshot.whatif.overlay`.
Reference: pkg/webhooks/admission/queues in volcano-sh/volcano.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from vqs.model.cluster import OPEN, ROOT
from vqs.model.keys import DEFAULT_QUEUE, LAST_APPLIED
from vqs.model.kubernetes import NotGiven, Queue, QueueSpec, QueueStatus
from vqs.model.resource import PODS, Resource
from vqs.model.wording import first_names
from vqs.releases.webhooks import WebhookBehaviours
from vqs.snapshot.apiserver.admission import DENIES, assumed
from vqs.snapshot.apiserver.queue_sums import (
    DEEPEST,
    Entry,
    Fault,
    StoredQueues,
    amount_faults,
    amount_lists,
    exact,
    faults,
    parent_of,
)
from vqs.snapshot.cluster.build import own_queue
from vqs.snapshot.cluster.hierarchy_paths import PATH, WEIGHTS, stored_path, stored_weights
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Path
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.scenario.generated import GeneratedDocument
from vqs.snapshot.whatif.edits import AddObject, Edit, Remove, SetValue

_PASSES: Final = 10
"""How often what is denied is tried again, one time in the order of the files, the next time the other way round."""

_SETTLED: Final = ("", OPEN, "Closed")
"""The states in which a queue may be changed."""

ASSUME_ADMITTED: Final = "--assume-admitted"
_STATE: Final[Path] = ("status", "state")
_CREATED_BY_THE_SCHEDULER: Final = (ROOT, DEFAULT_QUEUE)
_FEW: Final = 3


class Denied(NamedTuple):
    """A queue whose change or deletion is not admitted, and why not."""

    name: str
    fault: Fault


def denied_queues(
    stored: Iterable[Queue],
    wanted: Iterable[Queue],
    rules: WebhookBehaviours,
    in_scenarios: Collection[str] = (),
    opened: Collection[str] = (),
) -> list[Denied]:
    """What the webhook denies of a change.

    Args:
        stored: the queues that are there.
        wanted: those that are to be there instead, in the order in which they are submitted.
        rules: what the webhook of the release looks at.
        in_scenarios: the names of stored queues that a scenario describes in short. What is wrong with one by itself
            was left out for short, and counts only where the change brings it about.
        opened: the names of queues that are opened or closed besides. That is a step of its own, which the webhook does
            not judge, and comes before the update, or after it, whichever is admitted.
    """
    own = {name: own_queue(name) for name in _CREATED_BY_THE_SCHEDULER}
    webhook = _Webhook({**own, **_by_name(stored)}, rules, in_scenarios, opened)
    named = _by_name(wanted)
    requests: list[_Request] = [(name, queue) for name, queue in named.items() if webhook.differs(queue)]
    requests += [(name, None) for name in _by_name(stored) if name not in named]
    found: list[tuple[_Request, Fault]] = []
    for _ in range(_PASSES):
        found = [(request, fault) for request in requests if (fault := webhook.take(*request)) is not None]
        if len(found) in (0, len(requests)):
            break
        requests = [request for request, _ in reversed(found)]
    position = {name: index for index, name in enumerate((*named, *_by_name(stored)))}
    found.sort(key=lambda each: position[each[0][0]])
    return [Denied(name, fault) for (name, _), fault in found]


_Request = tuple[str, "Queue | None"]
"""The name of a queue, and what it is to be; None where it is to be deleted."""


def _by_name(queues: Iterable[Queue]) -> dict[str, Queue]:
    return {queue.metadata.name: queue for queue in queues}


# --- the webhook ------------------------------------------------------------------------------------------------------


class _Webhook:
    """The webhook, and the queues as it knows them while requests come in."""

    def __init__(
        self,
        stored: dict[str, Queue],
        rules: WebhookBehaviours,
        in_scenarios: Collection[str],
        opened: Collection[str],
    ) -> None:
        self.stored = StoredQueues(stored.values())
        self.rules = rules
        self.in_scenarios = in_scenarios
        self.opened = opened

    def differs(self, queue: Queue) -> bool:
        """True if a queue is another one than the one that is stored, so that it is made or updated."""
        entry = self.stored.entries.get(queue.metadata.name)
        return entry is None or is_update(queue, entry.queue)

    def take(self, name: str, queue: Queue | None) -> Fault | None:
        """Take a request, unless the webhook denies it; return why it does."""
        if queue is None:
            # Reference: validateQueueDeleting.
            if name in _CREATED_BY_THE_SCHEDULER:
                return Fault("queue-deletion-denied", (), f"the queue {name} cannot be deleted")
            if children := list(self.stored.tree.child_names(name)):
                kept = f"queue {name} cannot be deleted, as it is the parent of {first_names(children, _FEW)}"
                return Fault("queue-deletion-denied", (), kept)
            self.stored.drop(name)
            return None
        known = self.stored.entries.get(name)
        entry = Entry(self._as_stored(queue, None if known is None else known.queue))
        fault = next(self._faults(entry, known), None)
        if fault is None:
            if known is not None:
                self.stored.drop(name)
            self.stored.put(entry)
        return fault

    def _as_stored(self, queue: Queue, known: Queue | None) -> Queue:
        """A queue as it is to be stored: a new one has no status, and an update keeps what is stored of it."""
        if known is None:
            annotations = _stored_annotations(queue)
            return replace(queue, metadata=replace(queue.metadata, annotations=annotations), status=QueueStatus())
        state = queue.status.state
        is_settled = queue.metadata.name in self.opened and state in _SETTLED and known.status.state not in _SETTLED
        return replace(queue, status=replace(known.status, state=state) if is_settled else known.status)

    # --- making and changing ------------------------------------------------------------------------------------------

    def _faults(self, entry: Entry, known: Entry | None) -> Iterator[Fault]:
        """Yield why a queue cannot be made, or changed so, in the order in which the webhook looks."""
        queue = entry.queue
        name = queue.metadata.name
        forgiven = list(faults(known.queue, self.rules)) if known is not None and name in self.in_scenarios else []
        yield from (fault for fault in faults(queue, self.rules) if fault not in forgiven)
        state = queue.status.state
        if state not in _SETTLED:
            reason = f"queue {name} is {state}, and only a queue that is Open or Closed can be changed"
            yield Fault("queue-state-unsettled", _STATE, reason)
        yield from self._paths_below(queue)
        moved = known is None or queue.spec.parent != known.queue.spec.parent
        if moved:
            yield from self._tree_faults(queue)
        stored = None if known is None else known.queue
        new = amount_lists(queue)
        old = amount_lists(stored) if stored is not None else {path: {} for path in new}
        changed = [path for path, amounts in new.items() if exact(amounts) != exact(old[path])]
        if name == ROOT:
            if changed and self.rules.root_queue_amounts == "fixed":
                reason = "capability, deserved and guarantee of the queue root cannot be changed"
                yield Fault("root-queue-changed", changed[0], reason)
        elif moved or changed:
            yield from amount_faults(self.stored, entry, known, self.rules)

    def _paths_below(self, queue: Queue) -> Iterator[Fault]:
        """Yield a path of another queue that leads through that of a queue."""
        path = queue.metadata.annotations.get(PATH, "")
        if not (path or queue.metadata.annotations.get(WEIGHTS, "")):
            return
        prefix = f"{path}/"
        for other, name in self.stored.paths[(at := bisect_left(self.stored.paths, (prefix, ""))) : at + 2]:
            if other.startswith(prefix) and name != queue.metadata.name:
                reason = f"the path {path} is above {other} of queue {name}, and only leaves can be queues"
                yield Fault("conflicting-hierarchies", ("metadata", "annotations", PATH), reason)

    def _tree_faults(self, queue: Queue) -> Iterator[Fault]:
        """Yield why a queue cannot be where it is to be. Reference: validateHierarchicalQueue."""
        name, parent = queue.metadata.name, parent_of(queue)
        at = ("spec", "parent")
        if parent == ROOT:
            return
        if parent == name and self.rules.queue_parent_itself == "denied":
            yield Fault("parent-itself", at, f"queue {name} cannot be its own parent")
            return
        fault = self._fault_above(name, parent)
        if fault is not None:
            yield fault
            return
        pods = Resource.from_quantities(self.stored.entries[parent].queue.status.allocated).get(PODS)
        if pods and not self.stored.tree.child_names(parent):
            reason = f"queue {parent} cannot become the parent of queue {name}, as it holds {pods:.0f} pods"
            yield Fault("parent-holds-pods", at, reason)

    def _fault_above(self, name: str, parent: str) -> Fault | None:
        """What is wrong with the queues above one: that they are missing, or too many."""
        at = ("spec", "parent")
        above, depth = parent, 1
        while above != ROOT:
            depth += 1
            if depth > DEEPEST and self.rules.queue_depth == "limited":
                return Fault("queue-too-deep", at, f"queue {name} would be more than {DEEPEST} levels below the root")
            if above not in self.stored.entries:
                whose = "its parent" if above == parent else "a queue above it"
                reason = f"queue {name} needs the queue {above}, {whose}, which does not exist"
                return Fault("parent-missing", at, reason)
            if self.rules.queue_depth == "unlimited":
                return None  # only the parent is looked for
            above = self.stored.tree.parent(above)
        return None


def _stored_annotations(queue: Queue) -> dict[str, str]:
    annotations = queue.metadata.annotations
    path, weights = annotations.get(PATH, ""), annotations.get(WEIGHTS, "")
    if stored_path(path, weights) == path:
        return annotations
    return {**annotations, PATH: stored_path(path, weights), WEIGHTS: stored_weights(path, weights)}


def is_update(new: Queue, old: Queue) -> bool:
    """True if anything changes that is not up to the cluster, however little the webhook makes of it."""
    # To have ``{}`` where there was no such field is a change; what Go has stored has it of itself.
    written, stored = (
        {path for path, amounts in amount_lists(queue).items() if not isinstance(amounts, NotGiven)}
        for queue in (new, old)
    )
    is_kept = bool(old.metadata.uid)
    annotations = _stored_annotations(new), _stored_annotations(old)
    return (
        _spec(new) != _spec(old)
        or bool(written - stored if is_kept else written ^ stored)
        or _annotated(new.metadata.labels, old.metadata.labels, kept=is_kept)
        or _annotated(*annotations, kept=is_kept)
    )


def _spec(queue: Queue) -> QueueSpec:
    """The spec as a new queue gets it: where it does not say so, it may be reclaimed from."""
    return replace(queue.spec, reclaimable=queue.spec.reclaimable is not False)


def _annotated(new: Mapping[str, str], old: Mapping[str, str], *, kept: bool) -> bool:
    """True if labels or annotations change.

    Args:
        new: those that are wanted.
        old: those that are stored.
        kept: whether what only the cluster has is by others than who writes the manifest, and stays.
    """
    names = {*new, *(name for name in old if not kept or name in (PATH, WEIGHTS))} - {LAST_APPLIED}
    return any(new.get(name) != old.get(name) for name in names)


# --- what is told -----------------------------------------------------------------------------------------------------


class Denial(NamedTuple):
    """A queue whose change or deletion the webhook denies, and the error that says so."""

    queue: str
    diagnostic: Diagnostic


def queue_denials(before: Manifests, after: Manifests, edits: Sequence[Edit] = ()) -> list[Denial]:
    """Why the webhook for queues denies a change, queue by queue; nothing where it admits it.

    Args:
        before: what is stored. It was admitted, and is not judged.
        after: what is to be stored instead.
        edits: what of the change was made by edits, which are then named instead of files.
    """
    if after.queues is before.queues:
        return []
    origins = {each.metadata.name: origin for each, origin in before.with_origins("queues")}
    in_scenarios = {name for name, origin in origins.items() if isinstance(origin.document, GeneratedDocument)}
    opened = {
        each.name for each in edits if isinstance(each, SetValue) and each.kind == "queue" and _meet(each.path, _STATE)
    }
    found = denied_queues(before.queues, after.queues, after.profile.webhooks, in_scenarios, opened)
    origins |= {each.metadata.name: origin for each, origin in (after.with_origins("queues") if found else ())}
    return [Denial(denied.name, _diagnostic(denied, origins[denied.name], edits)) for denied in found]


def admitted_queues(
    before: Manifests,
    after: Manifests,
    edits: Sequence[Edit],
    *,
    assume_admitted: bool = False,
    known: Collection[str] = (),
) -> Manifests:
    """Return what a change makes of some manifests, with a note of what is denied of queues that are known, or assumed.

    Raises:
        InputErrors: the webhook denies it of others.
    """
    denials = queue_denials(before, after, edits)
    refused = [each.diagnostic for each in denials if not assume_admitted and each.queue not in known]
    if refused:
        raise InputErrors(refused)
    notes = [*after.notes, *(assumed(each.diagnostic) for each in denials)]
    return dataclasses.replace(after, notes=notes) if denials else after


def _diagnostic(denied: Denied, origin: Origin, edits: Sequence[Edit]) -> Diagnostic:
    """The error about a queue: it names the edit of the refused field, else the last one of the queue, else a file."""
    code, path, reason = denied.fault
    message = f"{DENIES}: {reason}"
    hint = f"{ASSUME_ADMITTED} simulates it nevertheless"
    own = [each for each in edits if _queue_of(each) == denied.name]
    of_field = [each for each in own if isinstance(each, SetValue) and _meet(each.path, path)]
    for edit in reversed(of_field or own):
        return Diagnostic(code=code, severity="error", message=f"{edit}: {message}", help=hint)
    return origin.diagnostic(code, message, path, hint=hint)


def _queue_of(edit: Edit) -> str | None:
    """The name of the queue that an edit is about, if it is about one."""
    match edit:
        case SetValue(kind="queue") | Remove(kind="queue"):
            return edit.name
        case AddObject(value={"kind": "Queue", "metadata": {"name": str(name)}}):
            return name
        case _:
            return None


def _meet(left: Path, right: Path) -> bool:
    """True if one path leads to the other."""
    return all(one == other for one, other in zip(left, right, strict=False))
