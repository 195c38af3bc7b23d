"""No affected frontier leaves a wide stretch of latency without a point.

What
    Looks at the neighbours on each affected frontier, on a logarithmic scale of end-to-end latency:
    when one is more than twice as slow as the other (the policy set's ratio), nobody measured what
    lies between. The ends count too, against the range that comparable series cover: those of the
    same model and scenario among the results that were given, on any hardware and engine.

Why
    A frontier may have many points and still none where most users are. A published review
    complained of a curve without a point between 20 s and 100 s: others that do have points
    there cannot be compared with it. No public check asks this; the rule is ours.

Fails
    A step between neighbours, or from an end of the frontier to the end of the comparable range,
    has a larger ratio than the policy set allows. A curve's gaps were not looked for, or its
    frontier has fewer than two points, so that it has no neighbours.

Passes
    Every step of every affected frontier is within the ratio. Where no comparable series was given,
    nobody knows how far they reach: the steps inside still decide, and the ends become a question.

Fix
    Measure the concurrencies that the finding names: they are spaced evenly by ratio inside the
    gap. Where a point lies in the gap and is dominated, tune its settings.

Evidence
    The curves of the measured run with their gaps (`curves`), and the affected entries
    (`configs`).
"""

from collections.abc import Iterator
from decimal import Decimal

from infx.model.frontier import Gap
from infx.model.run_facts import CurveFacts
from infx.model.submission import Submission
from infx.model.verdict import Finding, Question
from infx.policy.checks.curve_density import deciding, uncountable, uncounted
from infx.policy.context import Context
from infx.policy.scope import affected

NEEDS = ("configs", "curves")


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield the gaps of each affected curve at the percentile that decides."""
    limit = context.policy.gap_ratio
    curves = submission.curves or ()
    if limit is None:
        yield Finding(status="N/A", message="this policy set has no limit for a step")
    elif not curves and not affected(submission):
        yield Finding(status="N/A", message="no curve is affected")
    else:
        yield from uncounted(submission)
        for key in dict.fromkeys(curve.key for curve in curves):
            mine = [curve for curve in curves if curve.key == key]
            which = deciding(mine, submission)
            judged = [curve for curve in mine if curve.percentile == which]
            if not judged:
                yield uncountable(key, mine, which)
            for curve in judged:
                yield from _gaps(curve, limit)


def _gaps(curve: CurveFacts, limit: Decimal) -> Iterator[Finding]:
    name = f"{curve.key} at {curve.percentile.upper()}"
    if curve.gaps is None or len(curve.frontier) < 2:
        why = "nobody looked for gaps" if curve.gaps is None else "its frontier has no neighbours"
        yield Finding(
            status="FAIL",
            message=f"could not be verified: {name}: {why}",
            cites=(curve.cite,),
            about=curve.key,
            remedy="collect the curve with its gaps, and measure two points or more",
        )
        return
    wide = [gap for gap in curve.gaps if Decimal(repr(gap.ratio)) > limit]
    for gap in wide:
        yield Finding(
            status="FAIL",
            message=f"{name}: {_stretch(gap)}",
            cites=(curve.cite,),
            about=curve.key,
            remedy=_remedy(gap),
        )
    if not wide:
        steps = f"{name}: no step between {len(curve.frontier)} points is above {limit}"
        yield Finding(
            status="PASS",
            message=f"{steps}; {_ends(curve)}",
            cites=(curve.cite,),
            about=curve.key,
            question=None if curve.reach else _reach_question(curve),
        )


def _ends(curve: CurveFacts) -> str:
    if curve.reach is None:
        return f"its ends were compared with nothing: {curve.why_no_reach or 'nobody says why'}"
    first, last = curve.reach
    return f"{', '.join(curve.reach_of)} covers {first:.4g} s to {last:.4g} s"


def _reach_question(curve: CurveFacts) -> Question:
    asks = f"do comparable curves have points where {curve.key} has none, before or beyond it?"
    return Question(asks=asks, of="a core maintainer")


def _stretch(gap: Gap) -> str:
    """Say where a gap is, and how wide."""
    place = {
        "between": "no point of the frontier",
        "before": "comparable curves begin earlier, and it has no point",
        "after": "comparable curves go on, and it has no point",
    }[gap.place]
    dominated = f", {gap.inside} dominated in it" if gap.inside else ""
    return f"{place} from {gap.start:.4g} s to {gap.end:.4g} s ({gap.ratio:.3g} times{dominated})"


def _remedy(gap: Gap) -> str:
    if gap.concurrencies:
        return f"measure concurrency {', '.join(str(one) for one in gap.concurrencies)}"
    return "measure between the neighbours, or tune the points there"
