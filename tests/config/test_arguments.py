"""Arguments are read by type."""

import pytest

from vqs.config.arguments import Arguments
from vqs.config.known_arguments import Argument, Kind

ARGUMENTS = {"whole": 3, "fraction": 2.5, "flag": True, "text": "7", "huge": 2**63}


@pytest.mark.parametrize(
    ("method", "accepted"),
    [
        ("int", {"whole": 3}),
        ("float", {"whole": 3.0, "fraction": 2.5, "huge": 2.0**63}),
        ("bool", {"flag": True}),
        ("string", {"text": "7"}),
    ],
)
def test_types(method: str, accepted: dict[str, object]) -> None:
    """An argument of the right type is returned; another gives way to the default, with one warning."""
    default = {"int": 1, "float": 1.5, "bool": True, "string": "x"}[method]
    arguments = Arguments(
        [Argument(key, Kind.TEXT, str(default).replace("True", "true")) for key in ARGUMENTS], ARGUMENTS
    )

    for _ in range(2):
        read = {key: getattr(arguments, method)(key) for key in ARGUMENTS}

    assert read == {**dict.fromkeys(ARGUMENTS, default), **accepted}
    assert {warning.split(":")[0] for warning in arguments.warnings} == set(ARGUMENTS) - set(accepted)
    assert len(arguments.warnings) == len(ARGUMENTS) - len(accepted)


def test_not_given() -> None:
    """An argument that is not given is the default, without a warning."""
    arguments = Arguments([Argument("a", Kind.INT, "1"), Argument("b.*", Kind.NUMBER, "0.5"), Argument("c", Kind.TEXT)])

    assert (arguments.int("a"), arguments.float("b.x"), arguments.string("c")) == (1, 0.5, "")
    assert arguments.warnings == []


def test_not_known() -> None:
    """Nobody reads an argument that is not declared."""
    with pytest.raises(KeyError, match="a"):
        Arguments(()).int("a")


@pytest.mark.parametrize(("text", "value"), [("true", True), ("F", False), ("1", True), ("no", True)])
def test_a_text_may_count_as_true_or_false(text: str, value: bool) -> None:
    """Where that is wanted, and Go's strconv takes it for one; else the default counts, with a warning."""
    known = [Argument("flag", Kind.BOOL, "true")]
    reading = Arguments(known, {"flag": text}, reads_text=True)
    assert reading.bool("flag") is value
    assert bool(reading.warnings) == (text == "no")
    assert reading.unread().bool("flag") is value
    assert reading.unread(reads_text=False).bool("flag") is True
