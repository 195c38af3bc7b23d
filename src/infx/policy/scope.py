"""What of a submission a rule is about: affected entries, and those of them that speculate."""

from infx.model.config_facts import Config
from infx.model.submission import Submission


def affected(submission: Submission) -> list[Config]:
    """Return the affected entries that are still there."""
    return [one for one in submission.configs or () if one.change != "removed"]


def speculating(submission: Submission) -> list[Config]:
    """Return the affected entries that speculate, by their own word or by that of their recipe."""
    recipes = {one.config for one in submission.acceptance or () if one.speculates}
    recipes |= {one.config for one in submission.drafts or ()}
    return [one for one in affected(submission) if one.speculative or one.key in recipes]
