"""Files that are no manifests as they are: Helm charts and other templates, kustomizations, files of other programs.

A file that the command line names has to be a manifest. In a folder, what is none is left out, and counted in a note;
what has to be rendered first is called what it is, with the command that renders it.

Which release of Volcano a cluster runs, the image of its scheduler tells. Reference:
 installer/helm/chart/volcano/templates/scheduler.yaml in volcano-sh/volcano.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from vqs.model import kubernetes as k8s
from vqs.model.wording import count, first_names
from vqs.releases.release import DEFAULT_RELEASE, Release, UnknownReleaseError, nearest_release, read_build
from vqs.snapshot.apiserver.validation.schema import child, children, texts
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Problems
from vqs.snapshot.reading.documents import Origin, YamlDocument, documents
from vqs.snapshot.reading.reach import in_force
from vqs.snapshot.reading.sources import Source, read_found

NOT_RENDERED: Final = "not-rendered"
LEFT_OUT: Final = "left-out"

_CHART: Final = "Helm chart"
_HELM: Final = "Helm template"
_GO_TEMPLATE: Final = "Go template"
_TEMPLATE: Final = "template"
_KUSTOMIZATION: Final = "kustomization"
_CHART_FILE: Final = "Chart.yaml"
_KUSTOMIZATION_FILES: Final = ("kustomization.yaml", "kustomization.yml")
_SUBCHART: Final = re.compile(r"charts/[^/]+/")
_OF_A_CHART: Final = re.compile(
    r"Chart\.ya?ml|requirements\.ya?ml|[^/]*values[^/]*\.(?:ya?ml|json)|(?:ci|tests?)/.*", re.IGNORECASE
)
_IN_QUOTES: Final = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\n]|'')*'|(?<=[:-] )[\"'][^\n]*|(?:^|(?<=\s))#[^\n]*", re.MULTILINE
)
"""Texts in quotes, closed or not, and comments: braces in them make no template."""
_BRACES: Final = re.compile(r"\{[{%]")
_GO: Final = re.compile(
    r"\{\{-?\s*(?:[.$(]|/\*|(?:if|else|end|range|with|define|include|template|block|tpl|toYaml|printf|default|required"
    r"|quote|lookup|fail|not|and|or|eq|ne)\b)"
)
"""How an action of Go's templates begins, which Helm uses."""
_API_VERSION: Final = re.compile(r"apiVersion|\\(?:[uUx]|\r?\n)")
"""What an object has somewhere in its text, or what may spell it."""
_OF_HELM: Final = re.compile(r"\{\{[^}]*(?:\.(?:Values|Release|Chart|Capabilities|Files|Template)\b|\binclude\b)")
_MOST_OF_A_TEMPLATE: Final = 4 * 1024 * 1024
_FEW: Final = 3
_LEVELS: Final = 2
"""How far above a file its kustomization is looked for."""
_FILES: Final = ("configurations", "crds", "generators", "patchesStrategicMerge", "transformers", "validators")
"""The lists of a kustomization that name files which are no objects of their own."""
_WITH_FILES: Final = (("patches", "path"), ("patchesJson6902", "path"), ("replacements", "path"))
_GENERATORS: Final = ("configMapGenerator", "secretGenerator")


class Unrendered(NamedTuple):
    """A file of which manifests are made first: what it is part of, in which folder, and the command that makes them.

    There is no folder, and no command, where it is not known how it is rendered.
    """

    what: str
    folder: str = ""
    command: tuple[str, ...] = ()


