"""Pages and sections of docs/ by topic, as text for a terminal; the package holds the pages that it needs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import ClassVar, Final, NamedTuple

from rich.text import Text

from vqs.report.formats import View


class Topic(NamedTuple):
    """Where a topic is written about: a page, or one section of it, and what that says."""

    page: str
    section: str
    says: str


TOPICS: Final[Mapping[str, Topic]] = {
    "pending": Topic("explain-job.md", "", "why a job or a pod waits, and the fixes that work"),
    "snapshots": Topic("snapshots.md", "", "how a snapshot is taken, and what is read of it"),
    "configuration": Topic("snapshots.md", "Configuration", "where the scheduler's configuration is read from"),
    "names": Topic("snapshots.md", "What jobs are called", "what jobs are called in options and reports"),
    "scenarios": Topic("scenarios.md", "", "clusters and jobs written from scratch, with expectations"),
    "ci": Topic("ci.md", "", "vqs in the pipelines of GitHub and GitLab, and in pre-commit"),
    "edits": Topic("compare.md", "What if?", "--set, --add, --remove, --clone-node, --scale and --edits"),
    "admission": Topic("compare.md", "What is admitted", "which edits Volcano's webhooks would deny"),
    "conditions": Topic("compare.md", "In a pipeline", "what --fail-on takes"),
    "sweeps": Topic("sweep.md", "", "plans of vqs sweep, and how its results are read"),
    "plans": Topic("sweep.md", "Plans", "the fields of a plan, and the figures it collects"),
    "tune": Topic("tune.md", "", "how vqs tune finds the cheapest change, and what is certain then"),
    "replay": Topic("replay.md", "", "what a replay models of a cluster's timing, and what not"),
    "workloads": Topic("workloads.md", "", "what vqs replay reads, and which time stands for what"),
    "lint": Topic("lint.md", "", "what vqs lint checks, and how it is run"),
    "silences": Topic("lint.md", "Silencing", "how findings of vqs lint are silenced"),
    "ties": Topic("simulate.md", "Ties and time", "what --seed and --now decide"),
    "exit-codes": Topic("results.md", "Exit status", "what the exit status tells"),
    "environment": Topic("results.md", "Environment", "the variables that set options"),
    "limits": Topic("speed.md", "Limits", "how much is read, and how long commands take"),
    "glossary": Topic("glossary.md", "", "the terms that reports use"),
}

SYNONYMS: Final = {
    "fair-share": "deserved",
    "fairshare": "deserved",
    "github": "ci",
    "gitlab": "ci",
    "hangs": "pending",
    "pipeline": "ci",
    "pv": "volume",
    "pvc": "claim",
    "starvation": "starving",
    "stuck": "pending",
    "unschedulable": "pending",
    "waiting": "pending",
    "waits": "pending",
}
"""What pages and rules call what people may look for."""

_MOST: Final = 5
"""The most topics that are named for a word, and the most codes where only the text has it."""

_LONG: Final = 5
"""Of a longer word, the ending is left out."""

_UNBROKEN: Final = 10_000
_NARROWEST: Final = 20

_PACKAGED: Final = "pages"
_HEADING: Final = re.compile(r"^#{1,2} (.*)$", re.MULTILINE)
_COMMENT: Final = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"\[([^\]\n]+)\]\([^)\n]*\)")
_FENCE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def listing(width: int | None = None) -> str:
    """Return a line for each topic, broken at a width where there is one."""
    lines = _two_columns({name: topic.says for name, topic in TOPICS.items()}, width)
    return f"{lines}\nNext: vqs help TOPIC shows one of them; vqs COMMAND --help shows options\n"


def _two_columns(lines: Mapping[str, str], width: int | None) -> str:
    """Write what comes first in a line and what is said of it; where that is broken, it goes on under itself."""
    first = max(map(len, lines), default=0) + 2
    room = max((width or _UNBROKEN) - first, _NARROWEST)
    wrapped = {name: textwrap.wrap(says, room) for name, says in lines.items()}
    return "".join(
        f"{(name if not number else '').ljust(first)}{part}\n"
        for name, parts in wrapped.items()
        for number, part in enumerate(parts)
    )


def mentions(words: Sequence[str], codes: Mapping[str, tuple[str, str]], width: int | None = None) -> str:
    """A line for each code that words are about, for each topic that they are in, and each other code; may be empty.

    Topics come in the order of how often they have the words.
    """
    stems = [re.sub(r"(ion|ing|ies|ed|s)$", "", word) if len(word) > _LONG else word for word in words]

    def has(text: str) -> bool:
        return all(stem in text.casefold() for stem in stems)

    texts = {name: text_of(topic).casefold() for name, topic in TOPICS.items()}
    pages = sorted(filter(lambda name: has(texts[name]), TOPICS), key=lambda name: -sum(map(texts[name].count, stems)))
    named = [code for code, (title, _) in codes.items() if has(f"{code} {title}")]
    others = [code for code, (_, text) in codes.items() if code not in named and has(text)]
    lines = {f"vqs rule {code}": codes[code][0] for code in named}
    lines |= {f"vqs help {name}": TOPICS[name].says for name in pages[:_MOST]}
    lines |= {f"vqs rule {code}": codes[code][0] for code in others[: max(_MOST - len(named), 0)]}
    return _two_columns(lines, width)


def text_of(topic: Topic) -> str:
    """Return what there is about a topic, without comments, and of links only what is shown of them."""
    package = files("vqs")
    packaged = package / _PACKAGED / topic.page
    # A checkout that is installed as editable has no copies.
    source = packaged if packaged.is_file() else package / ".." / "docs" / topic.page
    text = source.read_text(encoding="utf-8")
    if topic.section:  # up to the next heading that is not in an example
        hidden = _FENCE.sub(lambda example: " " * len(example[0]), text)
        headings = [*_HEADING.finditer(hidden)]
        at = next(number for number, each in enumerate(headings) if each[1] == topic.section)
        end = headings[at + 1].start() if at + 1 < len(headings) else len(text)
        text = text[headings[at].start() : end]
    return _LINK.sub(r"\1", _COMMENT.sub("", text)).strip() + "\n"


def laid_out(text: str, view: View) -> str:
    """Lay a page of the documentation out for a terminal; where there is none, it is Markdown as it is."""
    if view.width is None:
        return text
    from rich.console import Console  # noqa: PLC0415 - pages that are read by pipes do without
    from rich.markdown import CodeBlock, Markdown  # noqa: PLC0415

    class Example(CodeBlock):
        """What a terminal shows, as wide as there; margins would break its lines."""

        def __rich_console__(self, *_: object) -> Iterator[Text]:
            yield self.text

    class Page(Markdown):
        elements: ClassVar = {**Markdown.elements, "fence": Example}

    console = Console(width=view.width, no_color=not view.color, force_terminal=view.color)
    with console.capture() as shown:
        console.print(Page(text, hyperlinks=False))
    return "".join(f"{line.rstrip()}\n" for line in shown.get().splitlines())
