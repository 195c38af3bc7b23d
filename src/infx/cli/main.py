"""The command line: parse, run, print, exit."""

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from infx import __version__
from infx.cli.streams import say
from infx.errors import InfxError

if TYPE_CHECKING:
    from cyclopts import CycloptsError

OBJECTS_OF_A_START = 100_000
"""More than are made before a command does its work, about 60,000 of a bench."""


def run(*command: str) -> None:
    """Run the command line of this process, as `command` if it is named, and exit with its code.

    What was read goes with the process: to take a catalog's values apart one by one would last a
    sixth of the whole command. For the same reason nobody looks for garbage among the objects that
    imports and parsing make: nearly all of them stay.
    """
    gc.set_threshold(OBJECTS_OF_A_START)
    code = main([*command, *sys.argv[1:]])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            pass
        except OSError as error:
            code = code or _unwritten(error)
    os._exit(code)


def _unwritten(error: OSError) -> int:
    """Say that the last of the output could not be written, and return the code for that."""
    with suppress(OSError):
        say(f"the output could not be written: {error.strerror}")
    return 3


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code; errors are told on stderr."""
    from cyclopts import CycloptsError  # among what `run` has to set its threshold before

    try:
        code = _called(argv)
    except CycloptsError as error:
        say(_misuse(error))
        return 2
    except InfxError as error:
        for problem in error.problems:
            say(problem)
        return error.exit_code
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    except BrokenPipeError:
        return 0
    except Exception as error:  # noqa: BLE001 - the border where a defect becomes a report
        say(f"a defect in infx: {error!r}; report: {_report()}")
        return 4
    return code if isinstance(code, int) else 0


def _called(argv: Sequence[str]) -> object:
    from infx.cli.app import app
    from infx.cli.help import FLAGS, explained

    if FLAGS.isdisjoint(argv):
        return app(argv, exit_on_error=False, print_error=False, result_action="return_value")
    with explained(app, argv):
        return app(argv, exit_on_error=False, print_error=False, result_action="return_value")


def _misuse(error: "CycloptsError") -> str:
    """Say on one line what cannot be parsed, and where the right form stands."""
    from cyclopts import UnusedCliTokensError

    what = str(error)
    if isinstance(error, UnusedCliTokensError):
        what = f"unexpected argument {' '.join(error.unused_tokens or ())!r}."
    help_ = " ".join(("infx", *(error.command_chain or ()), "--help"))
    return f"{' '.join(what.split())} See: {help_}"


def _report() -> str:
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix="infx-defect-", suffix=".txt", delete=False
    ) as file:
        file.write(f"infx {__version__}, Python {sys.version}\n{traceback.format_exc()}")
    return file.name
