"""Nesting is counted as YAML nests, whatever is written in quotes, comments and blocks of text."""

import pytest

from vqs.snapshot.reading.yaml_text import YamlErrors, load

NO_STRUCTURE = {
    "single quotes": "a: 'it''s {}'\n",
    "double quotes": 'a: "\\" {}"\n',
    "a comment": "a: 1 # {}\n",
    "a literal block": "a: |\n  {}\nb: 1\n",
    "a folded block": "a: >-\n   {}\n\n   more\n",
    "an indented block": "a:\n- |2\n    {}\n",
    "a plain text": "a: x {}\n",
    "a plain text of two lines": "a: x\n  - y {}\n",
    "a key": "'{}': 1\n",
    "quotes in a list": "a: [b's, '{}', \"c\"]\n",
}
DEEP = {
    "brackets": ("a: " + "[" * 1500, 1),
    "braces": ("{a: " * 1500, 1),
    "closed brackets": ("a: " + "[" * 1500 + "]" * 1500, 1),
    "brackets on many lines": ("a:\n" + " [\n" * 1500, 201),
    "brackets after a text in quotes": ('a: "b" ' + "[" * 1500, 1),
    "dashes": ("- " * 1500 + "x", 1),
    "question marks": ("? " * 1500 + "x", 1),
    "mappings": ("".join(" " * level + "a:\n" for level in range(1500)), 201),
    "lists in mappings": ("".join("  " * level + "- a:\n" for level in range(800)), 101),
    "mappings, then brackets": ("".join(" " * level + "a:\n" for level in range(150)) + " " * 150 + "[" * 1500, 151),
    "brackets after a list of texts": ("a: ['it', 's', \"[\", # [\n" + "[" * 1500, 2),
    "line breaks of other systems": ("a: 1\r\nb: " + "[" * 1500, 2),
}


@pytest.mark.parametrize("text", NO_STRUCTURE.values(), ids=NO_STRUCTURE)
def test_brackets_in_texts(text: str) -> None:
    """Brackets in texts and comments nest nothing, also before an error."""
    whole = text.replace("{}", "[{" * 300)
    assert len(load(whole)) == 1
    with pytest.raises(YamlErrors) as caught:
        load(f"{whole}z: ]\n")
    assert [problem.code for problem in caught.value.problems] == ["invalid-yaml"]


@pytest.mark.parametrize(("text", "line"), DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("rest", ["", "\n'", "\n\t]"], ids=["", "open quote", "tab"])
def test_too_deep(text: str, line: int, rest: str) -> None:
    """A text that is nested too deeply is refused as such, on the line where it becomes so, whatever follows."""
    with pytest.raises(YamlErrors) as caught:
        load(text + rest)
    assert [(each.code, each.position.line) for each in caught.value.problems] == [("too-deep", line)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: " + "[" * 190 + "]" * 190, ""),
        ("a0: &a0 x\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 150)), ""),
        (
            "a0: &a0 x\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 250)),
            "its aliases are nested deeper than 200 levels",
        ),
    ],
    ids=["brackets", "aliases", "too many aliases"],
)
def test_limit(text: str, message: str) -> None:
    """Up to 200 levels are read, those that aliases stand for counted."""
    if not message:
        assert len(load(text)) == 1
        return
    with pytest.raises(YamlErrors) as caught:
        load(text)
    assert [problem.message for problem in caught.value.problems] == [message]
