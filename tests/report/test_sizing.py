"""The table of what sized prompts: for points whose prompts are off, and for no others."""

from dataclasses import replace

from infx.report.content import Report
from infx.report.sizing import sizing_table

DRIFT = {"server": {"messages": 1, "asked_tokens": 192, "counted_tokens": 201}}


def said(report: Report, reasons: tuple[str, ...], calibration: dict[str, object]) -> str:
    first, *rest = report.points
    summary = first.summary.model_copy(update={"reasons": reasons})
    file = first.file.model_copy(update={"calibration": calibration})
    return sizing_table(replace(report, points=(replace(first, summary=summary, file=file), *rest)))


def test_a_point_that_is_off_says_what_sized_it(demo) -> None:
    table = said(demo((1, 2)), ("input-total-drift",), {"text_drift": DRIFT})
    assert "the server&#x27;s own count" in table
    assert "201 of 192 tokens" in table
    assert table.count("<tr>") == 2, "a head and the one point"


def test_an_older_bundle_has_no_sample(demo) -> None:
    assert "–" in said(demo((1,)), ("input-drift",), {})


def test_prompts_of_the_asked_length_need_no_table(demo) -> None:
    assert said(demo((1,)), ("error-rate",), {"text_drift": DRIFT}) == ""
