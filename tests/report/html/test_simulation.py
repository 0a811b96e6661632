"""The page on a session is one file that needs nothing else, holds everything, and takes names for names."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.html_pages import (
    HOSTILE,
    Parsed,
    crowd,
    evicting,
    hostile,
    page_of,
    session,
    unpacked,
    unpacked_names,
)
from tests.report.writers import as_html as simulation
from vqs.explain.outcome import Simulation
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.inert import name as visible
from vqs.report.formats import Extras, View
from vqs.report.html.data import names_column, packed
from vqs.report.html.page import embedded

SCENARIOS = ["first-look", "pipelined-gang", "hierarchy-queue-above-is-full", "hierarchy-parent-missing"]

_PLACE_OF_SVG = "http://www.w3.org/2000/svg"
"""The name of a vocabulary, which nobody fetches."""


def outside(page: str) -> list[str]:
    """Return what a page refers to outside of itself."""
    parsed = Parsed(page)
    fetched = ("src", "srcset", "data", "poster", "action", "background", "formaction", "ping", "manifest")
    found = [str(attributes[name]) for _, attributes in parsed.elements for name in fetched if name in attributes]
    found += [
        str(attributes["href"])
        for _, attributes in parsed.elements
        if "href" in attributes and not str(attributes["href"]).startswith("#")
    ]
    code = "".join([*(text for kind, text in parsed.scripts if not kind), *parsed.styles])
    found += re.findall(r"https?://[^\s\"'`]*|url\([^)]*\)|@import.*|@font-face", code.replace(_PLACE_OF_SVG, ""))
    return found + re.findall(r"\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import)\s*\(", code)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_nothing_is_fetched(scenario: str) -> None:
    """No element, style or line of the script refers to anything outside of the file."""
    assert outside(page_of(session(scenario))) == []


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_policy_lets_nothing_else_in(scenario: str) -> None:
    """The network is forbidden, and only the page's own style and script may run: their hashes are those allowed."""
    parsed = Parsed(page_of(session(scenario)))
    [script] = [text for kind, text in parsed.scripts if not kind]
    hashes = [b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in ("".join(parsed.styles), script)]
    assert parsed.policy == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def test_the_policy_is_met() -> None:
    """No element has a style or an event of its own, which the policy would not let through."""
    for _, attributes in Parsed(page_of(session("first-look"))).elements:
        assert not [name for name in attributes if name == "style" or name.startswith("on")]


def test_the_same_result_is_the_same_page() -> None:
    """Not a byte depends on anything but the result."""
    assert page_of(evicting()) == page_of(evicting())


def test_names_are_not_markup() -> None:
    """Whatever a name looks like, the page has the elements that it would have with others."""
    plain, strange = Parsed(page_of(evicting())), Parsed(page_of(hostile()))
    kinds = [tag for tag, _ in strange.elements if tag not in ("li", "dt", "dd")]
    assert [tag for tag in kinds if tag in ("script", "img", "b", "style")].count("script") == 2
    assert "img" not in kinds
    assert [kind for kind, _ in strange.scripts] == [kind for kind, _ in plain.scripts]
    assert [text for kind, text in strange.scripts if not kind] == [text for kind, text in plain.scripts if not kind]


def test_names_arrive_as_they_are() -> None:
    """What the script reads is every name, with that written out which has no shape of its own."""
    result = hostile()
    names = unpacked_names(Parsed(page_of(result)).data["tasks"]["path"])
    assert names == [visible(f"{task.namespace}/{task.name}") for task in result.tasks]
    assert visible(HOSTILE[0]) in names[0]


@given(
    st.recursive(st.text() | st.integers() | st.none(), lambda each: st.lists(each) | st.dictionaries(st.text(), each))
)
def test_data_never_ends_its_element(data: object) -> None:
    """No character of markup, and no line separator, is left in what is put into the page."""
    text = str(embedded(data))
    assert not set(text) & {"<", ">", "&", "\u2028", "\u2029"}
    assert Parsed(f'<script type="application/json">{text}</script>').data == data


@given(st.lists(st.integers(-5, 5) | st.integers(0, 2**31 - 1)))
def test_columns_are_read_as_they_were_written(values: list[int]) -> None:
    """However a column is shortened, and never to something longer."""
    column = packed(values)
    assert unpacked(column) == values
    assert isinstance(column, list) or len(next(iter(column.values()))) <= len(values)


