"""What a role changes in its model's configuration, and whether the model computes less by it.

A faster way to the same computation is fine; fewer layers, heads, experts or attended tokens than
the checkpoint has is not. Overrides are read in every spelling that engines take: `--x v`, `--x=v`,
a mapping of the recipe, JSON in a string, parts by dotted names, and nested configurations.
"""

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from pydantic import JsonValue

from infx.model.architecture import ConfigurationOverride, LossyUse, Meaning, Standing
from infx.model.setting_registry import ArchitectureKey, ArchitectureRegistry, LossySetting
from infx.recipes.binding import Binding
from infx.recipes.draft_engines import DRAFT_ENGINES
from infx.recipes.settings import (
    Setting,
    engine_of,
    is_on,
    role_settings,
    stated,
    statements_of,
    where,
)

Native = Mapping[str, JsonValue] | None
"""A checkpoint's own configuration, None where it is not known."""

ABSENT = object()


def configuration_overrides(
    binding: Binding, role: str, registry: ArchitectureRegistry, native: Native = None
) -> tuple[ConfigurationOverride, ...]:
    """Return every key that a role overrides, the statements that count last.

    An empty override changes nothing and gives nothing. Text that is no object is one whose keys
    nobody can tell: it is open under the name of the setting.
    """
    engine = engine_of(binding, role) or ""
    found: list[ConfigurationOverride] = []
    for name in registry.override_settings.get(engine, ()):
        statements = statements_of(binding, role, name)
        whole = [one for one in statements if "." not in one.spelling]
        for one in statements:
            counts = one is whole[-1] if one in whole else True
            for path, value in _keys(one, registry):
                row = _row(path, registry)
                own = _native(path, registry, native)
                meaning, because = _meaning(path, value, row, own, known=native is not None)
                found.append(
                    ConfigurationOverride(
                        role=role,
                        setting=one.spelling.lstrip("-").partition(".")[0],
                        key=".".join(path),
                        value=value,
                        native=None if own is ABSENT else own,  # type: ignore[arg-type]
                        native_known=native is not None,
                        standing=_standing(row),
                        meaning=meaning,
                        because=because,
                        counts=counts,
                        reaches_draft=_reaches_draft(binding, role, registry),
                        where=where(binding, one.path),
                    )
                )
    return tuple(found)


def lossy_uses(binding: Binding, role: str, registry: ArchitectureRegistry) -> tuple[LossyUse, ...]:
    """Return the settings with which a role computes or accepts less than its model would."""
    engine = engine_of(binding, role) or ""
    settings = role_settings(binding, role)
    found: list[LossyUse] = []
    for row in registry.settings:
        if not fnmatchcase(engine, row.engine):
            continue
        for name in settings:
            one = stated(settings, name)
            if one is None or not fnmatchcase(name, row.setting) or not _is_refused(one, row):
                continue
            if row.on and not is_on(settings, name):
                continue
            found.append(
                LossyUse(
                    role=role,
                    setting=one.spelling,
                    value=one.value,
                    because=row.because,
                    where=where(binding, one.path),
                )
            )
    return tuple(found)


def _is_refused(one: Setting, row: LossySetting) -> bool:
    if row.below is None:
        return one.value is not False
    number = _number(one.value)
    # What is no number is no proof that nothing is lost.
    return number is None or number < float(row.below)


def _reaches_draft(binding: Binding, role: str, registry: ArchitectureRegistry) -> bool:
    engine = engine_of(binding, role) or ""
    names = DRAFT_ENGINES.get(engine)
    if names is None or engine not in registry.draft_shares:
        return False
    return stated(role_settings(binding, role), *names.method) is not None


def _keys(
    one: Setting, registry: ArchitectureRegistry
) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """Yield the path and value of each key that a statement overrides."""
    start = tuple(one.spelling.split("."))[1:]
    value = one.value
    if start and isinstance(value, str):
        value = _scalar(value)
    if not start and not isinstance(value, Mapping):
        if value is not None:
            yield (), value
        return
    yield from _flat(start, value, registry)


def _flat(
    path: tuple[str, ...], value: JsonValue, registry: ArchitectureRegistry
) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    if isinstance(value, Mapping) and (not path or path[-1] in registry.nested):
        for key, inner in value.items():
            yield from _flat((*path, key), inner, registry)
    else:
        yield path, value


def _scalar(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return {"true": True, "false": False, "none": None}.get(text.lower(), text)
    return value


def _meaning(
    path: tuple[str, ...],
    value: JsonValue,
    row: ArchitectureKey | None,
    own: object,
    *,
    known: bool,
) -> tuple[Meaning, str]:
    if not path:
        return "open", "it is no JSON object, so its keys cannot be told"
    if known and own is not ABSENT and _equal(own, value):
        return "native", "the checkpoint has the same value"
    if row is None:
        return "open", f"{path[-1]} is not listed, so a human has to look"
    if row.rule == "allow":
        return "allowed", row.because
    if row.rule == "deny":
        return "less", row.because
    return _compared(value, own, row, known=known)


def _row(path: tuple[str, ...], registry: ArchitectureRegistry) -> ArchitectureKey | None:
    """Return the row of a key; a part of a listed key, as of `rope_scaling`, is that key."""
    listed = {one.key: one for one in registry.keys}
    return next((listed[name] for name in path if name in listed), None)


def _standing(row: ArchitectureKey | None) -> Standing:
    if row is None:
        return "unlisted"
    if row.refused is None:
        return "deny" if row.rule == "deny" else "allow"
    return "compare-lower" if row.refused == "lower" else "compare-higher"


def _compared(
    value: JsonValue, own: object, row: ArchitectureKey, *, known: bool
) -> tuple[Meaning, str]:
    if not known:
        return "open", f"{row.because} if it is {row.refused} than the native value: not known"
    number = _number(value)
    if number is None:
        return "open", f"{value!r} is no number, so it cannot be compared"
    if own is ABSENT or own is None:
        # A limit where there was none; a step of one is no step.
        least = row.refused == "higher" and number <= 1
        return ("native", "natively there is no such step") if least else ("less", row.because)
    native = _number(own)
    if native is None:
        return "open", f"the native value {own!r} is no number, so it cannot be compared"
    less = number < native if row.refused == "lower" else number > native
    return ("less", row.because) if less else ("allowed", f"natively it is {native:g}")


def _native(path: tuple[str, ...], registry: ArchitectureRegistry, native: Native) -> object:
    """Return the checkpoint's own value of a key, ABSENT where it has none.

    Engines look for a key in the configuration of the part of the model that serves text too.
    """
    if native is None or not path:
        return ABSENT
    starts: list[tuple[str, ...]] = [path]
    starts += [(name, *path) for name in registry.nested]
    starts += [path[1:]] if path[0] in registry.nested and len(path) > 1 else []
    for start in starts:
        value: object = native
        for key in start:
            value = value.get(key, ABSENT) if isinstance(value, Mapping) else ABSENT
        if value is not ABSENT:
            return value
    return ABSENT


def _equal(one: object, other: object) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


def _number(value: object) -> float | None:
    """Return a value as a number where an engine would read it as one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
