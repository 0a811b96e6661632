"""The page on a job for a terminal: the answer first, then stage by stage."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from msgspec import UNSET, structs
from syrupy.assertion import SnapshotAssertion

from tests.build import CONF, gang, job_task, manifests, node, pod, queue, stored_job
from tests.kubectl_dumps import cluster, group_of, item, uid_of, volcano_job, write_dump
from tests.report.job_reports import (
    GATE,
    LOSER,
    NOBODY,
    RECLAIM,
    SHOWN,
    SPARED,
    TAKES,
    WITHIN,
    report,
)
from tests.report.writers import as_table as job
from vqs.explain.jobs.outcome import JobPlace
from vqs.explain.jobs.remedies import Ended
from vqs.explain.jobs.report import explain_job
from vqs.explain.outcome import Affected, Decision, DiagnosticResult
from vqs.explain.simulate import SimulateOptions
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.report.formats import Detail, View
from vqs.report.job.page import decided, next_step
from vqs.snapshot.reading.reader import read_manifests

COLOR = re.compile(r"\x1b\[[\d;]*m")
HEADINGS = ["Fixes that work", "Admission (enqueue)", "Scheduling order", "Placement attempts", "Eviction"]


@pytest.mark.parametrize(("scenario", "name"), SHOWN)
def test_table(scenario: str, name: str, snapshot: SnapshotAssertion) -> None:
    """Whatever happened, the tables tell it with its figures."""
    assert job(report(scenario, name), View()) == snapshot


@pytest.mark.parametrize(("scenario", "name"), [NOBODY, WITHIN])
def test_narrow(scenario: str, name: str, snapshot: SnapshotAssertion) -> None:
    """The tables look like this on a narrow terminal."""
    assert job(report(scenario, name), View(width=80)) == snapshot


@pytest.mark.parametrize(("scenario", "name"), [SPARED, RECLAIM])
def test_everything(scenario: str, name: str, snapshot: SnapshotAssertion) -> None:
    """With all details there are all jobs, searches, candidates and what was tried in vain."""
    assert job(report(scenario, name), View(detail=Detail.EVERYTHING)) == snapshot


def test_notes_on_others_are_counted() -> None:
    """What is about other jobs and queues is only shown where everything is wanted."""
    found = report(*NOBODY)
    own, other = (
        DiagnosticResult(code="c", severity="note", message=text, elsewhere=text == "of others")
        for text in ("of all", "of others")
    )
    for number, left_out in ((1, "1 note on other jobs or queues is left out: vqs simulate shows it"), (2, "2 notes")):
        found = structs.replace(found, diagnostics=[own, *[other] * number])
        notes = job(found, View()).partition("\nNotes\n")[2].splitlines()
        assert notes[0] == "note: of all"
        assert notes[1].startswith(left_out)
        everything = job(found, View(detail=Detail.EVERYTHING)).partition("\nNotes\n")[2].splitlines()
        assert everything[: number + 1] == ["note: of all", *["note: of others"] * number]


WHOLE = re.compile(r'"(?:\\.|[^"\\])*"|\S+')


@pytest.mark.parametrize("detail", list(Detail))
@pytest.mark.parametrize("width", [30, 60, 80, 200])
@pytest.mark.parametrize(("scenario", "name"), SHOWN)
def test_no_line_is_longer_than_the_terminal(scenario: str, name: str, width: int, detail: Detail) -> None:
    """A line is broken between words; only a name is never cut, nor is a configuration in a patch."""
    text = job(report(scenario, name), View(width=width, detail=detail))
    long = [line for line in text.splitlines() if len(line) > width]
    assert all(len(max(WHOLE.findall(line), key=len)) > width - 30 for line in long)
    assert width < 80 or all(r"\n" in line for line in long)


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
    ("shown", "command"),
    [
        (
            GATE,
            "vqs explain-queue hierarchy-queue-above-is-full.yaml --queue research shows the limits and the use",
        ),
        (WITHIN, "vqs rule fragmented says what to do; vqs simulate reclaim-no-victim.yaml --clone-node node-0=1"),
        (
            LOSER,
            "vqs explain-job preempt-higher-priority.yaml --job default/urgent explains the job that evicts its tasks",
        ),
    ],
)
def test_the_last_line_names_the_command_to_go_on_with(shown: tuple[str, str], command: str) -> None:
    """It can be typed as it stands."""
    assert command in job(report(*shown), View()).splitlines()[-1]


@pytest.mark.parametrize(
    ("phase", "actions", "decision", "sentence"),
    [
        ("Running", ["enqueue"], "committed", "Admitted before this session: its PodGroup is Running."),
        ("Pending", ["allocate"], "not-enqueued", "The action enqueue is not configured: no job is admitted."),
        ("Pending", ["enqueue"], "not-enqueued", "Not admitted: none of the 2 nodes has room"),
        ("", ["enqueue"], "discarded", "Admitted without a check: it has no minResources"),
    ],
)
def test_a_gate_without_an_account(phase: str, actions: list[str], decision: Decision, sentence: str) -> None:
    """Where no plugin checked it, the report says why not."""
    found = deepcopy(report(*WITHIN))
    found.job.phase_before, found.session.actions, found.job.decision = phase, actions, decision
    assert sentence in job(found, View())


def test_a_job_that_no_action_looks_at() -> None:
    """Of one whose queue does not exist, there is nothing to say stage by stage."""
    ignored = manifests([node("n"), queue("research"), gang("job", 1, queue="reserch")])
    text = job(explain_job(ignored, SimulateOptions(), "ns/job", sessions=None), View())
    assert "create queue/reserch" in text
    assert not any(heading in text for heading in HEADINGS[1:])


def test_jobs_around_it_are_listed_where_everything_is_asked_for() -> None:
    """Usually the neighbours are enough, and what decided between them."""
    neighbours = "default/sweep is number 2 of 2 jobs that wait in queue research."
    assert neighbours in job(report(*GATE), View())
    assert "WHY AFTER THE JOB ABOVE" not in job(report(*GATE), View())
    everything = job(report(*GATE), View(detail=Detail.EVERYTHING))
    assert "2  ▸ default/sweep  default/train is older" in everything


def test_searches_that_are_rolled_back() -> None:
    """The victims of a gang that stays incomplete are shown, and that they stay."""
    found = deepcopy(report(*TAKES))
    for search in found.searches:
        search.result = "discard"
    text = job(found, View())
    assert "Eviction: no task is evicted for this job" in text
    assert "reserved on node-0, rolled back: gang incomplete" in text
    assert "rolled back  allowed by priority, gang, conformance" in text


def test_room_that_is_being_released_anyhow() -> None:
    """A search may find room without evicting anybody."""
    found = deepcopy(report(*TAKES))
    found.searches[0].victims = []
    assert "reserved on node-0, without evicting a task" in job(found, View())


def test_names_in_the_next_command_are_quoted() -> None:
    """What comes from the snapshot may hold anything."""
    found = deepcopy(report(*WITHIN))
    found.job.display_name, found.scenario = "default/a $HOME", "a.yaml, b.yaml"
    assert "--job 'default/a $HOME' shows the session" in next_step(found, View()).text()


def test_remedies_that_were_not_looked_for() -> None:
    """The report says how to have them looked for."""
    text = job(report(*WITHIN, sessions=0), View())
    assert "No fix was searched for. --budget 10s searches for 10 seconds" in text


def test_remedies_that_no_session_was_left_for() -> None:
    """They are named, and a gap between what helps and what does not is told."""
    text = job(report(*NOBODY, sessions=1), View())
    assert "1 change was tried, the limit that --sessions sets; not tried, or not to the end: " in text


def test_a_snapshot_without_nodes() -> None:
    """The advice is to add nodes, not what lifts the blocker where there are some."""
    objects = gang("job", 1, phase="Pending", minResources={"cpu": 1})
    text = job(explain_job(manifests(objects), SimulateOptions(), "ns/job", sessions=None), View())
    assert "What to do: Add nodes to the snapshot" in text
    assert "raise overcommit-factor" not in text


def test_no_remedy_at_all() -> None:
    """The kinds that were tried are named, each once, and those that never are."""
    found = deepcopy(report(*SPARED))
    assert found.fix_search is not None
    found.fix_search.fixes = []
    found.fix_search.ineffective *= 2
    text = job(found, View())
    assert "No single change gets the job placed. Tried: guarantee, requests." in text
    found.fix_search.ineffective = []
    found.fix_search.not_tried = []
    text = job(found, View())
    assert "There was no single field to change." in text
    first = found.blockers[0]
    assert f"What to do about {first.resource}: {VERDICT_RULES[first.code].remedy}" in text


def test_no_more_than_five_fixes_are_shown() -> None:
    """The others are counted, and shown with --all-fixes."""
    found = deepcopy(report(*SPARED))
    assert found.fix_search is not None
    [first, *_] = found.fix_search.fixes
    found.fix_search.fixes = [structs.replace(first, parameter=f"knob-{number}", edits=[]) for number in range(7)]
    text = job(found, View())
    assert "2 more fixes are left out; --all-fixes shows them." in text
    assert ("knob-4 of" in text, "knob-5 of" in text) == (True, False)
    text = job(found, View(all_fixes=True))
    assert ("knob-6 of" in text, "left out" in text) == (True, False)


def test_fixes_that_differ_in_a_name_are_one_row() -> None:
    """As many more nodes of another type with the same outcome are no fix of their own."""
    found = deepcopy(report(*SPARED))
    assert found.fix_search is not None
    nodes = next(each for each in found.fix_search.fixes if each.parameter == "nodes")
    other = structs.replace(nodes, display_name="of kind c4, any zone", from_value=4, to=5, failing_value=4)
    found.fix_search.fixes = [nodes, other]
    assert re.search(
        r"^1 +1 more node like node-0, or of kind c4, any zone +- +\+1 +- ", job(found, View()), re.MULTILINE
    )


def test_jobs_that_may_end_are_one_row() -> None:
    """That a job loses its pods as it ends is no side effect; one that may end in its place is named with it."""
    found = deepcopy(report(*SPARED))
    assert found.fix_search is not None
    [first, *_] = found.fix_search.fixes
    ends = [
        structs.replace(
            first,
            parameter="end",
            object=f"job/ns/{name}",
            display_name=f"ns/{name}",
            affected=[Affected(job=f"ns/{name}", pods_before=4, pods_after=0)],
        )
        for name in "ab"
    ]
    found.fix_search.fixes = ends
    assert re.search(r"^1 +ns/a ends, or ns/b ", text := job(found, View()), re.MULTILINE)
    assert "fewer pods" not in text


def test_actions_are_told_once() -> None:
    """They are long, and stand in the edit; the columns of single values are empty."""
    found = deepcopy(report(*SPARED))
    assert found.fix_search is not None
    [remedy, *_] = found.fix_search.fixes
    remedy.parameter, remedy.edits, remedy.display_name = (
        "actions",
        ["conf.actions=enqueue, reclaim, allocate, backfill"],
        UNSET,
    )
    assert re.search(r"conf\.actions=enqueue, reclaim, allocate, backfill {6,}[0-9]+ of ", job(found, View()))


def test_changes_in_vain_that_read_the_same_are_one_row() -> None:
    """A reader sees no difference between them; one that was tried up to another value is a row of its own."""
    found = deepcopy(report(*SPARED))
    assert found.fix_search is not None
    [first, *_] = found.fix_search.fixes
    tried = structs.replace(first, parameter="knob", helps=False, edits=[], from_value=1, to=7)
    ends = structs.replace(tried, parameter="end", from_value="running", to="ended")
    found.fix_search.ineffective = [tried, deepcopy(tried), structs.replace(tried, to=8), ends]
    rows = job(found, View()).partition("Changes that do not help")[2].partition("\n\n")[0].splitlines()[3:]
    assert [" ".join(each.split()[-3:]) for each in rows[:2]] == ["1 up to 7"[2:], "1 up to 8"[2:]]
    assert len(rows) == 3
    assert rows[2].endswith(" ends")


def test_the_first_of_many_commands_can_be_copied() -> None:
    """Where only the first few are shown, a line that ends within them ends with a backslash, as in any other step."""
    found = deepcopy(report(*GATE))
    assert found.fix_search is not None
    commands = [
        f'kubectl patch queue team-{name} --type merge -p \'{{"spec":{{"weight":{name}}}}}\'' for name in range(5)
    ]
    found.fix_search.fixes[0].commands = commands
    lines = job(found, View(width=60)).splitlines()
    first = next(at for at, line in enumerate(lines) if "kubectl patch queue team-0" in line)
    last = next(at for at, line in enumerate(lines) if "2 more commands" in line)
    assert all(line.endswith("\\") for line in lines[first : last - 1])


def test_a_state_is_set_by_a_command() -> None:
    """Nobody can apply a status; the edit is for what-if, and the command is what a person does."""
    found = deepcopy(report(*SPARED))
    assert found.fix_search is not None
    [remedy, *_] = found.fix_search.fixes
    remedy.parameter, remedy.object, remedy.resource, remedy.display_name = "state", "queue/q 3", "", UNSET
    remedy.edits = ["queue/q 3.status.state=Open"]
    remedy.commands = ["vcctl queue operate -n 'q 3' --action open"]
    text = " ".join(job(found, View()).split())
    assert "state of queue/q 3 " in text
    assert "run vcctl queue operate -n 'q 3' --action open" in text
    assert "simulated as queue/q 3.status.state=Open" in " ".join(job(found, View(detail=Detail.EVERYTHING)).split())


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (
            "time",
            "The time for the search was up, and --budget gives it more; not tried, or not to the end: more nodes.",
        ),
        ("enough", "The fixes above are good enough; --all-fixes tries these, too: more nodes."),
    ],
)
def test_what_was_not_tried_is_named(ended: Ended, said: str) -> None:
    """With why the search ended before that, and how to have it tried; nothing is claimed of all changes then."""
    found = deepcopy(report(*SPARED))
    assert found.fix_search is not None
    found.fix_search.fixes, found.fix_search.ended, found.fix_search.not_tried = [], ended, ["more nodes"]
    text = job(found, View())
    assert f"Changes that were not tried\n{said}" in text
    assert "No single change" not in text


def test_tries_that_came_to_the_same_are_one() -> None:
    """Of a job that is placed task by task, the tries are told together."""
    text = job(report("queue-limit", "train"), View())
    assert "allocate, committed" in text
    found = deepcopy(report("queue-limit", "train"))
    found.attempts = [found.attempts[0]] * 4
    assert "allocate, 4 attempts, each committed" in job(found, View())
    assert "attempts, each" not in job(found, View(detail=Detail.EVERYTHING))


def test_pods_beyond_a_placed_minimum_have_fixes() -> None:
    """Of a job that has its minimum, fixes are those with which more of its pods start."""
    assert "1 of 1 waiting pod starts, in session 1" in job(report("queue-limit", "train"), View())


def test_long_lists_are_folded() -> None:
    """A number of candidates, nodes and tasks is enough to understand; -v shows all."""
    found = deepcopy(report(*RECLAIM))
    [poll, *_] = found.searches[0].node_votes
    victim = next(each for each in poll.candidates if each.evicted)
    poll.candidates = [deepcopy(victim) for _ in range(30)]
    for number, candidate in enumerate(poll.candidates):
        candidate.task = f"default/many-{number}"
    found.tasks = found.tasks * 20
    text = job(found, View())
    assert "… 22 more" in text
    assert "What the reserved nodes wait for (10 of 40 here; -v shows all)" in text
    assert "default/many-29" in job(found, View(detail=Detail.EVERYTHING))


@pytest.mark.parametrize(
    ("by", "values", "sentence"),
    [
        ("priority", ["9", "1"], "a has priority 9, and b has 1"),
        ("gang", ["no", "yes"], "b has its minimum number of tasks placed, while a does not"),
        ("drf", ["0.1", "0.2"], "a holds 10% of the cluster (dominant resource), b 20%"),
        ("sla", ["x", "never"], "the when is x for a, and never for b"),
        ("created", ["x", "y"], "a is older (created x; b y)"),
        ("uid", ["a", "b"], "all else is equal, and a sorts before b by name"),
    ],
)
def test_what_decided_between_jobs(by: str, values: list[str], sentence: str) -> None:
    """Each comparison is a sentence with what it found."""
    places = [
        JobPlace(job="a", position=1),
        JobPlace(job="b", position=2, decided_by=by, criterion="when", values=values),
    ]
    assert decided(*places) == sentence


def test_fixes_name_the_job_and_edit_its_pod_group(tmp_path: Path) -> None:
    """In a dump the PodGroup has a uid in its name: people read the job's, and the edit is what can be run."""
    owner = item(("kubeflow.org/v1", "TFJob"), "ray", namespace="ml", spec={}, status={})
    group = f"ray-{uid_of('ray')}"
    runs = volcano_job("web", namespace="ml", cpu=3, pods=2)
    path = write_dump(tmp_path / "dump.json", cluster(owner, *group_of(owner, group, cpu=6, pods=3), runs))
    found = explain_job(read_manifests([path]), SimulateOptions(scenario="dump.json"), "ml/ray", sessions=80)
    text = job(found, View())
    assert "minMember of job ml/ray " in text
    assert f"change it in TFJob ml/ray, the controller; simulated as podgroup/ml/{group}.spec.minMember=2" in text
    assert "priority of job ml/ray" in text
    assert "vqs simulate dump.json --set " in text.splitlines()[-1]
    assert "--job ml/ray shows the session with the first fix" in text.splitlines()[-1]


