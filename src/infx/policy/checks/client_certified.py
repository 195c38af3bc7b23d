"""The client that measured was not what limited the figures.

What
    Reads what the client of each affected entry says of itself: whether its own delay could have
    moved a published figure by more than its tolerance, and whether what it asked and got is a
    measurement at all.

Why
    A client that reads late publishes its own delay as the server's latency. No public check asks
    this; the rule is ours.

Fails
    The client did not certify its figures, or did not say. An affected entry has no client.

Passes
    The client certified the figures of every affected entry. Clients of other tools do not watch
    themselves in this way: for them the check does not apply, and the finding says so.

Fix
    Give a client that was late cores of its own or more shards; mend what other reasons name; and
    measure again.

Evidence
    The audit that the client keeps with each run (`clients`), the points that its reasons are of
    (`measurements`), and the affected entries (`configs`).
"""

from collections.abc import Iterator

from infx.model.run_facts import Client
from infx.model.submission import Submission
from infx.model.validity import REASONS
from infx.model.verdict import Finding
from infx.policy.context import Context
from infx.policy.scope import affected

NEEDS = ("configs", "clients")

_OWN = "client-"
"""How the reasons begin that are the client's own delay."""


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield for each affected entry whether its client vouches for its figures."""
    configs = affected(submission)
    if not configs:
        yield Finding(status="N/A", message="no entry is affected")
    for config in configs:
        mine = [one for one in submission.clients or () if one.config == config.key]
        if not mine:
            yield Finding(
                status="FAIL",
                message=f"could not be verified: nobody knows which client asked {config.key}",
                cites=(config.cite,),
                about=config.key,
                remedy="collect the client's record of the run (--run)",
            )
        for client in mine:
            yield _finding(client, submission)


def _finding(client: Client, submission: Submission) -> Finding:
    if client.foreign:
        message = f"{client.config} was asked by {client.tool}, which does not audit itself"
        return Finding(status="N/A", message=message, cites=(client.cite,), about=client.config)
    if client.certified:
        message = f"{client.tool} certified its figures of {client.config}"
        return Finding(status="PASS", message=message, cites=(client.cite,), about=client.config)
    if client.certified is None:
        message = f"could not be verified: {client.tool} kept no audit for {client.config}"
    else:
        why = "; ".join(_reasons(client, submission)) or "it gave no reason"
        message = f"{client.tool} did not certify its figures of {client.config}: {why}"
    return Finding(
        status="FAIL",
        message=message,
        cites=(client.cite,),
        about=client.config,
        remedy=_remedy(client),
    )


def _reasons(client: Client, submission: Submission) -> Iterator[str]:
    """Yield each reason with what it says, and the points that it is of."""
    mine = [one for one in submission.measurements or () if one.config == client.config]
    for reason in client.reasons:
        points = sorted({one.concurrency for one in mine if reason in one.reasons})
        at = f" at {', '.join(f'c{one}' for one in points)}" if points else ""
        said = REASONS.get(reason)
        yield f"{reason}{at}" + (f" ({said.removesuffix('.')})" if said else "")


def _remedy(client: Client) -> str:
    if client.reasons and not any(one.startswith(_OWN) for one in client.reasons):
        return "mend what the reasons name, and measure again"
    return "give the client cores of its own or more shards, and measure again"
