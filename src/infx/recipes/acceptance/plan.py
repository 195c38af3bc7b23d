"""What golden acceptance does to a bound recipe: simulate one looked-up length, or verify for real.

Acceptance is simulated for an agentic point that is no eval and speculates. The role that
generates defines the length; other roles of the same engine that speculate get it too. Everywhere
else whatever a recipe says of simulation is taken out, so that no eval runs on invented tokens.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from importlib import import_module
from typing import Protocol, cast

from pydantic import JsonValue

from infx.errors import InputError, Problem, nearest
from infx.model.acceptance import Cell, Curve
from infx.recipes.acceptance import ENGINES, curves, naming
from infx.recipes.acceptance.role import (
    Injection,
    Role,
    Speculation,
    Stated,
    Where,
    unknown_place,
)

ROLES = ("agg", "prefill", "decode")


class Engine(Protocol):
    """What a module of an engine defines."""

    ENVIRONMENT: tuple[str, ...]

    def read(self, role: Role) -> Speculation | None:
        """Say how a role speculates."""

    def force(self, role: Role, al: Decimal) -> Injection:
        """Make a role accept a length."""

    def release(self, role: Role) -> Injection:
        """Make a role verify for real."""

    def stated(self, role: Role) -> Iterator[Stated]:
        """Say which lengths a role has of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What of a point decides about its acceptance.

    `thinking` is `thinking_on` or `thinking_off`, None where nobody said; it is needed only when
    acceptance is simulated. `spec_decoding` is the value of the catalog's row.
    """

    model_prefix: str
    thinking: str | None
    agentic: bool = True
    eval_only: bool = False
    spec_decoding: str = "mtp"

    def reason_against(self) -> str | None:
        """Say why this point verifies for real, None when nothing speaks against simulation."""
        if self.eval_only:
            return "an eval verifies for real"
        if not self.agentic:
            return "only agentic points simulate acceptance"
        if self.spec_decoding == "none":
            return "the point does not speculate: spec-decoding is none"
        return None


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done to each role, and why.

    `cell` is the golden length, None where acceptance is real, and then `reason` says why.
    `unset_environment` names variables of the recipe's own environment: they would hide those of
    the roles. `stated` are the lengths that the recipe has itself: facts for review, never used.
    """

    cell: Cell | None
    reason: str | None
    roles: Mapping[str, Injection] = field(default_factory=dict)
    unset_environment: tuple[str, ...] = ()
    stated: tuple[Stated, ...] = ()

    def paths(self) -> Iterator[tuple[str, ...]]:
        """Yield the path of everything that is set."""
        for name, injection in self.roles.items():
            yield from (("roles", name, "args", key) for key in injection.set_args)
            yield from (("roles", name, "env", key) for key in injection.set_env)


def plan(
    tree: Mapping[str, JsonValue],
    conditions: Conditions,
    golden: Mapping[str, Curve],
    *,
    where: Where = unknown_place,
) -> Plan:
    """Return what golden acceptance does to a recipe of schema 2.

    Raises InputError when acceptance is to be simulated and no golden length can be told: no
    curve, mode or cell, a bad draft length, an engine without a way to simulate it.
    """
    roles = read_roles(tree, where)
    cell, reason = _decide(roles, conditions, golden, where)
    generation = generating(roles)
    found = {
        name: _injection(role, cell if generation and role.engine == generation.engine else None)
        for name, role in roles.items()
    }
    shared = tree.get("environment")
    variables = simulation_variables()
    return Plan(
        cell=cell,
        reason=reason,
        roles=found,
        unset_environment=tuple(
            name for name in variables if isinstance(shared, dict) and name in shared
        ),
        stated=tuple(one for role in roles.values() for one in _stated(role)),
    )


