"""`infx verify EVIDENCE`: what a policy set says of a submission, each finding with its place."""

import json as standard_json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from cyclopts import Parameter

from infx.cli.flags import Format
from infx.cli.streams import put, say
from infx.flows.verify import Verified
from infx.flows.verify import verify as judged
from infx.model.verdict import Verdict
from infx.policy.verdict_annotations import annotations
from infx.policy.verdict_markdown import comment
from infx.policy.verdict_text import text

DEFECT = 4


def verify(
    evidence: Path,
    /,
    *,
    policy: Annotated[
        str | None, Parameter(help="The policy set to judge by; default: infx-1.")
    ] = None,
    format: Annotated[Format, Parameter(help="What stdout gets.")] = "text",
) -> int:
    """Judge a submission by every rule of a policy set, from evidence alone.

    The judge has no network, no token and no language model. Exit 1 when it rejects.

    Parameters
    ----------
    evidence
        A folder of evidence, or a JSON file with the facts of a submission.
    """
    verified = judged(evidence, policy)
    verdict = verified.judgement.verdict()
    if verdict is None:
        return _no_verdict(verified)
    put(FORMATS[format](verdict, verified.signer))
    return 1 if verdict.status == "REJECTED" else 0


def _no_verdict(verified: Verified) -> int:
    """Tell which checks broke, with their tracebacks, and what the others found."""
    judgement = verified.judgement
    for crash in judgement.crashes:
        say(f"the check {crash.check} broke, a defect in infx: {crash.error}\n{crash.trace}")
    failing = [one.check for one in judgement.results if one.status == "FAIL"]
    others = f"{len(judgement.results)} others ran"
    say(f"no verdict; {others}" + (f", failing: {', '.join(failing)}" if failing else ""))
    return DEFECT


def _text(verdict: Verdict, signer: str | None) -> str:
    return text(verdict)


def _github(verdict: Verdict, signer: str | None) -> str:
    return annotations(verdict)


def _markdown(verdict: Verdict, signer: str | None) -> str:
    return comment(verdict, signer=signer)


def _json(verdict: Verdict, signer: str | None) -> str:
    """Return the verdict in ASCII, which neither a terminal nor a runner of GitHub obeys."""
    found = standard_json.dumps(verdict.model_dump(mode="json"), ensure_ascii=True)
    return found.replace("##[", "#\\u0023[")


FORMATS: Mapping[str, Callable[[Verdict, str | None], str]] = MappingProxyType(
    {"text": _text, "json": _json, "markdown": _markdown, "github": _github}
)