def test_a_job_that_has_to_end_is_called_by_its_name(tmp_path: Path) -> None:
    """The answer and the fix name the Volcano Job, not its PodGroup with the uid."""
    items = cluster(volcano_job("big", namespace="ml", cpu=8, pods=2), volcano_job("next", namespace="ml", cpu=8))
    for each in items:
        if each["kind"] == "Pod" and each["metadata"]["name"].startswith("big-"):
            each["spec"]["nodeName"] = f"node-{int(each['metadata']['name'][-1]) + 1}"
            each["status"]["phase"] = "Running"
    path = write_dump(tmp_path / "dump.json", items)
    found = explain_job(read_manifests([path]), SimulateOptions(), "ml/next", sessions=80)
    assert found.answer.endswith("It starts once ml/big ends.")
    assert re.search(r"^[0-9] +ml/big ends +running +ended ", job(found, View()), re.MULTILINE)
    assert found.fix_search is not None
    assert [each.edits for each in found.fix_search.fixes if each.parameter == "end"] == [["remove job/ml/big"]]


def test_a_fix_that_is_denied_after_creation(tmp_path: Path) -> None:
    """The page says to create the Job again with the lower request, and not to change it."""
    path = write_dump(tmp_path / "dump.json", cluster(volcano_job("train", namespace="ml", cpu=12)))
    text = job(explain_job(read_manifests([path]), SimulateOptions(), "ml/train", sessions=80), View())
    advice = "delete and re-create Job ml/train, with requests cpu 8: this cannot be changed after creation"
    assert advice in " ".join(text.split())
    assert "the controller" not in text


