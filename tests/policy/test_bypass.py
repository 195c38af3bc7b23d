from datetime import timedelta

import pytest

from commented import DAY, comment
from infx.policy.bypass import bypass

COMMIT = "abcdef0123456789abcdef0123456789abcdef01"
CURVE = "Muse-Spark-Open · agentic-coding · gb200_sglang · FP4"
WHY = "the cluster is gone until spring"
GOOD = f"Bypass for {CURVE} at {COMMIT[:8]}: {WHY}"


def admin(body, **more):
    return comment(body, **{"permission": "admin", "role": "admin"} | more)


def find(*comments):
    return bypass(comments, commit=COMMIT, curve=CURVE)


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        f"Exception for `{CURVE}` at `{COMMIT}`: {WHY}",
        f"Hi,\n\n- bypass for muse spark open agentic-coding gb200_sglang fp4 at {COMMIT}\n{WHY}",
    ],
)
def test_a_bypass_names_the_curve_the_commit_and_a_reason(body):
    assert find(admin(body)) is not None


@pytest.mark.parametrize(
    "body",
    [
        f"> {GOOD}",
        f"```\n{GOOD}\n```",
        f"<!-- {GOOD} -->",
        f"I grant no bypass for {CURVE} at {COMMIT}: {WHY}",
        f"Bypass for {CURVE}: {WHY}",
        f"Bypass for {CURVE} at {COMMIT[:7]}: {WHY}",
        f"Bypass for {CURVE} at {COMMIT[::-1]}: {WHY}",
        f"Bypass for {CURVE} at {COMMIT}",
        f"Bypass for {CURVE} at {COMMIT}: why not",
        f"Bypass for another curve at {COMMIT}: {WHY}",
        f"Bypass at {COMMIT} for {CURVE}: {WHY}",
        "Bypass for",
        "",
    ],
)
def test_anything_less_is_none(body):
    assert find(admin(body)) is None


@pytest.mark.parametrize(
    "who",
    [
        {"role": "write"},
        {"permission": "write"},
        {"permission": None, "role": None},
        {"author_type": "bot"},
        {"author": "infx[bot]"},
    ],
)
def test_only_an_administrator_in_person_can(who):
    assert find(admin(GOOD, **who)) is None


def test_the_newest_holds():
    older = admin(f"{GOOD} indeed", created=DAY - timedelta(days=1))
    newer = admin(GOOD)
    assert find(newer, older, comment(GOOD)) == newer
