"""TileRT: acceptance is simulated by two variables of the decode role.

Prefill is another engine's, and so its first token and draft cache stay real.
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

LENGTH = "TILERT_SIMULATE_ACC_LEN"
METHOD = "TILERT_SIMULATE_ACC_METHOD"
ENVIRONMENT = (LENGTH, METHOD)


def read(role: Role) -> Speculation | None:
    """Return how the role speculates."""
    if role.args.get("with-mtp") is not True:
        return None
    length = draft_length(role, "num-mtp", role.args.get("num-mtp"))
    return Speculation(method="mtp", length=length, where=role.at("args", "num-mtp"))


def force(role: Role, al: Decimal) -> Injection:
    """Return what makes the role accept `al` tokens a step."""
    return Injection(set_env={LENGTH: compact(al), METHOD: "match-expected"})


def release(role: Role) -> Injection:
    """Return what makes the role verify for real: nothing but its variables gone."""
    return Injection()


def stated(role: Role) -> Iterator[Stated]:
    """Yield the length that the role has of its own."""
    return stated_env(role, LENGTH)