def test_no_node_is_large_enough(tmp_path: Path) -> None:
    """Where a queue's limit refuses a job that is too large for every node, and for any to be had, that is said."""
    path = write_dump(tmp_path / "dump.json", cluster(volcano_job("train", namespace="ml", cpu=1900), cpu=500))
    text = job(explain_job(read_manifests([path]), SimulateOptions(), "ml/train", sessions=80), View())
    words = " ".join(text.split())
    assert "No single change gets the job placed." in words
    assert "No node is large enough: a task requests 1900 cpu, and the largest node has 500." in words
    assert "requests" in words.partition("Tried: ")[2].partition(".")[0]


def test_a_minimum_that_gives_up_most_of_a_gang(tmp_path: Path) -> None:
    """The price of a much lower minimum is said beside it."""
    path = write_dump(tmp_path / "dump.json", cluster(volcano_job("train", namespace="ml", cpu=8, pods=16)))
    text = job(explain_job(read_manifests([path]), SimulateOptions(), "ml/train", sessions=80), View())
    assert "high price: 2 of 16 tasks are enough to start it" in " ".join(text.split())


def test_changes_that_do_not_help_are_called_after_jobs(tmp_path: Path) -> None:
    """A PodGroup whose name has a uid is not named in the list of what was tried in vain."""
    owner = item(("ray.io/v1", "RayCluster"), "ray", namespace="ml", spec={}, status={})
    group = f"ray-{uid_of('ray')}"
    path = write_dump(tmp_path / "dump.json", cluster(owner, *group_of(owner, group, cpu=20, pods=2)))
    found = explain_job(read_manifests([path]), SimulateOptions(), "ml/ray", sessions=80)
    tried_in_vain = job(found, View()).partition("Changes that do not help")[2].partition("Next:")[0]
    assert "of job ml/ray" in tried_in_vain
    assert uid_of("ray") not in tried_in_vain


