"""How fast `infx bench` sends, as its flags say it."""

import re
from collections.abc import Iterable

from infx.cli import values
from infx.cli.bench_flags import PaceFlags
from infx.errors import InputError, Problem
from infx.flows.pace import Pace

_RATE = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)")


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
