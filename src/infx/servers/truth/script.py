"""What one truth server is told at its start."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from infx.errors import InputError, Problem, nearest
from infx.servers.truth.fault import Fault

Dialect = Literal["vllm", "sglang"]
RoleChunk = Literal["admission", "first-token", "none"]

DIALECTS: tuple[Dialect, ...] = ("vllm", "sglang")
ROLE_CHUNKS: tuple[RoleChunk, ...] = ("admission", "first-token", "none")


@dataclass(frozen=True, slots=True)
class EngineModel:
    """The figures of engine mode; `engine` states the formula that they enter.

    `prefill_rate` is in prompt tokens a second over all requests, `kv_tokens` the size of the KV
    pool, `block_size` the tokens of one block of the prefix cache.
    """

    slots: int = 64
    prefill_rate: float = 20_000.0
    step_base_s: float = 0.005
    step_per_sequence_s: float = 0.0001
    block_size: int = 16
    kv_tokens: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Script:
    """Everything that decides what a server answers and when.

    `ttft_s` and `itl_s` are seconds of scripted timing, `engine` replaces them. `default_tokens`
    is generated when a request states no limit. `role_chunk` says when the chat chunk that only
    has a role is sent: at admission, in one write with the first token, or never.
    `reasoning_share` of the tokens of a chat answer come first, as `reasoning_content`.
    `faults` strike the requests that they name; `fault_seed` decides what they leave to chance.
    Raises InputError for figures that no server can have, all at once.
    """

    model: str = "truth"
    api_key: str | None = None
    ttft_s: float = 0.05
    itl_s: float = 0.005
    tokens_per_chunk: int = 1
    events_per_write: int = 1
    role_chunk: RoleChunk = "first-token"
    reasoning_share: float = 0.0
    template_tokens: int = 7
    tokens_per_word: float = 1.0
    default_tokens: int = 128
    dialect: Dialect = "vllm"
    engine: EngineModel | None = None
    faults: tuple[Fault, ...] = ()
    fault_seed: int = 0

    def __post_init__(self) -> None:
        problems = [*_problems(self), *(_engine_problems(self.engine) if self.engine else ())]
        if self.engine and self.events_per_write != 1:
            problems.append(Problem("an engine writes once a step; leave events-per-write at 1"))
        if problems:
            raise InputError(*problems)


def _problems(script: Script) -> Iterator[Problem]:
    if not script.model:
        yield Problem("the model name is empty")
    counts = {
        "tokens-per-chunk": script.tokens_per_chunk,
        "events-per-write": script.events_per_write,
        "default-tokens": script.default_tokens,
    }
    yield from (
        Problem(f"{name} is {n}, at least 1 is needed") for name, n in counts.items() if n < 1
    )
    amounts = {
        "ttft": script.ttft_s,
        "itl": script.itl_s,
        "template-tokens": script.template_tokens,
    }
    yield from (Problem(f"{name} is {x}, below 0") for name, x in amounts.items() if not x >= 0)
    if not script.tokens_per_word > 0:
        yield Problem(f"tokens-per-word is {script.tokens_per_word}, above 0 is needed")
    if not 0 <= script.reasoning_share <= 1:
        yield Problem(f"reasoning-share is {script.reasoning_share}, outside 0 to 1")
    if script.role_chunk not in ROLE_CHUNKS:
        yield Problem(
            f"unknown role chunk {script.role_chunk}; {nearest(script.role_chunk, ROLE_CHUNKS)}"
        )
    if script.dialect not in DIALECTS:
        yield Problem(f"unknown dialect {script.dialect}; {nearest(script.dialect, DIALECTS)}")


def _engine_problems(engine: EngineModel) -> Iterator[Problem]:
    above = {
        "slots": engine.slots,
        "prefill-rate": engine.prefill_rate,
        "block-size": engine.block_size,
        "kv-tokens": engine.kv_tokens,
    }
    yield from (
        Problem(f"{name} is {x}, above 0 is needed") for name, x in above.items() if not x > 0
    )
    costs = {"step-base": engine.step_base_s, "step-per-sequence": engine.step_per_sequence_s}
    yield from (Problem(f"{name} is {x}, below 0") for name, x in costs.items() if not x >= 0)
    if engine.step_base_s + engine.step_per_sequence_s == 0:
        yield Problem("a decode step takes no time; state step-base or step-per-sequence")
