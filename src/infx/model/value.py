"""The base of every value that is written to or read from a file or the API."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """Strict, frozen, and closed: unknown keys are refused, nothing is coerced."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)
