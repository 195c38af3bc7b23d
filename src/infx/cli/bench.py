"""`infx bench URL`: measure any OpenAI-compatible endpoint."""

import os
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from infx.cli.bench_flags import BenchFlags
from infx.cli.flags import Format
from infx.cli.streams import say

if TYPE_CHECKING:
    from infx.flows.bench import Outcome

PLUGINS = "PYDANTIC_DISABLE_PLUGINS"
"""The variable by which pydantic leaves out plugins; what a user has set stays."""


def bench(url: str, /, *, flags: Annotated[BenchFlags | None, Parameter(name="*")] = None) -> int:
    """Measure latency and throughput of an OpenAI-compatible endpoint.

    Parameters
    ----------
    url
        Base URL, for example http://127.0.0.1:8000.
    """
    # Else pydantic reads the metadata of all installed packages to find plugins. No server gets
    # this environment, as a bench starts none.
    os.environ.setdefault(PLUGINS, "__all__")
    from infx.cli.bench_run import measured  # after the parsing: see the module of the flags

    flags = flags or BenchFlags()
    outcome = measured(url, flags)
    return conclude(outcome, flags.format, max_error=flags.max_error, strict=flags.strict)


def conclude(
    outcome: "Outcome", format_: Format, *, max_error: float = 0.1, strict: bool = False
) -> int:
    """Print what a run came to, the data on stdout and the verdict on stderr; return its code."""
    from infx.cli.outcome import print_result  # after the load: they import what draws
    from infx.cli.verdict import judge

    print_result(outcome.run.result, format_)
    verdict = judge(outcome, max_error=max_error, strict=strict)
    for line in verdict.lines:
        say(line)
    return verdict.code