def read_roles(tree: Mapping[str, JsonValue], where: Where = unknown_place) -> dict[str, Role]:
    """Return the roles of a recipe that run an engine, by name."""
    found = {}
    stated = tree.get("roles")
    for name in ROLES:
        role = stated.get(name) if isinstance(stated, dict) else None
        if isinstance(role, dict):
            found[name] = Role(
                name=name,
                engine=_engine(role.get("engine") or tree.get("engine")),
                args=_mapping(role.get("args")),
                env=_mapping(role.get("env")),
                where=where,
                engine_path=("roles", name, "engine") if role.get("engine") else ("engine",),
            )
    return found


def generating(roles: Mapping[str, Role]) -> Role | None:
    """Return the role that generates tokens: decode where there is one, else agg."""
    return roles.get("decode") or roles.get("agg")


def speculation(role: Role) -> Speculation | None:
    """Return how a role speculates, None when it does not.

    Raises InputError when the role's arguments contradict each other or miss a length, and for an
    engine whose arguments nobody can read here.
    """
    engine = _adapter(role)
    if engine is None:
        raise InputError(
            Problem(
                f"roles.{role.name}: acceptance cannot be simulated for the engine {role.engine}",
                role.where(*role.engine_path),
                nearest(role.engine, ENGINES),
            )
        )
    return engine.read(role)


def simulation_variables() -> tuple[str, ...]:
    """Return every variable by which any engine simulates acceptance."""
    return tuple(name for path in ENGINES.values() for name in _module(path).ENVIRONMENT)


def _decide(
    roles: Mapping[str, Role],
    conditions: Conditions,
    golden: Mapping[str, Curve],
    where: Where,
) -> tuple[Cell | None, str | None]:
    """Return the golden cell, or why acceptance is real."""
    against = conditions.reason_against()
    if against:
        return None, against
    generation = generating(roles)
    if generation is None:
        raise InputError(
            Problem(
                "no role of the recipe generates tokens",
                where("roles"),
                "a recipe has the role agg, or prefill and decode",
            )
        )
    found, problems = _read(generation)
    if found is None and not problems:
        return None, f"the role {generation.name} does not speculate"
    others = [role for role in roles.values() if role is not generation]
    for role in others:
        problems += _read(role)[1] if role.engine == generation.engine else ()
    if conditions.thinking is None:
        problems.append(
            Problem(
                "nobody says whether the model thinks, and golden acceptance depends on it",
                found.where if found else generation.at("args"),
                "state THINKING_MODE as thinking_on or thinking_off, or ask with --thinking",
            )
        )
    if problems or found is None or conditions.thinking is None:
        raise InputError(*problems)
    name = naming.curve_name(conditions.model_prefix, found)
    cell = curves.find(
        golden, name, thinking=conditions.thinking, length=found.length, where=found.where
    )
    return cell, None


def _read(role: Role) -> tuple[Speculation | None, list[Problem]]:
    """Return how a role speculates, or what keeps that from being told."""
    try:
        return speculation(role), []
    except InputError as error:
        return None, list(error.problems)


def _injection(role: Role, cell: Cell | None) -> Injection:
    """Return what is done to one role, stale variables of any engine included."""
    engine = _adapter(role)
    injection = Injection()
    if engine is not None:
        forced = cell is not None and engine.read(role) is not None
        injection = engine.force(role, cell.al) if cell and forced else engine.release(role)
    stale = (name for name in simulation_variables() if name in role.env)
    return replace(
        injection, unset_env=tuple(name for name in stale if name not in injection.set_env)
    )


def _stated(role: Role) -> Iterator[Stated]:
    engine = _adapter(role)
    return iter(()) if engine is None else engine.stated(role)


def _adapter(role: Role) -> Engine | None:
    path = ENGINES.get(role.engine)
    return None if path is None else _module(path)


def _module(path: str) -> Engine:
    return cast(Engine, import_module(path))


def _engine(value: JsonValue) -> str:
    kind = value.get("type") if isinstance(value, dict) else value
    return kind if isinstance(kind, str) else "unknown"


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}
