"""A waiver: leave for one patch of one image, for a while. The front matter of its page."""

from datetime import date

from pydantic import Field, model_validator

from infx.model.shell_effects import EffectKind
from infx.model.value import Value

_SHA256 = "^[0-9a-f]{64}$"


class WaivedFile(Value):
    """A file with a patch in it: the whole file by `sha256`, or one statement of it by `hunk`.

    Both are SHA-256 digests: `sha256` of the file's bytes, `hunk` of the statement's text, as
    `infx.model.statement` makes it.
    """

    path: str = Field(min_length=1)
    sha256: str | None = Field(default=None, pattern=_SHA256)
    hunk: str | None = Field(default=None, pattern=_SHA256)

    @model_validator(mode="after")
    def _is_known_by_one(self) -> "WaivedFile":
        if (self.sha256 is None) == (self.hunk is None):
            raise ValueError("a file is known by `sha256` or by `hunk`, one of the two")
        return self


class Removal(Value):
    """When the patch goes: `condition` in words, and `by` the last day on which it may be there."""

    condition: str = Field(min_length=1)
    by: date


class Waiver(Value):
    """What may be patched: these effects of these files, in these configs, on this image.

    `pr` is the pull request that brings the patch, and names the page. `upstream` are addresses of
    the pull requests or issues that make the patch needless. `approved_by` are logins.
    """

    pr: int = Field(gt=0)
    configs: tuple[str, ...] = Field(min_length=1)
    image: str = Field(min_length=1)
    files: tuple[WaivedFile, ...] = Field(min_length=1)
    effects: tuple[EffectKind, ...] = Field(min_length=1)
    upstream: tuple[str, ...] = Field(min_length=1)
    removal: Removal
    approved_by: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _links(self) -> "Waiver":
        if not all(link.startswith("https://") for link in self.upstream):
            raise ValueError("upstream has https addresses of pull requests or issues")
        return self
