"""The figures of a load by the server's own log: what a client must say, computed from scratch.

A chunk is a write with tokens, or `tokens_per_chunk` of them where several chunks leave in one.
Times are nanoseconds.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, quantiles

from infx.model.record import RequestRecord
from infx.servers.truth.log import Sent


@dataclass(frozen=True)
class Answer:
    """One request: when it arrived, and when each chunk of content had left whole."""

    received: int
    chunks: tuple[int, ...]
    tokens: int
    first_tokens: int

    @property
    def ttft(self) -> int:
        return self.chunks[0] - self.received

    @property
    def e2el(self) -> int:
        return self.chunks[-1] - self.received

    @property
    def gaps(self) -> tuple[int, ...]:
        return tuple(later - earlier for earlier, later in pairwise(self.chunks))

    @property
    def decode(self) -> int:
        return self.chunks[-1] - self.chunks[0]

    @property
    def tpot(self) -> float:
        return self.decode / (self.tokens - 1)

    @property
    def itl(self) -> float:
        return self.decode / (self.tokens - self.first_tokens)


def answer(sent: Sent, *, tokens_per_chunk: int = 1, knows_first: bool = False) -> Answer:
    """Read one entry. `knows_first` says that usage tells the first chunk's tokens apart."""
    chunks: list[int] = []
    for moment, tokens in sent.writes:
        chunks += [moment] * -(-tokens // tokens_per_chunk)
    tokens = sum(tokens for _, tokens in sent.writes)
    return Answer(sent.received_ns, tuple(chunks), tokens, tokens_per_chunk if knows_first else 1)


def writes_after(sent: Sent) -> list[tuple[float, int]]:
    """Return when each write left, in seconds after the request came, and its tokens."""
    return [((moment - sent.received_ns) / 1e9, tokens) for moment, tokens in sent.writes]


def streamed(log: Iterable[Sent]) -> list[Sent]:
    """Return the entries of a load; a client also asks whole answers, to size its prompts."""
    return [sent for sent in log if sent.stream is not False]


def by_number(log: Iterable[Sent]) -> dict[int, Sent]:
    """Return the entries of one point by the number that ends the X-Request-ID."""
    entries = streamed(log)
    numbered = {int((sent.request_id or "").rpartition("-")[2]): sent for sent in entries}
    assert len(numbered) == len(entries)
    return numbered


def assert_seen(record: RequestRecord, truth: Answer) -> None:
    """The client's moments are the server's, to the nanosecond: no time passes between them."""
    assert record.sent_ns == truth.received
    assert record.first_content_ns == truth.chunks[0]
    assert record.gaps_ns == truth.gaps
    assert record.last_content_ns == truth.chunks[-1]


def figures(answers: Sequence[Answer]) -> dict[str, dict[str, float]]:
    """Return mean, median and p99 in seconds of what a client publishes of each request."""
    of_each: dict[str, Callable[[Answer], float]] = {
        "ttft": lambda one: one.ttft,
        "e2el": lambda one: one.e2el,
        "tpot": lambda one: one.tpot,
        "itl": lambda one: one.itl,
    }
    values = {name: [figure(one) for one in answers] for name, figure in of_each.items()}
    values["chunk_gap"] = [gap for one in answers for gap in one.gaps]
    return {name: _spread(found) for name, found in values.items()}


def output_rate(answers: Sequence[Answer]) -> float:
    """Return tokens a second between the first arrival and the last content."""
    window = max(one.chunks[-1] for one in answers) - min(one.received for one in answers)
    return sum(one.tokens for one in answers) * 1e9 / window


def _spread(values: Sequence[float]) -> dict[str, float]:
    percents = quantiles(values, n=100, method="inclusive")
    return {
        "n": len(values),
        "mean": fmean(values) / 1e9,
        "p50": percents[49] / 1e9,
        "p99": percents[98] / 1e9,
    }
