"""`infx report RUN`: the static page of a run."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from infx.cli.runs import Root, find
from infx.cli.streams import put
from infx.flows.report import write_report
from infx.flows.runs import open_run


def report(
    run: str,
    /,
    *,
    root: Root = Path("runs"),
    out: Annotated[Path | None, Parameter(help="File to write; default: RUN.html.")] = None,
) -> int:
    """Write a run as one self-contained HTML file, and print its path.

    Parameters
    ----------
    run
        Folder of the run, its id, or `latest`.
    """
    path = find(run, root)
    put(str(write_report(open_run(path), out or path.with_name(f"{path.name}.html"))))
    return 0
