"""The plugins and actions of one's own that a command runs with."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from vqs.cli import environment
from vqs.cli.failures import CommandError
from vqs.extensions.adding import extended as with_extensions
from vqs.extensions.loading import ExtensionError


@contextmanager
def extended(places: Sequence[str]) -> Iterator[None]:
    """Add those of installed packages, and those that the command line names.

    Raises:
        CommandError: one of them cannot be used.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(with_extensions(places))
        except ExtensionError as error:
            raise CommandError(f"{error}{environment.setting(['--plugin']) if places else ''}") from error
        yield
