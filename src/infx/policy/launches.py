"""Which effective settings of a recipe a published launch does not have, role by role.

Every setting is one of production unless the registry says otherwise: an unknown one must be
published. A launch of one role says nothing of another.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from pydantic import JsonValue

from infx.model.config_facts import Effective, Role, Setting
from infx.model.page_facts import Launch
from infx.model.setting_registry import HarnessRegistry, Kind
from infx.model.verdict import Cite
from infx.recipes.registries import harness_setting
from infx.recipes.settings import canonical

ENGINE_DEFAULT = "engine default"
"""The layer of settings that nobody stated: the pinned engine has them with any launch."""

FRONTEND = "frontend"
"""The role of routers and frontends in a published launch."""

_CLIENT = "benchmark.env."


@dataclass(frozen=True, slots=True)
class Lack:
    """A setting of a role that no launch has, or has with another value.

    `published` is the other value as text, None where the setting is not there at all. A lack
    without a setting says that the launch of the whole role is missing.
    """

    role: str
    setting: str | None
    asked: str | None
    published: str | None
    cite: Cite


def lacks(
    effective: Effective,
    launches: Sequence[Launch],
    *,
    hardware: str | None,
    harness: HarnessRegistry,
    disaggregated: bool,
) -> tuple[Lack, ...]:
    """Return what no launch of the hardware has, at any of the recipe's concurrencies.

    For each concurrency the launch that lacks least is taken, whole: two launches do not add up.
    """
    mine = [one for one in launches if one.hardware is None or one.hardware == hardware]
    found: dict[tuple[str, str | None, str | None], Lack] = {}
    concurrencies = effective.concurrencies or (None,)
    for (name, role), conc in product(effective.roles.items(), concurrencies):
        fitting = [
            one
            for one in mine
            if one.role == name and (not one.concurrencies or conc in one.concurrencies)
        ]
        at = "any concurrency" if conc is None else f"c{conc}"
        place = Cite(path=effective.file, value=f"{name} at {at}")
        tries = [tuple(_role_lacks(name, role, launch, harness)) for launch in fitting]
        for lack in min(tries, key=len, default=(Lack(name, None, None, None, place),)):
            found.setdefault((lack.role, lack.setting, lack.published), lack)
    if disaggregated and effective.frontend and all(one.role != FRONTEND for one in mine):
        place = Cite(path=effective.file, value=effective.frontend)
        found[FRONTEND, None, None] = Lack(FRONTEND, None, None, None, place)
    return tuple(found.values())


def is_excluded(name: str, harness: HarnessRegistry) -> bool:
    """Return whether the registry says why a setting need not be published, by its name alone."""
    if name.startswith(_CLIENT):
        return harness_setting(harness, "client", name.removeprefix(_CLIENT)) is not None
    kinds: tuple[Kind, ...] = ("argument", "environment", "recipe")
    return any(harness_setting(harness, kind, name) is not None for kind in kinds)


def _role_lacks(name: str, role: Role, launch: Launch, harness: HarnessRegistry) -> Iterator[Lack]:
    parts: tuple[tuple[Kind, Mapping[str, Setting], Mapping[str, JsonValue]], ...] = (
        ("argument", role.args, launch.args),
        ("environment", role.env, dict(launch.env)),
    )
    for kind, settings, published in parts:
        engine = role.engine if kind == "argument" else None
        there = {
            leaf: value
            for key, stated in published.items()
            for leaf, value in _leaves(key, stated, engine)
        }
        for key, setting in settings.items():
            if setting.layer == ENGINE_DEFAULT or setting.value is None:
                continue
            for leaf, value in _leaves(key, setting.value, engine):
                if harness_setting(harness, kind, leaf) is None and not _is_in(leaf, value, there):
                    other = _text(there[leaf]) if leaf in there else None
                    yield Lack(name, leaf, _text(value), other, setting.cite)


def _leaves(name: str, value: JsonValue, engine: str | None) -> Iterator[tuple[str, JsonValue]]:
    """Yield a setting by its canonical name, the members of a JSON object apart: `name.member`.

    Without an engine it is a variable, which has one spelling.
    """
    if engine is not None:
        name, value = canonical(name, value, engine)
    whole = _parsed(value)
    if isinstance(whole, dict):
        yield from ((f"{name}.{key}", member) for key, member in whole.items())
    else:
        yield name, whole


def _is_in(name: str, value: JsonValue, there: Mapping[str, JsonValue]) -> bool:
    if name not in there:
        return False
    published = there[name]
    is_placeholder = isinstance(published, str) and published.startswith("$")
    return is_placeholder or _text(published) == _text(value)


def _parsed(value: JsonValue) -> JsonValue:
    """Return the JSON value that a text holds, the text itself where it holds none."""
    if not isinstance(value, str):
        return value
    try:
        parsed: JsonValue = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed


def _text(value: JsonValue) -> str:
    """Return a value as two launches are compared: as canonical text, whatever its JSON type."""
    return json.dumps(_parsed(value), sort_keys=True, separators=(",", ":")).strip('"')