@given(st.lists(st.text() | st.sampled_from(["ns/a-1", "ns/a-2", "ns/é-1", "ns/é-2", "ns/🚀1", "ns/🚀2"])))
def test_names_are_read_as_they_were_written(names: list[str]) -> None:
    """Names that begin alike are shortened, but for what is not ASCII, of which a script counts other parts."""
    column = names_column(names)
    assert unpacked_names(column) == [visible(name) for name in names]
    assert all(visible(name)[:shared].isascii() for name, shared in zip(names, unpacked(column["shared"]), strict=True))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_task_and_job_is_there(scenario: str) -> None:
    """With its status, its node and its verdict."""
    result = session(scenario)
    data = Parsed(page_of(result)).data
    texts, verdicts = data["texts"], data["verdicts"]
    assert unpacked_names(data["jobs"]["path"]) == [f"{job.namespace}/{job.name}" for job in result.jobs]
    tasks = data["tasks"]
    found = [
        (path, texts[status], texts[node], verdicts[verdict]["code"] if verdict else "")
        for path, status, node, verdict in zip(
            unpacked_names(tasks["path"]),
            unpacked(tasks["status"]),
            unpacked(tasks["node"]),
            unpacked(tasks["verdict"]),
            strict=True,
        )
    ]
    assert found == [
        (f"{task.namespace}/{task.name}", task.status, task.node or "", task.verdict.code if task.verdict else "")
        for task in result.tasks
    ]


def test_what_pods_say_is_there() -> None:
    """With the reason, and with what it means for each verdict; a result that was saved without has the message."""
    result = session("first-look")
    result.tasks[0].pod_scheduled, result.tasks[0].message = None, "0/3 nodes"
    data = Parsed(page_of(result)).data
    said = [data["texts"][number] for number in unpacked(data["tasks"]["pod"])]
    assert said[0] == "0/3 nodes"
    shown = [(task.pod_scheduled_reason, task.pod_scheduled) for task in result.tasks[1:]]
    assert said[1:] == [f"{reason}: {text}" if text else "" for reason, text in shown]
    codes = {task.verdict.code for task in result.tasks if task.verdict}
    assert data["podMeanings"] == {code: VERDICT_RULES[code].pod for code in sorted(codes)}


def test_every_step_is_there() -> None:
    """The operations of all statements, with in whose favour an eviction is."""
    result = evicting()
    data = Parsed(page_of(result)).data
    trace, paths = data["trace"], unpacked_names(data["tasks"]["path"])
    steps = [step for statement in result.trace for step in statement.operations]
    assert sum(unpacked(trace["length"])) == len(steps)
    assert [paths[task] for task in unpacked(trace["task"])] == [step.task for step in steps]
    evictors = [paths[task] if task >= 0 else data["texts"][-1 - task] for task in unpacked(trace["evictor"])]
    assert evictors == [step.evictor for step in steps]
    assert "ns/high-worker-0" in evictors


def test_a_line_of_the_log_is_shared() -> None:
    """Tasks that got the same verdict share it, though the scheduler's log names each of them."""
    data = Parsed(page_of(crowd(20, 400))).data
    assert [verdict["log"] for verdict in data["verdicts"][1:]] == ["Predicates failed: {name}"]


def test_a_large_page_stays_small() -> None:
    """A task takes some tens of bytes, its place in the trace and all."""
    small, large = (len(page_of(crowd(500, tasks))) for tasks in (2_000, 22_000))
    assert (large - small) / 20_000 < 50


def test_the_answer_comes_first() -> None:
    """The summary, what stands still, and the notes can be read without any script."""
    result = session("hierarchy-parent-missing")
    words = Parsed(page_of(result)).words
    order = [
        words.index(text) for text in ("Scheduling is blocked in all queues", "0 tasks placed", "Session settings")
    ]
    assert order == sorted(order)


def test_codes_are_explained() -> None:
    """Of each verdict the number of tasks, what it says, and the command that tells more."""
    parsed = Parsed(page_of(session("first-look")))
    assert "not admitted, as the overcommit limit is reached" in parsed.words
    commands = [attributes["data-copy"] for _, attributes in parsed.elements if "data-copy" in attributes]
    assert commands[0] == "vqs rule not-enqueued-overcommit"


def test_lists_that_were_asked_for_are_there() -> None:
    """The scores and fit errors of tasks, as tables."""
    result = session("first-look")
    words = Parsed(simulation(result, View(extras=Extras(scores=["batch/nightly-etl-1"])))).words
    assert "batch/nightly-etl-1" in words


def test_a_result_without_nodes_has_a_page() -> None:
    """A result that was kept without its nodes says so in place of their map."""
    result = session("first-look")
    bare = Simulation(**{name: getattr(result, name) for name in result.__struct_fields__ if name != "nodes"})
    assert "--nodes keeps them" in Parsed(page_of(bare)).words


def test_elements_have_ids_of_their_own() -> None:
    """No id is given twice, and what refers to one finds it."""
    parsed = Parsed(page_of(session("first-look")))
    ids = [str(attributes["id"]) for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {str(attributes["href"]).removeprefix("#") for tag, attributes in parsed.elements if tag == "a"}
    labels = {
        str(attributes["aria-labelledby"]) for _, attributes in parsed.elements if "aria-labelledby" in attributes
    }
    assert (links | labels) - {"details-title"} <= set(ids)
