"""The life of a job for a terminal: the answer first, then stage by stage."""

from __future__ import annotations

import re
from copy import deepcopy

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.report.job_reports import (
    BROKEN,
    GANG,
    GATE,
    LOSER,
    NOBODY,
    PLACED,
    RECLAIM,
    SHOWN,
    SPARED,
    TAKES,
    TIERS,
    WITHIN,
    report,
)
from tests.report.writers import as_table as job
from vqs.explain.jobs.outcome import JobPlace
from vqs.explain.outcome import Decision
from vqs.report.formats import Detail, View
from vqs.report.job.page import next_step
from vqs.report.job.turn import decided

COLOR = re.compile(r"\x1b\[[\d;]*m")
HEADINGS = ["The gate to its queue", "Its turn", "The tries to place it", "Eviction", "What would have to change"]


@pytest.mark.parametrize("width", [80, None])
@pytest.mark.parametrize(("scenario", "name"), SHOWN)
def test_table(scenario: str, name: str, width: int | None, snapshot: SnapshotAssertion) -> None:
    """The tables look like this on a narrow terminal and in a pipe."""
    assert job(report(scenario, name), View(width=width)) == snapshot


@pytest.mark.parametrize(("scenario", "name"), [SPARED, RECLAIM])
def test_everything(scenario: str, name: str, snapshot: SnapshotAssertion) -> None:
    """With all details there are all jobs, searches, candidates and what was tried in vain."""
    assert job(report(scenario, name), View(detail=Detail.EVERYTHING)) == snapshot


@pytest.mark.parametrize("detail", list(Detail))
@pytest.mark.parametrize("width", [30, 60, 80, 200])
@pytest.mark.parametrize(("scenario", "name"), SHOWN)
def test_no_line_is_longer_than_the_terminal(scenario: str, name: str, width: int, detail: Detail) -> None:
    """A line is broken between words; only a name is never cut."""
    text = job(report(scenario, name), View(width=width, detail=detail))
    long = [line for line in text.splitlines() if len(line) > width]
    assert all(len(max(line.split(), key=len)) > width - 30 for line in long)
    assert width < 80 or not long


def test_colour_changes_no_character() -> None:
    """Without its colours, a report in colour is the plain one."""
    colored = job(report(*SPARED), View(width=80, color=True))
    assert COLOR.search(colored)
    assert COLOR.sub("", colored) == job(report(*SPARED), View(width=80))


def test_the_answer_is_all_there_is_in_short() -> None:
    """The first line is for whoever has no time for the others; quiet shows no more than it."""
    assert job(report(*SPARED), View(detail=Detail.SUMMARY)) == f"{report(*SPARED).answer}\n"
    assert job(report(*SPARED), View()).splitlines()[0] == report(*SPARED).answer


def test_stages_come_in_the_order_in_which_they_are_met() -> None:
    """Each has one heading."""
    lines = job(report(*WITHIN), View()).splitlines()
    found = [heading for line in lines for heading in HEADINGS if line.startswith(heading)]
    assert found == HEADINGS


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (GATE, "It has to fit into research, and into each queue above it: department, root."),
        (GATE, "2 too much"),
        (GATE, "No task of it was tried: it did not come so far."),
        (GATE, "Neither preempt nor reclaim is configured"),
        (GANG, "allocate  discarded: all of it is given back"),
        (NOBODY, "default/second is the only job of it that waits for something"),
        (NOBODY, "spared   priority spares it: its job has priority 100, which is not below 100"),
        (SPARED, "gang spares it: its gang needs it: default/train has 4 with it, and needs 4"),
        (SPARED, "gang spared the last of 4 candidates on both nodes"),
        (TAKES, "4 tasks of others are evicted for it"),
        (TAKES, "default/urgent-worker-0  node-0  default/sweep-worker-4, default/sweep-worker-5"),
        (LOSER, "preempt  default/urgent-worker-0  priority, gang and conformance let it go"),
        (RECLAIM, "default/nightly-worker-0             batch         1  may go"),
        (WITHIN, "proportion spares it: its queue batch holds 4 cpu, no more than the 4 that it deserves"),
        (TIERS, "tier 2 decided"),
        (TIERS, "tier 2: drf lets it go"),
        (WITHIN, "guarantee cpu of queue/web                       0      5           4  pipelined"),
        (PLACED, "research/llama-finetune waits for nothing: this session places 2 tasks of it."),
    ],
)
def test_what_is_said(shown: tuple[str, str], text: str) -> None:
    """Whatever happened, the report tells it with its figures."""
    assert text in job(report(*shown), View())


