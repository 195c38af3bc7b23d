"""How a draft is served: facts of a recipe, an engine's rules and a checkpoint, no judgement."""

from typing import Literal

from infx.model.precision import Precision
from infx.model.value import Value

How = Literal["stated", "forced", "inherited", "checkpoint", "observed", "unknown"]
"""What decides a precision.

The recipe states it; the engine forces it, whatever is stated; the target's setting passes on to
the draft; the checkpoint stores it so and nothing changes it; the server's log shows it; or it
cannot be told.
"""


class Part(Value):
    """The precision of one part of a draft, null where `how` is unknown; `because` says why."""

    precision: Precision | None
    how: How
    because: str


class Stated(Value):
    """Something in a recipe that bears on a draft: as it is written, and where."""

    name: str
    value: str
    where: str


class DraftFacts(Value):
    """How one role serves its draft.

    `draft` is the path or repository that the recipe names, null for a draft `inside` the target's
    checkpoint. `shipped` is what the stored weights are. `kv_default` is what the KV cache of the
    draft would be without a setting of its own. `rules` is the engine's version whose handling was
    applied, null where none is known; `version` is the image's, null where its name does not say.
    """

    role: str
    engine: str
    method: str
    draft: str | None
    inside: bool
    weights: Part
    activations: Part
    kv: Part
    kv_default: Part
    shipped: Part
    rules: str | None
    version: str | None
    statements: tuple[Stated, ...]


ReadsAs = Literal["on", "off", "unreadable"]


class BannedUse(Value):
    """A banned variable in a recipe: where, as it is written, and how the engine reads it.

    `unreadable` words are neither true nor false to the engine, which then does not start.
    """

    name: str
    value: str
    reads_as: ReadsAs
    path: str
    where: str
