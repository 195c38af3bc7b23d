"""Tokens that arrive in one content chunk.

Formula: OSL / content chunks, per ok request. Above 1 the server decodes several tokens a step
(speculation) or holds tokens back; where it holds back nearly all, the decode speed cannot be seen,
and the point has the reason `buffered-stream`.
Unit: tokens a chunk.
Absent when: no request of the profiling phase ended ok, or none had content and usage.
Source: the client's reads and the server's usage; the defect of sgl-project/sglang#36272.
"""

from itertools import islice

from infx.metrics.per_request import NOTHING_OK, completed, distribution
from infx.model.measured import Measured
from infx.model.record import RequestRecord
from infx.model.result import Better, Metric

NAME = "tokens_per_chunk"
UNIT = "tok/chunk"
BETTER: Better = "smaller"

BUFFERED_TOKENS = 16
BUFFERED_PER_CHUNK = 8
BUFFERED_CHUNKS = 8


def compute(measured: Measured) -> Metric:
    """Return the distribution over ok requests with content and usage."""
    records = completed(measured)
    reason = "no ok request has content and usage" if records else NOTHING_OK
    return distribution(map(_tokens_per_chunk, records), UNIT, reason)


def _tokens_per_chunk(record: RequestRecord) -> float | None:
    if not record.chunks or not record.completion_tokens:
        return None
    return record.completion_tokens / record.chunks


def is_buffered(record: RequestRecord) -> bool:
    """Say whether so much came at once that the decode time cannot be told from the stream.

    Of n chunks the first holds about 1/n of the tokens, whose decode time lies before the first
    content: TTFT is too high by it, and TPOT too low by that share. With fewer than 8 chunks that
    is over an eighth. Chunks that arrived at one moment are one here. Short answers (OSL below 16),
    and up to 8 tokens a chunk, are what a step of speculative decoding gives, and no buffer.
    """
    tokens = record.completion_tokens or 0
    later = (gap for gap in record.gaps_ns if gap > 0)
    moments = 1 + sum(1 for _ in islice(later, BUFFERED_CHUNKS))
    return (
        tokens >= BUFFERED_TOKENS
        and record.chunks > 0
        and moments < BUFFERED_CHUNKS
        and tokens > BUFFERED_PER_CHUNK * moments
    )
