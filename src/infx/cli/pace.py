"""The flags of `infx bench` that say how fast requests are sent."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from infx.cli import values
from infx.cli.flags import flag, several
from infx.errors import InputError, Problem
from infx.flows.pace import IN_FLIGHT, Pace
from infx.model.workload import Process

_RATE = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceFlags:
    """Flags of closed and open loops."""

    concurrency: Annotated[
        list[str] | None, several("Numbers of parallel requests: 1,2,4 or 1 2 4. Default: 1.")
    ] = None
    rate: Annotated[
        list[str] | None,
        several("Send so many requests a second instead, answered or not: 0.5,1,2."),
    ] = None
    rate_file: Annotated[
        Path | None, flag("Send at rates that change: CSV or JSON lines of a second and a rate.")
    ] = None
    arrival: Annotated[
        Process | None, flag("How the gaps of a rate are distributed; default: poisson.")
    ] = None
    burstiness: Annotated[
        float | None, flag("Shape of gamma gaps: below 1 is burstier than poisson, above calmer.")
    ] = None
    max_in_flight: Annotated[
        int | None,
        flag(
            "Requests that a rate may have open; what is due beyond is counted and not sent. "
            f"Default: {IN_FLIGHT}."
        ),
    ] = None
    ramp: Annotated[
        str | None, flag("Start the parallel requests, or raise the rate, over so long: 30s.")
    ] = None


def pace(flags: PaceFlags) -> Pace:
    """Read the flags; raise InputError for what is no number, or no file of rates."""
    series = None
    if flags.rate_file is not None:
        from infx.workloads.rate_file import read_rates

        series = read_rates(flags.rate_file)
    lanes = None if flags.concurrency is None else values.concurrencies(flags.concurrency)
    return Pace(
        concurrency=lanes,
        rates=None if flags.rate is None else rates(flags.rate),
        series=series,
        process=flags.arrival,
        burstiness=flags.burstiness,
        ramp_s=None if flags.ramp is None else values.seconds(flags.ramp, "--ramp"),
        max_in_flight=flags.max_in_flight,
    )


def rates(words: Iterable[str]) -> tuple[float, ...]:
    """Read `0.5,1,2` or several words into requests/s, in the given order."""
    found = [part for word in words for part in word.split(",") if part]
    bad = [part for part in found if not _RATE.fullmatch(part)]
    if bad:
        raise InputError(
            *(Problem(f"{part!r} is no rate", "--rate", "use 0.5,1,2") for part in bad)
        )
    return tuple(map(float, found))
