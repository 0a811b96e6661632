"""The parameters of commands: how each is declared, how its values are read, and those that several commands take."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click import BadParameter

from vqs.cli import completion
from vqs.cli.completion import Completer
from vqs.cli.process import variable
from vqs.model.durations import LONGEST, read_seconds
from vqs.model.moments import has_room
from vqs.model.scheduler_flags import READ, SAMPLE_OPTIONS, NodeSample
from vqs.model.sharding import ShardingMode
from vqs.releases.profile import Setting, UnknownBehaviourError, read_setting
from vqs.releases.release import DEFAULT_RELEASE, FORM, HEAD_NAMES, Build, Release, UnknownReleaseError, read_build
from vqs.report.formats import Format

Choice = TypeVar("Choice", bound=StrEnum)

EXAMPLE_TIME: Final = "2026-03-02T12:00:00Z"

_INT32_MAX: Final = 2**31 - 1
_MOST_DIGITS: Final = 11
_MOST_SESSIONS: Final = 1000
_STDOUT: Final = ("-", "/dev/stdout", "/dev/fd/1")
_SIZE: Final = re.compile(r"(\d{1,18}(?:\.\d{1,9})?) *(?:([kmgt])(i?))?b?", re.IGNORECASE)
_STEPS: Final = "kmgt"
_ADDRESS: Final = re.compile(r"(?:tcp|tls)://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}")


# --- declaring --------------------------------------------------------------------------------------------------------


def argument(name: str, metavar: str, *, many: bool = False, complete: Completer | None = None, **more: Any) -> Any:
    """An argument that may be left out unless it has `required`; help shows its metavar as it is."""
    return click.Argument(
        [name],
        metavar=metavar,
        nargs=-1 if many else 1,
        shell_complete=complete or completion.paths,
        **{"required": False, **more},
    )


def option(
    names: str,
    metavar: str,
    text: str,
    read: Callable[[str], Any] | click.Path | None = None,
    *,
    complete: Completer | None = None,
    **more: Any,
) -> click.Option:
    """An option that takes a value; like every option, it can be set in the environment.

    Args:
        names: such as "--output -o"; the function of the command gets the value by the long one, or by a third word.
        metavar: what stands for the value in the help.
        text: what the help says.
        read: makes the value of the text; without it, the text is the value.
        complete: what a shell completes the value with; files, without it.
        more: as for `click.Option`.
    """
    words = names.split()
    return click.Option(
        words,
        metavar=metavar,
        help=text,
        type=read,
        envvar=variable(words[0]),
        shell_complete=complete or completion.paths,
        **more,
    )


def choice(names: str, text: str, values: Sequence[StrEnum], **more: Any) -> click.Option:
    """An option that takes one of a few values, the first unless another is chosen."""
    more = {"metavar": "|".join(values), "default": str(values[0]), "show_default": True, **more}
    return option(names, more.pop("metavar"), text, one_of(values), complete=completion.one_of(values), **more)


def flag(names: str, text: str, **more: Any) -> click.Option:
    """An option that is given or not."""
    words = names.split()
    return click.Option(words, is_flag=True, help=text, envvar=variable(words[0].partition("/")[0]), **more)


# --- reading values ---------------------------------------------------------------------------------------------------


def one_of(choices: Iterable[Choice]) -> Callable[[str], Choice]:
    """Return a reader for an option with a fixed set of values."""
    named = {str(each): each for each in choices}

    def read(text: str) -> Choice:
        value = text.casefold()
        if value not in named:
            raise BadParameter(f"'{text}' is not supported{_guess(value, named)}; supported: {', '.join(named)}")
        return named[value]

    return read


def _guess(text: str, known: Iterable[str]) -> str:
    close = get_close_matches(text, known, n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""


def rfc3339(text: str) -> datetime:
    """Read a point in time; one without a zone is refused, because a result must not depend on where it is made."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is not None and moment.tzinfo is not None:
        if has_room(moment):
            return moment.astimezone(UTC)
        raise BadParameter(f"'{text}' is too close to the end of the calendar; expected the years 2 to 9998")
    raise BadParameter(f"'{text}' is not a time with a zone, such as {EXAMPLE_TIME}")


def file_name(text: str) -> str:
    """Read the name of a file."""
    if not text:
        raise BadParameter("the name of the file is empty")
    return text


