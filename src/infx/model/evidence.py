"""A folder of evidence: the facts of a submission, and the raw files that they were read from."""

from typing import Literal

from pydantic import Field, JsonValue

from infx.model.submission import Submission
from infx.model.value import Value

FORMAT: Literal["infx-evidence-1"] = "infx-evidence-1"


class RawFile(Value):
    """A raw file of the folder: the SHA-256 of its bytes, in hex, and how many there are."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)


class EvidenceFile(Value):
    """`evidence.json`: the facts without their own digest, and every other file of the folder.

    `files` go by path from the folder, with `/`. The digest of the folder is the SHA-256 of this
    file's bytes, so that it covers the facts and every raw file.
    """

    format: Literal["infx-evidence-1"]
    facts: dict[str, JsonValue]
    files: dict[str, RawFile]


class Evidence(Value):
    """The facts of a folder or of a file, and the raw files beside them (none for a file)."""

    submission: Submission
    files: dict[str, RawFile] = Field(default_factory=dict)