def test_what_lint_warns_of_is_shown_where_nothing_else_helps() -> None:
    """A capability of the root is what keeps the job: to change it is no fix, and the page shows it all the same."""
    objects = [
        node("n"),
        queue("root", capability={"memory": "8Gi"}),
        queue("b", parent="root"),
        *gang("job", 3, queue="b"),
    ]
    conf = CONF.replace("name: proportion", "name: capacity\n    enableHierarchy: true")
    report = explain_job(manifests(objects, conf), SimulateOptions(), "ns/job", sessions=80)
    assert not report.fixes
    text = job(report, View())
    assert "queue/root.spec.capability.cpu=3" in text.partition("Changes that help, and that vqs lint warns of")[2]
    assert "--all-fixes shows" not in text


def test_advice_stays_where_only_new_hardware_helps() -> None:
    """What may be wrong with a resource that no node has is said beside the node that would have it."""
    objects = [node("n", cpu=4), queue("default"), *gang("job", 1, requests={"cpu": 3, "nvidia.com/gpu": 1})]
    text = " ".join(
        job(explain_job(manifests(objects, CONF), SimulateOptions(), "ns/job", sessions=80), View()).split()
    )
    assert "1 1 more node like n but with 1 nvidia.com/gpu " in text
    assert "add 1 node like n but with 1 nvidia.com/gpu" in text
    assert "What to do about nvidia.com/gpu: Correct the name of the resource if it is misspelled." in text