class Others:
    """What is no manifest among the files that are read."""

    def __init__(self) -> None:
        self._charts: dict[str, str] = {}
        self._patches: dict[str, str] = {}
        self._bases: set[str] = set()
        self._known: set[str] = set()
        self._unrendered: Counter[Unrendered] = Counter()
        self._documents: Counter[str] = Counter()
        self.is_empty = True

    def expect(self, sources: Iterable[Source]) -> None:
        """Take note of what kustomizations name: files that are no objects of their own, and other kustomizations."""
        for source in sources:
            if is_kustomization(source.path):
                self._expect_files_of(source)
            elif source.inner == "":
                self._look_around(source.path)

    def _expect_files_of(self, kustomization: Source) -> None:
        """Take note of what a kustomization names; what is wrong with it is found when it is read, or rendered."""
        folder = os.path.dirname(kustomization.path)
        self._known.add(os.path.realpath(kustomization.path))
        for value in _values(kustomization, Problems()):
            if not isinstance(value, dict):
                continue
            named = os.path.normpath(folder or os.curdir)
            self._patches |= {_real(folder, path): named for path in _files_of(value)}
            self._bases |= {_real(folder, path) for path in _texts(value, "resources", "bases", "components")}

    def _look_around(self, path: str) -> None:
        """Look for a kustomization beside a file that is named itself, or above: the file may be one of its patches."""
        folder = os.path.dirname(path)
        for above in (folder, *(os.path.join(folder, *[os.pardir] * levels) for levels in range(1, _LEVELS + 1))):
            for name in _KUSTOMIZATION_FILES:
                file = os.path.normpath(os.path.join(above, name))
                if os.path.isfile(file) and os.path.realpath(file) not in self._known:
                    self._known.add(os.path.realpath(file))
                    home = os.path.realpath(os.path.dirname(file) or os.curdir)
                    kustomization = read_found(file, home, Problems(), in_force())
                    if kustomization is not None:
                        self._expect_files_of(kustomization)

    def recognise(self, source: Source) -> Unrendered | None:
        """The part that a file has in what is rendered; None where it is read as it is."""
        folder = os.path.dirname(source.path)
        if folder not in self._charts:
            found = _chart_around(os.path.abspath(folder))
            self._charts[folder] = os.path.relpath(found) if found and not os.path.isabs(source.path) else found
        chart = self._charts[folder]
        if chart:
            inner = os.path.relpath(source.path, chart).replace(os.sep, "/")
            while subchart := _SUBCHART.match(inner):
                inner = inner[subchart.end() :]
            if _OF_A_CHART.fullmatch(inner) or (inner.startswith("templates/") and "{{" in source.text):
                return Unrendered(_CHART, chart, ("helm", "template", chart))
        folder = self._patches.get(os.path.realpath(source.path), "")
        if is_kustomization(source.path):
            folder = os.path.normpath(os.path.dirname(source.path) or os.curdir)
        if folder:
            return Unrendered(_KUSTOMIZATION, folder, ("kubectl", "kustomize", folder))
        if (at := template_at(source)) is None:
            return None
        if chart:
            return Unrendered(_CHART, chart, ("helm", "template", chart))
        is_go = _GO.match(source.text, at) is not None
        return Unrendered(_HELM if is_go and _OF_HELM.search(source.text) else _GO_TEMPLATE if is_go else _TEMPLATE)

    def leave_out(self, found: Unrendered) -> None:
        """Count a file of which manifests are made first."""
        self.is_empty = False
        self._unrendered[found] += 1

    def leave_out_document(self, name: str) -> None:
        """Count a document of a file that is no object."""
        self.is_empty = False
        self._documents[name] += 1

    @property
    def documents(self) -> int:
        """How many documents were left out."""
        return self._documents.total()

    def render(self, sources: Iterable[Source]) -> list[Source]:
        """The files, with what charts and kustomizations are rendered to in the place of what they are made of.

        A kustomization that another one takes in is rendered with that one.

        Raises:
            InputErrors: one cannot be rendered.
        """
        kept: list[Source] = []
        found = {source: self.recognise(source) for source in sources}
        parts = {each.folder: each for each in found.values() if each is not None and each.command}
        tops = {folder: each for folder, each in parts.items() if os.path.realpath(folder) not in self._bases}
        made = [rendered(each) for each in tops.values()]
        inside = [os.path.realpath(folder) + os.sep for folder, each in parts.items() if each.what == _KUSTOMIZATION]
        inside += [each + os.sep for each in self._bases]
        for source, each in found.items():
            is_part = each is not None and each.command
            if not is_part and not os.path.realpath(source.path).startswith(tuple(inside)):
                kept.append(source)
        return [*kept, *made]

    def notes(self) -> Iterator[Diagnostic]:
        """Yield what was left out: what has to be rendered first, and what is no manifest at all."""
        parts = [
            f"{found.what} {found.folder} ({count(number, 'file')}: {' '.join(found.command)})"
            for found, number in sorted(self._unrendered.items())
            if found.folder
        ]
        known = first_names(parts, _FEW)
        rest = [count(number, found.what) for found, number in sorted(self._unrendered.items()) if not found.folder]
        if parts or rest:
            said = ", ".join([*([known] if parts else []), *rest])
            advice = "; --render renders charts and kustomizations" if parts else ""
            message = f"not rendered, and so not looked at: {said}{advice}"
            yield Diagnostic(code=NOT_RENDERED, severity="note", message=message)
        if self._documents:
            left = count(self._documents.total(), "document")
            message = f"left out: {left} without apiVersion and kind, in {first_names(sorted(self._documents), _FEW)}"
            yield Diagnostic(code=LEFT_OUT, severity="note", message=message)


