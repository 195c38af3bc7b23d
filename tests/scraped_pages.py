"""Metrics pages in our own words: short, from the names that each engine's source has."""

from collections.abc import Iterable, Sequence

from infx.model.result import ServerMetrics
from infx.model.scrape import Page, Scrape
from infx.telemetry.engine import meaning, samples

S = 1_000_000_000
URL = "http://here/metrics"

VLLM = """# HELP vllm:prompt_tokens_total Prompt tokens.
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{engine="0"} 1000
vllm:prompt_tokens_total{engine="1"} 500
vllm:generation_tokens_total{engine="0"} 300
vllm:generation_tokens_total{engine="1"} 100
vllm:prompt_tokens_by_source_total{engine="0",source="local_compute"} 600
vllm:prompt_tokens_by_source_total{engine="0",source="local_cache_hit"} 300
vllm:prompt_tokens_by_source_total{engine="0",source="external_kv_transfer"} 100
vllm:prompt_tokens_by_source_total{engine="1",source="local_compute"} 500
vllm:prompt_tokens_by_source_total{engine="1",source="local_cache_hit"} 0
vllm:prefix_cache_queries_total{engine="0"} 9999
vllm:prefix_cache_hits_total{engine="0"} 7
vllm:kv_cache_usage_perc{engine="0"} 0.25
vllm:kv_cache_usage_perc{engine="1"} 0.75
vllm:num_requests_running{engine="0"} 3
vllm:num_requests_running{engine="1"} 4
vllm:num_requests_waiting{engine="0"} 1
vllm:num_preemptions_total{engine="0"} 2
vllm:spec_decode_num_drafts_total{engine="0"} 100
vllm:spec_decode_num_draft_tokens_total{engine="0"} 300
vllm:spec_decode_num_accepted_tokens_total{engine="0"} 210
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",position="0"} 90
vllm:request_success_total{engine="0",finished_reason="length"} 6
vllm:request_success_total{engine="0",finished_reason="stop"} 1
"""
OLD_VLLM = """vllm:prompt_tokens_total 400
vllm:prefix_cache_queries_total 400
vllm:prefix_cache_hits_total 100
vllm:external_prefix_cache_queries_total 300
vllm:external_prefix_cache_hits_total 60
vllm:gpu_cache_usage_perc 55.5
vllm:cpu_kv_cache_usage_perc 0.1
"""
SGLANG = """sglang:prompt_tokens_total{is_streaming="true",model_name="m"} 800
sglang:prompt_tokens_total{is_streaming="false",model_name="m"} 200
sglang:generation_tokens_total{is_streaming="true",model_name="m"} 610
sglang:num_requests_total{is_streaming="true",model_name="m"} 10
sglang:cached_tokens_total{cache_source="device",model_name="m"} 250
sglang:cached_tokens_total{cache_source="host",model_name="m"} 100
sglang:cached_tokens_total{cache_source="storage",model_name="m"} 50
sglang:cache_hit_rate{tp_rank="0"} 0.9
sglang:token_usage{tp_rank="0"} 0.5
sglang:token_usage{tp_rank="1"} 0.5
sglang:num_running_reqs{dp_rank="0",tp_rank="0"} 5
sglang:num_running_reqs{dp_rank="0",tp_rank="1"} 5
sglang:num_running_reqs{dp_rank="1",tp_rank="2"} 2
sglang:num_queue_reqs{tp_rank="0"} 0
sglang:max_total_num_tokens{dp_rank="0",tp_rank="0"} 4096
sglang:max_total_num_tokens{dp_rank="0",tp_rank="1"} 4096
sglang:hicache_host_used_tokens{tp_rank="0"} 300
sglang:hicache_host_total_tokens{tp_rank="0"} 1200
sglang:num_retracted_requests_total{tp_rank="0"} 1
sglang:spec_verify_calls_total{model_name="m"} 200
sglang:spec_accept_length{tp_rank="0"} 2.5
"""
TRTLLM = """trtllm_prompt_tokens_total{model_name="m"} 1800
trtllm_generation_tokens_total{model_name="m"} 30
trtllm_prompt_cached_tokens_total{model_name="m"} 450
trtllm_prompt_cached_tokens_sum{model_name="m"} 450
trtllm_prompt_cached_tokens_count{model_name="m"} 3
trtllm_kv_cache_hit_rate{model_name="m"} 0.4
trtllm_kv_cache_utilization{model_name="m"} 0.5
trtllm_kv_cache_host_utilization{model_name="m"} 0.125
trtllm_kv_cache_max_blocks{model_name="m"} 100
trtllm_kv_cache_tokens_per_block{model_name="m"} 32
trtllm_num_requests_running{model_name="m"} 2
trtllm_num_requests_waiting{model_name="m"} 8
trtllm_spec_decode_drafted_tokens_total{token_position="0"} 50
trtllm_spec_decode_drafted_tokens_total{token_position="1"} 50
trtllm_spec_decode_accepted_tokens_total{token_position="0"} 40
trtllm_spec_decode_accepted_tokens_total{token_position="1"} 20
trtllm_kv_cache_offload_bytes_total 4096
trtllm_kv_cache_onboard_bytes_total 1024
"""
DYNAMO = """dynamo_frontend_input_sequence_tokens_sum{model="m"} 900
dynamo_frontend_input_sequence_tokens_count{model="m"} 9
dynamo_frontend_output_tokens_total{model="m"} 90
dynamo_frontend_cached_tokens_sum{model="m"} 270
dynamo_frontend_cached_tokens_count{model="m"} 9
dynamo_component_router_kv_hit_rate_sum 4.5
dynamo_component_router_kv_hit_rate_count 9
dynamo_component_gpu_cache_usage_percent 0.5
"""
ATOM = """atom:prompt_tokens_total 1000
atom:generation_tokens_total 25
atom:requests_finished_total 5
atom:prefix_cache_full_tokens_total 800
atom:prefix_cache_cached_tokens_total 400
atom:prefix_cache_offload_tokens_total 200
atom:kv_cache_usage_ratio 0.3
atom:requests_running 3
atom:requests_waiting 2
atom:preemptions_total 0
atom:mtp_draft_tokens_total 90
atom:mtp_accepted_tokens_total 60
atom:mtp_decode_steps_total{accepted_tokens="0"} 10
atom:mtp_decode_steps_total{accepted_tokens="2"} 20
atom:mtp_decode_steps_total{accepted_tokens="4"} 10
"""
LLAMACPP = """llamacpp:prompt_tokens_total 40
llamacpp:prompt_tokens_cached_total 8
llamacpp:tokens_predicted_total 16
llamacpp:requests_processing 2
llamacpp:requests_deferred 1
llamacpp:spec_decode_num_drafts_total 4
llamacpp:spec_decode_num_draft_tokens_total 12
llamacpp:spec_decode_num_accepted_tokens_total 6
"""


