"""The judge, over checks that are written here."""

import sys
from dataclasses import replace
from datetime import date
from types import ModuleType

import pytest

from infx.flows.policy_context import policy_context
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding
from infx.policy.judge import BrokenCheckError, Judge

HEAD = "1" * 40
FACTS = {
    "evidence": "e" * 64,
    "day": date(2026, 10, 19),
    "head": HEAD,
    "base": "0" * 40,
    "measured": None,
}
CITE = Cite(path="configs/a.yaml", line=3, value="x")
GATING, ADVISORY = "evals", "reuse-command"


def found(status, message="as it is", **more):
    return Finding(status=status, message=message, **more)


@pytest.fixture
def judge(monkeypatch):
    """Judge one submission by checks that yield what is given (or raise it)."""
    context, rows = policy_context("2026-10")

    def run(needs=(), facts=None, **yielded):
        modules = {}
        for word, what in yielded.items():
            module = ModuleType(f"checks_of_test_{word}")
            module.NEEDS = needs
            module.check = _yielding(what)
            monkeypatch.setitem(sys.modules, module.__name__, module)
            modules[word.replace("_", "-")] = module.__name__
        chosen = context.policy.model_copy(update={"checks": tuple(modules)})
        submission = Submission(**FACTS | (facts or {}))
        return Judge(rows, modules).judge(submission, replace(context, policy=chosen))

    return run


def _yielding(what):
    def check(submission, context):
        for one in what:
            if isinstance(one, Exception):
                raise one
            yield one

    return check


@pytest.mark.parametrize(
    ("statuses", "gating", "advisory"),
    [
        (["PASS"], "PASS", "PASS"),
        (["N/A"], "N/A", "N/A"),
        (["N/A", "PASS"], "PASS", "PASS"),
        (["PASS", "FAIL", "N/A"], "FAIL", "WARN"),
    ],
)
def test_the_worst_finding_is_what_a_check_comes_to(judge, statuses, gating, advisory):
    findings = [found(status, cites=(CITE,)) for status in statuses]
    first, second = judge(evals=findings, reuse_command=findings).results
    assert (first.status, first.gating) == (gating, True)
    assert (second.status, second.gating) == (advisory, False)
    assert [one.status for one in second.findings] == [
        "WARN" if status == "FAIL" else status for status in statuses
    ]


@pytest.mark.parametrize(
    ("evals", "reuse", "overall"),
    [
        ("FAIL", "FAIL", "REJECTED"),
        ("PASS", "FAIL", "WARN"),
        ("N/A", "PASS", "PASS"),
        ("N/A", "N/A", "PASS"),
    ],
)
def test_any_fail_rejects_else_any_warn_warns(judge, evals, reuse, overall):
    verdict = judge(evals=[found(evals)], reuse_command=[found(reuse)]).verdict()
    assert verdict.status == overall
    assert (verdict.policy_set, verdict.assessed, verdict.day) == (
        "2026-10",
        "1" * 40,
        "2026-10-19",
    )


def test_results_have_the_order_and_the_words_of_the_set(judge):
    judged = judge(reuse_command=[found("PASS")], metrics_published=[found("N/A", "no Dynamo")])
    assert [(one.check, one.number, one.name, one.inferred) for one in judged.results] == [
        ("reuse-command", 4, "Reuse command", False),
        ("metrics-published", 17, "Metrics published", True),
    ]
    assert judged.results[1].reason == "no Dynamo"


def test_a_missing_part_never_passes_and_says_why(judge):
    judged = judge(
        needs=("evals", "pull"),
        facts={"unknown": {"evals": "the run has no scores"}},
        evals=[found("PASS")],
        reuse_command=[found("PASS")],
    )
    for result, status in zip(judged.results, ("FAIL", "WARN"), strict=True):
        assert (result.status, result.missing) == (status, ("evals", "pull"))
        assert [one.message for one in result.findings] == [
            "could not be verified: the run has no scores",
            "could not be verified: the evidence has no facts of the pull request",
        ]


def test_parts_that_are_missing_for_one_reason_are_told_once_with_the_flag_that_gives_them(judge):
    why = "no record of the pull request was given"
    (result,) = judge(
        needs=("pull", "evals", "comments", "owners"),
        facts={"unknown": {"pull": why, "comments": why, "owners": why}},
        evals=[found("PASS")],
    ).results
    assert [(one.message, one.about, one.remedy) for one in result.findings] == [
        (
            f"could not be verified: {why}",
            "pull, comments, owners",
            "gather the evidence with facts of the pull request, comments and owners (--pull)",
        ),
        (
            "could not be verified: the evidence has no evals",
            "evals",
            "gather the evidence with evals (--artifacts)",
        ),
    ]


def test_an_empty_part_is_not_a_missing_one(judge):
    (result,) = judge(needs=("evals",), facts={"evals": ()}, evals=[found("PASS")]).results
    assert result.status == "PASS"


def test_only_what_decides_is_the_reason(judge):
    findings = [found("PASS", "fine"), *(found("FAIL", f"point {n}") for n in (1, 1, 2, 3, 4, 5))]
    (result,) = judge(evals=findings).results
    assert result.reason == "point 1; point 2; point 3; and 2 more"


def test_a_check_that_breaks_is_told_and_there_is_no_verdict(judge):
    judged = judge(evals=[found("PASS"), KeyError("floor")], reuse_command=[found("PASS")])
    assert judged.verdict() is None
    assert [one.check for one in judged.results] == ["reuse-command"]
    (crash,) = judged.crashes
    assert (crash.check, crash.error) == ("evals", "KeyError('floor')")
    assert "test_judge.py" in crash.trace
    assert crash.trace.endswith("KeyError: 'floor'\n")


@pytest.mark.parametrize(
    ("findings", "message"),
    [([], "found nothing"), ([found("WARN", "low")], "says FAIL of a broken rule")],
)
def test_a_check_that_breaks_its_contract_is_a_defect(judge, findings, message):
    (crash,) = judge(evals=findings).crashes
    assert crash.error.startswith(BrokenCheckError.__name__)
    assert message in crash.error


def test_a_check_of_the_set_without_a_module_is_a_defect():
    context, rows = policy_context("2026-10")
    judged = Judge(rows, {}).judge(Submission(**FACTS), context)
    assert len(judged.crashes) == 18
    assert judged.verdict() is None