def test_the_first_line_says_that_the_scheduler_stands_still() -> None:
    """Stages that mean nothing are left out then."""
    text = job(report(*BROKEN), View())
    assert text.startswith("The whole scheduler stands still: queue staging has the parent teama, which does not exist")
    assert "Its turn" not in text
    assert text.splitlines()[-1] == "Next: vqs lint hierarchy-parent-missing.yaml finds what else is wrong"


@pytest.mark.parametrize(
    ("shown", "command"),
    [
        (GATE, "vqs explain-queue hierarchy-queue-above-is-full.yaml --queue research says why the queue is short"),
        (WITHIN, "vqs rule fragmented says what to do; vqs simulate reclaim-no-victim.yaml --job default/frontend"),
        (LOSER, "vqs explain-job preempt-higher-priority.yaml --job default/urgent tells of who evicts it"),
    ],
)
def test_the_last_line_names_the_command_to_go_on_with(shown: tuple[str, str], command: str) -> None:
    """It can be typed as it stands."""
    assert command in job(report(*shown), View()).splitlines()[-1]


@pytest.mark.parametrize(
    ("phase", "actions", "decision", "sentence"),
    [
        ("Running", ["enqueue"], "committed", "It was in its queue before, as Running."),
        ("Pending", ["allocate"], "not-enqueued", "The action enqueue is not configured: nobody is let into a queue."),
        ("Pending", ["enqueue"], "not-enqueued", "It was not let in: 0/2 nodes are unavailable"),
        ("", ["enqueue"], "discarded", "It was let in, and no account was drawn up: it has no minResources"),
    ],
)
def test_a_gate_without_an_account(phase: str, actions: list[str], decision: Decision, sentence: str) -> None:
    """Where nothing was reckoned up, the report says why not."""
    found = deepcopy(report(*WITHIN))
    found.job.phase_before, found.session.actions, found.job.decision = phase, actions, decision
    assert sentence in job(found, View())


def test_jobs_around_it_are_listed_where_everything_is_asked_for() -> None:
    """Usually the neighbours are enough, and what decided between them."""
    neighbours = "default/sweep is number 2 of 2 jobs in it that wait for something."
    assert neighbours in job(report(*GATE), View())
    assert "WHY BEHIND THE ONE ABOVE" not in job(report(*GATE), View())
    everything = job(report(*GATE), View(detail=Detail.EVERYTHING))
    assert "2  ▸ default/sweep  default/train is older" in everything


def test_searches_that_are_given_back() -> None:
    """Who was to be evicted for a gang that stays incomplete is told, and that nobody is."""
    found = deepcopy(report(*TAKES))
    for search in found.searches:
        search.result = "discard"
    text = job(found, View())
    assert "Eviction: nobody is evicted for it" in text
    assert "room on node-0, but all of it is given back: the gang would not have been complete" in text
    assert "given back  priority, gang and conformance let it go" in text


def test_room_that_is_being_released_anyhow() -> None:
    """A search may find room without evicting anybody."""
    found = deepcopy(report(*TAKES))
    found.searches[0].victims = []
    assert "room on node-0, without evicting a task" in job(found, View())


def test_names_in_the_next_command_are_quoted() -> None:
    """What comes from the snapshot may hold anything."""
    found = deepcopy(report(*WITHIN))
    found.job.display_name, found.scenario = "default/a $HOME", "a.yaml, b.yaml"
    assert "vqs simulate FILES --job 'default/a $HOME'" in next_step(found, View()).text()


def test_remedies_that_were_not_looked_for() -> None:
    """The report says how to have them looked for."""
    text = job(report(*WITHIN, sessions=0), View())
    assert "Nothing was tried out. --remedies runs up to 80 sessions" in text


def test_remedies_that_no_session_was_left_for() -> None:
    """They are named, and a gap between what helps and what does not is told."""
    text = job(report(*NOBODY, sessions=1), View())
    assert "No session was left to try: " in text


