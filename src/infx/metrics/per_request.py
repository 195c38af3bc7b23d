"""What one request says: its times in seconds, None where it does not say; and their summary."""

from collections.abc import Callable, Iterable, Sequence

from infx.model.measured import Measured
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Absent, Metric, MetricValue
from infx.stats.percentile import describe, mean, percentile, population_std

NS_PER_S = 1_000_000_000
NOTHING_OK = "no request of the profiling phase ended ok"
NO_CONTENT = "no ok request delivered content"
CLOSED_LOOP = "in a closed loop a request is due when its lane is free"


def profiled(measured: Measured) -> list[RequestRecord]:
    """Return the records of the profiling phase, every end state."""
    return [record for record in measured.records if record.phase is Phase.PROFILING]


def completed(measured: Measured) -> list[RequestRecord]:
    """Return the ok records of the profiling phase.

    Raises ValueError when the moments of one run backwards: the record is a defect then, and a
    number made from it would be false.
    """
    records = [record for record in profiled(measured) if record.state is EndState.OK]
    for record in records:
        _check_moments(record)
    return records


def _check_moments(record: RequestRecord) -> None:
    moments = (
        record.due_ns,
        record.sent_ns,
        record.first_byte_ns,
        record.first_content_ns,
        record.first_output_ns,
        record.last_content_ns,
        record.end_ns,
    )
    known = [moment for moment in moments if moment is not None]
    if known != sorted(known):
        raise ValueError(
            f"request {record.request}: due, sent, first byte, first content, first output, last "
            f"content and end do not follow each other: {moments}"
        )
    if record.gaps.least < 0:
        raise ValueError(f"request {record.request}: a chunk gap is negative")


def ttft_s(record: RequestRecord) -> float | None:
    """Return the time from sending to the first content of any channel."""
    if record.first_content_ns is None:
        return None
    return (record.first_content_ns - record.sent_ns) / NS_PER_S


def e2el_s(record: RequestRecord) -> float | None:
    """Return the time from sending to the last content; usage and `[DONE]` do not count."""
    if record.last_content_ns is None:
        return None
    return (record.last_content_ns - record.sent_ns) / NS_PER_S


def decode_s(record: RequestRecord) -> float | None:
    """Return E2EL - TTFT: the time from the first content to the last."""
    if record.first_content_ns is None:
        return None
    return record.gaps.total / NS_PER_S


def per_token_s(record: RequestRecord, tokens_at_first: int = 1) -> float | None:
    """Return the decode time a token, over the tokens that came after the first content.

    None without usage, when no token came later, and when all content came at one moment: the
    decode time was not observable then, and it was not 0.
    """
    decode = decode_s(record)
    if not decode or record.completion_tokens is None:
        return None
    later = record.completion_tokens - tokens_at_first
    return decode / later if later > 0 else None


def latencies(measured: Measured) -> dict[str, tuple[float, ...]]:
    """Return every TTFT, TPOT and E2EL that the metrics of those names summarise, in seconds."""
    records = completed(measured)
    of_request = {"ttft": ttft_s, "tpot": per_token_s, "e2el": e2el_s}
    return {
        name: tuple(value for record in records if (value := measure(record)) is not None)
        for name, measure in of_request.items()
    }


def since_due(measured: Measured, wait: Callable[[RequestRecord], float | None]) -> Metric:
    """Summarise a wait that counts from the due moment; only an open loop has one of its own."""
    records = completed(measured)
    if not measured.open_loop:
        return Absent(reason=CLOSED_LOOP)
    return distribution(map(wait, records), "s", NO_CONTENT if records else NOTHING_OK)


def distribution(values: Iterable[float | None], unit: str, reason: str) -> Metric:
    """Summarise the values that are known, or say why there are none."""
    known = [value for value in values if value is not None]
    return describe(known, unit) if known else Absent(reason=reason)


def reciprocals(times: Sequence[float], unit: str) -> MetricValue:
    """Summarise the reciprocals of positive times, so that a percentile keeps its meaning.

    Percentile p is 1 / (percentile p of the times): a p90 is the slow tail, below the p50. The mean
    is 1 / (mean time), the harmonic one; the std is over the reciprocal of each time.
    """
    ordered = sorted(times)
    return MetricValue(
        unit=unit,
        n=len(ordered),
        mean=1 / mean(ordered),
        std=population_std([1 / time for time in ordered]),
        p50=1 / percentile(ordered, 50),
        p75=1 / percentile(ordered, 75),
        p90=1 / percentile(ordered, 90),
        p95=1 / percentile(ordered, 95),
        p99=1 / percentile(ordered, 99),
    )
