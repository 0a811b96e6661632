"""What a vendor's build of Volcano brings along."""

from vqs.config.known_plugins import vendor_of_configuration, vendor_of_plugin
from vqs.lint.plugins import given_plugins, is_given
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.snapshot.reading.diagnostics import did_you_mean


def check(context: LintContext) -> Findings:
    """Look for plugins that vendors ship, and for arguments of theirs."""
    for option in given_plugins(context.conf):
        vendor = vendor_of_plugin(option.name)
        if vendor is not None:
            message = f"{option.name} is a plugin of {vendor.title}; not modelled is {vendor.decides(option.name)}"
            yield Finding(message, ConfPlace((*option.path, "name")))
    for name, arguments in context.conf.configurations.items() if is_given(context.conf) else ():
        vendor = vendor_of_configuration(name)
        if vendor is None:
            continue
        known = vendor.configurations[name]
        if not any(vendor.decides(option.name) for option in context.conf.plugins):
            message = f"{name} has arguments for a plugin of {vendor.title}, and no tier has one"
            yield Finding(message, ConfPlace((*arguments.path[:-1], "name")))
        for each in sorted(set(arguments) - known):
            message = f"{name} of {vendor.title} is not known to have {each}"
            yield Finding(message, ConfPlace((*arguments.path, each), key=True), fix=did_you_mean(each, known))


RULE = Rule(
    code="vendor-plugin",
    severity=Severity.NOTE,
    title="a vendor's build of Volcano brings this along",
    meaning="A tier names a plugin that a vendor ships with its build of Volcano, or configurations has arguments "
    "for one.",
    why="The vendor's scheduler has the plugin, and Volcano's own ignores it. vqs models neither what it decides nor "
    "what it reads, and so pods that hang on it may go elsewhere, or nowhere. --volcano 1.14+VENDOR has results say "
    "so; the vendors are mindcluster, cce and hami.",
    fix="Leave it as it is where the vendor's build runs. Where Volcano's own build does, remove it.",
    source="pkg/scheduler/framework/plugins.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: volcano-npu_v7.3.0_linux-aarch64",
)
