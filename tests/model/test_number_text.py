"""Numbers in texts are what Go takes them for."""

import pytest

from vqs.model.number_text import finite_number, whole_number

WHOLE = {
    "5": 5,
    "+5": 5,
    "-0": 0,
    "007": 7,
    "9223372036854775807": 2**63 - 1,
    "-9223372036854775808": -(2**63),
    "0" * 5000 + "1": 1,
}
NONE = (
    "",
    "-",
    "5.0",
    "1e3",
    "1_0",
    " 1",
    "1\n",
    "\u0663",
    "1\u00b2",
    "9223372036854775808",
    "9" * 20,
    "9" * 5000,
    "0" * 100_000 + "x",
)


@pytest.mark.parametrize(("text", "number"), WHOLE.items(), ids=lambda each: str(each)[:30])
def test_whole_numbers(text: str, number: int) -> None:
    """A number of 64 bits is read, with a sign or without, however many zeros it begins with."""
    assert whole_number(text) == number


@pytest.mark.parametrize("text", NONE, ids=lambda text: repr(text[:30]))
def test_no_whole_numbers(text: str) -> None:
    """What Go refuses is no number, however many digits it has."""
    assert whole_number(text) is None


@pytest.mark.parametrize("text", ["", "x", "nan", "-inf", "1e400", "9" * 5000])
def test_numbers_that_nothing_can_be_reckoned_with(text: str) -> None:
    """A text that is no number, or none that is finite, is as good as not there."""
    assert finite_number(text) is None
