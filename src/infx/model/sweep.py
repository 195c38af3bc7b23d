"""What a catalog expands to: the rows that a sweep runs, and their points.

A row is one job. Its four forms have the field names of the public generator's output: kebab-case,
and a field without a value is left out. A point is one concurrency of a row.
"""

from typing import Annotated, Literal

from pydantic import Field

from infx.model.catalog import KvOffloading, OffloadBackend, Router, SpecDecoding, Worker
from infx.model.value import KebabValue

Positive = Annotated[int, Field(gt=0)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Concurrencies = Annotated[tuple[Positive, ...], Field(min_length=1)]


class SweepRow(KebabValue):
    """What every row has, whatever it asks and wherever it runs.

    `run_eval` marks a row whose answers are checked too, `eval_only` one that is not measured.
    `eval_framework` and `eval_suite` say with which task; both empty is GSM8K by lm-eval.
    `config_key` is the catalog's entry that the row came from; it is in no file.
    """

    image: str
    model: str
    model_prefix: str
    precision: str
    framework: str
    runner: str = Field(description="A scheduling label, or one concrete runner of it.")
    spec_decoding: SpecDecoding
    exp_name: str = Field(description="A readable name; not unique.")
    router: Router | None = None
    recipe_fingerprint: Digest | None = None
    run_eval: bool | None = None
    eval_only: bool | None = None
    eval_framework: str | None = None
    eval_suite: str | None = None
    srt_recipe: str | None = Field(default=None, description="FILE or FILE:SELECTOR.")
    eval_srt_recipe: str | None = None
    require_power: bool | None = None
    config_key: str | None = Field(default=None, exclude=True)


class Single(KebabValue):
    """The parallelism of a row on one node, at one concurrency."""

    tp: Positive
    pp: Positive
    dcp_size: Positive
    pcp_size: Positive
    ep: Positive
    dp_attn: bool
    conc: Positive


class Multi(KebabValue):
    """The roles of a row over several nodes; an aggregate has `decode.num-worker` 0."""

    prefill: Worker
    decode: Worker
    conc: Concurrencies
    disagg: bool
    kv_p2p_transfer: str | None = None
    node_count: Positive | None = Field(default=None, description="Nodes to ask the scheduler for.")
    eval_conc: Positive | None = Field(default=None, description="The one that is evaluated.")


class Fixed(KebabValue):
    """Requests of fixed lengths, in tokens."""

    isl: Positive
    osl: Positive
    max_model_len: Positive = Field(description="Context that the server needs.")


class Agentic(KebabValue):
    """Replayed agent sessions, for `duration` seconds."""

    kv_offloading: KvOffloading
    kv_offload_backend: OffloadBackend | None = None
    total_cpu_dram_gb: int = Field(ge=0, description="Offload budget of one replica's node, GB.")
    duration: Positive
    scenario_type: Literal["agentic-coding"]


class FixedSingleRow(SweepRow, Fixed, Single):
    """Fixed lengths on one node."""

    disagg: Literal[False] = False


class FixedMultiRow(SweepRow, Fixed, Multi):
    """Fixed lengths over several nodes; `eval_all_concs` evaluates every concurrency in turn."""

    eval_all_concs: bool | None = None


class AgenticSingleRow(SweepRow, Agentic, Single):
    """Agent sessions on one node."""


class AgenticMultiRow(SweepRow, Agentic, Multi):
    """Agent sessions over several nodes."""


Row = FixedSingleRow | FixedMultiRow | AgenticSingleRow | AgenticMultiRow


class Evaluation(KebabValue):
    """A check of answers: the program that runs it, and its suite; no suite is GSM8K."""

    framework: str
    suite: str


class Point(KebabValue):
    """One concurrency of a row.

    `scenario` is `agentic`, or input and output lengths: `8k1k`, `1000_200`. `recipe` is where the
    server's configuration stands, and absent where the row names none. A point that is not
    `measured` is there for its evaluations only.
    """

    config_key: str
    scenario: str
    runner: str
    recipe: str | None = None
    concurrency: Positive
    measured: bool
    evaluations: tuple[Evaluation, ...] = ()
