"""The files that aiperf 0.13 exports of a replay, as far as infx reads and writes them.

Other versions have other fields beside these, so unknown ones are passed over. What infx knows and
aiperf has no field for stands under the key `infx`, which aiperf passes over too.
"""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from infx.model.bundle import ClockAnchor, PointFile, RunState
from infx.model.record import EndState
from infx.model.value import Value

RECORDS = "profile_export.jsonl"
AGGREGATE = "profile_export_aiperf.json"
TABLE = "profile_export_aiperf.csv"
SLICES = "profile_export_aiperf_timeslices.json"
SLICES_TABLE = "profile_export_aiperf_timeslices.csv"
SERVER_METRICS = "server_metrics_export.json"


class Foreign(BaseModel):
    """Strict and frozen like every value, but open: others add fields."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", allow_inf_nan=False)


class AiperfMetadata(Foreign):
    """Which request a record is of. Moments are nanoseconds of the wall clock.

    `conversation_id` and `turn_index` name a stream of the trace and the turn in it;
    `root_correlation_id` is the same for all requests of one play of a session tree. The request
    stood at `source_outer_idx`, and inside a subagent's row at `source_inner_idx`, of its trace.
    """

    session_num: int
    x_request_id: str | None = None
    x_correlation_id: str | None = None
    conversation_id: str | None = None
    turn_index: int | None = None
    source_trace_id: str | None = None
    source_outer_idx: int | None = None
    source_inner_idx: int | None = None
    source_kind: str | None = None
    credit_issued_ns: int | None = None
    request_start_ns: int
    request_ack_ns: int | None = None
    request_end_ns: int
    worker_id: str = ""
    record_processor_id: str = ""
    benchmark_phase: Literal["warmup", "profiling"] = "profiling"
    phase_index: int | None = None
    profiling_index: int | None = None
    phase_name: str | None = None
    phase_kind: str | None = None
    was_cancelled: bool = False
    cancellation_time_ns: int | None = None
    context_overflow_skip: bool = False
    agent_depth: int = 0
    parent_correlation_id: str | None = None
    root_correlation_id: str | None = None


class AiperfValue(Foreign):
    """One figure of a request, or one for each of its chunks."""

    value: int | float | tuple[float, ...]
    unit: str


class AiperfError(Foreign):
    """Why a request failed; `code` is HTTP's where there was an answer."""

    code: int | None = None
    type: str | None = None
    message: str = ""


class InfxRecord(Value):
    """What infx knows of a request beside aiperf's fields; see `RequestRecord`.

    `end_ns` is on the wall clock, None where the client died before the end.
    """

    request: int
    session: int
    turn: int
    lane: int
    play: int
    state: EndState
    asked_input: int | None
    asked_output: int
    end_ns: int | None
    late_ns: int | None = None
    first_chunk_tokens: int | None = None
    finish: str | None = None
    reason: str | None = None
    detail: str | None = None
    status: int | None = None
    text: str | None = None
    server: dict[str, float] | None = None


class AiperfRecord(Foreign):
    """A line of `profile_export.jsonl`: one request."""

    metadata: AiperfMetadata
    metrics: dict[str, AiperfValue] = Field(default_factory=dict)
    error: AiperfError | None = None
    infx: InfxRecord | None = None


class AiperfStatistic(Foreign):
    """A metric over all ok requests of profiling; a figure of the whole run has only `avg`.

    `std` is the population's, percentiles interpolate linearly at rank (n-1)p/100.
    """

    unit: str
    avg: float | None = None
    p1: float | None = None
    p5: float | None = None
    p10: float | None = None
    p25: float | None = None
    p50: float | None = None
    p75: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    min: float | None = None
    max: float | None = None
    std: float | None = None
    count: int | None = None
    sum: float | None = None


class AiperfOutcome(Foreign):
    """What an export says of itself as a submission; None is not said."""

    scenario: str | None = None
    submission_valid: bool | None = None
    submission_invalid_reasons: tuple[str, ...] = ()
    dataset: dict[str, JsonValue] | None = None
    metric_duration_coverage: tuple[dict[str, JsonValue], ...] = ()


class InfxExport(Value):
    """What infx knows of a run and a point beside aiperf's fields."""

    run: str
    state: RunState
    command: tuple[str, ...]
    started: str
    ended: str | None
    failure: str | None
    simulated: bool
    anchor: ClockAnchor
    versions: dict[str, str]
    host: dict[str, JsonValue]
    point: PointFile


class AiperfExport(Foreign):
    """`profile_export_aiperf.json`: the aggregate of a run; every other key is a metric.

    `start_time` and `end_time` bound profiling, on a clock whose time zone is not told.
    """

    model_config = ConfigDict(extra="allow")

    schema_version: str | None = None
    aiperf_version: str | None = None
    benchmark_id: str | None = None
    input_config: dict[str, JsonValue] = Field(default_factory=dict)
    run_info: dict[str, JsonValue] = Field(default_factory=dict)
    was_cancelled: bool | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None
    metadata: AiperfOutcome = Field(default_factory=AiperfOutcome)
    infx: InfxExport | None = None

    @property
    def metrics(self) -> dict[str, AiperfStatistic]:
        """The metrics by name, those of the warmup left out."""
        extra = self.model_extra or {}
        return {
            name: AiperfStatistic.model_validate(value)
            for name, value in extra.items()
            if isinstance(value, dict) and "unit" in value
        }


class AiperfSlice(Foreign):
    """A piece of a run's time; every other key is a metric of the requests that were sent in it.

    Moments are nanoseconds of the wall clock. `is_complete` is false for a last piece that ends
    with the run.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, AiperfStatistic] = Field(init=False)

    start_ns: int
    end_ns: int
    is_complete: bool | None = None

    @property
    def metrics(self) -> dict[str, AiperfStatistic]:
        """The metrics by name."""
        return self.__pydantic_extra__


class AiperfSlices(Foreign):
    """`profile_export_aiperf_timeslices.json`: the pieces of a run in their order."""

    timeslices: tuple[AiperfSlice, ...]