def test_no_remedy_at_all() -> None:
    """The kinds that were tried are named, each once, and those that never are."""
    found = deepcopy(report(*SPARED))
    assert found.remedies is not None
    found.remedies.remedies = []
    found.remedies.useless *= 2
    text = job(found, View())
    assert "No change of one thing gets it placed. Tried: guarantee; never tried: guarantees of other queues" in text
    found.remedies.useless = []
    assert "Tried: nothing; never tried: " in job(found, View())


def test_actions_are_told_once() -> None:
    """They are long, and stand in the edit."""
    found = deepcopy(report(*SPARED))
    assert found.remedies is not None
    *_, remedy = found.remedies.remedies
    remedy.knob, remedy.edits = "actions", ["conf.actions=enqueue, reclaim, allocate, backfill"]
    assert re.search(r"conf\.actions=enqueue, reclaim, allocate, backfill( +-){3}  pipelined", job(found, View()))


def test_a_state_is_set_by_a_command() -> None:
    """Nobody can apply a status; the edit is for what-if, and the command is what a person does."""
    found = deepcopy(report(*SPARED))
    assert found.remedies is not None
    *_, remedy = found.remedies.remedies
    remedy.knob, remedy.of, remedy.resource = "state", "queue/q 3", ""
    remedy.edits = ["queue/q 3.status.state=Open"]
    text = " ".join(job(found, View()).split())
    assert "state of queue/q 3 " in text
    assert "; done by vcctl queue operate -n 'q 3' --action open; as edits: queue/q 3.status.state=Open" in text


def test_a_remedy_that_was_not_tried_to_its_end() -> None:
    """It stands under what was not tried, not under what does not help."""
    found = deepcopy(report(*NOBODY, sessions=80))
    assert found.remedies is not None
    [useless, *_] = [*found.remedies.useless, *found.remedies.remedies]
    found.remedies.useless, found.remedies.untried = [useless], []
    assert "What does not help" in job(found, View())
    found.remedies.sessions = found.remedies.most_sessions
    text = job(found, View())
    assert "What does not help" not in text
    assert "What was not tried\nNo session was left to go on with: " in text


def test_tries_that_came_to_the_same_are_one() -> None:
    """Of a job that is placed task by task, the tries are told together."""
    text = job(report("queue-limit", "train"), View())
    assert "allocate  committed" in text
    found = deepcopy(report("queue-limit", "train"))
    found.tries = [found.tries[0]] * 4
    assert "allocate  committed; 4 tries alike" in job(found, View())
    assert "tries alike" not in job(found, View(detail=Detail.EVERYTHING))


def test_a_placed_minimum_has_no_remedies() -> None:
    """What is looked for is how to place the minimum."""
    assert "Its minimum is placed." in job(report("queue-limit", "train"), View())


def test_long_lists_are_folded() -> None:
    """A number of candidates, nodes and tasks is enough to understand; -v shows all."""
    found = deepcopy(report(*RECLAIM))
    [poll, *_] = found.searches[0].polls
    victim = next(each for each in poll.candidates if each.evicted)
    poll.candidates = [deepcopy(victim) for _ in range(30)]
    for number, candidate in enumerate(poll.candidates):
        candidate.task = f"default/many-{number}"
    found.tasks = found.tasks * 20
    text = job(found, View())
    assert "… 22 more" in text
    assert "What its places wait for (10 of 40 here; -v shows all)" in text
    assert "default/many-29" in job(found, View(detail=Detail.EVERYTHING))


@pytest.mark.parametrize(
    ("by", "values", "sentence"),
    [
        ("priority", ["9", "1"], "priority 9 goes before 1"),
        ("gang", ["no", "yes"], "a has not its minimum yet, b has"),
        ("drf", ["0.1", "0.2"], "the share of the cluster of a is 0.1, that of b 0.2"),
        ("sla", ["x", "never"], "when: x goes before never"),
        ("created", ["x", "y"], "a is older, of x and not y"),
        ("uid", ["a", "b"], "nothing else tells them apart, and a comes before b by name"),
    ],
)
def test_what_decided_between_jobs(by: str, values: list[str], sentence: str) -> None:
    """Each comparison is a sentence with what it found."""
    places = [JobPlace(job="a", position=1), JobPlace(job="b", position=2, by=by, what="when", values=values)]
    assert decided(*places) == sentence
