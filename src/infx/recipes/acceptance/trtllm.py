"""TensorRT-LLM: one variable of the role says how many draft tokens are accepted.

The target's own token is not counted there, so the variable is the acceptance length minus one.
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

ACCEPTED = "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"
ENVIRONMENT = (ACCEPTED,)

CONFIG = "speculative_config"
LENGTHS = ("max_draft_len", "num_nextn_predict_layers")
"""The second is the older name of the first, for MTP heads."""


def read(role: Role) -> Speculation | None:
    """Return how the role speculates; raises InputError when its two lengths differ."""
    config = role.args.get(CONFIG)
    if not config:
        return None
    where = ("args", CONFIG)
    if not isinstance(config, dict):
        raise role.refusal(f"{CONFIG} is not a mapping", where, "write its members as a mapping")
    method = config.get("decoding_type")
    if not isinstance(method, str):
        raise role.refusal(f"{CONFIG} states no decoding_type", where, "add decoding_type")
    named = [name for name in LENGTHS if config.get(name) is not None] or [LENGTHS[0]]
    lengths = {draft_length(role, f"{CONFIG}.{name}", config.get(name)) for name in named}
    if len(lengths) > 1:
        stated = " and ".join(f"{name} is {config[name]}" for name in named)
        raise role.refusal(f"{CONFIG}.{stated}", where, "keep one of them")
    draft = config.get("speculative_model") or config.get("speculative_model_dir")
    return Speculation(
        method=method.lower(),
        length=lengths.pop(),
        draft_model=str(draft or ""),
        where=role.at(*where, named[0]),
    )


def force(role: Role, al: Decimal) -> Injection:
    """Return what makes the role accept `al` tokens a step, its own one included."""
    return Injection(set_env={ACCEPTED: compact(al - 1)})


def release(role: Role) -> Injection:
    """Return what makes the role verify for real: nothing but its variable gone."""
    return Injection()


def stated(role: Role) -> Iterator[Stated]:
    """Yield the length that the role has of its own."""
    return stated_env(role, ACCEPTED, plus=1)
