"""How a run ends for the shell: its exit code, and the lines that say why it is not 0."""

from collections.abc import Iterator
from dataclasses import dataclass

from infx.errors import Problem
from infx.flows.bench import Outcome
from infx.model.record import Phase
from infx.model.result import PointSummary
from infx.report.names import Names


@dataclass(frozen=True, slots=True)
class Verdict:
    """An exit code, and what there is to say of the run, one line each."""

    code: int
    lines: tuple[str, ...] = ()


def judge(outcome: Outcome, *, max_error: float, strict: bool) -> Verdict:
    """Judge a run: 130 when it was interrupted, 3 when the server died or nothing was ok, 1 or 0.

    1 stands for a share of failed requests above `max_error`, and under `strict` for a run that is
    not certified. Requests that were cut at the end, or by the plan, did not fail.
    """
    result = outcome.run.result
    if outcome.interrupted:
        return Verdict(130, (f"interrupted; what was measured is kept in {result.bundle}",))
    if outcome.failure is not None:
        return Verdict(3, (str(outcome.failure),))
    nothing = tuple(_nothing_ok(outcome))
    if nothing:
        return Verdict(3, nothing)
    lines = list(_usage_missing(outcome))
    code = 0
    failed = sum(map(_failed, result.points))
    ended = failed + sum(point.ends.ok for point in result.points)
    if failed > max_error * ended:
        lines.append(f"{failed} of {ended} requests failed; --max-error {max_error:g} allows less")
        code = 1
    if strict and not result.certified:
        lines.append(f"not certified, and --strict asks for it: {', '.join(result.reasons)}")
        code = 1
    return Verdict(code, tuple(lines))


def _failed(point: PointSummary) -> int:
    return point.ends.error + point.ends.overflow + point.ends.lost


def _usage_missing(outcome: Outcome) -> Iterator[str]:
    run = outcome.run
    if any("usage-missing" in point.reasons for point in run.result.points):
        what = "some answers came without usage, so figures per token are missing"
        remedy = "let the server honour stream_options.include_usage"
        yield str(Problem(what, run.points[0].endpoint.url, remedy))


def _nothing_ok(outcome: Outcome) -> Iterator[str]:
    """Say for each point at which no request ended ok how the first of them ended."""
    run = outcome.run
    names = Names(run.result.points)
    for point in run.result.points:
        if point.ends.ok:
            continue
        records = run.records(point.point_id, point.repetition)
        first = next((r for r in records if r.phase is Phase.PROFILING), None)
        how = f": {first.detail or first.reason or first.state}" if first else ""
        what = f"no request at {names.place(point)} ended ok{how}"
        url = next(p.endpoint.url for p in run.points if p.point_id == point.point_id)
        yield str(Problem(what, url, f"all that it answered is in {run.bundle.path}"))
