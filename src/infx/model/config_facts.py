"""Facts of what is submitted: entries, points, and the settings that they launch."""

from typing import Literal

from pydantic import Field, JsonValue

from infx.model.draft import How
from infx.model.shell_effects import EffectReport, Gap
from infx.model.value import Value
from infx.model.verdict import Cite


class Config(Value):
    """An entry of a master configuration that the change affects.

    `change` is what happened to the entry or, for `recipe`, to what it launches; for `script`, only
    scripts that it rests on are others. `hardware` is the SKU of its runner. `image` is as the
    entry writes it, with the file and line in `cite`.
    """

    key: str
    change: Literal["added", "changed", "recipe", "removed", "script"]
    cite: Cite
    framework: str
    image: str
    image_before: str | None = None
    model: str
    prefix: str
    precision: str
    hardware: str | None
    scenarios: tuple[str, ...]
    speculative: bool
    multinode: bool
    disaggregated: bool
    thinking: str | None = None


class OtherConfig(Value):
    """An entry that exists beside the affected ones: which engine already serves what where."""

    key: str
    framework: str
    prefix: str
    hardware: str | None


class Point(Value):
    """A point that the change asks for, or that its base has.

    `digest` is the recipe digest at the head, `measured_digest` at the commit that was measured,
    `base_digest` at the base; None where the side has no such point. `image_cite` is where the
    image is stated when that is not the config's entry.
    """

    config: str
    concurrency: int
    scenario: str
    variant: str
    digest: str | None
    measured_digest: str | None = None
    base_digest: str | None = None
    image: str
    image_cite: Cite | None = None
    series: str
    eval: bool = False


class Setting(Value):
    """One effective setting of a role, whoever set it: its value, and where the layer wrote it."""

    value: JsonValue
    cite: Cite
    layer: str


class Role(Value):
    """The effective arguments and environment of a role, by canonical names of the engine."""

    engine: str
    args: dict[str, Setting] = Field(default_factory=dict)
    env: dict[str, Setting] = Field(default_factory=dict)


class Observed(Value):
    """A setting that a server or a launch record states of itself, with the line that says so."""

    name: str
    value: str
    cite: Cite


class Unsettled(Value):
    """A part of a launch that its script leaves open: a flag, a variable, or `arguments`."""

    name: str
    why: str
    cite: Cite


class Effective(Value):
    """A recipe as it is launched at some concurrencies, with inherited settings.

    `banned` are the variables of the registry that may not be on, with their values, wherever the
    recipe sets them. A launch script counts as a recipe, one row for each command line that its
    branches allow; `unsettled` is what it leaves open.
    """

    config: str
    variant: str
    concurrencies: tuple[int, ...]
    file: str
    roles: dict[str, Role]
    frontend: str | None = None
    dynamo_version: Setting | None = None
    banned: tuple[Observed, ...] = ()
    unsettled: tuple[Unsettled, ...] = ()


class Side(Value):
    """The number formats of a draft: of its weights, activations and KV cache, None if unknown."""

    weights: str | None
    activations: str | None = None
    kv: str | None = None
    cites: tuple[Cite, ...] = ()


class Draft(Value):
    """How a draft is served, beside how it ships.

    `steps` explain, in order, how the effective formats follow. `leads` are other settings that
    change how the draft is computed, and that no step follows. `kv_default` is what its KV cache
    would be without a setting of its own, and `kv_how` says what decides the effective one.
    `allowed` tells whether the registry of models lists the draft; `revision` is the one that is
    pinned or that was loaded, None if unknown, and `registered` that of the registry.
    """

    config: str
    variant: str
    role: str
    repository: str | None
    native: bool
    shipped: Side | None
    effective: Side | None
    steps: tuple[str, ...] = ()
    leads: tuple[Observed, ...] = ()
    kv_default: str | None = None
    kv_how: How | None = None
    allowed: bool | None = None
    revision: str | None = None
    registered: str | None = None
    why_unknown: str | None = None


class Override(Value):
    """A key of the model's configuration that a launch overrides, or a lossy setting.

    `standing` is the registry's rule for the key; `native` the checkpoint's own value.
    """

    config: str
    variant: str
    key: str
    value: JsonValue
    native: JsonValue = None
    native_known: bool = False
    standing: Literal["deny", "allow", "compare-lower", "compare-higher", "unlisted"]
    because: str | None = None
    cite: Cite


class SettingChange(Value):
    """A setting of a launch that the base has otherwise; None where a side does not state it.

    `name` is that of an argument or a variable, `row.NAME` of a field of the matrix, or the path of
    another part of the recipe.
    """

    name: str
    role: str | None = None
    before: JsonValue = None
    after: JsonValue = None
    cite: Cite


class RecipeChange(Value):
    """What differs from the base at points that both sides have; None where nobody can compare."""

    config: str
    concurrencies: tuple[int, ...]
    changes: tuple[SettingChange, ...] | None = None
    why: str | None = None


class Dependency(Value):
    """A file of the repository that runs rest on: the SHA-256 of its bytes at each side.

    A side that has no such file is None. `via` is what names it: a line of a recipe, or a file.
    """

    path: str
    base: str | None
    head: str | None
    via: str


class Doubt(Value):
    """What nobody could read of a closure, and the changed files that it may be."""

    gap: Gap
    changed: tuple[str, ...] = Field(min_length=1)


class Closure(Value):
    """What the runs of an entry rest on beside their recipe, at one side and some concurrencies.

    `gaps` are what nobody could read, so that there may be more; `doubts` are those of them that a
    changed file may fill.
    """

    config: str
    side: Literal["base", "head"]
    concurrencies: tuple[int, ...]
    files: tuple[Dependency, ...]
    gaps: tuple[Gap, ...] = ()
    doubts: tuple[Doubt, ...] = ()


class Patches(Value):
    """What scripts and recipes of a config change in their container."""

    config: str
    image: str
    report: EffectReport
    new: bool
