"""The row that the public benchmark publishes of an AgentX point, result schema 1.

Strict: no NaN or infinity, nothing coerced, and every key that is not declared is refused, but for
those of measured power. A key that may be missing is missing, and not null. Source: InferenceX,
the reference page's section 4.4.
"""

import math
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    Tag,
    TypeAdapter,
    model_serializer,
    model_validator,
)

from infx.model.value import Value

SCHEMA = 1
POWER_SCHEMA = 2
POWER_KEYS = frozenset(
    (
        "avg_power_w", "avg_total_gpu_power_w", "total_gpu_energy_j", "p75_power_w", "p90_power_w",
        "p75_total_gpu_power_w", "p90_total_gpu_power_w", "joules_per_successful_query",
        "joules_per_input_token", "joules_per_output_token", "joules_per_total_token",
        "prefill_gpu_energy_j", "decode_gpu_energy_j", "prefill_avg_power_w",
        "decode_avg_power_w", "prefill_joules_per_input_token", "decode_joules_per_output_token",
    )
)  # fmt: skip
"""What a row may carry of measured power, section 4.6; each is a number."""

Word = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0)]
Size = Annotated[int, Field(gt=0)]
Flag = Literal["true", "false"]
"""The workflow's flag is copied as it is written there, and is no JSON boolean."""


def _finite(block: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Refuse numbers that JSON has not; plain data is let through unseen otherwise."""
    waiting: list[tuple[str, JsonValue]] = list(block.items())
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} is {value}, and not a finite number")
        if isinstance(value, dict):
            waiting += [(f"{name}.{key}", one) for key, one in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{name}.{place}", one) for place, one in enumerate(value)]
    return block


Block = Annotated[dict[str, JsonValue], AfterValidator(_finite)]


def _listed(given: object) -> object:
    """Take a list for a tuple: the values of a row are plain data before they are checked."""
    return tuple(given) if isinstance(given, list) else given


class _Open(Value):
    """A value some of whose keys may be missing; they are left out when it is written."""

    @model_validator(mode="before")
    @classmethod
    def _nothing_optional_is_null(cls, given: object) -> object:
        if isinstance(given, dict):
            for name, field in cls.model_fields.items():
                if not field.is_required() and name in given and given[name] is None:
                    raise ValueError(f"{name} is null: leave it out")
        return given

    @model_serializer(mode="wrap")
    def _without_missing(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        told: dict[str, Any] = handler(self)
        fields = type(self).model_fields
        return {
            name: one
            for name, one in told.items()
            if name in self.model_fields_set or name not in fields or fields[name].is_required()
        }


class Component(Value):
    """A part beside the engine, and its version."""

    name: Word
    version: Word


class OffloadBackend(_Open):
    """What keeps the KV cache that does not fit on the GPU."""

    name: Word
    version: Word | None = None


class RequestAccounting(Value):
    """How many records there were, and why some are in no figure.

    A record of the warmup that failed is counted under both reasons; `error_categories` counts the
    failed ones by kind.
    """

    records_total: Count
    records_profiled: Count
    records_dropped_total: Count
    records_warmup_dropped: Count
    records_error_dropped: Count
    error_categories: dict[str, Count]

    @model_validator(mode="after")
    def _adds_up(self) -> "RequestAccounting":
        if self.records_profiled + self.records_dropped_total != self.records_total:
            raise ValueError("records_profiled and records_dropped_total are not records_total")
        if sum(self.error_categories.values()) != self.records_error_dropped:
            raise ValueError("error_categories do not add up to records_error_dropped")
        return self


class _Row(_Open):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float] = Field(init=False)

    result_schema_version: Annotated[int, Field(ge=SCHEMA, le=SCHEMA)]
    hw: Word
    conc: Size
    image: Word
    recipe_fingerprint: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")]
    model: Word
    infmax_model_prefix: Word
    framework: Word
    precision: Word
    spec_decoding: Word
    disagg: bool
    scenario_type: Literal["agentic-coding"]
    num_gpus: Size
    tp: Size
    ep: Size
    dp_attention: Flag
    kv_offloading: Word
    kv_offload_backend: OffloadBackend | None
    allocated_cpu_dram_gb: Count
    num_requests_total: Count
    num_requests_successful: Count
    request_accounting: RequestAccounting
    request_metrics: Block
    server_metrics: Block
    kv_cache_pool_tokens: Count | None
    router: Component | None = None
    kv_p2p_transfer: Word | None = None
    dataset: Block | None = None
    warnings: Annotated[tuple[str, ...], BeforeValidator(_listed)] | None = None
    power_metric_schema_version: Annotated[int, Field(ge=POWER_SCHEMA, le=POWER_SCHEMA)] | None = (
        None
    )
    power_valid: Annotated[int, Field(ge=0, le=1)] | None = None

    @model_validator(mode="after")
    def _is_closed(self) -> "_Row":
        unknown = sorted((self.model_extra or {}).keys() - POWER_KEYS)
        if unknown:
            raise ValueError(f"unknown keys {', '.join(unknown)}")
        if self.power_valid == 0 and self.model_extra:
            raise ValueError("power that is not valid has no numbers")
        return self


class SingleNodeRow(_Row):
    """A point that one node served."""

    is_multinode: Literal[False]
    pp: Size
    dcp_size: Size
    pcp_size: Size


class MultiNodeRow(_Row):
    """A point that prefill and decode workers served; without decode GPUs its sizes are 0.

    `tp` sums both roles, `ep` is the larger one, `dp_attention` that of either.
    """

    is_multinode: Literal[True]
    prefill_num_workers: Count
    prefill_tp: Size
    prefill_pp: Size
    prefill_dcp_size: Size
    prefill_pcp_size: Size
    prefill_ep: Size
    prefill_dp_attention: Flag
    num_prefill_gpu: Count
    decode_num_workers: Count
    decode_tp: Count
    decode_pp: Size
    decode_dcp_size: Size
    decode_pcp_size: Size
    decode_ep: Count
    decode_dp_attention: Flag
    num_decode_gpu: Count
    prefill_hw: Word | None = None
    decode_hw: Word | None = None


def _kind(row: object) -> str | None:
    many = row.get("is_multinode") if isinstance(row, dict) else getattr(row, "is_multinode", None)
    return None if not isinstance(many, bool) else "multi-node" if many else "single-node"


AgentxRow = Annotated[
    Annotated[SingleNodeRow, Tag("single-node")] | Annotated[MultiNodeRow, Tag("multi-node")],
    Discriminator(
        _kind,
        custom_error_type="row",
        custom_error_message="a row is an object whose is_multinode is true or false",
    ),
]
AGENTX_ROW: TypeAdapter[SingleNodeRow | MultiNodeRow] = TypeAdapter(AgentxRow)
"""Reads and writes a row."""
