"""Finding the text of the scheduler's configuration: in a ConfigMap among the manifests, or in a file of its own."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Final, NamedTuple

from yaml.nodes import MappingNode

from vqs.model import kubernetes as k8s
from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.decoding import decode
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, Position, Problems, Severity
from vqs.snapshot.reading.documents import Document, Origin, documents
from vqs.snapshot.reading.sources import Source, read_source

_USUAL_NAME: Final = "volcano-scheduler-configmap"
_USUAL_KEY: Final = "volcano-scheduler.conf"
_SUFFIX: Final = ".conf"
OF_AGENTS: Final = "agent-scheduler.conf"
_AGENTS: Final = "agent-scheduler-configmap"
"""The configuration of Volcano's scheduler for agents, which is another program."""
_NAMESPACE: Final = "default"
_WITHOUT: Final = "without a configuration, the built-in one is used"
BLANK_LINES: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")
_IN_A_CONFIG_MAP: Final = 2
"""There, a text stands under "data" and a key."""

_FIELDS: Final = ("actions", "tiers")
_PLAIN_TAGS: Final = (yaml_text.STR, yaml_text.INT, yaml_text.FLOAT, yaml_text.BOOL, yaml_text.NULL)
_OPENING: Final = re.compile(r"^[^\S\n]*(?:actions|tiers)\s*:", re.MULTILINE)


class ConfigText(NamedTuple):
    """The text of a scheduler configuration, and where it stands.

    `path` leads to it in `document`; it is empty for a file that holds nothing else. `owner` names the ConfigMap, which
    is in `namespace`.
    """

    text: str
    document: Document
    path: Path = ()
    owner: str = ""
    namespace: str = ""

    @property
    def origin(self) -> Origin:
        """Where the ConfigMap comes from, or else what the text stands in."""
        return Origin(self.document, self.path[:-_IN_A_CONFIG_MAP])

    @property
    def key(self) -> str:
        """The key that the text stands under, if there is one."""
        return str(self.path[-1]) if self.path else ""

    @property
    def name(self) -> str:
        """Where the text stands, for people: the file, and the ConfigMap if it is one."""
        file = self.document.source.name
        return f"{file} (ConfigMap {self.owner})" if self.owner else file

    @property
    def place(self) -> str:
        """The file and line where the text begins."""
        return f"{self.document.source.name}:{self.position(Position(1, 1)).line}"

    def position(self, inner: Position) -> Position:
        """Turn a position in the text into one in the file."""
        return self.document.locate_in_text(self.path, inner) if self.path else inner

    def diagnostic(
        self, code: str, message: str, inner: Position, path: Path, *, severity: Severity = "error", hint: str = ""
    ) -> Diagnostic:
        """Make a diagnostic about a position and path in the text."""
        place = self.position(inner)
        return self.document.diagnostic(code, message, place, path=path, severity=severity, hint=hint)


class _PlainFile(Document):
    """A file that is one text, without objects in it."""

    def locate(self, _: Path) -> Position:
        """The beginning of the text, behind what is blank and comments."""
        opening = BLANK_LINES.match(self.source.text)
        return Position(self.source.position(opening.end() if opening else 0).line, 1)


def is_configuration(config_map: k8s.ConfigMap, key: str) -> bool:
    """True if a ConfigMap has a scheduler configuration under a key; under the usual key, it may be empty."""
    if key == OF_AGENTS or config_map.metadata.name.endswith(_AGENTS):
        return False
    text = config_map.data[key]
    is_usual = key == _USUAL_KEY and not yaml_text.document_spans(text)
    return is_usual or (key.endswith(_SUFFIX) and (_OPENING.search(text) is not None or _has_fields(text)))


def _has_fields(text: str) -> bool:
    """True if the first document of a text has the fields of a configuration, in whatever way it is written."""
    for start, end in yaml_text.document_spans(text)[:1]:
        try:
            roots = yaml_text.compose(text[start:end])[:1]
        except yaml_text.YamlErrors:
            return False
        keys = [key for root in roots if isinstance(root, MappingNode) for key, _ in root.value]
        # Keys that are merged, or that have a tag, may be such fields.
        return any(key.value in _FIELDS or key.tag not in _PLAIN_TAGS for key in keys)
    return False


