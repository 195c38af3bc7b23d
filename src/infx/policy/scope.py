"""What of a submission a rule is about: affected entries, and those of them that speculate."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from infx.model.config_facts import Config, Point
from infx.model.submission import Submission


def affected(submission: Submission) -> list[Config]:
    """Return the entries that are still there and launch something else, or may."""
    return [one for one in reached(submission) if one.change != "script"]


def reached(submission: Submission) -> list[Config]:
    """Return the affected entries, and those that rest on a changed script and are as they were."""
    return [one for one in submission.configs or () if one.change != "removed"]


def speculating(submission: Submission) -> list[Config]:
    """Return the affected entries that speculate, by their own word or by that of their recipe."""
    recipes = {one.config for one in submission.acceptance or () if one.speculates}
    recipes |= {one.config for one in submission.drafts or ()}
    return [one for one in affected(submission) if one.speculative or one.key in recipes]


def points_by_config(submission: Submission) -> Mapping[str, Sequence[Point]]:
    """Return the points of each config that has any, in their order."""
    found: dict[str, list[Point]] = defaultdict(list)
    for point in submission.points or ():
        found[point.config].append(point)
    return found
