"""`vqs diff-configs`, as a user meets it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.changes import CLUSTER, CONF, QUEUE, git
from vqs.cli.main import main
from vqs.cli.output import LIMIT, cut
from vqs.snapshot.whatif import revision


@pytest.fixture(autouse=True)
def _nothing_piped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody feed standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    """Return a function that writes a file into the working directory, where there is a cluster."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    write("cluster.yaml", CLUSTER)
    return write


@pytest.fixture
def compared(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, object]]:
    """Return a function that compares and returns the result, and expects an exit status."""

    def run(*arguments: str, status: int = 1) -> dict[str, object]:
        assert main(["diff-configs", *arguments, "--format", "json", "--no-lint"]) == status
        result: dict[str, object] = json.loads(capsys.readouterr().out)
        return result

    return run


Write = "Callable[[str, str], str]"


def summary(result: dict[str, object]) -> str:
    """Return the jobs of a result with their first change."""
    jobs = result["jobs"]
    assert isinstance(jobs, list)
    return ", ".join(f"{job['name']} {job['changes'][0]}" for job in jobs)


def test_two_configurations(write: Callable[[str, str], str], compared: Callable[..., dict[str, object]]) -> None:
    """Two configurations are compared on a snapshot; the same one twice is no difference."""
    old = write("old.conf", CONF % "enqueue, allocate")
    new = write("new.conf", CONF % "enqueue, backfill")
    assert summary(compared(old, new, "--on", "cluster.yaml")) == "serve unplaced, train unplaced"
    same = compared(old, old, "--on", "cluster.yaml", status=0)
    assert (same["differs"], same["jobs"]) == (False, [])


def test_a_configuration_without_the_usual_ending(
    write: Callable[[str, str], str], compared: Callable[..., dict[str, object]]
) -> None:
    """A file with actions and tiers is a configuration, whatever its name."""
    new = write("scheduler.yaml", CONF % "enqueue, backfill")
    assert summary(compared(new, "--on", "cluster.yaml")) == "serve unplaced, train unplaced"


def test_folders(write: Callable[[str, str], str], compared: Callable[..., dict[str, object]]) -> None:
    """A side may be a folder with queues and a configuration."""
    for side, weight in (("base", 1), ("candidate", 3)):
        write(f"{side}/queues/a.yaml", QUEUE % ("a", weight))
        write(f"{side}/volcano-scheduler.conf", CONF % "enqueue, allocate")
    result = compared("base", "candidate", "--on", "cluster.yaml")
    assert summary(result) == "serve unplaced, train placed"
    assert result["after"]["files"] == ["candidate/queues/a.yaml", "candidate/volcano-scheduler.conf"]  # type: ignore[index]


def test_several_files_on_a_side(write: Callable[[str, str], str], compared: Callable[..., dict[str, object]]) -> None:
    """More files are added to a side with --base and --candidate."""
    files = [write(f"{name}.yaml", QUEUE % (name[0], 1 + 2 * (name == "a2"))) for name in ("a1", "b1", "a2", "b2")]
    given = [files[0], files[2], "--base", files[1], "--candidate", files[3], "--on", "cluster.yaml"]
    assert summary(compared(*given)) == "serve unplaced, train placed"


def test_sides_that_stand_alone(write: Callable[[str, str], str], compared: Callable[..., dict[str, object]]) -> None:
    """Without a snapshot, whole clusters are compared."""
    other = write("other.yaml", CLUSTER.replace("cpu: 4", "cpu: 2"))
    assert summary(compared("cluster.yaml", other)) == "serve unplaced, train unplaced"


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        (["--set", "queue/a.spec.weight=3"], "serve unplaced, train placed"),
        (["--set", 'conf.actions="enqueue, backfill"'], "serve unplaced, train unplaced"),
        (["--clone-node", "node-0=2"], "serve placed, train placed"),
        (["--remove", "node/node-1"], "serve unplaced, train unplaced"),
        (["--scale", "job/default/train=1"], "serve placed, train request"),
        (["--add", "more.yaml"], "late added, train unplaced"),
        (["--edits", "edits.yaml"], "serve unplaced, train placed"),
    ],
)
def test_edits_make_the_candidate(
    write: Callable[[str, str], str],
    compared: Callable[..., dict[str, object]],
    edits: list[str],
    expected: str,
) -> None:
    """What-if edits make the candidate, and are told."""
    write("edits.yaml", "- queue/a.spec.weight=3\n")
    write("more.yaml", CLUSTER[: CLUSTER.index("nodes")] + "jobs:\n  - {name: late, queue: a, cpu: 1, memory: 1Gi}\n")
    result = compared("--on", "cluster.yaml", *edits)
    assert set(expected.split(", ")) == set(summary(result).split(", "))
    assert result["after"]["edits"]  # type: ignore[index]
    assert "edits" not in result["before"]  # type: ignore[operator]