def target_file(text: str) -> Path | None:
    """Read the name of the file that a result is written to; None is standard output."""
    name = file_name(text)
    return None if name in _STDOUT else Path(name)


def report_file(text: str) -> Path | None:
    """Read the name of the file that a report is written to; the -o of kubectl takes a format."""
    if text in tuple(Format):
        raise BadParameter(f"'{text}' is a format: write --format {text}, or ./{text} for a file of that name")
    return target_file(text)


def name(text: str) -> str:
    """Read the name of something; without one, kubectl would use its default, and not say so."""
    if not text:
        raise BadParameter("the name is empty; is there a variable that is not set?")
    return text


def whole_number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise BadParameter(f"'{text}' is not a whole number") from None


def a_seed(text: str) -> int:
    """Read a whole number that is not negative."""
    value = whole_number(text)
    if value < 0:
        raise BadParameter(f"'{text}' is negative; a seed is 0 or a whole number above it")
    return value


def at_least_one(text: str) -> int:
    """Read a whole number of at least 1."""
    return _positive(whole_number(text), text)


def up_to_a_thousand(text: str) -> int:
    """Read a number of sessions; one above a thousand is taken for a slip."""
    value = at_least_one(text)
    if value > _MOST_SESSIONS:
        raise BadParameter(f"'{text}' is more than {_MOST_SESSIONS:,}")
    return value


def part(text: str) -> float:
    """Read a part of something, in percent or as a number below 1.

    >>> part("10%"), part("0.05")
    (0.1, 0.05)
    """
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise BadParameter(f"'{text}' is not a part, such as 10%") from None
    if not 0 < value < 1:
        raise BadParameter(f"'{text}' is not between 0% and 100%")
    return value


def written_part(value: float) -> str:
    """Write a part so that `part` reads it again.

    >>> written_part(0.1), written_part(0.0125)
    ('10%', '1.25%')
    """
    return f"{value * 100:.10g}%"


def build(text: str) -> Build:
    """Read the name of a release of Volcano, and of the vendor who built it."""
    try:
        return read_build(text)
    except UnknownReleaseError as error:
        raise BadParameter(str(error)) from None


def setting(text: str) -> Setting:
    """Read NAME=VALUE, which switches a behaviour."""
    try:
        return read_setting(text)
    except UnknownBehaviourError as error:
        raise BadParameter(str(error)) from None


def scheduler_flag(text: str) -> str:
    """Read a flag of the scheduler with its value."""
    name, equals, _ = text.partition("=")
    if name not in READ:
        raise BadParameter(f"'{name}' is none of {', '.join(READ)}{_guess(name, READ)}")
    if not equals:
        raise BadParameter(f"'{text}' has no value; expected {name}=VALUE")
    return text


def node_sample(text: str) -> NodeSample:
    """Read the scheduler's options on sampling: `default`, or some of them with their values.

    >>> node_sample("default") == NodeSample(), node_sample("percentage-nodes-to-find=20")
    (True, NodeSample(minimum=100, least_percentage=5, percentage=20))
    """
    if text == "default":
        return NodeSample()
    values: dict[str, int] = {}
    for part in text.split(","):
        key, _, value = part.partition("=")
        if key not in SAMPLE_OPTIONS:
            guess = _guess(key, ["default", *SAMPLE_OPTIONS])
            raise BadParameter(f"'{part}' is neither default nor one of {', '.join(SAMPLE_OPTIONS)}=N{guess}")
        if not value.isascii() or not value.isdigit() or int(value[:_MOST_DIGITS]) > _INT32_MAX:
            raise BadParameter(f"'{value}' of {key} is not a whole number from 0 to {_INT32_MAX:,}")
        values[SAMPLE_OPTIONS[key]] = int(value)
    return NodeSample(**values)


def written_sample(sample: NodeSample) -> str:
    """Return options on sampling as `node_sample` reads them."""
    values = {name: getattr(sample, field) for name, field in SAMPLE_OPTIONS.items()}
    return "default" if sample == NodeSample() else ",".join(f"{name}={value}" for name, value in values.items())


