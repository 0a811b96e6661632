"""An argument that its plugin or action does not read."""

from collections.abc import Sequence

from vqs.config.known_arguments import PLUGIN_ARGUMENTS, find_argument
from vqs.config.known_plugins import advice
from vqs.config.scheduler_conf import FLAGS
from vqs.lint.plugins import Given, given_arguments
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.snapshot.reading.diagnostics import did_you_mean, one_of

_FEW = 3
_SWITCH = "Enable"
_FORMER = {"enablePredicateErrorCache": "predicateErrorCacheEnable"}


def check(context: LintContext) -> Findings:
    """Look for names that are not in the table of arguments."""
    for given in given_arguments(context.conf, context.profile):
        for name in given.values:
            if given.find(name) is None:
                place = ConfPlace((*given.path, name), key=True)
                yield Finding(f"{given.owner} does not read {given.before}{name}", place, fix=_fix(given, name))


def _fix(given: Given, name: str) -> str:
    names = [argument.name for argument in given.known]
    if _FORMER.get(name) in names:
        return f"did you mean {_FORMER[name]!r}?"
    plugin = given.owner.removeprefix("plugin ")
    if moved := advice(plugin, name):
        return moved
    if not given.before and find_argument(PLUGIN_ARGUMENTS.get(plugin, ()), name):
        return "other releases of Volcano read it; --volcano chooses the release"
    if name in FLAGS:
        return "it is a flag, and goes beside arguments, not under it"
    others = [other for other, arguments in PLUGIN_ARGUMENTS.items() if find_argument(arguments, name)]
    if others and "." in name:
        return f"it is an argument of the plugin {one_of(others)}"
    return _near(name, names) or (f"there are {', '.join(names)}" if names else "it reads no arguments at all")


def _near(name: str, names: Sequence[str]) -> str:
    """The hint at the name that was meant; what most names begin or end with is no likeness."""
    prefix, _, rest = name.rpartition(".")
    alike = [each for each in names if prefix and each.rpartition(".")[0] == prefix]
    if len(alike) < _FEW:
        return did_you_mean(name, names)
    cores = {each.removeprefix(f"{prefix}.").removesuffix(_SWITCH): each for each in alike}
    hint = did_you_mean(rest.removesuffix(_SWITCH), cores)
    return next((f"did you mean {each!r}?" for core, each in cores.items() if f"'{core}'" in hint), "")


RULE = Rule(
    code="unknown-argument",
    severity=Severity.WARNING,
    title="the plugin or action does not read this argument",
    meaning="arguments has a name that the plugin or the action of Volcano v1.14.4 does not read.",
    why="Plugins read arguments by name and ignore all others; the log does not mention them. The default applies.",
    fix="Correct the spelling; names have dots, dashes and capitals, which differ from plugin to plugin.",
    source="pkg/scheduler/plugins; pkg/scheduler/actions",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: overcommit\n  arguments: {overcommit.factor: 1.5}",
)
