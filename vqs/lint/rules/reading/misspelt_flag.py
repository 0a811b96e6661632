"""A flag of a plugin with the wrong prefix or spelling; found while the configuration is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="misspelt-flag",
    severity=Severity.WARNING,
    title="the flag is spelt otherwise, and Volcano ignores it",
    meaning="A key beside a plugin's name is almost one of its flags: the prefix is enabled where Volcano writes "
    "enable, or the other way round, or upper case is wrong, or a letter.",
    why="The spellings are not uniform: most flags begin with enable; enabledVictim, enabledOverused, "
    "enabledAllocatable and those of hypernodes and subjobs with enabled; EnabledClusterOrder with a capital. Volcano "
    "drops a key that it does not know without a word, and the flag keeps its default: true, but for enableHierarchy.",
    fix="Write the flag as Volcano does.",
    source="pkg/scheduler/conf/scheduler_conf.go",
    example="- name: capacity\n  enabledHierarchy: true",
)
