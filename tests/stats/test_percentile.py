"""Percentiles follow the rule that every client of the field uses, so figures compare."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.stats.percentile import describe, mean, percentile, population_std

NUMBERS = st.floats(min_value=-1e9, max_value=1e9)


@pytest.mark.parametrize(
    ("p", "value"), [(0, 1), (50, 2.5), (75, 3.25), (90, 3.7), (95, 3.85), (100, 4)]
)
def test_rank_lies_linearly_between_neighbours(p: float, value: float) -> None:
    assert percentile([1, 2, 3, 4], p) == pytest.approx(value, rel=1e-15)


def test_one_value_is_every_percentile() -> None:
    assert [percentile([7.0], p) for p in (0, 50, 99, 100)] == [7.0] * 4


def test_no_value_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)


@pytest.mark.parametrize("p", [-0.1, 100.1, float("nan")])
def test_percentile_is_of_a_hundred(p: float) -> None:
    with pytest.raises(ValueError, match=r"outside 0\.\.100"):
        percentile([1.0], p)


@given(st.lists(NUMBERS, min_size=1), st.floats(min_value=0, max_value=100))
def test_percentile_is_numpys(values: list[float], p: float) -> None:
    assert percentile(sorted(values), p) == pytest.approx(np.percentile(values, p), abs=1e-5)


@given(st.lists(NUMBERS, min_size=1), st.lists(st.floats(0, 100), min_size=2, max_size=2))
def test_percentile_rises_with_p_and_stays_within_the_values(
    values: list[float], ranks: list[float]
) -> None:
    low, high = (percentile(sorted(values), p) for p in sorted(ranks))
    assert min(values) <= low <= high <= max(values)


def test_describe() -> None:
    described = describe([4, 1, 3, 2], "s")
    assert described.unit == "s"
    assert described.model_dump(exclude={"unit", "intervals"}) == pytest.approx(
        {
            "n": 4,
            "mean": 2.5,
            "std": 1.25**0.5,  # squares 2.25 + 0.25 + 0.25 + 2.25, over 4
            "p50": 2.5,
            "p75": 3.25,
            "p90": 3.7,
            "p95": 3.85,
            "p99": 3.97,
        },
        rel=1e-15,
    )


def test_nothing_is_not_described() -> None:
    with pytest.raises(ValueError, match="no values"):
        describe([], "s")
    with pytest.raises(ValueError, match="no values"):
        mean([])
    with pytest.raises(ValueError, match="no values"):
        population_std([])


@given(
    st.lists(NUMBERS, min_size=1).flatmap(lambda xs: st.tuples(st.just(xs), st.permutations(xs)))
)
def test_order_never_shows(pair: tuple[list[float], list[float]]) -> None:
    assert describe(pair[0], "s") == describe(pair[1], "s")


def test_figures_of_vllms_own_client() -> None:
    """Its arrays give the mean, median, std and p99 that it published beside them."""
    root = os.environ.get("INFX_REFERENCE_DATA")
    if root is None:
        pytest.skip("INFX_REFERENCE_DATA does not name the folder of the reference data")
    path = Path(root) / "engine-samples" / "vllm-0.26.0-h200" / "vllm-bench-serve-c64.json"
    published = json.loads(path.read_bytes())
    arrays = {
        "ttft": published["ttfts"],
        "itl": [gap for gaps in published["itls"] for gap in gaps],
    }
    for name, values in arrays.items():
        described = describe(values, "s")
        for word, figure in (
            ("mean", described.mean),
            ("median", described.p50),
            ("std", described.std),
            ("p99", described.p99),
        ):
            assert figure is not None
            assert 1000 * figure == pytest.approx(published[f"{word}_{name}_ms"], rel=1e-12)
