"""The answers that were counted are text, not filler.

What
    Counts, among the answers that a run kept, those that are empty, that repeat one piece over and
    over, or that are no readable text.

Why
    A broken kernel can be fast. Evals look at one point of a curve; the kept answers are those of
    the points whose speed is published. No public check asks this; the rule is ours.

Fails
    More than 2 % of a point's kept answers are empty, repeated or unreadable, each kind for itself.
    No answer of an affected entry was kept, or more are counted bad than were kept.

Passes
    Every point with kept answers stays within the limit. Where acceptance was simulated the
    answers hold what a draft guessed, so they prove nothing about the model: the check does not
    apply to such an entry, and its evals, which run with real acceptance, stand for it.

Fix
    Look at the answers that the finding names; measure again with a server that answers.

Evidence
    Counts of kept answers (`outputs`), the affected entries (`configs`), and whether acceptance was
    simulated at every point (`acceptance`).
"""

from collections.abc import Iterator

from infx.model.run_facts import Outputs
from infx.model.submission import Submission
from infx.model.verdict import Finding
from infx.policy.context import Context
from infx.policy.scope import affected

NEEDS = ("configs",)

LIMIT = 0.02
"""The largest share of kept answers that may be bad in one way."""


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield for each affected entry what its kept answers look like."""
    configs = affected(submission)
    if not configs:
        yield Finding(status="N/A", message="no entry is affected")
    for config in configs:
        mine = [one for one in submission.outputs or () if one.config == config.key]
        if is_simulated(submission, config.key):
            yield Finding(
                status="N/A",
                message=f"{config.key} simulated acceptance: its answers hold guesses of a draft",
                cites=(config.cite,),
                about=config.key,
            )
        elif not mine:
            yield Finding(
                status="FAIL",
                message=f"could not be verified: no answer of {config.key} was kept",
                cites=(config.cite,),
                about=config.key,
                remedy="collect the run bundle, which keeps answers of each point (--run)",
            )
        else:
            for one in mine:
                yield from _point(one)


def is_simulated(submission: Submission, config: str) -> bool:
    """Return whether every measured role of an entry is seen to simulate acceptance."""
    mine = [one for one in submission.acceptance or () if one.config == config and not one.eval]
    return bool(mine) and all(one.speculates and one.observed for one in mine)


def _point(outputs: Outputs) -> Iterator[Finding]:
    name = f"{outputs.config} at c{outputs.concurrency}"
    kinds = {
        "empty": outputs.empty,
        "repeated": outputs.repeated,
        "unreadable": outputs.unreadable,
    }
    if outputs.kept < 1 or max(kinds.values()) > outputs.kept:
        yield _bad(outputs, f"could not be verified: {outputs.kept} answers of {name} were kept")
        return
    bad = {kind: count for kind, count in kinds.items() if count > LIMIT * outputs.kept}
    for kind, count in bad.items():
        yield _bad(outputs, f"{count} of {outputs.kept} kept answers of {name} are {kind}")
    if not bad:
        yield Finding(
            status="PASS",
            message=f"{outputs.kept} kept answers of {name} are text",
            cites=(outputs.cite,),
            about=outputs.config,
        )


def _bad(outputs: Outputs, message: str) -> Finding:
    return Finding(
        status="FAIL",
        message=message,
        cites=(outputs.cite,),
        about=outputs.config,
        remedy="look at the answers, repair the server, and measure again",
    )
