"""What a launch changes in the configuration of its model: facts with their lines."""

from typing import Literal

from pydantic import JsonValue

from infx.model.value import Value

Meaning = Literal["native", "allowed", "less", "open"]
"""What a changed key means by the registry of keys.

`native`: the value is the checkpoint's own. `allowed`: the key changes no computation. `less`: the
model would compute less. `open`: the key is not listed, or the native value is needed and not
known: a human has to look.
"""


Standing = Literal["deny", "allow", "compare-lower", "compare-higher", "unlisted"]
"""What the registry says of a key; of a comparison, which direction computes less."""


class ConfigurationOverride(Value):
    """One key that a role overrides in its model's configuration.

    `standing` is the registry's rule for the key, `meaning` what follows for this value. `key`
    is its path inside the override, `native` the checkpoint's own value, null where it has none
    or `native_known` is false. `counts` is false for a statement that a later one replaces.
    `reaches_draft` tells that the engine hands the same override to the draft.
    """

    role: str
    setting: str
    key: str
    value: JsonValue
    native: JsonValue
    native_known: bool
    standing: Standing
    meaning: Meaning
    because: str
    counts: bool
    reaches_draft: bool
    where: str


class LossyUse(Value):
    """A setting of a role with which the engine computes or accepts less than the model would."""

    role: str
    setting: str
    value: JsonValue
    because: str
    where: str
