"""The command line: parse, run, print, exit."""

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

from infx.cli.help import FLAGS, explained
from infx.cli.streams import say
from infx.errors import InfxError


def _version() -> str:
    # Imported here: it takes longer than many commands do, and few ask.
    from importlib.metadata import version

    return version("infx")


def _default(value: object) -> str | None:
    """Return a default as help names it; None where absence says the same."""
    if value is None or value is False or value in ((), [], ""):
        return None
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


app = App(
    name="infx",
    help="Continuous benchmarking of LLM inference servers.",
    version=_version,
    help_format="plaintext",
    default_parameter=Parameter(show_default=_default),
)
app.command(
    "infx.cli.quickstart:quickstart",
    name="quickstart",
    help="Measure a real engine with a small model, on this machine.",
)
app.command("infx.cli.bench:bench", name="bench", help="Measure an OpenAI-compatible endpoint.")
app.command("infx.cli.report:report", name="report", help="Write the static page of a run.")
app.command(
    "infx.cli.frontier:frontier",
    name="frontier",
    help="Show the frontiers of runs, and where they have no points.",
)
app.command("infx.cli.compare:compare", name="compare", help="Say what one run is next to another.")
app.command(
    "infx.cli.selftest:selftest",
    name="selftest",
    help="Measure how accurate the client is on this machine.",
)
runs = App(name="runs", help="List, show, verify, recover and exchange run bundles.")
app.command(runs)
runs.command("infx.cli.runs:list_", name="list", help="List the runs of a folder.")
runs.command("infx.cli.runs:show", name="show", help="Print a run again, from its bundle.")
runs.command("infx.cli.runs:verify", name="verify", help="Check a run's files and counts.")
runs.command("infx.cli.runs:recover", name="recover", help="Finish the bundle of a killed run.")
runs.command(
    "infx.cli.runs_exchange:import_", name="import", help="Make a bundle of another client's run."
)
runs.command(
    "infx.cli.runs_exchange:export", name="export", help="Write a run as files of another tool."
)
workload = App(name="workload", help="Make, describe, import and fetch agent sessions.")
app.command(workload)
workload.command(
    "infx.cli.workload:describe", name="describe", help="Say what a corpus of sessions is like."
)
workload.command("infx.cli.workload:synth", name="synth", help="Write synthetic sessions.")
workload.command(
    "infx.cli.workload:import_",
    name="import",
    help="Turn logs of coding agents into traces without text.",
)
workload.command("infx.cli.workload:fetch", name="fetch", help="Download a known corpus.")
workload.command("infx.cli.workload:list_", name="list", help="List the known corpora.")
recipe = App(name="recipe", help="Show, check and compare recipes.")
app.command(recipe)
recipe.command(
    "infx.cli.recipe:show", name="show", help="Print a recipe as it is bound, with reasons."
)
recipe.command(
    "infx.cli.recipe_check:check", name="check", help="Say what is wrong in recipes, or doubtful."
)
recipe.command(
    "infx.cli.recipe_diff:diff", name="diff", help="Compare two recipes, and say what follows."
)
acceptance = App(name="acceptance", help="Show golden acceptance lengths.")
app.command(acceptance)
acceptance.command(
    "infx.cli.acceptance:show",
    name="show",
    help="Show all curves, one curve, or the length that a draft is held to.",
)
engines = App(name="engines", help="Show and read what engines' command lines take.")
app.command(engines)
engines.command("infx.cli.engines:list_", name="list", help="List the schemas that infx ships.")
engines.command("infx.cli.engines:flags", name="flags", help="List the flags of an engine.")
engines.command(
    "infx.cli.engines:extract", name="extract", help="Read a schema from an engine's wheel."
)
matrix = App(name="matrix", help="Expand a catalog into what a sweep runs.")
app.command(matrix)
matrix.command(
    "infx.cli.matrix:generate", name="generate", help="Print the rows and points of a catalog."
)
matrix.command(
    "infx.cli.changed:changed", name="changed", help="List the points that a change affects."
)
changelog = App(name="changelog", help="Judge, extend and merge the changelog.")
app.command(changelog)
changelog.command(
    "infx.cli.changelog:check", name="check", help="Judge what a change adds to the changelog."
)
changelog.command(
    "infx.cli.changelog:add", name="add", help="Append the entry for what a change affects."
)
changelog.command(
    "infx.cli.changelog:merge", name="merge", help="Join what two branches append, for git."
)
app.command(
    "infx.cli.verify:verify", name="verify", help="Judge a submission by a policy, from evidence."
)
evidence = App(name="evidence", help="Gather and show what is known of a submission.")
app.command(evidence)
evidence.command(
    "infx.cli.evidence:collect",
    name="collect",
    help="Gather a submission's facts from a repository and its runs.",
)
evidence.command(
    "infx.cli.evidence:show", name="show", help="Show which facts a submission's evidence has."
)
app.command(
    "infx.cli.signoff:signoff",
    name="signoff",
    help="Fill the checklist of a policy from evidence, for a person to sign.",
)
app.command("infx.cli.explain:explain", name="explain", help="Print the manual page of a check.")
schema = App(name="schema", help="Write what editors need to check a catalog's files.")
app.command(schema)
schema.command("infx.cli.schema:write", name="write", help="Write JSON Schemas for editors.")


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
    if FLAGS.isdisjoint(argv):
        return app(argv, exit_on_error=False, print_error=False, result_action="return_value")
    with explained(app, argv):
        return app(argv, exit_on_error=False, print_error=False, result_action="return_value")


def _misuse(error: CycloptsError) -> str:
    """Say on one line what cannot be parsed, and where the right form stands."""
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
        file.write(f"infx {_version()}, Python {sys.version}\n{traceback.format_exc()}")
    return file.name
