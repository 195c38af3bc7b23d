import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.flows.policy_context import policy_context
from infx.model.run_facts import Eval
from infx.model.verdict import Cite
from infx.policy.scores import Held, batch_faults, faults, held, nears_floor, number

BAR = Held(Decimal("0.90"), "gsm8k", False, 1319)


def row(**more):
    facts = {
        "run": 1,
        "config": "mini",
        "concurrency": (8,),
        "task": "gsm8k",
        "score_name": "em",
        "score": 0.95,
        "samples": 1319,
        "split": 1319,
        "floor": None,
        "floor_of": None,
        "image": "a/b:c",
        "infrastructure_success": True,
        "integration_error": None,
        "score_se": None,
        "completed_concurrency": (),
        "failed_concurrency": (),
        "cite": Cite(path="x"),
    }
    return Eval.model_construct(**(facts | more))


@pytest.mark.parametrize(
    "score",
    [math.nan, math.inf, -math.inf, True, False, "0.99", "NaN", -0.01, 1.0001, 99, [0.9], {}, None],
)
def test_what_is_no_number_from_0_to_1_is_no_score(score):
    assert number(row(score=score)) is None
    assert len(list(faults(row(score=score), BAR))) == 1


@pytest.mark.parametrize("score", [0, 1, 0.0, 1.0, 0.9])
def test_shares_are_scores(score):
    assert number(row(score=score)) == score


@given(st.floats(0, 1))
def test_a_score_passes_exactly_from_its_floor_on(score):
    assert (list(faults(row(score=score), BAR)) == []) == (Decimal(str(score)) >= BAR.floor)


@given(st.one_of(st.none(), st.integers(-5, 5000)))
def test_only_all_samples_are_enough(samples):
    assert (list(faults(row(samples=samples), BAR)) == []) == (samples == 1319)


def test_a_failure_is_told_once_and_not_as_a_low_score():
    broken = row(score=0.0, integration_error="closed", infrastructure_success=False)
    assert list(faults(broken, BAR)) == ["its infrastructure failed; integration error: closed"]


@pytest.mark.parametrize(
    ("policy", "facts", "floor"),
    [
        ("2026-10", {}, "0.94"),
        ("2026-10", {"floor": Decimal("0.97"), "floor_of": "theirs"}, "0.97"),
        ("2026-10", {"floor_of": "a row that cannot be read"}, None),
        ("2026-10", {"task": "unheard"}, "0.85"),
        ("2026-09", {"task": "unheard"}, "0.85"),
        ("infx-1", {"task": "unheard"}, None),
        ("infx-1", {"task": "bfcl_smoke"}, "0.0"),
    ],
)
def test_floors_are_the_repositorys_then_ours_then_the_last(policy, facts, floor):
    context, _ = policy_context(policy)
    found = held(row(**facts), "qwen3.5", context)
    assert (None if found is None else str(found.floor)) == floor


def test_what_the_registry_counts_is_all_whatever_a_row_says():
    context, _ = policy_context("infx-1")
    assert held(row(split=10, samples=10), "any", context).samples == 1319
    assert held(row(task="gpqa_diamond_cot_n_shot", split=396), "any", context).samples == 396


def test_chance_is_told_where_its_error_is_known():
    assert nears_floor(row(score=0.905, score_se=0.008), BAR)
    assert not nears_floor(row(score=0.98, score_se=0.004), BAR)
    assert not nears_floor(row(score=0.905), BAR)


@pytest.mark.parametrize(
    ("facts", "faulty"),
    [
        ({}, False),
        ({"completed_concurrency": (8,)}, False),
        ({"completed_concurrency": (16,)}, True),
        ({"concurrency": (8, 16)}, True),
        ({"concurrency": (8, 16), "completed_concurrency": (16, 8)}, False),
        ({"failed_concurrency": (8,)}, True),
    ],
)
def test_a_batch_completes_what_it_was_asked(facts, faulty):
    assert bool(list(batch_faults(row(**facts)))) == faulty
