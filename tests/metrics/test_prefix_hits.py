"""What a cache could have known of the prompts, and what the server says it did."""

import pytest

from handmade import measured, record
from infx.metrics import served_prefix_hit, theoretical_prefix_hit
from infx.model.measured import Expected, Replayed
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Absent, MetricValue


def asked(turn: int, **fields: object) -> RequestRecord:
    return record(**{"first": 1.0, "turn": turn} | fields)


def recorded(*hits: tuple[int, int]) -> Replayed:
    """Turns of one conversation by known blocks and blocks."""
    turns = enumerate(hits)
    return Replayed(expected={(0, n): Expected("t", "t", n, *hit) for n, hit in turns})


def test_theoretical_golden_vector() -> None:
    """[1,2,3,4] [1,2,3,4,5] [1,2,9] [7,1,2]: 0, 4, 2, 0 known of 4, 5, 3, 3 is 6 / 15."""
    replay = recorded((0, 4), (4, 5), (2, 3), (0, 3))
    found = theoretical_prefix_hit.compute(measured(*map(asked, range(4)), replay=replay))
    assert found == MetricValue(unit="share", n=4, mean=0.4)


def test_theoretical_rests_on_ok_requests_of_profiling() -> None:
    """Of those four, the second failed and the third was a warmup: (0 + 0) / (4 + 3)."""
    replay = recorded((0, 4), (4, 5), (2, 3), (1, 4))
    records = (
        asked(0),
        asked(1, state=EndState.ERROR),
        asked(2, phase=Phase.WARMUP),
        asked(3),
        asked(7),  # the recording does not know it
    )
    found = theoretical_prefix_hit.compute(measured(*records, replay=replay))
    assert found == MetricValue(unit="share", n=2, mean=1 / 8)


@pytest.mark.parametrize("replay", [None, Replayed(), recorded((0, 0))])
def test_theoretical_needs_blocks(replay: Replayed | None) -> None:
    found = theoretical_prefix_hit.compute(measured(asked(0), replay=replay))
    assert found == Absent(reason="the recording names no blocks")


def test_served_is_of_tokens() -> None:
    """30 of 100 and 150 of 200 prompt tokens: 180 / 300, not the mean of the shares."""
    found = served_prefix_hit.compute(
        measured(
            asked(0, cached_tokens=30, prompt_tokens=100),
            asked(1, cached_tokens=150, prompt_tokens=200),
            asked(2, cached_tokens=9, prompt_tokens=9, state=EndState.CANCELLED_AT_END),
        )
    )
    assert found == MetricValue(unit="share", n=2, mean=0.6)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"prompt_tokens": 9}, "the server gave no count for 1 of 1 ok requests"),
        ({"cached_tokens": 9}, "the server gave no count for 1 of 1 ok requests"),
        (
            {"cached_tokens": 9, "prompt_tokens": 8},
            "the server counts more cached tokens than the prompt has",
        ),
        ({"cached_tokens": 0, "prompt_tokens": 0}, "no prompt has a token by the server's count"),
    ],
)
def test_an_unreported_hit_is_no_miss(fields: dict[str, int], reason: str) -> None:
    assert served_prefix_hit.compute(measured(asked(0, **fields))) == Absent(reason=reason)
