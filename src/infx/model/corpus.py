"""What a corpus of traces is like, in numbers."""

from pydantic import Field, model_validator

from infx.model.value import Value


class Bin(Value):
    """How many values are at least `low` and below `high`."""

    low: float
    high: float
    count: int


class Distribution(Value):
    """Observations in `unit`: their number, spread, and counts in bins that grow by 1, 2, 5, 10."""

    unit: str
    n: int
    mean: float
    least: float
    p50: float
    p75: float
    p90: float
    p99: float
    most: float
    bins: tuple[Bin, ...]


class CorpusDescription(Value):
    """The sizes, times and theoretical cache hits of a corpus.

    `streams` counts by kind. `hit_rate` is the blocks that an infinite cache for each trace would
    know over all blocks; None where prompts have no blocks. `distributions` are by name; one whose
    facts the corpus does not record is left out.
    """

    traces: int
    requests: int
    streams: dict[str, int]
    depth: int
    background: int
    dropped_subagents: int
    too_long: int
    rows_skipped: int
    input_tokens: int | None
    output_tokens: int | None
    hit_rate: float | None
    models: tuple[str, ...]
    distributions: dict[str, Distribution] = Field(default_factory=dict)


class Skewed(Value):
    """A lognormal distribution, by its mean and its median, which is below the mean."""

    mean: float = Field(gt=0)
    median: float = Field(gt=0)

    @model_validator(mode="after")
    def _is_skewed(self) -> "Skewed":
        if self.mean < self.median:
            raise ValueError("the mean of a lognormal distribution is not below its median")
        return self


class SyntheticCorpus(Value):
    """All that a synthetic corpus of coding sessions follows from; equal values, equal bytes.

    A prompt begins with layers: tools and system prompt, the same in all sessions; what a group of
    sessions shares, groups drawn with weights 1/rank^zipf; and the session's own project. Each turn
    then adds the answer before it and `new_input`. Pauses are an agent's, or with the share left
    over a person's. After a turn the context may be compacted to the layers and a summary, with a
    chance that grows from `reset` to `reset_growth` times that as the prompt nears `max_prompt`,
    beyond which it always is. Lengths are in tokens and made of whole blocks; pauses in seconds.

    After a turn a session may `fan_out` to 1 up to `fan_out_most` subagents at once, whose prompts
    begin with `subagent_layer`. The session waits for them, or with the chance `background` goes on
    at once. After any of its turns but the first and the last, a subagent may (`nested`) part its
    work among three unlabelled workers, whose prompts begin as its own does.
    """

    traces: int = Field(default=100, gt=0)
    seed: int = 42
    block_tokens: int = Field(default=64, gt=0)
    global_layer: int = Field(default=32_000, ge=0)
    group_layer: int = Field(default=20_000, ge=0)
    groups: int = Field(default=50, gt=0)
    zipf: float = Field(default=1.2, ge=0)
    session_layer: Skewed = Skewed(mean=10_000, median=5_000)
    new_input: Skewed = Skewed(mean=3_500, median=1_800)
    output: Skewed = Skewed(mean=500, median=300)
    max_output: int = Field(default=32_000, gt=0)
    agent_share: float = Field(default=0.7, ge=0, le=1)
    agent_pause: Skewed = Skewed(mean=2.5, median=1.8)
    human_pause: Skewed = Skewed(mean=40, median=25)
    reset: float = Field(default=0.02, ge=0, le=1)
    reset_growth: float = Field(default=2, ge=1)
    max_prompt: int = Field(default=200_000, gt=0)
    turns: Skewed = Skewed(mean=145, median=70)
    fan_out: float = Field(default=0.01, ge=0, le=1)
    fan_out_most: int = Field(default=5, gt=0)
    subagent_layer: int = Field(default=12_000, ge=0)
    subagent_turns: Skewed = Skewed(mean=25, median=14)
    background: float = Field(default=0.15, ge=0, le=1)
    nested: float = Field(default=0.01, ge=0, le=1)
    first_token: float = Field(default=0.3, ge=0)
    prefill_rate: float = Field(default=10_000, gt=0)
    decode_rate: float = Field(default=70, gt=0)

    @model_validator(mode="after")
    def _fits(self) -> "SyntheticCorpus":
        least = self.global_layer + self.group_layer + 4 * self.block_tokens
        if max(least, self.subagent_layer + 4 * self.block_tokens) > self.max_prompt:
            raise ValueError("max_prompt has no room for the layers and a turn")
        return self
