"""Rows that the public benchmark publishes of fixed sequences and of evals, as far as we read them.

They have more keys than these. A figure is whatever JSON the row has in its place: whether it is
evidence is judged, not assumed.
"""

from pydantic import ConfigDict, JsonValue

from infx.model.value import Value


class _Row(Value):
    model_config = ConfigDict(extra="ignore")

    hw: str
    infmax_model_prefix: str
    framework: str
    precision: str
    conc: int
    model: str | None = None
    spec_decoding: str | None = None
    image: str | None = None
    disagg: bool | None = None
    is_multinode: bool | None = None
    isl: int | None = None
    osl: int | None = None
    tp: int | None = None
    ep: int | None = None
    recipe_fingerprint: str | None = None


class FixedRow(_Row):
    """A point of requests of fixed lengths. Times are seconds, throughput is tokens/s per GPU.

    Figures and sizes beside the declared ones are kept as they stand, in `figures`.
    """

    model_config = ConfigDict(extra="allow")

    isl: int
    osl: int
    tput_per_gpu: JsonValue = None
    median_e2el: JsonValue = None
    median_intvty: JsonValue = None

    @property
    def figures(self) -> dict[str, JsonValue]:
        """Everything that the row says, by its own names."""
        return self.model_dump(mode="json")


class EvalRow(_Row):
    """One task of an eval: its score, and how many samples counted (`n_eff`).

    `score_se` may be the text `N/A`. Concurrencies of a batch are lists beside `conc`.
    """

    task: str
    eval_suite: str | None = None
    score: JsonValue = None
    score_name: str | None = None
    score_se: JsonValue = None
    em_strict: JsonValue = None
    em_flexible: JsonValue = None
    n_eff: int | None = None
    infrastructure_success: bool | None = None
    integration_error: str | None = None
    source: str | None = None
    eval_concs: tuple[int, ...] | None = None
    completed_eval_concs: tuple[int, ...] | None = None
    failed_eval_concs: tuple[int, ...] | None = None
