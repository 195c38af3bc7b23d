"""A point is certified only when nothing speaks against it; a limit met exactly is kept."""

from collections.abc import Sequence

import pytest

from handmade import measured, record
from infx.metrics.counts import counts
from infx.metrics.summary import compute_metrics
from infx.metrics.validity import reasons
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.validity import REASONS


def good(**changes: object) -> RequestRecord:
    usual = {
        "first": 1.0,
        "gaps": (0.1,) * 49,
        "asked_input": 100,
        "prompt_tokens": 100,
        "asked_output": 100,
        "completion_tokens": 100,
    }
    return record(**(usual | changes))


def held_back() -> RequestRecord:
    return good(state=EndState.CANCELLED_BY_PLAN, reason="in-flight-limit")


def judged(*records: RequestRecord, exact_output: bool = True) -> list[str]:
    given = measured(*records)
    found = list(
        reasons(
            given,
            counts(records, Phase.PROFILING),
            compute_metrics(given),
            exact_output=exact_output,
        )
    )
    assert set(found) <= set(REASONS)
    return found


def mixed(whole: int, part: int, other: RequestRecord) -> Sequence[RequestRecord]:
    """`part` of `whole` requests are the other one."""
    return [other] * part + [good()] * (whole - part)


def test_good_records_give_no_reason() -> None:
    assert judged(*[good()] * 5) == []


@pytest.mark.parametrize(
    ("reason", "other", "whole", "most"),
    [
        ("error-rate", good(state=EndState.ERROR), 1000, 100),
        ("context-overflow", good(state=EndState.OVERFLOW), 10_000, 100),
        ("censored", good(state=EndState.CANCELLED_AT_END), 1000, 10),
        ("censored", good(state=EndState.LOST), 1000, 10),
        ("in-flight-limit", held_back(), 1000, 10),
        ("usage-missing", good(prompt_tokens=None), 1000, 0),
        ("usage-missing", good(completion_tokens=None), 1000, 0),
        ("input-drift", good(prompt_tokens=105), 1000, 0),
        ("output-shortfall", good(completion_tokens=94), 1000, 50),
        ("buffered-stream", good(gaps=(0.1,) * 6), 1000, 50),
    ],
)
def test_limits(reason: str, other: RequestRecord, whole: int, most: int) -> None:
    assert judged(*mixed(whole, most, other)) == []
    assert judged(*mixed(whole, most + 1, other)) == [reason]


def test_requests_without_an_outcome_do_not_thin_out_those_that_did_not_fit() -> None:
    """101 of 10,000 that came to an outcome exceed the context; 200 more were never sent."""
    unsent = [good(state=EndState.CANCELLED_BY_PLAN)] * 200
    over = good(state=EndState.OVERFLOW)
    assert judged(*mixed(10_000, 101, over), *unsent) == ["context-overflow"]
    assert judged(*mixed(10_000, 100, over), *unsent) == []


def test_nothing_ok() -> None:
    assert judged() == ["nothing-ok"]
    assert judged(good(state=EndState.CANCELLED_BY_PLAN)) == ["nothing-ok"]
    assert judged(good(state=EndState.ERROR)) == ["nothing-ok", "error-rate"]


def test_an_output_limit_is_no_length_to_reach() -> None:
    assert judged(good(completion_tokens=3), exact_output=False) == []
    assert judged(good(completion_tokens=3), exact_output=True) == ["output-shortfall"]


def test_reasons_are_words_and_their_sentences_end() -> None:
    for reason, sentence in REASONS.items():
        assert reason == reason.lower()
        assert " " not in reason
        assert sentence.endswith(".")