def configurations_of(config_map: k8s.ConfigMap, origin: Origin) -> list[ConfigText]:
    """The scheduler configurations in a ConfigMap."""
    metadata = config_map.metadata
    namespace = metadata.namespace or _NAMESPACE
    return [
        ConfigText(text, origin.document, (*origin.path, "data", key), metadata.name, namespace)
        for key, text in config_map.data.items()
        if is_configuration(config_map, key)
    ]


def configurations_in_values(value: Any, origin: Origin) -> list[ConfigText]:
    """The scheduler configurations that are texts in the values of a Helm chart, wherever in them."""
    return [
        ConfigText(text, origin.document, (*origin.path, *path))
        for path, text in _texts_in(value)
        if all(f"{field}:" in text for field in _FIELDS) and _has_fields(text)
    ]


def _texts_in(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _texts_in(each, (*path, str(key)))


def choose_configuration(
    given: ConfigText | None, found: Sequence[ConfigText], problems: Problems, *, severity: Severity = "error"
) -> ConfigText | None:
    """Choose between the configuration that was asked for and those found, and say so where there was a choice.

    `severity` is that of several among which there is no choice.
    """
    if given is not None:
        if found:
            _note(f"the configuration in {given.name} is used, not the one in {found[0].name}", problems)
        return given
    if len(found) < 2:  # noqa: PLR2004 - there is a choice only between two
        return found[0] if found else None
    usual = [text for text in found if text.owner == _USUAL_NAME]
    if len(usual) > 1:
        usual = [text for text in usual if text.path[-1] == _USUAL_KEY]
    if len(usual) == 1:
        _note(f"of {len(found)} scheduler configurations, the one in {usual[0].name} is used", problems)
        return usual[0]
    places = " and ".join(text.place for text in found)
    message = f"there are {len(found)} scheduler configurations, at {places}"
    last = found[-1]
    hint = f"name the one to use {_USUAL_NAME}, or choose a file with --conf"
    several = "several-configurations"
    problems.add(last.diagnostic(several, message, Position(1, 1), last.path, severity=severity, hint=hint))
    return None


def refuse_empty(conf: ConfigText, problems: Problems) -> bool:
    """True if a configuration is empty, and refuse one that is: Volcano finds no actions in it."""
    if yaml_text.document_spans(conf.text):
        return False
    message = "the scheduler's configuration is empty, which Volcano refuses: it names no actions"
    problems.add(conf.diagnostic("empty-configuration", message, Position(1, 1), conf.path, hint=_WITHOUT))
    return True


def read_configuration_file(path: str, stdin: BinaryIO | None, problems: Problems) -> ConfigText | None:
    """Read a file that holds a configuration, either as it is or in a ConfigMap."""
    source = read_source(path, stdin, problems)
    if source is None:
        return None
    # The Kubernetes objects in a file, none if it holds something else.
    ignored = Problems()
    objects = [
        (value, Origin(document, path))
        for document in documents(source, ignored)
        for path, value in document.values(ignored, lambda _: None)
        if isinstance(value, dict) and isinstance(value.get("kind"), str)
    ]
    if not objects:
        in_values = configurations_in_values_of(source)
        if in_values:
            return choose_configuration(None, in_values, problems)
        return ConfigText(source.text, _PlainFile(source, 0, len(source.text)))
    texts: list[ConfigText] = []
    for value, origin in objects:
        config_map = decode(value, k8s.ConfigMap)[0] if value["kind"] == "ConfigMap" else None
        texts += configurations_of(config_map, origin) if config_map else []
    if not texts:
        message = f"there is no scheduler configuration in it: no ConfigMap with actions under a key *{_SUFFIX}"
        problems.add(Diagnostic(code="no-configuration", severity="error", message=message, file=source.name))
    return choose_configuration(None, texts, problems)


def configurations_in_values_of(source: Source) -> list[ConfigText]:
    """The configurations in a file that holds the values of a Helm chart."""
    if not _OPENING.search(source.text):
        return []
    ignored = Problems()
    return [
        each
        for document in documents(source, ignored)
        for path, value in document.values(ignored, lambda _: None)
        if isinstance(value, dict) and value.keys().isdisjoint(_FIELDS)
        for each in configurations_in_values(value, Origin(document, path))
    ]


def _note(message: str, problems: Problems) -> None:
    problems.add(Diagnostic(code="configuration-choice", severity="note", message=message))
