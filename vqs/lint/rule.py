"""What a rule of `vqs lint` is, what it looks at, and what it finds.

A rule looks at the objects as read, the scheduler's configuration, and a session opened on both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.model.job import JobName
from vqs.model.kubernetes import PodGroup
from vqs.releases.profile import Profile
from vqs.releases.release import Build
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.job import job_names
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.documents import Document
from vqs.snapshot.reading.kinds import key_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import WrittenObjects

if TYPE_CHECKING:  # the engine is the bulk of what there is to import, and most rules need none of it
    from vqs.engine.framework.session import Session
    from vqs.explain.simulate import Opened

T = TypeVar("T")

Denier = Literal["apiserver", "webhook"]
"""What denies an object: the API server itself, or one of Volcano's webhooks."""


class Severity(IntEnum):
    """How bad a finding is; a worse one is larger."""

    NOTE = 1
    WARNING = 2
    ERROR = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A value in an object of the snapshot: the list of `Manifests` it is in, its index there, and the path."""

    list_name: str
    index: int
    path: Path = ()

    def at(self, *steps: str | int) -> Place:
        """The place of a value inside of it."""
        return Place(self.list_name, self.index, (*self.path, *steps))


@dataclass(frozen=True, slots=True)
class ConfPlace:
    """A value in the scheduler's configuration, or its key."""

    path: Path = ()
    key: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What shows that a finding is true: a sentence with figures, and where that stands, if it stands anywhere."""

    text: str
    at: Place | ConfPlace | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule found. Its `fix`, `severity` and `denied`, where given, go before those of the rule."""

    message: str
    at: Place | ConfPlace | None
    evidence: tuple[Evidence, ...] = ()
    fix: str = ""
    severity: Severity | None = None
    denied: Denier | None = None


Findings = Iterator[Finding]


# --- what rules look at -----------------------------------------------------------------------------------------------


@dataclass
class LintContext:
    """A snapshot and a configuration.

    Attributes:
        manifests: the objects as they were written; some may have faults of their own.
        conf: what the configuration was understood as; the built-in one where none is given or it is refused.
        now: the time a session on them takes it to be.
        documents: what documents were found to say that were read again, by their paths.
        opened: a session that was opened on them already, if there is one.
        proposed: the types and names of objects that are not believed to be in a cluster, whatever they say.
        upgrade: the release of Volcano that an upgrade leads to, if one is asked about.
        shared: the ids of objects that another input has too, and is judged alike in: new objects among them are passed
            over, as both would have the same findings.
    """

    manifests: Manifests
    conf: SchedulerConfiguration
    now: datetime
    documents: dict[Document, dict[Path, Any]] = field(default_factory=dict, repr=False)
    opened: Opened | None = field(default=None, repr=False)
    proposed: AbstractSet[tuple[type, str]] = frozenset()
    upgrade: Build | None = None
    shared: AbstractSet[int] = frozenset()
    known: dict[Callable[..., Any], Any] = field(default_factory=dict, repr=False)

    @cached_property
    def written(self) -> WrittenObjects:
        """The objects as they are written, with the fields that reading leaves out."""
        return WrittenObjects(self.manifests, self.documents)

    @cached_property
    def completed(self) -> Manifests:
        """The objects with those that controllers would make of them."""
        return self.opened.manifests if self.opened is not None else complete(self.manifests)

    @property
    def profile(self) -> Profile:
        """How the release decides that is modelled."""
        return self.manifests.profile

    @cached_property
    def session(self) -> Session:
        """A session that was opened, in which no action has run."""
        if self.opened is not None:
            return self.opened.session
        # Imported late, as above.
        from vqs.engine.framework.session import SessionOptions  # noqa: PLC0415
        from vqs.engine.scheduler import open_session  # noqa: PLC0415
        from vqs.snapshot.cluster.build import build_cluster  # noqa: PLC0415

        return open_session(
            build_cluster(self.completed), self.conf, SessionOptions(now=self.now, profile=self.profile)
        )

    @cached_property
    def job_names(self) -> dict[str, JobName]:
        """What the jobs are called whose PodGroups were written, by their namespace and name."""
        return job_names(self.manifests)

    def named(self, group: PodGroup) -> str:
        """Name a PodGroup in a sentence, by its own name only where that is what its job is called."""
        return self.job_names[group.metadata.key].of_pod_group

    def is_stored(self, typed: Any) -> bool:
        """True if an object is as an API server has it, and no change is about to replace it."""
        if self.is_applied(typed) or key_of(typed) in self.proposed:
            return False
        return bool(typed.metadata.uid) or key_of(typed) in self.manifests.stored_without_uid

    def is_applied(self, typed: Any) -> bool:
        """True if an object is about to take the place of the one that an API server has."""
        return key_of(typed) in self.manifests.applied

    def objects(self, list_name: str) -> Iterator[tuple[Any, Place]]:
        """Yield the objects of a list of the manifests, each with its place."""
        for index, typed in enumerate(getattr(self.manifests, list_name)):
            yield typed, Place(list_name, index)


def once(find: Callable[[LintContext], T]) -> Callable[[LintContext], T]:
    """Have a function of a context called once for each, however many rules ask."""

    @wraps(find)
    def found(context: LintContext) -> T:
        if find not in context.known:
            context.known[find] = find(context)
        kept: T = context.known[find]
        return kept

    return found


# --- rules ------------------------------------------------------------------------------------------------------------


class Need(IntEnum):
    """What a rule looks at. One that needs more is left out where the input has errors.

    OBJECTS: objects as they are written; any of them may have other faults.
    CONFIGURATION: the scheduler's configuration as it was understood.
    SESSION: the cluster, and a session opened on it.
    """

    OBJECTS = 1
    CONFIGURATION = 2
    SESSION = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Attributes:
        code: names it; the module of a rule that checks is named alike.
        severity: the severity of its findings, unless a finding has its own.
        title: what it finds, in a few words.
        meaning: what that is, in full.
        why: what the scheduler or the API server does about it.
        fix: what to do.
        source: where that can be read: files of volcano-sh/volcano at v1.14.4, of other Go modules behind the module's
            name, or a page of docs with a section of it.
        check: finds it; None for the rules of `vqs.lint.rules.reading`, which explain what is found elsewhere.
        needs: what `check` looks at.
        looks_at: the lists of objects that `check` looks at, and ``conf`` if it looks at the configuration; it may look
            at anything where none is named.
        example: what it looks like, in a line or a few lines of YAML.
        denied: who denies an object with such a finding; None where all such objects are admitted.
        stands: the severity for an object that is stored, and so was not denied.
        given_conf: whether it compares objects with a configuration that is given: where none is, it is left out, and
            what it would find with the built-in one is counted.
        gives_way: whether it says nothing of a value with which reading finds fault already.
    """

    code: str
    severity: Severity
    title: str
    meaning: str
    why: str
    fix: str
    source: str
    check: Callable[[LintContext], Findings] | None = None
    needs: Need = Need.OBJECTS
    looks_at: tuple[str, ...] = ()
    example: str = ""
    denied: Denier | None = None
    stands: Severity = Severity.NOTE
    given_conf: bool = False
    gives_way: bool = False