def test_a_fix_says_what_new_nodes_run_besides() -> None:
    """New nodes have the DaemonSet pods of the one that they are like."""
    daemons = [pod(f"proxy-{number}", node="n", owner=f"DaemonSet/proxy-{number}") for number in range(2)]
    objects = [node("n", cpu=4), queue("default"), *daemons, *gang("job", 2, cpu=2)]
    text = " ".join(
        job(explain_job(manifests(objects, CONF), SimulateOptions(), "ns/job", sessions=80), View()).split()
    )
    assert "add 1 node like n (it runs 2 DaemonSet pods, too)" in text


def test_an_object_that_a_file_has_not_is_added_to_it(tmp_path: Path) -> None:
    """Where it goes is named, and not the object itself, which the command has, and -o writes."""
    file = tmp_path / "all.yaml"
    [_, submitted] = stored_job("job", job_task(), minimum=1, queue="missing")
    del submitted["metadata"]["uid"], submitted["status"]
    file.write_text(yaml.safe_dump_all([node("n"), queue("default"), submitted]), encoding="utf-8")
    found = explain_job(read_manifests([str(file)]), SimulateOptions(), "ns/job", sessions=None)
    steps = job(found, View()).partition("STEPS\n")[2]
    assert re.search(r"kubectl create -f -; or add it to \S+all\.yaml:\d+$", steps, re.MULTILINE)
