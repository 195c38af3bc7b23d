"""How fast a sweep asks: lanes that ask again at once, or arrivals at rates of their own."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from infx.errors import InputError, Problem
from infx.model.asked import IN_FLIGHT, Process
from infx.model.workload import Arrival

SHAPES = (0.01, 1000.0)
"""Shapes of gamma arrivals that can be asked: gaps that vary by 10 to 0.03 of their mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What a user states of the pace, None where nothing is said.

    `concurrency` belongs to a closed loop; all else, but the ramp, to an open one, which `rates` in
    requests/s or a series of them (pairs of a second and the rate from then on) make. `given` are
    the arrivals of a workload that has its own already.
    """

    concurrency: tuple[int, ...] | None = None
    rates: tuple[float, ...] | None = None
    series: tuple[tuple[float, float], ...] | None = None
    process: Process | None = None
    burstiness: float | None = None
    ramp_s: float | None = None
    max_in_flight: int | None = None
    given: Arrival | None = None

    @property
    def open(self) -> bool:
        """Whether requests are due at moments of their own."""
        return any(said is not None for said in (self.rates, self.series, self.given))

    @property
    def lanes(self) -> tuple[int, ...]:
        """The concurrencies of the points: numbers of lanes, or the bound of an open loop."""
        if self.open:
            return (self.max_in_flight or IN_FLIGHT,)
        return (1,) if self.concurrency is None else self.concurrency

    @property
    def arrival(self) -> Arrival | None:
        """The arrivals of an open loop, at the first of several rates."""
        if self.given is not None or not self.open:
            return self.given
        return Arrival(
            process=self.process or "poisson",
            rate=self.rates[0] if self.rates else None,
            shape=self.burstiness,
            rates=self.series or (),
            ramp_s=self.ramp_s,
        )

    def check(self, *, bounded: bool) -> None:
        """Raise InputError with every contradiction.

        `bounded` tells that a number of requests or a duration is stated.
        """
        problems = [*self._loops(), *(self._arrivals() if self.open else ())]
        if self.series and self.series[-1][1] and not bounded:
            what = f"the last rate, {self.series[-1][1]:g}/s, holds without an end"
            remedy = "end the file with a rate of 0, or give --duration or --requests"
            problems.append(Problem(what, "--rate-file", remedy))
        if problems:
            raise InputError(*problems)

    def _loops(self) -> Iterator[Problem]:
        if self.rates is not None and self.series is not None:
            what = "a file of rates states them already"
            yield Problem(what, "--rate", "give one of --rate and --rate-file")
        if self.open and self.concurrency is not None:
            what = "a rate and a concurrency are two ways to pace requests"
            remedy = "give one of them; --max-in-flight bounds what a rate may have open"
            yield Problem(what, "--concurrency", remedy)
        if self.given is not None and (self.process or self.burstiness):
            what = "the workload states its arrivals already"
            yield Problem(what, "--arrival", "say it there")
            return
        alone = {
            "--arrival": self.process,
            "--burstiness": self.burstiness,
            "--max-in-flight": self.max_in_flight,
        }
        for flag, value in alone.items():
            if value is not None and not self.open:
                yield Problem("it says nothing without a rate", flag, "give --rate or --rate-file")

    def _arrivals(self) -> Iterator[Problem]:
        for rate in self.rates or ():
            if not 0 < rate < inf:
                yield Problem(f"rate {rate:g} is not possible", "--rate", "use a rate above 0")
        if self.rates == ():
            yield Problem("no rate is given", "--rate", "use 0.5,1,2 in requests/s")
        if self.process == "gamma" and self.burstiness is None:
            what = "gamma arrivals need a shape"
            yield Problem(what, "--arrival", "give --burstiness 0.5, or another shape")
        if self.burstiness is not None:
            low, high = SHAPES
            if self.process != "gamma":
                what = f"{self.process or 'poisson'} arrivals have no shape"
                yield Problem(what, "--burstiness", "give --arrival gamma with it")
            if not low <= self.burstiness <= high:
                what = f"shape {self.burstiness:g} is not possible"
                yield Problem(what, "--burstiness", f"use {low:g} to {high:g}; 1 is Poisson")
        if self.max_in_flight is not None and self.max_in_flight < 1:
            what = f"{self.max_in_flight} is not possible"
            yield Problem(what, "--max-in-flight", "use 1 or more")
