"""Whether a model thinks: what its scenario's runs are held to, and what its servers are told."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from infx.model.acceptance import Thinking
from infx.model.setting_registry import ThinkingRegistry, ThinkingSetting
from infx.recipes.banned_variables import text_at
from infx.recipes.binding import Binding
from infx.recipes.settings import role_settings, stated, where


@dataclass(frozen=True, slots=True)
class Told:
    """A setting by which a server is told whether to think; `mode` None where its word says not."""

    name: str
    value: str
    mode: Thinking | None
    where: str


def mode(registry: ThinkingRegistry, scenarios: Iterable[str]) -> Thinking | None:
    """Return the mode that the runs of scenarios are held to, None where no row has one."""
    asked = set(scenarios)
    found = {one.mode for one in registry.modes if one.scenario in asked}
    return found.pop() if len(found) == 1 else None


def told(binding: Binding, role: str, registry: ThinkingRegistry) -> Iterator[Told]:
    """Yield what a role's arguments and environment say of thinking where a request does not.

    The recipe-wide environment is laid over the role's, so its word is the one that counts.
    """
    settings = role_settings(binding, role)
    for row in registry.settings:
        if row.kind == "argument":
            found = stated(settings, row.name)
            if found is not None:
                yield _told(row, str(found.value), where(binding, found.path))
            continue
        for path in (("environment", row.name), ("roles", role, "env", row.name)):
            text = text_at(binding, path) if path in binding.origins else None
            if text is not None:
                yield _told(row, text, binding.origins[path][0].where)
                break


def reads_as(value: str, row: ThinkingSetting) -> Thinking | None:
    """Return the mode that a setting's word states.

    >>> stated = {"source": "s", "kind": "environment", "name": "N"}
    >>> words = {"on-words": ("1", "yes"), "off-words": ("0",)}
    >>> row = ThinkingSetting.model_validate({**stated, **words})
    >>> [reads_as(word, row) for word in (" YES ", "0", "adaptive")]
    ['thinking_on', 'thinking_off', None]
    """
    word = value.strip().lower()
    if word in row.on_words:
        return "thinking_on"
    return "thinking_off" if word in row.off_words else None


def _told(row: ThinkingSetting, value: str, where: str) -> Told:
    return Told(row.name, value, reads_as(value, row), where)
