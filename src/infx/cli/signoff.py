"""`infx signoff EVIDENCE`: the checklist as a form, filled as far as the evidence goes."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from infx.cli.streams import put, say
from infx.policy.verdict_text import shown


def signoff(
    evidence: Path,
    /,
    *,
    policy: Annotated[
        str | None, Parameter(help="The policy set whose checklist it is; default: infx-1.")
    ] = None,
    out: Annotated[
        Path | None, Parameter(negative=(), help="A file that gets the form, instead of stdout.")
    ] = None,
    since: Annotated[
        Path | None,
        Parameter(
            negative=(),
            help="Evidence that was signed: say which points changed since, and write no form. "
            "Exit 1 when any did, or nobody can tell.",
        ),
    ] = None,
) -> int:
    """Fill the checklist of a policy set, for a person to read, complete and sign.

    A statement is checked where the evidence proves it, with the proof in the details. What is
    open stands above the form. Nobody is signed for: `Signed:` is left empty.

    Parameters
    ----------
    evidence
        A folder of evidence, or a JSON file with the facts of a submission.
    """
    if since is not None:
        return _stale(evidence, since)
    return _fill(evidence, policy, out)


def _fill(evidence: Path, policy: str | None, out: Path | None) -> int:
    from infx.flows.signoff import fill
    from infx.store.files import write_whole

    filled = fill(evidence, policy)
    for crash in filled.crashes:
        say(f"the check {crash.check} broke, a defect in infx: {crash.error}")
    if filled.unanswered:
        say(f"{filled.unanswered} of {len(filled.lines)} statements are open")
    if out is None:
        put(filled.text.rstrip("\n"))
    else:
        write_whole(out, filled.text.encode())
    return 0


def _stale(evidence: Path, since: Path) -> int:
    from infx.flows.signoff import changed_since

    found = changed_since(evidence, since)
    if found is None:
        say("nobody can tell what changed: the evidence does not know its points")
        return 1
    for point in found:
        put(shown(str(point)))
    if not found:
        say("no point changed since")
    return 1 if found else 0
