"""ATOM: acceptance is simulated by one argument of the role, which is the length itself.

ATOM's DSpark drafts by probabilistic sampling and verifies blocks. Its confidence scheduler sizes
each request's verification at run time and can stay below the forced length unseen; the golden
curves were measured without it.
"""

import json
from collections.abc import Iterator
from decimal import Decimal

from infx.recipes.acceptance.role import (
    Injection,
    Role,
    Speculation,
    Stated,
    compact,
    draft_length,
)
from infx.recipes.acceptance.role import stated as stated_at

ENVIRONMENT: tuple[str, ...] = ()

LENGTH = "spec-decode-acceptance-length"
RATE = "spec-decode-acceptance-rate"
"""The same target as a share of the drafts; excludes LENGTH."""


def _spellings(name: str) -> tuple[str, str]:
    return name, name.replace("-", "_")


def read(role: Role) -> Speculation | None:
    """Return how the role speculates."""
    _, method = role.arg("method")
    if not method:
        return None
    name, tokens = role.arg(*_spellings("num-speculative-tokens"))
    dspark = str(method).lower() == "dspark"
    return Speculation(
        method=str(method).lower(),
        length=draft_length(role, name, tokens),
        draft_model=str(role.arg(*_spellings("draft-model"))[1] or ""),
        sampling="probabilistic" if dspark else None,
        where=role.at("args", name),
    )


def force(role: Role, al: Decimal) -> Injection:
    """Return what makes the role accept `al` tokens a step.

    Raises InputError when the confidence scheduler is on.
    """
    name, raw = role.arg(*_spellings("dspark-config"))
    try:
        config = json.loads(raw) if isinstance(raw, str) else raw
    except json.JSONDecodeError as error:
        raise role.refusal(
            f"{name} is not JSON: {error.msg}", ("args", name), "write one JSON object"
        ) from None
    if isinstance(config, dict) and config.get("confidence_schedule") not in (None, False):
        raise role.refusal(
            "acceptance cannot be simulated under DSpark's confidence scheduler",
            ("args", name),
            "set confidence_schedule to false",
        )
    others = [other for other in _simulation(role) if other != LENGTH]
    return Injection(set_args={LENGTH: json.loads(compact(al))}, unset_args=tuple(others))


def release(role: Role) -> Injection:
    """Return what makes the role verify for real."""
    return Injection(unset_args=tuple(_simulation(role)))


def stated(role: Role) -> Iterator[Stated]:
    """Yield the length that the role has of its own."""
    name, value = role.arg(*_spellings(LENGTH))
    if value is not None:
        yield stated_at(role, ("args", name), value)


def _simulation(role: Role) -> list[str]:
    names = (*_spellings(LENGTH), *_spellings(RATE))
    return [name for name in names if name in role.args]