def page(text: str, at_s: float, source: str = URL) -> Page:
    """A page that was asked for at `at_s` and had come 10 ms later."""
    return Page(source, round(at_s * S), round(at_s * S) + S // 100, text)


def zeroed(text: str) -> str:
    """The same page with every number 0: a server that has not served."""
    lines = text.split("\n")
    return "\n".join(
        line if not line or line[0] == "#" else f"{line.rpartition(' ')[0]} 0" for line in lines
    )


def from_rest(*texts: str) -> list[Page]:
    """Pages of servers at rest before a window of 1 s to 3 s, at work in it, and after it."""
    sources = [f"http://worker{number}/metrics" for number in range(len(texts))]
    return [
        page(written, at, source)
        for at, at_rest in ((0.5, True), (2.0, False), (3.5, False))
        for source, text in zip(sources, texts, strict=True)
        for written in (zeroed(text) if at_rest else text,)
    ]


def computed(scrapes: Iterable[Scrape], start_s: float = 1.0, end_s: float = 3.0) -> ServerMetrics:
    """What the pages say of a window."""
    from infx.metrics.server import server_metrics

    kept: Sequence[Scrape] = list(scrapes)
    means = meaning(one for one in kept if isinstance(one, Page))
    assert means is not None
    window = (round(start_s * S), round(end_s * S))
    found = samples(kept, means)
    return server_metrics(found, window, dialect=means.dialect, missing=means.missing)


def values(found: ServerMetrics, *names: str) -> list[float | str]:
    """The means of some figures, or the reasons why there are none."""
    return [
        getattr(found.metrics[name], "mean", None) or getattr(found.metrics[name], "reason", 0.0)
        for name in names
    ]