def test_the_base_from_git(
    write: Callable[[str, str], str], compared: Callable[..., dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base of files is taken from a revision, also in a folder of the repository."""
    write("repo/queues/a.yaml", QUEUE % ("a", 1))
    write("repo/volcano-scheduler.conf", CONF % "enqueue, allocate")
    monkeypatch.chdir("repo")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    Path("queues/a.yaml").write_text(QUEUE % ("a", 3), encoding="utf-8")
    ref = ["--base-ref", "main", "--on", "../cluster.yaml"]
    result = compared(*ref, "queues", "volcano-scheduler.conf")
    assert summary(result) == "serve unplaced, train placed"
    assert result["before"]["files"] == ["main:queues/a.yaml", "main:volcano-scheduler.conf"]  # type: ignore[index]
    monkeypatch.chdir("queues")
    assert summary(compared(*ref[:3], "../../cluster.yaml", "a.yaml")) == "serve unplaced, train placed"
    git("checkout", "a.yaml")
    compared(*ref[:3], "../../cluster.yaml", "a.yaml", status=0)


@pytest.fixture
def repository(write: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a repository with three queues, two of them in the cluster, and a configuration."""
    for name in ("a", "b", "c"):
        write(f"repo/queues/{name}.yaml", QUEUE % (name, 1))
    write("repo/volcano-scheduler.conf", CONF % "enqueue, allocate")
    monkeypatch.chdir("repo")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")


FROM_GIT = ["--base-ref", "main", "--on", "../cluster.yaml", "queues", "volcano-scheduler.conf"]


def queue_changes(result: dict[str, object]) -> dict[str, str]:
    """Return what has become of the queues of which anything has."""
    queues = result["queues"]
    assert isinstance(queues, list)
    return {each["name"]: each["change"] for each in queues if each["change"] != "same"}


@pytest.mark.usefixtures("repository")
def test_what_a_change_deletes(compared: Callable[..., dict[str, object]]) -> None:
    """A queue whose file is deleted, or says nothing any more, is gone, and so are its jobs, also from the snapshot."""
    Path("queues/b.yaml").unlink()
    Path("queues/c.yaml").write_text("# nothing here any more\n", encoding="utf-8")
    result = compared(*FROM_GIT)
    assert queue_changes(result)["b"] == queue_changes(result)["c"] == "removed"
    assert summary(result) == "serve left-alone, train placed"
    assert result["after"]["edits"] == ["remove queue/b"]  # type: ignore[index]
    serve = result["jobs"][0]  # type: ignore[index]
    assert serve["why"]["after"] == "the job is orphaned: queue b does not exist"


@pytest.mark.usefixtures("repository")
def test_a_queue_with_a_namespace(compared: Callable[..., dict[str, object]]) -> None:
    """A queue is in no namespace, whatever it says: it is deleted, and found on its line, all the same."""
    for name in ("a", "b"):
        Path(f"queues/{name}.yaml").write_text(
            (QUEUE % (name, 1)).replace("name:", "namespace: volcano-system, name:"), encoding="utf-8"
        )
    git("commit", "-am", "second")
    Path("queues/a.yaml").unlink()
    result = compared(*FROM_GIT)
    assert queue_changes(result)["a"] == "removed"
    before = {each["name"]: each["before"].get("file") for each in result["queues"]}  # type: ignore[attr-defined]
    assert before["a"] == "main:queues/a.yaml"


@pytest.mark.usefixtures("repository")
def test_a_folder_that_a_change_empties(compared: Callable[..., dict[str, object]]) -> None:
    """Where a change deletes all that there was, all of it is gone, be the folder there or not."""
    for name in ("a", "b", "c"):
        Path(f"queues/{name}.yaml").unlink()
    emptied = compared(*FROM_GIT)
    Path("queues").rmdir()
    assert compared(*FROM_GIT) == emptied
    assert queue_changes(emptied) == dict.fromkeys("abc", "removed")
    assert summary(emptied) == "serve left-alone, train left-alone"


@pytest.mark.usefixtures("repository")
def test_what_a_change_adds(compared: Callable[..., dict[str, object]]) -> None:
    """A file, and a folder, that the revision does not have yet is new; where it is another's, it was moved."""
    Path("more").mkdir()
    Path("more/d.yaml").write_text(QUEUE % ("d", 1), encoding="utf-8")
    assert queue_changes(compared(*FROM_GIT, "more")) == {"d": "added"}
    Path("more/d.yaml").unlink()
    Path("queues/c.yaml").rename("more/c.yaml")
    assert queue_changes(compared(*FROM_GIT, "more", status=0)) == {}


@pytest.mark.usefixtures("repository")
def test_a_configuration_that_a_change_deletes(capsys: pytest.CaptureFixture[str]) -> None:
    """The scheduler runs with Volcano's default then, and the report says so."""
    Path("volcano-scheduler.conf").unlink()
    assert main(["diff-configs", *FROM_GIT, "--no-lint"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "Warning: the scheduler has no configuration any more; it uses Volcano's default" in out
    assert "proportion" in out


CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: %s, namespace: %s}
data:
  volcano-scheduler.conf: |
%s"""


def config_map(name: str = "volcano-scheduler-configmap", namespace: str = "volcano-system") -> str:
    """Write the usual configuration in a ConfigMap."""
    return CONFIG_MAP % (name, namespace, "".join(f"    {line}\n" for line in (CONF % "allocate").splitlines()))


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ({"a.yaml": config_map()}, {"a.yaml": config_map("other")}, "moved"),
        ({"a.yaml": config_map()}, {"a.yaml": config_map(namespace="other")}, "moved"),
        ({"a.yaml": config_map()}, {"a.yaml": config_map().replace("scheduler.conf", "volcano.conf")}, "moved"),
        ({"a.yaml": config_map()}, {"a.yaml": config_map(), "x.conf": CONF % "allocate"}, "moved"),
        ({"a.conf": CONF % "allocate"}, {"b.conf": CONF % "allocate"}, "moved"),
        ({"a.yaml": config_map()}, {}, "gone"),
        ({}, {"a.yaml": config_map()}, "new"),
        ({"a.yaml": config_map()}, {"b.yaml": config_map()}, ""),
        ({"a.yaml": config_map()}, {"a.yaml": config_map().replace("allocate", "enqueue, allocate")}, ""),
    ],
)
def test_the_place_of_the_configuration(
    write: Callable[[str, str], str],
    compared: Callable[..., dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
    *,
    before: dict[str, str],
    after: dict[str, str],
    change: str,
) -> None:
    """That it is gone, new, or stands where the scheduler does not look is a difference, whatever its settings are."""
    for name, text in {**before, "q.yaml": QUEUE % ("a", 1)}.items():
        write(f"repo/deploy/{name}", text)
    monkeypatch.chdir("repo")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    for name in before:
        Path("deploy", name).unlink()
    for name, text in after.items():
        Path("deploy", name).write_text(text, encoding="utf-8")
    options = ["--base-ref", "main", "deploy", "--on", "../cluster.yaml", "--no-lint"]
    result = compared(*options, "--fail-on", "configuration", status=int(bool(change)))
    configuration = result.get("configuration", {"change": ""})
    assert isinstance(configuration, dict)
    assert configuration["change"] == change


def test_what_git_does_not_have(
    write: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No repository, no such revision, and no such file in it are errors that say so."""
    write("repo/a.yaml", QUEUE % ("a", 1))
    monkeypatch.chdir("repo")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(Path.cwd().parent))

    def refused(*arguments: str) -> str:
        assert main(["diff-configs", "--on", "../cluster.yaml", *arguments]) == 2
        return capsys.readouterr().err

    assert "is not in a git repository" in refused("--base-ref", "main", "a.yaml")
    git("init")
    git("add", "a.yaml")
    git("commit", "-m", "first")
    assert "there is no revision 'mian'" in refused("--base-ref", "mian", "a.yaml")
    assert "or fetch-depth: 0 in actions/checkout" in refused("--base-ref", "origin/main", "a.yaml")
    assert "'nwe.yaml' is neither in main nor here" in refused("--base-ref", "main", "nwe.yaml")
    Path("docs").mkdir()
    assert "there is nothing to compare in docs, in main as well as here" in refused("--base-ref", "main", "docs")
    assert "is not in the repository" in refused("--base-ref", "main", "../cluster.yaml")
    Path("a.yaml").write_text(QUEUE % ("a", 2), encoding="utf-8")
    git("commit", "-am", "second")
    Path("a.yaml").write_text("kind: [", encoding="utf-8")
    git("commit", "-am", "third")
    Path("a.yaml").write_text(QUEUE % ("a", 2), encoding="utf-8")
    assert "main:a.yaml:" in refused("--base-ref", "main", "a.yaml")
    Path("a.yaml").write_text(f"{QUEUE % ('a', 2)}---\n{QUEUE % ('a', 3)}", encoding="utf-8")
    git("commit", "-am", "fourth")
    Path("a.yaml").write_text(QUEUE % ("a", 2), encoding="utf-8")
    assert "main:a.yaml:6:1: Queue a is given twice, first at main:a.yaml:1" in refused("--base-ref", "main", "a.yaml")


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        *(
            (each, "there is no revision")
            for each in ("-h", "--output=written", "a b", "@{u}", ":a.yaml", "main:", "a..b")
        ),
        *((each, "no revision begins with ^, or has control characters") for each in ("^main", "main\n", "\x1b[31m")),
    ],
)
def test_odd_revisions(
    reference: str,
    said: str,
    write: Callable[[str, str], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is no commit is refused, nothing is written, and no option of git is taken from it."""
    write("repo/a.yaml", QUEUE % ("a", 1))
    monkeypatch.chdir("repo")
    git("init")
    git("add", "a.yaml")
    git("commit", "-m", "first")
    before = sorted(Path().iterdir())
    assert main(["diff-configs", "--on", "../cluster.yaml", f"--base-ref={reference}", "a.yaml"]) == 2
    written = capsys.readouterr()
    assert said in written.err
    assert not written.out
    assert sorted(Path().iterdir()) == before


def link(name: str, target: str) -> None:
    """Make a link, in place of what was there."""
    Path(name).unlink(missing_ok=True)
    Path(name).symlink_to(target)


def commit_all() -> None:
    """Commit all that is there."""
    git("add", ".")
    git("commit", "-m", "next")


@pytest.mark.usefixtures("repository")
def test_a_link_to_a_file(compared: Callable[..., dict[str, object]]) -> None:
    """A link in a folder is read as what it led to, also over other links; one given twice is read once.

    What it leads to has to be where files may be read.
    """
    beneath = ("--root", "..")
    Path("common").mkdir()
    Path("queues/c.yaml").rename("common/c.yaml")
    link("shared", "queues/../common/")
    link("queues/c.yaml", "../shared/c.yaml")
    commit_all()
    compared(*FROM_GIT, *beneath, status=0)
    Path("common/c.yaml").write_text(QUEUE % ("c", 5), encoding="utf-8")
    result = compared(*FROM_GIT, "common", status=1)
    assert queue_changes(result)["c"] == "changed"
    assert "main:queues/c.yaml" in result["before"]["files"]  # type: ignore[index]
    assert "main:common/c.yaml" not in result["before"]["files"]  # type: ignore[index]
    Path("queues/c.yaml").unlink()
    assert queue_changes(compared(*FROM_GIT, *beneath))["c"] == "removed"


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("given", ["current", "current/a.yaml", "more/../current", "../repo/current", "a.yaml"])
def test_a_link_that_a_change_turns(compared: Callable[..., dict[str, object]], given: str) -> None:
    """A link that is given, or leads to what is given, is followed to where it led in the revision."""
    for version in (1, 5):
        Path(f"v{version}").mkdir()
        Path(f"v{version}/a.yaml").write_text(QUEUE % ("a", version), encoding="utf-8")
    Path("more").mkdir()
    link("current", "v1")
    link("a.yaml", "current/a.yaml")
    commit_all()
    compared(*FROM_GIT[:4], given, status=0)
    link("current", "v5")
    result = compared(*FROM_GIT[:4], given)
    assert queue_changes(result)["a"] == "changed"
    Path("v5/a.yaml").unlink()
    Path("v5/new.yaml").write_text(QUEUE % ("d", 1), encoding="utf-8")
    assert queue_changes(compared(*FROM_GIT[:4], "current/new.yaml")) == {"d": "added"}


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("target", "where"),
    [
        ("../../cluster.yaml", "out of the repository"),
        ("../../repo/queues/a.yaml", "out of the repository"),
        ("/etc/queue.yaml", "out of the repository"),
        ("c.yaml", "in a circle"),
        ("../queues/c.yaml/..", "in a circle"),
        ("gone.yaml", "nowhere"),
    ],
)
def test_a_link_that_cannot_be_followed(
    compared: Callable[..., dict[str, object]], capsys: pytest.CaptureFixture[str], target: str, where: str
) -> None:
    """It is an error that names the link, unless it is none that would be read."""
    link("queues/readme", target.replace("c.yaml", "readme"))
    link("queues/.c.yaml", target)
    commit_all()
    compared(*FROM_GIT, status=0)
    link("queues/c.yaml", target)
    commit_all()
    Path("queues/c.yaml").unlink()
    for given in ("queues", "queues/c.yaml", "."):
        Path("queues/c.yaml").write_text(QUEUE % ("c", 1), encoding="utf-8")
        assert main(["diff-configs", *FROM_GIT[:4], given]) == 2
        assert f"'queues/c.yaml' in main is a link that leads {where}: {target}" in capsys.readouterr().err


@pytest.mark.usefixtures("repository")
def test_folders_that_links_lead_to(compared: Callable[..., dict[str, object]]) -> None:
    """A link in a folder to another one is passed over in the revision, as it is here."""
    for name in ("queues/all", "queues/all.yaml"):
        link(name, "..")
    commit_all()
    assert compared(*FROM_GIT, status=0)["before"]["files"] == [  # type: ignore[index]
        *(f"main:queues/{name}.yaml" for name in "abc"),
        "main:volcano-scheduler.conf",
    ]


@pytest.mark.usefixtures("repository")
def test_a_submodule(compared: Callable[..., dict[str, object]], capsys: pytest.CaptureFixture[str]) -> None:
    """What is in a submodule cannot be had, which is an error that names it, unless it is none of what is compared."""
    git("-c", "protocol.file.allow=always", "submodule", "add", Path.cwd().as_uri(), "queues/more")
    git("-c", "protocol.file.allow=always", "submodule", "add", Path.cwd().as_uri(), "queues/.hidden")
    link("d.yaml", "queues/more/queues/a.yaml")
    commit_all()
    for given in ("queues", ".", "queues/more", "queues/more/queues/a.yaml", "d.yaml"):
        assert main(["diff-configs", *FROM_GIT[:4], given]) == 2
        assert "'queues/more' is a submodule in main" in capsys.readouterr().err
    compared(*FROM_GIT[:4], "queues/a.yaml", status=0)
    git("rm", "-q", "queues/more", "d.yaml")
    commit_all()
    compared(*FROM_GIT, status=0)


@pytest.mark.usefixtures("repository")
def test_names_and_attributes(compared: Callable[..., dict[str, object]]) -> None:
    """A file is found whatever it is called, and whatever git is told to leave out of archives."""
    names = ["b [x]*.yaml", "-ü.yaml", ":(top)c.yaml", 'a"\n.yaml']
    for name, old in zip(names, "abca", strict=True):
        Path(f"queues/{old}.yaml").unlink(missing_ok=True)
        Path(f"queues/{name}").write_text(QUEUE % (f"q{names.index(name)}", 1), encoding="utf-8")
    Path(".gitattributes").write_text("queues export-ignore\n*.yaml export-subst\n", encoding="utf-8")
    commit_all()
    result = compared(*FROM_GIT, status=0)
    assert len(result["before"]["files"]) == 5  # type: ignore[index]
    compared(*FROM_GIT[:4], *(f"queues/{name}" for name in names), status=0)


@pytest.mark.usefixtures("repository")
def test_git_is_not_started_for_each_file(
    compared: Callable[..., dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many files there are, they are read at once."""
    for number in range(20):
        Path(f"queues/{number}.yaml").write_text(QUEUE % (f"q{number}", 1), encoding="utf-8")
    commit_all()
    started: list[object] = []
    run = subprocess.run

    def counted(*arguments: object, **options: object) -> object:
        started.append(arguments)
        return run(*arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "run", counted)
    compared(*FROM_GIT, status=0)
    assert 0 < len(started) < 10


@pytest.mark.usefixtures("repository")
def test_what_a_commit_must_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that leads out of the repository is refused, and so is a file that git has lost."""
    blob = git("rev-parse", "HEAD:queues/a.yaml")
    tree = git("mktree", stdin=f"100644 blob {blob}\t..\n")
    commit = git("commit-tree", "-m", "bad", tree)
    assert main(["diff-configs", "--base-ref", commit, *FROM_GIT[2:]]) == 2
    assert "there is a file of an impossible name: .." in capsys.readouterr().err
    Path(f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    assert main(["diff-configs", *FROM_GIT]) == 2
    assert f"git cat-file fails: {blob} missing" in capsys.readouterr().err


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("options", [revision.OPTIONS, ()], ids=["refused by git", "refused by vqs"])
def test_a_folder_that_looks_like_a_repository(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder of a change is no repository, whatever it looks like: its revisions and settings count for nothing."""
    git("init", "--bare", "--initial-branch=main", "charts")
    git("--git-dir=charts", "config", "core.bare", "false")
    git("--git-dir=charts", "config", "core.worktree", str(Path("charts/here").absolute()))
    Path("charts/here").mkdir()
    Path("charts/here/a.yaml").write_text(QUEUE % ("a", 9), encoding="utf-8")
    git("--git-dir=charts", "add", "a.yaml")
    git("--git-dir=charts", "commit", "-m", "the same")
    monkeypatch.chdir("charts")
    monkeypatch.setattr(revision, "OPTIONS", options)
    assert main(["diff-configs", "--base-ref", "main", "here", "--on", "../../cluster.yaml"]) == 2
    assert "bare repository" in capsys.readouterr().err


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("suffix", ["", "~0", "^{commit}"])
def test_a_name_of_several_revisions(suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A tag does not take the place of the branch that is meant, it is refused."""
    git("config", "core.warnAmbiguousRefs", "false")
    for name in ("heads/trunk", "remotes/origin/main"):
        git("update-ref", f"refs/{name}", "HEAD")
        short = name.partition("/")[2]
        assert main(["diff-configs", "--base-ref", short + suffix, *FROM_GIT[2:]]) == 0
        git("update-ref", f"refs/tags/{short}", "HEAD")
        capsys.readouterr()
        assert main(["diff-configs", "--base-ref", short + suffix, *FROM_GIT[2:]]) == 2
        assert f"'{short}' is the name of more than one revision: refs/tags/{short}, refs/{name}" in (
            capsys.readouterr().err
        )
        assert main(["diff-configs", "--base-ref", f"refs/{name}{suffix}", *FROM_GIT[2:]]) == 0


@pytest.mark.usefixtures("repository")
def test_a_link_to_more_than_a_path(
    compared: Callable[..., dict[str, object]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is said to be a link and is longer than a path leads nowhere, and is not read."""
    blob = git("hash-object", "-w", "--stdin", stdin="x" * 5000)
    git("update-index", "--add", "--cacheinfo", f"120000,{blob},README")
    git("commit", "-m", "next")
    asked: list[bytes] = []
    run = subprocess.run

    def listened(*arguments: object, **options: object) -> object:
        asked.append(options.get("input") or b"")  # type: ignore[arg-type]
        return run(*arguments, **options)  # type: ignore[call-overload]

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "run", listened)
        compared(*FROM_GIT, status=0)
    assert [each.count(blob.encode()) for each in asked if blob.encode() in each] == [1]  # its size is asked for
    git("update-index", "--add", "--cacheinfo", f"120000,{blob},queues/c.yaml")
    git("commit", "-m", "next")
    assert main(["diff-configs", *FROM_GIT]) == 2
    assert "'queues/c.yaml' in main is a link that leads nowhere: its target has 5,000 bytes" in capsys.readouterr().err


@pytest.mark.usefixtures("repository")
def test_why_git_cannot_be_used(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the repository is not trusted, the message says what to do; else it has git's own reason."""

    def refused() -> str:
        assert main(["diff-configs", *FROM_GIT]) == 2
        return capsys.readouterr().err

    trust = f"if you do: git config --global --add safe.directory {Path.cwd()}\n"
    with monkeypatch.context() as patch:
        patch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        patch.setenv("LC_ALL", "de_DE.UTF-8")
        assert trust in refused()
    with Path(".git/config").open("a", encoding="utf-8") as file:
        file.write("[broken\n")
    assert f"git cannot use the repository of {Path.cwd()}: bad config line" in refused()


@pytest.mark.usefixtures("repository")
def test_a_shallow_clone(
    compared: Callable[..., dict[str, object]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A revision that a shallow clone lacks is an error, with the command that fetches it."""
    first = git("rev-parse", "HEAD")
    git("checkout", "-b", "change")
    Path("queues/c.yaml").unlink()
    git("commit", "-am", "second")
    git("config", "uploadpack.allowAnySHA1InWant", "true")
    git("clone", "--depth=1", Path.cwd().as_uri(), "../clone")
    monkeypatch.chdir("../clone")

    def refused(reference: str) -> str:
        assert main(["diff-configs", "--base-ref", reference, *FROM_GIT[2:]]) == 2
        return capsys.readouterr().err

    assert "; this clone is shallow, with neither history nor other branches: fetch it first, " in refused("main")
    for reference in ("HEAD~1", first[:7]):
        assert " by git fetch --unshallow, or by fetch-depth: 0 in actions/checkout\n" in refused(reference)
    for reference in (first, "origin/main", "main"):
        command = refused(reference).partition("fetch it first, by ")[2].partition(",")[0]
        git(*command.split()[1:])
        assert queue_changes(compared("--base-ref", reference, *FROM_GIT[2:])) == {"c": "removed"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there is nothing to compare with"),
        (["a.yaml", "b.yaml", "c.yaml"], "there are 3 files, and two are compared"),
        (["a.yaml", "b.yaml"], "a.yaml has no nodes, so nothing can be scheduled: name a snapshot with --on"),
        (["--base-ref", "main"], "--base-ref needs the files to compare"),
        (["--base-ref", "", "a.yaml", "b.yaml", "--on", "cluster.yaml"], "is there a variable that is not set?"),
        (["--base-ref", "main", "--base", "a.yaml", "b.yaml"], "give one of them"),
        (["-", "-", "--on", "cluster.yaml"], "standard input can be read only once"),
        (["--candidate", "a.yaml"], "there is no base"),
        (["cluster.yaml"], "there is nothing to compare with"),
        (["a.yaml", "b.yaml", "--on", "cluster.yaml", "-q", "-v"], "give one of them"),
        (["a.yaml", "b.yaml", "--on", "cluster.yaml", "--fail-on", "evictons"], "did you mean 'evictions'?"),
        (["a.yaml", "b.yaml", "--on", "cluster.yaml", "--fail-on", "queue:c.share>1"], "there is no queue 'c'"),
        (["--on", "cluster.yaml", "--set", "queue/c.spec.weight=1"], "there is no queue 'c'"),
        (["--on", "cluster.yaml", "--edits", "a.yaml"], "is not a YAML list of edits"),
        (["--on", "cluster.yaml", "--add", "cluster.yaml"], "there is a Node node-0 already"),
        (["a.yaml", "b.yaml", "--on", "cluster.yaml", "--github-summary"], "GITHUB_STEP_SUMMARY is not set"),
    ],
)
def test_misuse(
    write: Callable[[str, str], str],
    arguments: Sequence[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What cannot be compared is refused, with what to do, and nothing is written."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    for name in "ab":
        write(f"{name}.yaml", QUEUE % (name, 1))
    assert main(["diff-configs", *arguments]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


def test_the_place_of_a_mistake_is_shown(write: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]) -> None:
    """A caret stands below what is wrong with a condition."""
    write("a.yaml", QUEUE % ("a", 1))
    assert main(["diff-configs", "a.yaml", "--on", "cluster.yaml", "--fail-on", "unplaced,evictons>1"]) == 2
    *_, text, caret = capsys.readouterr().err.splitlines()
    assert text[caret.index("^") :].startswith("evictons")


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ([], 1),
        (["--exit-zero"], 0),
        (["--fail-on", "evictions"], 0),
        (["--fail-on", "evictions", "--fail-on", "unplaced"], 1),
        (["--fail-on", "evictions,unplaced", "--exit-zero"], 0),
    ],
)
def test_exit_status(write: Callable[[str, str], str], options: Sequence[str], status: int) -> None:
    """A difference is 1; with conditions, only where one holds; never with --exit-zero."""
    write("a.yaml", QUEUE % ("a", 3))
    assert main(["diff-configs", "a.yaml", "--on", "cluster.yaml", "-q", *options]) == status


def test_a_job_that_is_lost(write: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]) -> None:
    """A job whose queue is misspelt is gone, and counts as unplaced, with nothing placed."""
    del write
    edit = "podgroup/default/train.spec.queue=aa"
    conditions = "unplaced,job:default/train.placed<base"
    assert main(["diff-configs", "--on", "cluster.yaml", "--set", edit, "--fail-on", conditions]) == 1
    out = capsys.readouterr().out
    assert "failed: 1 unplaced job (condition: unplaced)\n" in out
    lost = "job:default/train.placed is 0 (it was 4), and must not be < 4"
    assert f"failed: {lost} (condition: job:default/train.placed<base)\n" in out


def test_an_object_that_only_the_base_names(
    write: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said that the candidate has it from the snapshot nevertheless."""
    write("base/a.yaml", QUEUE % ("a", 1))
    write("base/b.yaml", QUEUE % ("b", 1))
    write("candidate/a.yaml", QUEUE % ("a", 1))
    assert main(["diff-configs", "base", "candidate", "--on", "cluster.yaml", "-q", "--no-lint"]) in (0, 1)
    assert capsys.readouterr().err == ""
    main(["diff-configs", "base", "candidate", "--on", "cluster.yaml", "--no-lint"])
    assert "only the base names Queue b; the candidate keeps the snapshot's object" in capsys.readouterr().err


def test_the_snapshot_of_the_environment(
    write: Callable[[str, str], str], compared: Callable[..., dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """VQS_SNAPSHOT is what both sides are laid over."""
    monkeypatch.setenv("VQS_SNAPSHOT", "cluster.yaml")
    write("a.yaml", QUEUE % ("a", 3))
    assert summary(compared("a.yaml")) == "serve unplaced, train placed"


def test_an_empty_variable_names_no_revision(
    write: Callable[[str, str], str], compared: Callable[..., dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with every option, an empty VQS_BASE_REF is as good as none: BASE and CANDIDATE are what they are."""
    monkeypatch.setenv("VQS_BASE_REF", "")
    old, new = (write(f"{weight}.yaml", QUEUE % ("a", weight)) for weight in (1, 3))
    assert summary(compared(old, new, "--on", "cluster.yaml")) == "serve unplaced, train placed"


# --- the summary of a GitHub job --------------------------------------------------------------------------------------


def test_github_summary(
    write: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Markdown is added to the summary, beside whatever else is written."""
    target = Path(write("summary.md", "# before\n"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(target))
    write("a.yaml", QUEUE % ("a", 3))
    assert main(["diff-configs", "a.yaml", "--on", "cluster.yaml", "-f", "github", "--github-summary"]) == 1
    assert capsys.readouterr().out.startswith("::notice file=a.yaml,line=4,title=diff::")
    text = target.read_text(encoding="utf-8")
    assert text.startswith("# before\n**2 jobs affected: 1 better, 1 worse")
    assert "### Queues" in text


def test_github_summary_that_is_nearly_full(write: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no room for the report, its summary is added; where there is none for that, nothing."""
    write("a.yaml", QUEUE % ("a", 3))
    for room, expected in ((300, "2 jobs affected"), (20, "")):
        target = Path(write("summary.md", "x" * (LIMIT - room)))
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(target))
        assert main(["diff-configs", "a.yaml", "--on", "cluster.yaml", "-q", "--github-summary"]) == 1
        assert target.stat().st_size < LIMIT
        added = target.read_text(encoding="utf-8").lstrip("x")
        assert expected in added
        assert "### Queues" not in added


def test_cut() -> None:
    """A text is cut between lines, and says so."""
    text = cut("first line é\n" * 100, 200)
    assert len(text.encode()) < 200
    assert text.startswith("first line é\n")
    assert text.endswith("has no room for more.\n")


FRESH = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: fresh%s}
spec: {weight: 1, capability: {cpu: 4}, guarantee: {resource: {cpu: 6}}, reclaimble: true}
"""


@pytest.mark.parametrize("claim", ["", ", uid: x", ", resourceVersion: x", "status"])
@pytest.mark.parametrize("with_revision", [False, True], ids=["files", "revision"])
def test_a_change_that_claims_to_be_in_the_cluster(
    write: Callable[[str, str], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    claim: str,
    *,
    with_revision: bool,
) -> None:
    """What the API server and the webhooks would deny is an error of a change, whatever it says of itself."""
    text = f"{FRESH % ''}status: {{state: Open}}\n" if claim == "status" else FRESH % claim
    write("repo/queues/a.yaml", QUEUE % ("a", 1))
    monkeypatch.chdir("repo")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    Path("queues/fresh.yaml").write_text(text, encoding="utf-8")
    form = ["--base-ref", "main", "queues"] if with_revision else ["queues"]
    options = [*form, "--on", "../cluster.yaml", "--fail-on", "errors", "--format", "json"]
    assert main(["diff-configs", *options]) == 2
    assert json.loads(capsys.readouterr().out)["schema"] == "vqs/refusal/v1"
    assert main(["diff-configs", *options, "--assume-admitted"]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    errors = {each["finding"]["code"] for each in findings if each["finding"]["severity"] == "error"}
    assert errors == {"guarantee-above-capability", "guarantee-without-deserved", "unknown-field"}


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("figure", ["findings", "errors", "silences"])
def test_conditions_that_nobody_looks_for(figure: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A condition about findings would always hold where nobody looks for any, so it is refused."""
    assert main(["diff-configs", *FROM_GIT, "--no-lint", "--fail-on", f"evictions,{figure}>2"]) == 2
    assert f"--fail-on: {figure!r} is unknown with --no-lint" in capsys.readouterr().err


@pytest.mark.usefixtures("repository")
def test_a_hidden_file(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that vqs passes over and kubectl applies is a finding of the change that brings it."""
    Path("queues/.c.yaml").write_text(QUEUE % ("c", 5), encoding="utf-8")
    assert main(["diff-configs", *FROM_GIT, "--fail-on", "findings"]) == 1
    assert "a hidden file is skipped, though kubectl apply reads such files: .c.yaml" in capsys.readouterr().out


def in_config_map(name: str, text: str) -> str:
    """Return a ConfigMap with a configuration."""
    metadata = {"name": name, "namespace": "volcano-system"}
    data = {"volcano-scheduler.conf": text}
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})


@pytest.mark.usefixtures("repository")
def test_a_configuration_that_a_change_moves_into_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    """A file is another one in another folder, also where all that is said of it by the command line stays true."""
    Path("volcano-scheduler.conf").rename("queues/volcano-scheduler.conf")
    assert main(["diff-configs", *FROM_GIT, "--fail-on", "configuration"]) == 1
    assert "the scheduler's configuration is moved" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("repository")
def test_another_configuration_in_a_change(capsys: pytest.CaptureFixture[str]) -> None:
    """A ConfigMap that a change puts beside the configuration may be the one that the scheduler reads."""
    Path("queues/conf.yaml").write_text(
        in_config_map("volcano-scheduler-configmap", CONF % "enqueue"), encoding="utf-8"
    )
    assert main(["diff-configs", *FROM_GIT, "--fail-on", "configuration"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "queues/conf.yaml (ConfigMap volcano-scheduler-configmap) is new or changed, but vqs compares only" in out
    git("add", ".")
    git("commit", "-m", "with another")
    assert main(["diff-configs", *FROM_GIT[:1], "HEAD", *FROM_GIT[2:], "--fail-on", "configuration"]) == 0


@pytest.mark.usefixtures("repository")
def test_objects_that_are_not_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    """A change that brings objects of kinds that vqs does not look at has a finding."""
    text = "apiVersion: bus.volcano.sh/v1alpha1\nkind: Command\nmetadata: {name: x}\naction: TerminateJob\n"
    Path("queues/command.yaml").write_text(text, encoding="utf-8")
    assert main(["diff-configs", *FROM_GIT, "--fail-on", "findings"]) == 1
    assert "not looked at: 1 Command" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("repository")
def test_an_uid_lets_nothing_in(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever writes a change may write any uid: it does not tell that a cluster has let the queue in."""
    text = (
        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: u, uid: abc}\nspec: {parent: none}\n"
    )
    Path("queues/u.yaml").write_text(text, encoding="utf-8")
    assert main(["diff-configs", *FROM_GIT]) == 2
    assert "Volcano's webhook denies this change" in capsys.readouterr().err


IN_CLUSTER = """\
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: ns}
spec:
  schedulerName: volcano
  containers: [{name: c, resources: {requests: {cpu: %s}}}]
"""


def test_what_the_api_server_ignores_and_refuses(
    write: Callable[[str, str], str],
    compared: Callable[..., dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A change in git cannot hide what it does behind a status, nor behind updates of pods that are refused."""
    write("pods.yaml", IN_CLUSTER % 1)
    write("repo/deploy/pod.yaml", IN_CLUSTER % 1)
    write("repo/deploy/queue.yaml", QUEUE % ("a", 1))
    monkeypatch.chdir("repo")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    options = ["--base-ref", "main", "deploy", "--on", "../cluster.yaml", "--on", "../pods.yaml"]
    unchanged = compared(*options, status=0)
    with Path("deploy/queue.yaml").open("a", encoding="utf-8") as queue:
        queue.write("status: {state: Closed}\n")
    with Path("deploy/pod.yaml").open("a", encoding="utf-8") as pod:
        pod.write("status: {phase: Succeeded}\n")
    assert compared(*options, status=0) == unchanged
    Path("deploy/pod.yaml").write_text(f"{IN_CLUSTER % 1}  schedulingGates: [{{name: a}}]\n", encoding="utf-8")
    assert main(["diff-configs", *options]) == 2
    place = "deploy/pod.yaml:7:20: $.spec.schedulingGates: denied by the API server: spec.schedulingGates of Pod"
    assert place in " ".join(capsys.readouterr().err.split())
    assert main(["diff-configs", *options, "--assume-admitted"]) in (0, 1)
    assert "The API server would deny this change" in " ".join(capsys.readouterr().out.split())


def test_updates_of_what_a_revision_has(
    write: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What files were in a revision is what they update, also where they are not laid over a snapshot."""
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 4, pods: 9}}\n"
    claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec:\n  storageClassName: %s\n"
    containers = "[{name: c, image: i, resources: {requests: {cpu: %d}}}]"
    job = (
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: train}\nspec:\n  tasks:\n"
        f"  - {{name: w, replicas: 1, template: {{spec: {{restartPolicy: Never, containers: {containers}}}}}}}\n"
    )
    write("repo/files/claim.yaml", claim % "fast")
    write("repo/files/job.yaml", job % 1)
    write("repo/files/node.yaml", node)
    monkeypatch.chdir("repo")
    git("init")
    commit_all()
    command = ["diff-configs", "--base-ref", "main", "files"]
    assert main(command) == 0
    write("repo/files/claim.yaml", claim % "slow")
    write("repo/files/job.yaml", job % 2)
    capsys.readouterr()
    assert main(command) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "files/claim.yaml:5:21: $.spec.storageClassName: denied by the API server" in told
    assert "files/job.yaml:6:" in told
    assert main([*command, "--assume-admitted"]) in (0, 1)
    assert "The API server would deny this change" in " ".join(capsys.readouterr().out.split())


def test_a_repository_elsewhere(
    write: Callable[[str, str], str], compared: Callable[..., dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the working directory is in no repository, the one of the files that are named is compared with."""
    write("repo/queues/a.yaml", QUEUE % ("a", 1))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(Path.cwd()))
    with monkeypatch.context() as patch:
        patch.chdir("repo")
        git("init")
        commit_all()
    Path("repo/queues/a.yaml").write_text(QUEUE % ("a", 2), encoding="utf-8")
    options = ["--on", "cluster.yaml", "--base-ref", "main"]
    for path in ("repo/queues", str(Path("repo/queues/a.yaml").resolve())):
        assert queue_changes(compared(*options, path))["a"] == "changed"
    Path("repo/queues/a.yaml").unlink()
    assert queue_changes(compared(*options, "repo/queues/a.yaml"))["a"] == "removed"


@pytest.mark.parametrize("options", [["--no-lint"], []])
def test_a_change_that_nobody_looks_at(
    options: list[str], write: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """That nothing would change is not said of a change of kinds that are not modelled."""
    command = "apiVersion: bus.volcano.sh/v1alpha1\nkind: Command\nmetadata: {name: x}\naction: ResumeJob\n"
    write("a.yaml", QUEUE % ("a", 1))
    write("b.yaml", f"{QUEUE % ('a', 1)}---\n{command}")
    assert main(["diff-configs", "a.yaml", "b.yaml", "--on", "cluster.yaml", *options]) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    answer = next(line for line in reversed(lines) if not line.startswith("Next: "))
    assert answer.startswith("No change in what vqs models")
    assert main(["diff-configs", "a.yaml", "a.yaml", "--on", "cluster.yaml", *options]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Nothing would change"
