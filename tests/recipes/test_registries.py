"""Look-ups in the registries, at the days and names where they turn."""

from datetime import date
from decimal import Decimal

import pytest

from infx.errors import InputError
from infx.model.model_registry import ModelRegistry
from infx.model.policy_set import PolicyRegistry
from infx.model.registry import EngineRegistry, HardwareRegistry, PageRegistry, Thresholds
from infx.model.setting_registry import HarnessRegistry
from infx.recipes import registries
from infx.store.registries import registry

MODELS = registry(ModelRegistry)
THRESHOLDS = registry(Thresholds)


def allowed(prefix, scenario, day, precision="fp4"):
    return registries.permission(
        MODELS, prefix=prefix, scenario=scenario, precision=precision, day=date.fromisoformat(day)
    )


@pytest.mark.parametrize(
    ("prefix", "scenario", "day", "may"),
    [
        ("musespark", "agentic-coding", "2026-10-19", True),
        ("dsv4", "agentic-coding", "2026-09-18", True),
        ("dsv4", "8k1k", "2026-09-08", True),
        ("dsv4", "8k1k", "2026-09-09", False),
        ("kimik2.5", "agentic-coding", "2026-08-03", True),
        ("kimik2.5", "agentic-coding", "2026-08-04", False),
        ("kimik2.5", "8k1k", "2026-08-06", True),
        ("kimik2.5", "8k1k", "2026-08-07", False),
        ("dsr1", "1k1k", "2026-07-16", True),
        ("dsr1", "1k1k", "2026-07-17", False),
        ("dsr1", "1k8k", "2026-03-27", False),
        ("glm5.1", "1k1k", "2026-09-30", True),
        ("glm5.1", "1k1k", "2026-10-01", False),
        ("musespark", "8k1k", "2026-10-19", False),
        ("kimik9", "8k1k", "2026-10-19", False),
    ],
)
def test_a_row_holds_up_to_and_with_its_last_day(prefix, scenario, day, may):
    assert allowed(prefix, scenario, day).allowed is may


def test_a_refusal_names_the_row():
    assert allowed("dsv4", "8k1k", "2026-10-01").because == (
        "dsv4 8k1k: its last day was 2026-09-08"
    )
    assert allowed("kimik9", "8k1k", "2026-10-01").because.startswith("kimik9 is not registered")
    assert allowed("musespark", "8k1k", "2026-10-01").because == "musespark has no row for 8k1k"


def test_a_precision_ends_without_its_model():
    assert allowed("qwen3.5", "8k1k", "2026-08-03", "bf16").allowed
    assert not allowed("qwen3.5", "8k1k", "2026-08-04", "bf16").allowed
    assert allowed("qwen3.5", "8k1k", "2026-08-04", "fp8").allowed


def test_a_future_last_day_is_told_and_allows():
    before = allowed("dsv4", "8k1k", "2026-08-10")
    assert before.allowed
    assert before.last_day == date(2026, 9, 8)


def test_scenarios_are_known_by_their_lengths():
    assert registries.scenario_of(MODELS, 8192, 1024) == "8k1k"
    assert registries.scenario_of(MODELS, None, None) == "agentic-coding"
    assert registries.scenario_of(MODELS, 8192, 1) is None


@pytest.mark.parametrize(
    ("prefix", "task", "floor", "rule"),
    [
        ("dsv4", "gsm8k", "0.91", "model"),
        ("musespark", "gsm8k", "0.90", "default"),
        ("qwen3.5", "gpqa_diamond_cot_n_shot", "0.30", "default"),
        ("kimik3", "kimi_tool_call_schema_full", "0.0", "default"),
    ],
)
def test_a_models_floor_wins_over_the_default(prefix, task, floor, rule):
    found = registries.floor(THRESHOLDS, prefix=prefix, task=task, last=Decimal("0.85"))
    assert (found.floor, found.rule) == (Decimal(floor), rule)


def test_a_task_without_a_floor_fails_unless_a_set_has_a_last_one():
    assert registries.floor(THRESHOLDS, prefix="dsv4", task="aime") is None
    found = registries.floor(THRESHOLDS, prefix="dsv4", task="aime", last=Decimal("0.85"))
    assert (found.floor, found.rule, found.samples) == (Decimal("0.85"), "last", None)


def test_a_whole_split_has_its_size():
    assert registries.floor(THRESHOLDS, prefix="dsv4", task="gsm8k").samples == 1319


@pytest.mark.parametrize(
    ("name", "sku"),
    [
        ("cluster:gb200-nv", "gb200"),
        ("b200-nscale", "b200"),
        ("b200", "b200"),
        ("MI355X", "mi355x"),
        ("cluster:rtx6000pro-lat", "rtx6000pro"),
        ("gb20", None),
        ("h100x-lab", None),
    ],
)
def test_hardware_is_known_by_runner_and_cluster(name, sku):
    found = registries.hardware(registry(HardwareRegistry), name)
    assert (found and found.sku) == sku


@pytest.mark.parametrize(
    ("prefix", "method", "repository", "shipped"),
    [
        ("musespark", "DFLASH", "RadixArk/Muse-Spark-Open-DFlash2", "bf16"),
        ("musespark", "DFLASH", "acme/Muse-Spark-Open-DFlash2", "no row"),
        ("musespark", "DFLASH", None, "no row"),
        ("dsv4", "DSPARK", None, None),
        ("dsv4", "dspark", "deepseek-ai/DeepSeek-V4-Pro-0813", None),
        ("glm5.2", "NEXTN", None, None),
        ("qwen3.5", "EAGLE", None, None),
        ("minimaxm3", "eagle3", "Inferact/MiniMax-M3-EAGLE3-GQA", None),
        ("kimik3", "dspark", "/tmp/Kimi-K3-DSpark", "no row"),
        ("dsr1", "EAGLE", None, "no row"),
        ("nobody", "EAGLE", None, "no row"),
    ],
)
def test_a_draft_is_known_by_its_repository_or_inside_by_its_method(
    prefix, method, repository, shipped
):
    found = registries.draft_of(MODELS, prefix, method=method, repository=repository)
    assert (found.shipped if found else "no row") == shipped


def test_client_settings_are_harness_and_unknown_ones_are_production():
    found = registry(HarnessRegistry)
    assert registries.harness_setting(found, "client", "AIPERF_ANY").role == "harness"
    assert registries.harness_setting(found, "environment", "AIPERF_ANY") is None
    assert registries.harness_setting(found, "argument", "enable-metrics").role == "harness"
    assert registries.harness_setting(found, "argument", "enable-metrics-for-all") is None


def test_frameworks_pages_and_sets_are_found_by_name():
    engines = registry(EngineRegistry)
    assert registries.framework(engines, "dynamo-sglang").organisations == ("lmsysorg",)
    assert registries.framework(engines, "mystery") is None
    (page,) = registries.pages(registry(PageRegistry), prefix="musespark", engine="sglang")
    assert page.hardware == ("gb200",)
    policies = registry(PolicyRegistry)
    assert registries.policy_set(policies).id == "infx-1"
    assert registries.policy_set(policies, "2026-09").last_floor == Decimal("0.85")
    with pytest.raises(InputError, match="no policy set '2026-11'; did you mean 2026-10"):
        registries.policy_set(policies, "2026-11")
