"""The report for an issue."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from tests.report.writers import as_markdown as simulation
from vqs.explain.outcome import Simulation
from vqs.report.formats import Detail, Filters, View


def test_markdown(result: Simulation, snapshot: SnapshotAssertion) -> None:
    """The markdown looks like this."""
    assert simulation(result, View()) == snapshot


def test_markdown_summary(result: Simulation) -> None:
    """Only the summary is written where only that is wanted, and what makes decisions differ from Volcano's."""
    summary, caveat = simulation(result, View(detail=Detail.SUMMARY)).split("\n\nwarning: ")
    assert (
        summary == "**2 tasks placed, 0 with a reserved node, 2 pending**\n\n"
        "`ml/diffusion:warning:train` (2 pending tasks): no node fits (no-node-fits)"
    )
    assert "the plugin 'gagn' does not exist" in caveat


def test_messages_do_not_act_as_markup(result: Simulation) -> None:
    """A message cannot end its cell, start a tag or a link, make an emoji, or call anybody."""
    result.tasks[2].verdict = None
    result.tasks[2].message = "a|b <details> [x](y) *bold* a:warning:b, @admin #12 `tick` www.x.y node(s) {a: b}."
    written = "a\\|b `<details>` `[x](y)` `*bold*` `a:warning:b`, `@admin` `#12` `` `tick` `` `www.x.y` node(s) {a: b}."
    assert f"| {written} |" in simulation(result, View())


def test_names_do_not_break_rows(result: Simulation) -> None:
    """Control characters in a name are written out, so that each row stays one line."""
    result.tasks[2].name = "a\nb\x1b[31m`|c"
    assert r"| `` ml/a\nb\x1b[31m`\|c `` | `ml/diffusion:warning:train` | Pending |" in simulation(result, View())


def test_missing_queues_are_explained(result: Simulation) -> None:
    """Where there are no figures of queues, a line says why."""
    result.queues = []
    assert "\n### Queues: none has a job\n" in simulation(result, View())


def test_filters_choose_rows(result: Simulation) -> None:
    """Only what is asked for is listed, and a line says that it is a part; the summary counts what matches."""
    text = simulation(result, View(filters=Filters(jobs=("llama-*",))))
    assert "diffusion" not in text
    assert "### Tasks: 2 of 4" in text
    assert "**2 tasks placed, 0 with a reserved node, 0 pending (2 of 4 tasks in all)**" in text


def test_everything_has_the_line_of_the_log(result: Simulation) -> None:
    """Whoever wants everything is told what to look for in the scheduler's log."""
    assert "(--v=3): Predicates failed" not in simulation(result, View())
    assert "in the scheduler's log (--v=3), lines with: Predicates failed" in simulation(
        result, View(detail=Detail.EVERYTHING)
    )


def test_long_tables_are_cut(result: Simulation) -> None:
    """A table that nobody would read in a comment ends with the number of rows left out."""
    result.jobs = result.jobs * 150
    text = simulation(result, View(filters=Filters(queues=("*",))))
    assert "rows more; `-v` writes all of them." in text
    assert "more; `-v`" not in simulation(result, View(detail=Detail.EVERYTHING))


def test_many_tasks_are_summed_up(result: Simulation) -> None:
    """Of many tasks, those without a node are one row for each job and reason, as in a terminal."""
    result.tasks = result.tasks[2:] * 150
    text = simulation(result, View())
    assert "### Tasks without a node: 300 of 300, by job and reason; -v shows every task" in text
    assert text.count("`ml/diffusion:warning:train`") == 3
    assert simulation(result, View(detail=Detail.EVERYTHING)).count("`ml/diffusion:warning:train-0`") == 150
