"""`infx evidence`: what is known of a submission."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from infx.cli.cache import cache_folder
from infx.cli.changed import CatalogFlags
from infx.cli.flags import flag, several
from infx.cli.streams import put, say
from infx.cli.values import api_key
from infx.clock import NS, SystemClock
from infx.model.evidence import Evidence
from infx.model.submission import Submission
from infx.policy.verdict_text import shown
from infx.store.evidence import read

if TYPE_CHECKING:
    from infx.flows.changed import Ask
    from infx.flows.evidence.parts import Given

Format = Literal["text", "json"]
_HEADS = ("evidence", "day", "head", "base", "measured", "unknown")
_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFlags:
    """What there is beside the repository."""

    run: Annotated[
        tuple[str, ...] | None,
        several("Run bundles, as [ENTRY=]FOLDER; ENTRY is the config key that was measured."),
    ] = None
    artifacts: Annotated[
        tuple[str, ...] | None,
        several(
            "Folders or zip archives of a public run's artifacts, as [RUN=]PATH; RUN is its number."
        ),
    ] = None
    log: Annotated[
        tuple[str, ...] | None,
        several(
            "Servers' logs, as ENTRY:ROLE:CONCURRENCIES[:eval]=FILE; ROLE is agg, prefill or "
            "decode, and CONCURRENCIES have commas between them."
        ),
    ] = None
    checkpoint: Annotated[
        tuple[str, ...] | None,
        several(
            "Checkpoints of models and drafts, as OWNER/MODEL[@REVISION]=FOLDER; without =FOLDER "
            "their metadata is fetched from the hub. No weights are read."
        ),
    ] = None
    hub: Annotated[
        str | None, flag("The address of that hub. Default: https://huggingface.co.")
    ] = None
    hub_token_env: Annotated[
        str | None, flag("Environment variable that holds a token for the hub.")
    ] = None
    pull: Annotated[
        Path | None, flag("A JSON file with what the forge says of the pull request.")
    ] = None


def collect(
    *,
    base: Annotated[str, flag("The branch to compare with: from where HEAD left it, to HEAD.")],
    out: Annotated[Path, flag("The folder that gets the evidence, in a folder of its own.")],
    measured: Annotated[str | None, flag("The commit that was measured.")] = None,
    repository: Annotated[Path, flag("A folder of the repository. Default: this one.")] = Path(),
    given: Annotated[GivenFlags | None, Parameter(name="*")] = None,
    catalog: Annotated[CatalogFlags | None, Parameter(name="*")] = None,
) -> None:
    """Gather the facts of a submission into a folder that is named by its content.

    Both sides are read from git's commits. What nobody gave is not known, and the evidence says
    why; nothing is judged here: see infx verify. Prints the folder.
    """
    from infx.flows.evidence.collect import collect as gathered
    from infx.store.evidence import write

    asked = _ask(base, repository, catalog or CatalogFlags())
    found = gathered(_given(asked, measured, given or GivenFlags()), os.environ)
    for problem in found.said:
        say(problem)
    put(str(write(out, found.submission, found.files)))


def _ask(base: str, repository: Path, flags: CatalogFlags) -> "Ask":
    from infx.flows.changed import Ask

    return Ask(
        base=base,
        folder=repository.absolute(),
        config_files=tuple(flags.config_files or ()),
        runner_config=flags.runner_config,
        recipe_roots=tuple(flags.recipe_root or ()),
    )


def _given(asked: "Ask", measured: str | None, beside: GivenFlags) -> "Given":
    from infx.flows.evidence.parts import Given
    from infx.store.hub import URL, Hub

    return Given(
        ask=asked,
        day=datetime.fromtimestamp(SystemClock().wall() // NS, UTC).date(),
        measured=measured,
        runs=beside.run or (),
        artifacts=beside.artifacts or (),
        logs=beside.log or (),
        pull=beside.pull,
        checkpoints=beside.checkpoint or (),
        hub=Hub(
            cache_folder(os.environ),
            (beside.hub or URL).rstrip("/"),
            api_key(beside.hub_token_env, os.environ, flag="--hub-token-env"),
        ),
        on_talk=say,
    )


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
