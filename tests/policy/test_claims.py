import json

import pytest

from infx.model.submission import Submission
from infx.policy.claims import block, claims
from policy_cases import filled

IMAGE = "lmsysorg/sglang:v1@sha256:" + "ab" * 32
RECIPE = {
    "roles": {
        "agg": {
            "engine": "sglang",
            "args": {
                "tensor-parallel-size": {
                    "value": 4,
                    "cite": {"path": "recipes/mini.yaml", "line": 9},
                    "layer": "base",
                }
            },
        }
    }
}
FACTS = {
    "configs": [{"image": IMAGE, "image_before": IMAGE}],
    "points": [
        {"concurrency": 8, "base_digest": "d1", "image": IMAGE},
        {"concurrency": 16, "image": IMAGE},
        {"concurrency": 64, "digest": None, "base_digest": "d3"},
    ],
    "recipes": [RECIPE],
    "runs": [{}],
}


def submission(body, **facts):
    whole = filled({"pull": {"body": body}, **FACTS, **facts})
    return Submission.model_validate_json(json.dumps(whole, default=str))


def compared(body, **facts):
    return [(one.actual, one.equal) for one in claims(submission(body, **facts))]


@pytest.mark.parametrize(
    ("body", "actual", "equal"),
    [
        ("concurrency 8", "8, 16", True),
        ("concurrency 64", "8, 16", False),
        ("adds concurrency 16", "16", True),
        ("adds concurrency 8", "16", False),
        ("TP4", "TP4", True),
        ("TP8", "TP4", False),
        ("EP8", None, None),
        ("sha256:abababab", "ab" * 32, True),
        ("sha256:cdcdcdcd", "ab" * 32, False),
        ("lmsysorg/sglang:v1", IMAGE, True),
        ("lmsysorg/sglang:v2", IMAGE, False),
        ("run 900000000", None, None),
        ("the image is unchanged", "image", True),
        ("```infx-claims\nconcurrency: 8\n```", "8, 16", False),
        ("```infx-claims\nconcurrency: 16, 8\n```", "8, 16", True),
        ("```infx-claims\nrun: 900\n```", "900", True),
        ("```infx-claims\nunchanged: draft\n```", None, None),
        ("```infx-claims\ncolour: blue\n```", None, None),
    ],
)
def test_a_statement_is_compared_with_the_facts(body, actual, equal):
    assert compared(body) == [(actual, equal)]


def test_an_image_that_changed_is_not_unchanged():
    configs = [{"image": IMAGE, "image_before": "lmsysorg/sglang:v0"}]
    assert compared("the image is unchanged", configs=configs) == [
        (f"lmsysorg/sglang:v0 became {IMAGE}", False)
    ]
    new = [{"image": IMAGE, "image_before": None}]
    assert compared("the image is unchanged", configs=new) == [(None, None)]


@pytest.mark.parametrize(("body", "part"), [("c8", "points"), ("TP4", "recipes")])
def test_what_nobody_gathered_compares_with_nothing(body, part):
    assert compared(body, **{part: None}) == [(None, None)]


CACHE = {"name": "hicache-size", "role": "agg", "before": 120, "after": 100}
VARIABLE = {"name": "NCCL_DEBUG", "before": None, "after": "INFO"}


def changed(*changes, **more):
    cited = [one | {"cite": {"path": "recipes/mini.yaml", "line": 9}} for one in changes]
    row = {"config": "mini-fp4-b200-sglang", "concurrencies": [8], "changes": cited}
    return [row | more, {**row, "concurrencies": [16], "changes": []}]


@pytest.mark.parametrize(
    ("body", "changes", "actual", "equal"),
    [
        ("The draft checkpoint stays unchanged.", (CACHE,), "nothing of it changed", True),
        ("HiCache size and topology are the same.", (CACHE,), "hicache-size 120 became 100", False),
        ("Only the HiCache size changed.", (CACHE,), "hicache-size 120 became 100", True),
        ("Only the HiCache size changed.", (CACHE, VARIABLE),
         "NCCL_DEBUG unstated became INFO", False),
        ("This changes only the quantization.", (), "nothing changed", False),
        ("```infx-claims\nonly-changed: hicache_size, nccl_debug\n```", (CACHE, VARIABLE),
         "hicache-size 120 became 100, NCCL_DEBUG unstated became INFO", True),
        ("```infx-claims\nunchanged: draft, recipe\n```", (VARIABLE,),
         "NCCL_DEBUG unstated became INFO", False),
    ],
)  # fmt: skip
def test_what_is_said_to_be_unchanged_is_compared_with_the_base(body, changes, actual, equal):
    assert compared(body, changes=changed(*changes)) == [(actual, equal)]


def test_the_block_names_all_that_differs_from_the_base():
    facts = {"changes": changed(CACHE, VARIABLE)}
    made = block(submission("", **facts))
    assert "only-changed: hicache-size, NCCL_DEBUG" in made
    assert all(one.equal for one in claims(submission(made, **facts)))


@pytest.mark.parametrize(
    "changes",
    [None, [], changed(CACHE, changes=None, why="its script may start several servers")],
)
def test_a_launch_that_nobody_compared_leaves_a_claim_open(changes):
    assert compared("The draft stays unchanged.", changes=changes) == [(None, None)]


def test_without_a_text_there_are_no_claims():
    assert claims(submission("c8").model_copy(update={"pull": None})) is None


def test_the_block_that_facts_make_is_what_they_say():
    made = block(submission(""))
    found = claims(submission(made))
    assert [one.subject for one in found] == ["config", "concurrency", "added-concurrency", "image"]
    assert all(one.equal for one in found)
