"""What a rule of `vqs lint` is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from vqs.lint.context import LintContext
from vqs.lint.finding import Denier, Finding, Severity


class Need(IntEnum):
    """What a rule looks at. One that needs more is left out where the input has errors.

    OBJECTS: objects as they are written; any of them may have other faults.
    CONFIGURATION: the scheduler's configuration as it was understood.
    SESSION: the cluster, and a session opened on it.
    """

    OBJECTS = 1
    CONFIGURATION = 2
    SESSION = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Attributes:
        code: names it; the module of a rule that checks is named alike.
        severity: the severity of its findings, unless a finding has its own.
        title: what it finds, in a few words.
        meaning: what that is, in full.
        why: what the scheduler or the API server does about it.
        fix: what to do.
        source: where that can be read: files of volcano-sh/volcano at v1.14.4, of other Go modules behind the module's
            name, or a page of docs with a section of it.
        check: finds it; None for the rules of `vqs.lint.rules.reading`, which explain what is found elsewhere.
        needs: what `check` looks at.
        looks_at: the lists of objects that `check` looks at, and ``conf`` if it looks at the configuration; it may look
            at anything where none is named.
        example: what it looks like, in a line or a few lines of YAML.
        denied: who denies an object with such a finding; None where all such objects are admitted.
        stands: the severity for an object that is stored, and so was not denied.
        given_conf: whether it compares objects with a configuration that is given: where none is, it is left out, and
            what it would find with the built-in one is counted.
        gives_way: whether it says nothing of a value with which reading finds fault already.
    """

    code: str
    severity: Severity
    title: str
    meaning: str
    why: str
    fix: str
    source: str
    check: Callable[[LintContext], Iterator[Finding]] | None = None
    needs: Need = Need.OBJECTS
    looks_at: tuple[str, ...] = ()
    example: str = ""
    denied: Denier | None = None
    stands: Severity = Severity.NOTE
    given_conf: bool = False
    gives_way: bool = False
