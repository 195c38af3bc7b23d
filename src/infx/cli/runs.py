"""`infx runs`: what was measured, and whether its bundle is whole."""

import os
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from infx.cli.flags import Format
from infx.cli.grids import printable
from infx.cli.outcome import print_result
from infx.cli.streams import put
from infx.errors import InputError, Problem, nearest
from infx.flows.runs import RunEntry, list_runs, open_run, recover_run, verify_run

Root = Annotated[Path, Parameter(help="Folder of run bundles.")]


def list_(*, root: Root = Path("runs")) -> int:
    """List the runs of a folder, oldest first."""
    entries = list_runs(root)
    for entry in entries:
        put(printable(_line(entry)))
    if not entries:
        print(f"no runs in {root}", file=sys.stderr)
    return 0


def show(run: str, /, *, root: Root = Path("runs"), format: Format = "text") -> int:
    """Print a run again, from its bundle.

    Parameters
    ----------
    run
        Folder of the run, its id, or `latest`.
    """
    print_result(open_run(find(run, root)).result, format)
    return 0


def verify(run: str, /, *, root: Root = Path("runs")) -> int:
    """Check a run's files against its manifest; exit 1 when anything differs.

    Parameters
    ----------
    run
        Folder of the run, its id, or `latest`.
    """
    path = find(run, root)
    problems = verify_run(path)
    for problem in problems:
        put(printable(str(problem)))
    if not problems:
        put(f"{path}: every file is as it was written, every count holds")
    return 1 if problems else 0


def recover(run: str, /, *, root: Root = Path("runs"), format: Format = "text") -> int:
    """Finish the bundle of a run whose client was killed, and print it.

    Parameters
    ----------
    run
        Folder of the run, its id, or `latest`.
    """
    print_result(recover_run(find(run, root)).result, format)
    return 0


def find(run: str, root: Path) -> Path:
    """Return the folder of a run named by path, id or `latest`; raise InputError when none is."""
    if os.sep in run or Path(run).is_dir():
        return Path(run)
    known = [entry.path.name for entry in list_runs(root)]
    if run == "latest" and known:
        return root / known[-1]
    if run in known:
        return root / run
    remedy = nearest(run, known) if known else "infx bench URL makes one"
    raise InputError(Problem(f"no run {run!r} in {root}", None, remedy))


def _line(entry: RunEntry) -> str:
    if entry.manifest is None:
        return f"{entry.path.name}  unreadable  {entry.problem}"
    manifest = entry.manifest
    state = "killed" if manifest.state == "running" and not entry.alive else manifest.state
    points = f"{len(manifest.points)} point{'s' if len(manifest.points) != 1 else ''}"
    return f"{manifest.run}  {state:11}  {points:9}  {' '.join(manifest.command)}"
