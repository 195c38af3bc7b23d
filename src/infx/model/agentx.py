"""What the public AgentX benchmark says of a point's requests, by its own names and rules."""

import math
from typing import Literal

from pydantic import JsonValue

from infx.model.value import Value

RuleSet = Literal["agentx-v1"]
"""The rules that the figures follow; others may come."""

DECIMALS = 5


class Spread(Value):
    """A distribution; `std` is the population's."""

    mean: float
    p50: float
    p75: float
    p90: float
    p95: float
    std: float


class Qps(Value):
    """Completions a second, counted in `samples` consecutive windows of `window_seconds`.

    Where the time between the first and the last completion holds no window, `mean` is their number
    over that time, and there is no spread.
    """

    window_seconds: float
    samples: int
    mean: float
    p50: float | None = None
    p75: float | None = None
    p90: float | None = None
    p95: float | None = None
    std: float | None = None


class Latency(Value):
    """Times in seconds, and tokens a second and user; None where no request has one.

    A percentile of a speed is 1 over that of its time. `tpot` equals `itl`. `full_response_itl`
    spreads the decode time over all tokens but one, however many the first chunk carried.
    """

    ttft: Spread | None = None
    e2el: Spread | None = None
    itl: Spread | None = None
    tpot: Spread | None = None
    intvty: Spread | None = None
    e2e_norm_intvty: Spread | None = None
    full_response_itl: Spread | None = None
    full_response_intvty: Spread | None = None


class Tokens(Value):
    """Tokens a request; `output_expected` is what was recorded for the same requests."""

    input: Spread | None = None
    output_actual: Spread | None = None
    output_expected: Spread | None = None


class Throughput(Value):
    """Tokens a second over `duration_seconds`: all, and for each of all accelerators."""

    input: float
    output: float
    total: float
    duration_seconds: float
    gpus: int | None = None


class RequestMetrics(Value):
    """The request metrics of a point under a rule set; None where there is nothing to say.

    `kept` is how many records they rest on.
    """

    rules: RuleSet = "agentx-v1"
    kept: int
    qps: Qps | None = None
    latency: Latency
    tokens: Tokens
    throughput: Throughput | None = None
    theoretical_cache_hit_rate: float | None = None

    def document(self) -> dict[str, JsonValue]:
        """Return the block `request_metrics` of an aggregate row, rounded as its rules say."""
        throughput = self.throughput
        whole: dict[str, JsonValue] = {
            "qps": self.qps.model_dump(exclude_none=True) if self.qps else {},
            "latency": _groups(self.latency),
            "tokens": _groups(self.tokens),
            "throughput": _throughput(throughput) if throughput else {},
            "cache": {"theoretical_cache_hit_rate": self.theoretical_cache_hit_rate},
        }
        return {name: rounded(block) for name, block in whole.items()}


def rounded(value: JsonValue) -> JsonValue:
    """Round every number of plain data to 5 decimals; whole ones from 1 up become integers.

    >>> rounded({"a": [0.1234567, 49.9999999, 0.0, -3.0]})
    {'a': [0.12346, 50, 0.0, -3]}
    """
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    short = round(value, DECIMALS)
    return int(short) if abs(short) >= 1 and short.is_integer() else short


def _groups(block: Latency | Tokens) -> dict[str, JsonValue]:
    return {name: one or {} for name, one in block.model_dump().items()}


def _throughput(found: Throughput) -> dict[str, JsonValue]:
    names = ("input", "output", "total")
    rates: dict[str, float] = {name: getattr(found, name) for name in names}
    per_gpu: dict[str, JsonValue] = {}
    if found.gpus is not None:
        per_gpu = {f"{name}_tput_tps": rate / found.gpus for name, rate in rates.items()}
    return {
        **{name: {"tokens_per_second": rate} for name, rate in rates.items()},
        "duration_seconds": found.duration_seconds,
        "per_gpu": per_gpu,
    }
