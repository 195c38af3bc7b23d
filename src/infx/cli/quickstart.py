"""`infx quickstart`: the main job, on this machine, on a real engine."""

import os
import sys
import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from infx.cli.bench import conclude
from infx.cli.cache import cache_folder
from infx.cli.flags import Format
from infx.cli.loop import run
from infx.cli.progress import ProgressLine
from infx.clock import SystemClock
from infx.flows.bench import Watch
from infx.flows.quickstart import QuickstartOptions, find_weights, run_quickstart
from infx.flows.report import write_report


def quickstart(
    *,
    weights: Annotated[
        Path | None, Parameter(help="A GGUF file; default: SmolLM2-135M, fetched once.")
    ] = None,
    out: Annotated[Path, Parameter(help="Folder of run bundles.")] = Path("runs"),
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> int:
    """Measure a real llama.cpp server with a small model, here, in about two minutes."""
    options = QuickstartOptions(
        out=out,
        cache=cache_folder(os.environ),
        environment=dict(os.environ),
        weights=weights,
        command=("infx", *sys.argv[1:]),
    )
    line = ProgressLine(time.monotonic)
    watch = Watch(line.talk, line.progress, line.point)
    found = find_weights(options, line.talk)  # before the loop, whose brake pip would not hear
    outcome = run(
        lambda brake: run_quickstart(options, found, clock=SystemClock(), brake=brake, watch=watch),
        line.talk,
    )
    code = conclude(outcome, format)
    report = write_report(outcome.run, out / f"{outcome.run.manifest.run}.html")
    line.talk(f"report: {report}")
    line.talk("next: open the report; measure a server of your own with: infx bench URL")
    return code
