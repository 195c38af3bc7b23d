"""The table of speculative decoding: measured beside golden, and only where somebody drafts."""

from dataclasses import replace
from decimal import Decimal

from infx.model.acceptance import Cell
from infx.model.result import Absent, MetricValue
from infx.report.content import Report
from infx.report.speculation import speculation_table

GOLDEN = Cell(curve="toy_mtp", model="toy", thinking="thinking_on", length=3, al=Decimal("3.39"))


def said(report: Report, golden: Cell | Absent | None, **metrics: float) -> str:
    """The table of a report whose first point says so."""
    first, *rest = report.points
    units = {"acceptance_length": "tok/step", "acceptance_error": "share"}
    told = {
        name: MetricValue(unit=units[name], n=1000, mean=mean) for name, mean in metrics.items()
    }
    known = {**first.summary.metrics, **told}
    summary = first.summary.model_copy(update={"golden": golden, "metrics": known})
    changed = replace(first, summary=summary)
    return speculation_table(replace(report, points=(changed, *rest)))


def test_measured_and_golden_stand_in_one_row(demo) -> None:
    """1 - 3.051 / 3.39 is 10 %."""
    found = demo((1, 2))
    error = {"acceptance_error": 0.1}
    table = said(found, GOLDEN, acceptance_length=3.051, **error)
    assert table.count("<tr>") == 2, "a head, and one point that speculates"
    for part in ("3.05", "3.39", "10.0", "toy_mtp, thinking_on, 3 draft tokens"):
        assert f"<td>{part}</td>" in table


def test_an_unknown_golden_length_says_why(demo) -> None:
    reason = "the recipe states no roles, so nobody says how the server speculates"
    table = said(demo((1,)), Absent(reason=reason), acceptance_length=3.051)
    assert reason in table
    assert "3.05" in table


def test_a_golden_length_without_a_measured_one_is_shown_too(demo) -> None:
    assert "3.39" in said(demo((1,)), GOLDEN)


def test_servers_that_do_not_draft_have_no_table(demo) -> None:
    assert said(demo((1,)), None) == ""
    assert said(demo((1,)), Absent(reason="the role agg does not speculate")) == ""
