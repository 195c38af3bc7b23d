"""What aiperf says of one request: its figures by aiperf's names, formulas and units.

Times are counted in nanoseconds and told in ms, so that they are read back to the nanosecond.
"""

from typing import NamedTuple

from infx.model.record import RequestRecord

NS, MS = 1e-9, 1e-6
"""A nanosecond in seconds, and in ms."""


class Figure(NamedTuple):
    """One value, or one for each chunk, counted in a unit that `scale` makes the one it is told in.

    `scale` is 1 where it is counted in the unit itself.
    """

    values: tuple[float, ...]
    unit: str
    scale: float = 1
    each_chunk: bool = False

    @property
    def told(self) -> int | float | tuple[float, ...]:
        """The value as it is told."""
        scaled = tuple(v if self.scale == 1 else v * self.scale for v in self.values)
        return scaled if self.each_chunk else scaled[0]


def figures(record: RequestRecord) -> dict[str, Figure]:
    """Return every figure that a request has, also one that failed on its way."""
    found = {name: Figure((count,), "tokens") for name, count in _counts(record).items()}
    if record.first_content_ns is None:
        return found
    first = record.first_content_ns - record.sent_ns
    decode = record.gaps.total
    times: dict[str, int] = {
        "request_latency": first + decode,
        "time_to_first_token": first,
        "decode_duration": decode,
    }
    if record.gaps_ns:
        times["time_to_second_token"] = record.gaps_ns[0]
        found["inter_chunk_latency"] = Figure(tuple(record.gaps_ns), "ms", MS, each_chunk=True)
    if record.first_output_ns is not None:
        times["time_to_first_output_token"] = record.first_output_ns - record.sent_ns
    found |= {name: Figure((time,), "ms", MS) for name, time in times.items()}
    return found | _rates(record, first, decode)


def _counts(record: RequestRecord) -> dict[str, int]:
    prompt, output = record.prompt_tokens, record.completion_tokens
    thought = record.reasoning_tokens
    stated = {
        "input_sequence_length": prompt,
        "usage_prompt_tokens": prompt,
        "output_sequence_length": output,
        "usage_completion_tokens": output,
        "output_token_count": None if output is None else output - (thought or 0),
        "reasoning_token_count": thought,
        "usage_reasoning_tokens": thought,
        "usage_prompt_cache_read_tokens": record.cached_tokens,
        "usage_total_tokens": None if prompt is None or output is None else prompt + output,
    }
    return {name: count for name, count in stated.items() if count is not None}


def _rates(record: RequestRecord, first: int, decode: int) -> dict[str, Figure]:
    """Return tokens a second, the time between tokens, and how far the output is off."""
    found: dict[str, Figure] = {}
    per_user = "tokens/sec/user"
    if record.prompt_tokens and first:
        rate = record.prompt_tokens / (first * NS)
        found["prefill_throughput_per_user"] = Figure((rate,), per_user)
    output = record.completion_tokens
    if output is None:
        return found
    if first + decode:
        rate = output / ((first + decode) * NS)
        found["e2e_output_token_throughput"] = Figure((rate,), per_user)
    later = output - (record.first_chunk_tokens or 1)
    if later > 0 and decode:
        gap = decode / later
        found["inter_token_latency"] = Figure((gap,), "ms", MS)
        found["output_token_throughput_per_user"] = Figure((1 / (gap * NS),), per_user)
    if record.asked_output:
        off = (output - record.asked_output) / record.asked_output * 100
        found["osl_mismatch_diff_pct"] = Figure((off,), "%")
    return found
