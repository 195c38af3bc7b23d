"""What a change of configurations and recipes affects, as `infx matrix changed` prints it."""

from pydantic import Field

from infx.model.value import KebabValue


class ChangedPoint(KebabValue):
    """A point that one side has and the other one lacks."""

    exp_name: str
    shape: str = Field(description="Sequence lengths, parallelism, offload and speculation.")
    conc: int
    fingerprint: str


class ChangedKey(KebabValue):
    """A config key whose points differ; `base-points` is null where the base cannot be read."""

    config_key: str
    base_points: int | None
    head_points: int
    added: tuple[ChangedPoint, ...]
    removed: tuple[ChangedPoint, ...]


class Changed(KebabValue):
    """Every config key whose points differ from those of a base.

    `base` is the ref that was asked for, `config-keys` how many keys both sides have together.
    """

    base: str
    config_keys: int
    changed: tuple[ChangedKey, ...]
    errors: tuple[str, ...] = ()
