"""The page of help of one command: all that its function says, where a list has one line."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cyclopts import App

FLAGS = frozenset(("--help", "-h"))
"""What asks for a page of help."""


@contextmanager
def explained(app: App, words: Sequence[str]) -> Iterator[None]:
    """Let the command that `words` name say on its page what the docstring of its function says."""
    _, apps, _ = app.parse_commands([word for word in words if word not in FLAGS])
    command = apps[-1]
    line, text = command.help, inspect.getdoc(command.default_command)
    if command.default_command is not None and text:
        command.help = unwrapped(text)
    try:
        yield
    finally:
        command.help = line


def unwrapped(text: str) -> str:
    """Return a docstring before its sections, a line for each paragraph.

    >>> unwrapped("Measure.\\n\\nIt is long,\\nand ends.\\n\\nParameters\\n----------\\na\\n    A.")
    'Measure.\\n\\nIt is long, and ends.'
    """
    body, _, _ = text.partition("\n\nParameters\n---")
    return "\n\n".join(" ".join(part.split()) for part in body.split("\n\n"))
