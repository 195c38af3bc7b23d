"""The table of what was asked otherwise than it was recorded."""

from dataclasses import replace

from infx.report.content import Report
from infx.report.recorded import recorded_table

LIVE = {"joined": 4, "stood_in": 2, "ended": 1, "asked_tokens": 2600, "answered_tokens": None}


def said(report: Report, **audit: object) -> str:
    first, *rest = report.points
    file = first.file.model_copy(update={"audit": {**first.file.audit, **audit}})
    return recorded_table(replace(report, points=(replace(first, file=file), *rest)))


def test_answers_and_fields_stand_in_one_row(demo) -> None:
    table = said(demo((1, 2)), live_answers=LIVE, unsent_fields={"n": 3, "messages[].x": 1})
    cells = ("4", "2", "1", "2,600", "–", "n (3), messages[].x (1)")
    assert "".join(f"<td>{cell}</td>" for cell in cells) in table
    assert table.count("<tr>") == 2


def test_fields_alone_are_told_too(demo) -> None:
    assert "<td>n (3)</td>" in said(demo((1,)), unsent_fields={"n": 3})


def test_what_was_asked_as_recorded_has_no_table(demo) -> None:
    assert said(demo((1,))) == said(demo((1,)), unsent_fields={}) == ""
