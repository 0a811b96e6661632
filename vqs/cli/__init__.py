"""The command line: `commands` has a module for each command, and the modules beside it what several have in common."""

INTERRUPTED = 130
"""The exit code of a command that was interrupted."""
