"""Rows that the public benchmark publishes of fixed sequences and of evals, as far as we read them.

They have more keys than these. A figure is whatever JSON the row has in its place: whether it is
evidence is judged, not assumed.
"""

from collections.abc import Mapping

from pydantic import ConfigDict, JsonValue

from infx.model.value import Value

ROLES = ("prefill", "decode")
THROUGHPUTS: Mapping[str, tuple[str, str | None]] = {
    "total_throughput": ("tput_per_gpu", None),
    "output_throughput": ("output_tput_per_gpu", "decode"),
    "input_throughput": ("input_tput_per_gpu", "prefill"),
}
"""Our metric of a whole point to what a row calls its share, and the role that shares it."""


class Accelerators(Value):
    """How many accelerators a row counts: all of them, and those of a role, 0 where it has none.

    A row shares out the tokens of a role among the accelerators of that role, where it has any;
    those of a single node among all. Source: the reference page, 4.3.
    """

    total: int
    prefill: int = 0
    decode: int = 0

    def sharing(self, role: str | None) -> int:
        """Return how many share the throughput of a role, or of the whole point."""
        of_role = {"prefill": self.prefill, "decode": self.decode}
        return of_role.get(role or "", 0) or self.total


def accelerators(said: Mapping[str, JsonValue]) -> Accelerators | None:
    """Count the accelerators of a row, None where it says too little.

    Those of a single node are `tp` by `pp` by `pcp_size`: expert and decode context parallelism
    add none. Several nodes state those of each role.
    """
    pools = {role: whole(said.get(f"num_{role}_gpu"), least=0) for role in ROLES}
    several = said.get("is_multinode")
    if several is not False and any(pools.values()):
        prefill, decode = pools["prefill"], pools["decode"]
        if prefill is None or decode is None:
            return None
        return Accelerators(total=prefill + decode, prefill=prefill, decode=decode)
    tp = whole(said.get("tp"))
    if several or tp is None:
        return None
    return Accelerators(
        total=tp * (whole(said.get("pp")) or 1) * (whole(said.get("pcp_size")) or 1)
    )


def whole(value: JsonValue, *, least: int = 1) -> int | None:
    """Return a size that is a whole number from `least` on, and nothing for any other."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        return None
    return value


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
