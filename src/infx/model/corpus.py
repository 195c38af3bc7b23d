"""What a corpus of traces is like, in numbers."""

from pydantic import Field

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
