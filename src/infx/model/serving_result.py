"""The result of the serving clients that `benchmark_serving.py` and `vllm bench serve` are.

One file is one point of independent requests. Lists with one entry a request are there only where
details were asked for. Source: the reference page, section 3, and files of vLLM 0.26.
"""

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

STATISTICS: Mapping[str, str] = {
    "mean": "mean", "median": "p50", "std": "std", "p75": "p75", "p90": "p90", "p95": "p95",
    "p99": "p99",
}  # fmt: skip
"""How it names a statistic, to our name of it; others are passed over."""
TIMES: Mapping[str, str] = {"ttft": "ttft", "tpot": "tpot", "chunk_gap": "itl", "e2el": "e2el"}
"""Our metric to what such a client calls it: its ITL are the distances between chunks."""
_TIME = re.compile(r"(?P<statistic>[a-z0-9.]+)_(?P<metric>ttft|tpot|itl|e2el)_ms")
LISTS = ("input_lens", "output_lens", "ttfts", "itls", "start_times", "errors")


class ServingResult(BaseModel):
    """What is read of a result; other keys are kept beside it.

    Times with a unit in their name are in it, others in seconds; `start_times` are of a clock of
    the client's own. `itls` are the distances between the chunks of each answer. `errors` are
    texts, empty for a request that succeeded. A `request_rate` of `inf` is a closed loop, whose
    bound is `max_concurrency`.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="allow", allow_inf_nan=False)
    __pydantic_extra__: dict[str, JsonValue] = Field(init=False)

    model_id: str
    num_prompts: int = Field(gt=0)
    completed: int = Field(ge=0)
    failed: int | None = Field(default=None, ge=0)
    duration: float = Field(gt=0)
    total_input_tokens: int
    total_output_tokens: int
    request_throughput: float
    output_throughput: float
    total_token_throughput: float
    request_rate: float | Literal["inf"] = "inf"
    burstiness: float | None = None
    max_concurrency: int | None = Field(default=None, gt=0)
    date: str | None = None
    backend: str | None = None
    endpoint_type: str | None = None
    tokenizer_id: str | None = None
    benchmark_start_time_unix: float | None = None
    benchmark_outcome: dict[str, JsonValue] | None = None
    input_lens: tuple[int, ...] | None = None
    output_lens: tuple[int, ...] | None = None
    ttfts: tuple[float, ...] | None = None
    itls: tuple[tuple[float, ...], ...] | None = None
    start_times: tuple[float, ...] | None = None
    errors: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _adds_up(self) -> "ServingResult":
        if self.completed > self.num_prompts:
            raise ValueError("more requests were completed than asked")
        for name in LISTS:
            found = getattr(self, name)
            if found is not None and len(found) != self.num_prompts:
                raise ValueError(f"{name} has {len(found)} entries for {self.num_prompts} requests")
        return self

    @property
    def keeps_requests(self) -> bool:
        """Whether each request can be told again: when it was sent, and each of its chunks."""
        return all(getattr(self, name) is not None for name in LISTS)

    @property
    def input_throughput(self) -> float:
        """Prompt tokens a second over the whole duration."""
        return self.total_input_tokens / self.duration

    def times_s(self, metric: str) -> dict[str, float]:
        """Return the statistics of `ttft`, `tpot`, `itl` or `e2el` in seconds, by our names."""
        found = {}
        for key, value in self.__pydantic_extra__.items():
            matched = _TIME.fullmatch(key)
            if matched is None or matched["metric"] != metric:
                continue
            name = STATISTICS.get(matched["statistic"])
            if name is not None and isinstance(value, int | float):
                found[name] = value / 1000
        return found
