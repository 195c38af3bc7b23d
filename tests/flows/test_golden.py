"""The acceptance length that an engine measured, beside the golden one it was to simulate."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from infx.flows.summary import summarise_in
from infx.model.acceptance import Cell
from infx.model.bundle import PointFile
from infx.model.recipe import BoundRecipe, Role
from infx.model.result import Absent, MetricValue, PointSummary
from infx.store.bundles import SAMPLES
from infx.store.samples import SampleJournal
from replayed import POINT, turns
from scraped_pages import page

RECIPE = BoundRecipe(
    name="qwen",
    engine="vllm",
    model="nvidia/Qwen3.5-397B-A17B-NVFP4",
    gpus=8,
    roles={
        "agg": Role(args={"speculative-config": {"method": "mtp", "num_speculative_tokens": 3}})
    },
    settings={"benchmark": {"env": {"THINKING_MODE": "thinking_on"}}},
)
GOLDEN = Cell(
    curve="qwen3.5_mtp", model="qwen3.5-397b-a17b-nvfp4", thinking="thinking_on", length=3,
    al=Decimal("3.39"),
)  # fmt: skip
BARE = "the recipe states no roles, so nobody says how the server speculates"


def drafted(steps: int, accepted: int) -> str:
    return (
        "vllm:prompt_tokens_total 1\n"
        f"vllm:spec_decode_num_drafts_total {steps}\n"
        f"vllm:spec_decode_num_accepted_tokens_total {accepted}\n"
    )


def summary(folder: Path, recipe: BoundRecipe) -> PointSummary:
    """Summarise a point of 1000 s in which 1,000 steps of drafting had 2,051 tokens accepted."""
    with SampleJournal(folder / SAMPLES) as journal:
        journal.add(page(drafted(5, 9), -1))
        journal.add(page(drafted(1005, 2060), 1001))
    point: PointFile = POINT.model_copy(update={"recipe": recipe})
    return summarise_in(folder, point, tuple(turns()))


def test_measured_and_golden_stand_beside_each_other(tmp_path: Path) -> None:
    """1 + 2,051 / 1,000 = 3.051 tokens a step; the curve says 3.39, of which that is 90 %."""
    found = summary(tmp_path, RECIPE)
    assert found.golden == GOLDEN
    length, error = (found.metrics[name] for name in ("acceptance_length", "acceptance_error"))
    assert isinstance(length, MetricValue)
    assert isinstance(error, MetricValue)
    assert (length.mean, length.n) == (pytest.approx(3.051), 1000)
    assert error.mean == pytest.approx(0.1)
    assert PointSummary.model_validate_json(found.model_dump_json()).golden == GOLDEN


@pytest.mark.parametrize(
    ("stated", "why"),
    [
        ({"roles": {}}, BARE),
        ({"settings": {}}, "nobody says whether the model thinks"),
    ],
)
def test_what_states_too_little_has_none_and_says_why(
    tmp_path: Path, stated: Mapping[str, object], why: str
) -> None:
    found = summary(tmp_path, RECIPE.model_copy(update=dict(stated)))
    assert isinstance(found.golden, Absent)
    assert why in found.golden.reason
    assert found.metrics["acceptance_error"] == Absent(reason=found.golden.reason)
    assert isinstance(found.metrics["acceptance_length"], MetricValue)


def test_a_golden_length_is_known_where_no_page_was_read(tmp_path: Path) -> None:
    point = POINT.model_copy(update={"recipe": RECIPE})
    assert summarise_in(tmp_path, point, tuple(turns())).golden == GOLDEN
