"""A HyperNode that Volcano's webhook refuses."""

from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.apiserver.validation.expressions import is_expression


def check(context: LintContext) -> Findings:
    """Find HyperNodes without members, and members whose pattern cannot be read."""
    for hyper_node, place in context.objects("hyper_nodes"):
        what = f"HyperNode {hyper_node.metadata.name}"
        if not hyper_node.spec.members:
            yield Finding(f"{what} has no members", place.at("spec", "members"))
        for index, member in enumerate(hyper_node.spec.members):
            match = member.selector.regex_match
            if match is not None and not is_expression(match.pattern):
                path = ("spec", "members", index, "selector", "regexMatch", "pattern")
                message = f"{what}: {match.pattern!r} is not a regular expression in Go"
                yield Finding(message, place.at(*path))


RULE = Rule(
    code="hyper-node-denied",
    severity=Severity.ERROR,
    title="Volcano's webhook refuses a HyperNode",
    meaning="A HyperNode has no members, or the pattern of a member is not a regular expression.",
    why="The webhook for HyperNodes compiles the patterns like the controller, as regular expressions of Go, which "
    "have no lookahead or lookbehind.",
    fix="Name members, or correct the pattern.",
    source="pkg/webhooks/admission/hypernodes/validate/admit_hypernode.go",
    check=check,
    looks_at=("hyper_nodes",),
    example='regexMatch: {pattern: "node-["}',
    denied="webhook",
)
