"""`python -m infx.workflows.pareto_coverage`: counts the frontiers of curves on stdin."""

import json
import sys

from pydantic import JsonValue

from infx.cli.streams import put, say
from infx.curves.coverage import coverages
from infx.errors import InfxError, InputError, Problem

MAX_BYTES = 64 * 1024 * 1024


def run() -> None:
    """Read `[{"key": ..., "points": [{"x": ..., "y": ...}]}]`, print a count a curve, and exit.

    Exits 0 also for curves that warn: the count is asked for, not a verdict. Exits 2 for input that
    is none.
    """
    sys.exit(main(sys.stdin.buffer.read(MAX_BYTES + 1)))


def main(data: bytes) -> int:
    """Print the counts of curves that are at hand, and return the exit code."""
    try:
        found = coverages(_parsed(data))
        put(json.dumps([one.model_dump(mode="json", by_alias=True) for one in found], indent=2))
    except InfxError as error:
        for problem in error.problems:
            say(problem)
        return error.exit_code
    except BrokenPipeError:
        return 0
    return 0


def _parsed(data: bytes) -> JsonValue:
    """Read JSON as the public helper does: what is no number there is evidence of nothing here."""
    if len(data) > MAX_BYTES:
        raise InputError(Problem(f"more than {MAX_BYTES} bytes", "stdin", "split the curves"))
    try:
        value: JsonValue = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(Problem(f"not JSON: {error}", "stdin")) from None
    return value
