"""Each affected curve has enough measured points on its frontier.

What
    Counts the points of every affected curve that are on its frontier of total throughput per GPU
    against end-to-end latency. A curve is one series as readers see it, with all its points,
    whichever entries they come from. P90 decides for replayed sessions and the median for fixed
    sequences; other percentiles, as P75, are counted beside and decide nothing.

Why
    A reader takes the line between two points for measured. A frontier of a few points promises
    more than anybody saw.

Fails
    A curve has fewer points on its frontier than the policy set wants (5). A curve has a point
    without a positive, finite latency and throughput, at any percentile. An affected entry is in
    no curve, or a curve was not counted at the percentile that decides, or was counted twice.
    An administrator's bypass, a comment `Bypass for CURVE at COMMIT: why`, is quoted and changes
    nothing else: the check still warns.

Passes
    Every affected curve has enough points at the percentile that decides, and none is invalid.

Fix
    Measure more concurrencies between those on the frontier, or settings that move a dominated
    point onto it. Where a curve cannot have more, ask an administrator to record a bypass.

Evidence
    The curves of the measured run with their frontiers (`curves`), the affected entries
    (`configs`), and the comments for a bypass.
"""

from collections.abc import Iterator, Sequence

from infx.model.run_facts import CurveFacts
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding, Question
from infx.policy.bypass import bypass
from infx.policy.context import Context
from infx.policy.scope import affected, points_by_config
from infx.recipes.registries import AGENTIC

NEEDS = ("configs", "curves")


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield how dense each affected curve is."""
    least = context.policy.frontier_points
    curves = submission.curves or ()
    lost = tuple(uncounted(submission))
    if least is None:
        yield Finding(status="N/A", message="this policy set wants no number of points")
    elif not curves and not lost:
        yield Finding(status="N/A", message="no curve is affected")
    else:
        yield from lost
        for key in dict.fromkeys(curve.key for curve in curves):
            mine = [curve for curve in curves if curve.key == key]
            which = deciding(mine, submission)
            yield from _countable(key, mine, which)
            for curve in mine:
                yield _density(curve, least, submission, decides=curve.percentile == which)


def uncounted(submission: Submission) -> Iterator[Finding]:
    """Yield the affected entries with points for a curve that no curve has."""
    drawn = {config for curve in submission.curves or () for config in curve.configs}
    by_config = points_by_config(submission)
    for config in affected(submission):
        points = by_config.get(config.key, ())
        only_evals = bool(points) and all(one.eval for one in points)
        if config.key not in drawn and not only_evals:
            yield Finding(
                status="FAIL",
                message=f"could not be verified: {config.key} is in no counted curve",
                cites=(config.cite,),
                about=config.key,
                remedy="collect the results of the run that measured it",
            )


def deciding(curves: Sequence[CurveFacts], submission: Submission) -> str:
    """Return the percentile that decides on a curve, of which `curves` are the countings."""
    keys = {config for curve in curves for config in curve.configs}
    entries = [one for one in submission.configs or () if one.key in keys]
    scenarios = {scenario for one in entries for scenario in one.scenarios}
    if scenarios == {AGENTIC}:
        return "p90"
    has_p90 = any(curve.percentile == "p90" for curve in curves)
    return "p90" if has_p90 and (AGENTIC in scenarios or not scenarios) else "p50"


def _countable(key: str, curves: Sequence[CurveFacts], which: str) -> Iterator[Finding]:
    """Yield why the countings of one key cannot decide: none that does, or two of a kind."""
    kinds = [curve.percentile for curve in curves]
    if which not in kinds:
        yield uncountable(key, curves, which)
    for kind in dict.fromkeys(kinds):
        if kinds.count(kind) > 1:
            yield Finding(
                status="FAIL",
                message=f"could not be verified: {key} stands twice at {kind.upper()}",
                cites=tuple(curve.cite for curve in curves if curve.percentile == kind),
                about=key,
                remedy="pool the points of one curve, whichever entries they come from",
            )


def uncountable(key: str, curves: Sequence[CurveFacts], which: str) -> Finding:
    """Return the finding on a curve that was not counted at the percentile that decides."""
    return Finding(
        status="FAIL",
        message=f"could not be verified: {key} was not counted at {which.upper()}",
        cites=tuple(curve.cite for curve in curves),
        about=key,
        remedy=f"count the curve at {which.upper()} too",
    )


def _density(curve: CurveFacts, least: int, submission: Submission, *, decides: bool) -> Finding:
    kept = len(curve.frontier)
    name = f"{curve.key} at {curve.percentile.upper()}"
    if curve.invalid:
        return Finding(
            status="FAIL",
            message=f"{name}: no valid latency and throughput at {_at(curve.invalid)}",
            cites=(curve.cite,),
            about=curve.key,
            remedy="measure those points again; figures that are no numbers prove nothing",
        )
    if kept > curve.measured:
        return Finding(
            status="FAIL",
            message=f"could not be verified: {name} has {kept} of {curve.measured} points",
            cites=(curve.cite,),
            about=curve.key,
            remedy="collect the curve again",
        )
    count = f"{kept} of {curve.measured} measured points are on the frontier"
    if not decides:
        message = f"{name}: {count}; reported, it decides nothing"
        return Finding(status="PASS", message=message, cites=(curve.cite,), about=curve.key)
    if kept >= least:
        message = f"{name}: {count} ({_at(curve.frontier)})"
        return Finding(status="PASS", message=message, cites=(curve.cite,), about=curve.key)
    return _thin(curve, f"{name}: only {count}, {least} are wanted", submission)


def _thin(curve: CurveFacts, message: str, submission: Submission) -> Finding:
    given = bypass(submission.comments or (), commit=submission.head, curve=curve.key)
    if given is not None:
        return Finding(
            status="FAIL",
            message=f"{message}; {given.author} recorded a bypass",
            cites=(curve.cite, Cite(path=given.url, value=given.body, at=submission.head)),
            about=curve.key,
            remedy="nothing, while the bypass stands; more points would replace it",
        )
    return Finding(
        status="FAIL",
        message=message,
        cites=(curve.cite,),
        about=curve.key,
        remedy="measure more concurrencies between those on the frontier",
        question=Question(
            asks=f"May {curve.key} be published as thin as it is?", of="a repository administrator"
        ),
    )


def _at(concurrencies: Sequence[int]) -> str:
    return ", ".join(f"c{one}" for one in concurrencies)
