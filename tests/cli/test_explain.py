import json

import pytest

from infx.policy.checks import CHECKS
from infx.policy.manual import HEADINGS, read
from transcript import Infx, infx

__all__ = ["infx"]


def test_all_checks_are_listed_each_with_its_rule(infx: Infx):
    lines = infx("explain").out.splitlines()
    assert len(lines) == len(CHECKS)
    rows = {line.split()[1]: line.split() for line in lines}
    assert rows["curve-density"][0] == "14"
    assert rows["curve-gap"][0] == "-"


@pytest.mark.parametrize("name", ["curve-density", "14"])
def test_a_page_has_every_heading(infx: Infx, name):
    lines = infx("explain", name).out.splitlines()
    assert lines[0] == "curve-density: Curve density, check 14"
    assert [line for line in lines[2:] if line and line[0] != " "] == [*HEADINGS, "Judged by"]
    assert lines[-1] == "    2026-10 (warns), infx-1 (warns)"


def test_an_inferred_rule_says_so(infx: Infx):
    first = infx("explain", "metrics-published").out.splitlines()[0]
    assert first.endswith("check 17; no public page states its rule, which is inferred")


def test_pages_are_markdown_and_json_too(infx: Infx):
    heads = [
        line
        for line in infx("explain", "14", "--format", "markdown").out.splitlines()
        if line.startswith("## ")
    ]
    assert heads == [f"## {head}" for head in (*HEADINGS, "Judged by")]
    page = json.loads(infx("explain", "14", "--format", "json").out)
    assert (page["check"], tuple(page["sections"])) == ("curve-density", HEADINGS)
    assert len(json.loads(infx("explain", "--format", "json").out)) == len(CHECKS)
    assert infx("explain", "--format", "markdown").out.startswith("| number | check |")


def test_an_unknown_check_is_refused_with_the_nearest(infx: Infx):
    said = infx("explain", "curve-gaps")
    assert (said.code, said.err) == (2, "infx: no check 'curve-gaps'; did you mean curve-gap?\n")


PAGE = "Rule.\n\n" + "\n\n".join(f"{head}\n    Text of {head}." for head in HEADINGS)


def test_a_docstring_is_read_heading_by_heading():
    rule, sections = read(PAGE, "x")
    assert rule == "Rule."
    assert sections == {head: f"Text of {head}." for head in HEADINGS}


@pytest.mark.parametrize(
    "page",
    [
        PAGE.replace("Evidence\n", "Evidences\n"),
        PAGE.replace("Why\n    Text of Why.\n\n", ""),
        PAGE.replace("    Text of Fix.\n", "\n"),
        PAGE.replace("Rule.\n", "\n"),
        PAGE.replace("What\n", "XX\n").replace("Why\n", "What\n").replace("XX\n", "Why\n"),
        "",
    ],
)
def test_a_docstring_that_is_no_manual_page_is_an_error(page):
    with pytest.raises(ValueError, match="the docstring of x has"):
        read(page, "x")
