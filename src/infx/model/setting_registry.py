"""What single settings of a launch are to a verdict: of the harness alone, or of the model's form.

Names end in `*` where they stand for all that begin with them.
"""

from decimal import Decimal
from typing import Literal

from pydantic import Field, model_validator

from infx.model.acceptance import Thinking
from infx.model.precision import Precision
from infx.model.registry import Registry, Row

Kind = Literal["argument", "environment", "client", "recipe"]
"""Where a setting stands: an engine's argument, its environment, `benchmark.env`, or elsewhere."""


class HarnessSetting(Row):
    """A setting that a published launch need not have, and why.

    `harness` settings serve the measurement, `site` ones name one cluster's places, `disclosed`
    ones change what is measured and are stated beside the launch.
    """

    kind: Kind
    name: str
    role: Literal["harness", "site", "disclosed"]
    because: str


class HarnessRegistry(Registry):
    """All settings that are no part of a production launch; any other is one."""

    settings: tuple[HarnessSetting, ...]


class ArchitectureKey(Row):
    """A key of a model's configuration, and which change of it is refused.

    `deny` refuses every value but the native one, `allow` none. `compare` refuses where the value
    is `lower` or `higher` than the native one, or limits what has no limit natively; without the
    native value it cannot be judged.
    """

    key: str
    rule: Literal["deny", "allow", "compare"]
    refused: Literal["lower", "higher"] | None = None
    because: str

    @model_validator(mode="after")
    def _has_a_direction(self) -> "ArchitectureKey":
        if (self.rule == "compare") != (self.refused is not None):
            raise ValueError("`refused` says which direction `compare` refuses, and only then")
        return self


class LossySetting(Row):
    """A setting of an engine that computes or accepts less than the model would.

    `engine` and `setting` are patterns of the shell's form. It is refused when stated, with
    `below` only when it is a smaller number than that, with `on` only when it is switched on.
    """

    engine: str
    setting: str
    on: bool = False
    below: Decimal | None = None
    because: str


class ArchitectureRegistry(Registry):
    """Keys of configurations, settings of the same class, and how overrides are spelled.

    `nested` keys hold the configuration of a part of the model. `override_settings` are an engine's
    arguments that hold overrides; in engines of `draft_shares` they change the draft too, unless it
    has its own.
    """

    keys: tuple[ArchitectureKey, ...]
    settings: tuple[LossySetting, ...]
    nested: tuple[str, ...]
    override_settings: dict[str, tuple[str, ...]]
    draft_shares: tuple[str, ...]


class Package(Row):
    """A package that serving is made of; `name` may begin or end in `*`.

    `part` is what it is to a server: the `engine`, its `kernel`s, the `transport` between its
    processes, or the `framework` below. `folder` is the name under which its code is imported,
    None where paths do not tell it.
    """

    name: str
    manager: Literal["python", "system"]
    part: Literal["engine", "kernel", "transport", "framework"]
    folder: str | None = None


class PackageRegistry(Registry):
    """All packages that change what serves when they change."""

    packages: tuple[Package, ...]


class ThinkingMode(Row):
    """Whether the runs of a scenario let the model think, whatever model it is."""

    scenario: str
    mode: Thinking


class ThinkingSetting(Row):
    """A setting of a server that says whether it thinks where a request does not say so.

    Words are compared without regard to case; a word of neither list says neither.
    """

    kind: Literal["argument", "environment"]
    name: str
    on_words: tuple[str, ...] = Field(min_length=1)
    off_words: tuple[str, ...] = Field(min_length=1)


class ThinkingRegistry(Registry):
    """The mode of each scenario, and the settings that state a server's own."""

    modes: tuple[ThinkingMode, ...]
    settings: tuple[ThinkingSetting, ...]


class BannedVariable(Row):
    """A variable of an engine that may not be on. Words are compared without regard to case.

    A word that is neither true nor false stops the engine: it is not off, and not proven on.
    """

    engine: str
    name: str
    true_words: tuple[str, ...] = Field(min_length=1)
    false_words: tuple[str, ...] = Field(min_length=1)
    because: str


class LeadVariable(Row):
    """A variable that changes how a draft is computed when it is set; `ends` of its name."""

    engine: str
    name: str
    because: str


class Word(Row):
    """What a word of an engine or a checkpoint says of a precision.

    `kv` is what it says of a KV cache. `online` tells whether an engine that is given the word
    converts weights that are stored unquantized, null where nobody showed it.
    """

    word: str
    online: bool | None = None
    weights: Precision | None = None
    activations: Precision | None = None
    kv: Precision | None = None


class ProvenDefaults(Row):
    """A version of an engine whose handling of drafts was read in its package.

    `omitted` says what a separate draft gets when its quantization is not stated: the target's, or
    what its own checkpoint says. `opt_out` are the words that serve it unquantized, the empty one
    for a stated null.
    """

    engine: str
    version: str
    omitted: Literal["target", "checkpoint"]
    opt_out: tuple[str, ...]


class DraftPrecisionRegistry(Registry):
    """What engines do to the precision of drafts."""

    banned: tuple[BannedVariable, ...]
    leads: tuple[LeadVariable, ...]
    words: tuple[Word, ...]
    defaults: tuple[ProvenDefaults, ...]
