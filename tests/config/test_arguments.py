"""Arguments are read by type."""

import pytest

from vqs.config.arguments import Arguments

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
    arguments = Arguments(ARGUMENTS)
    default = {"int": 1, "float": 1.5, "bool": False, "string": "x"}[method]

    for _ in range(2):
        read = {key: getattr(arguments, method)(key, default) for key in ARGUMENTS}

    assert read == {**dict.fromkeys(ARGUMENTS, default), **accepted}
    assert {warning.split(":")[0] for warning in arguments.warnings} == set(ARGUMENTS) - set(accepted)
    assert len(arguments.warnings) == len(ARGUMENTS) - len(accepted)


def test_not_given() -> None:
    """An argument that is not given is the default, without a warning."""
    arguments = Arguments()

    assert (arguments.int("a", 1), arguments.float("b", 0.5), arguments.string("c", "d")) == (1, 0.5, "d")
    assert arguments.warnings == []
