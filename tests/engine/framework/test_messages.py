"""Messages that are written when they are read."""

from __future__ import annotations

from vqs.engine.framework.messages import Messages


def test_messages_are_written_when_they_are_read() -> None:
    """A message that is given as a function is written at its first reading, and no second time."""
    written: list[str] = []

    def write() -> str:
        written.append("ns/a")
        return "1/2 tasks in gang unschedulable"

    messages = Messages()
    messages.write_later("ns/a", write)
    assert ("ns/a" in messages, [*messages], len(messages), written) == (True, ["ns/a"], 1, [])
    assert [messages["ns/a"], messages.get("ns/a"), messages.get("ns/b")] == ["1/2 tasks in gang unschedulable"] * 2 + [
        None
    ]
    assert written == ["ns/a"]


def test_messages_are_a_mapping() -> None:
    """A plugin may set and delete texts as in any mapping."""
    messages = Messages()
    messages["ns/a"] = "one"
    assert messages == {"ns/a": "one"}
    del messages["ns/a"]
    assert messages == {}
