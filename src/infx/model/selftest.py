"""What a machine can measure: the client held against a server that logs when it really sent."""

from typing import Literal

from pydantic import Field, JsonValue

from infx.model.value import Value


class SelftestLoad(Value):
    """One load of a selftest. Times are seconds, rates are content events a second.

    `gap` is the time between a stream's events, 0 for a server that sends as fast as it can; then
    `offered` and `kept` are null. `carried` is what arrived, `kept` its share of the offered.
    `ttft_bias_mean` and `ttft_bias_p99` are by how much the client's mean and p99 of TTFT are above
    the server's own. The client's part of that is `read_late_mean` and `read_late_p99`: from the
    write of a first token to its read; the rest is what requests waited until the server read them.
    `named_mean` and `named_p99` are what the client's audit says of its part, without that log.
    `server_late_p99` is how late the server itself sent first tokens.
    `cpu_per_event` is the client's CPU time in the load window, over all content events.
    `reasons` keep the load from being certified, as they would a run's point.
    """

    streams: int
    gap: float
    requests: int
    offered: float | None
    carried: float
    kept: float | None
    ttft_bias_mean: float
    ttft_bias_p99: float
    read_late_mean: float
    read_late_p99: float
    named_mean: float | None
    named_p99: float | None
    server_late_p99: float
    cpu_per_event: float
    certified: bool
    reasons: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Whether this machine certifies the load, and carries at least 95 % of it."""
        return self.certified and (self.kept is None or self.kept >= 0.95)


class Selftest(Value):
    """A selftest: its paced loads from the lightest up, and one that goes as fast as it can.

    `largest_streams` is the heaviest paced load that held, null where none did; `limit` says what
    kept the next one from it.
    """

    schema_version: Literal[1] = 1
    selftest: str
    started: str
    host: dict[str, JsonValue]
    versions: dict[str, str]
    loads: tuple[SelftestLoad, ...] = Field(min_length=1)
    capacity: SelftestLoad
    largest_streams: int | None
    limit: str
