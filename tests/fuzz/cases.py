"""Cases: files with something odd in them, and a command that reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import yaml

from tests.fuzz.mutations import Mutator, written
from tests.fuzz.values import AMOUNTS, NUMBERS, TEXTS, edge, wrong

SEEDS: Final = Path(__file__).parent / "seeds"
_SOUND: Final = ("cluster", "workloads", "scenario")
_MOST_BYTES: Final = 60_000
_SOUNDLY: Final = 0.9
"""The part of files in which only values change, to such as their fields may have: what is refused tries little."""

_CHANGES: Final = (1, 1, 1, 2, 2, 3, 5)
_REFERENCES: Final = (
    *(
        "queue/q",
        "queue/a",
        "queue/root",
        "node/n1",
        "node/gpu-1",
        "job/default/j",
        "job/default/g",
        "job/team/train-0",
    ),
    *(
        "pod/default/waiting",
        "podgroup/default/g",
        "deployment/default/d",
        "conf",
        "priorityclass/high",
        "job/g",
        "vcjob/j",
    ),
    *(
        "statefulset/default/ss",
        "hypernode/h1",
        "pvc/default/c1",
        "persistentvolume/pv1",
        "quota/rq",
        "queue/new",
        "pod/x",
    ),
)
_PATHS: Final = (
    *(
        "spec.weight",
        "spec.capability.cpu",
        "spec.deserved",
        "spec.guarantee.resource.cpu",
        "spec.parent",
        "spec",
        "status",
    ),
    *(
        "status.allocatable.cpu",
        "status.allocatable",
        "spec.taints",
        "spec.taints[0]",
        "spec.taints[0].effect",
        "spec.taints[9]",
    ),
    *(
        "spec.tasks[0].replicas",
        "spec.tasks[name=a].replicas",
        "spec.minAvailable",
        "spec.plugins",
        "spec.plugins.svc",
        "metadata",
    ),
    *(
        "metadata.labels.a",
        'metadata.labels["a/b"]',
        "metadata.name",
        "spec.containers[0].resources.requests.cpu",
        "spec.queue",
    ),
    *(
        "actions",
        "tiers",
        "tiers[0].plugins[0].name",
        "tiers[0].plugins[name=gang].enablePreemptable",
        "tiers[0].plugins[0]",
    ),
    *(
        "tiers[1].plugins[name=binpack].arguments",
        'tiers[0].plugins[name=binpack].arguments["binpack.weight"]',
        "configurations",
    ),
    *(
        "spec.minMember",
        "spec.minResources.cpu",
        "spec.affinity",
        "spec.replicas",
        "value",
        "spec.template.spec",
        "",
        "[0]",
        "a..b",
    ),
)
_FIGURES: Final = (
    *(
        "evictions",
        "unplaced",
        "placed",
        "pending",
        "share",
        "luck",
        "lint",
        "errors",
        "warnings",
        "moves",
        "utilisation.cpu",
    ),
    *(
        "stranded.cpu",
        "queue:q.allocated.cpu",
        "queue:a.share",
        "job:default/g.pending",
        "queue:x.deserved.memory",
        "spread",
    ),
    *(
        "queue:a.deserved.nvidia.com/gpu",
        "job:j.placed",
        "utilisation.x",
        "queue:",
        "job:",
        "a:b",
        "fullGangs",
        "jobs",
        "settings",
    ),
)
_SOUND_FIGURES: Final = (
    *("evictions", "unplaced", "losers", "waits", "removed", "moved", "findings", "errors", "share", "share-loss"),
    *("spread", "pending", "placed", "pipelined", "gangs", "utilisation.cpu", "stranded.cpu", "queue:default.share"),
    *("queue:default.deserved.cpu", "queue:default.allocated.memory", "queue:default.request.cpu"),
)
_SIGNS: Final = ("", ">", "<", ">=", "<=", "=", "==", "!=", "=>", "<>", " > ", ">>")
_VALUES: Final = (*TEXTS, *AMOUNTS, *map(str, NUMBERS))


@dataclass(frozen=True, slots=True)
class Case:
    """Files by name, a command, and what makes sure that it did what it should."""

    files: dict[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()


class Cases:
    """Makes cases; the same number makes the same case."""

    def __init__(self, seed: int, others: Iterable[Path] = ()) -> None:
        self.seed = seed
        sound = {name: _documents((SEEDS / f"{name}.yaml").read_text()) for name in _SOUND}
        real = [_documents(text) for path in others if len(text := path.read_text()) < _MOST_BYTES]
        self.groups = [*sound.values(), *real]
        self.conf = _documents((SEEDS / "scheduler.conf").read_text())
        self.expect = _documents((SEEDS / "expect.yaml").read_text())
        self.usage = _documents((SEEDS / "usage.yaml").read_text())
        self.mutator = Mutator([*self.groups, self.conf, self.expect, self.usage])

    def case(self, number: int) -> Case:
        """Return the case of a number."""
        random = Random(f"{self.seed}:{number}")
        return random.choice(_MAKERS)(self, random)

    def odd(self, random: Random, documents: list[Any], name: str) -> dict[str, str]:
        """Return a file with documents that have been changed."""
        if random.random() < _SOUNDLY:
            return _file(random, self.mutator.retyped(random, documents, random.choice(_CHANGES)), name)
        if len(documents) > 3 and random.random() < 0.3:
            documents = random.sample(documents, 3)
        return _file(random, self.mutator.mutated(random, documents, random.choice(_CHANGES)), name)

    def group(self, random: Random) -> list[Any]:
        """Return documents that make a cluster."""
        return random.choice(self.groups[: len(_SOUND)] if random.random() < 0.7 else self.groups)


def _documents(text: str) -> list[Any]:
    return list(yaml.load_all(text, Loader=_TextLoader))


class _TextLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc] # depends on how PyYAML was built
    """Leaves times as they are written."""


_TextLoader.add_constructor("tag:yaml.org,2002:timestamp", yaml.SafeLoader.construct_yaml_str)


def _file(random: Random, documents: list[Any], name: str) -> dict[str, str]:
    suffix, text = written(random, documents)
    return {name + suffix: text}


# --- commands ---------------------------------------------------------------------------------------------------------


def _simulate(cases: Cases, random: Random) -> Case:
    files = cases.odd(random, cases.group(random), "odd")
    options = random.choice(
        (
            (),
            ("--cycles", "3"),
            ("--seed", "7", "--nodes", "--trace"),
            ("--fit-errors", "default/waiting", "--scores", "default/waiting"),
            ("-v",),
            ("--queue", "q*", "--job", "*", "--status", "Pending", "--verdict", "*"),
            ("--conf", str(SEEDS / "scheduler.conf")),
        )
    )
    chosen = random.choice(("json", "json", "table", "markdown", "html"))
    return Case(files, ("simulate", *files, "--format", chosen, *options))


def _lint(cases: Cases, random: Random) -> Case:
    files = cases.odd(random, cases.group(random), "odd")
    conf = ("--conf", str(SEEDS / "scheduler.conf")) if random.random() < 0.3 else ()
    chosen = random.choice(("json", "json", "table", "github", "gitlab", "sarif", "junit", "markdown"))
    return Case(files, ("lint", *files, "--format", chosen, *conf))


def _explain_queue(cases: Cases, random: Random) -> Case:
    group = cases.group(random)
    files = cases.odd(random, group, "odd")
    queue = ("--queue", random.choice((*_names(group, "Queue"), "default", "root"))) if random.random() < 0.7 else ()
    chosen = random.choice(("json", "table", "markdown", "html", "prometheus"))
    return Case(files, ("explain-queue", *files, *queue, "--format", chosen))


def _explain_job(cases: Cases, random: Random) -> Case:
    group = cases.group(random)
    files = cases.odd(random, group, "odd")
    job = random.choice(_names(group, "PodGroup") or ("default/j", "team/train", "default/serve"))
    more = ("--sessions", "5") if random.random() < 0.7 else ("-v", "--watch-votes", "--sessions", "3")
    chosen = random.choice(("json", "json", "table", "markdown"))
    return Case(files, ("explain-job", *files, "--job", job, "--format", chosen, *more))


def _fit(cases: Cases, random: Random) -> Case:
    chosen = ("--format", random.choice(("json", "table", "markdown")), "--sessions", "3")
    if random.random() < 0.5:
        files = cases.odd(random, cases.group(random), "odd")
        return Case(files, ("fit", str(SEEDS / "job.yaml"), "--on", *files, *chosen))
    files = cases.odd(random, _documents((SEEDS / "job.yaml").read_text()), "odd")
    return Case(files, ("fit", *files, "--on", str(SEEDS / "cluster.yaml"), *chosen))


def _diff(cases: Cases, random: Random) -> Case:
    group = cases.group(random)
    files = {**cases.odd(random, group, "odd"), **_file(random, group, "even")}
    sides = list(files)
    random.shuffle(sides)
    chosen = random.choice(("json", "json", "table", "markdown", "html", "github", "gitlab", "sarif", "junit"))
    more = random.choice(((), ("--seeds", "2"), ("--placements", "-v"), ("--fail-on", "evictions,share>0.1")))
    return Case(files, ("diff-configs", *sides, "--format", chosen, *more))


def _diff_on(cases: Cases, random: Random) -> Case:
    group = cases.group(random)
    files = cases.odd(random, random.sample(group, min(2, len(group))), "odd")
    under = _file(random, group, "under")
    return Case(
        {**files, **under}, ("diff-configs", *files, "--on", *under, "--format", random.choice(("json", "table")))
    )


def _expand(cases: Cases, random: Random) -> Case:
    files = cases.odd(random, cases.group(random), "odd")
    return Case(files, ("expand", *files, "--format", random.choice(("yaml", "json"))))


def _anonymize(cases: Cases, random: Random) -> Case:
    files = cases.odd(random, cases.group(random), "odd")
    return Case(files, ("anonymize", *files))


def _verify(cases: Cases, random: Random) -> Case:
    group = cases.group(random)
    files = {**cases.odd(random, group, "odd"), **_file(random, group, "even")}
    sides = list(files)
    random.shuffle(sides)
    chosen = random.choice(("json", "table", "markdown"))
    return Case(files, ("verify", *sides, "--format", chosen, "--seeds", "1", "--sessions", "1"))


def _conf(cases: Cases, random: Random) -> Case:
    files = cases.odd(random, cases.conf, "odd")
    cluster = str(SEEDS / random.choice(("cluster.yaml", "workloads.yaml")))
    command = random.choice(
        (
            ("simulate", cluster, "--conf", *files, "--format", "json"),
            ("lint", cluster, "--conf", *files, "--format", "json"),
            ("lint", *files),
            ("lint", "--conf", *files),
            ("diff-configs", str(SEEDS / "scheduler.conf"), *files, "--on", cluster, "--format", "json"),
            ("explain-queue", cluster, "--conf", *files, "--queue", "q"),
        )
    )
    return Case(files, command)


def _config_map(cases: Cases, random: Random) -> Case:
    [text] = _file(random, cases.mutator.mutated(random, cases.conf, random.choice(_CHANGES)), "conf").values()
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "volcano-scheduler-configmap"},
        "data": {"volcano-scheduler.conf": text},
    }
    group = [*cases.groups[0], config_map]
    files = _file(random, group, "odd") if random.random() < 0.5 else cases.odd(random, group, "odd")
    return Case(files, (random.choice(("simulate", "lint", "expand", "anonymize")), *files))


def _expect(cases: Cases, random: Random) -> Case:
    files = cases.odd(random, cases.expect, "odd")
    return Case(files, ("simulate", str(SEEDS / "scenario.yaml"), "--expect", *files, "--format", "json"))


def _usage(cases: Cases, random: Random) -> Case:
    files = cases.odd(random, cases.usage, "odd")
    conf = ("--conf", str(SEEDS / "scheduler.conf"))
    return Case(files, ("simulate", str(SEEDS / "cluster.yaml"), "--usage", *files, *conf, "--format", "json"))


def _edits(cases: Cases, random: Random) -> Case:
    make = _sound_edit if random.random() < _SOUNDLY else _edit
    texts = [make(cases, random) for _ in range(random.choice((1, 1, 2, 3)))]
    cluster = str(SEEDS / random.choice(("cluster.yaml", "workloads.yaml", "scenario.yaml")))
    command = random.choice(("simulate", "explain-queue", "diff-configs", "lint"))
    if random.random() < 0.5 or command == "lint":
        files = _file(random, [texts] if random.random() < 0.8 else [wrong(random)], "edits")
        base = ("--on", cluster) if command == "diff-configs" else (cluster,)
        return Case(files, ("simulate" if command == "lint" else command, *base, "--edits", *files, "--format", "json"))
    flags: list[str] = []
    for text in texts:
        verb, _, rest = text.partition(" ")
        known = verb in ("clone-node", "remove", "scale")
        flags += [f"--{verb}" if known else "--set", rest if known else text]
    base = ("--on", cluster) if command == "diff-configs" else (cluster,)
    return Case({}, (command, *base, *(each.replace("\0", "") for each in flags), "--format", "json"))


def _sound_edit(_: Cases, random: Random) -> str:
    """Return an edit that can be made to each of the seeds."""
    amount = random.choice(("0", "1", "500m", "7", "100Gi", "8Ei", "1n", "1e3", "null"))
    field = random.choice(("capability.cpu", "deserved.memory", "guarantee.resource.cpu"))
    actions = ", ".join(random.sample(("enqueue", "allocate", "backfill", "preempt", "reclaim", "shuffle"), 3))
    return random.choice(
        (
            f"queue/default.spec.weight={random.choice((1, 2, 100, 2**31 - 1))}",
            f"queue/default.spec.reclaimable={random.choice(('true', 'false', 'null'))}",
            f"queue/default.spec.{field}={amount}",
            f'conf.actions="{actions}"',
            f"set queue/default.metadata.labels.a={random.choice(('x', 'y'))}",
        )
    )


def _edit(cases: Cases, random: Random) -> str:
    reference = random.choice(_REFERENCES)
    verb = random.random()
    if verb < 0.1:
        return f"remove {reference}"
    if verb < 0.2:
        return f"scale {reference}={random.choice((*NUMBERS[:12], 'x'))}"
    if verb < 0.3:
        return f"clone-node {random.choice(('n1', 'gpu-1', 'x'))}={random.choice((1, 2, 0, -1, 'x', 10**9, 10**30))}"
    if verb < 0.4:
        [document] = cases.mutator.mutated(random, [random.choice(cases.groups[0])], 1)
        [text] = _file(random, [document], "add").values()
        return f"add {text}"
    value = random.choice((*_VALUES, _inline(random, edge(random, {}, cases.mutator.texts))))
    return f"{reference}.{random.choice(_PATHS)}={value}"


def _inline(random: Random, value: Any) -> str:
    return written(random, [value])[1]


def _fail_on(_: Cases, random: Random) -> Case:
    parts: tuple[tuple[str, ...], ...] = (_FIGURES, _SIGNS, (*_VALUES, "base", "10%"))
    if random.random() < _SOUNDLY:
        parts = (_SOUND_FIGURES, _SIGNS[1:8], (*map(str, NUMBERS[:12]), "base", "10%", "0.5", "9" * 30))
    conditions = ["".join(map(random.choice, parts)) for _ in range(random.choice((1, 1, 2)))]
    change = ("--on", str(SEEDS / "cluster.yaml"), "--set", "queue/q.spec.weight=5")
    text = ",".join(conditions).replace("\0", "")
    return Case({}, ("diff-configs", *change, "--no-lint", "--fail-on", text, "--format", "json"))


def _names(documents: list[Any], kind: str) -> tuple[str, ...]:
    """Return the names of the objects of a kind."""
    return tuple(each["metadata"]["name"] for each in documents if isinstance(each, dict) and each.get("kind") == kind)


def _replay(cases: Cases, random: Random) -> Case:
    files = cases.odd(random, _documents((SEEDS / "replay.yaml").read_text()), "odd")
    limits = ("--seed", "1", "--until", "1h", "--max-events", "500")
    return Case(files, ("replay", *files, *limits, "--format", random.choice(("json", "json", "table", "html"))))


def _sweep(cases: Cases, random: Random) -> Case:
    snapshot, queue = random.choice((("cluster.yaml", "q"), ("scenario.yaml", "a"), ("cluster.yaml", "default")))
    text = (SEEDS / "plan.yaml").read_text().replace("queue/a", f"queue/{queue}")
    files = cases.odd(random, _documents(text), "odd")
    under = ("--on", str(SEEDS / snapshot))
    return Case(files, ("sweep", *files, *under, "--format", random.choice(("json", "table", "markdown"))))


def _fragment(cases: Cases, random: Random) -> Case:
    """Feed any value to what reads a file."""
    files = cases.odd(random, [wrong(random), *random.sample(cases.groups[0], 1)], "odd")
    return Case(files, (random.choice(("simulate", "lint", "expand", "anonymize")), *files))


_MAKERS: Final[tuple[Callable[[Cases, Random], Case], ...]] = (
    *(_simulate,) * 6,
    *(_lint,) * 6,
    *(_diff, _diff_on) * 2,
    *(_expand, _conf, _config_map, _edits, _explain_job, _explain_queue, _fit) * 2,
    *(_replay,) * 4,
    *(_sweep,) * 2,
    *(_anonymize, _verify, _expect, _usage, _fail_on, _fragment),
)
