"""`infx selftest`: how accurate the client is on this machine, and up to which load."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated

from cyclopts import Parameter

from infx.cli.cache import selftests_folder
from infx.cli.flags import Format
from infx.cli.grids import Grid, aligned, markdown_grid
from infx.cli.limits import require_connections
from infx.cli.loop import run
from infx.cli.progress import ProgressLine
from infx.cli.streams import put
from infx.clock import SystemClock
from infx.flows.selftest import PACED, run_selftest
from infx.flows.selftests import keep
from infx.model.selftest import Selftest, SelftestLoad
from infx.report.units import figure

HEADS = (
    ("streams", ""), ("gap", "ms"), ("offered", "events/s"), ("carried", "events/s"), ("kept", "%"),
    ("TTFT bias", "ms"), ("p99 excess", "ms"), ("read late", "ms"), ("named", "ms"),
    ("read late", "ms p99"), ("named", "ms p99"), ("server late", "ms p99"), ("CPU", "us/event"),
    ("certified", ""),
)  # fmt: skip
EXPLANATION = (
    "TTFT bias: the client's TTFT above the one in the server's own log",
    "read late: the client's part of it; for the rest requests waited until the server read them",
    "named: what the client's audit says of its part, without that log",
)


def selftest(
    *,
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> int:
    """Measure this machine's own accuracy against a truth server, in half a minute.

    Each load is run against a server that logs when it really sent; the client's figures stand
    beside what its own audit bounds them by. The result is kept, and later runs here cite it.
    """
    require_connections(max(PACED.streams))
    line = ProgressLine(time.monotonic)
    environment: Mapping[str, str] = dict(os.environ)
    result = run(
        lambda brake: run_selftest(environment, clock=SystemClock(), brake=brake, talk=line.talk),
        line.talk,
    )
    path = keep(result, selftests_folder(environment))
    put(FORMATS[format](result))
    print(f"kept: {path}", file=sys.stderr)
    return 0 if result.largest_streams is not None else 1


def _text(result: Selftest) -> str:
    return "\n".join([*aligned(_grid(result)), "", *verdict(result)])


def _markdown(result: Selftest) -> str:
    notes = "\n".join(f"- {sentence}" for sentence in verdict(result))
    return f"{markdown_grid(_grid(result))}\n\n{notes}"


def _github(result: Selftest) -> str:
    level = "warning" if result.largest_streams is None else "notice"
    return f"::{level} title=infx selftest::{'%0A'.join(verdict(result))}"


FORMATS: Mapping[str, Callable[[Selftest], str]] = MappingProxyType(
    {"text": _text, "json": Selftest.model_dump_json, "markdown": _markdown, "github": _github}
)
"""What `--format` takes, and the function that writes it."""


def verdict(result: Selftest) -> tuple[str, ...]:
    """Say what the machine certifies and what limits it, one sentence a line."""
    largest = [one for one in result.loads if one.streams == result.largest_streams]
    if largest:
        (one,) = largest
        gap = f"{one.gap * 1000:g} ms"
        first = (
            f"certifies up to {one.streams} streams with {gap} between events: "
            f"{figure(one.carried)} events/s"
        )
    else:
        first = "certifies none of these loads"
    cores = result.host.get("usable_cores")
    shared = f"this machine's {cores} cores" if cores else "this machine's cores"
    return (
        first,
        f"limit: {result.limit}",
        f"at full speed it reads {figure(result.capacity.carried)} events/s",
        f"server and client share {shared}: with the server elsewhere the client has more of them",
        *EXPLANATION,
    )


def _grid(result: Selftest) -> Grid:
    rows = tuple(map(_row, (*result.loads, result.capacity)))
    names, units = zip(*HEADS, strict=True)
    return Grid("Accuracy of the client", names, units, rows)


def _row(load: SelftestLoad) -> tuple[str, ...]:
    return (
        f"{load.streams}",
        f"{load.gap * 1000:g}",
        "-" if load.offered is None else f"{load.offered:,.0f}",
        f"{load.carried:,.0f}",
        "-" if load.kept is None else f"{load.kept * 100:.1f}",
        _ms(load.ttft_bias_mean),
        _ms(load.ttft_bias_p99),
        _ms(load.read_late_mean),
        _ms(load.named_mean),
        _ms(load.read_late_p99),
        _ms(load.named_p99),
        _ms(load.server_late_p99),
        f"{load.cpu_per_event * 1e6:.1f}",
        "yes" if load.certified else ", ".join(load.reasons),
    )


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1000:.2f}"
