"""Pages of programs: every command of infx, and the servers that it ships."""

import argparse
import io
from collections.abc import Iterator
from importlib import import_module

from cyclopts import App
from rich.console import Console

from infx import errors
from infx.cli.app import app
from infx.cli.help import explained
from infx.servers import SERVERS
from pages.text import doc, fence, fields, page, table

WIDTH = 100


def command_line() -> str:
    """Return the page of the command line: exit codes, then `--help` of every command."""
    sections = (f"## {' '.join(words)}\n\n{fence(_help(words[1:]))}" for words in commands())
    return page(
        "Command line",
        "Data goes to stdout, talk to stderr; `--format json` prints one object on one line.",
        table(("exit code", "meaning"), ((f"`{number}`", text) for number, text in _exits())),
        *sections,
    )


def commands() -> list[tuple[str, ...]]:
    """Return the words of every command and group, the program itself first."""
    return [("infx",), *_walk(app, ("infx",))]


def _walk(group: App, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name in group:
        if not name.startswith("-"):
            yield (*words, name)
            yield from _walk(group[name], (*words, name))


def _help(words: tuple[str, ...]) -> str:
    console = Console(
        file=io.StringIO(), width=WIDTH, color_system=None, force_terminal=False, _environ={}
    )
    with console.capture() as captured, explained(app, words):
        app.help_print(list(words), console=console)
    return "\n".join(line.rstrip() for line in captured.get().strip("\n").splitlines())


def _exits() -> list[tuple[int, str]]:
    known = (errors.InputError, errors.MachineError, errors.InfxError, errors.Interrupted)
    texts = {kind.exit_code: doc(kind).partition("(exit")[0].strip(" .") for kind in known}
    return sorted(
        {
            **texts,
            0: "Good",
            1: "The verdict is no: too many requests failed, `--strict` found a point that is not "
            "certified, or a bundle does not verify",
            errors.InfxError.exit_code: "A defect of infx; it names a file to report",
        }.items()
    )


class _Wide(argparse.HelpFormatter):
    """Help as wide on every terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH)


def server(name: str, *more: str) -> str:
    """Return the page of a shipped server: what its module says, its `--help`, and `more`."""
    parser = _parser(SERVERS[name])
    parser.formatter_class = _Wide
    vars(parser)["color"] = False  # Python 3.14 colours help where it finds a terminal
    arguments = f"## Arguments\n\n{fence(parser.format_help())}"
    return page(f"The {name} server", doc(import_module(SERVERS[name])), arguments, *more)


def truth() -> str:
    """Return the page of the truth server, with the formulas that its moments follow."""
    timing, engine, tokens, faults, log = (
        import_module(f"infx.servers.truth.{name}")
        for name in ("timing", "engine", "tokens", "faults", "log")
    )
    known = (
        (f"`{name}`", leaf.kind.word, leaf.default, leaf.about)
        for name, leaf in faults.FAULTS.items()
    )
    return server(
        "truth",
        f"## Scripted timing\n\n{doc(timing.Scripted)}",
        f"## Engine mode\n\n{doc(engine)}",
        f"## Prompt tokens\n\n{doc(tokens)}",
        f"## Faults\n\n{doc(faults)}",
        table(("fault", "argument", "default", "what it does"), known),
        f"## The log\n\n{doc(log)}\n\n{doc(log.Sent)}\n\n{fields(log.Sent)}",
    )


def _parser(module: str) -> argparse.ArgumentParser:
    package = import_module(module)
    if hasattr(package, "__path__"):
        package = import_module(f"{module}.__main__")
    parser: argparse.ArgumentParser = package.parser()
    return parser
