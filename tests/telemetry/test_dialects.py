"""Every dialect's page is understood; the figures are worked out by hand beside it."""

import os
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import infx.telemetry.dialects
from infx.model.result import Absent, MetricValue
from infx.model.server import Quantity
from infx.telemetry.dialects import DIALECTS
from infx.telemetry.engine import ENGINES, meaning
from scraped_pages import (
    ATOM,
    DYNAMO,
    LLAMACPP,
    OLD_VLLM,
    SGLANG,
    TRTLLM,
    VLLM,
    computed,
    from_rest,
    page,
)

# Each figure from the page by hand; from rest, a counter grows by what it says.
GOLDEN = {
    # Two engines: 1000 + 500 tokens, of which by source 300 on the GPU and 100 beyond it; usage is
    # the larger of 0.25 and 0.75; requests 3 + 4; 1 + 210 / 100 tokens a draft; 210 of 300 drafted.
    "vllm": (VLLM, {
        "prompt_tokens": 1500, "generation_tokens": 400, "requests": 7, "preemptions": 2,
        "gpu_prefix_hit": 300 / 1500, "host_prefix_hit": 100 / 1500, "prefix_hit": 400 / 1500,
        "kv_usage": 0.75, "kv_usage_peak": 0.75, "running": 7, "waiting": 1,
        "acceptance_length": 3.1, "acceptance_rate": 0.7,
    }),
    # Hits over queries where tokens have no source; 55.5 is percent.
    "old-vllm": (OLD_VLLM, {
        "prompt_tokens": 400, "gpu_prefix_hit": 0.25, "host_prefix_hit": 0.15, "prefix_hit": 0.4,
        "kv_usage": 0.555, "host_kv_usage": 0.1,
    }),
    # 250 on the device, 100 + 50 beyond it, of 1000; ranks 0 and 1 state the same engine, so 5 + 2
    # run and one pool holds 4096; 300 of 1200; (610 tokens - 10 of the prefill) / 200 calls.
    "sglang": (SGLANG, {
        "prompt_tokens": 1000, "generation_tokens": 610, "requests": 10, "preemptions": 1,
        "gpu_prefix_hit": 0.25, "host_prefix_hit": 0.15, "prefix_hit": 0.4,
        "kv_usage": 0.5, "host_kv_usage": 0.25, "running": 7, "waiting": 0, "kv_pool": 4096,
        "acceptance_length": 3.0,
    }),
    # 450 / 1800; 100 blocks of 32; each of 50 steps drafts position 0 once: 1 + 60 / 50.
    "trtllm": (TRTLLM, {
        "prompt_tokens": 1800, "generation_tokens": 30, "gpu_prefix_hit": 0.25, "prefix_hit": 0.25,
        "kv_usage": 0.5, "host_kv_usage": 0.125, "kv_pool": 3200, "running": 2, "waiting": 8,
        "acceptance_length": 2.2, "acceptance_rate": 0.6, "offloaded_bytes": 4096,
        "onloaded_bytes": 1024,
    }),
    # The sums of histograms: 270 / 900, and the router's mean 4.5 / 9.
    "dynamo": (DYNAMO, {
        "prompt_tokens": 900, "generation_tokens": 90, "prefix_hit": 0.3, "router_hit": 0.5,
        "kv_usage": 0.5,
    }),
    # 400 and 200 of 800; 40 steps accepted 60 tokens.
    "atom": (ATOM, {
        "prompt_tokens": 1000, "generation_tokens": 25, "requests": 5, "preemptions": 0,
        "gpu_prefix_hit": 0.5, "host_prefix_hit": 0.25, "prefix_hit": 0.75, "kv_usage": 0.3,
        "running": 3, "waiting": 2, "acceptance_length": 2.5, "acceptance_rate": 2 / 3,
    }),
    # 8 of 40 + 8 came out of the cache; 1 + 6 / 4.
    "llamacpp": (LLAMACPP, {
        "prompt_tokens": 48, "generation_tokens": 16, "gpu_prefix_hit": 8 / 48,
        "prefix_hit": 8 / 48, "running": 2, "waiting": 1, "acceptance_length": 2.5,
        "acceptance_rate": 0.5,
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_every_figure_of_a_page_and_a_reason_for_every_other(name: str) -> None:
    text, expected = GOLDEN[name]
    found = computed(from_rest(text))
    assert found.dialect == name.removeprefix("old-")
    figures = {of: one.mean for of, one in found.metrics.items() if isinstance(one, MetricValue)}
    assert figures == pytest.approx(_with_peaks(expected))
    reasons = [one.reason for one in found.metrics.values() if isinstance(one, Absent)]
    assert all(reasons)
    assert found.missed == {}
    assert found.restarts == 0


def _with_peaks(expected: dict[str, float]) -> dict[str, float]:
    """A gauge that stands still has its mean for its peak."""
    peaks = {
        f"{name}_peak": expected[name] for name in ("kv_usage", "host_kv_usage") if name in expected
    }
    return {**expected, **peaks}


def test_every_dialect_is_in_the_table_and_has_its_source() -> None:
    modules = {
        name: import_module(f"infx.telemetry.dialects.{name}")
        for _, name, _ in pkgutil.iter_modules(infx.telemetry.dialects.__path__)
    }
    assert {name: module.__name__ for name, module in modules.items()} == DIALECTS
    assert {*ENGINES, "dynamo"} == set(DIALECTS)
    for module in modules.values():
        assert "Source: " in str(module.__doc__)
        for ways in module.FAMILIES.values():
            assert all(term.family.startswith(module.PREFIXES) for way in ways for term in way)


def test_with_dynamo_the_frontend_counts_tokens_and_the_engine_tells_the_rest() -> None:
    found = computed(from_rest(DYNAMO, VLLM))
    assert found.dialect == "dynamo-vllm"
    shown = {
        name: getattr(found.metrics[name], "mean", None)
        for name in ("prompt_tokens", "generation_tokens", "prefix_hit", "kv_usage", "router_hit")
    }
    # 900 and 90 of the frontend, not 1500 and 400 more of the workers; hits by vLLM's sources.
    assert shown == pytest.approx(
        {
            "prompt_tokens": 900,
            "generation_tokens": 90,
            "prefix_hit": 400 / 1500,
            "kv_usage": 0.75,
            "router_hit": 0.5,
        }
    )
    assert set(found.by_source) == {"http://worker0/metrics", "http://worker1/metrics"}


def test_with_dynamo_hits_and_what_was_looked_for_come_from_one_of_them() -> None:
    """An engine that counts no hits must not have the frontend's divided by its own tokens."""
    blind = "trtllm_prompt_tokens_total 1800\n"
    found = computed(from_rest(DYNAMO, blind))
    assert found.dialect == "dynamo-trtllm"
    assert getattr(found.metrics["prefix_hit"], "mean", None) == pytest.approx(0.3)


def test_dynamo_before_sglang_is_read_as_sglang() -> None:
    found = computed(from_rest(DYNAMO, SGLANG))
    assert found.dialect == "sglang"
    assert getattr(found.metrics["prompt_tokens"], "mean", None) == 1000
    assert isinstance(found.metrics["router_hit"], Absent)


def test_a_colon_may_have_become_an_underscore() -> None:
    found = computed(from_rest(ATOM.replace("atom:", "atom_")))
    assert getattr(found.metrics["prefix_hit"], "mean", None) == pytest.approx(0.75)


def test_pages_of_others_mean_nothing() -> None:
    assert meaning([page("up 1\nnode_load1 0.5\n", 0)]) is None
    assert meaning([]) is None


def test_the_real_page_of_vllm_0_26() -> None:
    """264 requests of 512 tokens in and 128 out; prefix caching on, and no prompt came twice.

    What it counts: 264 x 512 = 135,168 and 264 x 128 = 33,792. No draft, no offloading.
    """
    data = os.environ.get("INFX_REFERENCE_DATA")
    if not data:
        pytest.skip("needs INFX_REFERENCE_DATA")
    text = (Path(data) / "engine-samples/vllm-0.26.0-h200/metrics-after.txt").read_text()
    found = computed(from_rest(text))
    assert found.dialect == "vllm"
    shown = {name: one.mean for name, one in found.metrics.items() if isinstance(one, MetricValue)}
    assert shown == {
        "prompt_tokens": 135168, "generation_tokens": 33792, "requests": 264, "preemptions": 0,
        "prefix_hit": 0, "gpu_prefix_hit": 0, "host_prefix_hit": 0, "kv_usage": 0,
        "kv_usage_peak": 0, "running": 0, "waiting": 0,
    }  # fmt: skip
    why = found.metrics["acceptance_length"]
    assert why == Absent(reason="no page has vllm:spec_decode_num_drafts")
    means = meaning([page(text, 0)])
    assert means is not None
    assert Quantity.OFFLOADED_BYTES in means.missing
