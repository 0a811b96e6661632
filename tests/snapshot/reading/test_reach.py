"""What may be read, and what is refused without a look into it."""

from __future__ import annotations

import io
import os
import socket
from pathlib import Path

import pytest

from vqs.snapshot.reading import compression
from vqs.snapshot.reading.compression import GZIP, ZSTD
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reach import Limits, Reach, enforced
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.reading.sources import read_source
from vqs.snapshot.whatif.sides import read_side

QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: %s}\n"
SECRET = 'password: {"hunter2'  # noqa: S105 - of nothing


@pytest.fixture(autouse=True)
def _checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to a repository that has a secret beside it."""
    (tmp_path / "secret.yaml").write_text(SECRET, encoding="utf-8")
    (tmp_path / "repo" / "queues").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repo")
    write("queues/a.yaml", QUEUE % "a")


def write(path: str, text: str) -> str:
    """Write a file, and return its path."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)  # noqa: PTH103, PTH120 - what is tested takes texts
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 - likewise
        file.write(text)
    return path


def scenario(path: str, include: str) -> str:
    """Write a scenario that includes something, and return its path."""
    return write(path, f"apiVersion: vqs/v1\nkind: Scenario\ninclude: {include}\n")


def names(manifests: Manifests) -> list[str]:
    """Return the names of the queues."""
    return [queue.metadata.name for queue in manifests.queues]


def refusals(*paths: str, limits: Limits | None = None) -> list[Diagnostic]:
    """Return what is said of files that are not read; nothing of the secret is in it."""
    with enforced(Reach(limits)), pytest.raises(InputErrors) as caught:
        read_manifests(paths)
    assert "hunter2" not in str(caught.value)
    return caught.value.diagnostics


@pytest.mark.parametrize(
    "target", ["../../secret.yaml", "../../no-such-file.yaml", "/dev/zero", "/dev/stdin", "..", "/", "../.env.yaml"]
)
@pytest.mark.parametrize("form", ["include", "link", "folder"])
def test_what_leads_out_of_a_folder(target: str, form: str) -> None:
    """Includes and links lead to nothing outside of what is named, and whether that is there is not told."""
    write(".env.yaml", SECRET)
    if form == "include":
        scenario("queues/b.yaml", target)
    elif form == "link":
        os.symlink(target, "queues/b.yaml")  # noqa: PTH211 - as above
    else:
        os.symlink(target, "queues/b.yaml.d")  # noqa: PTH211
        scenario("queues/b.yaml", "b.yaml.d")
    found = refusals("queues") if form != "link" or not os.path.isdir("queues/b.yaml") else []  # noqa: PTH112
    assert {(each.code, each.message) for each in found} <= {("out-of-reach", "this is outside of what may be read")}
    assert found or form == "link"


def test_a_link_to_a_folder_is_passed_over() -> None:
    """A folder that is read is not left through a link to another one, nor walked in a circle."""
    os.symlink("..", "queues/up")  # noqa: PTH211
    os.symlink("../..", "queues/up.yaml")  # noqa: PTH211
    assert names(read_manifests(["queues"])) == ["a"]


def test_a_link_in_a_circle() -> None:
    """A link in a circle is refused."""
    os.symlink("c.yaml", "queues/c.yaml")  # noqa: PTH211
    [error] = refusals("queues")
    assert (error.file, error.code) == ("queues/c.yaml", "unreadable-file")
    assert "a link that leads to itself" in error.message


@pytest.mark.parametrize("given", ["queues", "queues/a.yaml", "./queues", "{here}/queues"])
def test_a_name_that_was_made_a_link(given: str, tmp_path: Path) -> None:
    """What the command line names has to be there, and not where a link leads that was put in its place."""
    os.rename("queues", "../outside")  # noqa: PTH104
    os.symlink("../outside", "queues")  # noqa: PTH211
    path = given.format(here=tmp_path / "repo")
    [error] = refusals(path)
    assert error.message == f"this is a link that leads elsewhere, to {os.path.realpath(path)}"
    assert names(read_manifests(["../outside"])) == ["a"]
    with enforced(Reach(Limits(("..",)))):
        assert names(read_manifests([path])) == ["a"]


