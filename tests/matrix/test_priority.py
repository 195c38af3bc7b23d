"""Scores are sums that a reader can check by hand."""

import os
from decimal import Decimal
from pathlib import Path

import pytest

from infx.matrix.priority import Occasion, addends, annotated, queue_token, score
from infx.model.priority import CiPriority
from infx.store.documents import parse_yaml, read_yaml, validate
from refusals import refusal

REFERENCE = os.environ.get("INFX_REFERENCE_DATA")

POLICY = """\
version: 1
base-score: 1.0
adjustments:
  event: {push: 2.0}
  multi-node: 1.25
  agentic: 1.0
  eval-only: -0.125
  precision: {fp4: 0.75}
  spec-decoding: {mtp: 0.75}
  framework-prefix: {sglang: 0.5, dynamo-sglang: 0.375}
  model-prefix: {toy: 1.5, toy5: 0.75}
labels:
  skip-queue: {name: skip}
  checklist-complete: {names: [complete], adjustment: 0.25}
  patchwork: {names: [patched], score: 0.0, waived-by: [waived]}
"""

SINGLE = {
    "runner": "h200", "framework": "sglang", "precision": "fp8", "spec-decoding": "none",
    "model-prefix": "toy", "tp": 4,
}  # fmt: skip
MULTI = {
    "runner": "cluster:gb200-b", "framework": "dynamo-sglang", "precision": "fp4",
    "spec-decoding": "mtp", "model-prefix": "toy5", "prefill": {"tp": 4}, "decode": {"tp": 4},
    "scenario-type": "agentic-coding",
}  # fmt: skip


def policy(text=POLICY):
    return validate(parse_yaml(text.encode(), "ci-priority.yaml"), CiPriority)


def on(*labels, event="pull_request", pull_request=None):
    return Occasion(
        namespace="run-1", event=event, labels=frozenset(labels), pull_request=pull_request
    )


@pytest.mark.parametrize(
    ("row", "occasion", "expected"),
    [
        (SINGLE, on(), "3.000"),  # 1 + 1.5 + 0.5
        (MULTI, on(), "5.875"),  # 1 + 1.25 + 1 + 0.75 + 0.75 + 0.75 + 0.375
        (MULTI, on(event="push"), "7.875"),
        (SINGLE | {"eval-only": True}, on(), "2.875"),
        (SINGLE | {"eval-only": False}, on(), "3.000"),
        (SINGLE | {"framework": "sglang-disagg"}, on(), "3.000"),
        (SINGLE | {"framework": "sglangx"}, on(), "2.500"),
        (SINGLE | {"model-prefix": "toy5.1"}, on(), "1.500"),
        (SINGLE, on("complete"), "3.250"),
        (SINGLE, on("patched", "complete"), "0.000"),
        (SINGLE, on("patched", "waived", "complete"), "3.250"),
        (SINGLE, on("waived"), "3.000"),
    ],
)
def test_scores_by_hand(row, occasion, expected):
    assert score(row, policy(), occasion) == Decimal(expected)
    assert f"{score(row, policy(), occasion)}" == expected


def test_a_score_says_what_it_is_made_of():
    reasons = [(why, points) for why, points in addends(SINGLE, policy(), on()) if points]
    assert reasons == [
        ("base-score", Decimal(1)),
        ("model-prefix", Decimal("1.5")),
        ("framework", Decimal("0.5")),
    ]
    assert list(addends(SINGLE, policy(), on("patched"))) == [("patchwork", Decimal(0))]


@pytest.mark.parametrize(("base", "expected"), [("0.0005", "0.001"), ("1.00049", "1.000")])
def test_scores_are_rounded_half_up_in_decimal(base, expected):
    text = f"version: 1\nbase-score: {base}\n"
    assert str(score({}, policy(text), on())) == expected
    assert str(score({}, policy("version: 1\nbase-score: 0.1\n"), on())) == "0.100"


def test_a_token_names_one_place_of_one_run():
    # sha256sum of run-1:single_node/8k1k/0:{"framework":"sglang","runner":"h200"}
    row = {"runner": "h200", "framework": "sglang"}
    first = queue_token(row, namespace="run-1", path=("single_node", "8k1k", "0"))
    assert first == "558eb5a6d98854ee82ab0835b81af629"
    assert (
        queue_token(row, namespace="run-1", path=("single_node", "8k1k", "1"))
        == "65d04c066e944b32fa01d6e4bfbc0aa6"
    )


def test_a_row_gets_what_the_queue_needs():
    row = annotated(SINGLE, policy(), on("skip", pull_request=7), ("single_node", "8k1k", "0"))
    assert {name: row[name] for name in row if name not in SINGLE} == {
        "priority": "3.000",
        "queue-token": queue_token(SINGLE, namespace="run-1", path=("single_node", "8k1k", "0")),
        "skip-queue-pr": 7,
    }
    assert "skip-queue-pr" not in annotated(SINGLE, policy(), on(pull_request=7), ("x",))
    assert "skip-queue-pr" not in annotated(SINGLE, policy(), on("skip"), ("x",))


def test_a_policy_of_another_version_is_refused():
    assert refusal(lambda: policy(POLICY.replace("version: 1", "version: 2"))) == (
        "ci-priority.yaml:1: version: input should be 1, found 2"
    )
    assert refusal(lambda: policy(POLICY.replace("agentic: 1.0", "agentik: 1.0"))) == (
        "ci-priority.yaml:6: adjustments.agentik: unknown key; did you mean agentic?"
    )


@pytest.mark.skipif(REFERENCE is None, reason="INFX_REFERENCE_DATA names no folder")
def test_the_public_policy_loads():
    found = validate(read_yaml(Path(REFERENCE) / "configs" / "ci-priority.yaml"), CiPriority)
    row = MULTI | {"model-prefix": "kimik3"}
    # 1 + 1.25 + 1 + 0.75 (fp4) + 0.75 (mtp) + 1.5 (kimik3) + 0.5 (dynamo-sglang)
    assert score(row, found, on()) == Decimal("6.75")
    assert score(row, found, on("engine-patch")) == 0
