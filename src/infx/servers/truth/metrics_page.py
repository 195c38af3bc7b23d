"""The Prometheus page, in the words of vLLM or of SGLang.

Figures of a cache stand on it only when the server has one: scripted timing has none.
"""

from collections.abc import Iterator, Mapping

from infx.clock import NS
from infx.servers.truth.counters import BOUNDS_S, Counters, Histogram
from infx.servers.truth.script import EngineModel, Script
from infx.servers.truth.timing import Timing

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = Mapping[str, str]


def page(script: Script, counters: Counters, timing: Timing) -> str:
    """Return the metrics of a server at this moment."""
    if script.dialect == "vllm":
        families = _vllm(script, counters, timing)
    else:
        families = _sglang(script, counters, timing)
    return "".join(f"{line}\n" for line in families)


def _vllm(script: Script, counters: Counters, timing: Timing) -> Iterator[str]:
    one = _Page("vllm:", {"engine": "0", "model_name": script.model})
    yield from one.gauge("num_requests_running", "Requests in execution.", timing.running)
    yield from one.gauge("num_requests_waiting", "Requests in the queue.", timing.waiting)
    if script.engine is not None and timing.kv_usage is not None:
        yield from _vllm_cache(one, counters, timing.kv_usage, script.engine)
    yield from one.counter("prompt_tokens_total", "Prefill tokens.", counters.prompt_tokens)
    yield from one.counter(
        "generation_tokens_total", "Generated tokens.", counters.generation_tokens
    )
    yield from one.counters(
        "request_success_total",
        "Ended requests.",
        "finished_reason",
        {reason: counters.finished[reason] for reason in ("stop", "length", "abort", "error")},
    )
    yield from _histograms(one, counters, queue="request_queue_time_seconds")


def _vllm_cache(
    one: "_Page", counters: Counters, usage: float, engine: EngineModel
) -> Iterator[str]:
    yield from one.gauge("kv_cache_usage_perc", "KV-cache usage, 1 is full.", usage)
    yield from one.counter(
        "prefix_cache_queries_total", "Prefix cache queries, in tokens.", counters.prefix_queries
    )
    yield from one.counter(
        "prefix_cache_hits_total", "Prefix cache hits, in tokens.", counters.prefix_hits
    )
    computed = counters.prompt_tokens - counters.cached_tokens
    yield from one.counters(
        "prompt_tokens_by_source_total",
        "Prompt tokens by source.",
        "source",
        {
            "local_compute": computed,
            "local_cache_hit": counters.cached_tokens,
            "external_kv_transfer": 0,
        },
    )
    blocks = engine.kv_tokens // engine.block_size
    info = {"block_size": str(engine.block_size), "num_gpu_blocks": str(blocks)}
    yield from one.gauge("cache_config_info", "The cache.", 1, info)


def _sglang(script: Script, counters: Counters, timing: Timing) -> Iterator[str]:
    one = _Page("sglang:", {"model_name": script.model})
    yield from one.gauge("num_running_reqs", "Running requests.", timing.running)
    yield from one.gauge("num_queue_reqs", "Requests in the waiting queue.", timing.waiting)
    if script.engine is not None and timing.kv_usage is not None:
        yield from one.gauge("token_usage", "The token usage.", timing.kv_usage)
        pool = "The size of the KV cache in tokens."
        yield from one.gauge("max_total_num_tokens", pool, script.engine.kv_tokens)
        yield from one.counters(
            "cached_tokens_total",
            "Cached prompt tokens.",
            "cache_source",
            {"device": counters.cached_tokens},
        )
        if counters.prefix_queries:
            rate = counters.prefix_hits / counters.prefix_queries
            yield from one.gauge("cache_hit_rate", "The prefix cache hit rate.", rate)
    yield from one.counter(
        "prompt_tokens_total", "Prefill tokens processed.", counters.prompt_tokens
    )
    yield from one.counter(
        "generation_tokens_total", "Generation tokens processed.", counters.generation_tokens
    )
    yield from one.counter("num_requests_total", "Completed requests.", counters.finished["length"])
    yield from one.counter(
        "num_aborted_requests_total", "Aborted requests.", counters.finished["abort"]
    )
    yield from _histograms(one, counters, queue="queue_time_seconds")


def _histograms(one: "_Page", counters: Counters, *, queue: str) -> Iterator[str]:
    ttft = "Time to first token in seconds."
    yield from one.histogram("time_to_first_token_seconds", ttft, counters.ttft)
    yield from one.histogram(queue, "Time in the queue in seconds.", counters.queue)
    e2e = "End to end latency in seconds."
    yield from one.histogram("e2e_request_latency_seconds", e2e, counters.e2e)


class _Page:
    """Lines of metric families that share a prefix and labels."""

    def __init__(self, prefix: str, labels: Labels) -> None:
        self._prefix = prefix
        self._labels = labels

    def gauge(
        self, name: str, about: str, value: float, labels: Labels | None = None
    ) -> Iterator[str]:
        yield from self._head(name, "gauge", about)
        yield self._line(name, value, labels or {})

    def counter(self, name: str, about: str, value: int) -> Iterator[str]:
        yield from self._head(name, "counter", about)
        yield self._line(name, value, {})

    def counters(
        self, name: str, about: str, label: str, values: Mapping[str, int]
    ) -> Iterator[str]:
        yield from self._head(name, "counter", about)
        for of, value in values.items():
            yield self._line(name, value, {label: of})

    def histogram(self, name: str, about: str, histogram: Histogram) -> Iterator[str]:
        yield from self._head(name, "histogram", about)
        below = 0
        for bound, number in zip((*BOUNDS_S, "+Inf"), histogram.counts, strict=True):
            below += number
            yield self._line(f"{name}_bucket", below, {"le": str(bound)})
        yield self._line(f"{name}_count", below, {})
        yield self._line(f"{name}_sum", histogram.total_ns / NS, {})

    def _head(self, name: str, kind: str, about: str) -> Iterator[str]:
        yield f"# HELP {self._prefix}{name} {about}"
        yield f"# TYPE {self._prefix}{name} {kind}"

    def _line(self, name: str, value: float, labels: Labels) -> str:
        every = sorted({**self._labels, **labels}.items())
        inside = ",".join(f'{label}="{_escape(text)}"' for label, text in every)
        return f"{self._prefix}{name}{{{inside}}} {float(value)!r}"


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
