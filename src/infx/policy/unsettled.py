"""Command lines of servers with arguments that nobody knows: what no check can read past."""

from collections.abc import Iterator

from infx.model.config_facts import Config
from infx.model.submission import Submission
from infx.model.verdict import Finding, Question
from infx.policy.findings import failed

ARGUMENTS = "arguments"
"""What facts call words of a command line that may be any flags."""


def unread(config: Config, submission: Submission) -> Iterator[Finding]:
    """Yield the places where a launch of an entry may have flags that nobody knows, each once."""
    seen = set()
    for recipe in submission.recipes or ():
        for one in recipe.unsettled if recipe.config == config.key else ():
            if one.name == ARGUMENTS and (one.cite.where, one.why) not in seen:
                seen.add((one.cite.where, one.why))
                message = f"could not be verified: a server starts with more arguments: {one.why}"
                asks = f"which arguments does the server get at {one.cite.where}?"
                yield failed(
                    config.key,
                    message,
                    one.cite,
                    remedy="write the arguments out where the server starts",
                    question=Question(asks=asks, of="the signer"),
                )