def rendered(found: Unrendered) -> Source:
    """What a command makes of a chart or a kustomization.

    Raises:
        InputErrors: it cannot be run, or fails.
    """
    name = " ".join(found.command)
    try:
        done = subprocess.run(found.command, check=False, capture_output=True, stdin=subprocess.DEVNULL)  # noqa: S603 - no shell is involved
    except OSError as error:
        raise InputErrors([_cannot_render(found, f"{name} cannot be run: {error.strerror or error}")]) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise InputErrors([_cannot_render(found, f"{name} fails: {said or f'its status is {done.returncode}'}")])
    in_force().account.take_bytes(len(done.stdout))
    return Source(name, done.stdout.decode(errors="replace"))


def _cannot_render(found: Unrendered, message: str) -> Diagnostic:
    hint = f"install {found.command[0]}, or leave --render out" if "cannot be run" in message else ""
    return Diagnostic(code=NOT_RENDERED, severity="error", message=message, file=found.folder, help=hint)


def refusal(source: Source, found: Unrendered) -> Diagnostic:
    """The error that a file which the command line names is no manifest before it is rendered."""
    what = f"a file of the Helm chart {found.folder}" if found.what == _CHART else f"a {found.what}"
    if found.what == _KUSTOMIZATION and not is_kustomization(source.path):
        what = f"a patch of the kustomization {found.folder}"
    command = " ".join(found.command) or ("helm template CHART" if found.what == _HELM else "")
    hint = f"render it: {command} | vqs lint -" if command else "render it, and give what comes out"
    at = template_at(source) or 0
    position = source.position(at)
    document = YamlDocument(source, 0, len(source.text))
    message = f"this is {what}, and no manifest before it is rendered"
    return document.diagnostic(NOT_RENDERED, message, position, hint=hint)


def may_have_objects(source: Source) -> bool:
    """True unless a text cannot have an object in it, whether it is YAML or not."""
    return _API_VERSION.search(source.text) is not None


def template_at(source: Source) -> int | None:
    """The place of the first braces that make a text a template; None where it is none.

    A text with braces may be YAML all the same, as the rules of monitoring and workflows are.
    """
    data = source.encoded.data if source.encoded is not None else None
    if source.length > _MOST_OF_A_TEMPLATE or (data is not None and b"{{" not in data and b"{%" not in data):
        return None
    text = source.text
    braces = _BRACES.search(text)
    if braces is None:
        return None
    problems = Problems()
    values = [*_values(source, problems)]
    if problems.has_errors:
        outside = _BRACES.search(_IN_QUOTES.sub(lambda match: " " * len(match[0]), text))
        return outside.start() if outside else None
    return braces.start() if any(map(_has_braces, values)) else None


def _chart_around(folder: str) -> str:
    """The folder of the chart that a folder is in, or is; of a chart in another one, the folder of that."""
    found = ""
    while True:
        if os.path.isfile(os.path.join(folder, _CHART_FILE)):
            found = folder
        elif found and os.path.basename(folder) != "charts":
            return found
        if (above := os.path.dirname(folder)) == folder:
            return found
        folder = above


def _has_braces(value: Any) -> bool:
    """True if what identifies an object has braces, which no name may have."""
    if not isinstance(value, dict):
        return False
    metadata = value.get("metadata")
    names = [value.get("apiVersion"), value.get("kind")]
    names += [metadata.get("name"), metadata.get("namespace")] if isinstance(metadata, dict) else []
    return any(isinstance(name, str) and _BRACES.search(name) for name in names)


def is_kustomization(path: str) -> bool:
    """True if a file says what a kustomization is made of."""
    return os.path.basename(path) in _KUSTOMIZATION_FILES


def _values(source: Source, problems: Problems) -> Iterator[Any]:
    """Yield the values of a file, and add what is wrong with it."""
    for document in documents(source, problems):
        for _, value in document.values(problems, lambda _: None):
            yield value


