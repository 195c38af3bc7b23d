"""SGLang: acceptance is simulated by three variables of the role.

With `match-expected` the mean is met exactly, and with `real-draft-token` the accepted tokens are
those that the draft proposed, so that the text stays plausible.
"""

from collections.abc import Iterator
from decimal import Decimal

from infx.recipes.acceptance.role import (
    Injection,
    Role,
    Speculation,
    Stated,
    compact,
    draft_length,
    stated_env,
)

LENGTH = "SGLANG_SIMULATE_ACC_LEN"
METHOD = "SGLANG_SIMULATE_ACC_METHOD"
TOKENS = "SGLANG_SIMULATE_ACC_TOKEN_MODE"
ENVIRONMENT = (LENGTH, METHOD, TOKENS)

BLOCK = {
    "dspark": ("speculative-dspark-block-size", 0),
    "dflash": ("speculative-num-draft-tokens", 1),
}
"""Methods that draft in blocks: the argument that states the block, and what of it is no draft.

A DFlash block begins with the target's own token; DSpark's block size counts drafts only.
"""


def read(role: Role) -> Speculation | None:
    """Return how the role speculates; raises InputError when it says so twice or without length."""
    _, algorithm = role.arg("speculative-algorithm", "speculative-algo")
    if not algorithm:
        return None
    method = str(algorithm).lower()
    _, draft = role.arg("speculative-draft-model-path", "speculative-draft-model")
    name, minus = BLOCK.get(method, ("speculative-num-steps", 0))
    return Speculation(
        method=method,
        length=draft_length(role, name, role.args.get(name), minus=minus),
        draft_model=str(draft or ""),
        where=role.at("args", name),
    )


def force(role: Role, al: Decimal) -> Injection:
    """Return what makes the role accept `al` tokens a step."""
    return Injection(
        set_env={LENGTH: compact(al), METHOD: "match-expected", TOKENS: "real-draft-token"}
    )


def release(role: Role) -> Injection:
    """Return what makes the role verify for real: nothing but its variables gone."""
    return Injection()


def stated(role: Role) -> Iterator[Stated]:
    """Yield the lengths that the role has of its own."""
    return stated_env(role, LENGTH)
