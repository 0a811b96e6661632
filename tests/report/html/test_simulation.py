"""The page on a session is one file that needs nothing else, holds everything, and takes names for names."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.html_pages import (
    HOSTILE,
    Parsed,
    as_seen,
    crowd,
    evicting,
    hostile,
    page_of,
    session,
)
from tests.report.writers import as_html as simulation
from vqs.explain.outcome import AwaitedResult, Simulation
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.inert import name as visible
from vqs.report.as_json import write as as_json
from vqs.report.formats import Extras, View
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
    names = [task["name"] for task in Parsed(page_of(result)).data["tasks"]]
    assert names == [visible(task.name) for task in result.tasks]
    assert visible(HOSTILE[0]) in names[0]


@given(
    st.recursive(st.text() | st.integers() | st.none(), lambda each: st.lists(each) | st.dictionaries(st.text(), each))
)
def test_a_document_arrives_as_people_may_see_it(data: object) -> None:
    """It is the same but for characters without a shape, in letters that cannot end an element."""
    text = embedded(data)
    assert re.fullmatch(r"[A-Za-z0-9+/=]*", text)
    assert Parsed(f'<script type="application/gzip">{text}</script>').data == as_seen(data)


@pytest.mark.parametrize("scenario", [*SCENARIOS, None])
def test_the_page_carries_the_document(scenario: str | None) -> None:
    """It is the one that is published as JSON, so that a page says no more and no less than that."""
    result = evicting() if scenario is None else session(scenario)
    assert Parsed(page_of(result)).data == as_seen(json.loads(as_json(result, View())))


def test_what_pods_say_is_explained() -> None:
    """With each verdict comes what a pod that has it says."""
    parsed = Parsed(page_of(session("first-look")))
    told = {
        attributes["data-verdict"]: attributes["data-pod"]
        for _, attributes in parsed.elements
        if "data-pod" in attributes
    }
    assert told
    assert told == {code: VERDICT_RULES[code].pod for code in told if code}


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
    assert "not admitted, as the overcommit limit would be exceeded" in parsed.words
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


def test_pods_that_are_not_created_yet_have_a_card() -> None:
    """It stands beside those of the tasks where there are any, and leads to the jobs, as such pods are no tasks."""
    result = deepcopy(session("first-look"))
    card = '<a href="#jobs" class="count pending"><b>20</b> <span>not created yet</span></a>'
    assert "not created yet" not in Parsed(page_of(result)).words
    result.jobs[0].awaited = AwaitedResult(pods=20, request={}, waits_for="admission")
    assert card in page_of(result)


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