def _files_of(value: dict[str, Any]) -> Iterator[str]:
    """Yield the files that a kustomization names, and that are no objects of their own."""
    yield from _texts(value, *_FILES)
    for name, key in _WITH_FILES:
        found = (each.get(key) for each in _items(value, name) if isinstance(each, dict))
        yield from (each for each in found if isinstance(each, str))
    for name in _GENERATORS:
        for each in _items(value, name):
            if isinstance(each, dict):
                yield from (text.rpartition("=")[2] for text in _texts(each, "files", "envs"))


def _texts(value: dict[str, Any], *names: str) -> Iterator[str]:
    """Yield the texts of one line in some lists."""
    for name in names:
        yield from (each for each in _items(value, name) if isinstance(each, str) and "\n" not in each)


def _items(value: dict[str, Any], name: str) -> list[Any]:
    found = value.get(name)
    return found if isinstance(found, list) else []


def _real(folder: str, path: str) -> str:
    return os.path.realpath(os.path.join(folder, path))


GUESSED: Final = "volcano-release"
"""The code of the note that says which release is modelled, and why."""

NOT_MODELLED: Final = "unmodelled-release"
"""The code of the warning of a cluster with another minor release than those that are modelled."""

_LABEL: Final = ("app", "volcano-scheduler")
_REPOSITORY: Final = "vc-scheduler"
_CHOOSE: Final = "choose another one with --volcano"


class SchedulerImage(NamedTuple):
    """The image of a scheduler, and the Deployment or pod that runs it."""

    image: str
    is_pod: bool
    origin: Origin
    words: tuple[str, ...] = ()


class Guess(NamedTuple):
    """The release that an image tells; None where it tells none."""

    image: SchedulerImage
    release: Release | None
    is_modelled: bool
    says: str


def scheduler_image(typed: Any) -> str:
    """The image of Volcano's scheduler in a Deployment or pod; empty where that is something else.

    >>> container = k8s.Container(image="docker.io/volcanosh/vc-scheduler:v1.13.2")
    >>> scheduler_image(k8s.Pod(spec=k8s.PodSpec(containers=[container])))
    'docker.io/volcanosh/vc-scheduler:v1.13.2'
    """
    spec = typed.spec if isinstance(typed, k8s.Pod) else typed.spec.template.spec
    for container in spec.containers:
        if (
            _REPOSITORY in container.image
            and container.image.partition("@")[0].rpartition("/")[2].partition(":")[0] == _REPOSITORY
        ):
            return str(container.image)
    if typed.metadata.labels.get(_LABEL[0]) == _LABEL[1] and spec.containers:
        return str(spec.containers[0].image)
    return ""


def command_line(value: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of the command line of the scheduler in a Deployment or pod, as it is written."""
    spec = child(value, "spec")
    containers = children(child(child(spec, "template"), "spec") or spec, "containers")
    words = (word for each in containers for part in ("command", "args") for word in texts(each, part))
    # Volcano's own manifests have the arguments in one text, for a shell
    return tuple(part for word in words for part in word.split())


def guessed(images: Iterable[SchedulerImage]) -> Guess | None:
    """The release that a cluster runs: that of a Deployment before that of a pod, and the newest of several."""
    order = [None, *Release]
    return max(
        map(_guess, images),
        key=lambda guess: (not guess.image.is_pod, guess.release is not None, order.index(guess.release)),
        default=None,
    )


def _guess(image: SchedulerImage) -> Guess:
    tag = image.image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    nearest = nearest_release(tag)
    what = f"the scheduler's image is {image.image}"
    if nearest is None:
        says = f"{what}, whose tag tells no release: Volcano {DEFAULT_RELEASE} ({DEFAULT_RELEASE.tag}) is modelled"
        return Guess(image, None, is_modelled=True, says=says)
    try:
        release = read_build(tag).release
    except UnknownReleaseError:
        says = f"{what}: Volcano {nearest} ({nearest.described}) is modelled, the nearest release to it"
        return Guess(image, nearest, is_modelled=_minor(tag) == _minor(nearest.tag), says=says)
    return Guess(image, release, is_modelled=True, says=f"{what}: Volcano {release} ({release.described}) is modelled")


def advice(guess: Guess) -> str:
    """What can be done about a guess."""
    return _CHOOSE if guess.is_modelled else f"decisions may differ from those of the cluster; {_CHOOSE}"


def _minor(version: str) -> list[str]:
    return version.removeprefix("v").split(".")[:2]
