"""What is asked of a server: the declared workload, and the sessions it unfolds into.

A fixed request is a session with one turn. Sessions never leave the process, so they are
dataclasses; the workload stands in every point's file, so it is a pydantic value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from infx.model.asked import Api, Process
from infx.model.record import Phase
from infx.model.value import Value

MARKER = "\0infx-marker"
"""A part of a message where each play of a tree puts a text of its own, so that no cache knows it.

The planner knows it by identity, not by its characters.
"""


class Arrival(Value):
    """When the requests of an open loop are due, however the server keeps up.

    `rate` is in requests/s. `rates` stands in its place where the rate changes: pairs of a second
    after the start and the rate from then on, until the next pair, the last without an end. Gaps
    between arrivals are exponential (`poisson`), equal (`constant`), or of a `gamma` distribution
    with `shape` k: their standard deviation is 1/sqrt(k) of their mean, so below 1 is burstier
    than Poisson. Over the first `ramp_s` seconds the rate is scaled from 0 up to what is stated.
    """

    process: Process = "poisson"
    rate: float | None = Field(default=None, gt=0)
    shape: float | None = Field(default=None, gt=0)
    rates: tuple[tuple[float, float], ...] = ()
    ramp_s: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _is_whole(self) -> "Arrival":
        if (self.rate is None) == (not self.rates):
            raise ValueError("state either a rate or a series of rates")
        if (self.process == "gamma") != (self.shape is not None):
            raise ValueError("a shape belongs to gamma arrivals, and they need one")
        if self.rates:
            seconds, values = zip(*self.rates, strict=True)
            if seconds[0] != 0 or any(later <= earlier for earlier, later in pairwise(seconds)):
                raise ValueError("a series of rates starts at second 0, and its seconds grow")
            if min(values) < 0 or max(values) == 0:
                raise ValueError("a series has no rate below 0, and at least one above")
        return self

    @property
    def peak(self) -> float:
        """The largest rate that is asked, in requests/s."""
        return self.rate if self.rate is not None else max(rate for _, rate in self.rates)


class FixedWorkload(Value):
    """Requests of given input and output lengths, independent of each other.

    Lengths are drawn uniformly from [floor(L * range_ratio), L], input and output independently.
    With a `dataset` (sha256 of its file) the prompts are its own and `isl` is null.
    `tokenizer` is `calibrated` (sized against the server's own count) or `sha256:...` of the
    tokenizer file that sized the prompts. Each lane asks `requests_per_lane` requests after
    `warmups_per_lane` warmups, unless `requests`, `warmups` or `duration_s` state a total.

    With an `arrival` the loop is open: requests are due at moments of their own, and concurrency
    only bounds how many are in flight. Without one, lanes ask again as soon as they are answered;
    over the first `ramp_s` seconds they start one after the other, evenly spread. With
    `join_warmup` a lane goes from its last warmup straight to its first measured request, so that
    profiling begins under full load and not in a burst.
    """

    scenario: Literal["fixed"] = "fixed"
    seed: int = 0
    isl: int | None = Field(default=None, gt=0)
    osl: int = Field(gt=0)
    range_ratio: float = Field(default=0.8, gt=0, le=1)
    api: Api = "chat"
    tokenizer: str = "calibrated"
    dataset: str | None = None
    ignore_eos: bool = True
    temperature: float = 0.0
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    requests_per_lane: int = Field(default=10, gt=0)
    warmups_per_lane: int = Field(default=2, ge=0)
    requests: int | None = Field(default=None, gt=0)
    warmups: int | None = Field(default=None, ge=0)
    duration_s: float | None = Field(default=None, gt=0)
    arrival: Arrival | None = None
    ramp_s: float | None = Field(default=None, gt=0)
    join_warmup: bool = False

    @model_validator(mode="after")
    def _arrives(self) -> "FixedWorkload":
        if self.arrival is None:
            return self
        if self.ramp_s is not None:
            raise ValueError("an open loop ramps its rate: state ramp_s of the arrival")
        if self.join_warmup:
            raise ValueError("an open loop has no lanes whose warmup could be joined")
        unbounded = self.requests is None and self.duration_s is None
        if unbounded and self.arrival.rates and self.arrival.rates[-1][1]:
            raise ValueError("a series that does not end with rate 0 needs requests or a duration")
        return self

    def at_rate(self, rate: float) -> "FixedWorkload":
        """Return the workload with its arrivals at that rate, Poisson where none are stated.

        Raises ValueError where the rate is not above 0, or the arrivals have a series of rates.
        """
        stated = {} if self.arrival is None else self.arrival.model_dump()
        return self.model_copy(update={"arrival": Arrival(**{**stated, "rate": rate})})


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt; its content is the concatenation of `parts`.

    Parts that several messages share should be the same string object: they are encoded once.
    `members` are what the message has beside role and content, such as its tool calls, as the
    inside of a JSON object. `answers` is the turn of its session tree whose answer takes the place
    of the message, once the server has given it; until then the message stands in for it.
    """

    role: str
    parts: tuple[str, ...]
    members: str = ""
    answers: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a session.

    `asked_output` becomes the token limit. `asked_input` is the length that the prompt was built
    to, chat template included, None where nobody asked for one. `delay_ns` is waited after the
    turn before it ended. `fields` are further ones of the request's body, such as its tools.
    """

    messages: tuple[Message, ...]
    asked_output: int
    asked_input: int | None
    delay_ns: int = 0
    fields: Mapping[str, JsonValue] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Session:
    """Turns that follow each other on one lane.

    `start_ns` is when the session is due, after the start of its phase (open loop); None means that
    a lane takes it when it is free (closed loop).
    """

    phase: Phase
    turns: tuple[Turn, ...]
    start_ns: int | None = None
