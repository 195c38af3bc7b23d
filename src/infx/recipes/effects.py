"""What a setting is in the end: stated, forced, inherited, or the engine's default."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal

from pydantic import JsonValue

from infx.recipes.engine_rules import ENGINE_RULES
from infx.recipes.engine_rules.rule import UNSET, Rule, Source
from infx.recipes.settings import Settings, stated
from infx.recipes.topology import whole

How = Literal["stated", "forced", "inherited", "default"]
Facts = Mapping[str, JsonValue]
"""What stands outside a role's settings and decides with them: `gpu`, `role`."""


@dataclass(frozen=True, slots=True)
class Effective:
    """What a setting is, and who decided it.

    `certain` is False when the image, the checkpoint or the device may decide otherwise. `source`
    is None for what the recipe states. `parent` is the setting that an inherited value is from.
    """

    setting: str
    value: JsonValue
    how: How
    certain: bool = True
    because: str = ""
    source: Source | None = None
    parent: str | None = None


def rules_of(engine: str | None) -> tuple[Rule, ...]:
    """Return the rules of an engine, none for engines that have none."""
    module = ENGINE_RULES.get(engine or "")
    rules: tuple[Rule, ...] = import_module(module).RULES if module else ()
    return rules


def effective(
    setting: str,
    settings: Settings,
    *,
    rules: tuple[Rule, ...],
    facts: Facts,
) -> Effective | None:
    """Return what `setting` is; None when nobody states it and no rule decides it."""
    if setting in facts:
        return Effective(setting, facts[setting], "stated")
    own = stated(settings, setting)
    certain = True
    for rule in rules:
        if rule.setting != setting or (own is not None and not rule.forced):
            continue
        holds, sure = _holds(rule, settings, rules=rules, facts=facts)
        certain = certain and sure
        if not holds:
            continue
        found = _apply(rule, settings, rules=rules, facts=facts)
        if found is not None:
            return replace(found, certain=certain and found.certain)
    if own is None:
        return None
    return Effective(setting, own.value, "stated", certain)


def _holds(
    rule: Rule, settings: Settings, *, rules: tuple[Rule, ...], facts: Facts
) -> tuple[bool, bool]:
    """Say whether a rule's conditions hold, and whether that is certain."""
    certain = True
    for name, values in rule.when.items():
        found = effective(name, settings, rules=rules, facts=facts)
        value = UNSET if found is None else found.value
        # What nobody states but some rule may decide is open, not absent.
        sure = found.certain if found else all(one.setting != name for one in rules)
        if value not in values:
            return False, sure
        certain = certain and sure
    return True, certain


def _apply(
    rule: Rule, settings: Settings, *, rules: tuple[Rule, ...], facts: Facts
) -> Effective | None:
    """Return what a rule decides; None when what it inherits is not known."""
    how: How = "forced" if rule.forced else "inherited" if rule.same_as else "default"
    value, certain = rule.value, rule.certain
    if rule.same_as is not None:
        parent = effective(rule.same_as, settings, rules=rules, facts=facts)
        if parent is None:
            return None
        value, certain = parent.value, certain and parent.certain
        count = whole(value)
        if rule.plus:
            if count is None:
                return None
            value = count + rule.plus
    if rule.at_most is not None:
        cap = effective(rule.at_most, settings, rules=rules, facts=facts)
        least = None if cap is None else whole(cap.value)
        if least is not None and isinstance(value, int):
            value = min(value, least)
    return Effective(rule.setting, value, how, certain, rule.because, rule.source, rule.same_as)


def decided(rules: tuple[Rule, ...]) -> Iterator[str]:
    """Yield each setting that some rule decides, once, in the order of the rules."""
    yield from dict.fromkeys(rule.setting for rule in rules)
