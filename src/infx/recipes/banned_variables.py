"""Variables that may not be on, wherever a recipe sets them."""

from collections.abc import Iterator

from infx.model.draft import BannedUse, ReadsAs
from infx.model.setting_registry import BannedVariable, DraftPrecisionRegistry
from infx.recipes.binding import Binding, Path, dotted

_YAML_TRUE, _YAML_FALSE = frozenset({"on"}), frozenset({"off"})
"""Words that older YAML readers take for booleans, so that a container may see true or false."""


def banned_uses(binding: Binding, registry: DraftPrecisionRegistry) -> Iterator[BannedUse]:
    """Yield every place of a bound recipe where a banned variable has a value, on or off.

    Looked at is the whole tree, of all roles and inherited blocks, not what a change added. A
    variable that a null takes away is not there.
    """
    named = {one.name: one for one in registry.banned}
    for path, origins in binding.origins.items():
        variable = named.get(str(path[-1])) if path else None
        if variable is not None and origins:
            text = text_at(binding, path)
            if text is not None:
                yield BannedUse(
                    name=variable.name,
                    value=text,
                    reads_as=reads_as(text, variable),
                    path=dotted(path),
                    where=origins[0].where,
                )


def reads_as(text: str, variable: BannedVariable) -> ReadsAs:
    """Say how an engine reads the text of a variable: `on`, `off`, or `unreadable`.

    >>> stated = {"source": "s", "engine": "e", "name": "N", "because": "b"}
    >>> words = {"true-words": ("1", "yes"), "false-words": ("0", "no")}
    >>> one = BannedVariable.model_validate({**stated, **words})
    >>> [reads_as(text, one) for text in ("YES", "on", "0", "Off", "maybe", "")]
    ['on', 'on', 'off', 'off', 'unreadable', 'unreadable']
    """
    word = text.strip().lower()
    if word in variable.true_words or word in _YAML_TRUE:
        return "on"
    if word in variable.false_words or word in _YAML_FALSE:
        return "off"
    return "unreadable"


def text_at(binding: Binding, path: Path) -> str | None:
    """Return the value at a path as a container sees it, None where null removed it."""
    value: object = binding.tree
    for key in path:
        value = value[key] if isinstance(value, dict | list) else None  # type: ignore[index]
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
