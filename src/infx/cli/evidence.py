"""`infx evidence`: what is known of a submission."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from infx.cli.streams import put
from infx.model.evidence import Evidence
from infx.model.submission import Submission
from infx.policy.verdict_text import shown
from infx.store.evidence import read

Format = Literal["text", "json"]
_HEADS = ("evidence", "day", "head", "base", "measured", "unknown")
_SHOWN = 20


def show(
    evidence: Path,
    /,
    *,
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> None:
    """Show which facts a submission's evidence has, and why others are not known.

    The folder is checked first: each file has to be the one that was gathered.

    Parameters
    ----------
    evidence
        A folder of evidence, or a JSON file with the facts of a submission.
    """
    found = read(evidence)
    put(found.model_dump_json() if format == "json" else "\n".join(_lines(found)))


def _lines(found: Evidence) -> Iterator[str]:
    submission = found.submission
    yield f"evidence {shown(submission.evidence)}, gathered for {submission.day.isoformat()}"
    yield f"head     {shown(submission.head)}"
    yield f"base     {shown(submission.base)}"
    yield f"measured {shown(submission.measured or 'not known')}"
    yield ""
    width = max(map(len, Submission.model_fields))
    for part in Submission.model_fields:
        if part not in _HEADS:
            yield f"{part.ljust(width)}  {_standing(submission, part)}"
    if found.files:
        size = sum(one.bytes for one in found.files.values())
        yield f"\n{len(found.files)} raw files, {size:,} bytes"
        for path in list(found.files)[:_SHOWN]:
            yield f"{found.files[path].sha256[:12]}  {shown(path)}"
        if len(found.files) > _SHOWN:
            yield f"and {len(found.files) - _SHOWN} more"


def _standing(submission: Submission, part: str) -> str:
    value = getattr(submission, part)
    if value is None:
        return f"not known: {shown(submission.unknown.get(part, 'nobody gathered it'))}"
    return str(len(value)) if isinstance(value, tuple) else "known"
