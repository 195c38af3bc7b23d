"""What an agentic workload may state, and which of it a named rule promises."""

import pytest
from pydantic import TypeAdapter, ValidationError

from infx.model.agentic import AgenticWorkload, Workload
from infx.model.workload import FixedWorkload

CORPUS = "sha256:" + "a1" * 32


def test_the_default_is_the_full_rule() -> None:
    workload = AgenticWorkload(corpus=CORPUS)
    assert workload == AgenticWorkload.under("full", corpus=CORPUS)
    assert (workload.rule, workload.window, workload.duration_s) == ("full", (0.25, 0.75), 3600)


def test_fast_is_twenty_minutes_after_one_warmup_a_lane() -> None:
    fast = AgenticWorkload.under("fast", corpus=CORPUS)
    assert (fast.rule, fast.duration_s, fast.warmups_per_lane) == ("fast", 1200, 1)


@pytest.mark.parametrize(
    ("rule", "stated", "kept"),
    [
        ("full", {"duration_s": 900.0}, "full"),
        ("full", {"duration_s": 899.0}, "custom"),
        ("full", {"duration_s": None}, "custom"),
        ("full", {"window": None}, "custom"),
        ("full", {"seed": 7}, "custom"),
        ("full", {"max_context": 100_000}, "full"),
        ("fast", {"duration_s": 1201.0}, "custom"),
        ("fast", {"warmups_per_lane": 10}, "custom"),
        ("demo", {"duration_s": 5.0, "window": None}, "demo"),
    ],
)
def test_what_a_rule_does_not_allow_makes_it_custom(rule, stated, kept) -> None:
    workload = AgenticWorkload.under(rule, corpus=CORPUS, **stated)
    assert workload.rule == kept
    assert {name: getattr(workload, name) for name in stated} == stated


def test_a_rule_cannot_be_claimed_against_its_settings() -> None:
    with pytest.raises(ValidationError, match=r"full does not allow duration_s 60.0, seed 1"):
        AgenticWorkload(corpus=CORPUS, seed=1, duration_s=60.0)


@pytest.mark.parametrize("window", [(0.5, 0.25), (-0.1, 0.5), (0.5, 1.5)])
def test_a_window_is_two_shares_in_order(window) -> None:
    with pytest.raises(ValidationError, match="a window is two shares"):
        AgenticWorkload(corpus=CORPUS, rule="custom", window=window)


@pytest.mark.parametrize(
    "stated",
    [
        {"corpus": "corpus.jsonl"},
        {"warmups_per_lane": -1},
        {"duration_s": 0.0},
        {"api": "completions"},
    ],
)
def test_settings_that_no_workload_has_are_refused(stated) -> None:
    with pytest.raises(ValidationError):
        AgenticWorkload(**{"corpus": CORPUS, "rule": "custom", **stated})


def test_a_workload_is_read_by_its_scenario() -> None:
    adapter = TypeAdapter(Workload)
    for workload in (FixedWorkload(isl=8, osl=8), AgenticWorkload(corpus=CORPUS)):
        assert adapter.validate_json(workload.model_dump_json()) == workload