def test_a_checkout_that_a_pipeline_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An absolute path into the repository of a pipeline must not leave it, wherever the command is run."""
    os.rename("queues", "../outside")  # noqa: PTH104
    os.symlink("../outside", "queues")  # noqa: PTH211
    monkeypatch.chdir(tmp_path / "outside")
    path = str(tmp_path / "repo" / "queues" / "a.yaml")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "repo"))
    assert [each.code for each in refusals(path)] == ["out-of-reach"]


def test_a_repository_around_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path must not leave the repository that the command is run in, by a link in any folder of it."""
    os.rename("queues", "../outside")  # noqa: PTH104
    os.symlink("../outside", "queues")  # noqa: PTH211
    os.makedirs("sub/.git")  # noqa: PTH103 - a submodule
    os.mkdir(".git")  # noqa: PTH102
    monkeypatch.chdir(tmp_path / "repo" / "sub")
    for path in ("../queues/a.yaml", str(tmp_path / "repo" / "queues" / "a.yaml"), "../queues"):
        assert [each.code for each in refusals(path)] == ["out-of-reach"]


def test_a_link_on_the_way_to_a_folder_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of the repository, only a link in the folder of what is named can have been put there by others."""
    os.symlink("repo", tmp_path / "shared")  # noqa: PTH211
    os.makedirs("../work/tree")  # noqa: PTH103
    monkeypatch.chdir(tmp_path / "work" / "tree")
    for path in ("../../shared/queues/a.yaml", "../../shared/queues", str(tmp_path / "shared" / "queues" / "a.yaml")):
        assert names(read_manifests([path])) == ["a"]
    os.symlink("../../secret.yaml", tmp_path / "repo" / "queues" / "b.yaml")  # noqa: PTH211
    assert [each.code for each in refusals("../../shared/queues/b.yaml")] == ["out-of-reach"]


def test_a_name_that_is_a_link_within(tmp_path: Path) -> None:
    """Links are followed as long as they stay in the folder that a path starts from."""
    os.symlink("queues", "current")  # noqa: PTH211
    os.symlink("current/a.yaml", "latest.yaml")  # noqa: PTH211
    for path in ("current", "latest.yaml", "../repo/latest.yaml", str(tmp_path / "repo" / "current" / "a.yaml")):
        assert names(read_manifests([path])) == ["a"]


@pytest.mark.parametrize("hidden", [".git/config", ".env", "sub/.cache/x.yaml"])
def test_hidden_files(hidden: str) -> None:
    """Hidden files are read where the command line names them, and by no other way."""
    write(hidden, SECRET)
    os.symlink(hidden, "plain.yaml")  # noqa: PTH211
    assert [each.code for each in refusals("plain.yaml")] == ["out-of-reach"]
    assert [each.code for each in refusals("plain.yaml", limits=Limits((".",)))] == ["out-of-reach"]
    assert [each.code for each in refusals(scenario("b.yaml", hidden))] == ["out-of-reach"]
    write(hidden, QUEUE % "h")
    assert names(read_manifests([hidden])) == ["h"]
    assert names(read_manifests(["b.yaml", hidden])) == ["h"]


def test_a_mounted_config_map() -> None:
    """The hidden folders by which Kubernetes mounts a ConfigMap are looked into."""
    write("mounted/..2026_03_02_12_00_00.123/b.yaml", QUEUE % "b")
    os.symlink("..2026_03_02_12_00_00.123", "mounted/..data")  # noqa: PTH211
    os.symlink("..data/b.yaml", "mounted/b.yaml")  # noqa: PTH211
    assert names(read_manifests(["mounted"])) == ["b"]


def test_what_a_named_scenario_includes() -> None:
    """A scenario that is named includes what is beneath its own folder, and so does what it includes."""
    write("queues/sub/b.yaml", QUEUE % "b")
    scenario("queues/sub/more.yaml", "[b.yaml, ../a.yaml]")
    assert names(read_manifests([scenario("queues/all.yaml", "sub/more.yaml")])) == ["b", "a"]
    assert [each.code for each in refusals(scenario("queues/sub/up.yaml", "../a.yaml"))] == ["out-of-reach"]


def test_what_is_named_elsewhere() -> None:
    """A file in a folder includes what else is named; what only stands beside that is out of reach."""
    scenario("jobs/b.yaml", "../queues/a.yaml")
    write("queues/other.yaml", QUEUE % "other")
    assert names(read_manifests(["jobs", "queues/a.yaml"])) == ["a"]
    scenario("jobs/b.yaml", "../queues/other.yaml")
    assert [each.code for each in refusals("jobs", "queues/a.yaml")] == ["out-of-reach"]


def test_roots() -> None:
    """With roots, everything has to be beneath one of them, and may be anywhere there."""
    scenario("jobs/b.yaml", "../queues/a.yaml")
    with enforced(Reach(Limits((".",)))):
        assert names(read_manifests(["jobs"])) == ["a"]
    with enforced(Reach(Limits(("jobs", "queues")))):
        assert names(read_manifests(["jobs"])) == ["a"]
    [error] = refusals("jobs", limits=Limits(("queues",)))
    assert error.message.startswith("this is not beneath a folder of --root: ")
    assert [each.code for each in refusals("jobs", limits=Limits(("jobs",)))] == ["out-of-reach"]


def test_a_configuration_that_a_folder_links_to() -> None:
    """A configuration in a folder is no way out, either."""
    write("../volcano.conf", SECRET)
    os.symlink("../../volcano.conf", "queues/v.conf")  # noqa: PTH211
    with pytest.raises(InputErrors) as caught:
        read_side(["queues"])
    assert [(each.code, each.file) for each in caught.value.diagnostics] == [("out-of-reach", "queues/v.conf")]


def test_the_folder_of_a_scenario() -> None:
    """A scenario that includes the folder it is in is a circle, and nothing else in there is looked at."""
    write("credentials.json", SECRET)
    [error] = refusals(scenario("b.yaml", "."))
    assert error.message == "files include one another: b.yaml → b.yaml"


def special(path: str, kind: str) -> None:
    """Make something that is no regular file."""
    if kind == "a pipe":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path)


@pytest.mark.parametrize("kind", ["a pipe", "a socket"])
def test_special_files(kind: str) -> None:
    """What is no regular file is refused without being waited for, named, found or included."""
    special("queues/z.yaml", kind)
    scenario("b.yaml", "queues/z.yaml")
    for path in ("queues", "queues/z.yaml", "b.yaml"):
        [error] = refusals(path)
        assert (error.code, error.message) == ("unreadable-file", f"this is {kind}, and only regular files are read")
    assert "a device" in refusals("/dev/zero")[0].message


def test_a_folder_with_the_name_of_a_file() -> None:
    """A folder called like a file is walked."""
    write("queues/x.yaml/b.yaml", QUEUE % "b")
    assert names(read_manifests(["queues"])) == ["a", "b"]
    assert names(read_manifests([scenario("c.yaml", "queues/x.yaml")])) == ["b"]


def test_a_file_that_is_exchanged_while_it_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the opened file that counts: one that takes the place of another meanwhile is refused."""
    looked = os.lstat

    def exchanged(path: str) -> os.stat_result:
        found = looked(path)
        os.replace(write("new", SECRET), path)  # noqa: PTH105
        return found

    monkeypatch.setattr(os, "lstat", exchanged)
    monkeypatch.setattr(os.path, "realpath", lambda path: path)
    with pytest.raises(compression.SpecialFile, match="changes while it is read"):
        compression.open_regular("queues/a.yaml")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("~/x.yaml", "~ and variables are not expanded"),
        ("$HOME/x.yaml", "~ and variables are not expanded"),
        ("https://example.com/x.yaml", "an include is a local file"),
        ('"sub\\\\x.yaml"', "folders are separated by /"),
        ('"a\\0b"', "no file can have this name"),
        ("x" * 5000, "there is no file"),
        ("/".join(["x"] * 5000), "there is no file"),
    ],
    ids=lambda text: text[:12],
)
def test_names_that_no_file_has(given: str, said: str) -> None:
    """An include is the path of a file, and nothing in it is replaced."""
    [error] = refusals(scenario("b.yaml", given))
    assert said in f"{error.message} {error.help}"
    assert (error.file, error.line) == ("b.yaml", 3)


