"""How settings of a role name its recipe: the form before rows had a field for it."""

from collections.abc import Iterable

RECIPE_SETTING = "CONFIG_FILE="
"""What begins such a setting."""


def configured(settings: Iterable[str]) -> str | None:
    """Return the recipe that settings name, None where none does.

    >>> configured(["NODES=2", "CONFIG_FILE=recipes/toy.yaml"])
    'recipes/toy.yaml'
    """
    found = (text for text in settings if text.startswith(RECIPE_SETTING))
    return next((text.removeprefix(RECIPE_SETTING) for text in found), None)
