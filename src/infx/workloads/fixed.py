"""The `fixed` scenario: independent requests of given input and output lengths.

Prompts and lengths depend on the workload's seed, shape and arrival, the concurrency, the phase,
the repetition and the index; never on the recipe, the URL or the run, so that two servers see the
same ones, and no point finds another point's prompts in a warm prefix cache.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from infx.errors import InputError, Problem
from infx.model.identity import digest
from infx.model.record import Phase
from infx.model.workload import FixedWorkload, Session, Turn
from infx.workloads.draws import Draws, derive, seed_key

if TYPE_CHECKING:
    from infx.workloads.prompts import PromptSource

FASTEST_REQUEST_S = 0.005
"""No request is expected to end sooner than this, and ..."""
FASTEST_TOKEN_S = 0.001
"""... each of its tokens takes at least this: 1,000 tokens/s in one stream."""
EARLY_END_TOKENS = 64
"""Tokens of the shortest answers that are planned for where the server may end them itself."""
SESSIONS_MAX = 100_000
"""The most profiling requests that a duration plans for one point of a closed loop."""
OPEN_WARMUP_LANES = 4
"""An open loop is warmed up as if it had so many lanes: its concurrency is only a bound."""


@dataclass(frozen=True, slots=True)
class _Ranges:
    """The lengths that requests may have; inputs None where a dataset decides.

    With a `single` pair of them nothing has to be drawn.
    """

    inputs: range | None
    outputs: range
    single: tuple[int | None, int] | None


def sessions(
    workload: FixedWorkload, *, concurrency: int, repetition: int, prompts: "PromptSource"
) -> tuple[Session, ...]:
    """Unfold a workload at one concurrency: warmups with prompts of their own, then profiling.

    Equal arguments give equal sessions on any machine. In an open loop the profiling requests have
    their due times; warmups are asked by lanes. Raises InputError when the source cannot make
    prompts as short as the shape and the range ratio ask for, or no request is due in time.
    """
    if concurrency < 1:
        raise InputError(Problem("concurrency must be at least 1", "--concurrency"))
    _require_length(workload, prompts)
    point = seed_key(
        "fixed", workload.seed, workload.isl, workload.osl, workload.range_ratio, concurrency,
        repetition,
    )  # fmt: skip
    due: Sequence[int | None]
    if workload.arrival is None:
        due = [None] * request_count(workload, concurrency)
    else:
        from infx.workloads.arrivals import starts  # a closed loop needs none

        point = derive(point, digest(workload.arrival.model_dump()))
        due = starts(workload, workload.arrival, key=derive(point, "arrivals"))
    turn = partial(_turn, point=point, ranges=_ranges(workload), prompts=prompts)
    warmups = range(warmup_count(workload, concurrency))
    return (
        *(Session(Phase.WARMUP, (turn(-1 - index),)) for index in warmups),
        *(Session(Phase.PROFILING, (turn(n),), start_ns) for n, start_ns in enumerate(due)),
    )


def warmup_count(workload: FixedWorkload, concurrency: int) -> int:
    """Return how many warmup requests one point has: the stated total, else those of each lane.

    An open loop has those of 4 lanes, or of its concurrency where that is less.
    """
    if workload.warmups is not None:
        return workload.warmups
    lanes = concurrency if workload.arrival is None else min(concurrency, OPEN_WARMUP_LANES)
    return workload.warmups_per_lane * lanes


def request_count(workload: FixedWorkload, concurrency: int) -> int:
    """Return how many profiling requests one point of a closed loop plans.

    A stated total holds. With a duration, it is what the lanes could end at most, were each
    request 5 ms plus 1 ms a token (1,000 tokens/s a stream; 64 tokens where answers may end
    early), capped at 100,000 in all and never below the count without a duration. A server that
    is faster still runs out of requests, and the phase then ends before its duration.
    """
    if workload.requests is not None:
        return workload.requests
    usual = workload.requests_per_lane * concurrency
    if workload.duration_s is None:
        return usual
    tokens = shortest(workload.osl, workload.range_ratio)
    if workload.dataset or not workload.ignore_eos:
        tokens = min(tokens, EARLY_END_TOKENS)
    fastest = FASTEST_REQUEST_S + FASTEST_TOKEN_S * tokens
    each = math.ceil(workload.duration_s / fastest) + 1
    return max(usual, min(each * concurrency, SESSIONS_MAX))


def shortest(length: int, range_ratio: float) -> int:
    """Return floor(length * range_ratio), at least 1, with the ratio as the decimal it is read as.

    >>> shortest(5, 0.8), shortest(10, 0.7), shortest(1, 0.5)
    (4, 7, 1)
    """
    return max(1, math.floor(length * Fraction(repr(range_ratio))))


def _ranges(workload: FixedWorkload) -> _Ranges:
    ratio, isl, osl = workload.range_ratio, workload.isl, workload.osl
    sized = isl if workload.dataset is None else None
    inputs = range(shortest(sized, ratio), sized + 1) if sized else None
    outputs = range(shortest(osl, ratio), osl + 1)
    one = len(outputs) == 1 and (inputs is None or len(inputs) == 1)
    return _Ranges(inputs, outputs, (inputs[0] if inputs else None, outputs[0]) if one else None)


def _require_length(workload: FixedWorkload, prompts: "PromptSource") -> None:
    if workload.isl is None:
        if workload.dataset is None:
            what = "the workload has neither an input length nor a dataset"
            raise InputError(Problem(what, "--isl", "state one of them"))
        return
    least, asked = prompts.smallest, shortest(workload.isl, workload.range_ratio)
    if least is None or asked >= least:
        return
    lowest = math.ceil(least / Fraction(repr(workload.range_ratio)))
    raise InputError(
        Problem(
            f"input length {workload.isl} with range ratio {workload.range_ratio} asks for prompts "
            f"of {asked} tokens, and the shortest that this server counts is {least}",
            "--isl",
            f"ask for at least {lowest}",
        )
    )


def _turn(ordinal: int, *, point: bytes, ranges: _Ranges, prompts: "PromptSource") -> Turn:
    asked_input, asked_output = ranges.single or _lengths(ordinal, point=point, ranges=ranges)
    prompt = prompts.prompt(asked_input, point=point, ordinal=ordinal)
    asked = prompt.asked_output or asked_output
    return Turn(prompt.messages, asked, asked_input, fields=prompt.fields)


def _lengths(ordinal: int, *, point: bytes, ranges: _Ranges) -> tuple[int | None, int]:
    draws = Draws(derive(point, f"lengths {ordinal}"))
    asked_input = _draw(ranges.inputs, draws) if ranges.inputs else None
    return asked_input, _draw(ranges.outputs, draws)


def _draw(lengths: range, draws: Draws) -> int:
    return lengths[draws.below(len(lengths))]