def size(text: str) -> int:
    """Read a number of bytes.

    >>> size("500MB"), size("2GiB"), size("1000")
    (500000000, 2147483648, 1000)
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise BadParameter(f"'{text}' is not a size, such as 500MB, 2GiB, or a number of bytes")
    number, unit, binary = match.groups()
    step = 1024 if binary else 1000
    found = int(float(number) * step ** (_STEPS.index(unit.lower()) + 1)) if unit else int(float(number))
    return _positive(found, text)


def scheduler_address(text: str) -> str:
    """Read the address of a scheduler of Dask, with its protocol: without one, nothing says whether to encrypt.

    >>> scheduler_address("tls://dask.example.org:8786")
    'tls://dask.example.org:8786'
    """
    if _ADDRESS.fullmatch(text) is None:
        raise BadParameter(f"'{text}' is not an address, such as tcp://HOST:8786 or tls://HOST:8786")
    return text


def span(text: str) -> float:
    """Read a span of time, in seconds or with units: 90, 10m, 3h12m, 7d."""
    seconds = read_seconds(text)
    if seconds is None:
        raise BadParameter(f"'{text}' is not a span of time, such as 90 (seconds), 10m, 3h12m or 7d")
    if seconds > LONGEST:
        raise BadParameter(f"'{text}' is longer than 100 years")
    return seconds


def longer_than_nothing(text: str) -> float:
    """Read a span of time that is not 0."""
    seconds = span(text)
    if not seconds:
        raise BadParameter(f"'{text}' is no time at all")
    return seconds


def _positive(value: int, text: str) -> int:
    if value < 1:
        raise BadParameter(f"'{text}' is less than 1")
    return value


class Folder(click.Path):
    """A folder that is there; an empty name would be the current one, which is not what its author meant."""

    def __init__(self) -> None:
        super().__init__(exists=True, file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path of the folder."""
        if not value:
            raise BadParameter("the name of the folder is empty")
        return super().convert(value, param, ctx)


# --- what several commands take, one by one ---------------------------------------------------------------------------


def build_option(text: str, names: str = "--volcano", **more: Any) -> click.Option:
    """An option that takes a release of Volcano, the head of its branch, or the build of it that a vendor ships."""
    return option(names, FORM, text, build, complete=completion.one_of([*Release, *HEAD_NAMES]), **more)


FILES: Final = argument("files", "[FILES]...", many=True)
CONF: Final = option("--conf", "FILE", "Use this volcano-scheduler.conf.", file_name)
NOW: Final = option("--now", "TIME", "Time of the session, in RFC 3339.", rfc3339)
SEED: Final = option("--seed", "N", "Seed for random tie-breaking.", a_seed)
SHARDING_MODE: Final = option(
    "--scheduler-sharding-mode sharding_mode",
    "MODE",
    "The scheduler's flag of that name: none, soft or hard.",
    one_of(ShardingMode),
    complete=completion.one_of(ShardingMode),
)
SHARDING_NAME: Final = option(
    "--scheduler-sharding-name sharding_name", "NAME", "The scheduler's flag: its NodeShard.", name
)
CSI_STORAGE: Final = flag("--csi-storage", "The scheduler's flag: volumes are made where there is room for them.")
SCHEDULER_FLAGS: Final = option(
    "--scheduler-flag scheduler_flags",
    "NAME=VALUE",
    "A flag that the scheduler is started with.",
    scheduler_flag,
    multiple=True,
)
USAGE: Final = option("--usage", "FILE", "Node usage, as kubectl top nodes prints it.", file_name)
SAMPLE: Final = option(
    "--node-sample sample",
    "OPTIONS",
    "Sample nodes as the scheduler does: default, or its options.",
    node_sample,
)
VOLCANO: Final = build_option(f"Volcano release to model; {DEFAULT_RELEASE} by default.")
BEHAVIOURS: Final = option(
    "--behaviour behaviours",
    "NAME=VALUE",
    "Switch a behaviour, whatever the release.",
    setting,
    multiple=True,
    complete=completion.behaviours,
)
NO_COLOR: Final = flag("--no-color", "No colours; so does NO_COLOR.")
NO_IGNORE: Final = flag("--no-ignore", "Report silenced findings, too.")
NO_NOTES: Final = flag("--quiet -q", "Print no notes.")
GITHUB_SUMMARY: Final = flag("--github-summary", "Add the report to the job summary, too.")
NO_CI: Final = flag("--no-ci", "Ignore GITHUB_ACTIONS.")
