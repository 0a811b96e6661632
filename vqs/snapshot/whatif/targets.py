"""What an edit is about: a kind as people write it, and an object of it among those that are there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import dropwhile
from shlex import quote
from typing import Final, NamedTuple

from vqs.model.cluster import ROOT
from vqs.model.job import POD_GROUP, JobName, jobs_called
from vqs.model.keys import DEFAULT_QUEUE
from vqs.model.kubernetes import OwnerReference
from vqs.model.wording import first_names
from vqs.snapshot.controllers.job import job_names
from vqs.snapshot.reading.diagnostics import did_you_mean
from vqs.snapshot.reading.kinds import KINDS, Kind, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.paths import EditError

_SHORT: Final = {
    "configmap": ("cm",),
    "deployment": ("deploy",),
    "namespace": ("ns",),
    "node": ("no",),
    "persistentvolume": ("pv",),
    "persistentvolumeclaim": ("pvc",),
    "pod": ("po",),
    "poddisruptionbudget": ("pdb",),
    "podgroup": ("pg",),
    "priorityclass": ("pc",),
    "queue": ("q",),
    "replicaset": ("rs",),
    "replicationcontroller": ("rc",),
    "resourcequota": ("quota",),
    "service": ("svc",),
    "statefulset": ("sts",),
    "storageclass": ("sc",),
}
_VOLCANO_JOB: Final = "vcjob"
_POD_GROUP: Final = next(kind for kind in KINDS.values() if kind.list_name == "pod_groups")
_NAME_END: Final = re.compile(r"\.(?:metadata|spec|status|value|data)\b|[\[=]")
_CREATED_BY_THE_SCHEDULER: Final = (ROOT, DEFAULT_QUEUE)
_DEFAULT_NAMESPACE: Final = "default"
_FEW: Final = 8


class Target(NamedTuple):
    """An object: its kind, its name, its place in the list of the kind; None for a queue that is in no file."""

    kind: Kind
    namespace: str
    name: str
    place: int | None


_WORDS: Final[dict[str, list[Kind]]] = {}
for _kind in sorted(KINDS.values(), key=lambda kind: kind.list_name != "volcano_jobs"):
    # A job is one of Volcano's, if there is one of that name: these kinds come first.
    _word = _kind.name.lower()
    _more = (_VOLCANO_JOB,) if _kind.list_name == "volcano_jobs" else _SHORT.get(_word, ())
    for _each in (_word, f"{_word}s", *_more):
        _WORDS.setdefault(_each, []).append(_kind)
JOB_WORDS: Final = frozenset({"job", "jobs"})


def word_of(kind: Kind) -> str:
    """The word that people write for a kind."""
    return kind.name.lower()


def is_kind(word: str) -> bool:
    """True if a word stands for a kind."""
    return word.lower() in _WORDS


def kinds_of(word: str) -> list[Kind]:
    """The kinds that a word stands for: more than one for ``job``.

    Raises:
        EditError: it stands for none.
    """
    kinds = _WORDS.get(word.lower())
    if kinds is None:
        usual = sorted({word_of(kind) for kind in KINDS.values()})
        hint = did_you_mean(word, _WORDS) or f"there are {', '.join(usual)} and conf"
        raise EditError("unknown-kind", f"there is no kind {word!r}", hint)
    return kinds


def find(manifests: Manifests, word: str, name: str) -> Target:
    """The object of a name, with its namespace before it.

    Raises:
        EditError: there is none.
    """
    for kind in kinds_of(word):
        known = _known(manifests, kind)
        for key in _spellings(kind, name):
            if key in known:
                return _target(kind, key, known[key])
        called = _called(manifests, kind, name)
        if called is not None:
            return called
    raise unknown(manifests, word, name)


def find_job(manifests: Manifests, word: str, name: str) -> Target:
    """A job: one of Volcano or Kubernetes, else what people call a job so, else a PodGroup.

    A PodGroup is what the scheduler takes for a job; what controls it is edited in its place, where it is there.

    Raises:
        EditError: there is none, or there are several.
    """
    with suppress(EditError):
        return find(manifests, word, name)
    names = job_names(manifests).values()
    key, found = name, jobs_called(name, names) if "/" in name else []
    if not found:
        key = f"{_DEFAULT_NAMESPACE}/{name}"
        found = jobs_called(key, names)
    if not found:
        raise unknown(manifests, word, name, "podgroup")
    if len(found) > 1:
        hint = f"write one of {first_names([quote(each.display) for each in found], separator=', ')}"
        raise EditError("unknown-name", f"there are {len(found)} jobs {name!r}", hint)
    for owner in _controllers(found[0], key):
        with suppress(EditError):
            return find(manifests, owner.kind, f"{found[0].namespace}/{owner.name}")
    return find(manifests, "podgroup", found[0].uid)


def _controllers(job: JobName, key: str) -> Iterable[OwnerReference]:
    """The controller that a job is named by, else the one that it is called after, and those below it.

    There are none where it is called after its PodGroup, as they have other jobs, too.
    """
    if key not in (job.display, job.uid):
        return dropwhile(lambda owner: f"{job.namespace}/{owner.name}" != key, job.owners)
    is_own = job.display in (job.uid, f"{job.uid} ({POD_GROUP})")
    return () if is_own else dropwhile(lambda owner: owner is not job.owner, job.owners)


def find_before(manifests: Manifests, word: str, text: str) -> tuple[Target, str]:
    """The object that a text begins with the name of, and the rest; of several names, the longest one counts.

    Raises:
        EditError: there is none.
    """
    found: list[tuple[int, Target, str]] = []
    for kind in kinds_of(word):
        known = _known(manifests, kind)
        for rest in _spellings(kind, text):
            for end in [match.start() for match in re.finditer(r"[.\[=]", rest)]:
                index = known.get(rest[:end], -1)
                if index != -1:
                    found.append((end, _target(kind, rest[:end], index), rest[end:]))
                elif (called := _called(manifests, kind, rest[:end])) is not None:
                    found.append((end, called, rest[end:]))
    if not found:
        match = _NAME_END.search(text)
        raise unknown(manifests, word, text[: match.start()] if match else text)
    _, target, rest = max(found, key=lambda each: each[0])
    return target, rest


def unknown(manifests: Manifests, word: str, name: str, *others: str) -> EditError:
    """The error that there is no object of a name and a kind, which a word and some others stand for."""
    kinds = [kind for each in (word, *others) for kind in kinds_of(each)]
    names = sorted({key.removeprefix("/") for kind in kinds for key in _known(manifests, kind)})
    called = job_names(manifests).values() if _POD_GROUP in kinds or word.lower() in JOB_WORDS else ()
    elsewhere = first_names(sorted({quote(each.display) for each in jobs_called(name.rpartition("/")[2], called)}))
    is_group = any(key == each.uid for key in _spellings(_POD_GROUP, name) for each in called)
    hint = f"it is in another namespace: {elsewhere}" if elsewhere else ""
    hint = f"there is a PodGroup of that name: write {quote(f'podgroup/{name}')}" if is_group else hint
    hint = hint or did_you_mean(name, [*names, *(each.display for each in called)])
    if 0 < len(names) <= _FEW:
        hint = hint or f"there are {', '.join(names)}"
    return EditError("unknown-name", f"there is no {word.lower()} {name!r}", hint)


def _known(manifests: Manifests, kind: Kind) -> dict[str, int | None]:
    """The place of each object of a kind by namespace and name."""
    objects = getattr(manifests, kind.list_name)
    known: dict[str, int | None] = {}
    for index, each in enumerate(objects):
        if type(each) is kind.type:
            known[name_of(each)] = index
    if kind.list_name == "queues":
        for name in _CREATED_BY_THE_SCHEDULER:
            known.setdefault(name, None)
    return known


def _called(manifests: Manifests, kind: Kind, name: str) -> Target | None:
    """The PodGroup of the job that people call so; None where it is about another kind, or there is none."""
    if kind is not _POD_GROUP:
        return None
    places = {each.metadata.key: index for index, each in enumerate(manifests.pod_groups)}
    displayed = {each.display: each.uid for each in job_names(manifests).values()}
    uids = (displayed[key] for key in _spellings(kind, name) if key in displayed)
    return next((_target(kind, uid, places[uid]) for uid in uids), None)


def _spellings(kind: Kind, text: str) -> Iterator[str]:
    """Yield a text as it is, and with the namespace before it that may be left out."""
    yield text
    if kind.namespaced:
        yield f"{_DEFAULT_NAMESPACE}/{text}"


def _target(kind: Kind, key: str, index: int | None) -> Target:
    namespace, _, name = key.rpartition("/")
    return Target(kind, namespace, name, index)