def test_a_long_name_on_the_command_line() -> None:
    """A name that no file can have is a file that cannot be read."""
    [error] = refusals("x" * 5000)
    assert "cannot be read: File name too long" in error.message


def test_the_most_bytes() -> None:
    """The limit is that of all files together, and said once."""
    write("queues/b.yaml", QUEUE % "b")
    both = 2 * len(QUEUE % "a")
    with enforced(Reach(Limits(max_bytes=both))):
        assert names(read_manifests(["queues"])) == ["a", "b"]
    write("queues/c.yaml", QUEUE % "c")
    write("queues/d.yaml", QUEUE % "d")
    [error] = refusals("queues", limits=Limits(max_bytes=both))
    assert error.code == "too-much-input"
    assert f"longer than the {both} bytes" in error.message
    assert "--max-bytes" in error.help


@pytest.mark.parametrize("packing", [None, GZIP, ZSTD])
def test_the_most_bytes_of_standard_input(packing: object) -> None:
    """Standard input is limited, too, as it comes and unpacked; no more of it is taken than that."""
    stream = io.BytesIO()
    if packing in (GZIP, ZSTD):
        with packing.writer(stream) as writer:
            writer.write(b" " * 4_000_000)
    else:
        stream.write(b" " * 4_000_000)
    stream.seek(0)
    with enforced(Reach(Limits(max_bytes=1_000_000))), pytest.raises(InputErrors, match="longer than the 1,000,000"):
        read_manifests(["-"], stdin=stream)
    assert stream.tell() < 3_000_000


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    """A file that is too long is refused for its length."""
    with (tmp_path / "repo" / "large.yaml").open("wb") as file:
        file.truncate(10**12)
    assert [each.code for each in refusals("large.yaml")] == ["too-much-input"]


