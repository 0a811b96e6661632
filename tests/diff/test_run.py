"""The sessions of a side, and what is known of its tasks."""

from __future__ import annotations

from tests.build import gang, manifests, node
from vqs.diff.run import Contents, Input, opened, run_both, run_like
from vqs.explain.simulate import SimulateOptions
from vqs.model.scheduler_flags import NodeSample


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


def test_later_sessions_sample_nodes_as_the_first_one() -> None:
    """So do those on variants of a side, which tell what a difference comes from."""
    sample = NodeSample(minimum=1)
    side = Input("side", manifests([node("n1"), node("n2"), *gang("j", 1)]))
    options = SimulateOptions(sample=sample)
    run, _ = run_both((side, side), (opened(side, options), opened(side, options)))
    assert run_like(run, side).session.options.sample == sample
    assert {each.session.options.sample for each in run.sequence.ahead()} == {sample}
