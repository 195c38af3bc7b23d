"""aiperf's aggregate figures: each metric of the requests summarised, and those of a whole run.

Only ok requests enter. Rates are over the time between the start and the end of the phase, where
that is known, else from the first send to the last content.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from infx.interchange.aiperf_figures import MS, NS, Figure, figures
from infx.model.aiperf import AiperfStatistic
from infx.model.record import EndState, RequestRecord
from infx.stats.percentile import mean, percentile, population_std

PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)
TOTALS = {
    "total_isl": "input_sequence_length",
    "total_osl": "output_sequence_length",
    "total_output_tokens": "output_token_count",
    "total_reasoning_tokens": "reasoning_token_count",
    "total_usage_prompt_tokens": "usage_prompt_tokens",
    "total_usage_completion_tokens": "usage_completion_tokens",
    "total_usage_total_tokens": "usage_total_tokens",
    "total_usage_prompt_cache_read_tokens": "usage_prompt_cache_read_tokens",
}
"""Metric of the run to the metric of its requests that it is the sum of."""
RATES = {
    "input_token_throughput": ("total_isl",),
    "output_token_throughput": ("total_osl",),
    "total_token_throughput": ("total_isl", "total_osl"),
}
"""Metric of the run to the sums that it is a rate of."""
FAILED = (EndState.ERROR, EndState.LOST)


def of_requests(records: Iterable[RequestRecord]) -> dict[str, AiperfStatistic]:
    """Summarise every metric of the ok requests among some, in their order."""
    values: dict[str, list[float]] = defaultdict(list)
    kinds: dict[str, Figure] = {}
    for record in records:
        if record.state is EndState.OK:
            for name, one in {**figures(record), **_waits(record)}.items():
                values[name] += one.values
                kinds[name] = one
    return {name: _summary(found, kinds[name]) for name, found in values.items()}


def _waits(record: RequestRecord) -> dict[str, Figure]:
    """Return how late a request left, and its latency from when it was due."""
    found = {"credit_to_start_latency": record.sent_ns - record.due_ns}
    if record.last_content_ns is not None:
        found["effective_latency"] = record.last_content_ns - record.due_ns
    return {name: Figure((time,), "ms", MS) for name, time in found.items()}


def _summary(values: Sequence[float], kind: Figure) -> AiperfStatistic:
    ordered, scale = sorted(values), kind.scale
    told = {f"p{p}": percentile(ordered, p) * scale for p in PERCENTILES}
    return AiperfStatistic(
        unit=kind.unit,
        avg=mean(ordered) * scale,
        min=ordered[0] * scale,
        max=ordered[-1] * scale,
        std=population_std(ordered) * scale,
        count=len(ordered),
        sum=sum(ordered) * scale,
        **told,
    )


def of_run(records: Sequence[RequestRecord], window_ns: int | None) -> dict[str, AiperfStatistic]:
    """Return the figures of a whole phase from its requests of every end state.

    A sum is left out where even one ok request lacks its part: it would be a lower bound.
    """
    ok = [record for record in records if record.state is EndState.OK]
    failed = sum(record.state in FAILED for record in records)
    overflows = sum(record.state is EndState.OVERFLOW for record in records)
    counts = {
        "request_count": len(ok),
        "completed_request_count": len(ok) + failed,
        "error_request_count": failed,
        "context_overflow_count": overflows,
    }
    found = {name: _one(number, "requests") for name, number in counts.items()}
    if ok or failed:
        found["request_error_rate"] = _one(100 * failed / (len(ok) + failed), "%")
    totals = _totals(ok)
    found |= {name: _one(total, "tokens") for name, total in totals.items()}
    ends = [end for one in ok if (end := one.last_content_ns or one.end_ns) is not None]
    if not ends:
        return found
    span = max(ends) - min(one.sent_ns for one in ok)
    found["benchmark_duration"] = _one(span * NS, "sec")
    seconds = (window_ns or span) * NS
    if seconds:
        found["request_throughput"] = _one(len(ok) / seconds, "requests/sec")
        for name, parts in RATES.items():
            if totals.keys() >= set(parts):
                total = sum(totals[part] for part in parts)
                found[name] = _one(total / seconds, "tokens/sec")
    return found


def _totals(ok: Sequence[RequestRecord]) -> Mapping[str, float]:
    each = [figures(record) for record in ok]
    return {
        name: sum(one[part].values[0] for one in each)
        for name, part in TOTALS.items()
        if each and all(part in one for one in each)
    }


def _one(figure: float, unit: str) -> AiperfStatistic:
    return AiperfStatistic(unit=unit, avg=figure)