def test_the_most_files() -> None:
    """A folder of too many files is refused before they are read, and so are too many folders and files."""
    write("queues/b.yaml", QUEUE % "b")
    write("more/c.yaml", QUEUE % "c")
    for paths in (("queues",), ("queues/a.yaml", "queues/b.yaml"), ("more", "queues/a.yaml")):
        [error] = refusals(*paths, limits=Limits(max_files=1))
        assert (error.code, error.message) == ("too-much-input", "there are more than 1 files to read")


def test_an_unreadable_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder below that cannot be looked into is an error: what is in it would be missing."""
    write("queues/below/b.yaml", QUEUE % "b")
    listed = os.scandir

    def denied(path: str) -> object:
        if path == "queues/below":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", denied)
    [error] = refusals("queues")
    assert (error.file, error.message) == ("queues/below", "cannot be read: Permission denied")


def test_a_deep_folder() -> None:
    """Folders may be nested as deep as a path can be long."""
    deep = "queues"
    for _ in range(1100):
        deep += "/d"
        os.mkdir(deep)  # noqa: PTH102 - as above
    file = write(f"{deep}/b.yaml", QUEUE % "b")
    try:
        assert names(read_manifests(["queues"])) == ["a", "b"]
    finally:  # pytest cannot clean up folders that are nested so deep
        os.remove(file)  # noqa: PTH107
        os.removedirs(deep)


def test_links_that_lead_through_many_others() -> None:
    """A chain of links that no system follows to its end is refused."""
    for number in range(1500):
        os.symlink(f"{number + 1}.link", f"queues/{number}.link")  # noqa: PTH211
    os.symlink("0.link", "queues/b.yaml")  # noqa: PTH211
    scenario("c.yaml", "queues/b.yaml")
    for path in ("queues", "queues/b.yaml", "c.yaml"):
        assert [each.code for each in refusals(path)] == ["unreadable-file"]


def test_includes_that_are_repeated() -> None:
    """A file is looked for once, however often a scenario includes it, and by however many."""
    names_of_a = ", ".join(["a.yaml"] * 1000)
    scenario("queues/b.yaml", f"[{names_of_a}]")
    for number in range(20):
        scenario(f"queues/s{number}.yaml", "sub")
    write("queues/sub/c.yaml", QUEUE % "c")
    assert names(read_manifests(["queues"])) == ["a", "c"]


def test_a_long_circle_is_told_in_short() -> None:
    """Of a circle of many files, the first few are named."""
    for number in range(30):
        scenario(f"circle/s{number}.yaml", f"s{(number + 1) % 30}.yaml")
    [error] = refusals("circle")
    assert "21 more" in error.message
    assert error.message.count(".yaml") == 10


def test_the_result_is_no_input() -> None:
    """A file that is about to be written is not read, by whatever name."""
    os.link("queues/a.yaml", "result.json")
    reach = Reach()
    reach.keep("result.json")
    with enforced(reach), pytest.raises(InputErrors, match="result is to be written to this file"):
        read_manifests(["queues"])


def test_what_is_opened_already() -> None:
    """A pipe that somebody has opened is read once, and known for as long as it takes."""
    reader, writer = os.pipe()
    os.write(writer, (QUEUE % "p").encode())
    os.close(writer)
    try:
        with enforced(Reach(Limits((".",)))):
            for _ in range(2):
                assert names(read_side([f"/dev/fd/{reader}"])) == ["p"]
    finally:
        os.close(reader)


def test_names_in_no_encoding() -> None:
    """A file whose name is no text is read, and told of in text."""
    raw = os.fsdecode(b"queues/caf\xe9.yaml")
    try:
        write(raw, QUEUE % "b")
    except OSError:
        pytest.skip("this file system has no such names")
    read = read_manifests(["queues"])
    assert [origin.document.source.name for origin in read.origins["queues"]] == [
        "queues/a.yaml",
        "queues/caf\\xe9.yaml",
    ]
    source = read_source(raw, None, None)  # type: ignore[arg-type]
    assert source is not None
    assert (source.name, source.path) == ("queues/caf\\xe9.yaml", raw)
