"""Options: their descriptions, how their values are read, and the errors of invalid values."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from vqs.cli import completion
from vqs.cli.completion import Completer
from vqs.cli.environment import variable
from vqs.model.durations import LONGEST, read_seconds
from vqs.model.moments import has_room
from vqs.model.node_sample import NodeSample
from vqs.model.scheduler_flags import READ, SAMPLE_OPTIONS
from vqs.model.sharding import ShardingMode
from vqs.releases.profile import Setting, UnknownBehaviourError, read_setting
from vqs.releases.release import DEFAULT_RELEASE, Release, UnknownReleaseError, read_release
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


# --- describing -------------------------------------------------------------------------------------------------------


def option(
    name: str,
    metavar: str,
    text: str,
    parser: Callable[[str], Any] | None = None,
    short: str = "",
    *,
    show_default: bool = False,
    complete: Completer | None = None,
) -> Any:
    """Describe an option that takes a value; like every option, it can be set in the environment."""
    return typer.Option(
        name,
        *filter(None, [short]),
        metavar=metavar,
        help=text,
        parser=parser,
        envvar=variable(name),
        show_envvar=False,
        show_default=show_default,
        autocompletion=complete,
    )


def choice(name: str, text: str, short: str = "") -> Any:
    """Describe an option that takes one of a few values, those of the enumeration that its field is annotated with."""
    return option(name, "", text, short=short, show_default=True)


def flag(name: str, text: str, short: str = "") -> Any:
    """Describe an option that is given or not."""
    return typer.Option(name, *filter(None, [short]), help=text, envvar=variable(name), show_envvar=False)


# --- reading values ---------------------------------------------------------------------------------------------------


def one_of(choices: Iterable[Choice]) -> Callable[[str], Choice]:
    """Return a reader for an option with a fixed set of values."""
    named = {str(each): each for each in choices}

    def read(text: str) -> Choice:
        value = text.casefold()
        if value in named:
            return named[value]
        close = get_close_matches(value, named, n=1)
        guess = f" (did you mean '{close[0]}'?)" if close else ""
        raise typer.BadParameter(f"'{text}' is not supported{guess}; supported: {', '.join(named)}")

    return read


def rfc3339(text: str) -> datetime:
    """Read a point in time; one without a zone is refused, because a result must not depend on where it is made."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is not None and moment.tzinfo is not None:
        if has_room(moment):
            return moment.astimezone(UTC)
        raise typer.BadParameter(f"'{text}' is too close to the end of the calendar; expected the years 2 to 9998")
    raise typer.BadParameter(f"'{text}' is not a time with a zone, such as {EXAMPLE_TIME}")


def file_name(text: str) -> str:
    """Read the name of a file."""
    if not text:
        raise typer.BadParameter("the name of the file is empty")
    return text


def target_file(text: str) -> Path | None:
    """Read the name of the file that a result is written to; None is standard output."""
    name = file_name(text)
    return None if name in _STDOUT else Path(name)


def report_file(text: str) -> Path | None:
    """Read the name of the file that a report is written to; the -o of kubectl takes a format."""
    if text in tuple(Format):
        raise typer.BadParameter(f"'{text}' is a format: write --format {text}, or ./{text} for a file of that name")
    return target_file(text)


def name(text: str) -> str:
    """Read the name of something; without one, kubectl would use its default, and not say so."""
    if not text:
        raise typer.BadParameter("the name is empty; is there a variable that is not set?")
    return text


def revision(text: str) -> str:
    """Read the name of a revision; without one, the files would be taken for something else."""
    if not text:
        raise typer.BadParameter("the name of the revision is empty; is there a variable that is not set?")
    return text


def whole_number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not a whole number") from None


def at_least_one(text: str) -> int:
    """Read a whole number of at least 1."""
    return _positive(whole_number(text), text)


def up_to_a_thousand(text: str) -> int:
    """Read a number of sessions; one above a thousand is taken for a slip."""
    value = at_least_one(text)
    if value > _MOST_SESSIONS:
        raise typer.BadParameter(f"'{text}' is more than {_MOST_SESSIONS:,}")
    return value


def release(text: str) -> Release:
    """Read the name of a release of Volcano."""
    try:
        return read_release(text)
    except UnknownReleaseError as error:
        raise typer.BadParameter(str(error)) from None


def setting(text: str) -> Setting:
    """Read NAME=VALUE, which switches a behaviour."""
    try:
        return read_setting(text)
    except UnknownBehaviourError as error:
        raise typer.BadParameter(str(error)) from None


