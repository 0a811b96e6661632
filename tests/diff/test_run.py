"""What is known of the tasks of a side."""

from __future__ import annotations

from vqs.diff.run import Contents


class Rule:
    """A rule of a template, which counts how often it is read."""

    read = 0

    def __repr__(self) -> str:
        type(self).read += 1
        return "rule"


def test_a_template_is_read_once() -> None:
    """What many pods share is worked out once; what says the same stands for the same."""
    shared, contents = Rule(), Contents()
    found = {contents.of(shared) for _ in range(100)}
    assert Rule.read == 1
    assert found == {contents.of(Rule())} == {Contents().of(Rule())}
    assert contents.of([1]) != contents.of([2])
