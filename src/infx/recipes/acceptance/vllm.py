"""vLLM: acceptance is simulated by two members of `speculative-config`.

The argument is one JSON object; it is given back in the form it had, text or mapping, with all
its other members.
"""

import json
from collections.abc import Iterator
from decimal import Decimal

from pydantic import JsonValue

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

SPELLINGS = ("speculative-config", "speculative_config")
METHOD = "rejection_sample_method"
LENGTH = "synthetic_acceptance_length"
RATES = "synthetic_acceptance_rates"
"""Excludes LENGTH: vLLM takes one of them."""


def read(role: Role) -> Speculation | None:
    """Return how the role speculates; raises InputError when its object is none or incomplete."""
    name, config = config_of(role)
    if not config:
        return None
    where = ("args", name)
    method = config.get("method")
    if not isinstance(method, str):
        raise role.refusal(f"{name} states no method", where, 'add "method"')
    sampling = config.get("draft_sample_method")
    tokens = config.get("num_speculative_tokens")
    return Speculation(
        method=method.lower(),
        length=draft_length(role, f"{name}.num_speculative_tokens", tokens),
        draft_model=str(config.get("model") or ""),
        sampling=None if sampling is None else str(sampling),
        where=role.at(*where),
    )


def force(role: Role, al: Decimal) -> Injection:
    """Return what makes the role accept `al` tokens a step."""
    name, config = config_of(role)
    changed = {key: value for key, value in config.items() if key != RATES}
    return _set(role, name, {**changed, METHOD: "synthetic", LENGTH: json.loads(compact(al))})


def release(role: Role) -> Injection:
    """Return what makes the role verify for real: block verification, where it was synthetic."""
    name, config = config_of(role)
    if config.get(METHOD) != "synthetic" and not {LENGTH, RATES} & set(config):
        return Injection()
    kept = {key: value for key, value in config.items() if key not in (LENGTH, RATES)}
    return _set(role, name, {**kept, METHOD: "block"})


def stated(role: Role) -> Iterator[Stated]:
    """Yield the length that the role has of its own."""
    name, config = config_of(role)
    if LENGTH in config:
        yield stated_at(role, ("args", f"{name}.{LENGTH}"), config[LENGTH])


def config_of(role: Role) -> tuple[str, dict[str, JsonValue]]:
    """Return the spelling of the argument and its object, empty where it is absent.

    Raises InputError when it is not JSON, or no object.
    """
    name, raw = role.arg(*SPELLINGS)
    config = raw
    if isinstance(raw, str):
        try:
            config = json.loads(raw)
        except json.JSONDecodeError as error:
            raise role.refusal(
                f"{name} is not JSON: {error.msg} at character {error.pos + 1}",
                ("args", name),
                "write one JSON object",
            ) from None
    if config is None:
        return name, {}
    if not isinstance(config, dict):
        raise role.refusal(f"{name} is not an object", ("args", name), "write one JSON object")
    return name, config


def _set(role: Role, name: str, config: dict[str, JsonValue]) -> Injection:
    as_text = isinstance(role.args[name], str)
    return Injection(
        set_args={name: json.dumps(config, separators=(",", ":")) if as_text else config}
    )
