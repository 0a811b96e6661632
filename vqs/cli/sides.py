"""The two sides of a difference, as they are read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

from vqs.cli import inputs, process
from vqs.cli.failures import CommandError
from vqs.cli.groups import Edits
from vqs.cli.output import Progress
from vqs.diff.run import Input
from vqs.model.wording import first_names
from vqs.paths import STDIN, printable
from vqs.releases.profile import ANY_RELEASE, ReleaseChoice
from vqs.snapshot.apiserver.admission import assumed
from vqs.snapshot.controllers.upkeep.admission import admitted as admitted_objects
from vqs.snapshot.controllers.upkeep.budgets import recounted
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.applied import as_applied, delete, merged_with, update_denials
from vqs.snapshot.whatif.overlay import denied, keys, names, overlay
from vqs.snapshot.whatif.revision import RevisionError, read_revision, refuse_submodules, top_folder
from vqs.snapshot.whatif.sides import read_side

_FEW: Final = 3


@dataclass(frozen=True, slots=True)
class Sides:
    """What is read for each side; with a revision, the base is what the candidate was in it."""

    on: Sequence[str]
    base: Sequence[str]
    candidate: Sequence[str]
    reference: str = ""
    releases: tuple[ReleaseChoice, ReleaseChoice] = (ANY_RELEASE, ANY_RELEASE)

    @property
    def have_own_releases(self) -> bool:
        """Whether the candidate is run by another release than the base, or with other behaviours."""
        return self.releases[0] != self.releases[1]


class Pair(NamedTuple):
    """The base and the candidate, and what is worth knowing about how they came about."""

    base: Input
    candidate: Input
    notes: Sequence[str] = ()


class _Files(NamedTuple):
    """The objects in the files of both sides, without the snapshot they are applied to."""

    base: Manifests | None
    candidate: Manifests


class SidesReader:
    """Reads the sides, what they have in common once."""

    def __init__(self, sides: Sides, edits: Edits, progress: Progress) -> None:
        self.sides = sides
        self.edits = edits
        self.progress = progress

    def read(self) -> Pair:
        """Return both sides, the candidate with its edits.

        Raises:
            InputErrors: one cannot be read, or the change is not admitted.
        """
        under = self._read(self.sides.on, None, self.sides.releases[0]) if self.sides.on else None
        pair = self._revisions(under) if self.sides.reference else self._files(under)
        sides, (base, candidate, notes) = self.sides, pair
        made = inputs.edited(candidate.manifests, self.edits)
        is_change = sides.on or sides.reference
        captured = set() if is_change else _captured(base.manifests, candidate.manifests, made.manifests)
        manifests = inputs.admitted(base.manifests, made, self.edits, captured).manifests
        name = f"{base.name}, edited" if self.edits and not sides.candidate else candidate.name
        edits = (*candidate.edits, *made.edits)
        return Pair(base, replace(candidate, name=name, manifests=manifests, edits=edits), notes)

    def _files(self, under: Manifests | None) -> Pair:
        """Return the sides that files are named for; without any, the candidate is the base."""
        sides = self.sides
        own = self._read(sides.base, under, sides.releases[0]) if sides.base else None
        base = self._side(inputs.title(sides.base or sides.on), own, under)
        if not sides.candidate:
            return Pair(base, self._released(base))
        base_setting = None if under is None else own or Manifests()
        other = self._read(sides.candidate, under, sides.releases[1], base=base_setting)
        candidate = self._released(self._side(inputs.title(sides.candidate), other, under))
        return Pair(base, self._admitted(candidate, base, under, _Files(own, other)), [*_kept(own, other, under)])

    def _revisions(self, under: Manifests | None) -> Pair:
        """Return both sides of the same files: what these name no longer is deleted."""
        paths, reference = self.sides.candidate, self.sides.reference
        release = self.sides.releases[0]
        try:
            top = top_folder(paths)
            own = read_revision(
                top, reference, paths, lambda copies: self._read(copies, under, release, may_be_empty=True)
            )
            refuse_submodules(top, paths)
        except RevisionError as error:
            raise CommandError(f"--base-ref: {error}{process.setting(['--base-ref'])}") from None
        other = self._read(paths, under, self.sides.releases[1], may_be_empty=True, base=own)
        if under is not None:
            own, other = as_applied(own, under), as_applied(other, under)
        if not (_names(own) or _names(other)):
            raise CommandError(f"there is nothing to compare in {inputs.title(paths)}, in {reference} as well as here")
        before, after = (own, other) if under is None else (merged_with(under, each, own) for each in (own, other))
        left, deleted = delete(under, own, other) if under is not None else (None, [])
        named = [f"{reference}:{inputs.title(paths)}", inputs.title(paths)]
        if under is None or left is None:
            base, candidate = (self._side(*each, None) for each in zip(named, (before, after), strict=True))
        else:
            base = self._kept_up(named[0], before, under, under, before)
            candidate = self._kept_up(named[1], after, left, under, before)
        base, candidate = replace(base, revision=reference), self._released(candidate)
        candidate = self._admitted(candidate, base, own if under is None else under, _Files(own, other))
        return Pair(base, replace(candidate, checkout=str(top.resolve()), edits=tuple(map(str, deleted))))

    def _read(
        self,
        paths: Sequence[str],
        under: Manifests | None,
        release: ReleaseChoice,
        *,
        may_be_empty: bool = False,
        base: Manifests | None = None,
    ) -> Manifests:
        return read_side(
            paths,
            under=under,
            stdin=inputs.stdin(),
            progress=partial(self.progress, "read"),
            may_be_empty=may_be_empty,
            release=release,
            base=base,
        )

    def _side(self, name: str, own: Manifests | None, under: Manifests | None) -> Input:
        """Lay what the files of a side say over what both have in common."""
        manifests = overlay(under, own) if own is not None and under is not None else own or under
        if manifests is None or not manifests.nodes:
            raise CommandError(f"{name} has no nodes, so nothing can be scheduled: name a snapshot with --on")
        if own is None:
            return Input(name, manifests, tuple(printable(path) for path in self.sides.on if path != STDIN))
        is_change = under is not None or bool(self.sides.reference)
        return Input(name, manifests, tuple(_names(own)), proposed=frozenset(keys(own) if is_change else ()))

    def _kept_up(self, name: str, own: Manifests, left: Manifests, under: Manifests, before: Manifests) -> Input:
        """Lay what the files of a side say over the snapshot, as the API server and controllers leave it."""
        comes = admitted_objects(own, left, under, before)
        side = self._side(name, replace(comes.manifests, refused_pods=comes.refused_pods), left)
        manifests = recounted(under, side.manifests)
        notes = [*manifests.notes, *comes.notes]
        return replace(side, manifests=replace(manifests, notes=notes), proposed=frozenset(keys(own)))

    def _released(self, candidate: Input) -> Input:
        """Return the candidate as its own release runs it; beside a base of the same files, it is named so."""
        if not self.sides.have_own_releases:
            return candidate
        return replace(candidate, manifests=candidate.manifests.taken_by(self.sides.releases[1]))

    def _admitted(self, candidate: Input, base: Input, stored: Manifests | None, files: _Files) -> Input:
        """Return the candidate if the API server and Volcano's webhook for Jobs admit the change to what is stored.

        Where it is simulated all the same, what they would deny is a note.

        Raises:
            InputErrors: it is denied.
        """
        found = denied(base.manifests, files.candidate, all_stored=stored is files.base)
        if stored is not None:
            found += update_denials(stored, base.manifests, files.candidate, files.base)
        if not found:
            return candidate
        if not self.edits.assume_admitted:
            raise InputErrors(found)
        notes = [*candidate.manifests.notes, *map(assumed, found)]
        return replace(candidate, manifests=replace(candidate.manifests, notes=notes))


def _captured(base: Manifests, candidate: Manifests, edited: Manifests) -> set[str]:
    """Return the names of the queues that are as the candidate has them from a cluster, which has admitted them.

    Those that such a candidate no longer has are gone from the cluster.
    """
    own = {each.metadata.name: each for each in candidate.queues}
    kept = {each.metadata.name for each in edited.queues if each.metadata.uid and own.get(each.metadata.name) is each}
    return kept | ({each.metadata.name for each in base.queues} - own.keys() if kept else set())


def _names(manifests: Manifests) -> list[str]:
    """Return the names of the files that manifests are from."""
    documents = {origin.document.source.name: None for origins in manifests.origins.values() for origin in origins}
    if manifests.conf is not None:
        documents[manifests.conf.document.source.name] = None
    return list(documents)


def _kept(base: Manifests | None, candidate: Manifests, under: Manifests | None) -> Iterator[str]:
    """Tell of objects that the candidate no longer names, and that it has from the snapshot nevertheless."""
    if base is None or under is None:
        return
    before, after, there = (set(names(each)) for each in (base, candidate, under))
    kept = sorted((before - after) & there)
    if kept:
        listed = first_names([f"{kind} {name}" for kind, name in kept], _FEW)
        yield (
            f"note: only the base names {listed}; the candidate keeps the snapshot's object of that name, "
            "unless --remove deletes it"
        )
