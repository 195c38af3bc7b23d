"""The base of every value that is written to or read from a file or the API."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """Strict, frozen, and closed: unknown keys are refused, nothing is coerced."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)


def kebab(name: str) -> str:
    """Spell a field's name as the public files spell their keys.

    >>> kebab("model_prefix")
    'model-prefix'
    """
    return name.replace("_", "-")


class KebabValue(Value):
    """A Value whose keys in files are kebab-case words.

    Built on first use: a command pays only for the models that it reads.
    """

    model_config = ConfigDict(alias_generator=kebab, defer_build=True)