def scheduler_flag(text: str) -> str:
    """Read a flag of the scheduler with its value."""
    name, equals, _ = text.partition("=")
    if name not in READ:
        close = get_close_matches(name, READ, n=1)
        guess = f" (did you mean '{close[0]}'?)" if close else ""
        raise typer.BadParameter(f"'{name}' is none of {', '.join(READ)}{guess}")
    if not equals:
        raise typer.BadParameter(f"'{text}' has no value; expected {name}=VALUE")
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
            close = get_close_matches(key, ["default", *SAMPLE_OPTIONS], n=1)
            guess = f" (did you mean '{close[0]}'?)" if close else ""
            raise typer.BadParameter(f"'{part}' is neither default nor one of {', '.join(SAMPLE_OPTIONS)}=N{guess}")
        if not value.isascii() or not value.isdigit() or int(value[:_MOST_DIGITS]) > _INT32_MAX:
            raise typer.BadParameter(f"'{value}' of {key} is not a whole number from 0 to {_INT32_MAX:,}")
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
        raise typer.BadParameter(f"'{text}' is not a size, such as 500MB, 2GiB, or a number of bytes")
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
        raise typer.BadParameter(f"'{text}' is not an address, such as tcp://HOST:8786 or tls://HOST:8786")
    return text


def span(text: str) -> float:
    """Read a span of time, in seconds or with units: 90, 10m, 3h12m, 7d."""
    seconds = read_seconds(text)
    if seconds is None:
        raise typer.BadParameter(f"'{text}' is not a span of time, such as 90 (seconds), 10m, 3h12m or 7d")
    if seconds > LONGEST:
        raise typer.BadParameter(f"'{text}' is longer than 100 years")
    return seconds


def longer_than_nothing(text: str) -> float:
    """Read a span of time that is not 0."""
    seconds = span(text)
    if not seconds:
        raise typer.BadParameter(f"'{text}' is no time at all")
    return seconds


def _positive(value: int, text: str) -> int:
    if value < 1:
        raise typer.BadParameter(f"'{text}' is less than 1")
    return value


def release_option(name: str, text: str) -> Any:
    """Describe an option that takes a release of Volcano."""
    return option(name, "|".join(Release), text, release, complete=completion.one_of(Release))


# --- what several commands take, one by one ---------------------------------------------------------------------------

Files = Annotated[tuple[str, ...], typer.Argument(metavar="FILES", hidden=True)]
Conf = Annotated[str | None, option("--conf", "FILE", "Use this volcano-scheduler.conf.", file_name)]
Usage = Annotated[str | None, option("--usage", "FILE", "Node usage, as kubectl top nodes prints it.", file_name)]
Now = Annotated[datetime | None, option("--now", "TIME", "Time of the session, in RFC 3339.", rfc3339)]
Sample = Annotated[
    NodeSample | None,
    option("--node-sample", "OPTIONS", "Sample nodes as the scheduler does: default, or its options.", node_sample),
]
Seed = Annotated[int | None, option("--seed", "N", "Seed for random tie-breaking.", whole_number)]
ShardingModeFlag = Annotated[
    ShardingMode | None,
    option(
        "--scheduler-sharding-mode",
        "MODE",
        "The scheduler's flag of that name: none, soft or hard.",
        one_of(ShardingMode),
    ),
]
ShardingName = Annotated[
    str | None, option("--scheduler-sharding-name", "NAME", "The scheduler's flag: its NodeShard.", name)
]
SchedulerFlagWords = Annotated[
    tuple[str, ...],
    option("--scheduler-flag", "NAME=VALUE", "A flag that the scheduler is started with.", scheduler_flag),
]
CsiStorage = Annotated[
    bool, flag("--csi-storage", "The scheduler's flag: volumes are made where there is room for them.")
]
Volcano = Annotated[
    Release | None,
    release_option("--volcano", f"Volcano release to model; {DEFAULT_RELEASE} by default."),
]
Behaviours = Annotated[
    tuple[Setting, ...],
    option(
        "--behaviour",
        "NAME=VALUE",
        "Switch a behaviour, whatever the release.",
        setting,
        complete=completion.behaviours,
    ),
]
Target = Annotated[Path | None, option("--output", "FILE", "Write the result to a file.", report_file, "-o")]
Own = Annotated[
    tuple[str, ...],
    option("--plugin", "MODULE:CLASS", "Add a plugin or an action of your own.", name),
]
NoColor = Annotated[bool, flag("--no-color", "No colours; so does NO_COLOR.")]
NoIgnore = Annotated[bool, flag("--no-ignore", "Report silenced findings, too.")]
NoNotes = Annotated[bool, flag("--quiet", "Print no notes.", "-q")]
GithubSummary = Annotated[bool, flag("--github-summary", "Add the report to the job summary, too.")]
NoCi = Annotated[bool, flag("--no-ci", "Ignore GITHUB_ACTIONS.")]
Debug = Annotated[bool, flag("--debug", "Show the traceback of an internal error.")]
